// Requests to the process that holds the chip, and its replies. Both cross a process boundary as
// JSON; they are written and read here and nowhere else.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "chip/chip.h"
#include "record/measured.h"
#include "record/verdict.h"
#include "sim/check/checks.h"
#include "sim/exec/launch_types.h"
#include "sim/timing/parameters.h"

namespace akgen::sim {

// A tensor: inputs lie in the read-only memory that comes with a request, all others in the
// writable one. Bytes.
struct RunRegion {
  std::string name;
  Role role = Role::kInput;  // kInput, kOutput (poisoned before the run) or kInout
  size_t offset = 0, bytes = 0;
  size_t capacity = 0;  // of the allocation; 0: just `bytes`
  // Not 0: the tensor's content is `period` bytes at `source` of the read-only memory, repeated;
  // both multiples of a page. What the kernel writes over it still comes back in the writable
  // memory.
  size_t period = 0, source = 0;
};

// A parameter of the kernel.
struct RunArgument {
  enum Kind : uint8_t { kNull, kRegion, kList, kWorkspace, kTiling } kind = kNull;
  std::vector<size_t> regions;               // kRegion: one; kList: each tensor's (ListTensorDesc)
  std::vector<std::vector<int64_t>> shapes;  // kList: of each tensor
};

// Runs under one legal order of execution after the other, for bytes only, until the outputs differ
// from `expect` (a hash; empty: those of the first).
struct RunProbe {
  std::vector<uint64_t> schedules;
  std::string expect;
};

// What the kernel finds at the address of a list of tensors that lie at `addresses`
// (ListTensorDesc): the byte offset of the table of addresses; for each tensor (index << 32 |
// dimensions) and its dimensions; that table.
std::vector<uint64_t> TensorListWords(const RunArgument& list,
                                      const std::vector<uint64_t>& addresses);

// Asks for modelled time.
struct RunTiming {
  TimingParameters parameters;
  uint32_t span_cores = 0;  // keep the timeline of so many cores
  bool what_if = false;     // and what changes to the kernel would gain
  double scale = 0;  // and the time with so many times the rounds (timing/extrapolate.h); 0: no
  bool keep_trace = false;  // and what is replayed, as trace/trace_json.h writes it
};

struct RunRequest {
  std::string entry;  // extern "C" function of pointer parameters only
  std::vector<RunRegion> regions;
  std::vector<RunArgument> args;
  std::vector<uint8_t> tiling;
  uint64_t workspace_bytes = 0, tiling_key = 0;
  uint32_t blocks = 1;
  chip::Chip chip;
  Checks checks;
  uint64_t schedule = 0;  // seed of a legal order of execution, 0 the eager one
  bool hash = false;      // the reply has the hash of the bytes of all outputs
  bool sites = false;     // the reply has every place that issued an instruction
  bool exact = false;     // imprecise instructions give exact results, and are reported (AK1507)
  std::optional<RunProbe> probe;  // in place of a run with checks
  std::optional<RunTiming> timing;
  // Not empty: of the launch's blocks only these run. Outputs are then not poisoned and keep what
  // they hold where nothing is written; whether all of an output is written is not checked.
  std::vector<uint32_t> only;
};
base::Json ToJson(const RunRequest& request);
// AK0014: it is not what ToJson writes.
base::Result<RunRequest> RunRequestFromJson(const base::Json& json);

// A finding whose places are addresses in the kernel object, innermost first.
struct RunFinding {
  record::Finding finding;
  std::vector<uint64_t> pcs, other_pcs;
};

struct ProbeReply {
  uint64_t ran = 0, schedule = 0;  // schedules that ran; the last one
  bool differs = false;
  std::string hash, ended;  // what the last one gave, and how it ended
};

struct RunReply {
  // "ok"; of the kernel: "deadlock", "crash", "stopped", "unsupported", "timeout", "memory"; of the
  // process around it (runner/runner_client.h): "killed", "error" too.
  std::string status = "error", detail;
  std::vector<RunFinding> findings;
  double run_us = 0, run_cpu_us = 0;  // on this machine
  uint64_t vector_ops = 0, copies = 0, bytes_in = 0, bytes_out = 0;
  uint64_t instructions = 0;  // of a guest
  std::string engine;         // that executed a guest: "translator", "interpreter"
  uint64_t state_changed =
      0;  // 1 + offset of the first of the kernel's variables that it left changed
  std::vector<size_t> unread;  // numbers of the regions with inputs of which no byte was read
  bool exchanged = false;      // blocks did, so another legal order might give other bytes
  std::string print, hash;     // hash: of all outputs, when asked for or `exchanged`
  base::Json arithmetic = base::Json::object();  // launch_types.h
  std::vector<std::vector<uint64_t>> sites;
  // timing/replay.h, and "blocks", "ub_used"; when asked for "spans" (record/timeline.h),
  // "scaled": {"factor", "us", "bound_us"}, "what_if": [{"change", "amount", "site", "us"}…] and
  // "sites": [[pcs]…], "trace"; null when nobody asked
  base::Json modelled;
  bool trace_cut = false;  // more instructions than a trace holds: no modelled time
  std::string unmodelled;  // another reason why there is none although it was asked for, "": none
  std::optional<ProbeReply> probe;
  // Of a run of some blocks, for each region that is no input: [from, to, from, to, …), bytes that
  // were written.
  std::vector<std::vector<uint64_t>> written;
  bool written_cut = false;  // more pieces than a reply holds
  // Of a real device alone (src/device); no chip answers them.
  std::optional<record::MeasuredTime> measured;
  int vendor_code = 0;
};
base::Json ToJson(const RunReply& reply);
// AK0014: no chip answers this.
base::Result<RunReply> RunReplyFromJson(const base::Json& json);

}  // namespace akgen::sim
