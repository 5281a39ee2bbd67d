// Helpers that turn 16 rows so that they lie side by side, a lane of 16 each: what runs along a row then is whole blocks
// of the vector unit, and a neighbour in the row is an aligned distance.
#include "craft/emit/kernel_class.h"

namespace akgen::craft {

namespace {
const Helper kHelpers[] = {
    {"LanesJoin",
     R"(template <int How>
__aicore__ inline void LanesJoin(const LocalTensor<float> &to, const LocalTensor<float> &a, const LocalTensor<float> &b, int64_t n) {
  if (n <= 0) return;
  const int32_t count = static_cast<int32_t>(n);
  if constexpr (How == kAdd) Add(to, a, b, count);
  else if constexpr (How == kMax) Max(to, a, b, count);
  else if constexpr (How == kMin) Min(to, a, b, count);
  else Mul(to, a, b, count);
}
)"},
    {"ToLanes",
     R"(// Element 8 b + k of row r goes to lane r of the 16 at to[k * step + b * block]. Lanes beyond the rows hold the last row again.
__aicore__ inline void ToLanes(const LocalTensor<float> &to, const LocalTensor<float> &from, int64_t rows, int64_t blocks,
                               int64_t pitch, int64_t step, int64_t block) {
  uint64_t source[16], target[16];
  for (int64_t at = 0; at < blocks; at += 255) {
    const int64_t times = blocks - at < 255 ? blocks - at : 255;
    for (int64_t i = 0; i < 16; ++i) {
      source[i] = (uint64_t)from[(i < rows ? i : rows - 1) * pitch + at * 8].GetPhyAddr();
      target[i] = (uint64_t)to[i / 2 * step + i % 2 * 8 + at * block].GetPhyAddr();
    }
    TransDataTo5HDParams params(false, false, static_cast<uint8_t>(times), static_cast<uint16_t>(times > 1 ? block / 8 : 0),
                                static_cast<uint16_t>(times > 1 ? 1 : 0));
    TransDataTo5HD<float>(target, source, params);
  }
}
)"},
    {"FromLanes",
     R"(// The way back. It writes blocks in pairs: an odd last one goes with the one before it once more, a single one's neighbour
// goes to `spare`, 8 elements.
__aicore__ inline void FromLanes(const LocalTensor<float> &to, const LocalTensor<float> &from, const LocalTensor<float> &spare,
                                 int64_t rows, int64_t blocks, int64_t pitch, int64_t step, int64_t block) {
  uint64_t source[16], target[16];
  for (int64_t lane = 0; lane < rows; lane += 8) {
    for (int64_t at = 0; at < blocks;) {
      const int64_t pairs = (blocks - at) / 2, times = pairs < 1 ? 1 : pairs < 255 ? pairs : 255;
      const int64_t first = pairs < 1 && at > 0 ? at - 1 : at;
      for (int64_t i = 0; i < 16; ++i) {
        const int64_t row = lane + i / 2 < rows ? lane + i / 2 : rows - 1, half = blocks > 1 ? i / 8 : 0;
        source[i] = (uint64_t)from[i % 8 * step + (first + half) * block + lane].GetPhyAddr();
        target[i] = (uint64_t)(blocks == 1 && i % 2 == 1 ? spare : to[row * pitch + first * 8 + i % 2 * 8]).GetPhyAddr();
      }
      TransDataTo5HDParams params(false, false, static_cast<uint8_t>(times), static_cast<uint16_t>(times > 1 ? 2 : 0),
                                  static_cast<uint16_t>(times > 1 ? block / 4 : 0));
      TransDataTo5HD<float>(target, source, params);
      at = first + 2 * times;
    }
  }
}
)"},
    {"LanesRun",
     R"(// How far the places k and k + 1 lie from each other, for so many blocks: never in one bank group of UB.
__aicore__ inline int64_t LanesStep(int64_t blocks) { return (blocks * 16 + 63) / 128 * 128 + 64; }

// Places 8 b + k lie at x[k * LanesStep(blocks) + b * 16]: each is joined with all before it and with `carry`, which ends as
// the whole. `work` takes 32 * (blocks + 1) elements.
template <int How>
__aicore__ inline void LanesRun(const LocalTensor<float> &x, const LocalTensor<float> &carry, const LocalTensor<float> &work,
                                int64_t blocks) {
  const int64_t w = blocks * 16, step = LanesStep(blocks);
  for (int64_t k = 1; k < 8; ++k) LanesJoin<How>(x[k * step], x[k * step], x[(k - 1) * step], w);
  LocalTensor<float> before = work, next = work[w + 16];
  Muls(before, carry, 1.0f, 16);
  Muls(before[16], x[7 * step], 1.0f, static_cast<int32_t>(w));
  for (int64_t d = 16; d < w + 16; d *= 2) {
    Muls(next, before, 1.0f, static_cast<int32_t>(d));
    LanesJoin<How>(next[d], before[d], before, w + 16 - d);
    LocalTensor<float> last = before;
    before = next;
    next = last;
  }
  for (int64_t k = 0; k < 8; ++k) LanesJoin<How>(x[k * step], x[k * step], before, w);
  Muls(carry, before[w], 1.0f, 16);
}
)"},
    {"LanesProduct",
     R"(// Running products of rows, `kMost` columns at once. `work` takes 20 elements for each of them and 1280.
__aicore__ inline void LanesProduct(const LocalTensor<float> &to, const LocalTensor<float> &from, const LocalTensor<float> &work,
                                    int64_t rows, int64_t cols, int64_t pitch, int64_t apart) {
  constexpr int64_t kMost = 512;
  const int64_t most = cols < kMost ? (cols + 7) / 8 * 8 : kMost;
  LocalTensor<float> carry = work, spare = work[16], totals = work[32], x = totals[4 * most + 32];
  for (int64_t r = 0; r < rows; r += 16) {
    const int64_t n = rows - r < 16 ? rows - r : 16;
    Duplicate(carry, 1.0f, 16);
    for (int64_t at = 0; at < cols; at += most) {
      const int64_t blocks = ((cols - at < most ? cols - at : most) + 7) / 8, step = LanesStep(blocks);
      ToLanes(x, from[r * pitch + at], n, blocks, pitch, step, 16);
      LanesRun<kMul>(x, carry, totals, blocks);
      FromLanes(to[r * apart + at], x, spare, n, blocks, apart, step, 16);
    }
  }
}
)"},
    {"LanesSum",
     R"(// Running sums of rows, `kMost` columns at once. Each element is cut in two: a multiple of a grid so coarse that sums of these
// lose nothing, and the rest, whose sums are small; after cancellation nothing else is left. The grid follows from the largest
// element that is finite; only rows with others (or with sums beyond all floats) are looked at twice. `work` takes 37
// elements for each column and 2816.
__aicore__ inline void LanesSum(const LocalTensor<float> &to, const LocalTensor<float> &from, const LocalTensor<float> &work,
                                int64_t rows, int64_t cols, int64_t pitch, int64_t apart) {
  constexpr int64_t kMost = 512;
  constexpr float kLargest = 1.7e38f;
  const int64_t most = cols < kMost ? (cols + 7) / 8 * 8 : kMost, whole = 8 * LanesStep(most / 8);
  LocalTensor<float> grid = work, carry = work[64], rest = work[80], spare = work[96], bits = work[128];
  LocalTensor<float> totals = bits[most + 64], x = totals[4 * most + 32], y = x[whole + 64];
  LocalTensor<uint8_t> real = bits.template ReinterpretCast<uint8_t>();
  for (int64_t r = 0; r < rows; r += 16) {
    const int64_t n = rows - r < 16 ? rows - r : 16;
    bool plain = true;
    for (bool sure = false; !sure;) {
      Duplicate(grid, 0.0f, 96);
      for (int64_t at = 0; at < cols; at += most) {
        const int64_t width = cols - at < most ? cols - at : most, blocks = (width + 7) / 8, w = blocks * 16, step = LanesStep(blocks);
        const int32_t all = static_cast<int32_t>(8 * step);
        ToLanes(x, from[r * pitch + at], n, blocks, pitch, step, 16);
        Abs(y, x, all);
        if (!plain) {
          CompareScalar(real, y, 3.4028235e38f, CMPMODE::LE, all);
          Select(y, real, y, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, all);
        }
        for (int64_t k = 1; k < 8; ++k) LanesJoin<kMax>(y, y, y[k * step], k < width % 8 || width % 8 == 0 ? w : w - 16);
        for (int64_t b = blocks; b > 1; b = (b + 1) / 2) LanesJoin<kMax>(y, y, y[(b + 1) / 2 * 16], b / 2 * 16);
        Max(grid, grid, y, 16);
      }
      Muls(grid, grid, 2.5f * static_cast<float>(cols), 16);
      sure = !plain;
      if (plain) {
        WholeReduceMax(spare, grid, 16, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
        sure = plain = spare.GetValue(0) <= kLargest;
      }
    }
    if (!plain) {
      CompareScalar(real, grid, kLargest, CMPMODE::LE, 64);
      Select(grid, real, grid, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
    }
    Muls(grid[16], grid, 1.0f, 16);
    Muls(grid[32], grid, 1.0f, 32);
    for (int64_t at = 0; at < cols; at += most) {
      const int64_t blocks = ((cols - at < most ? cols - at : most) + 7) / 8, step = LanesStep(blocks);
      const int32_t all = static_cast<int32_t>(8 * step);
      if (cols > most) ToLanes(x, from[r * pitch + at], n, blocks, pitch, step, 16);
      RowsJoin<kAdd>(y, x, grid, 64, step / 8, {1, 1, 1, 8, 8, 0});
      RowsJoin<kSub>(y, y, grid, 64, step / 8, {1, 1, 1, 8, 8, 0});
      Sub(x, x, y, all);
      if (!plain) {  // of infinities there is no rest
        Compare(real, x, x, CMPMODE::EQ, all);
        Select(x, real, x, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, all);
      }
      LanesRun<kAdd>(y, carry, totals, blocks);
      LanesRun<kAdd>(x, rest, totals, blocks);
      Add(x, x, y, all);
      FromLanes(to[r * apart + at], x, spare, n, blocks, apart, step, 16);
    }
  }
}
)"},
};
}  // namespace

const std::vector<Helper>& LaneHelpers() {
  static const std::vector<Helper> kAll(std::begin(kHelpers), std::end(kHelpers));
  return kAll;
}

}  // namespace akgen::craft
