// Cycles of the Cube core's instructions, without waiting.
#pragma once
#include "sim/timing/parameters.h"
#include "sim/trace/trace.h"

namespace akgen::sim {

// Of kLoad, kMmad and kFix: how long its pipe is taken.
double CubeCycles(const TraceEvent& e, const TimingParameters& p);
// Of kLoad, before its first byte: loads overlap, so that one hides this behind what the pipe does
// before.
double LoadHead(const TraceEvent& e, const TimingParameters& p);
// From when an instruction of this pipe leaves it until others see its result.
double CubeLatency(uint32_t pipe, const TimingParameters& p);

}  // namespace akgen::sim
