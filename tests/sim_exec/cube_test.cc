// The Cube core's instructions against formulas of their own: where every element goes, and what is
// computed.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "cube_fixture.h"

namespace akgen::sim {
namespace {
using Half = _Float16;

TEST_F(CubeCore, Nd2NzPutsEveryElementInItsColumn) {
  std::vector<uint8_t> gm(1 << 20);
  Randomise(gm.data(), gm.size());
  for (int round = 0; round < 60; ++round) {
    const uint32_t bits = 8u << Below(3), s = bits / 8, k0 = 32 / s;
    const uint32_t matrices = In(1, 3), rows = In(1, 40), columns = In(1, 90),
                   src_row = columns + Below(20), dst_row = In(1, 2),
                   dst_column = rows * dst_row + Below(5);
    const uint32_t groups = (columns + k0 - 1) / k0, src_matrix = rows * src_row + Below(9),
                   dst_matrix = groups * dst_column * 32 / s + k0 * Below(3);
    ClearGmRegions();
    AddGmRegion({"x", gm.data(), gm.size(), Role::kInput});
    Run([&] {
      Memory& l1 = g_core->memory(MemoryId::L1);
      AkgenCube c =
          Load(AKGEN_CUBE_ND2NZ, TypeOf(bits), AKGEN_POS_GM, gm.data(), AKGEN_POS_A1, l1.base());
      const uint32_t n[] = {matrices, rows,       columns, src_matrix,
                            src_row,  dst_column, dst_row, dst_matrix};
      std::copy(std::begin(n), std::end(n), c.n);
      akgen_cube(&c);
      for (uint32_t g = 0; g < matrices; ++g)
        for (uint32_t i = 0; i < rows; ++i)
          for (uint32_t j = 0; j < groups * k0; ++j) {
            const size_t to =
                g * dst_matrix * s + (j / k0) * dst_column * 32 + i * dst_row * 32 + (j % k0) * s;
            uint32_t want = 0, got = 0;
            if (j < columns)
              std::memcpy(&want, &gm[(size_t(g) * src_matrix + i * src_row + j) * s], s);
            std::memcpy(&got, l1.At(uint32_t(to)), s);
            ASSERT_EQ(got, want) << bits << " " << g << " " << i << " " << j;
            ASSERT_TRUE(l1.defined.Defined(to, s));
          }
    });
  }
}

TEST_F(CubeCore, LoadDataMovesFractalsAndTurnsThem) {
  for (int round = 0; round < 60; ++round)
    Run([&] {
      const uint8_t* l1 = Prepare(MemoryId::L1);
      Memory& l0b = g_core->memory(MemoryId::L0B);
      const uint32_t start = Below(50), repeats = In(1, 20), stride = Below(8), gap = Below(4),
                     turn = Below(2);
      AkgenCube c =
          Load(AKGEN_CUBE_LOAD2D, AKGEN_F16, AKGEN_POS_B1, l1 + 64, AKGEN_POS_B2, l0b.At(512));
      const uint32_t n[] = {start, repeats, stride, gap, turn, 0};
      std::copy(std::begin(n), std::end(n), c.n);
      akgen_cube(&c);
      for (uint32_t i = 0; i < repeats; ++i)
        for (uint32_t r = 0; r < 16; ++r)
          for (uint32_t e = 0; e < 16; ++e) {
            const uint8_t* from =
                l1 + 64 + (start + i * stride) * 512 + (turn ? e * 32 + r * 2 : r * 32 + e * 2);
            ASSERT_EQ(std::memcmp(from, l0b.At(512 + i * (gap + 1) * 512 + r * 32 + e * 2), 2), 0);
          }
    });
}

// Squares: element (row, column) of a square becomes (column, row).
TEST_F(CubeCore, SquaresAreTransposed) {
  for (int round = 0; round < 60; ++round)
    Run([&] {
      const uint8_t* l1 = Prepare(MemoryId::L1);
      Memory& l0b = g_core->memory(MemoryId::L0B);
      const uint32_t bits = 4u << Below(4), k0 = 256 / bits,
                     side = bits == 4   ? 64
                            : bits == 8 ? 32
                                        : 16,
                     fractals = bits == 4    ? 4
                                : bits == 16 ? 1
                                             : 2,
                     start = Below(9), repeats = In(1, 4), stride = Below(4),
                     fractal_gap = Below(3), gap = fractals * (fractal_gap + 1) - 1 + Below(3);
      AkgenCube c = Load(AKGEN_CUBE_LOAD2D_TRANSPOSE, bits == 4 ? uint8_t(AKGEN_I4) : TypeOf(bits),
                         AKGEN_POS_B1, l1, AKGEN_POS_B2, l0b.base());
      const uint32_t n[] = {start, repeats, stride, gap, fractal_gap};
      std::copy(std::begin(n), std::end(n), c.n);
      akgen_cube(&c);
      auto element = [&](const uint8_t* at, size_t index) -> uint32_t {
        uint32_t v = 0;
        if (bits == 4) return at[index / 2] >> (index % 2 * 4) & 15;
        std::memcpy(&v, at + index * bits / 8, bits / 8);
        return v;
      };
      for (uint32_t i = 0; i < repeats; ++i)
        for (uint32_t row = 0; row < side; ++row)
          for (uint32_t column = 0; column < side; ++column) {
            // b32 has two fractals side by side, the others have them one below the other.
            const size_t in =
                bits == 32 ? (column / 8) * 128 + row * 8 + column % 8 : row * k0 + column;
            const uint32_t fractal = bits == 32 ? row / 8 : column / 16,
                           line = bits == 32 ? column : column % 16,
                           place = bits == 32 ? row % 8 : row;
            const uint8_t* out = l0b.At((i * (gap + 1) + fractal * (fractal_gap + 1)) * 512);
            ASSERT_EQ(element(out, line * k0 + place),
                      element(l1 + (start + i * stride) * fractals * 512, in))
                << bits << " " << row << " " << column;
          }
    });
}

// One product of random shape and type in L0, by the documented layouts; the result in rows.
struct Product {
  uint32_t m, n, k;
  uint8_t type;
  std::vector<double> a, b;    // as stored, exact
  std::vector<float> out;      // of floating-point types
  std::vector<int32_t> whole;  // of integers
};

Product Multiply(CubeCore*, std::mt19937_64& random, uint8_t type, bool keep) {
  Product p{uint32_t(2 + random() % 40),
            uint32_t(1 + random() % 50),
            uint32_t(1 + random() % 90),
            type,
            {},
            {},
            {},
            {}};
  const uint32_t bits = type == AKGEN_F32  ? 32
                        : type == AKGEN_I8 ? 8
                                           : 16,
                 s = bits / 8, k0 = 32 / s;
  const uint32_t k1 = (p.k + k0 - 1) / k0, n1 = (p.n + 15) / 16, mp = (p.m + 15) / 16 * 16;
  Memory &l0a = g_core->memory(MemoryId::L0A), &l0b = g_core->memory(MemoryId::L0B),
         &l0c = g_core->memory(MemoryId::L0C);
  auto put = [&](Memory& to, uint32_t at) {
    double v = 0;
    if (type == AKGEN_I8) {
      auto x = int8_t(random());
      std::memcpy(to.At(at), &x, 1), v = x;
    } else if (type == AKGEN_F32) {
      float x = float(double(random() % 2000001) / 1e6 - 1);
      std::memcpy(to.At(at), &x, 4), v = x;
    } else if (type == AKGEN_F16) {
      auto x = Half(float(random() % 20001) / 1e4f - 1);
      std::memcpy(to.At(at), &x, 2), v = float(x);
    } else {
      uint32_t u = std::bit_cast<uint32_t>(float(random() % 20001) / 1e4f - 1) & 0xffff0000u;
      auto x = uint16_t(u >> 16);
      std::memcpy(to.At(at), &x, 2), v = std::bit_cast<float>(u);
    }
    to.defined.Set(at, s, true);
    return v;
  };
  for (uint32_t i = 0; i < p.m; ++i)
    for (uint32_t k = 0; k < p.k; ++k)
      p.a.push_back(put(l0a, (i / 16 * k1 + k / k0) * 512 + i % 16 * 32 + k % k0 * s));
  for (uint32_t k = 0; k < p.k; ++k)
    for (uint32_t j = 0; j < p.n; ++j)
      p.b.push_back(put(l0b, (k / k0 * n1 + j / 16) * 512 + j % 16 * 32 + k % k0 * s));
  AkgenCube c = {};
  c.op = AKGEN_CUBE_MMAD, c.src_type = c.src1_type = type,
  c.dst_type = type == AKGEN_I8 ? AKGEN_I32 : AKGEN_F32;
  c.src_position = AKGEN_POS_A2, c.src1_position = AKGEN_POS_B2, c.dst_position = AKGEN_POS_CO1;
  c.src = l0a.base(), c.src1 = l0b.base(), c.dst = l0c.base();
  c.n[AKGEN_MMAD_M] = p.m, c.n[AKGEN_MMAD_N] = p.n, c.n[AKGEN_MMAD_K] = p.k;
  akgen_cube(&c);
  if (keep) c.n[AKGEN_MMAD_START] = 1, akgen_cube(&c);
  for (uint32_t i = 0; i < p.m; ++i)
    for (uint32_t j = 0; j < p.n; ++j) {
      const uint32_t at = j / 16 * mp * 64 + i * 64 + j % 16 * 4;
      float x;
      int32_t y;
      std::memcpy(&x, l0c.At(at), 4), std::memcpy(&y, l0c.At(at), 4);
      p.out.push_back(x), p.whole.push_back(y);
      EXPECT_TRUE(l0c.defined.Defined(at, 4));
    }
  return p;
}

// The order of sums is part of the interface: chunks of k0 products in float, each added to C.
TEST_F(CubeCore, MmadAddsChunksInOrder) {
  for (uint8_t type : {AKGEN_F16, AKGEN_BF16, AKGEN_F32, AKGEN_I8})
    for (int round = 0; round < 20; ++round)
      Run([&] {
        const bool keep = Below(2);
        const Product p = Multiply(this, random_, type, keep);
        const uint32_t chunk = type == AKGEN_F32 ? 8 : 16;
        for (uint32_t i = 0; i < p.m; ++i)
          for (uint32_t j = 0; j < p.n; ++j) {
            double exact = 0, size = 0;
            float sum = 0;
            for (int twice = 0; twice <= int(keep); ++twice)
              for (uint32_t from = 0; from < p.k; from += chunk) {
                float dot = 0;
                for (uint32_t k = from; k < std::min(p.k, from + chunk); ++k) {
                  const double x = p.a[size_t(i) * p.k + k], y = p.b[size_t(k) * p.n + j];
                  volatile float product = float(x) * float(y);
                  dot += product;
                  exact += x * y, size += std::fabs(x * y);
                }
                sum += dot;
              }
            const size_t at = size_t(i) * p.n + j;
            if (type == AKGEN_I8) {
              ASSERT_EQ(p.whole[at], int32_t(exact));
              continue;
            }
            ASSERT_EQ(p.out[at], sum) << int(type) << " " << i << " " << j;
            ASSERT_NEAR(p.out[at], exact, size * 1e-6 * (8 + p.k / chunk));
          }
      });
}

TEST_F(CubeCore, AnElementIsUndefinedWhereItsRowOrColumnIs) {
  Run([&] {
    const Product p = Multiply(this, random_, AKGEN_F16, false);
    Memory &l0a = g_core->memory(MemoryId::L0A), &l0c = g_core->memory(MemoryId::L0C);
    l0a.defined.Set(32, 2, false);  // row 1, k = 0
    AkgenCube c = {};
    c.op = AKGEN_CUBE_MMAD, c.src_type = c.src1_type = AKGEN_F16, c.dst_type = AKGEN_F32;
    c.src_position = AKGEN_POS_A2, c.src1_position = AKGEN_POS_B2, c.dst_position = AKGEN_POS_CO1;
    c.src = l0a.base(), c.src1 = g_core->memory(MemoryId::L0B).base(), c.dst = l0c.base();
    c.n[AKGEN_MMAD_M] = p.m, c.n[AKGEN_MMAD_N] = p.n, c.n[AKGEN_MMAD_K] = p.k;
    akgen_cube(&c);
    EXPECT_TRUE(l0c.defined.Defined(0, 4));
    EXPECT_FALSE(l0c.defined.Defined(64, 1)) << "row 1";
    EXPECT_FALSE(l0c.defined.Defined(p.m * 64, p.m % 16 ? 1 : 0) && p.m % 16)
        << "behind the last row";
  });
}

// Rows (ND) and columns of rows (NZ) to Global Memory, with every conversion.
TEST_F(CubeCore, FixpipeConvertsAndPlaces) {
  std::vector<uint8_t> gm(1 << 20);
  for (int round = 0; round < 200; ++round) {
    static constexpr struct {
      uint8_t mode, from, to, bytes;
    } kModes[] = {{0, AKGEN_F32, AKGEN_F32, 4}, {0, AKGEN_I32, AKGEN_I32, 4},
                  {1, AKGEN_F32, AKGEN_F16, 2}, {3, AKGEN_I32, AKGEN_F16, 2},
                  {5, AKGEN_F32, AKGEN_I8, 1},  {7, AKGEN_I32, AKGEN_I8, 1}};
    const auto mode = kModes[Below(6)];
    const bool rows = Below(2), relu = Below(2);
    const uint32_t m = In(1, 40), n = rows ? In(1, 70) : 16 * In(1, 4), mp = (m + 15) / 16 * 16;
    const uint32_t w = mode.bytes == 1 ? 32 : 16;
    const uint32_t stride = rows ? n + Below(9) : m * w * mode.bytes / 32 + Below(5);
    const float scale = 0.25f;
    const uint64_t word = std::bit_cast<uint32_t>(scale) | uint64_t(1) << 46 | uint64_t(3) << 37;
    std::fill(gm.begin(), gm.end(), uint8_t{0x5a});
    ClearGmRegions();
    auto* base =
        reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(gm.data()) + 31) / 32 * 32);
    AddGmRegion({"z", base, gm.size() - 64, Role::kInout});
    Run([&] {
      Memory& l0c = g_core->memory(MemoryId::L0C);
      for (uint32_t at = 0; at < (n + 15) / 16 * mp * 64; at += 4) {
        const auto x = float(int(Below(4001)) - 2000) / 4;
        const auto y = int32_t(Below(4001)) - 2000;
        std::memcpy(l0c.At(at), mode.from == AKGEN_F32 ? static_cast<const void*>(&x) : &y, 4);
        l0c.defined.Set(at, 4, true);
      }
      AkgenCube c = {};
      c.op = AKGEN_CUBE_FIXPIPE, c.src_type = mode.from, c.dst_type = mode.to;
      c.src_position = AKGEN_POS_CO1, c.dst_position = AKGEN_POS_GM;
      c.src = l0c.base(), c.dst = base, c.value = word;
      c.n[AKGEN_FIX_N] = n, c.n[AKGEN_FIX_M] = m, c.n[AKGEN_FIX_SRC_STRIDE] = mp,
      c.n[AKGEN_FIX_DST_STRIDE] = stride;
      c.n[AKGEN_FIX_QUANT] = mode.mode, c.n[AKGEN_FIX_RELU] = relu, c.n[AKGEN_FIX_ND_NUM] = 1,
      c.n[AKGEN_FIX_ROWS] = rows;
      akgen_cube(&c);
      size_t changed = 0;
      for (uint32_t i = 0; i < m; ++i)
        for (uint32_t j = 0; j < n; ++j) {
          const size_t at =
              rows ? (size_t(i) * stride + j) * mode.bytes
                   : size_t(j / w) * stride * 32 + (size_t(i) * w + j % w) * mode.bytes;
          float x;
          int32_t y;
          std::memcpy(&x, l0c.At(j / 16 * mp * 64 + i * 64 + j % 16 * 4), 4),
              std::memcpy(&y, &x, 4);
          double v = mode.from == AKGEN_F32 ? double(x) : double(y);
          if (mode.mode >= 3) v *= scale;
          if (relu && v < 0) v = 0;
          double got = 0;
          if (mode.bytes == 1) {
            v = std::clamp(std::nearbyint(std::clamp(v, -256.0, 255.0)) + 3, -128.0, 127.0);
            got = int8_t(base[at]);
          } else if (mode.bytes == 2) {
            Half h;
            std::memcpy(&h, base + at, 2), got = float(h), v = float(Half(float(v)));
          } else {
            std::memcpy(&x, base + at, 4), std::memcpy(&y, base + at, 4);
            got = mode.to == AKGEN_F32 ? double(x) : double(y);
          }
          ASSERT_EQ(got, v) << int(mode.mode) << " " << rows << " " << i << " " << j;
          changed += mode.bytes;
        }
      EXPECT_EQ(g_core->counts.bytes_out, changed) << "nothing else is written";
    });
  }
}

TEST_F(CubeCore, FlagsOfTheOtherCoreAreNone) {
  race_ = true;
  const LaunchResult result = RunAnything([] {
    akgen_set_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 0);
    akgen_wait_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE2, 3);
    AkgenVec v = {};
    akgen_vec(&v);
    EXPECT_EQ(akgen_core_type(), 1u);
  });
  EXPECT_EQ(result.status, "ok") << result.detail;
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::kBadLaunch);  // it has done nothing
}

}  // namespace
}  // namespace akgen::sim
