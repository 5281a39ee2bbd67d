// What a modelled time says of itself, and the cycles of one instruction.
#include <algorithm>

#include "sim/timing/replay.h"

namespace akgen::sim {

double VectorCycles(const TraceEvent& e, const TimingParameters& p, double* lost_to_banks) {
  if (e.kind == TraceKind::kCopyUb) return p.vector_head + double(e.n) * e.bursts / 256;
  const chip::TimingFile::VectorRate& r = p.vector[e.op];
  double rate = e.bits <= 16 ? r.per_cycle[0] : r.per_cycle[1];
  if (e.bits == 64) rate /= 2;
  // A repeat that waits for its reads leaves room for the write before it.
  double lost = std::max(e.bank_reads * p.bank_read, e.bank_writes * p.bank_write);
  // A slow instruction hides its operands' conflicts behind its arithmetic.
  double per_repeat = 2048.0 / e.bits / rate;
  if (per_repeat > 1) lost = std::max(0.0, lost - e.repeats * (per_repeat - 1));
  if (lost_to_banks) *lost_to_banks = lost;
  return r.passes * (p.vector_head + double(e.repeats) * per_repeat) + lost;
}

double EmptyUs(const TimingParameters& p, double cores) {
  return p.launch_us + p.launch_core_us * (cores - 1) + p.block_start / p.clock_mhz;
}

const char* RegimeOf(const ModelledTime& t, const TimingParameters& p) {
  return t.us - t.longest_core_us + t.start_us > 0.5 * t.us ? "launch" : BusyRegimeOf(t, p);
}

namespace {
constexpr const char* kNames[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};

// Busy cycles of the mean core of each kind, by what they go into.
struct Load {
  double compute = 0, copies = 0;
};
Load LoadOf(const PipeTime* pipes, double cores, double start) {
  if (cores == 0) return {};
  auto busy = [&](uint32_t pipe) { return pipes[pipe].busy / cores; };
  return {std::max({busy(AKGEN_PIPE_V), busy(AKGEN_PIPE_M), busy(AKGEN_PIPE_MTE1),
                    busy(AKGEN_PIPE_S) - start}),
          std::max({busy(AKGEN_PIPE_MTE2), busy(AKGEN_PIPE_MTE3), busy(AKGEN_PIPE_FIX)})};
}
}  // namespace

const char* BusyRegimeOf(const ModelledTime& t, const TimingParameters& p) {
  const double cycles = t.core_us * p.clock_mhz, start = t.start_us * p.clock_mhz;
  const Load vector = LoadOf(t.pipes, t.cores - t.cube_cores, start),
             cube = LoadOf(t.cube_pipes, t.cube_cores, start);
  const double compute = std::max(vector.compute, cube.compute),
               copies = std::max(vector.copies, cube.copies);
  if (std::max(compute, copies) < 0.5 * cycles) return "sync";
  return copies >= compute ? "bandwidth" : "compute";
}

namespace {
base::Json WaitsOf(const PipeTime& pipe, double per_core_us) {
  base::Json out = base::Json::object();
  for (uint32_t i = 0; i < AKGEN_PIPE_COUNT; ++i)
    if (pipe.waits[i] > 0) out[kNames[i]] = pipe.waits[i] * per_core_us;
  if (pipe.waits[kOtherCores] > 0) out["other cores"] = pipe.waits[kOtherCores] * per_core_us;
  return out;
}
}  // namespace

base::Json ToJson(const ModelledTime& t, const TimingParameters& p) {
  base::Json j{{"us", t.us},
               {"regime", RegimeOf(t, p)},
               {"core_us", t.core_us},
               {"longest_core_us", t.longest_core_us},
               {"start_us", t.start_us},
               {"cores", t.cores},
               {"hbm_bytes", t.hbm_bytes},
               {"l2_bytes", t.l2_bytes},
               {"bypass_bytes", t.bypass_bytes},
               {"elements_16", t.elements_16},
               {"elements_32", t.elements_32},
               {"macs", base::Json::object()},
               {"stuck", t.stuck}};
  for (const auto& [bits, n] : t.macs) j["macs"][std::to_string(bits)] = n;
  if (t.cube_cores) j["cube_cores"] = t.cube_cores;
  for (double end : t.core_end) j["core_end_us"].push_back(end / p.clock_mhz);
  auto add = [&](const PipeTime* pipes, uint32_t cores, bool cube) {
    const double per_core_us = 1 / (p.clock_mhz * std::max(1u, cores));
    for (uint32_t i = 0; i < AKGEN_PIPE_COUNT; ++i) {
      const PipeTime& pipe = pipes[i];
      if (!pipe.instructions) continue;
      // Pipes that both kinds of core have are told apart where both are at work.
      const bool both = cube && t.cube_cores < t.cores &&
                        (i == AKGEN_PIPE_S || i == AKGEN_PIPE_MTE2 || i == AKGEN_PIPE_MTE3);
      j["pipes"][(both ? std::string("AIC ") : std::string()) + kNames[i]] = {
          {"busy_us", pipe.busy * per_core_us},
          {"flag_wait_us", pipe.flag_wait * per_core_us},
          {"conflict_us", pipe.conflicts * per_core_us},
          {"shared_us", pipe.shared * per_core_us},
          {"waits", WaitsOf(pipe, per_core_us)},
          {"instructions", pipe.instructions},
          {"bytes", pipe.bytes},
          {"bursts", pipe.bursts}};
    }
  };
  add(t.pipes, t.cores - t.cube_cores, false);
  add(t.cube_pipes, t.cube_cores, true);
  return j;
}

}  // namespace akgen::sim
