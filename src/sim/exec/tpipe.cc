#include "sim/exec/tpipe.h"

namespace akgen::sim {

void Buffer::EndTurn(Now& now, uint32_t at_site) {
  state = BufferState::kFree;
  site = at_site;
  filled_once = true;
  NamedBuffer* named = memory->buffers.Named(id);
  if (!named) return;
  named->freed = ++now.calls;
  named->freed_site = at_site;
}

void Buffer::BeginTurn(Now& now) {
  if (NamedBuffer* named = memory->buffers.Named(id)) named->allocated = ++now.calls;
}

Buffer* Queue::At(const void* p) {
  for (Buffer& b : buffers)
    if (uint64_t(static_cast<const uint8_t*>(p) - b.at()) < b.bytes) return &b;
  return nullptr;
}

void TPipeState::Reset(const std::vector<std::unique_ptr<Memory>>& memories) {
  for (const auto& m : memories) roots[size_t(m->id())].memory = m.get();
  GiveBack();
  queues.clear();
  current = nullptr;
}

void TPipeState::GiveBack() {
  for (Pool& root : roots) {
    if (!root.memory) continue;
    root = {root.memory, 0, root.memory->bytes(), 0};
    root.memory->buffers.EndAll();
  }
  pools.clear();
  pool = buffers = 0;
}

}  // namespace akgen::sim
