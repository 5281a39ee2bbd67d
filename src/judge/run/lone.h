// Runs a single kernel file without a task: arguments come from a launch line, findings go to the
// caller.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "judge/run/executor.h"
#include "judge/time/timing.h"
#include "record/backend.h"
#include "record/launch_record.h"

namespace akgen::judge {

// blocks=2 key=0 args=in:f16[250+6],out:f16[256],inout:f32[64],workspace[1024],tiling[64],null
// `u32=256`, `f32=0.5`: a parameter that is a number. in:f32[8]=1;2 values, again and again;
// in:f32[8]@FILE raw bytes; of an out argument: what it should hold. tiling:u32[4]=256;1 and
// tiling[64]@FILE.
// `+6`: elements that the allocation holds behind the tensor. workspace and tiling in bytes; tiling
// holds 0, 1, 2, … dtypes: f16 bf16 f32 i8 u8 i16 u16 i32 u32 i64 u64. Inputs hold small numbers
// drawn from the seed.
struct LaunchLine {
  struct Arg {
    std::string role;  // in, out, inout, workspace, tiling, null, scalar
    std::string dtype;
    uint64_t count = 0;  // elements; bytes for workspace and tiling
    uint64_t spare = 0;  // elements behind the tensor
    std::vector<double> values;
    std::string file, literal;  // literal: of a scalar, in C++
    bool filled() const { return !values.empty() || !file.empty(); }
  };
  uint32_t blocks = 1;
  uint64_t key = 0;
  std::vector<Arg> args;
};
// AK0401: the line is malformed. `folder`: where its files lie, beside the working directory; "":
// files are refused.
base::Result<LaunchLine> ParseLaunch(const std::string& text, const std::string& folder = "");
// AK0401: the entry of `file` has a parameter that the line gives nothing for; it would hold what a
// register happens to.
base::Status CheckLaunch(const std::string& file, const LaunchLine& launch);
// The `// launch:` comment of a kernel source, or empty.
std::string LaunchComment(const std::string& source);

// Its record, and what callers of this program look at besides.
struct LoneResult : record::LaunchRecord {
  std::optional<sim::ProbeReply> probe;
  std::vector<toolchain::SourceLine> lines;
};

// "f16", "bf16", "i32" … or a dtype's own name.
std::optional<base::Dtype> DtypeOfName(const std::string& name);

struct LoneOptions {
  std::string chip{chip::kDefaultChip};
  base::Json checks = base::Json::object();
  int timeout_ms = 60000;
  uint64_t seed = 1;
  uint64_t schedule = 0;  // as in judge::Options, like the next two
  std::optional<sim::RunProbe> probe;
  bool want_lines = false;
  bool want_values = false;  // fill LoneResult::outputs
  TimeOptions time;
  std::vector<std::string> include_dirs;  // further folders for the kernel
  double tolerance = 1e-4;  // of outputs that the launch line has values for, absolute and relative
  record::Backend backend = record::kDefaultBackend;
};
LoneResult RunLone(Executor& executor, const std::string& file, const LaunchLine& launch,
                   const LoneOptions& options);

}  // namespace akgen::judge
