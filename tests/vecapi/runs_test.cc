// The kernels of runs.cpp on the simulated chip, against answers worked out here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "chip/chip.h"
#include "sim/launch/launch.h"

namespace sim = akgen::sim;
namespace {

constexpr size_t kBytes = 8192;
using Kernel = void (*)(uint8_t*, uint8_t*);

class KernelRun {
 public:
  explicit KernelRun(Kernel kernel, const std::vector<float>& input)
      : in_(kBytes, 0), out_(kBytes, 0) {
    std::memcpy(in_.data(), input.data(), input.size() * sizeof(float));
    Launch(kernel);
  }
  KernelRun(Kernel kernel, const std::vector<uint16_t>& input) : in_(kBytes, 0), out_(kBytes, 0) {
    std::memcpy(in_.data(), input.data(), input.size() * sizeof(uint16_t));
    Launch(kernel);
  }
  template <typename T>
  T Out(size_t byte, size_t index) const {
    T value;
    std::memcpy(&value, out_.data() + byte + index * sizeof(T), sizeof(T));
    return value;
  }
  float F(size_t byte, size_t index) const { return Out<float>(byte, index); }

 private:
  void Launch(Kernel kernel) {
    sim::ClearGmRegions();
    sim::AddGmRegion({"in", in_.data(), kBytes, sim::Role::kInput});
    sim::AddGmRegion({"out", out_.data(), kBytes, sim::Role::kOutput});
    static const sim::ChipModel kChip = sim::ModelOf(*akgen::chip::LoadChip());
    sim::LaunchRequest request;
    request.chip = kChip;
    request.kernel = [&] { kernel(in_.data(), out_.data()); };
    const sim::LaunchResult result = sim::Launch(request);
    EXPECT_EQ(result.status, "ok") << result.detail;
    for (const auto& f : result.findings) ADD_FAILURE() << f.message;
    sim::ClearGmRegions();
  }
  alignas(64) std::vector<uint8_t> in_, out_;
};

// 0, 1, 2 … in the first half, 1000, 1001 … in the second.
std::vector<float> Ramp() {
  std::vector<float> v(2048);
  for (size_t i = 0; i < 2048; ++i) v[i] = i < 1024 ? float(i) : float(1000 + i - 1024);
  return v;
}
float Scrambled(uint32_t i) { return float((i * 73 + 19) % 160); }
}  // namespace

#define KERNEL(name) extern "C" void name(uint8_t*, uint8_t*);
KERNEL(RunMaskRegister)
KERNEL(RunStridedMask)
KERNEL(RunBrcb)
KERNEL(RunGather)
KERNEL(RunGatherMask)
KERNEL(RunTranspose)
KERNEL(RunTranspose4d)
KERNEL(RunTransLists)
KERNEL(RunAddressRegisters)
KERNEL(RunSort)
KERNEL(RunReduce)
KERNEL(RunAccumulator)
KERNEL(RunCompareSelect)
KERNEL(RunRows)
KERNEL(RunSoftMax)
KERNEL(RunSelectBytes)
KERNEL(RunMath)
KERNEL(RunGlu)
KERNEL(RunQuant)

TEST(VecRuns, MaskRegister) {
  KernelRun r(RunMaskRegister, Ramp());
  EXPECT_EQ(r.F(0, 99), 100);
  EXPECT_EQ(r.F(0, 100), 0);
  EXPECT_EQ(r.F(1024, 99), 198);  // the count of the call does not matter
  EXPECT_EQ(r.F(1024, 100), 0);
}

TEST(VecRuns, StridedMask) {
  KernelRun r(RunStridedMask, Ramp());
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(r.F(0, 64 * k + 9), float(64 * k + 9 + 1009));  // src1 does not advance
    EXPECT_EQ(r.F(0, 64 * k + 10), 0);
  }
}

