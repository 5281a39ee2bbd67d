#include "kernels.h"
#include "kernel_operator.h"
using namespace AscendC;

namespace {
template <typename T>
GlobalTensor<T> Gm(GM_ADDR address, uint64_t count) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer((__gm__ T*)address, count);
  return tensor;
}
}  // namespace

extern "C" __global__ __aicore__ void fill_kernel(GM_ADDR y) {
  TPipe pipe;
  TBuf<> used;
  pipe.InitBuffer(used, 1024);
  InitOutput<float>(Gm<float>(y, 3000 * GetBlockNum())[3000 * GetBlockIdx()], 3000, 2.5f);
}

extern "C" __global__ __aicore__ void slice_kernel(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, 96 * sizeof(float));
  SliceInfo to[] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
  SliceInfo from[] = {{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}};
  LocalTensor<float> tile = queue.AllocTensor<float>();
  DataCopy(tile, Gm<float>(x, 261), to, from, 2);
  queue.EnQue(tile);
  tile = queue.DeQue<float>();
  DataCopy(Gm<float>(y, 96), tile, 96);
  queue.FreeTensor(tile);
}

extern "C" __global__ __aicore__ void pad_kernel(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, 64);
  LocalTensor<half> tile = queue.AllocTensor<half>();
  DataCopyExtParams rows{2, 5 * sizeof(half), 0, 0, 0};
  DataCopyPadExtParams<half> pad{true, 0, 11, static_cast<half>(7)};
  DataCopyPad(tile, Gm<half>(x, 10), rows, pad);
  queue.EnQue(tile);
  tile = queue.DeQue<half>();
  DataCopy(Gm<half>(y, 32), tile, 32);
  queue.FreeTensor(tile);
}

extern "C" __global__ __aicore__ void pool_kernel(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TBufPool<TPosition::VECCALC> first, second;
  pipe.InitBufPool(first, 4096);
  pipe.InitBufPool(second, 4096, first);
  for (auto* pool : {&first, &second}) {
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pool->InitBuffer(in, 1, 512);
    pool->InitBuffer(out, 1, 512);
    LocalTensor<half> a = in.AllocTensor<half>();
    DataCopy(a, Gm<half>(x, 256), 256);
    in.EnQue(a);
    a = in.DeQue<half>();
    LocalTensor<half> sum = out.AllocTensor<half>();
    Add(sum, a, a, 256);
    out.EnQue(sum);
    in.FreeTensor(a);
    sum = out.DeQue<half>();
    DataCopy(Gm<half>(y, 256), sum, 256);
    out.FreeTensor(sum);
    PipeBarrier<PIPE_ALL>();
    pool->Reset();
  }
}

extern "C" __global__ __aicore__ void atomic_kernel(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, 256);
  LocalTensor<float> tile = queue.AllocTensor<float>();
  DataCopy(tile, Gm<float>(x, 64), 64);
  queue.EnQue(tile);
  tile = queue.DeQue<float>();
  SetAtomicAdd<float>();
  DataCopy(Gm<float>(y, 64), tile, 64);
  SetAtomicNone();
  queue.FreeTensor(tile);
}

extern "C" __global__ __aicore__ void order_kernel(GM_ADDR y, GM_ADDR workspace) {
  TPipe pipe;
  TBuf<> buf;
  pipe.InitBuffer(buf, 32 * GetBlockNum() + 32);
  LocalTensor<int32_t> ub = buf.Get<int32_t>();
  GlobalTensor<int32_t> gm = Gm<int32_t>(GetUserWorkspace(workspace), 1024);
  InitDetermineComputeWorkspace(gm, ub);
  WaitPreBlock(gm, ub);
  const int32_t at = ReadGmByPassDCache((__gm__ int32_t*)y);
  WriteGmByPassDCache((__gm__ int32_t*)y + 1 + at, static_cast<int32_t>(GetBlockIdx()));
  WriteGmByPassDCache((__gm__ int32_t*)y, at + 1);
  NotifyNextBlock(gm, ub);
}

extern "C" __global__ __aicore__ void sync_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
  TPipe pipe;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 2, 32);
  GlobalTensor<int32_t> mine = Gm<int32_t>(x, 8 * GetBlockNum());
  GlobalTensor<int32_t> shared = Gm<int32_t>(GetUserWorkspace(workspace), 8 * GetBlockNum());
  LocalTensor<int32_t> tile = queue.AllocTensor<int32_t>();
  DataCopy(tile, mine[8 * GetBlockIdx()], 8);
  queue.EnQue(tile);
  tile = queue.DeQue<int32_t>();
  DataCopy(shared[8 * GetBlockIdx()], tile, 8);
  queue.FreeTensor(tile);
  SyncAll();
  const int64_t next = (GetBlockIdx() + 1) % GetBlockNum();
  tile = queue.AllocTensor<int32_t>();
  DataCopy(tile, shared[8 * next], 8);
  queue.EnQue(tile);
  tile = queue.DeQue<int32_t>();
  DataCopy(Gm<int32_t>(y, 8 * GetBlockNum())[8 * GetBlockIdx()], tile, 8);
  queue.FreeTensor(tile);
}

extern "C" __global__ __aicore__ void expression_kernel(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, 256);
  pipe.InitBuffer(out, 1, 256);
  LocalTensor<float> a = in.AllocTensor<float>();
  DataCopy(a, Gm<float>(x, 64), 64);
  in.EnQue(a);
  a = in.DeQue<float>();
  LocalTensor<float> b = out.AllocTensor<float>();
  b = a * a;
  PipeBarrier<PIPE_V>();
  b = b - a;
  out.EnQue(b);
  in.FreeTensor(a);
  b = out.DeQue<float>();
  DataCopy(Gm<float>(y, 64), b, 64);
  out.FreeTensor(b);
}

extern "C" __global__ __aicore__ void print_kernel(GM_ADDR x) {
  printf("block %d of %d: %.2f\n", GetBlockIdx(), GetBlockNum(), Gm<float>(x, 64).GetValue(0));
}
