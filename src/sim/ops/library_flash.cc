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
  const uint32_t rows = call.Low(1), pitch = call.High(1), n = call.Low(2), size = SizeOfType(v.src_type),
                 block = kBlock / size, wide = kBlock / SizeOfType(v.src1_type);
  const auto blocks = [&](uint32_t i) { return call.Operand(i, v.src1_type, rows, wide, wide); };
  const Part y = call.Operand(0, v.src_type, rows, pitch, n), sum = blocks(1), max = blocks(2),
             exp_max = call.Operand(3, v.src_type, rows, block, block), x = call.Operand(4, v.src_type, rows, pitch, n),
             in_sum = blocks(5), in_max = blocks(6);
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
    const float before = update ? call.Load(in_max, r)[0] : 0, sum_before = update ? call.Load(in_sum, r)[0] : 0;
    if (update) {
      defined = defined && (call.AllDefined() || (call.Defined(in_max, r) && call.Defined(in_sum, r)));
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

// As documented: means of the whole row, which the loops before share, and of its parts, towards which the data move.
void RunSoftmaxFlashV3(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const bool update = v.mode & 1;
  const uint32_t rows = call.Low(1), pitch = call.High(1), n = call.Low(2), loop = call.Low(3), parts = call.High(3);
  if (parts != 8 || n % 64 != 0 || n < 512 || rows % 8 != 0 || (update && loop == 0))
    return void(
        call.Broken("lengths",
                    "SoftmaxFlashV3 takes rows of 512 elements or more, multiples of 64, in eights, splitMeanCnt "
                    "8 and a loopCnt of 1 or more",
                    "pad the data, see SoftMaxParams"));
  const auto blocks = [&](uint32_t i) { return call.Operand(i, AKGEN_F32, rows, 8, 8); };
  const Part y = call.Operand(0, v.src_type, rows, pitch, n), mean = blocks(1), sum = blocks(2), max = blocks(3),
             exp_max = call.Operand(4, v.src_type, rows, 16, 16), x = call.Operand(5, v.src_type, rows, pitch, n),
             in_mean = blocks(6), in_sum = blocks(7), in_max = blocks(8);
  for (const Part& p : {y, mean, sum, max}) call.Out(p, true);
  if (update) call.Out(exp_max);
  call.In(x);
  if (update)
    for (const Part& p : {in_mean, in_sum, in_max}) call.In(p);
  if (!call.Begin(FlashV3Tmp(rows, pitch))) return;
  const float scale = call.Scalar() / (1 - call.Scalar());
  const uint32_t base = n / parts;
  for (uint32_t r = 0; r < rows; ++r) {
    Row data = call.Load(x, r);
    const auto part = [&](uint32_t i) { return Row(data.begin() + i * base, data.begin() + (i + 1) * base); };
    Row means(parts);
    for (uint32_t i = 0; i < parts; ++i) means[i] = SumRow<float>(part(i)) / float(base);
    const float own = SumRow<float>(means) / float(parts);
    for (uint32_t i = 0; i < n; ++i) data[i] -= (own - means[i / base]) * scale;
    float top = Extreme<true>(data.data(), n, 0).value, all_mean = own, all = 0, of_before = 0;
    float here = 0;
    if (update) {
      const float before = call.Load(in_mean, r)[0];
      all_mean = (own + before * float(loop - 1)) / float(loop);
      here = (own - all_mean) * scale;
      const float there = (before - all_mean) * scale, max_before = call.Load(in_max, r)[0];
      top = std::max(here + top, there + max_before);
      of_before = std::exp(max_before - top + there);
      all = of_before * call.Load(in_sum, r)[0];
    }
    for (float& e : data) e = std::exp(e - (top - here));
    all += SumRow<float>(data);
    call.Store(y, r, data);
    call.Store(mean, r, Row(8, all_mean));
    call.Store(sum, r, Row(8, all));
    call.Store(max, r, Row(8, top));
    if (update) call.Store(exp_max, r, Row(16, of_before));
    if (call.AllDefined()) continue;
    for (const Part& p : {y, mean, sum, max}) call.Mark(p, r, false);
    if (update) call.Mark(exp_max, r, false);
  }
}
}  // namespace

OwnFn FindFlash(const AkgenVec& v) {
  if (v.op == AKGEN_OP_SoftmaxFlashV3) return RunSoftmaxFlashV3;
  return v.op == AKGEN_OP_SoftmaxFlash && IsShortOrSingle(v.src1_type) ? RunSoftmaxFlash : nullptr;
}

}  // namespace akgen::sim