TEST(VecRuns, BrcbGather) {
  KernelRun r(RunBrcb, Ramp());
  for (size_t i = 0; i < 128; ++i) EXPECT_EQ(r.F(0, i), float(i / 8));
  KernelRun g(RunGather, Ramp());
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(g.F(0, i), float(2 * i + 1));
  KernelRun m(RunGatherMask, Ramp());
  EXPECT_EQ(m.Out<int32_t>(0, 0), 64);
  EXPECT_EQ(m.Out<int32_t>(0, 1), 5);  // bits 0 and 31 of each 32, of 70 elements
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(m.F(32, i), float(2 * i));
  const float picked[5] = {0, 31, 32, 63, 64};
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(m.F(1024, i), picked[i]);
}

TEST(VecRuns, Transposes) {
  std::vector<uint16_t> x(256);
  std::iota(x.begin(), x.end(), uint16_t(0));
  for (Kernel k : {RunTranspose, RunTransLists, RunAddressRegisters}) {
    KernelRun r(k, x);
    for (size_t i = 0; i < 256; ++i) EXPECT_EQ(r.Out<uint16_t>(0, i), (i % 16) * 16 + i / 16);
  }
}

TEST(VecRuns, ChannelsLastAndBack) {
  KernelRun r(RunTranspose4d, Ramp());
  for (size_t n = 0; n < 2; ++n)
    for (size_t c = 0; c < 3; ++c)
      for (size_t i = 0; i < 32; ++i) {
        EXPECT_EQ(r.F(0, 96 * n + 3 * i + c), float(96 * n + 32 * c + i));
        EXPECT_EQ(r.F(4096, 96 * n + 32 * c + i), float(96 * n + 32 * c + i));
      }
}

TEST(VecRuns, FullSort) {
  std::vector<float> x(160);
  for (uint32_t i = 0; i < 160; ++i) x[i] = Scrambled(i);
  KernelRun r(RunSort, x);
  for (uint32_t i = 0; i < 160; ++i) {
    EXPECT_EQ(r.F(0, i), float(159 - i));
    EXPECT_EQ(Scrambled(r.Out<uint32_t>(4096, i)), float(159 - i));
  }
}

TEST(VecRuns, Reductions) {
  std::vector<float> x(128);
  for (uint32_t i = 0; i < 128; ++i) x[i] = Scrambled(i);
  KernelRun r(RunReduce, x);
  const auto top = std::max_element(x.begin(), x.begin() + 100);
  EXPECT_EQ(r.F(0, 0), *top);
  EXPECT_EQ(r.Out<uint32_t>(0, 1), uint32_t(top - x.begin()));
  EXPECT_EQ(r.F(32, 0), std::accumulate(x.begin(), x.begin() + 100, 0.0f));
  for (size_t k = 0; k < 2; ++k) {
    const auto low = std::min_element(x.begin() + 64 * k, x.begin() + 64 * (k + 1));
    EXPECT_EQ(r.F(64, 2 * k), *low);
    EXPECT_EQ(r.Out<uint32_t>(64, 2 * k + 1), uint32_t(low - x.begin() - 64 * k));
  }
  EXPECT_EQ(r.F(96, 3), std::accumulate(x.begin() + 24, x.begin() + 32, 0.0f));
  EXPECT_EQ(r.F(128, 31), x[62] + x[63]);
  EXPECT_EQ(KernelRun(RunAccumulator, x).F(0, 0),
            std::accumulate(x.begin(), x.begin() + 100, 0.0f));
}

TEST(VecRuns, CompareSelect) {
  KernelRun r(RunCompareSelect, Ramp());
  EXPECT_EQ(r.F(0, 49), 49);
  EXPECT_EQ(r.F(0, 50), -1);
  EXPECT_EQ(r.F(1024, 49), 49);
  EXPECT_EQ(r.F(1024, 50), 1050);
  EXPECT_EQ(r.F(2048, 7), 1007);
}

TEST(VecRuns, Rows) {
  KernelRun r(RunRows, Ramp());
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(r.F(0, k), float(13 * 16 * k + 78));
    EXPECT_FLOAT_EQ(r.F(32, k), float(16 * k + 6));
    for (size_t j = 0; j < 16; ++j) {
      EXPECT_EQ(r.F(1024, 16 * k + j), float(k));
      EXPECT_EQ(r.F(2048, 16 * k + j), float(j));
      EXPECT_EQ(r.F(3072, 16 * k + j), float((j + 1) * 16 * k + j * (j + 1) / 2));
    }
  }
}

