// TPipe, TQue, TBuf, TBufPool and event ids: the C interface's part about resources.
#include <algorithm>
#include <utility>

#include "sim/exec/launch_state.h"
#include "sim/machine/positions.h"

using namespace akgen::sim;

namespace {
constexpr uint32_t kMaxBuffers = 64;

// No size or offset that a kernel names is larger: sums of a few of them stay within 32 bits.
constexpr uint32_t kMaxBytes = 1u << 28;
uint32_t Rounded(uint32_t len) { return (std::min(len, kMaxBytes) + 31) & ~31u; }

// Tells the trace how much of the Unified Buffer is in use.
void NoteUse(const Memory& m, uint32_t bytes) {
  if (g_core->trace && m.id() == MemoryId::UB) g_core->trace->ub.Use(bytes);
}

Pool& PoolFor(uint32_t handle, uint32_t position) {
  return g_core->tpipe.PoolOf(handle, g_core->memories.AtPosition(position));
}

Buffer Carve(Pool& p, uint32_t len, uint32_t position) {
  Core& c = *g_core;
  c.pace.CatchUp();  // what lags behind uses the memory as it was given out
  uint32_t bytes = Rounded(len);
  if (p.used + bytes > p.bytes) {
    c.AtScalar();
    p.memory->over_budget = true;
    c.findings.Report(FindingKind::kUbOverBudget,
                      "InitBuffer asks for " + std::to_string(bytes) + " bytes when " +
                          std::to_string(p.left()) + " of the " + p.memory->row().title + "'s " +
                          std::to_string(p.bytes) + " are left",
                      false, *p.memory, p.used, bytes);
  }
  constexpr uint32_t kPageOfFixpipe =
      2048;  // what the vendor's page says; its headers have more (data/chips)
  if (p.memory == &c.memory(MemoryId::FB) && p.used + bytes > kPageOfFixpipe &&
      p.used + bytes <= p.bytes) {
    c.AtScalar();
    c.findings.Report(FindingKind::kUbOverBudget,
                      "InitBuffer takes the Fixpipe Buffer beyond the " +
                          std::to_string(kPageOfFixpipe) + " bytes that its page gives it",
                      true, *p.memory, p.used, bytes);
  }
  uint32_t at = std::min(p.offset + p.used, kMaxBytes);
  p.used = std::min(p.used + bytes, kMaxBytes);
  NoteUse(*p.memory, at + bytes);
  uint8_t id = uint8_t(c.tpipe.buffers % 255 + 1);
  p.memory->buffers.Give(id, {at, bytes, position, c.tpipe.buffers + 1, c.tpipe.pool != 0});
  if (++c.tpipe.buffers == kMaxBuffers + 1) {
    c.now.site = c.SiteIndex();
    c.findings.Report(FindingKind::kTooManyBuffers, "the kernel initialises more than 64 buffers",
                      true);
  }
  Buffer b;
  b.memory = p.memory, b.offset = at, b.bytes = bytes, b.id = id;
  return b;
}

void Misuse(FindingKind kind, std::string message) {
  g_core->AtScalar();
  g_core->findings.Report(kind, std::move(message));
}

// A queue that was never initialised: the kernel cannot go on in any meaningful way.
Queue& Require(uint32_t handle, const char* call) {
  if (Queue* q = g_core->tpipe.QueueOf(handle)) return *q;
  Misuse(FindingKind::kWrongBuffer,
         std::string(call) + " on a queue that InitBuffer never prepared");
  StopLaunch("stopped", std::string(call) + " on an uninitialised queue");
}

std::string NameOfPair(uint32_t src, uint32_t dst) {
  return std::string(PipeName(src)) + "->" + PipeName(dst);
}

// A queue's flag is one of the pair's eight, as the kernel's own are. The scalar unit knows in
// program order which are taken; the flags themselves may lag behind.
void SetForQueue(uint32_t src, uint32_t dst, Flag& flag, int32_t& event, const char* call) {
  if (src == dst) return;
  Core& c = *g_core;
  event = c.pipes.ids.TakeForQueue(src, dst);
  if (c.watch.sync.on() && event < 0)
    Misuse(FindingKind::kEventIdsExhausted,
           std::string(call) + " finds no event id for " + NameOfPair(src, dst) +
               ": all eight are held by tensors in queues, freed buffers and AllocEventID");
  if (c.watch.sync.on() && event >= 0 && c.pipes.ids.OpenSets(src, dst, event))
    Misuse(FindingKind::kFlagSetTwice,
           std::string(call) + " sets flag " + NameOfPair(src, dst) + " id " +
               std::to_string(event) +
               ", the first that no AllocEventID holds: the kernel has set it by hand "
               "and not waited for it yet");
  c.Issue(src, SetFlagOp{&flag, src, dst, -1});
}
void WaitForQueue(uint32_t src, uint32_t dst, Flag& flag, int32_t& event) {
  if (src == dst) return;
  if (event >= 0) g_core->pipes.ids.Release(src, dst, std::exchange(event, -1));
  g_core->Issue(dst, WaitFlagOp{&flag, src, dst, -1});
}

void SetFreed(Queue& q, Buffer& b) {
  b.free_due = q.producer != q.consumer;
  SetForQueue(q.consumer, q.producer, b.freed, b.freed_event, "FreeTensor");
}
// At the end of a queue. The scalar unit knows whether a wait is due.
void AwaitFreed(Queue& q, Buffer& b) {
  if (std::exchange(b.free_due, false))
    WaitForQueue(q.consumer, q.producer, b.freed, b.freed_event);
}

// A tensor carries its buffer with it, so the buffer becomes free in its own queue, whichever queue
// frees it. The flag is the freeing queue's: between the same two pipes it is the one that the
// buffer's own queue will wait for.
void FreeForeign(Queue& q, const void* tensor) {
  for (Queue& own : g_core->tpipe.queues) {
    Buffer* b = own.At(tensor);
    if (!b || b->state == BufferState::kFree) continue;
    bool alike = own.producer == q.producer && own.consumer == q.consumer;
    g_core->AtScalar();
    g_core->findings.Report(FindingKind::kWrongBuffer,
                            std::string("FreeTensor of a tensor that belongs to another queue") +
                                (alike ? ", between the same pipes"
                                       : ": its own queue will wait for a flag that is not set"),
                            alike);
    if (b->state == BufferState::kQueued) std::erase(own.order, uint32_t(b - own.buffers.data()));
    b->EndTurn(g_core->now, g_core->now.site);
    SetFreed(q, *b);
    return;
  }
  Misuse(FindingKind::kWrongBuffer, "FreeTensor of a tensor that does not belong to this queue");
}

// A kernel for one type of core may lay out the memories of the other. False: the chip has none
// such.
bool LayOut(Core& c, MemoryId id) {
  if (c.memories.Has(id)) return true;
  for (const MemorySize& size : MemoriesOf(c.chip(), {.cube = 1}, c.kind())) {
    if (size.id != id || size.bytes == 0) continue;
    Memory& m = c.memories.Add(size);
    m.Reset(g_launch->request->unwritten);
    c.tpipe.roots[size_t(id)] = {&m, 0, m.bytes(), 0};
    return true;
  }
  return false;
}

void NeedMemory(const char* what, uint32_t position) {
  const PositionRow* row = RowOfPosition(position);
  if (row && row->memory != MemoryId::GM && !LayOut(*g_core, row->memory))
    StopLaunch("unsupported", std::string(what) + " at TPosition::" + row->name +
                                  ": it lies in the " + RowOf(row->memory).title +
                                  ", which this core does not have");
}
// Where the buffers of a queue between two positions lie.
uint32_t BufferPosition(uint32_t src, uint32_t dst) {
  auto in_gm = [](uint32_t p) {
    return RowOfPosition(p) && RowOfPosition(p)->memory == MemoryId::GM;
  };
  auto in_ub = [](uint32_t p) {
    return RowOfPosition(p) && RowOfPosition(p)->memory == MemoryId::UB;
  };
  if (in_gm(dst)) return src;
  return in_gm(src) || in_ub(src) ? dst : src;
}
}  // namespace

