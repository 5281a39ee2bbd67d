// The same without queues: three flags per slot order the stages, and the flag `slot free` is set once before
// the loop, for in the first two rounds nobody has used the slots yet.
#include "kernel_operator.h"
using namespace AscendC;

class AddKernel {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total, uint32_t perCore, uint32_t tile) {
    const uint32_t first = GetBlockIdx() * perCore;
    count_ = total - first < perCore ? total - first : perCore;
    tile_ = tile;
    x_.SetGlobalBuffer((__gm__ half *)x + first, count_);
    y_.SetGlobalBuffer((__gm__ half *)y + first, count_);
    z_.SetGlobalBuffer((__gm__ half *)z + first, count_);
    pipe_.InitBuffer(buf_, 3 * 2 * tile * sizeof(half));
  }

  __aicore__ inline void Process() {
    SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID1);
    uint32_t round = 0;
    for (uint32_t done = 0; done < count_; done += tile_, ++round) {
      Tile(done, count_ - done < tile_ ? count_ - done : tile_, round % 2 ? EVENT_ID1 : EVENT_ID0);
    }
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID1);
  }

 private:
  __aicore__ inline void Tile(uint32_t offset, uint32_t n, event_t slot) {
    DataCopyExtParams params{1, static_cast<uint32_t>(n * sizeof(half)), 0, 0, 0};
    DataCopyPadExtParams<half> pad{false, 0, 0, 0};
    LocalTensor<half> all = buf_.Get<half>();
    LocalTensor<half> x = all[(slot == EVENT_ID0 ? 0 : 3) * tile_];
    LocalTensor<half> y = x[tile_];
    LocalTensor<half> z = x[2 * tile_];
    WaitFlag<HardEvent::MTE3_MTE2>(slot);
    DataCopyPad(x, x_[offset], params, pad);
    DataCopyPad(y, y_[offset], params, pad);
    SetFlag<HardEvent::MTE2_V>(slot);
    WaitFlag<HardEvent::MTE2_V>(slot);
    Add(z, x, y, n);
    SetFlag<HardEvent::V_MTE3>(slot);
    WaitFlag<HardEvent::V_MTE3>(slot);
    DataCopyPad(z_[offset], z, params);
    SetFlag<HardEvent::MTE3_MTE2>(slot);
  }

  TPipe pipe_;
  TBuf<QuePosition::VECCALC> buf_;
  GlobalTensor<half> x_, y_, z_;
  uint32_t count_ = 0, tile_ = 0;
};

extern "C" __global__ __aicore__ void unalign_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  GET_TILING_DATA(t, tiling);
  AddKernel kernel;
  kernel.Init(x, y, z, t.total, t.perCore, t.tile);
  kernel.Process();
}
