// TPipe, queues and buffers: thin handles; the simulator owns memory, order and events.
// Lengths are bytes and are rounded up to 32 by the simulator.
#ifndef ASCENDC_KERNEL_PIPE_H
#define ASCENDC_KERNEL_PIPE_H
#include "kernel/event.h"
#include "kernel/tensor.h"

namespace AscendC {
constexpr bool AkgenIsUb(TPosition pos) {
  constexpr AkgenMemory memories[] = {
#define AKGEN_POSITION(name, memory, ...) AKGEN_MEM_##memory,
#include "akgen/positions.inc"
#undef AKGEN_POSITION
  };
  return memories[static_cast<int>(pos)] == AKGEN_MEM_UB;
}
// A queue named by one position moves data between GM and it, or stays inside it.
constexpr TPosition AkgenQueSrc(TPosition pos) {
  return pos == TPosition::VECIN ? TPosition::GM : pos;
}
constexpr TPosition AkgenQueDst(TPosition pos) {
  return pos == TPosition::VECOUT ? TPosition::GM : pos;
}
// Where the buffers of a queue lie.
constexpr TPosition AkgenQueBuffer(TPosition src, TPosition dst) {
  return src == TPosition::GM ? dst : src;
}

constexpr bool AkgenOfCube(TPosition pos) {
  return pos == TPosition::A1 || pos == TPosition::B1 || pos == TPosition::C1 ||
         pos == TPosition::A2 || pos == TPosition::B2 || pos == TPosition::C2 ||
         pos == TPosition::CO1;
}
// A call that is never made tells who infers a kernel's type that it has buffers in the Cube core's
// memories.
template <TPosition pos>
inline void AkgenNeedMemory() {
#if defined(__DAV_C220_CUBE__)
  if constexpr (AkgenOfCube(pos))
    if (akgen_core_type() == 0) akgen_cube(nullptr);
#endif
}

// A buffer of a queue without an element type.
using TBufHandle = uint8_t*;

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
 public:
  __aicore__ TQueBind() {}
  template <typename T>
  __aicore__ LocalTensor<T> AllocTensor() {
    static_assert(depth != 0, "Ascend C: a queue of depth 0 has AllocTensor(tensor) only");
    return Allocated<T>();
  }
  template <typename T>
  __aicore__ void AllocTensor(LocalTensor<T>& tensor) {
    static_assert(depth == 0, "Ascend C: AllocTensor(tensor) needs a queue of depth 0");
    tensor = Allocated<T>();
  }
  template <typename T>
  __aicore__ void FreeTensor(LocalTensor<T>& tensor) {
    akgen_que_free(handle_, tensor.AkgenPtr());
  }
  template <typename T>
  __aicore__ bool EnQue(const LocalTensor<T>& tensor) {
    akgen_que_enque(handle_, tensor.AkgenPtr());
    return true;
  }
  template <TPosition srcUserPos, TPosition dstUserPos, typename T>
  __aicore__ bool EnQue(const LocalTensor<T>& tensor) {
    akgen_que_between(handle_, static_cast<uint32_t>(srcUserPos),
                      static_cast<uint32_t>(dstUserPos));
    return EnQue<T>(tensor);
  }
  template <typename T>
  __aicore__ LocalTensor<T> DeQue() {
    static_assert(depth != 0, "Ascend C: a queue of depth 0 has DeQue(tensor) only");
    return Dequeued<T>();
  }
  template <typename T>
  __aicore__ void DeQue(LocalTensor<T>& tensor) {
    static_assert(depth == 0, "Ascend C: DeQue(tensor) needs a queue of depth 0");
    tensor = Dequeued<T>();
  }
  template <TPosition srcUserPos, TPosition dstUserPos, typename T>
  __aicore__ LocalTensor<T> DeQue() {
    akgen_que_between(handle_, static_cast<uint32_t>(srcUserPos),
                      static_cast<uint32_t>(dstUserPos));
    return DeQue<T>();
  }
  __aicore__ bool EnQue(TBufHandle buf) {
    akgen_que_enque(handle_, buf);
    return true;
  }
  __aicore__ TBufHandle DeQue() {
    uint32_t bytes = 0;
    return static_cast<TBufHandle>(akgen_que_deque(handle_, &bytes));
  }
  __aicore__ void FreeBuffer(TBufHandle buf) { akgen_que_free(handle_, buf); }
  __aicore__ bool VacantInQue() { return akgen_que_count(Counted()) < depth; }
  __aicore__ bool HasTensorInQue() { return akgen_que_count(Counted()) > 0; }
  __aicore__ int32_t GetTensorCountInQue() { return akgen_que_count(Counted()); }
  __aicore__ bool HasIdleBuffer() { return akgen_que_idle(Counted()) > 0; }
  __aicore__ void FreeAllEvent() { akgen_que_free_all_events(Counted()); }

