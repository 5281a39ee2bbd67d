"""A kernel bound to PyTorch in both forms of AscendKernelBench: what the tests of bindings vary."""
KERNEL = """#include "kernel_operator.h"
using namespace AscendC;
class Leaky {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t n, float slope) {
    const uint32_t share = (n / GetBlockNum() + 8) / 8 * 8;
    first_ = GetBlockIdx() * share;
    count_ = first_ >= n ? 0 : n - first_ < share ? n - first_ : share;
    slope_ = slope;
    x_.SetGlobalBuffer((__gm__ float*)x, n);
    y_.SetGlobalBuffer((__gm__ float*)y, n);
  }
  __aicore__ inline void Process() {
    LocalMemAllocator<Hardware::UB> ub;
    LocalTensor<float> a = ub.Alloc<float>(1024), b = ub.Alloc<float>(1024);
    for (uint32_t at = 0; at < count_; at += 1024) {
      const uint32_t n = count_ - at < 1024 ? count_ - at : 1024;
      DataCopyExtParams move{1, static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0};
      DataCopyPadExtParams<float> pad{false, 0, 0, 0};
      DataCopyPad(a, x_[first_ + at], move, pad);
      SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
      Muls(b, a, slope_, n);
      PipeBarrier<PIPE_V>();
      Max(b, a, b, n);
      SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
      WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
      DataCopyPad(y_[first_ + at], b, move);
      PipeBarrier<PIPE_ALL>();
    }
  }
 private:
  GlobalTensor<float> x_, y_;
  uint32_t first_, count_;
  float slope_;
};
__global__ __vector__ void leaky(GM_ADDR x, GM_ADDR y, uint32_t n, float slope) {
  Leaky kernel;
  kernel.Init(x, y, n, slope);
  kernel.Process();
}
"""
HOST = """// ===================== ASCEND_HOST_SECTION =====================
#include <torch/library.h>
#include <ATen/ATen.h>
#include <torch_npu/csrc/core/npu/NPUStream.h>
namespace ascend_custom {
at::Tensor run(const at::Tensor& x, double negative_slope) {
  TORCH_CHECK(x.is_contiguous(), "x has to be contiguous");
  at::Tensor y = at::empty_like(x);
  int64_t n = 1;
  for (int64_t size : x.sizes()) n *= size;
  leaky_launch(BLOCKS, c10_npu::getCurrentNPUStream().stream(false), static_cast<uint8_t*>(x.mutable_data_ptr()),
               static_cast<uint8_t*>(y.mutable_data_ptr()), static_cast<uint32_t>(n), static_cast<float>(negative_slope));
  return y;
}
}
TORCH_LIBRARY(custom_op, m) { m.def("run(Tensor x, float negative_slope) -> Tensor"); }
TORCH_LIBRARY_IMPL(custom_op, PrivateUse1, m) { m.impl("run", TORCH_FN(ascend_custom::run)); }
""".replace("BLOCKS", "20")
LEGACY = """#include "torch/extension.h"
#include "torch_npu/csrc/core/npu/NPUStream.h"
torch::Tensor run(torch::Tensor x, double slope) {
  auto y = torch::empty_like(x);
  leaky<<<4, nullptr, c10_npu::getCurrentNPUStream().stream()>>>((uint8_t*)x.data_ptr<float>(), (uint8_t*)y.data_ptr<float>(),
                                                                  (uint32_t)x.numel(), (float)slope);
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run, "leaky relu"); }
"""
