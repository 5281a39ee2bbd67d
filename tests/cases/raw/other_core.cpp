// The address of another core's Unified Buffer, passed on in Global Memory: no core reaches another core's memory.
// launch: blocks=2 args=inout:i64[8]
// expect: AK1010
// guest: clean, every block has its own Unified Buffer at the same address, so the pointer leads to the reader's own
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR z) {
  GlobalTensor<int64_t> table;
  table.SetGlobalBuffer((__gm__ int64_t *)z, 8);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 256);
  LocalTensor<float> t = buf.Get<float>();

  if (GetBlockIdx() == 0) table.SetValue(0, static_cast<int64_t>(t.GetPhyAddr()));
  DataCacheCleanAndInvalid<int64_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(table);
  SyncAll();
  if (GetBlockIdx() == 1) *reinterpret_cast<float *>(table.GetValue(0)) = 1.0f;  // <-- AK1010
  SyncAll();
}
