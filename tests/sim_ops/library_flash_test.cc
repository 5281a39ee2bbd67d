// SoftmaxFlashV3 against its formula in double.
#include "library_call.h"

namespace akgen::sim::test {
namespace {

struct Want {
  std::vector<double> y;
  double mean, sum, max, exp_max = 0;
};
// before: mean, sum and maximum so far, or none.
Want FlashMean(std::vector<double> x, double alpha, const double* before, double loop) {
  const size_t n = x.size();
  const double factor = alpha / (1 - alpha);
  double part[8] = {}, all = 0;
  for (size_t i = 0; i < n; ++i)
    part[i < 512 ? i / 64 : i % 64 / 8] += x[i] / double(n / 8), all += x[i] / double(n);
  for (size_t i = 0; i < n; ++i) x[i] -= (all - part[i / (n / 8)]) * factor;
  Want want;
  want.mean = before ? (all + before[0] * (loop - 1)) / loop : all;
  const double shift = (all - want.mean) * factor;
  want.max = *std::max_element(x.begin(), x.end()) + shift;
  const double shift_before = before ? (before[0] - want.mean) * factor : 0;
  if (before) want.max = std::max(want.max, before[2] + shift_before);
  want.sum = 0;
  for (double& e : x) want.sum += e = std::exp(e - want.max + shift);
  if (before)
    want.exp_max = std::exp(before[2] - want.max + shift_before),
    want.sum += want.exp_max * before[1];
  want.y = std::move(x);
  return want;
}

TEST(Library, FlashOfRowsWithoutTheirMean) {
  for (int n : {512, 704})  // sums of runs of 64, and those behind them
    for (bool update : {false, true}) {
      constexpr int rows = 8;
      const int all = rows * n;
      Call c(AKGEN_OP_SoftmaxFlashMean, AKGEN_F16, 5);
      c.v.mode = update, c.v.src1_type = AKGEN_F32;
      c.Scalar(0.9375f);
      c.Size(uint32_t(rows), uint32_t(n), 3, 8);
      const auto x = c.Fill(5, all, 0, 0.5), means = c.Fill(6, rows * 8, 0.2, 0.3, AKGEN_F32),
                 sums = c.Fill(7, rows * 8, 1, 9, AKGEN_F32),
                 maxima = c.Fill(8, rows * 8, 0.2, 0.9, AKGEN_F32);
      c.Run();
      for (int r = 0; r < rows; ++r) {
        const double before[] = {means[r * 8], sums[r * 8], maxima[r * 8]};
        const Want want = FlashMean({x.begin() + r * n, x.begin() + (r + 1) * n}, 0.9375,
                                    update ? before : nullptr, 3);
        for (int i = 0; i < n; ++i) c.Near(0, r * n + i, want.y[i], AKGEN_F16);
        for (int i : {0, 7}) {
          c.Near(1, r * 8 + i, want.mean, AKGEN_F32);
          c.Near(2, r * 8 + i, want.sum, AKGEN_F32, want.sum);
          c.Near(3, r * 8 + i, want.max, AKGEN_F32);
        }
        if (update) c.Near(4, r * 16 + 15, want.exp_max, AKGEN_F16);
      }
    }
}
}  // namespace
}  // namespace akgen::sim::test