extern "C" {

void akgen_tpipe_init(void* tpipe) {
  TPipeState& t = g_core->tpipe;
  // One that has given out nothing harms nobody: operators with a TPipe of their own beside the
  // kernel's exist.
  if (t.current && t.current != tpipe && t.buffers)
    Misuse(FindingKind::kTwoPipes,
           "a second TPipe is made while the first one is in use: both give out the same memory "
           "and event ids");
  if (!t.current && g_core->cube()) g_core->pipes.ids.SetStanding();
  t.current = tpipe;
  IssueState& modes = g_core->registers.issue;
  if (std::exchange(modes.atomic_left, false))
    modes.atomic_op = 0, modes.atomic_type = AKGEN_NO_DTYPE;
  if (std::exchange(modes.counter_left, false))
    modes.counter = false, modes.mask[0] = modes.mask[1] = ~uint64_t{0};
}

void akgen_tpipe_reset(void*) {
  Core& c = *g_core;
  // Reset ends the life of all queues; the flags they hold are waited for, as the real Reset does.
  for (Queue& q : c.tpipe.queues)
    for (Buffer& b : q.buffers) {
      b.id = 0;
      AwaitFreed(q, b);
    }
  c.pace.CatchUp();
  c.tpipe.GiveBack();
}

void akgen_tpipe_destroy(void* tpipe) {
  akgen_tpipe_reset(tpipe);
  if (g_core->tpipe.current == tpipe) {
    for (int32_t id = 0; g_core->cube() && id < EventIds::kStanding; ++id)
      if (g_core->pipes.ids.OpenSets(AKGEN_PIPE_M, AKGEN_PIPE_MTE1, id))
        akgen_wait_flag(AKGEN_PIPE_M, AKGEN_PIPE_MTE1, id);
    if (g_core->cube()) g_core->pipes.ids.EndStanding();
  }
  g_core->Barrier(AKGEN_PIPE_ALL);
  if (g_core->tpipe.current == tpipe) g_core->tpipe.current = nullptr;
}

void* akgen_tpipe_current(void) { return g_core->tpipe.current; }

uint32_t akgen_que_init(uint32_t src, uint32_t dst, int32_t depth, uint32_t num, uint32_t len) {
  Queue q;
  q.producer = ProducerOf(src);
  q.consumer = ConsumerOf(dst);
  q.next_pair = q.Own();
  q.depth = uint32_t(depth > 0 ? depth : 1);
  uint32_t bytes = Rounded(len);
  constexpr uint32_t kMaxOfAQueue = 4096;  // 64 is what the chip takes, of all queues together
  if (num > kMaxOfAQueue)
    Misuse(FindingKind::kTooManyBuffers, "a queue of " + std::to_string(num) + " buffers");
  const uint32_t position = BufferPosition(src, dst);
  NeedMemory("a queue", position);
  for (uint32_t i = 0; i < std::min(num, kMaxOfAQueue); ++i)
    q.buffers.push_back(Carve(PoolFor(g_core->tpipe.pool, position), bytes, position));
  g_core->tpipe.queues.push_back(std::move(q));
  const Queue& made = g_core->tpipe.queues.back();
  if (g_core->trace && num == 1 && made.producer != made.consumer)
    g_core->trace->ub.UseSingle(g_core->now.block, bytes,
                                reinterpret_cast<uint64_t>(&made.buffers[0].freed));
  return uint32_t(g_core->tpipe.queues.size());
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
    b.BeginTurn(c.now);
    b.free_due = false;
    if (b.filled_once) WaitForQueue(q.consumer, q.producer, b.freed, b.freed_event);
    // With a schedule the last user of the buffer may not have run yet: what it wrote stays
    // defined.
    if (!c.pace.on() && b.offset + b.bytes <= b.memory->bytes()) {
      b.memory->Forget(b.offset, b.bytes);
      c.watch.init.OnUndefine(*b.memory, b.offset, b.bytes);
    }
    *len = b.bytes;
    return b.at();
  }
  if (!q.buffers.empty())
    c.findings.OtherSide(q.buffers.front().site, "still held since this call", q.producer);
  Misuse(FindingKind::kNoIdleBuffer, "AllocTensor waits for ever: all " +
                                         std::to_string(q.buffers.size()) +
                                         " buffers of the queue are in use and none was freed");
  StopLaunch("deadlock", "AllocTensor without an idle buffer");
}

