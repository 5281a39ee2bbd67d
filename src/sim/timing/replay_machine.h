// The replay: cores with their pipes, and the memory they share. For replay.cc and replay_pipes.cc.
#pragma once
#include <cstdint>
#include <deque>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/timing/cross_flags.h"
#include "sim/timing/memory_system.h"
#include "sim/timing/replay_state.h"

namespace akgen::sim::replay {

// A stretch of a pipe's time: what it did, or what it waited for.
struct Stretch {
  double begin, end;
  uint8_t after;
  SpanRole role = SpanRole::kWork;
};

// The timelines that were asked for. Where spans are too many, those of half the cores stay: each
// core's timeline is whole.
class SpanLog {
 public:
  // Fills `spans` and `span_cores` of `result`, which outlives it.
  SpanLog(ModelledTime& result, size_t most) : result_(result), most_(most) {}
  void Keep(const CoreState& c, uint8_t pipe, const TraceEvent& e, const Stretch& s);

 private:
  ModelledTime& result_;
  const size_t most_;
};

class Machine {
 public:
  Machine(const Trace& trace, const TimingParameters& p, const ReplayOptions& o);
  ModelledTime Run();

 private:
  struct Wake {
    double at;
    uint32_t core;
    uint8_t agent;  // 0: scalar unit, else a pipe
    bool operator>(const Wake& w) const {
      return std::tie(at, core, agent) > std::tie(w.at, w.core, w.agent);
    }
  };
  void Call(double at, uint32_t core, uint8_t agent) { wakes_.push({at, core, agent}); }
  void Begin(CoreState& c, double at);
  void NextBlock(CoreState& c, double at);
  PipeTime& Total(const CoreState& c, uint32_t pipe) {
    return (c.cube ? result_.cube_pipes : result_.pipes)[pipe];
  }
  void Expose(CoreState& c, uint8_t pipe);
  void CubeWork(CoreState& c, uint8_t pipe, const Issued& i);
  void SetAcross(CoreState& c, const TraceEvent& e, double at);
  void Post(uint64_t name, double at);
  void Scalar(CoreState& c, double now);
  bool Join(CoreState& c, const TraceEvent& e);
  bool ScalarStep(CoreState& c, const Record& r);
  void Pipe(CoreState& c, uint8_t pipe, double now);
  bool PipeStep(CoreState& c, uint8_t pipe, const Issued& i);
  void SetNow(CoreState& c, uint32_t flag, double at);
  void StartCopy(CoreState& c, uint8_t pipe, const Issued& i);
  void EndPart(uint32_t who, double at);
  void Crowd(const Transfer& t);
  void Waited(CoreState& c, uint8_t pipe, const TraceEvent& e, const Stretch& s);
  bool Step();

  const Trace& trace_;
  const TimingParameters& p_;
  const ReplayOptions& o_;
  L2 own_;
  L2& l2_;
  SharedServer hbm_, cache_,
      filled_;  // filled_: L2 takes what is written beside what is read from it
  std::vector<Shape> shapes_;
  uint32_t flags_ = 0;
  std::vector<uint8_t> setters_;  // by flag: the pipe that sets it
  uint32_t together_;             // cores that a block starts
  std::vector<CoreState> cores_;
  CrossFlags cross_;
  std::priority_queue<Wake, std::vector<Wake>, std::greater<>> wakes_;
  std::unordered_map<uint32_t, std::pair<uint32_t, double>> meetings_;  // arrivals, the latest
  std::unordered_map<uint64_t, std::deque<double>> posts_;
  uint32_t next_block_ = 0;
  double written_back_ = 0;  // when HBM had the last line that a write drove out of L2
  double crowded_ =
      0;  // cycles that the memory needs for what is copied beyond what the mean core's pipe needs
  ModelledTime result_;
  SpanLog spans_{result_, o_.most_spans};
};

}  // namespace akgen::sim::replay
