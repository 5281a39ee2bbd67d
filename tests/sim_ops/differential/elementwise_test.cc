// Every element-wise row of vec_ops.inc, with every combination of dtypes and modes it has a body
// for, against MPFR: edge values in pairs, then random bit patterns. A row without an oracle fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "../values.h"
#include "oracle.h"

namespace akgen::sim::test {
namespace {

constexpr uint8_t kTypes[] = {AKGEN_F32, AKGEN_F16, AKGEN_BF16, AKGEN_I4,  AKGEN_I8,
                              AKGEN_U8,  AKGEN_I16, AKGEN_U16,  AKGEN_I32, AKGEN_U32,
                              AKGEN_I64, AKGEN_U64, AKGEN_BOOL};
constexpr size_t kRandom = 2500;

int BitsOf(uint8_t type) {
  if (const Format* f = FormatOf(type)) return f->bits;
  const Integer* i = IntegerOf(type);
  return i ? i->bits : 64;
}

// Elements in memory; int4 lies two in a byte, the first in the low half.
struct Array {
  int bits;
  std::vector<uint8_t> bytes;
  Array(uint8_t type, size_t n) : bits(BitsOf(type)), bytes((n * size_t(bits) + 7) / 8 + 8) {}
  void Set(size_t i, uint64_t v) {
    if (bits == 4)
      bytes[i / 2] =
          uint8_t(i % 2 ? (bytes[i / 2] & 15) | v << 4 : (bytes[i / 2] & 0xf0) | (v & 15));
    else
      std::memcpy(&bytes[i * size_t(bits) / 8], &v, size_t(bits) / 8);
  }
  uint64_t Get(size_t i) const {
    if (bits == 4) return bytes[i / 2] >> (i % 2 ? 4 : 0) & 15;
    uint64_t v = 0;
    std::memcpy(&v, &bytes[i * size_t(bits) / 8], size_t(bits) / 8);
    return v;
  }
};

std::vector<uint64_t> Edges(uint8_t type) {
  std::vector<uint64_t> out;
  if (const Format* f = FormatOf(type)) {
    const uint64_t one = uint64_t(-f->emin + 1) << f->mant,
                   infinity = one + (uint64_t(f->emax + 1) << f->mant);
    for (uint64_t v :
         {uint64_t(0), uint64_t(1), (uint64_t(1) << f->mant) - 1, uint64_t(1) << f->mant, one - 1,
          one, one + 1, one + (uint64_t(1) << (f->mant - 1)), one + (uint64_t(1) << f->mant),
          one + (uint64_t(5) << (f->mant - 1)), one + (uint64_t(f->mant) << f->mant) + 1,
          one + (uint64_t(f->mant - 1) << f->mant) + 1, infinity - 1, infinity,
          infinity + (infinity >> 7)})
      for (uint64_t sign : {uint64_t(0), uint64_t(1) << (f->bits - 1)}) out.push_back(v | sign);
    return out;
  }
  const int bits = BitsOf(type);
  const uint64_t all = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  for (uint64_t v :
       {uint64_t(0), uint64_t(1), uint64_t(2), uint64_t(3), uint64_t(7), all, all - 1, all >> 1,
        (all >> 1) + 1, (all >> 1) + 2, uint64_t(2049), uint64_t(16777217), uint64_t(65504)})
    out.push_back(v & all);
  return out;
}

// Operands of one run: pairs of edges, then random patterns, some of them of middling size.
struct Inputs {
  std::vector<uint64_t> a, b, d;
};
Inputs Operands(uint8_t src, uint8_t dst, uint32_t seed) {
  std::mt19937_64 rng(seed);
  Inputs in;
  const auto x = Edges(src), y = Edges(src), z = Edges(dst);
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t j = 0; j < y.size(); ++j)
      in.a.push_back(x[i]), in.b.push_back(y[j]), in.d.push_back(z[(i + 7 * j) % z.size()]);
  auto draw = [&](uint8_t type) {
    const Format* f = FormatOf(type);
    const uint64_t v =
        rng() & (BitsOf(type) == 64 ? ~uint64_t(0) : (uint64_t(1) << BitsOf(type)) - 1);
    if (!f || rng() % 2) return v;
    double middling = double(int64_t(rng())) / 9.223372036854775808e18 * double(1 << (rng() % 8));
    return Encoded(*f, Num(middling), kRint);
  };
  for (size_t i = 0; i < kRandom; ++i)
    in.a.push_back(draw(src)), in.b.push_back(draw(src)), in.d.push_back(draw(dst));
  return in;
}

bool IsNan(const Format& f, uint64_t bits) { return Decoded(f, bits).nan(); }
int64_t Place(const Format& f, uint64_t bits) {  // order of the representable values
  const uint64_t sign = uint64_t(1) << (f.bits - 1);
  return bits & sign ? -int64_t(bits & ~sign) : int64_t(bits);
}
bool Agrees(uint8_t type, uint64_t got, const Expected& want) {
  if (got == want.bits) return true;
  const Format* f = FormatOf(type);
  if (!f) return false;
  if (IsNan(*f, got) || IsNan(*f, want.bits)) return IsNan(*f, got) && IsNan(*f, want.bits);
  if (want.steps && std::abs(Place(*f, got) - Place(*f, want.bits)) <= want.steps) return true;
  return !want.slack.zero() && Apply(mpfr_abs, Decoded(*f, got) - want.exact) < want.slack;
}

bool Scalar(Family f) { return f == Family::maps || f == Family::maths || f == Family::accs; }
bool Two(Family f) { return f == Family::map2 || f == Family::acc2 || f == Family::math2; }

void Check(const AkgenVec& v, RunFn run, uint64_t scalar, bool flag, float deq_scale) {
  const Family family = VecOpFamily(v.op);
  const uint8_t src = family == Family::fill ? v.dst_type : v.src_type;
  const Inputs in = Operands(src, v.dst_type, 1000 + v.op);
  const size_t n = in.a.size() / 2 * 2;  // int4 needs pairs
  Array a(src, n), b(src, n), d(v.dst_type, n);
  for (size_t i = 0; i < n; ++i) a.Set(i, in.a[i]), b.Set(i, in.b[i]), d.Set(i, in.d[i]);
  RunArgs args;
  args.scalar = scalar, args.flag = flag, args.round_mode = v.round_mode,
  args.deq_scale = deq_scale;
  args.src_type = src, args.dst_type = v.dst_type;
  args.exact = true;  // the inaccuracy has a test of its own
  run(d.bytes.data(), a.bytes.data(), b.bytes.data(), uint32_t(n), args);
  for (size_t i = 0; i < n; ++i) {
    Element e{v.op,   v.dst_type,     src,          in.a[i], in.b[i],  in.d[i],
              scalar, Scalar(family), v.round_mode, flag,    deq_scale};
    auto want = Expect(e);
    ASSERT_TRUE(want) << VecOpName(v.op) << " has no oracle for dtypes " << int(src) << " to "
                      << int(v.dst_type);
    ASSERT_TRUE(Agrees(v.dst_type, d.Get(i), *want))
        << VecOpName(v.op) << " " << int(src) << " to " << int(v.dst_type) << " mode "
        << int(v.round_mode) << std::hex << ": src0 " << in.a[i] << " src1 " << in.b[i] << " dst "
        << in.d[i] << " scalar " << scalar << " gives " << d.Get(i) << ", should be " << want->bits;
  }
}

// Every combination of dtypes and rounding modes with a body.
std::vector<AkgenVec> Combinations(uint32_t op) {
  std::vector<AkgenVec> out;
  const Family family = VecOpFamily(op);
  for (uint8_t dst : kTypes) {
    if (family == Family::fill) {
      if (FindRun(Instr(op, dst, AKGEN_NO_DTYPE))) out.push_back(Instr(op, dst, AKGEN_NO_DTYPE));
      continue;
    }
    for (uint8_t src : kTypes)
      for (uint8_t mode = 0; mode <= (op == AKGEN_OP_Cast ? kOdd : 0); ++mode) {
        AkgenVec v = Instr(op, dst, src, Two(family) ? src : uint8_t(AKGEN_NO_DTYPE), mode);
        if (FindRun(v)) out.push_back(v);
      }
  }
  return out;
}

std::vector<uint64_t> Scalars(const AkgenVec& v) {
  const Family family = VecOpFamily(v.op);
  if (v.op == AKGEN_OP_ShiftLeft || v.op == AKGEN_OP_ShiftRight) {
    std::vector<uint64_t> out;
    for (int k = 0; k <= BitsOf(v.src_type); ++k) out.push_back(uint64_t(k));
    return out;
  }
  if (family == Family::fill) return Edges(v.dst_type);
  if (v.op == AKGEN_OP_SwiGLU)
    return {0x3f800000, 0x3fd9db23, 0xbf000000, 0};  // floats for every dtype
  return Scalar(family) ? Edges(v.src_type) : std::vector<uint64_t>{0};
}

class Differential : public testing::TestWithParam<uint32_t> {};
TEST_P(Differential, AgreesWithMpfr) {
  const uint32_t op = GetParam();
  const auto combinations = Combinations(op);
  ASSERT_FALSE(combinations.empty()) << VecOpName(op) << " has no body for any dtype";
  for (const AkgenVec& v : combinations)
    for (uint64_t scalar : Scalars(v))
      for (bool flag : {false, true}) {
        if (flag && op != AKGEN_OP_ShiftRight) continue;
        for (float scale : {1.0f, 0.0999755859375f, -3.0f}) {
          const bool scaled =
              op == AKGEN_OP_AddDeqRelu || (op == AKGEN_OP_Cast && v.src_type == AKGEN_I32);
          if (scale != 1.0f && !scaled) continue;
          Check(v, FindRun(v), scalar, flag, scale);
          if (HasFatalFailure()) return;
        }
      }
}
std::vector<uint32_t> ElementWise() {
  std::vector<uint32_t> out;
  for (uint32_t op = 0; op < AKGEN_OP_COUNT_; ++op)
    if (VecOpFamily(op) != Family::own) out.push_back(op);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Rows, Differential, testing::ValuesIn(ElementWise()),
                         [](const auto& info) { return std::string(VecOpName(info.param)); });

}  // namespace
}  // namespace akgen::sim::test
