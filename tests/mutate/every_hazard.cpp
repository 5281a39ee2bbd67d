// A correct kernel with a place for faults of roles, temporaries, workspace and of what other blocks are told.
// launch: blocks=2 args=in:f32[256],out:f32[256],workspace[1024]
#include "kernel_operator.h"
using namespace AscendC;

class Gate {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR work) {
    x_.SetGlobalBuffer((__gm__ float *)x, 256);
    y_.SetGlobalBuffer((__gm__ float *)y, 256);
    work_.SetGlobalBuffer((__gm__ float *)work, 256);
    pipe_.InitBuffer(in_, 1, 512);
    pipe_.InitBuffer(out_, 1, 512);
    pipe_.InitBuffer(mask_, 32);
    pipe_.InitBuffer(room_, 8192);
  }
  __aicore__ inline void Process() {
    Fetch(x_[GetBlockIdx() * 128]);
    Compute();
    Store(work_[GetBlockIdx() * 128]);
    SyncAll();
    Fetch(work_[128 - GetBlockIdx() * 128]);
    Pass();
    Store(y_[GetBlockIdx() * 128]);
  }

 private:
  __aicore__ inline void Fetch(const GlobalTensor<float> &from) {
    LocalTensor<float> x = in_.AllocTensor<float>();
    DataCopy(x, from, 128);
    in_.EnQue(x);
  }
  __aicore__ inline void Compute() {
    LocalTensor<float> x = in_.DeQue<float>();
    LocalTensor<float> y = out_.AllocTensor<float>();
    LocalTensor<uint8_t> room = room_.Get<uint8_t>();
    LocalTensor<uint8_t> mask = mask_.Get<uint8_t>();
    Sigmoid(y, x, room, 128);
    CompareScalar(mask, x, 2.0f, CMPMODE::GT, 128);
    Select(y, mask, y, 0.5f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 128);
    out_.EnQue(y);
    in_.FreeTensor(x);
  }
  __aicore__ inline void Pass() {
    LocalTensor<float> x = in_.DeQue<float>();
    LocalTensor<float> y = out_.AllocTensor<float>();
    Adds(y, x, 1.0f, 128);
    out_.EnQue(y);
    in_.FreeTensor(x);
  }
  __aicore__ inline void Store(const GlobalTensor<float> &to) {
    LocalTensor<float> y = out_.DeQue<float>();
    DataCopy(to, y, 128);
    out_.FreeTensor(y);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> in_;
  TQue<QuePosition::VECOUT, 1> out_;
  TBuf<QuePosition::VECCALC> mask_, room_;
  GlobalTensor<float> x_, y_, work_;
};

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR work) {
  Gate kernel;
  kernel.Init(x, y, work);
  kernel.Process();
}
