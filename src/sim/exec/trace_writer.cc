#include "sim/exec/trace_writer.h"

#include <algorithm>

#include "sim/exec/launch_state.h"

namespace akgen::sim {

void TraceWriter::Begin(Trace* trace, double issue_cycles, double cache_bytes) {
  trace_ = trace;
  issue_cycles_ = issue_cycles;
  work_ = 0;
  units_ = {};
  if (trace) lines_.Begin(cache_bytes);
  std::fill(std::begin(words_kept_), std::end(words_kept_), 0);
}

void TraceWriter::NoteMeeting(uint32_t number, uint32_t parties) {
  if (!trace_) return;
  TraceEvent e;
  e.kind = TraceKind::kMeet, e.n = number, e.repeats = parties, e.site = now_.site;
  trace_->Add(now_.block, e);
}

void TraceWriter::NoteCross(TraceKind kind, uint32_t pipe, uint32_t id, uint32_t mode) {
  if (!trace_) return;
  WorkDone(now_.site);
  TraceEvent e;
  e.kind = kind, e.pipe = uint8_t(pipe), e.n = id, e.repeats = mode, e.site = now_.site;
  trace_->Add(now_.block, e);
}

void TraceWriter::NoteIssue(uint32_t pipe, const PipeWork& work, const IssueState& state,
                            const uint8_t* vector_memory, uint32_t site) {
  WorkDone(site);
  if (auto* v = std::get_if<AkgenVec>(&work))
    return trace_->AddVector(now_.block, *v, vector_memory,
                             state.counter ? uint32_t(v->set_mask ? v->mask[0] : state.mask[0]) : 0,
                             pipe, site);
  if (auto* cube = std::get_if<CubeOp>(&work)) {
    auto add = [&](TraceEvent e) {
      e.site = site;
      trace_->Add(now_.block, e);
    };
    units_.Before(*cube->it, add);
    return CubeEvents(*cube->it, pipe, add);
  }
  TraceEvent e;
  if (auto* c = std::get_if<AkgenCopy>(&work)) {
    e = CopyEvent(*c);
  } else if (auto* s = std::get_if<SetFlagOp>(&work)) {
    e.kind = TraceKind::kSet;
    e.address = reinterpret_cast<uint64_t>(s->flag);
  } else if (auto* w = std::get_if<WaitFlagOp>(&work)) {
    e.kind = TraceKind::kWait;
    e.address = reinterpret_cast<uint64_t>(w->flag);
  }
  e.pipe = uint8_t(pipe);
  e.site = site;
  trace_->Add(now_.block, e);
}

void TraceWriter::WorkDone(uint32_t site) {
  // As little as the next call costs anyway is within its price, which was fitted to kernels that
  // compute addresses.
  if (work_ <= issue_cycles_) return;
  TraceEvent e;
  e.kind = TraceKind::kWork, e.pipe = AKGEN_PIPE_S, e.site = site;
  e.n = uint32_t(std::min(work_, double(UINT32_MAX)));
  work_ = 0;
  trace_->Add(now_.block, e);
}

uint32_t TraceWriter::NewWords(const void* address, uint64_t bytes) {
  const uintptr_t first = reinterpret_cast<uintptr_t>(address) / 8;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(address) + bytes + 7) / 8;
  uint64_t fresh = 0;
  for (uintptr_t word = first; word < end; ++word) {
    if (std::find(std::begin(words_kept_), std::end(words_kept_), word) != std::end(words_kept_))
      continue;
    words_kept_[word_next_] = word;
    word_next_ = (word_next_ + 1) % kWordsKept;
    ++fresh;
  }
  return uint32_t(std::min<uint64_t>(fresh, UINT32_MAX));
}

}  // namespace akgen::sim

extern "C" void akgen_scalar_work(uint64_t plain, uint64_t slow, uint64_t words, uint64_t library) {
  akgen::sim::Core* core = akgen::sim::g_core;
  if (!core || !core->trace) return;
  const akgen::sim::TimingParameters& p = *akgen::sim::g_launch->request->timing;
  core->trace.AddWork(double(plain) * p.scalar_plain + double(slow) * p.scalar_slow +
                      double(words) * p.scalar_word + double(library) * p.scalar_library);
}