  // For TPipe and TBufPool.
  bool AkgenInit(uint32_t num, uint32_t len) {
    AkgenNeedMemory<AkgenQueBuffer(src, dst)>();
    handle_ =
        akgen_que_init(static_cast<uint32_t>(src), static_cast<uint32_t>(dst), depth, num, len);
    return handle_ != 0;
  }
  static constexpr bool isTQue = true;
  // For pools a kernel defines itself (EXTERN_IMPL_BUFPOOL): the buffers are made with the first
  // one's address.
  __aicore__ void InitStartBufHandle(TBufHandle startBufhandle, uint8_t num, uint32_t len) {
    start_num_ = num;
  }
  template <typename Pool>
  __aicore__ void InitBufHandle(Pool* bufPool, uint32_t index, TBufHandle bufhandle,
                                uint32_t curPoolAddr, uint32_t len) {
    if (index != 0) return;
    akgen_pool_seek(bufPool->AkgenPool(), curPoolAddr);
    akgen_pool_select(bufPool->AkgenPool());
    AkgenInit(start_num_, len);
    akgen_pool_select(0);
  }

 private:
  template <typename T>
  LocalTensor<T> Allocated() {
    uint32_t bytes = 0;
    void* buffer = akgen_que_alloc(handle_, &bytes);
    return LocalTensor<T>(buffer, bytes, kBuffer);
  }
  template <typename T>
  LocalTensor<T> Dequeued() {
    uint32_t bytes = 0;
    void* buffer = akgen_que_deque(handle_, &bytes);
    return LocalTensor<T>(buffer, bytes, kBuffer);
  }
  uint32_t Counted() const {
    static_assert(depth != 0, "Ascend C: a queue of depth 0 does not count its tensors");
    return handle_;
  }
  uint8_t start_num_ = 1;
  static constexpr TPosition kBuffer = AkgenQueBuffer(src, dst);
  uint32_t handle_ = 0;
};

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<AkgenQueSrc(pos), AkgenQueDst(pos), depth, mask> {
 public:
  __aicore__ TQue() = default;
};

// Buffers of L1 that a Cube core's products read, filled from `pos`.
template <TPosition pos, int32_t depth = 1, auto mask = 0>
class TSCM : public TQueBind<pos, TPosition::TSCM, depth, mask> {
 public:
  __aicore__ TSCM() = default;
};

template <TPosition pos = TPosition::LCM>
class TBuf {
 public:
  __aicore__ TBuf() = default;
  template <typename T>
  __aicore__ LocalTensor<T> Get() {
    return LocalTensor<T>(address_, bytes_, pos);
  }
  template <typename T>
  __aicore__ LocalTensor<T> Get(uint32_t len) {
    return LocalTensor<T>(address_, static_cast<uint32_t>(AkgenBytes<T>(len)), pos);
  }
  // size in elements of T, offset in bytes.
  template <typename T>
  __aicore__ LocalTensor<T> GetWithOffset(uint32_t size, uint32_t bufOffset) {
    LocalTensor<T> result(static_cast<uint8_t*>(address_) + bufOffset,
                          static_cast<uint32_t>(AkgenBytes<T>(size)), pos);
    result.AkgenSliceOf(address_, bufOffset, bytes_);
    return result;
  }
  // The queue words exist on a TBuf and do nothing but hand over its only tensor.
  template <typename T>
  __aicore__ LocalTensor<T> AllocTensor() {
    return Get<T>();
  }
  template <typename T>
  __aicore__ void FreeTensor(LocalTensor<T>& tensor) {}
  template <typename T>
  __aicore__ void EnQue(const LocalTensor<T>& tensor) {}
  template <typename T>
  __aicore__ LocalTensor<T> DeQue() {
    return Get<T>();
  }