void akgen_que_enque(uint32_t handle, void* buffer) {
  Core& c = *g_core;
  Queue& q = Require(handle, "EnQue");
  Buffer* b = q.At(buffer);
  if (!b || b->state == BufferState::kFree || b->state == BufferState::kQueued) {
    if (b) c.findings.OtherSide(b->site, "the call that ended its turn", AKGEN_PIPE_S);
    Misuse(FindingKind::kWrongBuffer, b ? "EnQue of a tensor that is already queued or was freed"
                                        : "EnQue of a tensor that does not belong to this queue");
    if (!b) StopLaunch("stopped", "EnQue of a foreign tensor");
  }
  if (c.watch.sync.on() && q.order.size() >= std::max<size_t>(q.depth, q.buffers.size()))
    Misuse(FindingKind::kQueueDepth,
           "EnQue beyond the queue's depth of " + std::to_string(q.depth));
  if (b->state == BufferState::kFree) b->BeginTurn(c.now);
  b->state = BufferState::kQueued;
  b->site = c.SiteIndex();
  q.order.push_back(uint32_t(b - q.buffers.data()));
  b->ordered = std::exchange(q.next_pair, q.Own());
  SetForQueue(b->ordered.from, b->ordered.to, b->enqueued, b->enqueued_event, "EnQue");
}

