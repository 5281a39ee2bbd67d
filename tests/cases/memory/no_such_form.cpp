// An instruction made by hand for a dtype that the vector unit does not have.
// launch: blocks=1 args=inout:f32[256]
// expect: AK1505
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 64 * sizeof(double));
  AkgenVec add{};
  add.op = AKGEN_OP_Add;
  add.form = AKGEN_FORM_COUNT;
  add.dst_type = add.src_type = add.src1_type = AKGEN_F64;
  add.dst_blk = add.src0_blk = add.src1_blk = 1;
  add.dst_rep = add.src0_rep = add.src1_rep = 8;
  add.count = 64;
  add.dst = reinterpret_cast<void *>(buf.Get<double>().GetPhyAddr());
  add.src0 = add.src1 = add.dst;
  akgen_vec(&add);  // <-- AK1505
}