  // For TPipe and TBufPool.
  bool AkgenInit(uint32_t len) {
    AkgenNeedMemory<pos>();
    bytes_ = len;
    address_ = akgen_buf_init(static_cast<uint32_t>(pos), &bytes_);
    return address_ != nullptr;
  }
  __aicore__ void InitStartBufHandle(TBufHandle startBufhandle, uint8_t num, uint32_t len) {}
  template <typename Pool>
  __aicore__ void InitBufHandle(Pool* bufPool, uint32_t index, TBufHandle bufhandle,
                                uint32_t curPoolAddr, uint32_t len) {
    akgen_pool_seek(bufPool->AkgenPool(), curPoolAddr);
    akgen_pool_select(bufPool->AkgenPool());
    AkgenInit(len);
    akgen_pool_select(0);
  }

 private:
  void* address_ = nullptr;
  uint32_t bytes_ = 0;
};

constexpr uint32_t defaultBufIDSize = 4;

// Part of the TPipe's memory, out of which queues and buffers can be made again and again.
template <TPosition pos, uint32_t bufIDSize = defaultBufIDSize>
class TBufPool {
  static_assert(AkgenIsUb(pos), "akgen unsupported: a TBufPool in a cube memory");
  static_assert(bufIDSize <= 16, "Ascend C: a pool holds at most 16 buffers");

 public:
  static constexpr TPosition poolPos = pos;
  __aicore__ TBufPool() {}
  template <class T>
  __aicore__ bool InitBuffer(T& que, uint8_t num, uint32_t len) {
    Count(num);
    akgen_pool_select(pool_);
    const bool ok = que.AkgenInit(num, len);
    akgen_pool_select(0);
    return ok;
  }
  template <TPosition bufPos>
  __aicore__ bool InitBuffer(TBuf<bufPos>& buf, uint32_t len) {
    Count(1);
    akgen_pool_select(pool_);
    const bool ok = buf.AkgenInit(len);
    akgen_pool_select(0);
    return ok;
  }
  template <class T>
  __aicore__ bool InitBufPool(T& bufPool, uint32_t len) {
    return bufPool.AkgenInit(pool_, len, 0);
  }
  template <class T, class U>
  __aicore__ bool InitBufPool(T& bufPool, uint32_t len, U& shareBuf) {
    return bufPool.AkgenInit(pool_, len, shareBuf.AkgenPool());
  }
  __aicore__ void Reset() {
    buffers_ = 0;
    akgen_pool_reset(pool_);
  }

  // For TPipe and other pools; share is the pool whose memory this one overlays, 0 for none.
  bool AkgenInit(uint32_t parent, uint32_t len, uint32_t share) {
    pool_ = akgen_pool_init(parent, static_cast<uint32_t>(pos), len, share);
    return pool_ != 0;
  }
  uint32_t AkgenPool() const { return pool_; }

 private:
  void Count(uint32_t num) {
    buffers_ += num;
    if (buffers_ > bufIDSize)
      akgen_broken_rule("InitBuffer: more buffers than the bufIDSize of the pool");
  }
  uint32_t pool_ = 0, buffers_ = 0;
};

// What a class of the kernel needs to be a buffer pool: the memory it was given, and where the next
// buffer starts (bytes from the pool's start) as its own InitBuffer sees fit.
#define EXTERN_IMPL_BUFPOOL(EXT_BUFPOOL, POSITION, BUFID_SIZE)                          \
 public:                                                                                \
  static constexpr AscendC::TPosition poolPos = POSITION;                               \
  static constexpr bool isTbufPool = true;                                              \
  __aicore__ ~EXT_BUFPOOL() {}                                                          \
  __aicore__ void Init() { akgen_next_ = akgen_buffers_ = 0; }                          \
  __aicore__ void Reset() {                                                             \
    Init();                                                                             \
    akgen_pool_reset(akgen_pool_);                                                      \
  }                                                                                     \
  __aicore__ AscendC::TBufHandle GetBufHandle(uint8_t offset) { return nullptr; }       \
  __aicore__ void SetCurAddr(uint32_t curAddr) { akgen_next_ = curAddr; }               \
  __aicore__ uint32_t GetCurAddr() { return akgen_next_; }                              \
  __aicore__ void SetCurBufSize(uint8_t curBufSize) { akgen_buffers_ = curBufSize; }    \
  __aicore__ uint8_t GetCurBufSize() { return akgen_buffers_; }                         \
  bool AkgenInit(uint32_t parent, uint32_t len, uint32_t share) {                       \
    static_assert(BUFID_SIZE <= 16, "Ascend C: a pool holds at most 16 buffers");       \
    akgen_pool_ = akgen_pool_init(parent, static_cast<uint32_t>(POSITION), len, share); \
    return akgen_pool_ != 0;                                                            \
  }                                                                                     \
  uint32_t AkgenPool() const { return akgen_pool_; }                                    \
                                                                                        \
 private:                                                                               \
  uint32_t akgen_pool_ = 0, akgen_next_ = 0;                                            \
  uint8_t akgen_buffers_ = 0

