// Every way to bring operands from Global Memory to L0, in pairs and in every type that has it,
// against a plain product of 40 x 70 by 70 x 50.
#include <bit>
#include <cstring>

#include "cube_fixture.h"

namespace akgen::sim {
namespace {
constexpr uint32_t kM = 40, kN = 50, kK = 70;

// How A comes to L0A. The first four find its rows in Global Memory (the last two of them as
// fractals already), the others its columns.
enum class LeftWay : uint8_t {
  kFractals,    // ND2NZ, LoadData
  kImage,       // ND2NZ, LoadData of an image
  kFromGm,      // LoadData from Global Memory to L0A
  kThroughL1,   // LoadData from Global Memory to L1, and on
  kTransposed,  // ND2NZ, LoadData with ifTranspose
  kSquares,     // LoadDataWithTranspose
  kTurnedImage  // LoadData of an image with enTranspose
};
// How B comes to L0B. The first three find its columns in Global Memory.
enum class RightWay : uint8_t { kFractals, kFromGm, kThroughL1, kTransposed, kSquares, kImage };

struct OperandType {
  uint8_t type;
  uint32_t bits;
};
constexpr OperandType kOperandTypes[] = {
    {AKGEN_I4, 4}, {AKGEN_I8, 8}, {AKGEN_F16, 16}, {AKGEN_BF16, 16}, {AKGEN_F32, 32}};

bool Exists(LeftWay way, uint32_t bits) {
  switch (way) {
    case LeftWay::kFromGm:
    case LeftWay::kThroughL1: return bits > 4;
    case LeftWay::kTransposed: return bits == 16;
    case LeftWay::kSquares: return bits > 4;
    case LeftWay::kTurnedImage: return bits >= 16;
    default: return true;
  }
}
bool Exists(RightWay way, uint32_t bits) {
  switch (way) {
    case RightWay::kFromGm:
    case RightWay::kThroughL1: return bits > 4;
    case RightWay::kTransposed: return bits == 16;
    case RightWay::kImage: return bits >= 16;
    default: return true;
  }
}
bool OfColumns(LeftWay way) { return way >= LeftWay::kTransposed; }
bool OfRows(RightWay way) { return way >= RightWay::kTransposed; }
bool AreFractals(LeftWay way) { return way == LeftWay::kFromGm || way == LeftWay::kThroughL1; }
bool AreFractals(RightWay way) { return way == RightWay::kFromGm || way == RightWay::kThroughL1; }

uint32_t Up(uint32_t x, uint32_t to) { return (x + to - 1) / to * to; }

void PutNumber(std::vector<uint8_t>* to, const OperandType& t, size_t index, int value) {
  const float x = float(value);
  if (t.bits == 4) {
    uint8_t& b = (*to)[index / 2];
    b = index % 2 ? uint8_t((b & 15) | value << 4) : uint8_t((b & 0xf0) | (value & 15));
  } else if (t.bits == 8) {
    (*to)[index] = uint8_t(value);
  } else if (t.type == AKGEN_F16) {
    const auto h = _Float16(x);
    std::memcpy(&(*to)[index * 2], &h, 2);
  } else if (t.type == AKGEN_BF16) {
    const auto upper = uint16_t(std::bit_cast<uint32_t>(x) >> 16);
    std::memcpy(&(*to)[index * 2], &upper, 2);
  } else {
    std::memcpy(&(*to)[index * 4], &x, 4);
  }
}

class CubePair : public CubeCore {
 protected:
  void Check(const OperandType& t, LeftWay left, RightWay right);

