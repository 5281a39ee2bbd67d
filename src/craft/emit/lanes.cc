// Helpers that turn 16 rows so that they lie side by side, a lane of 16 each: what runs along a row
// then is whole blocks of the vector unit, and a neighbour in the row is an aligned distance.
#include "craft/emit/kernel_class.h"

namespace akgen::craft {

namespace {
const Helper kLaneHelpers[] = {
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
     R"(// Running products of rows, `kLimit` columns at once. `work` takes 20 elements for each of them and 1280.
__aicore__ inline void LanesProduct(const LocalTensor<float> &to, const LocalTensor<float> &from, const LocalTensor<float> &work,
                                    int64_t rows, int64_t cols, int64_t pitch, int64_t apart) {
  constexpr int64_t kLimit = 512;
  const int64_t most = cols < kLimit ? (cols + 7) / 8 * 8 : kLimit;
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
     R"(// Running sums of rows, `kLimit` columns at once. Each element is cut in two: a multiple of a grid so coarse that sums of these
// lose nothing, and the rest, whose sums are small; after cancellation nothing else is left. The grid follows from the largest
// element that is finite; only rows with others (or with sums beyond all floats) are looked at twice. `work` takes 37
// elements for each column and 2816.
__aicore__ inline void LanesSum(const LocalTensor<float> &to, const LocalTensor<float> &from, const LocalTensor<float> &work,
                                int64_t rows, int64_t cols, int64_t pitch, int64_t apart) {
  constexpr int64_t kLimit = 512;
  constexpr float kLargest = 1.7e38f;
  const int64_t most = cols < kLimit ? (cols + 7) / 8 * 8 : kLimit, whole = 8 * LanesStep(most / 8);
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
    {"LanesRuns",
     R"(// to = a op b for n[0] * n[1] runs of `run` places, whose begins lie at[k][axis] places apart in to (k = 0), a and b. One
// instruction serves a whole axis where the distances fit into it: the cheapest way is taken.
template <int How>
__aicore__ inline void LanesRuns(const LocalTensor<float> &to, const LocalTensor<float> &a, const LocalTensor<float> &b, int64_t outer,
                                 int64_t count, int64_t run, const int64_t (&distance)[3][2]) {
  int64_t n[2] = {outer, count}, at[3][2], most[2] = {0, 0};
  bool joined = true, solid = true;
  for (int64_t k = 0; k < 3; ++k) joined = joined && distance[k][0] == n[1] * distance[k][1] && (run > 1 || distance[k][1] <= 15);
  if (joined) n[0] = 1, n[1] = outer * count;
  for (int64_t k = 0; k < 3; ++k) solid = solid && distance[k][1] == run;
  if (solid) run *= n[1], n[1] = 1;
  for (int64_t k = 0; k < 3; ++k) {
    for (int64_t x = 0; x < 2; ++x) {
      at[k][x] = n[x] == 1 ? 0 : distance[k][x];
      most[x] = at[k][x] > most[x] ? at[k][x] : most[x];
    }
  }
  // 0: run by run; 1: repeats along an axis, 4 places of a run each; 2: 8 places along an axis, repeats along the other one;
  // 3: 8 places along an axis, repeats along the same one.
  int64_t way = 0, p = 0, best = n[0] * n[1] * (23 + run / 4);
  for (int64_t x = 0; x < 2; ++x) {
    const int64_t other = n[1 - x], narrow = (run + 3) / 4 * other * (22 + n[x]), wide = (n[x] + 7) / 8 * 2 * (22 + other);
    if (most[x] <= 127 && narrow < best) best = narrow, way = 1, p = x;
    if (run == 1 && most[0] <= 127 && most[1] <= 127 && wide < best) best = wide, way = 2, p = x;
    const int64_t along = 2 * other * (44 + n[x] / 8);
    if (run == 1 && most[x] <= 15 && along < best) best = along, way = 3, p = x;
  }
  const int64_t q = 1 - p;
  auto stride = [&](int64_t k, int64_t x) { return static_cast<uint8_t>(2 * at[k][x]); };
  auto place = [&](int64_t k, int64_t u, int64_t v) { return 16 * (u * at[k][p] + v * at[k][q]); };
  if (way == 0) {
    for (int64_t u = 0; u < n[0]; ++u) {
      for (int64_t v = 0; v < n[1]; ++v) LanesJoin<How>(to[place(0, u, v)], a[place(1, u, v)], b[place(2, u, v)], run * 16);
    }
  } else if (way == 1) {
    for (int64_t v = 0; v < n[q]; ++v) {
      for (int64_t i = 0; i < run; i += 4) {
        for (int64_t u = 0; u < n[p]; u += 255) {
          RowsJoin<How>(to[place(0, u, v) + i * 16], a[place(1, u, v) + i * 16], b[place(2, u, v) + i * 16], (run - i < 4 ? run - i : 4) * 16,
                        n[p] - u < 255 ? n[p] - u : 255, {1, 1, 1, stride(0, p), stride(1, p), stride(2, p)});
        }
      }
    }
  } else if (way == 3) {
    for (int64_t half = 0; half < 16; half += 8) {
      for (int64_t v = 0; v < n[q]; ++v) {
        for (int64_t u = 0; u < n[p];) {
          const int64_t whole = (n[p] - u) / 8, times = whole < 1 ? 1 : whole < 255 ? whole : 255;
          RowsJoin<How>(to[place(0, u, v) + half], a[place(1, u, v) + half], b[place(2, u, v) + half], whole < 1 ? (n[p] - u) * 8 : 64, times,
                        {stride(0, p), stride(1, p), stride(2, p), static_cast<uint8_t>(16 * at[0][p]), static_cast<uint8_t>(16 * at[1][p]),
                         static_cast<uint8_t>(16 * at[2][p])});
          u += 8 * times;
        }
      }
    }
  } else {
    for (int64_t half = 0; half < 16; half += 8) {
      for (int64_t u = 0; u < n[p]; u += 8) {
        for (int64_t v = 0; v < n[q]; v += 255) {
          RowsJoin<How>(to[place(0, u, v) + half], a[place(1, u, v) + half], b[place(2, u, v) + half], (n[p] - u < 8 ? n[p] - u : 8) * 8,
                        n[q] - v < 255 ? n[q] - v : 255,
                        {stride(0, p), stride(1, p), stride(2, p), stride(0, q), stride(1, q), stride(2, q)});
        }
      }
    }
  }
}
)"},
    {"LanesWindow",
     R"(// A row is [outer, extent, inner], and becomes [outer, count, inner]: window c joins the `size` elements that lie `apart` from
// each other from c * step - before on, those that are there. `work` takes 16 elements for each of both rows' blocks of 8, and 128.
template <int How>
__aicore__ inline void LanesWindow(const LocalTensor<float> &to, const LocalTensor<float> &from, const LocalTensor<float> &work,
                                   int64_t rows, int64_t pitch, int64_t pitch_to, int64_t outer, int64_t extent, int64_t inner,
                                   int64_t count, int64_t size, int64_t step, int64_t apart, int64_t before) {
  const int64_t in = (outer * extent * inner + 7) / 8, out = (outer * count * inner + 7) / 8;
  const LocalTensor<float> spare = work[32], x = work[64], y = x[in * 128];
  const int64_t c_to = inner, c_from = step * inner;
  const int64_t both[3][2] = {{count * inner, c_to}, {extent * inner, c_from}, {extent * inner, c_from}};
  const int64_t onto[3][2] = {{count * inner, c_to}, {count * inner, c_to}, {extent * inner, c_from}};
  for (int64_t r = 0; r < rows; r += 16) {
    const int64_t n = rows - r < 16 ? rows - r : 16;
    ToLanes(x, from[r * pitch], n, in, pitch, 16, 128);
    // The first elements that all windows have begin them.
    int64_t begun = -1, second = -1;
    for (int64_t j = 0; j < size && second < 0; ++j) {
      const int64_t first = j * apart - before;
      if (first >= 0 && first + (count - 1) * step < extent) (begun < 0 ? begun : second) = j;
    }
    if (begun < 0) {
      Duplicate(y, How == kAdd ? -0.0f : How == kMax ? -__builtin_inff() : __builtin_inff(), static_cast<int32_t>(out * 128));
    } else {
      const LocalTensor<float> a = x[(begun * apart - before) * inner * 16];
      if (second < 0) LanesRuns<kMax>(y, a, a, outer, count, inner, both);
      else LanesRuns<How>(y, a, x[(second * apart - before) * inner * 16], outer, count, inner, both);
    }
    for (int64_t j = 0; j < size; ++j) {
      const int64_t first = j * apart - before;
      const int64_t c = first < 0 ? (step - 1 - first) / step : 0, behind = first < extent ? (extent - 1 - first) / step + 1 : 0;
      const int64_t end = behind < count ? behind : count;
      if (j == begun || j == second || c >= end) continue;
      LanesRuns<How>(y[c * inner * 16], y[c * inner * 16], x[(c * step + first) * inner * 16], outer, end - c, inner, onto);
    }
    FromLanes(to[r * pitch_to], y, spare, n, out, pitch_to, 16, 128);
  }
}
)"},
};
}  // namespace

const std::vector<Helper>& LaneHelpers() {
  static const std::vector<Helper> kAll(std::begin(kLaneHelpers), std::end(kLaneHelpers));
  return kAll;
}

}  // namespace akgen::craft
