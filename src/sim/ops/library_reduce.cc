// Reductions of [first, last] along one axis.
#include <algorithm>
#include <cmath>

#include "sim/ops/library.h"

namespace akgen::sim {
namespace {
using Row = std::vector<float>;

float Combined(PatternReduction kind, float a, float b) {
  switch (kind) {
    case kPatternMax: return std::isnan(a) || a > b ? a : b;
    case kPatternMin: return std::isnan(a) || a < b ? a : b;
    case kPatternProd: return a * b;
    case kPatternAny: return a != 0 || b != 0 ? 1 : 0;
    case kPatternAll: return a != 0 && b != 0 ? 1 : 0;
    default: return a + b;
  }
}

// Halves: what lies behind the largest power of two goes onto the beginning first.
float Folded(PatternReduction kind, Row v) {
  for (size_t n = v.size(); n > 1;) {
    const size_t k = PatternFold(uint32_t(n), true);
    for (size_t i = k; i < n; ++i) v[i - k] = Combined(kind, v[i - k], v[i]);
    n = k;
  }
  return kind == kPatternAny || kind == kPatternAll ? float(v[0] != 0) : v[0];
}

void RunPatternReduce(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  const auto kind = PatternReduction(v.mode & 15);
  const bool over_rows = v.mode & kPatternOverRows;
  const uint32_t first = call.Low(1), last = call.High(1), size = SizeOfType(v.src_type);
  if (first == 0 || last == 0)
    return void(call.Broken("shape", "an axis has no elements", "give srcShape both axes"));
  const Part x = call.Operand(1, v.src_type, first, UpTo(last, kBlock / size), last),
             y = call.Operand(0, v.src_type, over_rows ? last : first);
  call.Out(y);
  call.In(x);
  if (!call.Begin(PatternTmp(kind, over_rows, first, last, size, v.flag))) return;
  std::vector<Row> rows(first);
  std::vector<bool> defined(y.n, true);
  for (uint32_t r = 0; r < first; ++r) {
    rows[r] = call.Load(x, r);
    for (uint32_t c = 0; c < last && !call.AllDefined(); ++c)
      if (!machine.Defined(x.Row(r) + size_t(c) * size, size)) defined[over_rows ? c : r] = false;
  }
  for (uint32_t i = 0; i < y.n; ++i) {
    Row line = over_rows ? Row(first) : rows[i];
    for (uint32_t r = 0; over_rows && r < first; ++r) line[r] = rows[r][i];
    const float sum = Folded(kind, std::move(line));
    call.Store(y, i, kind == kPatternMean ? sum / float(over_rows ? first : last) : sum);
    if (!call.AllDefined()) call.MarkElement(y, i, defined[i]);
  }
  if (v.flag) machine.Clobber(x.at, x.Span());
}
}  // namespace

OwnFn FindReduction(const AkgenVec& v) {
  return v.op == AKGEN_OP_PatternReduce ? RunPatternReduce : nullptr;
}

}  // namespace akgen::sim
