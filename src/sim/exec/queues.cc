// TPipe, TQue, TBuf, TBufPool and event ids: the C interface's part about resources.
#include <algorithm>

#include "sim/exec/launch_state.h"
#include "sim/machine/positions.h"

using namespace akgen::sim;

namespace {
constexpr uint32_t kMaxBuffers = 64;

// No size or offset that a kernel names is larger: sums of a few of them stay within 32 bits.
constexpr uint32_t kMostBytes = 1u << 28;
uint32_t Rounded(uint32_t len) { return (std::min(len, kMostBytes) + 31) & ~31u; }

// Tells the trace how much of the Unified Buffer is in use.
void NoteUse(const Memory& m, uint32_t bytes) {
  if (g_core->trace_ && m.id() == MemoryId::UB) g_core->trace_->UseUb(bytes);
}

// The pool of this handle, or the TPipe's share of a position's memory.
Pool& PoolOf(uint32_t handle, uint32_t position) {
  Core& c = *g_core;
  return handle && handle <= c.pools_.size() ? c.pools_[handle - 1] : c.roots_[size_t(c.MemoryOf(position).id())];
}

Buffer Carve(Pool& p, uint32_t len, uint32_t position) {
  Core& c = *g_core;
  c.CatchUp();  // what lags behind uses the memory as it was given out
  uint32_t bytes = Rounded(len);
  if (p.used + bytes > p.bytes) {
    c.current_pipe_ = AKGEN_PIPE_S;
    c.current_site_ = c.SiteIndex();
    // Harmless until the memory is used: then the access itself is an error (CheckAccess).
    p.memory->over_budget = true;
    c.Report(FindingKind::kUbOverBudget,
             "InitBuffer asks for " + std::to_string(bytes) + " bytes when " + std::to_string(p.left()) + " of the " +
                 p.memory->row().title + "'s " + std::to_string(p.bytes) + " are left",
             true, *p.memory, p.used, bytes);
  }
  uint32_t at = std::min(p.offset + p.used, kMostBytes);
  p.used = std::min(p.used + bytes, kMostBytes);
  NoteUse(*p.memory, at + bytes);
  uint8_t id = uint8_t(c.buffers_ % 255 + 1);
  p.memory->buffers.Give(id, {at, bytes, position, c.buffers_ + 1, c.pool_ != 0});
  if (++c.buffers_ == kMaxBuffers + 1) {
    c.current_site_ = c.SiteIndex();
    c.Report(FindingKind::kTooManyBuffers, "the kernel initialises more than 64 buffers", true);
  }
  Buffer b;
  b.memory = p.memory, b.offset = at, b.bytes = bytes, b.id = id;
  return b;
}

Queue* QueueOf(uint32_t handle) {
  return handle >= 1 && handle <= g_core->queues_.size() ? &g_core->queues_[handle - 1] : nullptr;
}

void Misuse(FindingKind kind, std::string message) {
  g_core->current_pipe_ = AKGEN_PIPE_S;
  g_core->current_site_ = g_core->SiteIndex();
  g_core->Report(kind, std::move(message));
}

// A queue that was never initialised: the kernel cannot go on in any meaningful way.
Queue& Require(uint32_t handle, const char* call) {
  if (Queue* q = QueueOf(handle)) return *q;
  Misuse(FindingKind::kWrongBuffer, std::string(call) + " on a queue that InitBuffer never prepared");
  StopLaunch("stopped", std::string(call) + " on an uninitialised queue");
}

Buffer* BufferAt(Queue& q, const void* p) {
  for (Buffer& b : q.buffers)
    if (uint64_t(static_cast<const uint8_t*>(p) - b.at()) < b.bytes) return &b;
  return nullptr;
}

void SetFreed(Queue& q, Buffer& b) {
  if (q.producer == q.consumer) return;
  b.free_due = true;
  g_core->Issue(q.consumer, SetFlagOp{&b.freed, q.consumer, q.producer, -1});
}
// At the end of a queue. The scalar unit knows whether a wait is due; the flag itself may lag behind.
void AwaitFreed(Queue& q, Buffer& b) {
  if (!b.free_due) return;
  b.free_due = false;
  g_core->Issue(q.producer, WaitFlagOp{&b.freed, q.consumer, q.producer, -1});
}

// A tensor carries its buffer with it, so the buffer becomes free in its own queue, whichever queue frees it. The flag
// is the freeing queue's: between the same two pipes it is the one that the buffer's own queue will wait for.
void FreeForeign(Queue& q, const void* tensor) {
  for (Queue& own : g_core->queues_) {
    Buffer* b = BufferAt(own, tensor);
    if (!b || b->state == BufferState::kFree) continue;
    bool alike = own.producer == q.producer && own.consumer == q.consumer;
    g_core->current_pipe_ = AKGEN_PIPE_S;
    g_core->current_site_ = g_core->SiteIndex();
    g_core->Report(FindingKind::kWrongBuffer,
                   std::string("FreeTensor of a tensor that belongs to another queue") +
                       (alike ? ", between the same pipes" : ": its own queue will wait for a flag that is not set"),
                   alike);
    if (b->state == BufferState::kQueued) std::erase(own.order, uint32_t(b - own.buffers.data()));
    g_core->EndTurn(*b, g_core->current_site_);
    SetFreed(q, *b);
    return;
  }
  Misuse(FindingKind::kWrongBuffer, "FreeTensor of a tensor that does not belong to this queue");
}
}  // namespace

