// Windows along the middle of [outer, extent, inner]: each is a row of its own to the reduction
// that joins it, and one without elements is what that reduction begins with (for sums -0.0: adding
// 0.0 would change a zero's sign).
#include <limits>

#include "craft/interpret/interpret.h"

namespace akgen::craft {
using ir::Op;

TileData Windows(const ir::Value& v, const TileData& x, const std::vector<int64_t>& n,
                 bool bounds) {
  const int64_t outer = n[0], extent = n[1], inner = n[2], count = n[3], size = n[4], step = n[5],
                apart = n[6], before = n[7];
  ir::Value one;
  one.op = v.op == Op::k_row_window_sum   ? Op::k_row_sum
           : v.op == Op::k_row_window_max ? Op::k_row_max
                                          : Op::k_row_min;
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const float none = v.op == Op::k_row_window_sum   ? -0.0f
                     : v.op == Op::k_row_window_max ? -kInf
                                                    : kInf;
  TileData out = MakeTile(v.dtype, x.rows, outer * count * inner);
  for (int64_t at = 0; at < out.rows * out.cols; ++at) {
    int64_t i = at % inner, c = at / inner % count,
            block = at / inner / count;  // block: row and outer
    TileData window = MakeTile(v.dtype, 1, 0);
    for (int64_t j = 0; j < size; ++j) {
      int64_t place = c * step + j * apart - before;
      if (place < 0 || place >= extent) continue;
      int64_t from = (block * extent + place) * inner + i;
      window.f.push_back(x.f[from]);
      if (!x.e.empty()) window.e.push_back(x.e[from]);
    }
    window.cols = static_cast<int64_t>(window.f.size());
    out.f[at] = none;
    if (window.cols == 0) continue;
    TileData joined = Evaluate(one, {&window}, 1, 1);
    if (bounds) AddBounds(one, {&window}, joined);
    out.f[at] = joined.f[0];
    if (joined.e.empty()) continue;
    out.e.resize(out.f.size());
    out.e[at] = joined.e[0];
  }
  return out;
}

}  // namespace akgen::craft