  AkgenCube Make(uint8_t op, uint8_t from, const void* src, uint8_t to, void* dst) const {
    return Load(op, type_.type, from, src, to, dst);
  }
  // `rows` rows to L1 in columns of `apart` rows.
  void Fetch(const uint8_t* gm, uint32_t rows, uint32_t columns, uint32_t apart, uint8_t* l1,
             uint8_t position) const {
    AkgenCube c = Make(AKGEN_CUBE_ND2NZ, AKGEN_POS_GM, gm, position, l1);
    if (type_.bits == 4) columns /= 2;  // moved as elements of eight bits
    const uint32_t n[] = {1, rows, columns, 0, columns, apart, 1, 0};
    std::copy(std::begin(n), std::end(n), c.n);
    akgen_cube(&c);
  }
  // Elements of 32 bits, 16 rows at a time: rows of fractals.
  void FetchRowsOfFractals(const uint8_t* gm, uint32_t rows, uint32_t columns, uint8_t* l1,
                           uint8_t position) const {
    for (uint32_t r = 0; r < rows; r += 16)
      Fetch(gm + size_t(r) * columns * 4, std::min(16u, rows - r), columns, 16,
            l1 + r * Up(columns, 16) * 4, position);
  }
  void LoadFractals(uint8_t from, const void* src, uint8_t to, void* dst,
                    std::array<uint32_t, 5> fields) const {
    AkgenCube c = Make(AKGEN_CUBE_LOAD2D, from, src, to, dst);
    std::copy(fields.begin(), fields.end(), c.n);
    akgen_cube(&c);
  }
  void LoadSquares(const void* src, uint8_t from, uint8_t to, void* dst,
                   std::array<uint32_t, 5> fields) const {
    AkgenCube c = Make(AKGEN_CUBE_LOAD2D_TRANSPOSE, from, src, to, dst);
    std::copy(fields.begin(), fields.end(), c.n);
    akgen_cube(&c);
  }
  void LoadAnImage(const void* src, uint8_t from, void* dst, uint8_t to, uint32_t rows,
                   uint32_t columns, bool turn) const {
    AkgenCube c = Make(AKGEN_CUBE_LOAD3D, from, src, to, dst);
    c.n[AKGEN_L3D_HEIGHT] = 1, c.n[AKGEN_L3D_WIDTH] = c.n[AKGEN_L3D_M_EXTENSION] = rows;
    c.n[AKGEN_L3D_CHANNELS] = c.n[AKGEN_L3D_K_EXTENSION] = columns;
    for (auto field : {AKGEN_L3D_STRIDE_W, AKGEN_L3D_STRIDE_H, AKGEN_L3D_FILTER_W,
                       AKGEN_L3D_FILTER_H, AKGEN_L3D_DILATION_W, AKGEN_L3D_DILATION_H})
      c.n[field] = 1;
    c.n[AKGEN_L3D_TRANSPOSE] = turn;
    akgen_cube(&c);
  }
  void LoadA(LeftWay way, const uint8_t* gm) const;
  void LoadB(RightWay way, const uint8_t* gm) const;

