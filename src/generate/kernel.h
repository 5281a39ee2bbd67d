// From a function in PyTorch to a judged kernel: capture (python/akgen/capture.py), plan, guards,
// judge.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "chip/chip.h"
#include "generate/extract.h"
#include "judge/judge.h"
#include "judge/plan_task.h"
#include "record/capture.h"

namespace akgen::generate {

struct KernelRequest {
  std::string file;                   // FILE.py or FILE.py:NAME
  std::vector<std::string> examples;  // arguments; none: those that the file names
  std::vector<std::string> fix;       // parameters, or dimensions, that stay as in the examples
  bool products_as_sums = false;      // matrix products as sums, which vector cores compute
  std::filesystem::path
      out;  // a folder: task/, capture.json, and where it passes op_host/, op_kernel/, program.py
  int hidden = 4;           // hidden cases
  int capture_ms = 120000;  // limit of the capture
  judge::Options judging;   // with a seed
  chip::Chip chip;
  std::function<void(const std::string& what)> progress;
};
struct KernelAnswer {
  record::KernelRecord record;
  judge::Judgement judgement;  // of the last cases that were judged, where it was planned
};

// $AKGEN_PYTHON, else python3. AK1547: it has no PyTorch; AK0015: there is no such program; AK1545:
// no such file.
base::Result<record::Capture> CaptureFunction(const KernelRequest& request);
// A refusal is an answer. Errors: those of CaptureFunction, of the helper processes, and AK0002.
base::Result<KernelAnswer> MakeKernel(const KernelRequest& request);

// The program with conditions at the beginning of its host function; `inputs` and `attributes` are
// the names that the conditions use, in order; the program calls its inputs x0, x1, ….
std::string WithConditions(const std::string& program, const record::Capture& capture);
// The host function with the user's names for tensors, where nothing else is called so.
std::string WithUsersNames(const std::string& program, const record::Capture& capture);
// The planner's reason in words about the function, with the line that it is about.
record::Refusal RefusalOf(const judge::PlanFailure& planner, const record::Capture& capture,
                          const std::string& file);

}  // namespace akgen::generate
