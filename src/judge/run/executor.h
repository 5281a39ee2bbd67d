// The interface to what runs candidates: builds their halves, calls their host code, runs their
// kernels on a chip. The simulated chip (judge/run/simulated_chip.h) is one, a real device
// (judge/run/real_device.h) the other. Used by one thread at a time.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "chip/chip.h"
#include "judge/host/messages.h"
#include "record/backend.h"
#include "sim/launch/run_messages.h"
#include "toolchain/builder.h"

namespace akgen::judge {

// Kernels of one object that run one after the other, each on its own part of the same memory.
struct Launch {
  std::string object;  // BuildReply::so
  record::Backend backend = record::kDefaultBackend;
  std::vector<sim::RunRequest> runs;
  int inputs_fd = -1, outputs_fd = -1;  // shared memory that the runs' regions lie in
  int wall_ms = 60000;                  // of all runs together
  std::optional<int> clock_ms;          // of a guest's runs on the clock (runner/runner_client.h)
  bool measure = false;                 // on a real device: RunReply::measured
};

// A program with a main() of its user's own.
struct ProgramLaunch {
  std::string object, folder;         // folder: where it runs, and the only one it may write to
  std::vector<std::string> readable;  // what it may read besides
  std::vector<std::string> argv;
  chip::Chip chip;
  base::Json checks = base::Json::object();  // as sim::ChecksFromJson reads them
  int wall_ms = 60000;
  std::optional<sim::TimingParameters> timing;  // asks for the modelled time of each launch
};

struct ProgramReply {
  std::string status = "error", detail, console;  // console: what it printed, kernels included
  int exit_code = 0;
  double wall_ms = 0;
  std::vector<sim::RunFinding> findings;
  uint64_t launches = 0, vector_ops = 0, copies = 0, bytes_in = 0, bytes_out = 0;
  base::Json times;  // sim::ProgramReport::times
};

class Executor {
 public:
  virtual ~Executor() = default;
  // AK0010 … AK0013: the builder is broken; AK0011: it gave no answer in time.
  virtual base::Result<toolchain::BuildReply> Build(const toolchain::BuildRequest& request) = 0;
  // File and line of addresses in a kernel object, innermost inlined function first. The same
  // errors.
  virtual base::Result<std::vector<toolchain::SourceLine>> Symbolise(
      const std::string& object, const std::vector<uint64_t>& pcs) = 0;
  // The others always answer. The status says what became of the process that ran the candidate's
  // code (runner/runner_client.h), "malformed" where candidate's code ran in it and it answered
  // what no chip answers, "error" where that is an internal error. Where it gave no answer all
  // replies say so.

  // What host code registers.
  virtual Description Describe(const std::string& host_object, const chip::Chip& chip) = 0;
  // What its tiling functions say to each of the requests.
  virtual std::vector<TileReply> Tile(const std::string& host_object,
                                      const std::vector<TileRequest>& requests, int wall_ms) = 0;
  virtual std::vector<sim::RunReply> Run(const Launch& launch) = 0;  // one for each of its runs
  virtual ProgramReply RunProgram(const ProgramLaunch& launch) = 0;
  // An interpreter, `object`, with a script that is a candidate's: argv, without a chip.
  virtual ProgramReply RunScript(const ProgramLaunch& launch) = 0;
  // Whether what it builds counts its scalar work: without that nothing has a modelled time.
  virtual bool CountsWork() = 0;
  // Names of the sandbox's layers that are active for candidates; null when unknown.
  virtual base::Json Layers() = 0;
  // Of a real device.
  virtual std::optional<record::DeviceFacts> Facts() { return std::nullopt; }
};

}  // namespace akgen::judge
