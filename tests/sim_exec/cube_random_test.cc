// Random programs of Mmad and Fixpipe against a second implementation: matrices in rows, elements
// by the documented formulas, one at a time.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "sim/cube/mmad.h"
#include "sim/exec/core.h"
#include "sim/launch/launch.h"

namespace akgen::sim {
namespace {
using Half = _Float16;
using Random = std::mt19937_64;

uint32_t Pick(Random& random, uint32_t least, uint32_t most) {
  return least + uint32_t(random() % (most - least + 1));
}
uint32_t BitsOfOperand(uint8_t type) {
  return type == AKGEN_I4 ? 4 : type == AKGEN_I8 ? 8 : type == AKGEN_F32 ? 32 : 16;
}
bool Whole(uint8_t type) { return type == AKGEN_I4 || type == AKGEN_I8; }

// A random operand, as a number and as it lies in memory.
float Operand(Random& random, uint8_t type, uint8_t* at, bool upper_nibble) {
  if (type == AKGEN_I4) {
    const int v = int(random() % 16) - 8;
    *at = upper_nibble ? uint8_t((*at & 15) | v << 4) : uint8_t((*at & 0xf0) | (v & 15));
    return float(v);
  }
  if (type == AKGEN_I8) return *at = uint8_t(random()), float(int8_t(*at));
  const float x = float(random() % 20001) / 1e4f - 1;
  if (type == AKGEN_F32) return std::memcpy(at, &x, 4), x;
  if (type == AKGEN_F16) {
    const Half h = Half(x);
    return std::memcpy(at, &h, 2), float(h);
  }
  const uint32_t cut = std::bit_cast<uint32_t>(x) & 0xffff0000u;
  const auto upper = uint16_t(cut >> 16);
  return std::memcpy(at, &upper, 2), std::bit_cast<float>(cut);
}

// C in rows; of both kinds, one is used.
struct Result {
  std::vector<float> real;
  std::vector<int64_t> whole;
};

struct Sizes {
  uint32_t m, n, k;
};

// What an Mmad makes of matrices in rows and of what C was.
void Model(const Sizes& s, uint8_t type, const std::vector<float>& a, const std::vector<float>& b,
           Result* c) {
  const uint32_t chunk = type == AKGEN_F32 ? 8 : 16;
  for (uint32_t i = 0; i < s.m; ++i)
    for (uint32_t j = 0; j < s.n; ++j) {
      const size_t at = size_t(i) * s.n + j;
      int64_t dot = 0;
      for (uint32_t k = 0; Whole(type) && k < s.k; ++k)
        dot += int64_t(a[size_t(i) * s.k + k]) * int64_t(b[size_t(k) * s.n + j]);
      c->whole[at] = std::clamp<int64_t>(c->whole[at] + dot, INT32_MIN, INT32_MAX);
      for (uint32_t from = 0; !Whole(type) && from < s.k; from += chunk) {
        float sum = 0;
        for (uint32_t k = from; k < std::min(s.k, from + chunk); ++k) {
          volatile float product = a[size_t(i) * s.k + k] * b[size_t(k) * s.n + j];
          sum += product;
        }
        c->real[at] += sum;
      }
    }
}

// What a product of operands of 10 bits of mantissa takes: rounded to nearest even, or cut off.
float Shortened(float x, bool cut) {
  int exponent;
  const float scaled = std::ldexp(std::frexp(x, &exponent), 11);
  return std::ldexp(cut ? std::trunc(scaled) : std::nearbyint(scaled), exponent - 11);
}

// Operands laid out in L0: A by fractals of 16 rows in rows of fractals (one row: side by side), B
// by columns.
struct Laid {
  std::vector<float> a, b;
};
Laid LayOut(Random& random, const Sizes& s, uint8_t type, bool aligned_k, uint8_t* l0a,
            uint8_t* l0b) {
  const uint32_t bits = BitsOfOperand(type), k0 = 256 / bits, n1 = (s.n + 15) / 16,
                 k1 = aligned_k ? (s.k + 15) / 16 * 2 : (s.k + k0 - 1) / k0;
  Laid laid;
  for (uint32_t i = 0; i < s.m; ++i)
    for (uint32_t k = 0; k < s.k; ++k) {
      const uint32_t in = k % k0 * bits / 8;
      const uint32_t at = s.m == 1 ? k * bits / 8 : (i / 16 * k1 + k / k0) * 512 + i % 16 * 32 + in;
      laid.a.push_back(Operand(random, type, l0a + at, bits == 4 && k % 2));
    }
  for (uint32_t k = 0; k < s.k; ++k)
    for (uint32_t j = 0; j < s.n; ++j)
      laid.b.push_back(Operand(random, type,
                               l0b + (k / k0 * n1 + j / 16) * 512 + j % 16 * 32 + k % k0 * bits / 8,
                               bits == 4 && k % 2));
  return laid;
}

// The vendor's requantisation, step by step.
struct Quant {
  float scale;
  int offset;
  bool is_signed, shifts;
  uint32_t shift;
  uint64_t word() const {
    return uint64_t(std::bit_cast<uint32_t>(scale)) | uint64_t(shift - 1) << 32 |
           uint64_t(shifts) << 36 | (uint64_t(uint32_t(offset)) & 0x1ff) << 37 |
           uint64_t(is_signed) << 46;
  }
};
Quant RandomQuant(Random& random, bool is_signed) {
  const float scale =
      std::ldexp(float(Pick(random, 1024, 2047)) / 1024, int(Pick(random, 0, 9)) - 12);
  return {random() % 5 ? scale : -scale, int(random() % 512) - 256, is_signed, random() % 3 == 0,
          Pick(random, 1, 16)};
}
int Byte(float x, const Quant& q, bool relu) {
  float scaled = x * q.scale;
  if (relu && scaled < 0) scaled = 0;
  const int v = int(std::rint(std::min(255.0f, std::max(-256.0f, scaled)))) + q.offset;
  return q.is_signed ? std::min(127, std::max(-128, v)) : std::min(255, std::max(0, v));
}
Half Saturated(float x) {
  const Half h = Half(x);
  return std::isinf(float(h)) ? Half(x > 0 ? 65504 : -65504) : h;
}

struct Way {
  uint8_t mode, from, to, bytes;
};
constexpr Way kWays[] = {
    {0, AKGEN_F32, AKGEN_F32, 4},  {0, AKGEN_I32, AKGEN_I32, 4}, {1, AKGEN_F32, AKGEN_F16, 2},
    {2, AKGEN_F32, AKGEN_BF16, 2}, {3, AKGEN_I32, AKGEN_F16, 2}, {4, AKGEN_I32, AKGEN_F16, 2},
    {5, AKGEN_F32, AKGEN_I8, 1},   {5, AKGEN_F32, AKGEN_U8, 1},  {6, AKGEN_F32, AKGEN_I8, 1},
    {7, AKGEN_I32, AKGEN_I8, 1},   {7, AKGEN_I32, AKGEN_U8, 1},  {8, AKGEN_I32, AKGEN_I8, 1}};

void Element(const Way& way, const Result& c, size_t at, const Quant& q, bool relu, uint8_t* to) {
  const float x = way.from == AKGEN_F32 ? c.real[at] : float(c.whole[at]);
  if (way.mode == 0) {
    const float held = relu && x <= 0 ? 0.0f : x;
    const auto whole = int32_t(relu ? std::max<int64_t>(0, c.whole[at]) : c.whole[at]);
    std::memcpy(to, way.from == AKGEN_F32 ? static_cast<const void*>(&held) : &whole, 4);
  } else if (way.bytes == 2) {
    const float held = relu && x < 0 ? 0.0f : way.mode >= 3 ? x * q.scale : x;
    const Half half = Saturated(held);
    uint32_t up = std::bit_cast<uint32_t>(held);
    up += 0x7fff + (up >> 16 & 1);
    const auto brain = uint16_t(up >> 16);
    std::memcpy(to, way.mode == 2 ? static_cast<const void*>(&brain) : &half, 2);
  } else {
    const bool shifts = way.mode >= 7 && q.shifts;
    const float in =
        shifts ? float(std::min<int64_t>(32767, std::max<int64_t>(-32768, c.whole[at] >> q.shift)))
               : x;
    *to = uint8_t(Byte(in, q, relu));
  }
}

// How a result leaves L0C.
struct Leaving {
  Way way;
  bool rows, relu, split, to_l1, atomic;
  bool registers;  // DataCopy with registers in place of Fixpipe with fields
  uint32_t n, stride,
      matrices = 1;  // columns of a matrix; several begin `fractals` and `apart` elements apart
  uint32_t fractals = 0, apart = 0;  // fractals of columns in L0C, elements in Global Memory
  uint32_t Lanes() const { return split ? 8 : way.bytes == 1 ? 32 : 16; }
  bool OfChannels() const { return way.mode == 4 || way.mode == 6 || way.mode == 8; }
  size_t Place(uint32_t matrix, uint32_t i, uint32_t j) const {
    if (rows) return (size_t(matrix) * apart + size_t(i) * stride + j) * way.bytes;
    return size_t(j / Lanes()) * stride * 32 + (size_t(i) * Lanes() + j % Lanes()) * way.bytes;
  }
};
Leaving DrawLeaving(Random& random, const Sizes& s, uint8_t type) {
  Leaving out{};
  do out.way = kWays[random() % std::size(kWays)];
  while ((out.way.from == AKGEN_I32) != Whole(type));
  out.rows = random() % 2, out.relu = random() % 2, out.registers = random() % 4 == 0;
  out.split = !out.rows && out.way.to == AKGEN_F32 && random() % 2;
  out.to_l1 = !out.rows && out.way.mode != 0 && !out.split && random() % 3 == 0;
  out.atomic = !out.to_l1 && out.way.bytes > 1 && out.way.mode != 2 && random() % 4 == 0;
  out.n = out.rows ? s.n : s.n / 16 * 16;
  if (out.rows && s.n >= 16 && random() % 3 == 0) {
    out.fractals = Pick(random, 1, s.n / 16), out.matrices = s.n / 16 / out.fractals;
    out.n = 16 * out.fractals - Pick(random, 0, 15);
  }
  out.stride = out.rows ? out.n + Pick(random, 0, 9)
                        : (s.m * out.Lanes() * out.way.bytes + 31) / 32 + Pick(random, 0, 3);
  out.apart = s.m * out.stride + Pick(random, 0, 9);
  return out;
}
// What an atomic addition leaves.
void AddTo(uint8_t type, const uint8_t* old, uint8_t* value) {
  if (type == AKGEN_F16) {
    Half x, y;
    std::memcpy(&x, old, 2), std::memcpy(&y, value, 2);
    x = Half(float(x) + float(y));
    std::memcpy(value, &x, 2);
  } else if (type == AKGEN_F32) {
    float x, y;
    std::memcpy(&x, old, 4), std::memcpy(&y, value, 4);
    x += y;
    std::memcpy(value, &x, 4);
  } else {
    uint32_t x, y;
    std::memcpy(&x, old, 4), std::memcpy(&y, value, 4);
    x += y;
    std::memcpy(value, &x, 4);
  }
}

class CubePrograms : public ::testing::Test {
 protected:
  static constexpr size_t kGm = 64 << 10;
  static constexpr uint32_t kWords = 256 << 10;  // where quantisation words lie in L1
  static constexpr uint8_t kBefore = 0x3c;       // what Global Memory is filled with: small numbers
  void SetUp() override {
    ClearGmRegions();
    AddGmRegion({"z", gm_, kGm, Role::kInout});
  }
  void TearDown() override { ClearGmRegions(); }
  template <class F>
  void OnCube(F kernel) {
    LaunchRequest r;
    r.kernel = kernel;
    r.chip = ModelOf(*chip::LoadChip());
    r.cores = {1, 0};
    r.checks.race = false;  // one thing after the other
    const LaunchResult result = Launch(r);
    ASSERT_EQ(result.status, "ok") << result.detail;
    for (const auto& f : result.findings) ADD_FAILURE() << f.message;
  }
  void One(uint32_t number);
  void Out(const Sizes& s, uint8_t type, const Result& c, uint32_t number);
  std::vector<Quant> DrawQuants(const Leaving& out);
  void Issue(const Sizes& s, const Leaving& out, uint64_t word, uint8_t* dst);
  Random random_{20261125};
  alignas(64) uint8_t gm_[kGm];
};

// One word for each column, in L1 and in the Fixpipe Buffer.
std::vector<Quant> CubePrograms::DrawQuants(const Leaving& out) {
  std::vector<Quant> quants;
  Memory &l1 = g_core->memory(MemoryId::L1), &fb = g_core->memory(MemoryId::FB);
  for (uint32_t j = 0; j < out.n; ++j) {
    quants.push_back(RandomQuant(random_, out.way.to == AKGEN_I8));
    const uint64_t word = quants.back().word();
    std::memcpy(l1.At(kWords + 8 * j), &word, 8), std::memcpy(fb.At(128 + 8 * j), &word, 8);
  }
  l1.defined.Set(kWords, out.n * 8, true), fb.defined.Set(128, out.n * 8, true);
  return quants;
}

void CubePrograms::Issue(const Sizes& s, const Leaving& out, uint64_t word, uint8_t* dst) {
  AkgenCube f = {};
  f.op = AKGEN_CUBE_FIXPIPE, f.src_type = out.way.from, f.dst_type = out.way.to;
  f.src_position = AKGEN_POS_CO1, f.dst_position = out.to_l1 ? AKGEN_POS_A1 : AKGEN_POS_GM;
  f.src = g_core->memory(MemoryId::L0C).base(), f.dst = dst;
  const uint32_t mp = (s.m + 15) / 16 * 16, from = out.fractals * mp / 16;
  f.n[AKGEN_FIX_N] = out.n, f.n[AKGEN_FIX_M] = s.m, f.n[AKGEN_FIX_SRC_STRIDE] = mp;
  f.n[AKGEN_FIX_DST_STRIDE] = out.stride, f.n[AKGEN_FIX_QUANT] = out.way.mode,
  f.n[AKGEN_FIX_RELU] = out.relu;
  f.n[AKGEN_FIX_ROWS] = out.rows, f.n[AKGEN_FIX_SPLIT] = out.split,
  f.n[AKGEN_FIX_FORM] = out.registers;
  if (out.registers) {
    akgen_cube_register(AKGEN_CUBE_REG_QUANT_WORD, word);
    akgen_cube_register(AKGEN_CUBE_REG_QUANT_TABLE, 128);
    akgen_cube_register(AKGEN_CUBE_REG_ND,
                        out.matrices | uint64_t(from) << 16 | uint64_t(out.apart) << 32);
  } else {
    f.value = word;
    f.src1 = g_core->memory(MemoryId::L1).At(kWords), f.src1_type = AKGEN_U64,
    f.src1_position = AKGEN_POS_C1;
    f.n[AKGEN_FIX_ND_NUM] = out.matrices, f.n[AKGEN_FIX_SRC_ND_STRIDE] = from;
    f.n[AKGEN_FIX_DST_ND_STRIDE] = out.apart;
  }
  if (out.atomic) akgen_set_atomic(1, out.way.to);
  akgen_cube(&f);
  akgen_set_atomic(0, AKGEN_F32);
}

void CubePrograms::Out(const Sizes& s, uint8_t type, const Result& c, uint32_t number) {
  const Leaving out = DrawLeaving(random_, s, type);
  if (!out.n) return;
  const std::vector<Quant> quants = DrawQuants(out);
  uint8_t* dst = out.to_l1 ? g_core->memory(MemoryId::L1).base() : gm_;
  std::memset(dst, kBefore, kGm);
  std::vector<uint8_t> want(kGm, kBefore);
  for (uint32_t g = 0; g < out.matrices; ++g)
    for (uint32_t i = 0; i < s.m; ++i)
      for (uint32_t j = 0; j < out.n; ++j) {
        const size_t at = out.Place(g, i, j);
        Element(out.way, c, size_t(i) * s.n + g * out.fractals * 16 + j,
                quants[out.OfChannels() ? j : 0], out.relu, &want[at]);
        if (out.atomic) AddTo(out.way.to, dst + at, &want[at]);
      }
  Issue(s, out, quants[0].word(), dst);
  if (std::memcmp(want.data(), dst, kGm) == 0) return;
  const size_t at = size_t(std::mismatch(want.begin(), want.end(), dst).first - want.begin());
  ADD_FAILURE() << "program " << number << ", mode " << int(out.way.mode)
                << (out.rows ? " rows" : " NZ") << " of " << out.matrices << " times " << s.m << "x"
                << out.n << (out.atomic ? ", added" : "") << (out.registers ? ", by registers" : "")
                << ": byte " << at << " is " << int(dst[at]) << ", not " << int(want[at]);
}

void CubePrograms::One(uint32_t number) {
  static constexpr uint8_t kTypes[] = {AKGEN_F16, AKGEN_BF16, AKGEN_F32, AKGEN_I8, AKGEN_I4};
  const uint8_t type = kTypes[random_() % std::size(kTypes)];
  Sizes s{random_() % 8 ? Pick(random_, 1, 40) : 1, Pick(random_, 1, 50), Pick(random_, 1, 70)};
  if (type == AKGEN_I4) s.k += s.k % 2;
  const bool aligned_k = type == AKGEN_F32 && random_() % 2;
  Memory &l0a = g_core->memory(MemoryId::L0A), &l0b = g_core->memory(MemoryId::L0B),
         &l0c = g_core->memory(MemoryId::L0C), &bt = g_core->memory(MemoryId::BT);
  Laid laid = LayOut(random_, s, type, aligned_k, l0a.base(), l0b.base());
  Result c{std::vector<float>(size_t(s.m) * s.n), std::vector<int64_t>(size_t(s.m) * s.n)};
  const bool bias = type != AKGEN_I4 && random_() % 2, again = random_() % 2;
  const uint32_t bias_at = 64 * Pick(random_, 0, 8);
  for (uint32_t j = 0; j < s.n; ++j) {
    const float x = float(int(random_() % 401)) - 200;
    const auto y = int32_t(x);
    std::memcpy(bt.At(bias_at + 4 * j), Whole(type) ? static_cast<const void*>(&y) : &x, 4);
    for (uint32_t i = 0; bias && i < s.m; ++i)
      c.real[size_t(i) * s.n + j] = x, c.whole[size_t(i) * s.n + j] = y;
  }
  AkgenCube p = {};
  p.op = AKGEN_CUBE_MMAD, p.src_type = p.src1_type = type,
  p.dst_type = Whole(type) ? AKGEN_I32 : AKGEN_F32;
  p.src_position = AKGEN_POS_A2, p.src1_position = AKGEN_POS_B2, p.dst_position = AKGEN_POS_CO1;
  p.src = l0a.base(), p.src1 = l0b.base(), p.dst = l0c.base();
  if (bias) p.src2 = bt.At(bias_at), p.src2_position = AKGEN_POS_C2, p.n[AKGEN_MMAD_START] = 2;
  p.n[AKGEN_MMAD_M] = s.m, p.n[AKGEN_MMAD_N] = s.n, p.n[AKGEN_MMAD_K] = s.k,
  p.n[AKGEN_MMAD_K_ALIGN] = aligned_k;
  const bool shorten = type == AKGEN_F32 && random_() % 2, cut = random_() % 2;
  akgen_cube_register(AKGEN_CUBE_REG_HF32, shorten);
  akgen_cube_register(AKGEN_CUBE_REG_HF32_TRANS, cut);
  for (auto* v : {&laid.a, &laid.b})
    for (float& x : *v) x = shorten ? Shortened(x, cut) : x;
  akgen_cube(&p);
  Model(s, type, laid.a, laid.b, &c);
  if (again) {
    p.n[AKGEN_MMAD_START] = 1;
    akgen_cube(&p);
    Model(s, type, laid.a, laid.b, &c);
  }
  Out(s, type, c, number);
}

TEST_F(CubePrograms, TenThousandAgreeWithTheFormulas) {
  for (uint32_t launch = 0; launch < 20 && !HasFailure(); ++launch)
    OnCube([&] {
      for (MemoryId id : {MemoryId::L0A, MemoryId::L0B, MemoryId::BT})
        g_core->memory(id).defined.Fill(true);
      for (uint32_t i = 0; i < 500 && !HasFailure(); ++i) One(launch * 500 + i);
    });
}

// Infinities and numbers that are none among them.
TEST(CubeProduct, EveryProcessorGivesTheSameBits) {
  Random random(5);
  static constexpr uint8_t kTypes[] = {AKGEN_F16, AKGEN_BF16, AKGEN_F32, AKGEN_I8};
  for (int round = 0; round < 200; ++round) {
    cube::MmadShape s;
    s.type = kTypes[round % 4];
    s.m = Pick(random, 1, 70), s.n = Pick(random, 1, 70),
    s.k = Pick(random, 1, s.type == AKGEN_I8 ? 1500 : 100);
    s.vector = s.m == 1;
    s.k_fractals = (s.k * BitsOfOperand(s.type) + 255) / 256;
    std::vector<uint8_t> a(cube::BytesOfA(s) + 512), b(cube::BytesOfB(s)), first;
    for (auto* v : {&a, &b})
      for (uint8_t& x : *v) x = uint8_t(random());
    if (round % 3) {
      s.hf32 = s.type == AKGEN_F32;
      for (auto* v : {&a, &b})  // small numbers only
        for (size_t i = 1; s.type != AKGEN_I8 && i < v->size(); i += s.type == AKGEN_F32 ? 4 : 2)
          (*v)[s.type == AKGEN_F32 ? i + 2 : i] &= 0xbf;
    }
    for (cube::Isa isa : {cube::Isa::kBaseline, cube::Isa::kAvx2, cube::Isa::kAvx512}) {
      if (isa > cube::BestIsa()) continue;
      std::vector<uint8_t> c(cube::BytesOfC(s.m, s.n), 0x33);
      cube::Multiply(s, a.data(), b.data(), cube::Initial(round % 2), nullptr, c.data(), isa);
      if (first.empty()) first = c;
      ASSERT_EQ(std::memcmp(first.data(), c.data(), c.size()), 0) << round << " " << int(isa);
    }
  }
}
}  // namespace
}  // namespace akgen::sim
