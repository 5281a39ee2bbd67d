// What a candidate's ModelNew did, by the recording of python/akgen/kernelbench/model.py. That ran
// beside the candidate's own code: all of it is untrusted, and checked here before anything else
// looks at it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/json.h"
#include "base/status.h"

namespace akgen::judge::kernelbench {

// Where elements come from; those of all sources are numbered in order.
struct Source {
  enum class Kind : uint8_t { kInput, kHeld, kEmpty, kResult, kChanged } kind = Kind::kEmpty;
  size_t index = 0, call = 0;  // of the input; of the call and its result or argument
  uint64_t first = 0, count = 0;
  std::string name;  // kHeld: of the parameter, buffer or constant
  base::Dtype dtype = base::Dtype::kFloat32;
  std::vector<uint8_t> bytes;  // kHeld
};

struct TracedTensor {
  base::Dtype dtype = base::Dtype::kFloat32;
  std::string type;  // "f32"
  std::vector<int64_t> sizes, strides;
  bool given = false;            // an input's or a parameter's own memory
  std::vector<int64_t> numbers;  // of the elements that its memory holds; -1: nobody's
};
struct TracedArgument {
  std::optional<TracedTensor> tensor;
  base::Json value;                  // where it is no tensor
  std::vector<TracedArgument> list;  // of tensors
};
struct TracedResult {
  std::vector<int64_t> shape;
  std::string type;
  bool operator==(const TracedResult&) const = default;
};
struct TracedCall {
  std::string op;
  std::vector<TracedArgument> arguments;
  std::vector<TracedResult> results;  // known, or assumed
};
struct Trace {
  std::vector<Source> sources;
  std::vector<TracedCall> calls;
  std::vector<TracedTensor> outputs;
  std::string end, reason;  // end: "", "rejected", "unsupported", "runtime_error"
};

// AK0612: it is none.
base::Result<Trace> ReadTrace(const std::filesystem::path& folder);
// A file that a candidate wrote: no link, at most `most` bytes. AK0612.
base::Result<std::string> ReadUntrusted(const std::filesystem::path& file, uint64_t most);

}  // namespace akgen::judge::kernelbench
