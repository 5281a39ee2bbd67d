// The other library functions of many operands against plain loops in double.
#include <gtest/gtest.h>

#include "akgen/library_tmp.h"
#include "library_call.h"
#include "library_cases.h"

namespace akgen::sim::test {
namespace {

constexpr uint8_t kFloats[] = {AKGEN_F32, AKGEN_F16};

class ModelledCase {
 public:
  explicit ModelledCase(const LibraryCase& c)
      : call_(c.op, c.type, uint8_t(c.results.size())), case_(c) {
    call_.Size(c.sizes[0], c.sizes[1], c.sizes[2], c.sizes[3]);
    if (c.more) c.more(call_.v);
  }
  // bits: of every integer; numbers from -2 to 6 else, or integers from 0 to 99.
  void ComesOutAsTheModel(bool bits) {
    std::vector<OperandBytes> in;
    int operand = int(case_.results.size());
    for (const LibraryOperand& o : case_.sources) {
      const bool is_float = o.type == AKGEN_F32 || o.type == AKGEN_F16;
      const size_t bytes = o.elements * BitsOf(o.type) / 8;
      uint8_t* at = call_.core.At<uint8_t>(size_t(operand) * Call::kApart);
      if (is_float) call_.Fill(operand, int(o.elements), -2, 6, o.type);
      for (size_t i = 0; i < bytes && !is_float; ++i)
        at[i] = bits || i * 8 % BitsOf(o.type) == 0 ? Next(bits) : 0;
      in.emplace_back(at, at + bytes);
      ++operand;
    }
    call_.Run();
    const OperandBytes want = case_.model(in);
    EXPECT_EQ(OperandBytes(call_.core.At<uint8_t>(0), call_.core.At<uint8_t>(want.size())), want);
  }
  void IsRefused(const char* code) {
    RunOwn(call_.core, call_.v);
    EXPECT_EQ(call_.core.broken, std::vector<std::string>{code});
    call_.core.broken.clear();
  }
  void RefusesOverlaps() {
    const size_t all = case_.results.size() + (case_.in_place ? 0 : case_.sources.size());
    for (size_t operand = 1; operand < all; ++operand) {
      ModelledCase other(case_);
      other.call_.Share(int(operand), 0);
      other.IsRefused("overlap");
    }
  }
  void RefusesTooSmallABuffer() {
    call_.v.tmp_bytes = 0;
    IsRefused("tmp_size");
  }

