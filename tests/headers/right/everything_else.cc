#include <stdint.h>
// Events, barriers, cross-core calls, modes, workspace, tiling, scalar helpers and debugging aids.
struct Inner {
  uint32_t a[4];
};
struct PlainTiling {
  uint32_t length;
  uint64_t pair[2];
  Inner inner;
};
#define AKGEN_DEFAULT_TILING PlainTiling
#include "kernel_operator.h"
using namespace AscendC;

template <void (*wait)(int32_t)>
void Call() {
  wait(EVENT_ID2);
}

inline void Synchronise(GlobalTensor<int32_t>& gm, LocalTensor<int32_t>& ub) {
  event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_MTE3));
  SetFlag<HardEvent::V_MTE3>(id);
  WaitFlag<HardEvent::V_MTE3>(id);
  TEventID own = AscendC::GetTPipePtr()->AllocEventID<HardEvent::MTE2_V>();
  SetFlag<HardEvent::MTE2_V>(own);
  Call<WaitFlag<HardEvent::MTE2_V>>();
  GetTPipePtr()->ReleaseEventID<HardEvent::MTE2_V>(own);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  pipe_barrier(PIPE_ALL);
  PipeBarrier<PIPE_V>();
  DataSyncBarrier<MemDsbT::ALL>();
  CrossCoreSetFlag<0, PIPE_MTE3>(3);
  CrossCoreWaitFlag(3);
  SyncAll();
  SyncAll<true>();
  SyncAll(gm, ub);
  SyncAll(gm, ub, 4);
  IBSet(gm, ub, 0, 0);
  IBWait(gm, ub, 0, 0);
  InitDetermineComputeWorkspace(gm, ub);
  WaitPreBlock(gm, ub);
  NotifyNextBlock(gm, ub);
  TQueSync<PIPE_V, PIPE_MTE3> sync;
  sync.SetFlag(own);
  sync.WaitFlag(own);
}

inline void Modes(GlobalTensor<float>& gm) {
  SetAtomicAdd<float>();
  SetAtomicMax<half>();
  SetAtomicMin<int32_t>();
  SetAtomicType<bfloat16_t>();
  SetAtomicNone();
  DisableDmaAtomic();
  SetMaskCount();
  SetVectorMask<half, MaskMode::COUNTER>(100);
  SetVectorMask<float>(0, 0xff);
  ResetMask();
  SetMaskNorm();
  DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gm);
  DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(gm);
  gm.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
  InitOutput<float>(gm, 100, 0);
  InitSocState();
}

inline void Scalars() {
  constexpr half one = 1;
  half h{2};
  h = h * one + static_cast<half>(0.5);
  bfloat16_t b = ToBfloat16(static_cast<float>(h));
  float f = ToFloat(b) + AscendC::Cast(b) + sqrt(2.0f);
  int32_t i = AscendC::Cast<float, int32_t, RoundMode::CAST_RINT>(f);
  i = min(i, 3) + max(static_cast<int32_t>(CountLeadingZero(5)), 2);
  static_assert(std::is_same_v<Conditional<true, half, float>::type, float16_t>, "");
  static_assert(std::is_same_v<__bf16, bfloat16_t>, "");
  static_assert(AlignUp(33, 32) == 64 && DivCeil(5, 2) == 3 && SizeOfBits<int4b_t>::value == 4, "");
  printf("%d %s\n", i, "text");
  AscendC::PRINTF("%f", h);
  assert(i > 0);
  assert(i > 0, "i = %d", i);
}

extern "C" __global__ __aicore__ void everything(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  GET_TILING_DATA_WITH_STRUCT(PlainTiling, again, tiling);
  GET_TILING_DATA_MEMBER(PlainTiling, inner, part, tiling);
  GET_TILING_DATA_PTR_WITH_STRUCT(PlainTiling, pointer, tiling);
  COPY_TILING_WITH_STRUCT(Inner, pointer->inner, copy);
  COPY_TILING_WITH_ARRAY(uint64_t, 2, pointer->pair, array);
  if (data.length + again.length + part.a[0] + copy->a[0] + (*array)[1] == 0) return;
  SetSysWorkspace(workspace);
  GM_ADDR user = GetUserWorkspace(workspace);
  if (user == nullptr || GetSysWorkSpacePtr() == nullptr) return;
  TPipe pipe;
  TBufPool<TPosition::VECCALC> pool, second;
  pipe.InitBufPool(pool, 65536);
  pipe.InitBufPool(second, 65536, pool);
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> bind;
  pool.InitBuffer(bind, 1, 256);
  TBuf<> buf;
  pool.InitBuffer(buf, 1024);
  pool.Reset();
  LocalTensor<int32_t> ub = buf.GetWithOffset<int32_t>(8, 32);
  GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer((__gm__ int32_t*)user);
  Synchronise(gm, ub);
  GlobalTensor<float> out;
  out.SetGlobalBuffer((__gm__ float*)x);
  Modes(out);
  Scalars();
  ListTensorDesc list((__gm__ void*)x);
  TensorDesc<float> desc;
  list.GetDesc(desc, 0);
  DumpTensor(ub, 1, 8);
  if ASCEND_IS_AIV {
    Trap();
  }
}
