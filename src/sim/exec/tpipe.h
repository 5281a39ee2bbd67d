// What TPipe, TQue, TBuf and TBufPool have allocated on one core.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "sim/machine/memory.h"
#include "sim/machine/now.h"
#include "sim/machine/pipe.h"

namespace akgen::sim {

struct PipePair {
  uint32_t from = 0, to = 0;
  bool operator==(const PipePair&) const = default;
};

enum class BufferState : uint8_t { kFree, kAllocated, kQueued, kDequeued };
struct Buffer {
  Memory* memory = nullptr;
  uint32_t offset = 0, bytes = 0;
  BufferState state = BufferState::kFree;
  bool filled_once = false;  // a free flag was set by an earlier FreeTensor
  bool free_due = false;  // FreeTensor issued the set of `freed`, and no wait for it was issued yet
  Flag enqueued, freed;
  PipePair ordered;  // the pipes that `enqueued` orders
  int32_t enqueued_event = -1,
          freed_event = -1;  // the ids that these flags have while they are set
  uint32_t site = 0;         // the last call that changed its state
  uint8_t id = 0;            // its number among the memory's live buffers, 0: gone with its TPipe
  uint8_t* at() const { return memory->At(offset); }
  // FreeTensor ends a use of the buffer; AllocTensor (and whatever allocates it again) begins one.
  void EndTurn(Now& now, uint32_t at_site);
  void BeginTurn(Now& now);
};

struct Queue {
  uint32_t producer = 0, consumer = 0, depth = 0;
  PipePair next_pair;  // what the next EnQue or DeQue orders
  std::vector<Buffer> buffers;
  std::deque<uint32_t> order;  // indices of queued buffers
  uint32_t next = 0;           // where AllocTensor starts to look: buffers are taken in turn
  PipePair Own() const { return {producer, consumer}; }
  Buffer* At(const void* p);  // the buffer that the address lies in, or nullptr
};

// What InitBuffer gives out of: a memory as the TPipe has it, or a TBufPool.
struct Pool {
  Memory* memory = nullptr;
  uint32_t offset = 0, bytes = 0, used = 0;
  uint32_t left() const { return bytes - std::min(used, bytes); }
};

struct TPipeState {
  // As a block finds it; and after TPipe::Reset, which leaves the queues to those who hold their
  // handles.
  void Reset(const std::vector<std::unique_ptr<Memory>>& memories);
  void GiveBack();
  // nullptr: no such queue.
  Queue* QueueOf(uint32_t handle) {
    return handle >= 1 && handle <= queues.size() ? &queues[handle - 1] : nullptr;
  }
  // The pool of this handle, or for 0 the TPipe's share of a memory.
  Pool& PoolOf(uint32_t handle, const Memory& m) {
    return handle && handle <= pools.size() ? pools[handle - 1] : roots[size_t(m.id())];
  }

  void* current = nullptr;   // the kernel's TPipe
  std::deque<Queue> queues;  // handle = index + 1
  Pool roots[kMemories];     // what is left of each memory
  std::vector<Pool> pools;   // handle = index + 1
  uint32_t pool = 0;         // handle of the one in use, 0: the TPipe itself
  uint32_t buffers = 0;      // initialised so far
};

}  // namespace akgen::sim
