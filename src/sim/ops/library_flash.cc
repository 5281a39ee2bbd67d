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
}  // namespace

OwnFn FindFlash(const AkgenVec& v) {
  return v.op == AKGEN_OP_SoftmaxFlash && IsShortOrSingle(v.src1_type) ? RunSoftmaxFlash : nullptr;
}

}  // namespace akgen::sim
