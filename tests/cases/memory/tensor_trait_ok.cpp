// Tensors of TensorTrait: queues, copies, vector instructions with and without a scalar, and scalar access.
// launch: blocks=1 args=in:i16[512],out:i16[512],out:f32[512]
// expect: clean
#include "kernel_operator.h"
#include "kernel_operator_tensor_trait.h"
using namespace AscendC;
using Short = TensorTrait<int16_t>;
using Single = TensorTrait<float>;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  GlobalTensor<Short> xGm, yGm;
  GlobalTensor<Single> zGm;
  xGm.SetGlobalBuffer((__gm__ int16_t *)x);
  yGm.SetGlobalBuffer((__gm__ int16_t *)y);
  zGm.SetGlobalBuffer((__gm__ float *)z, 512);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECOUT, 1> out, wide;
  pipe.InitBuffer(in, 1, 512 * sizeof(int16_t));
  pipe.InitBuffer(out, 1, 512 * sizeof(int16_t));
  pipe.InitBuffer(wide, 1, 512 * sizeof(float));

  LocalTensor<Short> copied = in.AllocTensor<Short>();
  DataCopy(copied, xGm, 512);
  in.EnQue(copied);
  LocalTensor<Short> src = in.DeQue<Short>(), dst = out.AllocTensor<Short>();
  assert(src.GetSize() == 512 && src[16].GetSize() == 496);
  int16_t scalar = 2;
  Adds(dst, src, scalar, uint64_t(128), 4, {1, 1, 8, 8});
  Add(dst, dst, src, 512);
  LocalTensor<Single> cast = wide.AllocTensor<Single>();
  Cast(cast, src, RoundMode::CAST_NONE, 512);
  Muls(cast, cast, 0.5f, 512);
  for (int i = 0; i < 512; i += 73) {
    assert(static_cast<int16_t>(2 * src.GetValue(i) + 2) == dst.GetValue(i));
    assert(cast.GetValue(i) == 0.5f * src.GetValue(i));
  }
  cast.SetValue(7, 3.0f);
  assert(cast(7) == 3.0f);
  out.EnQue(dst);
  wide.EnQue(cast);
  DataCopy(yGm, out.DeQue<Short>(), 512);
  DataCopy(zGm, wide.DeQue<Single>(), 512);

  auto layout = MakeLayout(MakeShape(10, 20, 30), MakeStride(1, 100, 200));
  auto made = MakeTensorTrait<float, TPosition::VECIN>(layout);
  TensorTrait<half, TPosition::VECCALC, decltype(layout)> set;
  set.SetLayout(layout);
  assert(Std::get<1>(made.GetLayout().GetShape()) == 20 && Std::get<2>(set.GetStride()) == 200);
  static_assert(is_tensorTrait<decltype(made)>::value && !is_tensorTrait<decltype(layout)>::value, "");
  in.FreeTensor(src);
  out.FreeTensor(dst);
  wide.FreeTensor(cast);
}
