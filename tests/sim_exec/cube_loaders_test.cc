// Every way to bring operands from Global Memory to L0, in pairs, against a plain product of 40 x 70 by 70 x 50.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "sim/exec/core.h"
#include "sim/launch/launch.h"

namespace akgen::sim {
namespace {
constexpr uint32_t kM = 40, kN = 50, kK = 70;
enum class Loader { kFractals, kTransposed, kSquares, kImage };  // LoadData, with ifTranspose, WithTranspose, 3D

uint32_t RoundedUp(uint32_t x, uint32_t to) { return (x + to - 1) / to * to; }

AkgenCube MakeInstruction(uint8_t op, uint8_t type, uint8_t from, const void* src, uint8_t to, void* dst) {
  AkgenCube c = {};
  c.op = op, c.src_type = c.dst_type = type, c.src_position = from, c.dst_position = to, c.src = src, c.dst = dst;
  return c;
}
void FetchMatrix(uint8_t type, const void* gm, uint32_t rows, uint32_t columns, uint32_t apart, void* l1,
                 uint8_t position) {
  AkgenCube c = MakeInstruction(AKGEN_CUBE_ND2NZ, type, AKGEN_POS_GM, gm, position, l1);
  const uint32_t n[] = {1, rows, columns, 0, columns, apart, 1, 0};
  std::copy(std::begin(n), std::end(n), c.n);
  akgen_cube(&c);
}
void LoadImage(uint8_t type, const void* l1, uint8_t from, void* l0, uint8_t to, uint32_t rows, uint32_t columns) {
  AkgenCube c = MakeInstruction(AKGEN_CUBE_LOAD3D, type, from, l1, to, l0);
  c.n[AKGEN_L3D_HEIGHT] = 1, c.n[AKGEN_L3D_WIDTH] = c.n[AKGEN_L3D_M_EXTENSION] = rows;
  c.n[AKGEN_L3D_CHANNELS] = c.n[AKGEN_L3D_K_EXTENSION] = columns;
  for (auto field : {AKGEN_L3D_STRIDE_W, AKGEN_L3D_STRIDE_H, AKGEN_L3D_FILTER_W, AKGEN_L3D_FILTER_H,
                     AKGEN_L3D_DILATION_W, AKGEN_L3D_DILATION_H})
    c.n[field] = 1;
  akgen_cube(&c);
}
// A, kM rows of kK.
void LoadA(uint8_t type, uint32_t k0, Loader way, const void* gm) {
  uint8_t *l1 = g_core->memory(MemoryId::L1).base(), *l0 = g_core->memory(MemoryId::L0A).base();
  FetchMatrix(type, gm, kM, kK, RoundedUp(kM, 16), l1, AKGEN_POS_A1);
  if (way == Loader::kImage)
    return LoadImage(type, l1, AKGEN_POS_A1, l0, AKGEN_POS_A2, RoundedUp(kM, 16), RoundedUp(kK, k0));
  const uint32_t m1 = RoundedUp(kM, 16) / 16, k1 = RoundedUp(kK, k0) / k0;
  for (uint32_t i = 0; i < m1; ++i) {
    AkgenCube c = MakeInstruction(AKGEN_CUBE_LOAD2D, type, AKGEN_POS_A1, l1, AKGEN_POS_A2, l0 + i * k1 * 512);
    c.n[0] = i, c.n[1] = k1, c.n[2] = m1;
    akgen_cube(&c);
  }
}
// B: kN rows of kK (brought as they lie), or kK rows of kN, transposed on the way.
void LoadB(uint8_t type, uint32_t k0, Loader way, const void* gm) {
  uint8_t *l1 = g_core->memory(MemoryId::L1).base() + 65536, *l0 = g_core->memory(MemoryId::L0B).base();
  const uint32_t side = type == AKGEN_I8 ? 32 : 16, n1 = RoundedUp(kN, 16) / 16, k1 = RoundedUp(kK, k0) / k0;
  if (way == Loader::kFractals) {
    FetchMatrix(type, gm, kN, kK, RoundedUp(kN, 16), l1, AKGEN_POS_B1);
    AkgenCube c = MakeInstruction(AKGEN_CUBE_LOAD2D, type, AKGEN_POS_B1, l1, AKGEN_POS_B2, l0);
    c.n[1] = n1 * k1, c.n[2] = 1;
    return akgen_cube(&c);
  }
  FetchMatrix(type, gm, kK, kN, RoundedUp(kK, side), l1, AKGEN_POS_B1);
  if (way == Loader::kImage)
    return LoadImage(type, l1, AKGEN_POS_B1, l0, AKGEN_POS_B2, RoundedUp(kK, 16), RoundedUp(kN, 16));
  const uint32_t down = RoundedUp(kK, side) / side, across = RoundedUp(kN, side) / side;
  for (uint32_t i = 0; i < down; ++i) {
    const bool squares = way == Loader::kSquares;
    AkgenCube c = MakeInstruction(squares ? AKGEN_CUBE_LOAD2D_TRANSPOSE : AKGEN_CUBE_LOAD2D, type, AKGEN_POS_B1, l1,
                                  AKGEN_POS_B2, l0 + i * n1 * 512);
    c.n[0] = i, c.n[1] = across, c.n[2] = down, c.n[3] = squares ? side / 16 - 1 : 0, c.n[4] = squares ? 0 : 1;
    akgen_cube(&c);
  }
}

struct LoaderPair {
  uint8_t type;
  uint32_t k0;
  Loader a, b;
};
template <class T>
void CheckPair(const LoaderPair& pair) {
  std::mt19937 random(3);
  std::vector<T> a(kM * kK), b(kN * kK);
  for (auto* v : {&a, &b})
    for (T& x : *v) x = T(int(random() % 17) - 8);
  ClearGmRegions();
  AddGmRegion({"a", reinterpret_cast<uint8_t*>(a.data()), a.size() * sizeof(T), Role::kInput});
  AddGmRegion({"b", reinterpret_cast<uint8_t*>(b.data()), b.size() * sizeof(T), Role::kInput});
  LaunchRequest r;
  r.chip = ModelOf(*chip::LoadChip());
  r.cores = {1, 0};
  r.checks.race = false;  // one thing after the other
  r.kernel = [&] {
    LoadA(pair.type, pair.k0, pair.a, a.data());
    LoadB(pair.type, pair.k0, pair.b, b.data());
    Memory& l0c = g_core->memory(MemoryId::L0C);
    AkgenCube c = MakeInstruction(AKGEN_CUBE_MMAD, pair.type, AKGEN_POS_A2, g_core->memory(MemoryId::L0A).base(),
                                  AKGEN_POS_CO1, l0c.base());
    c.dst_type = pair.type == AKGEN_I8 ? AKGEN_I32 : AKGEN_F32;
    c.src1 = g_core->memory(MemoryId::L0B).base(), c.src1_position = AKGEN_POS_B2, c.src1_type = pair.type;
    c.n[AKGEN_MMAD_M] = kM, c.n[AKGEN_MMAD_N] = kN, c.n[AKGEN_MMAD_K] = kK;
    akgen_cube(&c);
    for (uint32_t i = 0; i < kM; ++i)
      for (uint32_t j = 0; j < kN; ++j) {
        int want = 0, whole;
        for (uint32_t k = 0; k < kK; ++k)
          want += int(a[i * kK + k]) * int(b[pair.b == Loader::kFractals ? j * kK + k : k * kN + j]);
        const uint32_t at = (j / 16 * RoundedUp(kM, 16) + i) * 64 + j % 16 * 4;
        float real;
        std::memcpy(&real, l0c.At(at), 4), std::memcpy(&whole, l0c.At(at), 4);
        ASSERT_EQ(pair.type == AKGEN_I8 ? whole : int(real), want) << i << " " << j;
        ASSERT_TRUE(l0c.defined.Defined(at, 4)) << i << " " << j;
      }
  };
  const LaunchResult done = Launch(r);
  EXPECT_EQ(done.status, "ok") << done.detail;
  for (const auto& f : done.findings) ADD_FAILURE() << f.message;
  ClearGmRegions();
}

TEST(CubeLoaders, EveryPairBringsTheSameOperands) {
  for (Loader a : {Loader::kFractals, Loader::kImage})
    for (Loader b : {Loader::kFractals, Loader::kTransposed, Loader::kSquares, Loader::kImage}) {
      SCOPED_TRACE(int(a) * 10 + int(b));
      CheckPair<_Float16>({AKGEN_F16, 16, a, b});
      if (b != Loader::kTransposed && b != Loader::kImage) CheckPair<int8_t>({AKGEN_I8, 32, a, b});
      if (b == Loader::kFractals || b == Loader::kImage) CheckPair<float>({AKGEN_F32, 8, a, b});
    }
}
}  // namespace
}  // namespace akgen::sim
