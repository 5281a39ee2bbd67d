// Tells the trace, when there is one, what the block issues, and meters the scalar unit's own work.
#pragma once
#include "sim/exec/cached_lines.h"
#include "sim/exec/cube_trace.h"
#include "sim/machine/now.h"
#include "sim/machine/pipe.h"
#include "sim/trace/trace.h"

namespace akgen::sim {

class TraceWriter {
 public:
  explicit TraceWriter(const Now& now) : now_(now) {}
  // A block begins. `issue_cycles`: scalar work up to so many cycles is within the cost of the next
  // call; `cache_bytes`: what the scalar unit's data cache holds.
  void Begin(Trace* trace, double issue_cycles, double cache_bytes);
  explicit operator bool() const { return trace_ != nullptr; }
  Trace* operator->() const { return trace_; }

  // A call of the scalar unit at the current place.
  void Note(TraceKind kind, uint32_t pipe, uint32_t n = 1, uint64_t address = 0) {
    if (!trace_) return;
    if (!HasCount(kind)) WorkDone(now_.site);
    TraceEvent e;
    e.kind = kind, e.pipe = uint8_t(pipe), e.n = n, e.address = address, e.site = now_.site;
    trace_->Add(now_.block, e);
  }
  void NoteMeeting(uint32_t number, uint32_t parties);
  void NoteCross(TraceKind kind, uint32_t pipe, uint32_t id,
                 uint32_t mode);  // in launches with Cube cores
  // Work that a pipe is given. `vector_memory`: where the memory of vector instructions lies in
  // this process.
  void NoteIssue(uint32_t pipe, const PipeWork& work, const IssueState& state,
                 const uint8_t* vector_memory, uint32_t site);

  // The kernel's own scalar work, as the builder counted it (toolchain/builder/count_work.h): tells
  // the trace of what was done since the last time.
  void AddWork(double cycles) { work_ += cycles; }
  void WorkDone(uint32_t site);
  // How many words of a plain access are not among those that the scalar unit used last.
  uint32_t NewWords(const void* address, uint64_t bytes);
  CachedLines& lines() { return lines_; }

 private:
  static constexpr uint32_t kWordsKept = 16;  // about as many as there are registers
  const Now& now_;
  Trace* trace_ = nullptr;
  double issue_cycles_ = 0, work_ = 0;  // cycles that the trace has not been told of
  UnitOrder units_;
  CachedLines lines_;
  uintptr_t words_kept_[kWordsKept] = {}, word_next_ = 0;  // addresses / 8; which is replaced next
};

}  // namespace akgen::sim
