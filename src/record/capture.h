// What python/akgen/capture.py says of a function in PyTorch: DIR/capture.json.
//
//   {"schema": 1, "captured": true, "function": "f", "line": 3, "task": folder, "inputs": ["x"],
//   "attributes": ["n"], "outputs": ["y"], "changed": {"x": "y"},
//    "guards": [GUARD, …], "requires": ["len(x.shape) == 2"], "operations":
//    [{"op": "add", "line": 4}], "notes": [text], "seconds": 0.2, "torch": "1.13"}
//   {"schema": 1, "captured": false, "function": "f", "refusal": {"kind", "reason", "file", "line",
//   "text"}}
//
// GUARD is {"kind", "argument", "text", "require", "variant"}: what the kernel assumes, in words
// and, where the host can ask it, as a condition of the kernel language.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace akgen::record {

struct Guard {
  std::string kind, argument, text;
  std::string require;  // empty: not for the host
  int variant = 0;
};
struct Refusal {
  std::string code, reason, file;
  int line = 0;      // of the user's file; 0: none
  std::string text;  // of that line
};
struct CapturedOperation {
  std::string op;
  int line = 0;
};
struct Capture {
  bool captured = false;
  std::string function, task, torch;
  int line = 0;
  std::vector<std::string> inputs, attributes, outputs, require, notes;
  std::map<std::string, std::string>
      changed;  // inputs changed in place: the output that is the new value
  std::vector<Guard> guards;
  std::vector<CapturedOperation> operations;
  double seconds = 0;
  Refusal refusal;
};
Capture CaptureFromJson(const base::Json& json);  // throws base::Json::exception

// What `akgen kernel --json` writes.
struct KernelRecord {
  std::string file, function;
  std::string verdict;  // refused, or a verdict
  std::string reason;   // where it is no pass
  bool captured = false, planned = false, verified = false;
  Refusal refusal;  // where it is refused
  std::vector<Guard> guards;
  std::vector<std::string> inputs, attributes, outputs, notes;
  std::map<std::string, std::string> changed;  // as in Capture
  std::string task, project, torch, range;
  int cases = 0, hidden = 0;  // judged
  double capture_s = 0, seconds = 0;
};
base::Json ToJson(const KernelRecord& record);

}  // namespace akgen::record
