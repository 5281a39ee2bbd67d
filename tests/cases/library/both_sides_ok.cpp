// A program with both sides of LayerNorm: its main() makes the tiling, which the kernel takes by value.
// program
// expect: clean
#include "acl/acl.h"
#include "kernel_operator.h"
#include "tiling/tiling_api.h"

__global__ __aicore__ void normalise(GM_ADDR y, AscendC::tiling::LayerNormTiling tiling, uint32_t bytes) {
  AscendC::GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buf, tmp;
  pipe.InitBuffer(buf, 6 * 256);
  pipe.InitBuffer(tmp, bytes);
  AscendC::LocalTensor<float> t = buf.Get<float>();
  AscendC::LocalTensor<uint8_t> shared = tmp.Get<uint8_t>();
  AscendC::Arange(t, 0.0f, 1.0f, 192);
  AscendC::LayerNorm(t[192], t[256], t[320], t, t[64], t[128], shared, 1e-3f, tiling);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::DataCopy(yGm, t[192], 64);
}

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  void *y = nullptr;
  float out[64];
  aclrtMalloc(&y, sizeof out, ACL_MEM_MALLOC_HUGE_FIRST);
  AscendC::tiling::LayerNormTiling tiling;
  uint32_t max = 0, min = 0;
  AscendC::TensorShape shape({2, 4, 8, 8});
  AscendC::GetLayerNormMaxMinTmpSize(shape, 4, false, max, min);
  AscendC::GetLayerNormNDTilingInfo(shape, min, 4, false, tiling);
  normalise<<<1, nullptr, stream>>>(reinterpret_cast<uint8_t *>(y), tiling, min);
  aclrtSynchronizeStream(stream);
  aclrtMemcpy(out, sizeof out, y, sizeof out, ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtFree(y);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