extern "C" {

void akgen_tpipe_init(void* tpipe) { g_core->tpipe_ = tpipe; }

void akgen_tpipe_reset(void*) {
  Core& c = *g_core;
  // Reset ends the life of all queues; the flags they hold are waited for, as the real Reset does.
  for (Queue& q : c.queues_)
    for (Buffer& b : q.buffers) {
      b.id = 0;
      AwaitFreed(q, b);
    }
  c.CatchUp();
  c.ResetPools();
  for (const auto& m : c.memories()) m->buffers.EndAll();
}

void akgen_tpipe_destroy(void* tpipe) {
  akgen_tpipe_reset(tpipe);
  g_core->Barrier(AKGEN_PIPE_ALL);
  if (g_core->tpipe_ == tpipe) g_core->tpipe_ = nullptr;
}

void* akgen_tpipe_current(void) { return g_core->tpipe_; }

uint32_t akgen_que_init(uint32_t src, uint32_t dst, int32_t depth, uint32_t num, uint32_t len) {
  Queue q;
  q.producer = ProducerOf(src);
  q.consumer = ConsumerOf(dst);
  q.depth = uint32_t(depth > 0 ? depth : 1);
  uint32_t bytes = Rounded(len);
  constexpr uint32_t kMostOfAQueue = 4096;  // 64 is what the chip takes, of all queues together
  if (num > kMostOfAQueue) Misuse(FindingKind::kTooManyBuffers, "a queue of " + std::to_string(num) + " buffers");
  const uint32_t position = dst == AKGEN_POS_GM ? src : dst;
  for (uint32_t i = 0; i < std::min(num, kMostOfAQueue); ++i)
    q.buffers.push_back(Carve(PoolOf(g_core->pool_, position), bytes, position));
  g_core->queues_.push_back(std::move(q));
  const Queue& made = g_core->queues_.back();
  if (g_core->trace_ && num == 1 && made.producer != made.consumer)
    g_core->trace_->SingleBuffer(g_core->block_, bytes, reinterpret_cast<uint64_t>(&made.buffers[0].freed));
  return uint32_t(g_core->queues_.size());
}

void* akgen_que_alloc(uint32_t handle, uint32_t* len) {
  Core& c = *g_core;
  Queue& q = Require(handle, "AllocTensor");
  for (size_t tried = 0; tried < q.buffers.size(); ++tried) {
    Buffer& b = q.buffers[q.next % q.buffers.size()];
    q.next = uint32_t((q.next + 1) % q.buffers.size());
    if (b.state != BufferState::kFree) continue;
    b.state = BufferState::kAllocated;
    b.site = c.SiteIndex();
    c.BeginTurn(b);
    b.free_due = false;
    if (b.filled_once && q.producer != q.consumer)
      c.Issue(q.producer, WaitFlagOp{&b.freed, q.consumer, q.producer, -1});
    // With a schedule the last user of the buffer may not have run yet: what it wrote stays defined.
    if (c.checks_.init && !c.schedule_.on() && b.offset + b.bytes <= b.memory->bytes())
      b.memory->Undefine(b.offset, b.bytes, 0);
    *len = b.bytes;
    return b.at();
  }
  if (!q.buffers.empty()) c.OtherSide(q.buffers.front().site, "still held since this call", q.producer);
  Misuse(FindingKind::kNoIdleBuffer, "AllocTensor waits for ever: all " + std::to_string(q.buffers.size()) +
                                         " buffers of the queue are in use and none was freed");
  StopLaunch("deadlock", "AllocTensor without an idle buffer");
}

void akgen_que_enque(uint32_t handle, void* buffer) {
  Core& c = *g_core;
  Queue& q = Require(handle, "EnQue");
  Buffer* b = BufferAt(q, buffer);
  if (!b || b->state == BufferState::kFree || b->state == BufferState::kQueued) {
    if (b) c.OtherSide(b->site, "the call that ended its turn", AKGEN_PIPE_S);
    Misuse(FindingKind::kWrongBuffer, b ? "EnQue of a tensor that is already queued or was freed"
                                        : "EnQue of a tensor that does not belong to this queue");
    if (!b) StopLaunch("stopped", "EnQue of a foreign tensor");
  }
  if (c.checks_.sync && q.order.size() >= std::max<size_t>(q.depth, q.buffers.size()))
    Misuse(FindingKind::kQueueDepth, "EnQue beyond the queue's depth of " + std::to_string(q.depth));
  if (b->state == BufferState::kFree) c.BeginTurn(*b);
  b->state = BufferState::kQueued;
  b->site = c.SiteIndex();
  q.order.push_back(uint32_t(b - q.buffers.data()));
  if (q.producer != q.consumer) c.Issue(q.producer, SetFlagOp{&b->enqueued, q.producer, q.consumer, -1});
}

void* akgen_que_deque(uint32_t handle, uint32_t* len) {
  Core& c = *g_core;
  Queue& q = Require(handle, "DeQue");
  if (q.order.empty()) {
    Misuse(FindingKind::kQueueEmpty, "DeQue from an empty queue: the tensor was never EnQue'd");
    StopLaunch("deadlock", "DeQue from an empty queue");
  }
  Buffer& b = q.buffers[q.order.front()];
  q.order.pop_front();
  b.state = BufferState::kDequeued;
  if (q.producer != q.consumer) c.Issue(q.consumer, WaitFlagOp{&b.enqueued, q.producer, q.consumer, -1});
  *len = b.bytes;
  return b.at();
}

void akgen_que_free(uint32_t handle, void* buffer) {
  Core& c = *g_core;
  Queue& q = Require(handle, "FreeTensor");
  Buffer* b = BufferAt(q, buffer);
  if (!b) return FreeForeign(q, buffer);
  if (b->state == BufferState::kFree) {
    c.OtherSide(b->site, "already freed here", AKGEN_PIPE_S);
    return Misuse(FindingKind::kWrongBuffer, "FreeTensor of a tensor that is already free");
  }
  if (b->state == BufferState::kQueued) std::erase(q.order, uint32_t(b - q.buffers.data()));
  c.EndTurn(*b, c.SiteIndex());
  SetFreed(q, *b);
}

int32_t akgen_que_count(uint32_t handle) {
  Queue* q = QueueOf(handle);
  return q ? int32_t(q->order.size()) : 0;
}

int32_t akgen_que_idle(uint32_t handle) {
  Queue* q = QueueOf(handle);
  int32_t n = 0;
  if (q)
    for (Buffer& b : q->buffers) n += b.state == BufferState::kFree;
  return n;
}

void akgen_que_free_all_events(uint32_t) {}

void* akgen_buf_init(uint32_t position, uint32_t* len) {
  const Buffer b = Carve(PoolOf(g_core->pool_, position), *len, position);
  *len = b.bytes;
  return b.at();
}

uint32_t akgen_pool_init(uint32_t parent, uint32_t position, uint32_t len, uint32_t share) {
  Core& c = *g_core;
  Pool p;
  p.bytes = Rounded(len);
  if (share && share <= c.pools_.size()) {
    p.memory = c.pools_[share - 1].memory;
    p.offset = c.pools_[share - 1].offset;
  } else {
    uint32_t keep = c.pool_;
    c.pool_ = parent <= c.pools_.size() ? parent : 0;
    const Buffer b = Carve(PoolOf(c.pool_, position), p.bytes, position);
    p.memory = b.memory;
    p.offset = b.offset;
    c.pool_ = keep;
  }
  c.pools_.push_back(p);
  return uint32_t(c.pools_.size());
}

// Its queues end: the flags their freed buffers still hold are waited for, as the real Reset does.
void akgen_pool_reset(uint32_t pool) {
  Core& c = *g_core;
  if (pool > c.pools_.size()) return;
  Pool& p = PoolOf(pool, AKGEN_POS_VECCALC);
  for (Queue& q : c.queues_)
    for (Buffer& b : q.buffers)
      if (b.memory == p.memory && b.offset >= p.offset && b.offset < p.offset + p.bytes) AwaitFreed(q, b);
  p.used = 0;
}
void akgen_pool_seek(uint32_t pool, uint32_t offset) {
  if (pool <= g_core->pools_.size()) PoolOf(pool, AKGEN_POS_VECCALC).used = std::min(offset, kMostBytes);
}
void akgen_pool_select(uint32_t pool) {
  if (pool <= g_core->pools_.size()) g_core->pool_ = pool;
}

uint32_t akgen_buf_free_bytes(void) { return PoolOf(0, AKGEN_POS_VECCALC).left(); }

void* akgen_stack_buffer(uint32_t* len) {
  const Pool& p = PoolOf(0, AKGEN_POS_VECCALC);
  *len = p.left();
  const uint32_t at = p.offset + p.bytes - *len;
  p.memory->buffers.Lend(at, p.offset + p.bytes);
  return p.memory->At(at);
}

void* akgen_static_tensor(uint32_t position, uint32_t addr, uint32_t len) {
  const Memory& m = g_core->MemoryOf(position);
  if (uint64_t(addr) + len > m.bytes())
    Misuse(FindingKind::kUbOverBudget, "a tensor of " + std::to_string(len) + " bytes at " + m.name() + " offset " +
                                           std::to_string(addr) + " ends beyond the " + m.row().title + " of " +
                                           std::to_string(m.bytes()) + " bytes");
  NoteUse(m, std::min(addr + len, m.bytes()));
  return m.At(addr);
}

void* akgen_ub_base(void) { return g_core->memory(MemoryId::UB).base(); }
uint32_t akgen_position_offset(uint32_t, const void* p) {
  const Memory* m = g_core->MemoryAt(p);
  return m ? m->OffsetOf(p) : 0;
}

int32_t akgen_alloc_event(uint32_t src, uint32_t dst) {
  uint8_t& used = g_core->event_used_[src % kPipes][dst % kPipes];
  for (int32_t id = 0; id < 8; ++id)
    if (!(used >> id & 1)) {
      used |= uint8_t(1 << id);
      return id;
    }
  Misuse(FindingKind::kEventIdsExhausted,
         std::string("no event id is left for ") + PipeName(src) + "->" + PipeName(dst));
  return 7;
}

void akgen_release_event(uint32_t src, uint32_t dst, int32_t id) {
  if (id >= 0 && id < 8) g_core->event_used_[src % kPipes][dst % kPipes] &= uint8_t(~(1 << id));
}

int32_t akgen_fetch_event(uint32_t src, uint32_t dst) {
  uint8_t used = g_core->event_used_[src % kPipes][dst % kPipes];
  for (int32_t id = 0; id < 8; ++id)
    if (!(used >> id & 1)) return id;
  return 7;
}
}  // extern "C"
