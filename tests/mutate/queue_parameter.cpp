// A queue that a member function gets under another name, and one that stays where it is.
// launch: blocks=1 args=in:f32[64],out:f32[64],out:f32[64]
#include "kernel_operator.h"
using namespace AscendC;

class Copies {
 public:
  __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
    x_.SetGlobalBuffer((__gm__ float *)x, 64);
    y_.SetGlobalBuffer((__gm__ float *)y, 64);
    z_.SetGlobalBuffer((__gm__ float *)z, 64);
    pipe_.InitBuffer(in_, 1, 64 * sizeof(float));
    pipe_.InitBuffer(own_, 1, 64 * sizeof(float));
    LocalTensor<float> s = in_.AllocTensor<float>();
    DataCopy(s, x_, 64);
    in_.EnQue(s);
    Out(in_);
    LocalTensor<float> v = own_.AllocTensor<float>();
    DataCopy(v, x_, 64);
    own_.EnQue(v);
    LocalTensor<float> u = own_.DeQue<float>();
    DataCopy(z_, u, 64);
    own_.FreeTensor(u);
  }

 private:
  __aicore__ inline void Out(TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 1> &queue) {
    LocalTensor<float> t = queue.DeQue<float>();
    DataCopy(y_, t, 64);
    queue.FreeTensor(t);
  }

  TPipe pipe_;
  TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 1> in_, own_;
  GlobalTensor<float> x_, y_, z_;
};

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  Copies op;
  op.Run(x, y, z);
}
