// Movements of the Cube core beside ND2NZ, LoadData and images: out of Global Memory, into tables,
// back out of L1, sparse weights, constants; and the fields of all of them.
#include <bit>
#include <cstring>

#include "cube_fixture.h"

namespace akgen::sim {
namespace {
class CubeMoves : public CubeCore {
 protected:
  static constexpr size_t kBytes = 256 << 10;
  void SetUp() override {
    CubeCore::SetUp();
    Randomise(gm_.data(), gm_.size());
    AddGmRegion({"gm", gm_.data(), gm_.size(), Role::kInout});
  }
  std::vector<uint8_t> gm_ = std::vector<uint8_t>(kBytes);
};

TEST_F(CubeMoves, FractalsComeFromGlobalMemoryInEitherDirection) {
  for (int round = 0; round < 60; ++round)
    Run([&] {
      static constexpr uint8_t kTo[] = {AKGEN_POS_A1, AKGEN_POS_A2, AKGEN_POS_B2};
      static constexpr MemoryId kIds[] = {MemoryId::L1, MemoryId::L0A, MemoryId::L0B};
      const uint32_t way = Below(3), repeats = In(1, 20), stride = Below(6), gap = Below(4),
                     down = Below(2), start = down ? 120 + Below(20) : Below(20);
      Memory& to = g_core->memory(kIds[way]);
      AkgenCube c = Load(AKGEN_CUBE_LOAD2D, TypeOf(8u << Below(3)), AKGEN_POS_GM, gm_.data(),
                         kTo[way], to.At(1024));
      const uint32_t n[] = {start, repeats, stride, gap, 0, down};
      std::copy(std::begin(n), std::end(n), c.n);
      akgen_cube(&c);
      for (uint32_t i = 0; i < repeats; ++i) {
        const uint32_t from = down ? start - i * stride : start + i * stride;
        ASSERT_EQ(std::memcmp(&gm_[size_t(from) * 512], to.At(1024 + i * (gap + 1) * 512), 512), 0)
            << i;
        ASSERT_TRUE(to.defined.Defined(1024 + i * (gap + 1) * 512, 512));
      }
    });
}

TEST_F(CubeMoves, PlainCopiesComeToL1AndGoBack) {
  for (int round = 0; round < 60; ++round) {
    std::vector<uint8_t> before = gm_;
    Run([&] {
      Memory& l1 = g_core->memory(MemoryId::L1);
      const uint32_t blocks = In(1, 6), length = 32 * In(1, 9), skip = 32 * Below(4),
                     apart = 32 * Below(4);
      AkgenCopy c = {};
      c.kind = AKGEN_GM_TO_UB, c.dtype = AKGEN_F32, c.block_count = uint16_t(blocks),
      c.block_len = length;
      c.src_stride = skip, c.dst_stride = apart, c.dst = l1.At(4096), c.src = gm_.data() + 64;
      akgen_copy(&c);
      for (uint32_t i = 0; i < blocks; ++i)
        ASSERT_EQ(std::memcmp(l1.At(4096 + i * (length + apart)), &before[64 + i * (length + skip)],
                              length),
                  0);
      // Back, as integers added to what lies there.
      AkgenCopy back = {};
      back.kind = AKGEN_UB_TO_GM, back.dtype = AKGEN_I32, back.block_count = uint16_t(blocks),
      back.block_len = length;
      back.src_stride = apart, back.dst_stride = skip, back.dst = gm_.data() + 131072,
      back.src = l1.At(4096);
      const bool add = Below(2);
      if (add) akgen_set_atomic(1, AKGEN_I32);
      akgen_copy(&back);
      akgen_set_atomic(0, AKGEN_I32);
      for (uint32_t i = 0; i < blocks; ++i)
        for (uint32_t e = 0; e < length; e += 4) {
          const size_t at = 131072 + i * (length + skip) + e;
          uint32_t old, moved, got;
          std::memcpy(&old, &before[at], 4),
              std::memcpy(&moved, l1.At(4096 + i * (length + apart) + e), 4);
          std::memcpy(&got, &gm_[at], 4);
          ASSERT_EQ(got, add ? old + moved : moved) << i << " " << e;
        }
    });
  }
}

TEST_F(CubeMoves, TablesTakeBlocksAndHalfBecomesFloat) {
  for (int round = 0; round < 60; ++round)
    Run([&] {
      const uint8_t* l1 = Prepare(MemoryId::L1);
      const bool fixpipe = Below(3) == 0, widens = !fixpipe && Below(2);
      Memory& to = g_core->memory(fixpipe ? MemoryId::FB : MemoryId::BT);
      const uint32_t unit = fixpipe ? 128 : 64, blocks = In(1, 2), length = In(1, widens ? 2 : 3),
                     gap = Below(2), src_gap = fixpipe ? length * unit / 32 + Below(3) : Below(3);
      AkgenCube c =
          Load(AKGEN_CUBE_TO_TABLE,
               fixpipe  ? uint8_t(AKGEN_U64)
               : widens ? uint8_t(AKGEN_F16)
                        : TypeOf(32),
               AKGEN_POS_C1, l1 + 96, fixpipe ? AKGEN_POS_C2PIPE2GM : AKGEN_POS_C2, to.base());
      if (widens) c.dst_type = AKGEN_F32;
      const uint32_t n[] = {blocks, length, src_gap, gap};
      std::copy(std::begin(n), std::end(n), c.n);
      akgen_cube(&c);
      const uint32_t in = length * unit, out = widens ? 2 * in : in;
      for (uint32_t i = 0; i < blocks; ++i) {
        const uint8_t* from = l1 + 96 + i * (fixpipe ? src_gap * 32 : in + src_gap * 32);
        const uint32_t at = i * (out + gap * unit);
        ASSERT_TRUE(to.defined.Defined(at, out));
        if (!widens) ASSERT_EQ(std::memcmp(to.At(at), from, in), 0);
        for (uint32_t e = 0; widens && e < in / 2; ++e) {
          _Float16 half;
          float wide;
          std::memcpy(&half, from + 2 * e, 2), std::memcpy(&wide, to.At(at + 4 * e), 4);
          const auto want = float(half);
          ASSERT_EQ(std::memcmp(&wide, &want, 4), 0) << e;
        }
      }
    });
}

TEST_F(CubeMoves, FillWritesBlocks) {
  static constexpr uint8_t kTo[] = {AKGEN_POS_B1, AKGEN_POS_A2, AKGEN_POS_B2};
  static constexpr MemoryId kIds[] = {MemoryId::L1, MemoryId::L0A, MemoryId::L0B};
  for (int round = 0; round < 40; ++round)
    Run([&] {
      const uint32_t way = Below(3), unit = way ? 512 : 32, times = In(1, 5), blocks = In(1, 4),
                     gap = Below(3), bytes = 2u << Below(2);
      Memory& to = g_core->memory(kIds[way]);
      AkgenCube c =
          Load(AKGEN_CUBE_FILL, TypeOf(bytes * 8), kTo[way], to.base(), kTo[way], to.base());
      c.n[0] = times, c.n[1] = blocks, c.n[2] = gap, c.value = 0xa1b2c3d4;
      akgen_cube(&c);
      for (uint32_t i = 0; i < times; ++i)
        for (uint32_t e = 0; e < blocks * unit; e += bytes)
          ASSERT_EQ(std::memcmp(to.At(i * (blocks + gap) * unit + e), &c.value, bytes), 0)
              << i << " " << e;
      if (gap) EXPECT_FALSE(to.defined.Defined(blocks * unit, 1)) << "the gap";
    });
}

// Of every four elements along K of a column two are kept; the index says which. Against the dense
// product.
TEST_F(CubeMoves, SparseWeightsStandForDenseOnes) {
  for (int round = 0; round < 20; ++round)
    Run([&] {
      const uint32_t m = In(2, 40), n = In(1, 50), k = 64 * In(1, 3), half = k / 2,
                     n1 = (n + 15) / 16, first = Below(3);
      uint8_t* l1 = Prepare(MemoryId::L1);
      Memory &l0a = g_core->memory(MemoryId::L0A), &l0b = g_core->memory(MemoryId::L0B),
             &l0c = g_core->memory(MemoryId::L0C);
      std::vector<int> a(m * k), dense(k * n);
      for (uint32_t i = 0; i < m; ++i)
        for (uint32_t x = 0; x < k; ++x) {
          a[i * k + x] = int8_t(random_());
          *l0a.At((i / 16 * (k / 32) + x / 32) * 512 + i % 16 * 32 + x % 32) =
              uint8_t(a[i * k + x]);
        }
      l0a.defined.Fill(true);
      constexpr uint32_t kIndexAt = 256 << 10;
      for (uint32_t j = 0; j < n; ++j)
        for (uint32_t pair = 0; pair < half / 2; ++pair) {
          const uint32_t kept = pair * 2,
                         at = ((first + (kept / 32 * n1 + j / 16)) * 512) + j % 16 * 32 + kept % 32;
          const uint32_t x = Below(3), y = In(x, 2),
                         bits = x | y << 2;  // the second place is one further
          uint8_t& index = l1[kIndexAt + at / 4];
          index = at % 4 ? uint8_t((index & 15) | bits << 4) : uint8_t((index & 0xf0) | bits);
          dense[(pair * 4 + x) * n + j] = int8_t(l1[at]),
                                     dense[(pair * 4 + y + 1) * n + j] = int8_t(l1[at + 1]);
        }
      AkgenCube c =
          Load(AKGEN_CUBE_LOAD_SPARSE, AKGEN_I8, AKGEN_POS_B1, l1, AKGEN_POS_B2, l0b.base());
      c.src1 = l1 + kIndexAt, c.src1_type = AKGEN_U8, c.src1_position = AKGEN_POS_B1;
      c.n[0] = first, c.n[1] = half / 32 * n1;
      akgen_cube(&c);
      AkgenCube p =
          Load(AKGEN_CUBE_MMAD, AKGEN_I8, AKGEN_POS_A2, l0a.base(), AKGEN_POS_CO1, l0c.base());
      p.dst_type = AKGEN_I32, p.src1 = l0b.base(), p.src1_type = AKGEN_I8,
      p.src1_position = AKGEN_POS_B2;
      p.n[AKGEN_MMAD_M] = m, p.n[AKGEN_MMAD_N] = n, p.n[AKGEN_MMAD_K] = k,
      p.n[AKGEN_MMAD_SPARSE] = 1;
      akgen_cube(&p);
      for (uint32_t i = 0; i < m; ++i)
        for (uint32_t j = 0; j < n; ++j) {
          int want = 0, got;
          for (uint32_t x = 0; x < k; ++x) want += a[i * k + x] * dense[x * n + j];
          std::memcpy(&got, l0c.At((j / 16 * ((m + 15) / 16 * 16) + i) * 64 + j % 16 * 4), 4);
          ASSERT_EQ(got, want) << i << " " << j;
        }
    });
}

// One field of an instruction outside what it takes, and the word that the finding must have.
struct WrongField {
  uint8_t op;
  std::vector<uint32_t> fields;
  const char* word;
  uint8_t type = AKGEN_F16, from = AKGEN_POS_GM, to = AKGEN_POS_A1;
  uint64_t value = 0;
};
constexpr uint32_t kInfinite = 0x7f800000;
const std::vector<WrongField> kWrongFields = {
    {AKGEN_CUBE_ND2NZ, {4096, 1, 1, 0, 1, 1, 1, 0}, "ndNum"},
    {AKGEN_CUBE_ND2NZ, {1, 16385, 1, 0, 1, 1, 1, 0}, "nValue"},
    {AKGEN_CUBE_ND2NZ, {1, 2, 1, 0, 0, 2, 1, 0}, "srcDValue"},
    {AKGEN_CUBE_ND2NZ, {1, 2, 1, 0, 1, 2, 0, 0}, "dstNzNStride"},
    {AKGEN_CUBE_ND2NZ, {1, 2, 32, 0, 32, 0, 1, 0}, "dstNzC0Stride"},
    {AKGEN_CUBE_ND2NZ, {2, 2, 1, 2, 1, 2, 1, 16385}, "dstNzMatrixStride"},
    {AKGEN_CUBE_LOAD2D, {0, 1, 1, 0, 1, 0}, "ifTranspose", AKGEN_F16, AKGEN_POS_GM, AKGEN_POS_A2},
    {AKGEN_CUBE_LOAD2D, {9, 1, 1, 0, 0, 1}, "addrMode", AKGEN_F16, AKGEN_POS_A1, AKGEN_POS_A2},
    {AKGEN_CUBE_LOAD2D, {0, 1, 1, 0, 0, 0}, "4 bits", AKGEN_I4, AKGEN_POS_GM, AKGEN_POS_A2},
    {AKGEN_CUBE_FILL, {32768, 1, 0}, "repeatTimes", AKGEN_F16, AKGEN_POS_A1, AKGEN_POS_A1},
    {AKGEN_CUBE_FILL, {1, 32768, 0}, "blockNum", AKGEN_F16, AKGEN_POS_A1, AKGEN_POS_A1},
    {AKGEN_CUBE_FILL, {1, 1, 32768}, "dstGap", AKGEN_F16, AKGEN_POS_A1, AKGEN_POS_A1},
    {AKGEN_CUBE_FILL, {1, 1, 0}, "16 and 32 bits", AKGEN_I8, AKGEN_POS_A1, AKGEN_POS_A1},
    {AKGEN_CUBE_TO_TABLE, {1, 1, 0, 0}, "uint64_t", AKGEN_F32, AKGEN_POS_C1, AKGEN_POS_C2PIPE2GM},
    {AKGEN_CUBE_LOAD_SPARSE, {0, 1}, "int8_t", AKGEN_F16, AKGEN_POS_B1, AKGEN_POS_B2},
    {AKGEN_CUBE_MMAD, {4096, 16, 16}, "m is", AKGEN_F16, AKGEN_POS_A2, AKGEN_POS_CO1},
    {AKGEN_CUBE_MMAD, {16, 16, 4096}, "k is", AKGEN_F16, AKGEN_POS_A2, AKGEN_POS_CO1},
    {AKGEN_CUBE_MMAD, {16, 16, 16, 1}, "unitFlag", AKGEN_F16, AKGEN_POS_A2, AKGEN_POS_CO1},
    {AKGEN_CUBE_MMAD, {16, 16, 15}, "k is even", AKGEN_I4, AKGEN_POS_A2, AKGEN_POS_CO1},
    {AKGEN_CUBE_MMAD, {16, 16, 16, 0, 0, 2}, "no bias", AKGEN_I4, AKGEN_POS_A2, AKGEN_POS_CO1},
    {AKGEN_CUBE_MMAD, {16, 16, 64, 0, 1, 0, 1}, "sparse", AKGEN_I8, AKGEN_POS_A2, AKGEN_POS_CO1},
    {AKGEN_CUBE_FIXPIPE,
     {4096, 16, 16, 4096, 0, 0, 0, 1, 0, 0, 1},
     "nSize",
     AKGEN_F32,
     AKGEN_POS_CO1,
     AKGEN_POS_GM},
    {AKGEN_CUBE_FIXPIPE,
     {16, 8193, 16, 16, 0, 0, 0, 1, 0, 0, 1},
     "mSize",
     AKGEN_F32,
     AKGEN_POS_CO1,
     AKGEN_POS_GM},
    {AKGEN_CUBE_FIXPIPE,
     {16, 16, 16, 0, 0, 0, 0, 1, 0, 0, 1},
     "dstStride",
     AKGEN_F32,
     AKGEN_POS_CO1,
     AKGEN_POS_GM},
    {AKGEN_CUBE_FIXPIPE,
     {15, 16, 16, 32, 0, 0, 0, 1, 0, 0, 0},
     "nSize",
     AKGEN_F32,
     AKGEN_POS_CO1,
     AKGEN_POS_GM},
    {AKGEN_CUBE_FIXPIPE,
     {16, 16, 16, 16, 0, 0, 1, 1, 0, 0, 1},
     "unitFlag",
     AKGEN_F32,
     AKGEN_POS_CO1,
     AKGEN_POS_GM},
    {AKGEN_CUBE_FIXPIPE,
     {16, 16, 16, 16, 0, 0, 0, 1, 0, 0, 1, 1},
     "isChannelSplit",
     AKGEN_F32,
     AKGEN_POS_CO1,
     AKGEN_POS_GM},
    {AKGEN_CUBE_FIXPIPE,
     {16, 16, 16, 16, 9, 0, 0, 1, 0, 0, 1},
     "does not exist",
     AKGEN_F32,
     AKGEN_POS_CO1,
     AKGEN_POS_GM},
    {AKGEN_CUBE_FIXPIPE,
     {16, 16, 16, 16, 3, 0, 0, 1, 0, 0, 1},
     "infinite",
     AKGEN_I32,
     AKGEN_POS_CO1,
     AKGEN_POS_GM,
     kInfinite},
    {AKGEN_CUBE_FIXPIPE,
     {16, 16, 16, 16, 3, 0, 0, 1, 0, 0, 1},
     "subnormal",
     AKGEN_I32,
     AKGEN_POS_CO1,
     AKGEN_POS_GM,
     0x4000},
    {AKGEN_CUBE_FIXPIPE,
     {16, 16, 16, 16, 3, 0, 0, 1, 0, 0, 1},
     "no number",
     AKGEN_I32,
     AKGEN_POS_CO1,
     AKGEN_POS_GM,
     0x7fc00000},
};

TEST_F(CubeMoves, FieldsHaveRanges) {
  for (const WrongField& w : kWrongFields) {
    const LaunchResult done = RunAnything([&] {
      for (MemoryId id : {MemoryId::L1, MemoryId::L0A, MemoryId::L0B, MemoryId::L0C, MemoryId::BT})
        g_core->memory(id).defined.Fill(true);
      auto at = [&](uint8_t position) -> uint8_t* {
        return position == AKGEN_POS_GM ? gm_.data() : g_core->memories.AtPosition(position).base();
      };
      AkgenCube c = Load(w.op, w.type, w.from, at(w.from), w.to, at(w.to));
      std::copy(w.fields.begin(), w.fields.end(), c.n);
      c.value = w.value;
      c.src1 = g_core->memory(w.op == AKGEN_CUBE_MMAD ? MemoryId::L0B : MemoryId::L1).base();
      c.src1_type = w.type, c.src1_position = w.op == AKGEN_CUBE_MMAD ? AKGEN_POS_B2 : AKGEN_POS_B1;
      if (w.op == AKGEN_CUBE_FIXPIPE && w.fields[4] == 3) c.dst_type = AKGEN_F16;
      akgen_cube(&c);
    });
    ASSERT_GE(done.findings.size(), 1u) << w.word << " of " << int(w.op);
    EXPECT_EQ(done.findings[0].kind, FindingKind::kBrokenRule)
        << w.word << ": " << done.findings[0].message;
    EXPECT_NE(done.findings[0].message.find(w.word), std::string::npos)
        << w.word << ": " << done.findings[0].message;
  }
}

TEST_F(CubeMoves, BoundaryOfLessThanAKibibyteIsAFinding) {
  const LaunchResult done = RunAnything([&] {
    Prepare(MemoryId::L1);
    akgen_cube_register(AKGEN_CUBE_REG_BOUNDARY, 1000);
    AkgenCube c =
        Load(AKGEN_CUBE_LOAD3D, AKGEN_F16, AKGEN_POS_A1, g_core->memory(MemoryId::L1).base(),
             AKGEN_POS_A2, g_core->memory(MemoryId::L0A).base());
    for (uint32_t& n : c.n) n = 1;
    c.n[AKGEN_L3D_WIDTH] = c.n[AKGEN_L3D_CHANNELS] = c.n[AKGEN_L3D_K_EXTENSION] =
        c.n[AKGEN_L3D_M_EXTENSION] = 16;
    for (auto field :
         {AKGEN_L3D_PAD_LEFT, AKGEN_L3D_PAD_RIGHT, AKGEN_L3D_PAD_TOP, AKGEN_L3D_PAD_BOTTOM,
          AKGEN_L3D_K_START, AKGEN_L3D_M_START, AKGEN_L3D_TRANSPOSE, AKGEN_L3D_REGISTERS})
      c.n[field] = 0;
    akgen_cube(&c);
  });
  ASSERT_EQ(done.findings.size(), 1u);
  EXPECT_NE(done.findings[0].message.find("SetLoadDataBoundary is 1000"), std::string::npos);
}
}  // namespace
}  // namespace akgen::sim
