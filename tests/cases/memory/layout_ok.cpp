// Indices of coordinates in layouts: numbers, constants, and a coordinate of fewer dimensions than the shape.
// launch: blocks=1 args=out:f32[64]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 64 * sizeof(float));
  LocalTensor<float> t = buf.Get<float>();

  // 8 x 4 in rows of 8.
  Shape<int, int> shape = MakeShape(8, 4);
  Layout<Shape<int, int>, Stride<int, int>> rows(shape, MakeStride(8, 1));
  static_assert(is_layout<decltype(rows)>::value && !is_layout<decltype(shape)>::value, "");
  assert(Std::get<0>(rows.GetShape()) == 8 && Std::get<1>(rows.GetStride()) == 1);
  Duplicate(t, 0.0f, 64);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 4; ++j) t.SetValue(rows(MakeCoord(i, j)), static_cast<float>(10 * i + j));
  assert(t.GetValue(Crd2Idx(MakeCoord(7, 3), rows)) == 73.0f && t.GetValue(59) == 73.0f && t.GetValue(60) == 0.0f);
  assert(Crd2Idx(MakeCoord(1, 2, 3), MakeShape(3, 4, 5), MakeStride(20, 5, 1)) == 33);

  // Blocks of 2 x 3 in 4 x 5 of them: the first of a dimension's two counts fastest, the last is not bounded.
  auto blocked = MakeLayout(MakeShape(MakeShape(2, 4), MakeShape(3, 5)), MakeStride(MakeStride(3, 6), MakeStride(1, 24)));
  assert(blocked(MakeCoord(11, 12)) == 129);

  // All of it constants, so is the index.
  auto index = Crd2Idx(MakeCoord(Std::Int<20>{}, Std::Int<30>{}),
                       MakeShape(MakeShape(Std::Int<13>{}, Std::Int<0>{}), MakeShape(Std::Int<14>{}, Std::Int<0>{})),
                       MakeStride(MakeStride(Std::Int<14>{}, Std::Int<182>{}),
                                  MakeStride(Std::Int<1>{}, Std::Int<154>{})));
  static_assert(decltype(index)::value == 590, "");
  SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
