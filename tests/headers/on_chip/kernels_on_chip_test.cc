#include <gtest/gtest.h>
#include <memory>
#include "kernels.h"
#include "sim/launch/launch.h"

namespace {
using akgen::sim::GmRegion;
using akgen::sim::Role;

class KernelsOnChip : public testing::Test {
 protected:
  void TearDown() override { akgen::sim::ClearGmRegions(); }
  template <typename T>
  T* Region(size_t count, Role role, T fill = T(0)) {
    memory_.push_back(std::make_unique<uint8_t[]>(count * sizeof(T) + 512));
    auto* base = reinterpret_cast<uint8_t*>(
        (reinterpret_cast<uintptr_t>(memory_.back().get()) + 511) & ~uintptr_t{511});
    T* data = reinterpret_cast<T*>(base);
    for (size_t i = 0; i < count; ++i) data[i] = fill;
    akgen::sim::AddGmRegion({"gm" + std::to_string(memory_.size()), base, count * sizeof(T), role});
    return data;
  }
  // Runs and expects no finding.
  std::string Clean(std::function<void()> kernel, uint32_t blocks = 1,
                    uint8_t* workspace = nullptr) {
    static const akgen::sim::ChipModel kChip = akgen::sim::ModelOf(*akgen::chip::LoadChip());
    akgen::sim::LaunchRequest request;
    request.chip = kChip;
    request.kernel = std::move(kernel);
    request.blocks = blocks;
    request.sys_workspace = workspace;
    const auto result = akgen::sim::Launch(request);
    EXPECT_EQ(result.status, "ok") << result.detail;
    for (const auto& finding : result.findings)
      ADD_FAILURE() << akgen::sim::ToJson(finding, 0, UINTPTR_MAX).dump();
    return result.print_output;
  }
  template <typename T>
  static uint8_t* Bytes(T* data) {
    return reinterpret_cast<uint8_t*>(data);
  }

 private:
  std::vector<std::unique_ptr<uint8_t[]>> memory_;
};
constexpr size_t kSystem = 16 << 20;  // RESERVED_WORKSPACE

TEST_F(KernelsOnChip, InitOutputFillsEveryElement) {
  float* y = Region<float>(6000, Role::kOutput);
  Clean([=] { fill_kernel(Bytes(y)); }, 2);
  for (int i = 0; i < 6000; ++i) ASSERT_EQ(y[i], 2.5f) << i;
}

TEST_F(KernelsOnChip, SlicesPickTheDocumentedPieces) {
  float* x = Region<float>(261, Role::kInput);
  for (int i = 0; i < 261; ++i) x[i] = static_cast<float>(i);
  float* y = Region<float>(96, Role::kOutput);
  Clean([=] { slice_kernel(Bytes(x), Bytes(y)); });
  const int starts[] = {16, 47, 190, 221};
  for (int i = 0; i < 96; ++i) ASSERT_EQ(y[i], static_cast<float>(starts[i / 24] + i % 24)) << i;
}

TEST_F(KernelsOnChip, PaddingFillsRows) {
  auto* x = Region<_Float16>(10, Role::kInput);
  for (int i = 0; i < 10; ++i) x[i] = static_cast<_Float16>(i);
  auto* y = Region<_Float16>(32, Role::kOutput);
  Clean([=] { pad_kernel(Bytes(x), Bytes(y)); });
  for (int i = 0; i < 32; ++i)
    ASSERT_EQ(static_cast<float>(y[i]), i % 16 < 5 ? static_cast<float>(i / 16 * 5 + i % 16) : 7.0f)
        << i;
}

TEST_F(KernelsOnChip, PoolsShareMemoryOneAfterTheOther) {
  auto* x = Region<_Float16>(256, Role::kInput, static_cast<_Float16>(1.5));
  auto* y = Region<_Float16>(256, Role::kOutput);
  Clean([=] { pool_kernel(Bytes(x), Bytes(y)); });
  for (int i = 0; i < 256; ++i) ASSERT_EQ(static_cast<float>(y[i]), 3.0f);
}

TEST_F(KernelsOnChip, AtomicAddAcrossBlocks) {
  float* x = Region<float>(64, Role::kInput, 2.0f);
  float* y = Region<float>(64, Role::kInout, 1.0f);
  Clean([=] { atomic_kernel(Bytes(x), Bytes(y)); }, 4);
  for (int i = 0; i < 64; ++i) ASSERT_EQ(y[i], 9.0f);
}

TEST_F(KernelsOnChip, DetermineComputeRunsBlocksInOrder) {
  auto* y = Region<int32_t>(64, Role::kInout, 0);
  auto* workspace = Region<uint8_t>(kSystem + 4096, Role::kWorkspace);
  Clean([=] { order_kernel(Bytes(y), workspace); }, 5, workspace);
  EXPECT_EQ(y[0], 5);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(y[1 + i], i);
}

TEST_F(KernelsOnChip, SyncAllLetsBlocksExchange) {
  auto* x = Region<int32_t>(8 * 6, Role::kInput);
  for (int i = 0; i < 48; ++i) x[i] = i;
  auto* y = Region<int32_t>(8 * 6, Role::kOutput);
  auto* workspace = Region<uint8_t>(kSystem + 4096, Role::kWorkspace);
  Clean([=] { sync_kernel(Bytes(x), Bytes(y), workspace); }, 6, workspace);
  for (int i = 0; i < 48; ++i) EXPECT_EQ(y[i], (i + 8) % 48);
}

TEST_F(KernelsOnChip, ExpressionsCompute) {
  float* x = Region<float>(64, Role::kInput, 3.0f);
  float* y = Region<float>(64, Role::kOutput);
  Clean([=] { expression_kernel(Bytes(x), Bytes(y)); });
  for (int i = 0; i < 64; ++i) ASSERT_EQ(y[i], 6.0f);
}

TEST_F(KernelsOnChip, PrintfReachesTheResult) {
  float* x = Region<float>(64, Role::kInput, 1.25f);
  EXPECT_EQ(Clean([=] { print_kernel(Bytes(x)); }, 2), "block 0 of 2: 1.25\nblock 1 of 2: 1.25\n");
}
}  // namespace
