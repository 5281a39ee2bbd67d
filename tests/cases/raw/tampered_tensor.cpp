// The address inside a tensor object is overwritten: the instruction is told an address of no buffer.
// launch: blocks=1 args=in:f32[8]
// expect: AK1010
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x) {
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  *reinterpret_cast<uint64_t *>(&t.address_.bufferAddr) = 0x123456789000;
  Duplicate(t, 1.0f, 256);  // <-- AK1010
}