void akgen_que_between(uint32_t handle, uint32_t src, uint32_t dst) {
  Queue& q = Require(handle, "EnQue or DeQue");
  q.next_pair = {ProducerOf(src), ConsumerOf(dst)};
}

void* akgen_que_deque(uint32_t handle, uint32_t* len) {
  Queue& q = Require(handle, "DeQue");
  if (q.order.empty()) {
    Misuse(FindingKind::kQueueEmpty, "DeQue from an empty queue: the tensor was never EnQue'd");
    StopLaunch("deadlock", "DeQue from an empty queue");
  }
  Buffer& b = q.buffers[q.order.front()];
  q.order.pop_front();
  b.state = BufferState::kDequeued;
  // A tensor that went in between other pipes has no flag for these.
  if (std::exchange(q.next_pair, q.Own()) == b.ordered)
    WaitForQueue(b.ordered.from, b.ordered.to, b.enqueued, b.enqueued_event);
  *len = b.bytes;
  return b.at();
}

void akgen_que_free(uint32_t handle, void* buffer) {
  Core& c = *g_core;
  Queue& q = Require(handle, "FreeTensor");
  Buffer* b = q.At(buffer);
  if (!b) return FreeForeign(q, buffer);
  if (b->state == BufferState::kFree) {
    c.findings.OtherSide(b->site, "already freed here", AKGEN_PIPE_S);
    return Misuse(FindingKind::kWrongBuffer, "FreeTensor of a tensor that is already free");
  }
  if (b->state == BufferState::kQueued) std::erase(q.order, uint32_t(b - q.buffers.data()));
  b->EndTurn(c.now, c.SiteIndex());
  SetFreed(q, *b);
}

int32_t akgen_que_count(uint32_t handle) {
  const Queue* q = g_core->tpipe.QueueOf(handle);
  return q ? int32_t(q->order.size()) : 0;
}

int32_t akgen_que_idle(uint32_t handle) {
  const Queue* q = g_core->tpipe.QueueOf(handle);
  int32_t n = 0;
  if (q)
    for (const Buffer& b : q->buffers) n += b.state == BufferState::kFree;
  return n;
}

// The ids of its freed buffers; their flags stay as they are until the buffers are given out again.
void akgen_que_free_all_events(uint32_t handle) {
  Queue* q = g_core->tpipe.QueueOf(handle);
  if (!q) return;
  for (Buffer& b : q->buffers)
    if (b.freed_event >= 0)
      g_core->pipes.ids.Release(q->consumer, q->producer, std::exchange(b.freed_event, -1));
}

void* akgen_buf_init(uint32_t position, uint32_t* len) {
  NeedMemory("a TBuf", position);
  const Buffer b = Carve(PoolFor(g_core->tpipe.pool, position), *len, position);
  *len = b.bytes;
  return b.at();
}

uint32_t akgen_pool_init(uint32_t parent, uint32_t position, uint32_t len, uint32_t share) {
  Pool p;
  p.bytes = Rounded(len);
  TPipeState& t = g_core->tpipe;
  if (share && share <= t.pools.size()) {
    p.memory = t.pools[share - 1].memory;
    p.offset = t.pools[share - 1].offset;
    if (p.bytes > t.pools[share - 1].bytes)
      Misuse(FindingKind::kUbOverBudget, "a pool of " + std::to_string(p.bytes) +
                                             " bytes shares the memory of one of " +
                                             std::to_string(t.pools[share - 1].bytes));
  } else {
    const uint32_t keep = std::exchange(t.pool, parent <= t.pools.size() ? parent : 0);
    const Buffer b = Carve(PoolFor(t.pool, position), p.bytes, position);
    p.memory = b.memory;
    p.offset = b.offset;
    t.pool = keep;
  }
  t.pools.push_back(p);
  return uint32_t(t.pools.size());
}

// Its queues end: the flags their freed buffers still hold are waited for, as the real Reset does.
void akgen_pool_reset(uint32_t pool) {
  Core& c = *g_core;
  if (pool > c.tpipe.pools.size()) return;
  Pool& p = PoolFor(pool, AKGEN_POS_VECCALC);
  for (Queue& q : c.tpipe.queues)
    for (Buffer& b : q.buffers)
      if (b.memory == p.memory && b.offset >= p.offset && b.offset < p.offset + p.bytes)
        AwaitFreed(q, b);
  p.used = 0;
}
void akgen_pool_seek(uint32_t pool, uint32_t offset) {
  if (pool <= g_core->tpipe.pools.size())
    PoolFor(pool, AKGEN_POS_VECCALC).used = std::min(offset, kMaxBytes);
}
void akgen_pool_select(uint32_t pool) {
  if (pool <= g_core->tpipe.pools.size()) g_core->tpipe.pool = pool;
}