TEST(VecRuns, SoftMax) {
  std::vector<float> x(2048, 0);
  for (size_t i = 0; i < 64; ++i) x[i] = float(i % 16) * 0.25f, x[1024 + i] = float(i % 5);
  KernelRun r(RunSoftMax, x);
  for (size_t k = 0; k < 4; ++k) {
    double sum = 0, front = 0;
    for (size_t j = 0; j < 16; ++j)
      sum += std::exp(x[16 * k + j]), front += double(x[16 * k + j]) * x[1024 + 16 * k + j];
    for (size_t j = 0; j < 16; ++j) {
      const size_t i = 16 * k + j;
      EXPECT_NEAR(r.F(0, i), std::exp(x[i]) / sum, 1e-6);
      EXPECT_NEAR(r.F(1024, i), (x[1024 + i] - front) * x[i], 1e-3);
      EXPECT_EQ(r.F(2048, i), r.F(0, i));
    }
    for (size_t j = 0; j < 8;
         ++j) {  // a DataBlock each: the sum of the exponentials and the maximum
      EXPECT_NEAR(r.F(3072, 8 * k + j), sum / std::exp(double(x[16 * k + 15])), 1e-5);
      EXPECT_EQ(r.F(4096, 8 * k + j), x[16 * k + 15]);
    }
  }
}

TEST(VecRuns, SelectBytes) {
  KernelRun r(RunSelectBytes, Ramp());  // mask bytes 0, 1, 0, 1 …: zero takes the first source
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(r.F(0, i), i % 2 ? -1.0f : float(i));
    EXPECT_EQ(r.F(1024, i), i % 2 ? float(i) : -1.0f);
  }
}

TEST(VecRuns, GatedLinearUnits) {
  KernelRun r(RunGlu, Ramp());
  std::vector<float> ramp = Ramp();
  for (size_t i = 0; i < 8; ++i) {
    const double x = ramp[1024 + i], y = double(i);
    EXPECT_NEAR(r.F(0, i), x * y / (1 + std::exp(-1.702 * y)), 1e-3);
    EXPECT_NEAR(r.F(32, i),
                x * y / (1 + std::exp(-0.0713548162726 * y * (y * y + 22.363860002236))), 1e-3);
    EXPECT_EQ(r.F(64, i), float(x * y));
  }
}

TEST(VecRuns, Quantisation) {
  KernelRun r(RunQuant, Ramp());
  for (int i = 0; i < 32; ++i) EXPECT_EQ(r.Out<int8_t>(0, i), int(std::nearbyint(i * 0.5 - 3)));
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(r.Out<int8_t>(32, i), std::min(127, i * (i % 32) + 1));
    EXPECT_EQ(r.Out<int8_t>(96, i), std::min(127, i * (i % 32) + i % 32));
  }
  for (int i = 0; i < 16; ++i) EXPECT_EQ(r.F(1024, 16 + i), 0.25f * float(16 + i));
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(r.F(2048, 8 + i), float(i * (8 + i)));  // one row taken as two
}

TEST(VecRuns, Mathematics) {
  KernelRun r(RunMath, Ramp());
  std::vector<float> ramp = Ramp();
  const auto* low = reinterpret_cast<const uint16_t*>(ramp.data());
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_FLOAT_EQ(r.F(0, i), float(i * i));
    EXPECT_FLOAT_EQ(r.F(32, i), std::exp2(float(i)));
    EXPECT_NEAR(r.F(64, i) / std::exp(float(i)), 1, 1e-6);
    EXPECT_EQ(r.F(96, i), std::min(float(i), 3.0f));
    EXPECT_NEAR(r.F(160, i), i / (1 + std::exp(-2.0 * i)), 1e-5);
    EXPECT_EQ(r.F(192, i), float(3 * i));
  }
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(r.Out<uint16_t>(128, i), low[i] ^ low[2048 + i]);
}
