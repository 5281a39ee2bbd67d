// The kernel's own scalar work, as the builder counted it (toolchain/builder/count_work.h), and what its plain accesses
// bring from memory.
#include <algorithm>

#include "sim/exec/launch_state.h"

namespace akgen::sim {

void Core::NoteWorkDone(uint32_t site) {
  // As little as the next call costs anyway is within its price, which was fitted to kernels that compute addresses.
  if (work_ <= g_launch->request->timing->scalar_issue) return;
  TraceEvent e;
  e.kind = TraceKind::kWork, e.pipe = AKGEN_PIPE_S, e.site = site;
  e.n = uint32_t(std::min(work_, double(UINT32_MAX)));
  work_ = 0;
  trace_->Add(block_, e);
}

uint32_t Core::NewWords(const void* address, uint64_t bytes) {
  const uintptr_t first = reinterpret_cast<uintptr_t>(address) / 8;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(address) + bytes + 7) / 8;
  uint64_t fresh = 0;
  for (uintptr_t word = first; word < end; ++word) {
    if (std::find(std::begin(words_kept_), std::end(words_kept_), word) != std::end(words_kept_)) continue;
    words_kept_[word_next_] = word;
    word_next_ = (word_next_ + 1) % kWordsKept;
    ++fresh;
  }
  return uint32_t(std::min<uint64_t>(fresh, UINT32_MAX));
}

}  // namespace akgen::sim

extern "C" void akgen_scalar_work(uint64_t plain, uint64_t slow, uint64_t words, uint64_t library) {
  akgen::sim::Core* core = akgen::sim::g_core;
  if (!core || !core->trace_) return;
  const akgen::sim::TimingParameters& p = *akgen::sim::g_launch->request->timing;
  core->AddWork(double(plain) * p.scalar_plain + double(slow) * p.scalar_slow + double(words) * p.scalar_word +
                double(library) * p.scalar_library);
}
