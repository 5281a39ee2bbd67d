// LoadData of images (3D v2) with random parameters against the published formula of the virtual
// matrix.
#include <array>
#include <cstring>
#include <map>
#include <set>

#include "cube_fixture.h"

namespace akgen::sim {
namespace {
// The parameters of one load, and the virtual matrix one element at a time.
struct ImageLoad {
  int high, wide, c1, fh, fw, sh, sw, dh, dw, left, right, top, bottom;
  int m0, k0, m, k;                   // part of the virtual matrix
  int times = 1, step = 0, mode = 0;  // mode 0: repetitions go down, 1: to the right
  uint32_t bits;
  int Lanes() const { return int(256 / bits); }
  int OutHigh() const { return (high + top + bottom - ((fh - 1) * dh + 1)) / sh + 1; }
  int OutWide() const { return (wide + left + right - ((fw - 1) * dw + 1)) / sw + 1; }
  bool Fits() const {
    return high + top + bottom > (fh - 1) * dh && wide + left + right > (fw - 1) * dw;
  }
  int Rows() const { return OutHigh() * OutWide(); }
  int Columns() const { return c1 * fh * fw * Lanes(); }
  // Element (r, e) of the matrix as stored in `l1`; false: padding.
  bool Element(const uint8_t* l1, int r, int e, uint64_t* value) const {
    const int c0 = e % Lanes(), tap = e / Lanes() % (fh * fw), plane = e / Lanes() / (fh * fw);
    const int y = r / OutWide() * sh - top + tap / fw * dh,
              x = r % OutWide() * sw - left + tap % fw * dw;
    if (y < 0 || x < 0 || y >= high || x >= wide) return false;
    const int at = ((plane * high + y) * wide + x) * Lanes() + c0;
    *value = 0;
    if (bits == 4)
      *value = l1[at / 2] >> (at % 2 * 4) & 15;
    else
      std::memcpy(value, l1 + size_t(at) * bits / 8, bits / 8);
    return true;
  }
};

class CubeImages : public CubeCore {
 protected:
  // `cut`: what reaches the lower or right end may end within a fractal.
  ImageLoad Draw(uint32_t bits, bool cut) {
    ImageLoad p{};
    p.bits = bits;
    do {
      p.high = int(In(1, 9)), p.wide = int(In(1, 9)), p.c1 = int(In(1, 3));
      p.fh = int(In(1, 3)), p.fw = int(In(1, 3)), p.sh = int(In(1, 2)), p.sw = int(In(1, 2));
      p.dh = int(In(1, 2)), p.dw = int(In(1, 2));
      p.left = int(Below(3)), p.right = int(Below(3)), p.top = int(Below(3)),
      p.bottom = int(Below(3));
    } while (!p.Fits());
    const int lanes = p.Lanes(), m1 = (p.Rows() + 15) / 16, k1 = p.Columns() / lanes;
    const int mf = int(Below(uint32_t(m1))), kf = int(Below(uint32_t(k1)));
    p.m0 = mf * 16, p.k0 = kf * lanes;
    p.m = std::min(48, 16 * int(In(1, uint32_t(m1 - mf)))),
    p.k = lanes * std::min(4, int(In(1, uint32_t(k1 - kf))));
    if (cut && p.m0 + p.m >= p.Rows()) p.m -= int(Below(16));
    if (cut && p.k0 + p.k >= p.Columns()) p.k -= int(Below(uint32_t(lanes)));
    return p;
  }
  AkgenCube Instruction(const ImageLoad& p, const uint8_t* l1, uint8_t to, void* dst, bool turn) {
    AkgenCube c = Load(AKGEN_CUBE_LOAD3D, p.bits == 4 ? uint8_t(AKGEN_I4) : TypeOf(p.bits),
                       AKGEN_POS_A1, l1, to, dst);
    const std::array<int, 18> n{p.left, p.right, p.top, p.bottom, p.high, p.wide, p.c1 * p.Lanes(),
                                p.k,    p.m,     p.k0,  p.m0,     p.sw,   p.sh,   p.fw,
                                p.fh,   p.dw,    p.dh,  turn};
    std::copy(n.begin(), n.end(), c.n);
    c.value = kPadding;
    return c;
  }
  // Where element (r, e) of what is written must be; `r` and `e` count over all repetitions.
  static size_t Place(const ImageLoad& p, int r, int e, bool right, bool turn, int rows,
                      int columns) {
    const int lanes = p.Lanes();
    auto up = [](int x, int to) { return (x + to - 1) / to; };
    size_t element;
    if (right)
      element = size_t((r / lanes * up(columns, 16) + e / 16) * 16 + e % 16) * lanes + r % lanes;
    else if (turn)
      element = size_t((e / 16 * (up(rows, 16) * 16 / lanes) + r / lanes) * 16 + e % 16) * lanes +
                r % lanes;
    else
      element = size_t((r / 16 * up(columns, lanes) + e / lanes) * 16 + r % 16) * lanes + e % lanes;
    return element;
  }
  void Compare(const ImageLoad& p, const uint8_t* l1, const Memory& to, bool right, bool turn) {
    const int down = p.mode == 0 ? p.times : 1, along = p.mode == 1 ? p.times : 1;
    const int rows = p.m * down, columns = p.k * along;
    for (int r = 0; r < rows; ++r)
      for (int e = 0; e < columns; ++e) {
        const int row = p.m0 + r % p.m + (p.mode == 0 ? r / p.m * p.step * 16 : 0),
                  column = p.k0 + e % p.k + (p.mode == 1 ? e / p.k * p.step * p.Lanes() : 0);
        const size_t at = Place(p, r, e, right, turn, rows, columns);
        uint64_t want = p.bits == 4 ? at % 2 ? kPadding >> 4 & 15 : kPadding & 15
                                    : kPadding & ((uint64_t{1} << p.bits) - 1),
                 got = 0;
        if (row >= p.Rows() || column >= p.Columns()) {
          ASSERT_FALSE(to.defined.Defined(at * p.bits / 8, 1))
              << "nothing lies there: " << r << " " << e;
          continue;
        }
        p.Element(l1, row, column, &want);
        if (p.bits == 4)
          got = *to.At(uint32_t(at / 2)) >> (at % 2 * 4) & 15;
        else
          std::memcpy(&got, to.At(uint32_t(at * p.bits / 8)), p.bits / 8);
        ASSERT_EQ(got, want) << p.bits << " bits, row " << r << ", column " << e;
        ASSERT_TRUE(to.defined.Defined(at * p.bits / 8, 1));
      }
  }
  static constexpr uint64_t kPadding = 0x12341234;
};

TEST_F(CubeImages, EveryWidthInEveryDirection) {
  struct Way {
    uint32_t bits;
    bool right, turn;
  };
  for (const Way& way :
       {Way{4, false, false}, Way{8, false, false}, Way{16, false, false}, Way{16, false, true},
        Way{16, true, false}, Way{32, false, false}, Way{32, false, true}, Way{32, true, false}})
    for (int round = 0; round < 12; ++round)
      Run([&] {
        const uint8_t* l1 = Prepare(MemoryId::L1);
        Memory& to = g_core->memory(way.right ? MemoryId::L0B : MemoryId::L0A);
        const ImageLoad p = Draw(way.bits, true);
        const AkgenCube c =
            Instruction(p, l1, way.right ? AKGEN_POS_B2 : AKGEN_POS_A2, to.base(), way.turn);
        akgen_cube(&c);
        Compare(p, l1, to, way.right, way.turn);
      });
}

TEST_F(CubeImages, RepetitionsAreLaidOutAsOneMatrix) {
  for (int round = 0; round < 60; ++round)
    Run([&] {
      const uint8_t* l1 = Prepare(MemoryId::L1);
      const bool right = Below(2), turn = !right && Below(2);
      Memory& to = g_core->memory(right ? MemoryId::L0B : MemoryId::L0A);
      ImageLoad p = Draw(Below(2) ? 16 : 32, false);
      p.times = int(Below(4)), p.step = int(Below(3)), p.mode = int(Below(2));
      akgen_cube_register(AKGEN_CUBE_REG_REPEAT,
                          uint64_t(p.step) | uint64_t(p.times) << 16 | uint64_t(p.mode) << 24);
      const AkgenCube c = Instruction(p, l1, right ? AKGEN_POS_B2 : AKGEN_POS_A2, to.base(), turn);
      akgen_cube(&c);
      if (p.times == 0)
        EXPECT_FALSE(to.defined.Defined(0, 2)) << "no repetition is no load";
      else
        Compare(p, l1, to, right, turn);
    });
}

// SetFmatrix and SetLoadDataPaddingValue in place of the instruction's own fields.
TEST_F(CubeImages, RegistersReplaceFields) {
  for (int round = 0; round < 20; ++round)
    Run([&] {
      const uint8_t* l1 = Prepare(MemoryId::L1);
      Memory& to = g_core->memory(MemoryId::L0A);
      const ImageLoad p = Draw(16, true);
      AkgenCube c = Instruction(p, l1, AKGEN_POS_A2, to.base(), false);
      akgen_cube_register(AKGEN_CUBE_REG_FMATRIX,
                          uint64_t(p.high) | uint64_t(p.wide) << 16 | uint64_t(p.left) << 32 |
                              uint64_t(p.right) << 40 | uint64_t(p.top) << 48 |
                              uint64_t(p.bottom) << 56);
      akgen_cube_register(AKGEN_CUBE_REG_PAD_VALUE, kPadding);
      for (uint32_t field = 0; field < AKGEN_L3D_CHANNELS; ++field) c.n[field] = 77;
      c.value = 0, c.n[AKGEN_L3D_REGISTERS] = 3;
      akgen_cube(&c);
      Compare(p, l1, to, false, false);
    });
}

// Behind SetLoadDataBoundary L1 begins again.
TEST_F(CubeImages, BoundaryWraps) {
  Run([&] {
    const uint8_t* l1 = Prepare(MemoryId::L1);
    Memory& to = g_core->memory(MemoryId::L0A);
    akgen_cube_register(AKGEN_CUBE_REG_BOUNDARY, 1024);
    ImageLoad p{
        .high = 1, .wide = 48, .c1 = 1, .fh = 1, .fw = 1, .sh = 1, .sw = 1, .dh = 1, .dw = 1};
    p.m = 48, p.k = 16, p.bits = 16;
    const AkgenCube c = Instruction(p, l1 + 512, AKGEN_POS_A2, to.base(), false);
    akgen_cube(&c);
    for (uint32_t r = 0; r < 48; ++r)
      EXPECT_EQ(std::memcmp(to.At(r * 32), l1 + (512 + r * 32) % 1024, 32), 0) << "row " << r;
  });
}

// Fields outside what they take, each alone, and the word that the finding must have.
TEST_F(CubeImages, FieldsHaveRanges) {
  struct Wrong {
    uint32_t field, value;
    const char* word;
    uint8_t type = AKGEN_F16;
  };
  for (const Wrong& w :
       {Wrong{AKGEN_L3D_HEIGHT, 32768, "l1H"}, Wrong{AKGEN_L3D_WIDTH, 40000, "l1W"},
        Wrong{AKGEN_L3D_K_START, 8, "kStartPt"}, Wrong{AKGEN_L3D_M_START, 32768, "mStartPt"},
        Wrong{AKGEN_L3D_STRIDE_W, 64, "strideW"}, Wrong{AKGEN_L3D_STRIDE_H, 64, "strideH"},
        Wrong{AKGEN_L3D_K_EXTENSION, 8, "kExtension"},
        Wrong{AKGEN_L3D_M_EXTENSION, 8, "mExtension"}, Wrong{AKGEN_L3D_CHANNELS, 33, "channelSize"},
        Wrong{AKGEN_L3D_DILATION_W, 0, "dilation"},
        Wrong{AKGEN_L3D_TRANSPOSE, 1, "not transposed", AKGEN_I8}}) {
    const LaunchResult done = RunAnything([&] {
      const uint8_t* l1 = Prepare(MemoryId::L1);
      ImageLoad p{
          .high = 8, .wide = 8, .c1 = 2, .fh = 1, .fw = 1, .sh = 1, .sw = 1, .dh = 1, .dw = 1};
      p.m = 16, p.k = 16, p.bits = 16;
      AkgenCube c = Instruction(p, l1, AKGEN_POS_A2, g_core->memory(MemoryId::L0A).base(), false);
      if (w.type == AKGEN_I8)
        c.src_type = c.dst_type = AKGEN_I8, c.n[AKGEN_L3D_CHANNELS] = 64,
        c.n[AKGEN_L3D_K_EXTENSION] = 32;
      c.n[w.field] = w.value;
      akgen_cube(&c);
    });
    ASSERT_GE(done.findings.size(), 1u) << w.word;
    EXPECT_EQ(done.findings[0].kind, FindingKind::kBrokenRule) << w.word;
    EXPECT_NE(done.findings[0].message.find(w.word), std::string::npos) << done.findings[0].message;
  }
}

// 64 rows of 32 columns: a part that ends before the last 16 of either is whole.
TEST_F(CubeImages, OnlyTheLastFractalsMayBeCut) {
  struct Part {
    uint32_t m0, m, k0, k;
    const char* word;  // of the finding; none: it may be cut
  };
  for (const Part& part :
       {Part{40, 8, 0, 16, "mExtension"}, Part{41, 8, 0, 16, nullptr}, Part{48, 7, 0, 16, nullptr},
        Part{32, 16, 0, 16, nullptr}, Part{0, 16, 0, 15, "kExtension"},
        Part{0, 16, 16, 15, nullptr}, Part{0, 16, 0, 17, nullptr}, Part{0, 16, 0, 16, nullptr}}) {
    const LaunchResult done = RunAnything([&] {
      const uint8_t* l1 = Prepare(MemoryId::L1);
      ImageLoad p{
          .high = 8, .wide = 8, .c1 = 2, .fh = 1, .fw = 1, .sh = 1, .sw = 1, .dh = 1, .dw = 1};
      p.m0 = part.m0, p.m = part.m, p.k0 = part.k0, p.k = part.k, p.bits = 16;
      const AkgenCube c =
          Instruction(p, l1, AKGEN_POS_A2, g_core->memory(MemoryId::L0A).base(), false);
      akgen_cube(&c);
    });
    EXPECT_EQ(done.findings.empty(), !part.word)
        << part.m0 << " " << part.m << " " << part.k0 << " " << part.k;
    if (part.word && !done.findings.empty())
      EXPECT_NE(done.findings[0].message.find(part.word), std::string::npos)
          << done.findings[0].message;
  }
}

// Parts at the lower and the right end may be cut short; half-filled columns of channels are not
// simulated.
TEST_F(CubeImages, EndsMayBeCutAndPartsOfColumnsAreUnsupported) {
  ImageLoad p{.high = 8, .wide = 8, .c1 = 2, .fh = 1, .fw = 1, .sh = 1, .sw = 1, .dh = 1, .dw = 1};
  p.m0 = 48, p.k0 = 16, p.m = 7, p.k = 3, p.bits = 16;
  auto run = [&](uint32_t channels) {
    return RunAnything([&] {
      const uint8_t* l1 = Prepare(MemoryId::L1);
      AkgenCube c = Instruction(p, l1, AKGEN_POS_A2, g_core->memory(MemoryId::L0A).base(), false);
      c.n[AKGEN_L3D_CHANNELS] = channels;
      akgen_cube(&c);
    });
  };
  const LaunchResult whole = run(32);
  EXPECT_EQ(whole.status, "ok");
  EXPECT_TRUE(whole.findings.empty()) << whole.findings[0].message;
  EXPECT_EQ(run(24).status, "unsupported");
}

// Each number of channels behind whole columns, by width: none are simulated, and which of the
// others the chip takes.
TEST_F(CubeImages, ChannelsBehindWholeColumns) {
  const std::map<uint32_t, std::set<uint32_t>> takes = {
      {4, {8, 16, 32}}, {8, {4, 8, 16}}, {16, {4, 8}}, {32, {4}}};
  for (const auto& [bits, rests] : takes)
    for (uint32_t rest : {0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63}) {
      if (rest >= 256 / bits) continue;
      const LaunchResult done = RunAnything([&, bits = bits] {
        const uint8_t* l1 = Prepare(MemoryId::L1);
        ImageLoad p{
            .high = 8, .wide = 8, .c1 = 2, .fh = 1, .fw = 1, .sh = 1, .sw = 1, .dh = 1, .dw = 1};
        p.m = 16, p.bits = bits, p.k = p.Lanes();
        AkgenCube c = Instruction(p, l1, AKGEN_POS_A2, g_core->memory(MemoryId::L0A).base(), false);
        c.n[AKGEN_L3D_CHANNELS] += rest;
        akgen_cube(&c);
      });
      const bool taken = rests.contains(rest);
      EXPECT_EQ(done.status, taken ? "unsupported" : "ok") << bits << " bits, " << rest;
      ASSERT_EQ(done.findings.size(), rest && !taken ? 1u : 0u) << bits << " bits, " << rest;
      if (!done.findings.empty())
        EXPECT_NE(done.findings[0].message.find("channelSize"), std::string::npos)
            << done.findings[0].message;
    }
}

// Where the source and the destination may begin: on a multiple of what their memories take.
TEST_F(CubeImages, BothSidesAreAligned) {
  for (const bool right : {false, true})
    for (const bool image : {false, true})
      for (const uint32_t src : {0, 2, 16, 30, 32, 64})
        for (const uint32_t dst : {0, 32, 256, 510, 512, 1024}) {
          if (src && dst) continue;
          const MemoryId id = right ? MemoryId::L0B : MemoryId::L0A;
          const LaunchResult done = RunAnything([&] {
            const uint8_t* l1 = Prepare(MemoryId::L1);
            ImageLoad p{.high = 8,
                        .wide = 8,
                        .c1 = 2,
                        .fh = 1,
                        .fw = 1,
                        .sh = 1,
                        .sw = 1,
                        .dh = 1,
                        .dw = 1};
            p.m = 16, p.k = 16, p.bits = 16, p.top = image;
            const AkgenCube c = Instruction(p, l1 + src, right ? AKGEN_POS_B2 : AKGEN_POS_A2,
                                            g_core->memory(id).base() + dst, false);
            akgen_cube(&c);
          });
          const std::string said = done.findings.empty() ? "" : done.findings[0].message;
          EXPECT_EQ(said.find(" L1 at offset " + std::to_string(src)) != std::string::npos,
                    src % 32 != 0)
              << src << " " << said;
          EXPECT_EQ(
              said.find("at offset " + std::to_string(dst) + ", which is not") != std::string::npos,
              src == 0 && dst % 512 != 0)
              << dst << " " << said;
        }
}
}  // namespace
}  // namespace akgen::sim
