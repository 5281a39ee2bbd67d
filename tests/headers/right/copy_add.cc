// The shape most kernels have: queues, a copy in, a computation, a copy out.
#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
class CopyAdd {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t length) {
    ASSERT(GetNothing() != 0 && "is not compiled")
    x_gm.SetGlobalBuffer((__gm__ T*)x + GetBlockIdx() * length, length);
    y_gm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y) + block_idx * length, length);
    pipe.InitBuffer(in, 2, length * sizeof(T));
    pipe.InitBuffer(out, 2, length * sizeof(T));
    pipe.InitBuffer(work, length * sizeof(float));
    n = length;
  }
  __aicore__ inline void Process() {
    LocalTensor<T> x = in.template AllocTensor<T>();
    DataCopy(x, x_gm, n);
    in.EnQue(x);
    LocalTensor<T> got = in.template DeQue<T>();
    LocalTensor<T> y = out.template AllocTensor<T>();
    y = got + got;
    LocalTensor<float> tmp = work.Get<float>();
    tmp.SetValue(0, static_cast<float>(got.GetValue(0)) + static_cast<float>(got(1)));
    y(2) = static_cast<T>(1);
    out.EnQue(y);
    in.FreeTensor(got);
    y = out.template DeQue<T>();
    DataCopyExtParams params{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
    DataCopyPad(y_gm, y, params);
    out.FreeTensor(y);
  }

 private:
  TPipe pipe;
  TQue<QuePosition::VECIN, 2> in;
  TQue<TPosition::VECOUT, 2> out;
  TBuf<TPosition::VECCALC> work;
  GlobalTensor<T> x_gm, y_gm;
  uint32_t n;
};

extern "C" __global__ __aicore__ void copy_add(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                               GM_ADDR tiling) {
  if (TILING_KEY_IS(1)) {
    CopyAdd<half> op;
    op.Init(x, y, 128);
    op.Process();
  } else if (TILING_KEY_LIST(2, 3)) {
    CopyAdd<float> op;
    op.Init(x, y, 64);
    op.Process();
  }
}
