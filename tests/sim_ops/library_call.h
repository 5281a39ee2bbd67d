// A call of a library function of many operands, and looking at what came out.
#pragma once
#include <gtest/gtest.h>

#include "values.h"

namespace akgen::sim::test {

// A call of a library function: operands 12 KiB apart, addresses in a list.
class Call {
 public:
  Call(uint32_t op, uint8_t type, uint8_t results) : type_(type) {
    v = Instr(op, type, type, type);
    v.form = AKGEN_FORM_WHOLE, v.repeat = 1, v.round_mode = results;
    for (uint64_t i = 0; i < kOperands; ++i)
      list_[i] = reinterpret_cast<uint64_t>(core.At<void>(i * kApart));
    v.aux[0] = reinterpret_cast<uint64_t>(list_);
    v.dst = core.At<void>(0), v.tmp = core.At<void>(kOperands * kApart), v.tmp_bytes = 65536;
  }
  void Size(uint32_t a, uint32_t b, uint32_t c = 0, uint32_t d = 0) {
    v.aux[1] = a | uint64_t(b) << 32;
    v.aux[2] = c | uint64_t(d) << 32;
  }
  void Scalar(float x) { v.scalar = std::bit_cast<uint32_t>(x); }
  double Put(int operand, int i, double x, uint8_t type) {
    uint8_t* at = core.At<uint8_t>(size_t(operand) * kApart);
    if (type == AKGEN_I32) return reinterpret_cast<int32_t*>(at)[i] = int32_t(x);
    if (type == AKGEN_I8) return reinterpret_cast<int8_t*>(at)[i] = int8_t(x);
    if (type == AKGEN_U8) return at[i] = uint8_t(x);
    if (type == AKGEN_F32) return reinterpret_cast<float*>(at)[i] = float(x);
    reinterpret_cast<uint16_t*>(at)[i] = base::DoubleToHalf(x);
    return HalfValue(reinterpret_cast<uint16_t*>(at)[i]);
  }
  double Get(int operand, int i, uint8_t type) {
    const uint8_t* at = core.At<uint8_t>(size_t(operand) * kApart);
    if (type == AKGEN_I32) return reinterpret_cast<const int32_t*>(at)[i];
    if (type == AKGEN_BF16) return base::Bf16ToFloat(reinterpret_cast<const uint16_t*>(at)[i]);
    return type == AKGEN_F32 ? reinterpret_cast<const float*>(at)[i]
                             : HalfValue(reinterpret_cast<const uint16_t*>(at)[i]);
  }
  std::vector<double> Fill(int operand, int n, double from, double to, uint8_t type) {
    std::vector<double> x(n);
    for (int i = 0; i < n; ++i)
      x[i] = Put(operand, i, from + (to - from) * double(rng_() % 4096) / 4096, type);
    return x;
  }
  std::vector<double> Fill(int operand, int n, double from = -3, double to = 5) {
    return Fill(operand, n, from, to, type_);
  }
  void Near(int operand, int i, double want, uint8_t type, double scale = 1) {
    const double unit = type == AKGEN_F32 ? 2e-6 : 1.1e-3;
    EXPECT_NEAR(Get(operand, i, type), want, unit * (std::abs(want) + scale))
        << VecOpName(v.op) << " operand " << operand << " at " << i;
  }
  void Run() {
    RunOwn(core, v);
    EXPECT_TRUE(core.broken.empty()) << core.broken.front();
    EXPECT_EQ(core.outside, 0u);
  }
  void Without(int operand) { list_[operand] = 0; }
  void Share(int operand, int other) { list_[operand] = list_[other]; }
  static constexpr size_t kApart = 12288, kOperands = 9;
  Core core;
  AkgenVec v;

 private:
  uint8_t type_;
  uint64_t list_[kOperands];
  std::mt19937 rng_{97};
};

}  // namespace akgen::sim::test