class TPipe {
 public:
  __aicore__ TPipe() { Init(); }
  __aicore__ ~TPipe() { Destroy(); }
  // A copy hands out of the same memories: there is one state for all of a core.
  __aicore__ TPipe(const TPipe& other) : alive_(false) {}
  __aicore__ TPipe& operator=(const TPipe& other) { return *this; }
  __aicore__ void Init() {
    akgen_tpipe_init(this);
    alive_ = true;
  }
  template <class T>
  __aicore__ bool InitBuffer(T& que, uint8_t num, uint32_t len) {
    return que.AkgenInit(num, len);
  }
  template <TPosition pos>
  __aicore__ bool InitBuffer(TBuf<pos>& buf, uint32_t len) {
    return buf.AkgenInit(len);
  }
  template <class T>
  __aicore__ bool InitBufPool(T& bufPool, uint32_t len) {
    return bufPool.AkgenInit(0, len, 0);
  }
  template <class T, class U>
  __aicore__ bool InitBufPool(T& bufPool, uint32_t len, U& shareBuf) {
    return bufPool.AkgenInit(0, len, shareBuf.AkgenPool());
  }
  template <HardEvent evt>
  __aicore__ TEventID AllocEventID() {
    return static_cast<TEventID>(akgen_alloc_event(AkgenSrcPipe(evt), AkgenDstPipe(evt)));
  }
  template <HardEvent evt>
  __aicore__ void ReleaseEventID(TEventID id) {
    akgen_release_event(AkgenSrcPipe(evt), AkgenDstPipe(evt), id);
  }
  template <HardEvent evt>
  __aicore__ TEventID FetchEventID() {
    return FetchEventID(evt);
  }
  __aicore__ TEventID FetchEventID(HardEvent evt) {
    return static_cast<TEventID>(akgen_fetch_event(AkgenSrcPipe(evt), AkgenDstPipe(evt)));
  }
  // A tensor at a byte offset of the position's memory, size in elements; upstream calls it
  // deprecated.
  template <TPosition pos, typename T>
  __aicore__ LocalTensor<T> GetAbsAddr(int32_t offset, int32_t size) const {
    return LocalTensor<T>(pos, static_cast<uint32_t>(offset), static_cast<uint32_t>(size));
  }
  // Ends the pipe early: the destructor then leaves alone what a later pipe has set up.
  __aicore__ void Destroy() {
    if (alive_) akgen_tpipe_destroy(this);
    alive_ = false;
  }
  // The same without waiting for the pipelines.
  __aicore__ void DestroyWithoutPipeAll() {
    if (alive_) akgen_tpipe_reset(this);
    alive_ = false;
  }
  __aicore__ void Reset() { akgen_tpipe_reset(this); }

 private:
  bool alive_ = false;
};

// The memory that the TPipe has not given out, as one tensor; false if there is none.
template <typename T, TPosition pos>
__aicore__ inline bool PopStackBuffer(LocalTensor<T>& popBuffer) {
  static_assert(AkgenIsUb(pos), "akgen unsupported: PopStackBuffer in a cube memory");
  uint32_t bytes = 0;
  void* address = akgen_stack_buffer(&bytes);
  popBuffer = LocalTensor<T>(address, bytes, pos);
  return bytes > 0;
}
}  // namespace AscendC

__aicore__ inline AscendC::TPipe* GetTPipePtr() {
  return static_cast<AscendC::TPipe*>(akgen_tpipe_current());
}
namespace AscendC {
using ::GetTPipePtr;
}
#endif  // ASCENDC_KERNEL_PIPE_H