uint32_t akgen_buf_free_bytes(void) { return PoolFor(0, AKGEN_POS_VECCALC).left(); }

void* akgen_stack_buffer(uint32_t* len) {
  const Pool& p = PoolFor(0, AKGEN_POS_VECCALC);
  *len = p.left();
  const uint32_t at = p.offset + p.bytes - *len;
  p.memory->buffers.Lend(at, p.offset + p.bytes);
  return p.memory->At(at);
}

void* akgen_static_tensor(uint32_t position, uint32_t addr, uint32_t len) {
  NeedMemory("LocalTensor", position);
  Memory& m = g_core->memories.AtPosition(position);
  if (uint64_t(addr) + len > m.bytes())
    Misuse(FindingKind::kUbOverBudget, "a tensor of " + std::to_string(len) + " bytes at " +
                                           m.name() + " offset " + std::to_string(addr) +
                                           " ends beyond the " + m.row().title + " of " +
                                           std::to_string(m.bytes()) + " bytes");
  NoteUse(m, std::min(addr + len, m.bytes()));
  if (m.id() == MemoryId::UB || m.id() == MemoryId::L1) m.buffers.Place(addr, len, position);
  return m.At(addr);
}

// The same array again, when its function is called again, keeps its number.
void* akgen_ub_array(uint32_t offset, uint32_t bytes) {
  Core& c = *g_core;
  Memory& m = c.memory(MemoryId::UB);
  const NamedBuffer* known =
      offset < m.bytes() ? m.buffers.Named(m.buffers.OwnerOf(offset)) : nullptr;
  const uint32_t end = std::min(offset, kMaxBytes) + Rounded(bytes);
  if (known && known->offset == offset && known->bytes == end - offset) return m.At(offset);
  if (end > m.bytes()) {
    m.over_budget = true;
    Misuse(FindingKind::kUbOverBudget,
           "the arrays that this kernel declares in the Unified Buffer take " +
               std::to_string(end) + " bytes up to here; it has " + std::to_string(m.bytes()));
    if (offset >= m.bytes()) StopLaunch("stopped", "an array that lies beyond the Unified Buffer");
  }
  c.pace.CatchUp();  // what lags behind uses the memory as it was given out
  NoteUse(m, std::min(end, m.bytes()));
  const uint8_t id = uint8_t(c.tpipe.buffers++ % (LiveBuffers::kStack - 1) + 1);
  m.buffers.Give(id, {offset, end - offset, AKGEN_POS_VECCALC, c.tpipe.buffers, false});
  return m.At(offset);
}

void* akgen_ub_base(void) { return g_core->memory(MemoryId::UB).base(); }
uint32_t akgen_position_offset(uint32_t, const void* p) {
  const Memory* m = g_core->memories.Holding(p);
  return m ? m->OffsetOf(p) : 0;
}

int32_t akgen_alloc_event(uint32_t src, uint32_t dst) {
  const int32_t id = g_core->pipes.ids.Free(src % kPipes, dst % kPipes);
  if (id >= 0) {
    g_core->pipes.ids.Take(src % kPipes, dst % kPipes, id);
    return id;
  }
  Misuse(FindingKind::kEventIdsExhausted,
         std::string("no event id is left for ") + PipeName(src) + "->" + PipeName(dst));
  return Pipes::kEventIds - 1;
}

void akgen_release_event(uint32_t src, uint32_t dst, int32_t id) {
  if (id < 0 || id >= Pipes::kEventIds)
    return Misuse(FindingKind::kEventIdRange, "ReleaseEventID of id " + std::to_string(id));
  src %= kPipes, dst %= kPipes;
  if (g_core->watch.sync.on() && !g_core->pipes.ids.Taken(src, dst, id)) {
    g_core->AtScalar();
    g_core->findings.Report(
        FindingKind::kEventIdRange,
        "ReleaseEventID of id " + std::to_string(id) + ", which AllocEventID did not give", true);
  }
  g_core->pipes.ids.Release(src, dst, id);
}

int32_t akgen_fetch_event(uint32_t src, uint32_t dst) {
  const int32_t id = g_core->pipes.ids.Free(src % kPipes, dst % kPipes);
  return id >= 0 ? id : Pipes::kEventIds - 1;
}
}  // extern "C"
