#include <gtest/gtest.h>

#include "values.h"

namespace akgen::sim::test {
namespace {

enum Mode { kNone, kRint, kFloor, kCeil, kRound, kTrunc, kOdd };

// Integral value of v in a mode, in double.
double Integral(double v, int mode) {
  switch (mode) {
    case kFloor: return std::floor(v);
    case kCeil: return std::ceil(v);
    case kRound: return std::round(v);
    case kTrunc: return std::trunc(v);
    default: return std::nearbyint(v);
  }
}
template <class I>
I Saturated(double v) {
  if (std::isnan(v)) return 0;
  if (v >= double(std::numeric_limits<I>::max())) return std::numeric_limits<I>::max();
  if (v <= double(std::numeric_limits<I>::min())) return std::numeric_limits<I>::min();
  return I(v);
}

// v rounded to `mant` fraction bits with smallest normal exponent min_exp, the exponent unbounded
// above.
double RoundTo(double v, int mant, int min_exp, int mode) {
  if (v == 0 || !std::isfinite(v)) return v;
  int e = std::ilogb(v);
  int scale = (e < min_exp ? min_exp : e) - mant;
  double q = std::scalbn(v, -scale), n = Integral(q, mode);
  if (mode == kOdd && std::trunc(q) != q) {
    n = std::trunc(q);
    if (std::fmod(n, 2) == 0) n += v > 0 ? 1 : -1;
  }
  return std::copysign(std::scalbn(n, scale), v);
}
uint16_t HalfBits(double v, int mode) {
  double r = RoundTo(v, 10, -14, mode);
  return std::fabs(r) > 65504 ? (v > 0 ? 0x7c00 : 0xfc00) : base::DoubleToHalf(r);
}
uint16_t Bf16Bits(double v, int mode) {
  double r = RoundTo(v, 7, -126, mode);
  return std::fabs(r) > 3.3895314e38 ? (v > 0 ? 0x7f80 : 0xff80) : base::DoubleToBf16(r);
}

template <class D, class S>
std::vector<D> Cast(uint8_t d, uint8_t s, int mode, const std::vector<S>& v, float deq = 1) {
  RunFn run = FindRun(Instr(AKGEN_OP_Cast, d, s, AKGEN_NO_DTYPE, uint8_t(mode)));
  EXPECT_NE(run, nullptr) << int(s) << " to " << int(d) << " mode " << mode;
  std::vector<D> out(v.size());
  RunArgs args;
  args.deq_scale = deq;
  args.round_mode = uint8_t(mode);
  if (run) run(out.data(), v.data(), nullptr, uint32_t(v.size()), args);
  return out;
}

std::vector<uint16_t> AllHalves() {
  std::vector<uint16_t> v(65536);
  for (uint32_t i = 0; i < 65536; ++i) v[i] = uint16_t(i);
  return v;
}

template <class I>
void HalfToInt(uint8_t type, bool none) {
  auto v = AllHalves();
  for (int mode = none ? kNone : kRint; mode <= kTrunc; ++mode) {
    auto out = Cast<I>(type, AKGEN_F16, mode, v);
    for (size_t i = 0; i < v.size(); ++i)
      ASSERT_EQ(out[i], Saturated<I>(Integral(HalfValue(v[i]), mode)))
          << std::hex << v[i] << " mode " << mode;
  }
}
TEST(Cast, EveryHalfToIntegers) {
  HalfToInt<int8_t>(AKGEN_I8, true);
  HalfToInt<uint8_t>(AKGEN_U8, true);
  HalfToInt<int16_t>(AKGEN_I16, false);
  HalfToInt<int32_t>(AKGEN_I32, false);
}
TEST(Cast, EveryHalfToFloatAndBack) {
  auto v = AllHalves();
  auto f = Cast<uint32_t>(AKGEN_F32, AKGEN_F16, kNone, v);
  for (size_t i = 0; i < v.size(); ++i)
    ASSERT_TRUE(Same(f[i], std::bit_cast<uint32_t>(float(HalfValue(v[i])))));
  for (int mode = kNone; mode <= kOdd; ++mode) {
    auto back = Cast<uint16_t>(AKGEN_F16, AKGEN_F32, mode, f);
    for (size_t i = 0; i < v.size(); ++i)
      ASSERT_TRUE(Same(back[i], v[i])) << std::hex << v[i] << " mode " << mode;
  }
}
TEST(Cast, EveryBfloatToFloatAndInt32) {
  auto v = AllHalves();
  auto f = Cast<uint32_t>(AKGEN_F32, AKGEN_BF16, kNone, v);
  for (size_t i = 0; i < v.size(); ++i) ASSERT_TRUE(Same(f[i], uint32_t(v[i]) << 16));
  for (int mode = kRint; mode <= kTrunc; ++mode) {
    auto out = Cast<int32_t>(AKGEN_I32, AKGEN_BF16, mode, v);
    for (size_t i = 0; i < v.size(); ++i)
      ASSERT_EQ(out[i], Saturated<int32_t>(Integral(FloatValue(uint32_t(v[i]) << 16), mode)))
          << std::hex << v[i];
  }
}

std::vector<uint32_t> Floats() {
  auto v = WithRandom(FloatEdges(), 60000, 21);
  std::mt19937 rng(22);
  for (int i = 0; i < 60000; ++i) {  // the range of half and its ties
    float f = std::ldexp(float(int32_t(rng())) / 2147483648.0f, int(rng() % 44) - 27);
    v.push_back(std::bit_cast<uint32_t>(f));
    v.push_back(std::bit_cast<uint32_t>(f) & 0xfffff000);
    v.push_back((std::bit_cast<uint32_t>(f) & 0xffffe000) | 0x1000);
    v.push_back((std::bit_cast<uint32_t>(f) & 0xffff0000) | 0x8000);
    v.push_back(std::bit_cast<uint32_t>(float(int32_t(rng() % 4096) - 2048) / 2));
  }
  return v;
}
TEST(Cast, FloatToHalfAllModes) {
  auto v = Floats();
  for (int mode = kNone; mode <= kOdd; ++mode) {
    auto out = Cast<uint16_t>(AKGEN_F16, AKGEN_F32, mode, v);
    for (size_t i = 0; i < v.size(); ++i) {
      double x = FloatValue(v[i]);
      uint16_t want = std::isnan(x) ? 0x7e00 : HalfBits(x, mode);
      ASSERT_TRUE(Same(out[i], want))
          << std::hex << v[i] << " mode " << mode << " gives " << out[i] << " not " << want;
    }
  }
}
TEST(Cast, FloatToBfloatAllModes) {
  auto v = Floats();
  for (int mode = kRint; mode <= kTrunc; ++mode) {
    auto out = Cast<uint16_t>(AKGEN_BF16, AKGEN_F32, mode, v);
    for (size_t i = 0; i < v.size(); ++i) {
      double x = FloatValue(v[i]);
      uint16_t want = std::isnan(x) ? 0x7fc0 : Bf16Bits(x, mode);
      bool nan = std::isnan(x) && (out[i] & 0x7fff) > 0x7f80;
      ASSERT_TRUE(nan || out[i] == want)
          << std::hex << v[i] << " mode " << mode << " gives " << out[i];
    }
  }
}
template <class I>
void FloatToInt(uint8_t type) {
  auto v = Floats();
  for (int mode = kRint; mode <= kTrunc; ++mode) {
    auto out = Cast<I>(type, AKGEN_F32, mode, v);
    for (size_t i = 0; i < v.size(); ++i)
      ASSERT_EQ(out[i], Saturated<I>(Integral(FloatValue(v[i]), mode)))
          << std::hex << v[i] << " mode " << mode;
  }
}
TEST(Cast, FloatToIntegers) {
  FloatToInt<int16_t>(AKGEN_I16);
  FloatToInt<int32_t>(AKGEN_I32);
  FloatToInt<int64_t>(AKGEN_I64);
}
TEST(Cast, FloatToFloatLosesTheSignOfZero) {
  auto v = Floats();
  for (int mode = kRint; mode <= kTrunc; ++mode) {
    auto out = Cast<uint32_t>(AKGEN_F32, AKGEN_F32, mode, v);
    for (size_t i = 0; i < v.size(); ++i) {
      double n = Integral(FloatValue(v[i]), mode);
      ASSERT_TRUE(Same(out[i], std::bit_cast<uint32_t>(n == 0 ? 0.0f : float(n))))
          << std::hex << v[i];
    }
  }
}

TEST(Cast, FromSmallIntegers) {
  std::vector<int8_t> s8(256);
  std::vector<uint8_t> u8(256);
  for (int i = 0; i < 256; ++i) s8[i] = int8_t(i), u8[i] = uint8_t(i);
  auto a = Cast<uint16_t>(AKGEN_F16, AKGEN_I8, kNone, s8);
  auto b = Cast<uint16_t>(AKGEN_F16, AKGEN_U8, kNone, u8);
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(a[i], base::DoubleToHalf(s8[i]));
    EXPECT_EQ(b[i], base::DoubleToHalf(u8[i]));
  }
  std::vector<int16_t> s16(65536);
  for (int i = 0; i < 65536; ++i) s16[i] = int16_t(i);
  for (int mode = kNone; mode <= kTrunc; ++mode) {
    auto h = Cast<uint16_t>(AKGEN_F16, AKGEN_I16, mode, s16);
    for (int i = 0; i < 65536; ++i)
      ASSERT_EQ(h[i], HalfBits(s16[i], mode)) << s16[i] << " mode " << mode;
  }
  auto f = Cast<float>(AKGEN_F32, AKGEN_I16, kNone, s16);
  for (int i = 0; i < 65536; ++i) ASSERT_EQ(f[i], float(s16[i]));
}

TEST(Cast, FromWideIntegers) {
  std::vector<int32_t> v32 = {0,         1,        -1,    INT32_MAX, INT32_MIN, 16777217,
                              -16777217, 16777219, 32768, -32769,    65504};
  v32 = WithRandom(v32, 20000, 23);
  std::vector<int64_t> v64 = {0, 1, -1, INT64_MAX, INT64_MIN, 1ll << 40, 16777217, (1ll << 53) + 1};
  std::mt19937_64 rng(24);
  while (v64.size() < 20000) v64.push_back(int64_t(rng()) >> (rng() % 50));
  for (int mode = kNone; mode <= kTrunc; ++mode) {
    auto f = Cast<float>(AKGEN_F32, AKGEN_I32, mode, v32);
    for (size_t i = 0; i < v32.size(); ++i)
      ASSERT_EQ(double(f[i]), RoundTo(v32[i], 23, -126, mode)) << v32[i] << " mode " << mode;
  }
  for (int mode = kRint; mode <= kTrunc; ++mode) {
    auto f = Cast<float>(AKGEN_F32, AKGEN_I64, mode, v64);
    for (size_t i = 0; i < v64.size(); ++i) {
      if (std::abs(double(v64[i])) >= 9007199254740992.0)
        continue;  // the model's double is not exact there
      ASSERT_EQ(double(f[i]), RoundTo(double(v64[i]), 23, -126, mode))
          << v64[i] << " mode " << mode;
    }
  }
  auto s16 = Cast<int16_t>(AKGEN_I16, AKGEN_I32, kNone, v32);
  auto s64 = Cast<int64_t>(AKGEN_I64, AKGEN_I32, kNone, v32);
  for (size_t i = 0; i < v32.size(); ++i) {
    EXPECT_EQ(s16[i], Saturated<int16_t>(v32[i]));
    EXPECT_EQ(s64[i], v32[i]);
  }
  auto s32 = Cast<int32_t>(AKGEN_I32, AKGEN_I64, kNone, v64);
  for (size_t i = 0; i < v64.size(); ++i) EXPECT_EQ(s32[i], Saturated<int32_t>(double(v64[i])));
}

TEST(Cast, Int32ToHalfUsesTheDequantScale) {
  auto v = WithRandom(std::vector<int32_t>{0, 65504, -65504, INT32_MAX, INT32_MIN, 2049, 2051},
                      5000, 25);
  for (float scale : {1.0f, 0.0999755859375f, 0.00048828125f})
    for (int mode : {int(kNone), int(kCeil)}) {
      auto out = Cast<uint16_t>(AKGEN_F16, AKGEN_I32, mode, v, scale);
      for (size_t i = 0; i < v.size(); ++i)
        ASSERT_EQ(out[i], base::DoubleToHalf(double(v[i]) * scale)) << v[i];
    }
}

TEST(Cast, Int4) {
  std::vector<uint8_t> packed(256);
  for (int i = 0; i < 256; ++i) packed[i] = uint8_t(i);
  std::vector<uint16_t> out(512);
  FindRun(Instr(AKGEN_OP_Cast, AKGEN_F16, AKGEN_I4))(out.data(), packed.data(), nullptr, 512,
                                                     RunArgs{});
  for (int i = 0; i < 512; ++i) {
    int nibble = (i / 2 >> (i % 2 ? 4 : 0)) & 15;
    EXPECT_EQ(HalfValue(out[i]), nibble >= 8 ? nibble - 16 : nibble);
  }
  std::vector<uint16_t> h = {0x7bff, 0xfbff, 0x7e00,
                             0x3e00, 0xbe00, 0x4100};  // max min nan 1.5 -1.5 2.5
  std::vector<uint8_t> p(3, 0xff);
  FindRun(Instr(AKGEN_OP_Cast, AKGEN_I4, AKGEN_F16, AKGEN_NO_DTYPE, kRint))(p.data(), h.data(),
                                                                            nullptr, 6, RunArgs{});
  EXPECT_EQ(p, (std::vector<uint8_t>{0x87, 0x20, 0x2e}));
}

TEST(Cast, OnlyTheDocumentedModes) {
  auto find = [](uint8_t d, uint8_t s, int mode) {
    return FindRun(Instr(AKGEN_OP_Cast, d, s, AKGEN_NO_DTYPE, uint8_t(mode)));
  };
  EXPECT_EQ(find(AKGEN_BF16, AKGEN_F32, kNone), nullptr);
  EXPECT_EQ(find(AKGEN_I32, AKGEN_F32, kNone), nullptr);
  EXPECT_EQ(find(AKGEN_I32, AKGEN_F16, kNone), nullptr);
  EXPECT_EQ(find(AKGEN_F32, AKGEN_F16, kRint), nullptr);
  EXPECT_EQ(find(AKGEN_F16, AKGEN_I8, kRint), nullptr);
  EXPECT_EQ(find(AKGEN_BF16, AKGEN_F32, kOdd), nullptr);
  EXPECT_EQ(find(AKGEN_F16, AKGEN_BF16, kRint), nullptr);
  EXPECT_EQ(find(AKGEN_I8, AKGEN_F32, kRint), nullptr);
  EXPECT_EQ(find(AKGEN_F32, AKGEN_I8, kNone), nullptr);
}

// Every pair of dtypes in every mode: those of the Cast table have a body, no other has.
TEST(Cast, ModesAreThoseOfTheTable) {
  struct Row {
    uint8_t from, to;
    std::string modes;
  };
  const std::string exact = "0", rounding = "12345", both = "012345";
  const std::vector<Row> rows = {
      {AKGEN_I4, AKGEN_F16, exact},      {AKGEN_I8, AKGEN_F16, exact},
      {AKGEN_U8, AKGEN_F16, exact},      {AKGEN_F16, AKGEN_F32, exact},
      {AKGEN_BF16, AKGEN_F32, exact},    {AKGEN_I16, AKGEN_F32, exact},
      {AKGEN_I32, AKGEN_I16, exact},     {AKGEN_I32, AKGEN_I64, exact},
      {AKGEN_I64, AKGEN_I32, exact},     {AKGEN_F16, AKGEN_I4, both},
      {AKGEN_F16, AKGEN_I8, both},       {AKGEN_F16, AKGEN_U8, both},
      {AKGEN_F16, AKGEN_I16, rounding},  {AKGEN_F16, AKGEN_I32, rounding},
      {AKGEN_F32, AKGEN_I16, rounding},  {AKGEN_F32, AKGEN_I32, rounding},
      {AKGEN_F32, AKGEN_I64, rounding},  {AKGEN_F32, AKGEN_F32, rounding},
      {AKGEN_F32, AKGEN_BF16, rounding}, {AKGEN_F32, AKGEN_F16, "0123456"},
      {AKGEN_BF16, AKGEN_I32, rounding}, {AKGEN_I16, AKGEN_F16, both},
      {AKGEN_I32, AKGEN_F32, both},      {AKGEN_I64, AKGEN_F32, rounding},
      {AKGEN_I32, AKGEN_F16, "01234567"}};  // by the dequantisation's scale: the mode is not looked
                                            // at
  for (uint8_t from = 0; from < AKGEN_NO_DTYPE && from < 32; ++from)
    for (uint8_t to = 0; to < AKGEN_NO_DTYPE && to < 32; ++to) {
      const auto row = std::find_if(rows.begin(), rows.end(),
                                    [&](const Row& r) { return r.from == from && r.to == to; });
      std::string modes;
      for (uint8_t mode = 0; mode < 8; ++mode)
        if (FindRun(Instr(AKGEN_OP_Cast, to, from, AKGEN_NO_DTYPE, mode)))
          modes += char('0' + mode);
      EXPECT_EQ(modes, row == rows.end() ? "" : row->modes) << int(from) << " to " << int(to);
    }
}

}  // namespace
}  // namespace akgen::sim::test