  uint32_t k0() const { return 256 / type_.bits; }
  uint32_t side() const {
    return std::max(16u, type_.bits == 16 ? 16 : 256 / type_.bits);
  }  // of a square
  OperandType type_{};
  bool even_ = false;  // K in L0A is rounded up to 16 elements of 32 bits
};

void CubePair::LoadA(LeftWay way, const uint8_t* gm) const {
  uint8_t *l1 = g_core->memory(MemoryId::L1).base(), *l0 = g_core->memory(MemoryId::L0A).base();
  const uint32_t m1 = Up(kM, 16) / 16,
                 k1 = even_ ? Up(kK, 16) * type_.bits / 256 : Up(kK, k0()) / k0();
  switch (way) {
    case LeftWay::kFractals:
      Fetch(gm, kM, kK, m1 * 16, l1, AKGEN_POS_A1);
      for (uint32_t i = 0; i < m1; ++i)
        LoadFractals(AKGEN_POS_A1, l1, AKGEN_POS_A2, l0 + i * k1 * 512,
                     {i, Up(kK, k0()) / k0(), m1, 0, 0});
      return;
    case LeftWay::kImage:
      Fetch(gm, kM, kK, m1 * 16, l1, AKGEN_POS_A1);
      return LoadAnImage(l1, AKGEN_POS_A1, l0, AKGEN_POS_A2, m1 * 16, k1 * k0(), false);
    case LeftWay::kFromGm:
      return LoadFractals(AKGEN_POS_GM, gm, AKGEN_POS_A2, l0, {0, m1 * k1, 1, 0, 0});
    case LeftWay::kThroughL1:
      LoadFractals(AKGEN_POS_GM, gm, AKGEN_POS_A1, l1, {0, m1 * k1, 1, 0, 0});
      return LoadFractals(AKGEN_POS_A1, l1, AKGEN_POS_A2, l0, {0, m1 * k1, 1, 0, 0});
    case LeftWay::kTransposed:
      Fetch(gm, kK, kM, k1 * 16, l1, AKGEN_POS_A1);
      for (uint32_t i = 0; i < m1; ++i)
        LoadFractals(AKGEN_POS_A1, l1, AKGEN_POS_A2, l0 + i * k1 * 512, {i * k1, k1, 1, 0, 1});
      return;
    case LeftWay::kTurnedImage:
      Fetch(gm, kK, kM, Up(kK, 16), l1, AKGEN_POS_A1);
      return LoadAnImage(l1, AKGEN_POS_A1, l0, AKGEN_POS_A2, Up(kK, 16), m1 * 16, true);
    case LeftWay::kSquares: break;
  }
  if (type_.bits == 32) {
    FetchRowsOfFractals(gm, kK, kM, l1, AKGEN_POS_A1);
    for (uint32_t i = 0; i < m1; ++i)
      LoadSquares(l1, AKGEN_POS_A1, AKGEN_POS_A2, l0 + i * k1 * 512, {i, k1 / 2, m1, 1, 0});
    return;
  }
  const uint32_t down = Up(kK, side()) / side();
  Fetch(gm, kK, kM, down * side(), l1, AKGEN_POS_A1);
  for (uint32_t i = 0; i < Up(kM, side()) / side(); ++i)
    LoadSquares(l1, AKGEN_POS_A1, AKGEN_POS_A2, l0 + i * (side() / 16) * k1 * 512,
                {i * down, k1, 1, 0, k1 - 1});
}

void CubePair::LoadB(RightWay way, const uint8_t* gm) const {
  uint8_t *l1 = g_core->memory(MemoryId::L1).base() + 65536,
          *l0 = g_core->memory(MemoryId::L0B).base();
  const uint32_t n1 = Up(kN, 16) / 16, k1 = Up(kK, k0()) / k0();
  switch (way) {
    case RightWay::kFractals:
      Fetch(gm, kN, kK, n1 * 16, l1, AKGEN_POS_B1);
      return LoadFractals(AKGEN_POS_B1, l1, AKGEN_POS_B2, l0, {0, n1 * k1, 1, 0, 0});
    case RightWay::kFromGm:
      return LoadFractals(AKGEN_POS_GM, gm, AKGEN_POS_B2, l0, {0, n1 * k1, 1, 0, 0});
    case RightWay::kThroughL1:
      LoadFractals(AKGEN_POS_GM, gm, AKGEN_POS_B1, l1, {0, n1 * k1, 1, 0, 0});
      return LoadFractals(AKGEN_POS_B1, l1, AKGEN_POS_B2, l0, {0, n1 * k1, 1, 0, 0});
    case RightWay::kTransposed:
      Fetch(gm, kK, kN, k1 * 16, l1, AKGEN_POS_B1);
      for (uint32_t i = 0; i < k1; ++i)
        LoadFractals(AKGEN_POS_B1, l1, AKGEN_POS_B2, l0 + i * n1 * 512, {i, n1, k1, 0, 1});
      return;
    case RightWay::kImage:
      Fetch(gm, kK, kN, Up(kK, 16), l1, AKGEN_POS_B1);
      return LoadAnImage(l1, AKGEN_POS_B1, l0, AKGEN_POS_B2, Up(kK, 16), n1 * 16, false);
    case RightWay::kSquares: break;
  }
  if (type_.bits == 32) {
    FetchRowsOfFractals(gm, kK, kN, l1, AKGEN_POS_B1);
    for (uint32_t i = 0; i < Up(kK, 16) / 16; ++i)
      LoadSquares(l1, AKGEN_POS_B1, AKGEN_POS_B2, l0 + 2 * i * n1 * 512,
                  {i * n1, n1, 1, 0, n1 - 1});
    return;
  }
  const uint32_t down = Up(kK, side()) / side(), across = Up(kN, side()) / side();
  Fetch(gm, kK, kN, down * side(), l1, AKGEN_POS_B1);
  for (uint32_t i = 0; i < down; ++i)
    LoadSquares(l1, AKGEN_POS_B1, AKGEN_POS_B2, l0 + i * n1 * 512,
                {i, across, down, side() / 16 - 1, 0});
}

void CubePair::Check(const OperandType& t, LeftWay left, RightWay right) {
  type_ = t;
  even_ = t.bits == 32 && (left == LeftWay::kSquares || left == LeftWay::kTurnedImage);
  std::vector<int> a(kM * kK), b(kK * kN);
  for (auto* v : {&a, &b})
    for (int& x : *v) x = int(Below(16)) - 8;
  std::vector<uint8_t> gm_a(64 << 10), gm_b(64 << 10);
  const uint32_t n1 = Up(kN, 16) / 16, k1 = Up(kK, k0()) / k0();
  for (uint32_t i = 0; i < kM; ++i)
    for (uint32_t k = 0; k < kK; ++k)
      PutNumber(&gm_a, t,
                AreFractals(left) ? ((i / 16 * k1 + k / k0()) * 16 + i % 16) * k0() + k % k0()
                : OfColumns(left) ? k * kM + i
                                  : i * kK + k,
                a[i * kK + k]);
  for (uint32_t k = 0; k < kK; ++k)
    for (uint32_t j = 0; j < kN; ++j)
      PutNumber(&gm_b, t,
                AreFractals(right) ? ((k / k0() * n1 + j / 16) * 16 + j % 16) * k0() + k % k0()
                : OfRows(right)    ? k * kN + j
                                   : j * kK + k,
                b[k * kN + j]);
  ClearGmRegions();
  AddGmRegion({"a", gm_a.data(), gm_a.size(), Role::kInput});
  AddGmRegion({"b", gm_b.data(), gm_b.size(), Role::kInput});
  Run([&] {
    LoadA(left, gm_a.data());
    LoadB(right, gm_b.data());
    Memory& l0c = g_core->memory(MemoryId::L0C);
    AkgenCube c = Make(AKGEN_CUBE_MMAD, AKGEN_POS_A2, g_core->memory(MemoryId::L0A).base(),
                       AKGEN_POS_CO1, l0c.base());
    c.dst_type = t.bits < 16 ? AKGEN_I32 : AKGEN_F32;
    c.src1 = g_core->memory(MemoryId::L0B).base(), c.src1_position = AKGEN_POS_B2,
    c.src1_type = t.type;
    c.n[AKGEN_MMAD_M] = kM, c.n[AKGEN_MMAD_N] = kN, c.n[AKGEN_MMAD_K] = kK,
    c.n[AKGEN_MMAD_K_ALIGN] = even_;
    akgen_cube(&c);
    for (uint32_t i = 0; i < kM; ++i)
      for (uint32_t j = 0; j < kN; ++j) {
        int want = 0, whole;
        for (uint32_t k = 0; k < kK; ++k) want += a[i * kK + k] * b[k * kN + j];
        const uint32_t at = (j / 16 * Up(kM, 16) + i) * 64 + j % 16 * 4;
        float real;
        std::memcpy(&real, l0c.At(at), 4), std::memcpy(&whole, l0c.At(at), 4);
        ASSERT_EQ(t.bits < 16 ? whole : int(real), want) << i << " " << j;
        ASSERT_TRUE(l0c.defined.Defined(at, 4)) << i << " " << j;
      }
  });
}

TEST_F(CubePair, EveryPairAndTypeGivesThePlainProduct) {
  int pairs = 0;
  for (const OperandType& t : kOperandTypes)
    for (uint8_t a = 0; a <= uint8_t(LeftWay::kTurnedImage); ++a)
      for (uint8_t b = 0; b <= uint8_t(RightWay::kImage); ++b) {
        if (!Exists(LeftWay(a), t.bits) || !Exists(RightWay(b), t.bits)) continue;
        SCOPED_TRACE(std::to_string(t.bits) + " bits, left " + std::to_string(a) + ", right " +
                     std::to_string(b));
        Check(t, LeftWay(a), RightWay(b));
        ++pairs;
      }
  EXPECT_EQ(pairs, 2 * 2 + 5 * 4 + 2 * 7 * 6 + 6 * 5);
}

// What a type does not have is refused, never done.
TEST_F(CubePair, OtherWaysAreFindings) {
  struct Refused {
    uint8_t type, op, to;
    uint32_t turn;
  };
  for (const Refused& r : {Refused{AKGEN_I8, AKGEN_CUBE_LOAD2D, AKGEN_POS_A2, 1},
                           Refused{AKGEN_F32, AKGEN_CUBE_LOAD2D, AKGEN_POS_B2, 1},
                           Refused{AKGEN_I4, AKGEN_CUBE_LOAD2D_TRANSPOSE, AKGEN_POS_A2, 0},
                           Refused{AKGEN_I8, AKGEN_CUBE_LOAD3D, AKGEN_POS_B2, 0}}) {
    const LaunchResult done = RunAnything([&] {
      const uint8_t* l1 = Prepare(MemoryId::L1);
      type_ = {r.type, 0};
      void* l0 = g_core->memory(r.to == AKGEN_POS_A2 ? MemoryId::L0A : MemoryId::L0B).base();
      if (r.op == AKGEN_CUBE_LOAD3D) return LoadAnImage(l1, AKGEN_POS_B1, l0, r.to, 16, 32, false);
      AkgenCube c = Make(r.op, AKGEN_POS_A1, l1, r.to, l0);
      c.n[1] = 1, c.n[4] = r.turn;
      akgen_cube(&c);
    });
    ASSERT_EQ(done.findings.size(), 1u) << int(r.type) << " " << int(r.op);
    EXPECT_EQ(done.findings[0].kind, FindingKind::kBrokenRule) << done.findings[0].message;
  }
}
}  // namespace
}  // namespace akgen::sim