 private:
  uint8_t Next(bool bits) { return uint8_t(rng_() % (bits ? 256 : 100)); }
  Call call_;
  const LibraryCase& case_;
  std::mt19937 rng_{31};
};

TEST(Library, CasesComeOutAsTheirModels) {
  int modelled = 0;
  for (const LibraryCase& c : kLibraryCases) {
    if (!c.model) continue;
    SCOPED_TRACE(VecOpName(c.op));
    ++modelled;
    for (bool bits : {false, true}) ModelledCase(c).ComesOutAsTheModel(bits);
    ModelledCase(c).RefusesOverlaps();
    if (c.needs_tmp) ModelledCase(c).RefusesTooSmallABuffer();
  }
  EXPECT_GT(modelled, 0);
}

TEST(Library, WhatIsRefusedIsSaidWithWhatToDo) {
  const struct {
    uint32_t rows, columns, tmp;
    const char *code, *reason;
  } rows[] = {{0, 24, 65536, "shape", "an axis has no elements; give srcShape both axes"},
              {5, 0, 65536, "shape", "an axis has no elements; give srcShape both axes"},
              {1, 1, 65536, nullptr, nullptr}};
  for (const auto& r : rows) {
    Call c(AKGEN_OP_PatternReduce, AKGEN_F32, 1);
    c.Size(r.rows, r.columns);
    c.v.mode = uint8_t(kPatternSum), c.v.tmp_bytes = r.tmp;
    c.Fill(1, 8, 0, 1, AKGEN_F32);
    RunOwn(c.core, c.v);
    EXPECT_EQ(c.core.broken,
              r.code ? std::vector<std::string>{r.code} : std::vector<std::string>{});
    EXPECT_EQ(c.core.reasons,
              r.reason ? std::vector<std::string>{r.reason} : std::vector<std::string>{});
  }
}

TEST(Library, PatternsOfRowsAndColumns) {
  for (bool over_rows : {false, true})
    for (PatternReduction kind : {kPatternSum, kPatternMean, kPatternProd}) {
      Call c(AKGEN_OP_PatternReduce, AKGEN_F32, 1);
      c.Size(5, 24);
      c.v.mode = uint8_t(kind | (over_rows ? kPatternOverRows : 0));
      const auto x = c.Fill(1, 5 * 24, 0.5, 1.5, AKGEN_F32);
      c.Run();
      const int results = over_rows ? 24 : 5, length = over_rows ? 5 : 24;
      for (int i = 0; i < results; ++i) {
        double want = kind == kPatternProd ? 1 : 0;
        for (int k = 0; k < length; ++k) {
          const double at = over_rows ? x[k * 24 + i] : x[i * 24 + k];
          want = kind == kPatternProd ? want * at : want + at;
        }
        c.Near(0, i, kind == kPatternMean ? want / length : want, AKGEN_F32);
      }
    }
}

TEST(Library, LogSoftMaxToBaseTen) {
  for (uint8_t type : kFloats) {
    Call c(AKGEN_OP_LogSoftMax, type, 3);
    const int block = type == AKGEN_F32 ? 8 : 16;
    c.Size(3, 48, 45);
    const auto x = c.Fill(3, 3 * 48, -6, 4);
    c.Run();
    for (int r = 0; r < 3; ++r) {
      double top = -1e9, sum = 0;
      for (int i = 0; i < 45; ++i) top = std::max(top, x[r * 48 + i]);
      for (int i = 0; i < 45; ++i) sum += std::exp(x[r * 48 + i] - top);
      for (int i = 0; i < 45; ++i)
        c.Near(0, r * 48 + i, std::log10(std::exp(x[r * 48 + i] - top) / sum), type);
      c.Near(1, r * block + block - 1, sum, type);
      c.Near(2, r * block, top, type);
    }
  }
}

TEST(Library, SimpleSoftMaxTakesSumAndMaximum) {
  for (uint8_t type : kFloats) {
    Call c(AKGEN_OP_SimpleSoftMax, type, 1);
    c.v.src1_type = AKGEN_F32;
    c.Size(2, 32, 32);
    const auto sums = c.Fill(1, 16, 2, 9, AKGEN_F32), maxima = c.Fill(2, 16, 3, 4, AKGEN_F32),
               x = c.Fill(3, 64, -2, 3);
    c.Run();
    for (int i = 0; i < 64; ++i)
      c.Near(0, i, std::exp(x[i] - maxima[i / 32 * 8]) / sums[i / 32 * 8], type);
  }
}

// Values out of few, so that equal ones meet; NaN is first in both directions.
TEST(Library, TopKOfRows) {
  for (uint8_t type : kFloats)
    for (uint8_t mode = 0; mode < 16; ++mode) {
      if ((mode & 6) == 6) continue;  // finished rows: normal mode only
      const bool small = mode & 4, largest = mode & 8;
      const int rows = 3, inner = small ? 32 : 96, n = inner - 3, k = 13;
      Call c(AKGEN_OP_TopK, type, 2);
      c.v.mode = mode;
      c.Size(rows, uint32_t(inner), uint32_t(n), uint32_t(k));
      std::vector<double> x(rows * inner);
      std::mt19937 rng(mode);
      for (int i = 0; i < rows * inner; ++i) {
        const double pad = largest ? -60000 : 60000;
        x[i] = c.Put(2, i,
                     i % inner >= n   ? pad
                     : i % inner == 5 ? std::nan("")
                                      : double(rng() % 21) - 10,
                     type);
        c.Put(3, i, 1000 + i, AKGEN_I32);
      }
      for (int r = 0; r < rows; ++r) c.Put(4, r, r == 1, AKGEN_U8);
      c.Run();
      const int value_pitch = small ? k : type == AKGEN_F32 ? 16 : 16, index_pitch = small ? k : 16;
      for (int r = 0; r < rows; ++r) {
        std::vector<int> left(inner);
        for (int i = 0; i < inner; ++i) left[i] = i;
        for (int i = 0; i < k; ++i) {  // pick the best that is left, the first of equals
          auto better = [&](int a, int b) {
            const double p = x[r * inner + a], q = x[r * inner + b];
            return std::isnan(p) ? !std::isnan(q) : !std::isnan(q) && (largest ? p > q : p < q);
          };
          const auto best = std::min_element(left.begin(), left.end(), better);
          const double want = x[r * inner + *best], got = c.Get(0, r * value_pitch + i, type);
          EXPECT_TRUE(got == want || (std::isnan(got) && std::isnan(want)))
              << int(mode) << " row " << r << " at " << i;
          const int index = (mode & 2) && r == 1 ? n
                            : mode & 1           ? 1000 + (small ? r * inner : 0) + *best
                                                 : *best;
          EXPECT_EQ(c.Get(1, r * index_pitch + i, AKGEN_I32), index);
          left.erase(best);
        }
      }
    }
}

TEST(Library, PadAndUnPad) {
  for (uint8_t type : {AKGEN_F32, AKGEN_F16, AKGEN_I16, AKGEN_U16, AKGEN_I32, AKGEN_U32}) {
    const int size = type == AKGEN_F32 || type == AKGEN_I32 || type == AKGEN_U32 ? 4 : 2;
    auto bits = [&](Call& c, int operand, int i) {
      uint32_t out = 0;
      std::memcpy(&out, c.core.At<uint8_t>(size_t(operand) * Call::kApart + size_t(i) * size),
                  size);
      return out;
    };
    const uint32_t filler = type == AKGEN_F32   ? std::bit_cast<uint32_t>(321.0f)
                            : type == AKGEN_F16 ? base::DoubleToHalf(321)
                                                : 321;
    Call c(AKGEN_OP_Pad, type, 1);
    for (int i = 0; i < 1000; ++i) *c.core.At<uint8_t>(Call::kApart + i) = uint8_t(7 * i);
    const int block = 32 / size;
    c.Size(uint32_t(block), uint32_t(block - 3), uint32_t(block - 3), 1);
    c.v.aux[3] = 2 | 321ull << 32;
    c.Run();
    for (int i = 0; i < block * block; ++i) {
      const int column = i % block - 1;
      EXPECT_EQ(bits(c, 0, i), column < 0 || column >= block - 3
                                   ? filler
                                   : bits(c, 1, i / block * (block - 3) + column));
    }
    c.Size(5, uint32_t(block), uint32_t(block - 2),
           0);  // already a DataBlock: its last two columns are filled
    c.Run();
    for (int i = 0; i < 5 * block; ++i)
      EXPECT_EQ(bits(c, 0, i), i % block >= block - 2 ? filler : bits(c, 1, i));
    Call u(AKGEN_OP_UnPad, type, 1);
    for (int i = 0; i < 1000; ++i) *u.core.At<uint8_t>(Call::kApart + i) = uint8_t(7 * i);
    u.Size(5, uint32_t(2 * block), 3);
    u.Run();
    for (int i = 0; i < 5 * (2 * block - 3); ++i)
      EXPECT_EQ(bits(u, 0, i), bits(u, 1, i / (2 * block - 3) * 2 * block + i % (2 * block - 3)));
  }
}

TEST(Library, TransposesAMatrix) {
  for (uint8_t type : {AKGEN_F32, AKGEN_F16, AKGEN_I16, AKGEN_U16, AKGEN_I32, AKGEN_U32}) {
    const size_t size = BitsOf(type) / 8;
    Call c(AKGEN_OP_ConfusionTranspose, type, 1);
    for (size_t i = 0; i < 16 * 48 * size; ++i)
      *c.core.At<uint8_t>(Call::kApart + i) = uint8_t(7 * i + i / 256);
    c.Size(1, 1, 16, 48);
    c.v.aux[3] = 7;
    c.Run();
    for (size_t r = 0; r < 16; ++r)
      for (size_t i = 0; i < 48; ++i)
        EXPECT_EQ(0, std::memcmp(c.core.At<uint8_t>((i * 16 + r) * size),
                                 c.core.At<uint8_t>(Call::kApart + (r * 48 + i) * size), size));
  }
}

TEST(Library, DropOutInItsFourModes) {
  for (uint8_t type : kFloats)
    for (uint8_t mode = 1; mode <= 4; ++mode) {
      Call c(AKGEN_OP_DropOut, type, 1);
      const int rows = 3, n = 32,
                mask_row = mode == 1   ? 64
                           : mode == 4 ? 32
                           : mode == 2 ? n
                                       : n / 8;
      c.v.mode = mode;
      c.Size(rows, n, uint32_t(mask_row));
      c.Scalar(1 / 0.75f);
      const auto x = c.Fill(1, rows * n),
                 mask = c.Fill(2, rows * 64, 0, mode >= 3 ? 255.9 : 2, AKGEN_U8);
      const uint8_t* m = c.core.At<uint8_t>(2 * Call::kApart);
      c.Run();
      for (int i = 0; i < rows * n; ++i) {
        const int at = mode == 1 || mode == 4 ? i % n : i;
        const uint8_t* row = m + (mode == 1 || mode == 4 ? i / n * mask_row : 0);
        const bool keep = mode >= 3 ? row[at / 8] >> at % 8 & 1 : row[at] != 0;
        c.Near(0, i, keep ? x[i] / 0.75 : 0, type);
      }
      (void)mask;
    }
}

TEST(Library, AntiQuantPerChannelAndTensor) {
  for (uint8_t type : {AKGEN_F16, AKGEN_BF16})
    for (int form = 0; form < 4;
         ++form) {  // per channel in 2 groups, transposed, without offset; per tensor
      Call c(AKGEN_OP_AntiQuant, AKGEN_I8, 1);
      c.v.dst_type = type;
      const int rows = 4, cols = 32, scale_rows = form == 1 ? 4 : 2,
                scale_cols = form == 1 ? 1 : 32;
      c.v.mode = form == 1 ? 1 : form == 2 ? 2 : 0;
      c.Size(rows, cols, uint32_t(scale_rows), uint32_t(scale_cols));
      c.Fill(1, rows * cols, -128, 127.9, AKGEN_I8);
      auto put = [&](int operand, int i, double x) {  // eighths: exact in both dtypes
        const uint16_t bits = type == AKGEN_F16 ? base::DoubleToHalf(x)
                                                : uint16_t(std::bit_cast<uint32_t>(float(x)) >> 16);
        c.core.At<uint16_t>(size_t(operand) * Call::kApart)[i] = bits;
        return x;
      };
      std::vector<double> offset(64), scale(64);
      for (int i = 0; i < 64; ++i)
        offset[i] = put(2, i, i % 7 - 3), scale[i] = put(3, i, (i % 5 + 1) / 8.0);
      if (form == 3) {
        c.Without(2);
        c.Without(3);
        c.v.aux[3] = std::bit_cast<uint32_t>(2.0f) | uint64_t(std::bit_cast<uint32_t>(0.25f)) << 32;
      }
      c.Run();
      for (int i = 0; i < rows * cols; ++i) {
        const int at = i / cols / (rows / scale_rows) * scale_cols + i % cols / (cols / scale_cols);
        const double x = *c.core.At<int8_t>(Call::kApart + i),
                     o = form == 2   ? 0
                         : form == 3 ? 2
                                     : offset[at],
                     k = form == 3 ? 0.25 : scale[at];
        const double want = (x + o) * k, got = c.Get(0, i, type);
        EXPECT_NEAR(got, want, std::abs(want) * (type == AKGEN_F16 ? 5e-4 : 4e-3))
            << form << " at " << i;
      }
    }
}

TEST(Library, Arange) {
  for (uint8_t type : {AKGEN_F32, AKGEN_F16, AKGEN_I16, AKGEN_I32}) {
    Call c(AKGEN_OP_Arange, type, 1);
    c.Size(100, 1);
    auto bits = [&](double x) -> uint64_t {
      return type == AKGEN_F32   ? std::bit_cast<uint32_t>(float(x))
             : type == AKGEN_F16 ? base::DoubleToHalf(x)
                                 : uint64_t(int64_t(x));
    };
    c.v.aux[2] = bits(-5), c.v.aux[3] = bits(3);
    c.Run();
    for (int i = 0; i < 100; ++i) {
      const double got = type == AKGEN_I16 ? double(c.core.At<int16_t>(0)[i]) : c.Get(0, i, type);
      EXPECT_EQ(got, 3 * i - 5);
    }
  }
}

TEST(Library, BrokenSizesAreReported) {
  auto breaks = [](Call& c, const char* code) {
    RunOwn(c.core, c.v);
    EXPECT_EQ(c.core.broken, std::vector<std::string>{code});
  };
  Call k(AKGEN_OP_TopK, AKGEN_F32, 2);
  k.Size(1, 48, 40, 5);
  breaks(k, "lengths");
  Call pad(AKGEN_OP_Pad, AKGEN_F32, 1);
  pad.Size(2, 5, 5, 3);
  pad.v.aux[3] = 1;
  breaks(pad, "padding");
  Call heads(AKGEN_OP_ConfusionTranspose, AKGEN_F16, 1);
  heads.Size(1, 2, 24, 32);
  heads.v.aux[3] = 1;
  breaks(heads, "transpose_shape");
  Call anti(AKGEN_OP_AntiQuant, AKGEN_I8, 1);
  anti.v.dst_type = AKGEN_F16;
  anti.Size(5, 32, 2, 32);
  breaks(anti, "groups");
  Call drop(AKGEN_OP_DropOut, AKGEN_F16, 1);
  drop.v.mode = 1;
  drop.Size(1, 32, 16);
  breaks(drop, "mask");
}

}  // namespace
}  // namespace akgen::sim::test
