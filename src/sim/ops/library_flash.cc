// Softmax of rows that come in parts.
#include <algorithm>
#include <cmath>

#include "sim/ops/library.h"

namespace akgen::sim {
namespace {
using Row = std::vector<float>;

void RunSoftmaxFlash(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const bool update = v.mode & 1;
  const uint32_t rows = call.Low(1), pitch = call.High(1), n = call.Low(2),
                 size = SizeOfType(v.src_type), block = kBlock / size,
                 wide = kBlock / SizeOfType(v.src1_type);
  const auto blocks = [&](uint32_t i) { return call.Operand(i, v.src1_type, rows, wide, wide); };
  const Part y = call.Operand(0, v.src_type, rows, pitch, n), sum = blocks(1), max = blocks(2),
             exp_max = call.Operand(3, v.src_type, rows, block, block),
             x = call.Operand(4, v.src_type, rows, pitch, n), in_sum = blocks(5),
             in_max = blocks(6);
  if (!call.WholeBlocks(pitch)) return;
  for (const Part& p : {y, sum, max}) call.Out(p, true);
  if (update) call.Out(exp_max);
  call.In(x);
  if (update) call.In(in_sum), call.In(in_max);
  if (!call.Begin(FlashV2Tmp(rows, pitch, size, SizeOfType(v.src1_type)))) return;
  for (uint32_t r = 0; r < rows; ++r) {
    bool defined = call.AllDefined() || call.Defined(x, r);
    Row data = call.Load(x, r);
    float top = Extreme<true>(data.data(), n, 0).value;
    const float before = update ? call.Load(in_max, r)[0] : 0,
                sum_before = update ? call.Load(in_sum, r)[0] : 0;
    if (update) {
      defined =
          defined && (call.AllDefined() || (call.Defined(in_max, r) && call.Defined(in_sum, r)));
      top = std::max(top, before);
    }
    for (float& e : data) e = std::exp(e - top);
    float all = SumRow<float>(data);
    if (update) {
      const float scale = std::exp(before - top);
      all += scale * sum_before;
      call.Store(exp_max, r, Row(block, scale));
    }
    call.Store(y, r, data);
    call.Store(sum, r, Row(wide, all));
    call.Store(max, r, Row(wide, top));
    if (call.AllDefined()) continue;
    for (const Part& p : {y, sum, max}) call.Mark(p, r, defined);
    if (update) call.Mark(exp_max, r, defined);
  }
}

// Each eighth of a row is lowered by how far its mean lies below the row's, times alpha / (1 -
// alpha). The eight means are those of the page's pseudocode: of the first 512 elements the runs of
// 64, of each 64 behind them the runs of 8.
constexpr uint32_t kParts = 8, kFirstOfRow = 512, kRepeat = 64;

struct Means {
  float part[kParts], row;
  explicit Means(const Row& x) {
    float runs[kRepeat], of_row[kParts];
    for (uint32_t i = 0; i < kRepeat; ++i) {
      float run[kParts];
      std::copy_n(&x[i * kParts], kParts, run);
      runs[i] = TreeSum<float>(run, kParts);
    }
    for (size_t i = kFirstOfRow; i < x.size(); ++i) runs[i % kRepeat] += x[i];
    for (uint32_t i = 0; i < kParts; ++i)
      of_row[i] = part[i] = TreeSum<float>(&runs[i * kParts], kParts) / (float(x.size()) / kParts);
    row = TreeSum<float>(of_row, kParts) / kParts;
  }
};

// What a row's numbers so far were relative to.
struct Before {
  float mean = 0, sum = 0, max = 0;
};
struct FlashRow {
  Row y;
  float mean, sum, max, exp_max = 1;
  FlashRow(Row x, float factor, const Before* before, float loop) : y(std::move(x)) {
    const Means means(y);
    const size_t length = y.size() / kParts;
    for (size_t i = 0; i < y.size(); ++i) y[i] -= (means.row - means.part[i / length]) * factor;
    mean = before ? (means.row + before->mean * (loop - 1)) / loop : means.row;
    const float shift = (means.row - mean) * factor;
    max = shift + Extreme<true>(y.data(), uint32_t(y.size()), 0).value;
    const float shift_before = before ? (before->mean - mean) * factor : 0;
    if (before) max = std::max(max, shift_before + before->max);
    for (float& e : y) e = std::exp(e - (max - shift));
    sum = SumRow<float>(y);
    if (before) {
      exp_max = std::exp(before->max - max + shift_before);
      sum += exp_max * before->sum;
    }
  }
};

void RunSoftmaxFlashMean(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const bool update = v.mode & 1;
  const uint32_t rows = call.Low(1), n = call.High(1), loop = call.Low(2), parts = call.High(2),
                 wide = kBlock / SizeOfType(v.src1_type), block = kBlock / SizeOfType(v.src_type);
  const auto blocks = [&](uint32_t i) { return call.Operand(i, v.src1_type, rows, wide, wide); };
  const Part y = call.Operand(0, v.src_type, rows, n, n), mean = blocks(1), sum = blocks(2),
             max = blocks(3), exp_max = call.Operand(4, v.src_type, rows, block, block),
             x = call.Operand(5, v.src_type, rows, n, n), in_mean = blocks(6), in_sum = blocks(7),
             in_max = blocks(8);
  if (n < kFirstOfRow || n % kRepeat || rows % 8)
    return void(call.Broken(
        "flash_shape",
        "SoftmaxFlashV3 takes rows of 512 elements or more, a multiple of 64, and a multiple of "
        "eight of them",
        "cut or pad the matrix"));
  if (parts != kParts || (update && loop == 0))
    return void(call.Broken("flash_params",
                            "splitMeanCnt is not 8, or loopCnt is 0 where isUpdate is true",
                            "see SoftMaxParams"));
  for (const Part& p : {y, mean, sum, max}) call.Out(p, true);
  if (update) call.Out(exp_max);
  call.In(x);
  if (update)
    for (const Part& p : {in_mean, in_sum, in_max}) call.In(p);
  if (!call.Begin(FlashV3Tmp(rows, n))) return;
  const float factor = call.Scalar() / (1 - call.Scalar());
  for (uint32_t r = 0; r < rows; ++r) {
    const bool defined =
        call.AllDefined() ||
        (call.Defined(x, r) && (!update || (call.Defined(in_mean, r) && call.Defined(in_sum, r) &&
                                            call.Defined(in_max, r))));
    Before before;
    if (update)
      before = {call.Load(in_mean, r)[0], call.Load(in_sum, r)[0], call.Load(in_max, r)[0]};
    const FlashRow row(call.Load(x, r), factor, update ? &before : nullptr, float(loop));
    call.Store(y, r, row.y);
    call.Store(mean, r, Row(wide, row.mean));
    call.Store(sum, r, Row(wide, row.sum));
    call.Store(max, r, Row(wide, row.max));
    if (update) call.Store(exp_max, r, Row(block, row.exp_max));
    if (call.AllDefined()) continue;
    for (const Part& p : {y, mean, sum, max}) call.Mark(p, r, defined);
    if (update) call.Mark(exp_max, r, defined);
  }
}
}  // namespace

OwnFn FindFlash(const AkgenVec& v) {
  if (v.op == AKGEN_OP_SoftmaxFlashMean)
    return v.src1_type == AKGEN_F32 ? RunSoftmaxFlashMean : nullptr;
  return IsShortOrSingle(v.src1_type) ? RunSoftmaxFlash : nullptr;
}

}  // namespace akgen::sim
