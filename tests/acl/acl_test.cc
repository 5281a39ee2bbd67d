// The host runtime: what a direct-launch program may rely on, and what its misuse is called.
#include "acl/acl.h"

#include <gtest/gtest.h>

#include <cstring>

#include "akgen/abi.h"
#include "akgen/positions.h"
#include "sim/acl/program.h"

namespace akgen::sim {
namespace {

constexpr size_t kBytes = 1024;

// Moves `bytes` from x through UB to z; every block the same part.
void CopyKernel(uint8_t* x, uint8_t* z, uint32_t bytes) {
  void* ub = akgen_static_tensor(AKGEN_POS_VECIN, 0, bytes);
  AkgenCopy in = {};
  in.kind = AKGEN_GM_TO_UB;
  in.dtype = AKGEN_U8;
  in.block_count = 1;
  in.block_len = bytes;
  in.src = x;
  in.dst = ub;
  akgen_copy(&in);
  akgen_pipe_barrier(AKGEN_PIPE_ALL);
  AkgenCopy out = in;
  out.kind = AKGEN_UB_TO_GM;
  out.src = ub;
  out.dst = z;
  akgen_copy(&out);
  akgen_pipe_barrier(AKGEN_PIPE_ALL);
}

void Begin() {
  static const ChipModel kChip = ModelOf(*chip::LoadChip());
  ProgramOptions options;
  options.chip = kChip;
  BeginProgram(options);
}

class Acl : public testing::Test {
 protected:
  void SetUp() override { Begin(); }
  uint8_t* Device(size_t bytes = kBytes) {
    void* p = nullptr;
    EXPECT_EQ(aclrtMalloc(&p, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    return static_cast<uint8_t*>(p);
  }
  std::vector<std::string> Codes() {
    std::vector<std::string> codes;
    for (const auto& f : EndProgram().findings)
      codes.push_back(std::string(CodeOf(f.kind)) + (f.warning ? "w" : ""));
    return codes;
  }
  using Names = std::vector<std::string>;
};

TEST_F(Acl, CopiesThereAndBack) {
  uint8_t *x = Device(), *z = Device();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(x) % 512, 0u);
  std::vector<uint8_t> in(kBytes), out(kBytes);
  for (size_t i = 0; i < kBytes; ++i) in[i] = uint8_t(i * 7);
  EXPECT_EQ(aclrtMemcpy(x, kBytes, in.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  akgen_launch([&](auto... a) { CopyKernel(a...); }, 1, 0, stream)(x, z, uint32_t(kBytes));
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(out.data(), kBytes, z, kBytes, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(in, out);
  EXPECT_EQ(aclrtFree(x), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(z), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(Codes(), Names{});
}

TEST_F(Acl, ReportsWrongFrees) {
  uint8_t* x = Device();
  EXPECT_EQ(aclrtFree(x), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(x), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("already freed"), std::string::npos);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  EXPECT_EQ(Codes(), Names{"AK1801"});
}

TEST_F(Acl, ReportsLeaksAsWarnings) {
  Device();
  EXPECT_EQ(Codes(), Names{"AK1802w"});
}

TEST_F(Acl, ReportsRangesAndMovesNothing) {
  uint8_t* x = Device(64);
  std::vector<uint8_t> host(128, 5);
  EXPECT_EQ(aclrtMemcpy(x, 128, host.data(), 128, ACL_MEMCPY_HOST_TO_DEVICE),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemcpy(x, 32, host.data(), 64, ACL_MEMCPY_HOST_TO_DEVICE),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemcpy(host.data(), 64, host.data() + 64, 64, ACL_MEMCPY_DEVICE_TO_HOST),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(x[0], 0);
  aclrtFree(x);
  auto codes = Codes();
  EXPECT_EQ(codes.size(), 3u);
  for (const auto& c : codes) EXPECT_EQ(c, "AK1803");
}

TEST_F(Acl, WarnsWhenTheStreamWasNotWaitedFor) {
  uint8_t *x = Device(), *z = Device();
  std::vector<uint8_t> host(kBytes, 1);
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  aclrtMemcpy(x, kBytes, host.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE);
  akgen_launch([&](auto... a) { CopyKernel(a...); }, 1, 0, stream)(x, z, uint32_t(kBytes));
  aclrtMemcpy(host.data(), kBytes, z, kBytes, ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtFree(x);
  aclrtFree(z);
  EXPECT_EQ(Codes(), Names{"AK1804w"});
}

TEST_F(Acl, WarnsOfBytesThatNothingWrote) {
  uint8_t* x = Device();
  std::vector<uint8_t> host(kBytes, 1);
  aclrtMemset(x, kBytes, 3, 32);
  aclrtMemcpy(host.data(), kBytes, x, 32, ACL_MEMCPY_DEVICE_TO_HOST);
  EXPECT_EQ(host[31], 3);
  aclrtMemcpy(host.data(), kBytes, x, 64, ACL_MEMCPY_DEVICE_TO_HOST);
  EXPECT_EQ(host[32], 0);  // reads as zero
  aclrtFree(x);
  EXPECT_EQ(Codes(), Names{"AK1102w"});
}

TEST_F(Acl, AnInputThatWasNeverCopiedIsAFinding) {
  std::vector<uint8_t> host(kBytes, 1);
  for (bool async : {false, true})
    for (size_t copied : {size_t{0}, kBytes / 2, kBytes}) {
      Begin();
      uint8_t *x = Device(), *z = Device(), *far = Device();
      if (copied) aclrtMemcpy(x, kBytes, host.data(), copied, ACL_MEMCPY_HOST_TO_DEVICE);
      akgen_launch([&](auto... a) { CopyKernel(a...); }, 1)(x, z, uint32_t(kBytes));
      aclrtSynchronizeDevice();
      aclrtMemcpy(far, kBytes, z, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE);  // a copy defines nothing
      if (async)
        aclrtMemcpyAsync(host.data(), kBytes, far, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, nullptr);
      else
        aclrtMemcpy(host.data(), kBytes, far, kBytes, ACL_MEMCPY_DEVICE_TO_HOST);
      for (uint8_t* p : {x, z, far}) aclrtFree(p);
      const ProgramReport report = EndProgram();
      EXPECT_EQ(Codes(), copied == kBytes ? Names{} : Names{"AK1102"}) << copied << async;
      if (copied == kBytes / 2)
        EXPECT_NE(report.findings[0].message.find("at offset 512"), std::string::npos)
            << report.findings[0].message;
    }
}

TEST_F(Acl, RefusesLaunchesThatCannotStart) {
  int ran = 0;
  akgen_launch([&ran](auto...) { ++ran; }, 0)();
  akgen_launch([&ran](auto...) { ++ran; }, 1, 0, reinterpret_cast<void*>(0x1234))();
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(Codes(), (Names{"AK1805", "AK1805"}));
}

TEST_F(Acl, KernelBoundsAreTheAllocations) {
  uint8_t *x = Device(512), *z = Device(1024);
  std::vector<uint8_t> host(512, 1);
  aclrtMemcpy(x, 512, host.data(), 512, ACL_MEMCPY_HOST_TO_DEVICE);
  akgen_launch([&](auto... a) { CopyKernel(a...); }, 1)(x, z, 1024u);
  aclrtFree(x);
  aclrtFree(z);
  auto codes = Codes();
  ASSERT_FALSE(codes.empty());
  EXPECT_EQ(codes[0], "AK1002");
}

TEST_F(Acl, CapturesRunOnlyWhenExecuted) {
  uint8_t *x = Device(), *z = Device();
  std::vector<uint8_t> in(kBytes, 9), out(kBytes, 0);
  aclrtStream stream = nullptr;
  aclmdlRI model = nullptr;
  aclrtCreateStream(&stream);
  ASSERT_EQ(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_SUCCESS);
  aclrtMemcpyAsync(x, kBytes, in.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE, stream);
  akgen_launch([&](auto... a) { CopyKernel(a...); }, 1, 0, stream)(x, z, uint32_t(kBytes));
  aclrtMemcpyAsync(out.data(), kBytes, z, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream);
  ASSERT_EQ(aclmdlRICaptureEnd(stream, &model), ACL_SUCCESS);
  EXPECT_EQ(out[0], 0);
  for (int round = 1; round <= 2; ++round) {
    in.assign(kBytes, uint8_t(9 + round));
    EXPECT_EQ(aclmdlRIExecuteAsync(model, stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT_EQ(out, in);
  }
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIExecuteAsync(model, stream), ACL_ERROR_RT_INVALID_HANDLE);
  aclrtFree(x);
  aclrtFree(z);
  EXPECT_EQ(Codes(), Names{});
}

TEST_F(Acl, HalfConversions) {
  EXPECT_EQ(aclFloat16ToFloat(0x3C00), 1.0f);
  EXPECT_EQ(aclFloatToFloat16(-2.0f), 0xC000);
  EXPECT_EQ(aclFloatToFloat16(1.0f + 1.0f / 2048), 0x3C00);  // a tie goes to even
  EXPECT_EQ(aclDataTypeSize(ACL_BF16), 2u);
}

}  // namespace
}  // namespace akgen::sim
