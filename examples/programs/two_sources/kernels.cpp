// The kernels of main.cpp, in a source of their own.
#include "kernel_operator.h"
#include "tiling.h"

using namespace AscendC;

namespace {
__aicore__ inline void Copy(GlobalTensor<float> to, GlobalTensor<float> from, uint32_t count, float factor) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, count * sizeof(float));
  LocalTensor<float> tile = buffer.Get<float>();
  DataCopy(tile, from, count);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Muls(tile, tile, factor, count);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(to, tile, count);
}

__gm__ const float kPowers[16] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
}  // namespace

extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y, ScaleTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GlobalTensor<float> in, out;
  in.SetGlobalBuffer((__gm__ float*)x + GetBlockIdx() * tiling.count, tiling.count);
  out.SetGlobalBuffer((__gm__ float*)y + GetBlockIdx() * tiling.count, tiling.count);
  Copy(out, in, tiling.count, tiling.factor);
}

extern "C" __global__ __aicore__ void powers(GM_ADDR y, ScaleTiling tiling) {
  GlobalTensor<float> table, out;
  table.SetGlobalBuffer((__gm__ float*)kPowers, 16);
  out.SetGlobalBuffer((__gm__ float*)y, 16);
  Copy(out, table, 16, tiling.factor);
}

#ifndef ASCENDC_CPU_DEBUG
extern "C" void powers_do(uint32_t blocks, void* l2ctrl, void* stream, uint8_t* y, ScaleTiling* tiling) {
  powers<<<blocks, l2ctrl, stream>>>(y, tiling);
}
#endif
