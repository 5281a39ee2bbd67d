// Every form of DataCopy and DataCopyPad that a vector core has.
#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
void Moves(GlobalTensor<T> gm, LocalTensor<T> ub, LocalTensor<T> other) {
  const uint32_t n = 64;
  DataCopy(ub, gm, n);
  DataCopy(gm, ub, n);
  DataCopy(other, ub, n);
  DataCopyParams p{1, 2, 0, 0};
  p.srcStride = 1;
  p.dstGap = 2;
  DataCopy(ub, gm, p);
  DataCopy(gm[1], ub, p);
  DataCopy(other, ub, {2, 1, 0, 0});
  DataCopyEnhancedParams enhanced;
  DataCopy(ub, gm, p, enhanced);
  SliceInfo to[] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
  SliceInfo from[] = {{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}};
  DataCopy(ub, gm, to, from, 2);
  DataCopy(gm, ub, from, to, 2);
  DataCopyPadParams pad{true, 0, 1, 0};
  DataCopyPad(ub, gm, p, pad);
  DataCopyPad(gm, ub, p);
  DataCopyExtParams ext{1, 20, 0, 0, 0};
  DataCopyPadExtParams<T> pad_ext{true, 1, 2, static_cast<T>(3)};
  DataCopyPad(ub, gm, ext, pad_ext);
  DataCopyPad(ub, gm, ext, {false, 0, 0, 0});
  DataCopyPad(gm, ub, ext);
  SetPadValue(static_cast<T>(1));
  SetPadValue<T>(static_cast<T>(1));
}

extern "C" __global__ __aicore__ void copies(GM_ADDR x) {
  LocalMemAllocator<Hardware::UB> memory;
  GlobalTensor<half> gm;
  gm.SetGlobalBuffer((__gm__ half*)x);
  Moves(gm, memory.Alloc<half, 256>(), memory.Alloc<half>(256));
  GlobalTensor<int32_t> words;
  words.SetGlobalBuffer((__gm__ int32_t*)x, 256);
  Moves(words, LocalTensor<int32_t>(TPosition::VECIN, 0, 256),
        memory.Alloc<TPosition::VECCALC, int32_t, 256>());
  GlobalTensor<bfloat16_t> brain;
  Moves(brain, LocalTensor<bfloat16_t>(), LocalTensor<bfloat16_t>());
}
