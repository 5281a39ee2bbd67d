// Forms of instructions and of waiting that only whole programs show.
#include <gtest/gtest.h>

#include "base/files.h"
#include "judge/run/program.h"
#include "judge/run/simulated_chip.h"

namespace akgen::judge {
namespace {

// A program around kernel `k(x, y)` of int32_t tensors with 1024 elements; x[i] = i, y is zero.
// `check` sees host y.
ProgramResult RunKernel(const std::string& kernel, int blocks, const std::string& check) {
  auto dir = base::TempDir::Create();
  auto chip = SimulatedChip::Start();
  EXPECT_TRUE(dir.ok() && chip.ok());
  std::string source = R"(#include <cstdio>
#include <vector>
#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;
__global__ __vector__ void k(__gm__ int32_t* x, __gm__ int32_t* y) {)" +
                       kernel + R"(
}
int main() {
  std::vector<int32_t> x(1024), y(1024);
  for (int i = 0; i < 1024; ++i) x[i] = i;
  int32_t *xd = nullptr, *yd = nullptr;
  aclrtMalloc((void**)&xd, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc((void**)&yd, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(xd, 4096, x.data(), 4096, ACL_MEMCPY_HOST_TO_DEVICE);
  aclrtMemset(yd, 4096, 0, 4096);
  k<<<)" + std::to_string(blocks) +
                       R"(, 0>>>(xd, yd);
  aclrtSynchronizeDevice();
  aclrtMemcpy(y.data(), 4096, yd, 4096, ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtFree(xd);
  aclrtFree(yd);
  for (int i = 0; i < 1024; ++i) {
    int32_t expected = 0;
    )" + check + R"(
    if (y[i] != expected) { std::printf("y[%d] is %d, not %d\n", i, y[i], expected); return 1; }
  }
  return 0;
}
)";
  std::string file = dir->path() / "forms.asc";
  EXPECT_TRUE(base::WriteFileAtomic(file, source).ok());
  ProgramRequest request;
  request.sources = {file};
  request.cwd = dir->path();
  return RunProgram(**chip, request);
}

std::string InAndOut(const std::string& middle) {
  return R"(
  InitSocState();
  GlobalTensor<int32_t> in, out;
  in.SetGlobalBuffer(x, 1024);
  out.SetGlobalBuffer(y, 1024);
  LocalMemAllocator<Hardware::UB> ub;
  auto a = ub.Alloc<int32_t, 1024>();
  auto b = ub.Alloc<int32_t, 1024>();
  DataCopy(a, in, 1024);
  DataCopy(b, out, 1024);
  PipeBarrier<PIPE_ALL>();
)" + middle +
         R"(
  PipeBarrier<PIPE_ALL>();
  DataCopy(out, b, 1024);
  PipeBarrier<PIPE_ALL>();)";
}

#define EXPECT_PASS(result)                                                        \
  do {                                                                             \
    ProgramResult r = (result);                                                    \
    EXPECT_EQ(r.verdict, record::Verdict::kPass) << r.reason << "\n" << r.console; \
  } while (0)

TEST(ChipForms, PartialMaskReachesEveryRepeat) {
  EXPECT_PASS(RunKernel(InAndOut("Adds(b, a, 5, uint64_t(3), 4, {1, 1, 8, 8});"), 1,
                        "if (i < 256 && i % 64 < 3) expected = i + 5;"));
}

TEST(ChipForms, CopyCountsElementsPerRepeatInCounterMode) {
  EXPECT_PASS(RunKernel(
      InAndOut(R"(
  SetMaskCount();
  SetVectorMask<int32_t, MaskMode::COUNTER>(80);
  Copy<int32_t, false>(b, a, MASK_PLACEHOLDER, 2, {1, 8, 16, 1});
  SetMaskNorm();
  ResetMask();)"),
      1,
      // each repeat: ten DataBlocks, 8 apart in the source; the second starts one DataBlock further
      "int r = i / 128, e = i % 128; if (r < 2 && e < 80) expected = r * 8 + e / 8 * 64 + e % 8;"));
}

TEST(ChipForms, GroupBarrierWaitsForAllArrivals) {
  // Block 0 waits for 1 to 3, which leave their numbers behind; a second round shows that the
  // barrier is reusable.
  EXPECT_PASS(RunKernel(
      R"(
  InitSocState();
  GlobalTensor<int32_t> out;
  out.SetGlobalBuffer(y, 1024);
  GroupBarrier<PipeMode::MTE3_MODE> barrier((GM_ADDR)(y + 512), 3, 1);
  int32_t me = GetBlockIdx();
  for (int round = 1; round <= 2; ++round) {
    if (me > 0) {
      WriteGmByPassDCache<int32_t>(y + me * 16, me * round);
      barrier.Arrive(me - 1);
    } else {
      barrier.Wait(0);
      int32_t sum = 0;
      for (int i = 1; i < 4; ++i) sum += ReadGmByPassDCache<int32_t>(y + i * 16);
      WriteGmByPassDCache<int32_t>(y + 256 + round * 16, sum);
      WriteGmByPassDCache<int32_t>(y + 400, round);
    }
    while (ReadGmByPassDCache<int32_t>(y + 400) < round) {
    }
  }
  PipeBarrier<PIPE_ALL>();)",
      4,
      "if (i % 16 == 0 && i > 0 && i < 64) expected = i / 16 * 2; if (i == 272) expected = 6; "
      "if (i == 288) expected = 12; if (i == 400) expected = 2;"));
}

TEST(ChipForms, PaddingTakesTheValueOfSetPadValue) {
  EXPECT_PASS(RunKernel(R"(
  InitSocState();
  GlobalTensor<int32_t> in, out;
  in.SetGlobalBuffer(x, 1024);
  out.SetGlobalBuffer(y, 1024);
  LocalMemAllocator<Hardware::UB> ub;
  auto a = ub.Alloc<int32_t, 8>();
  SetPadValue<int32_t>(77);
  DataCopyExtParams move{1, 20, 0, 0, 0};
  DataCopyPadExtParams<int32_t> pad;
  pad.isPad = false;
  pad.leftPadding = 0;
  pad.rightPadding = 3;
  DataCopyPad(a, in[1], move, pad);
  PipeBarrier<PIPE_ALL>();
  DataCopy(out, a, 8);
  PipeBarrier<PIPE_ALL>();)",
                        1, "if (i < 8) expected = i < 5 ? i + 1 : 77;"));
}

}  // namespace
}  // namespace akgen::judge
