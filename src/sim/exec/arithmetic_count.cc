// In which precision a kernel really computes: a float32 kernel that computes in half is told from
// one that does not.
#include "base/dtype.h"
#include "sim/exec/core.h"

namespace akgen::sim {
namespace {
bool ShortFloat(uint8_t dtype) { return dtype == AKGEN_F16 || dtype == AKGEN_BF16; }
}  // namespace

bool Narrows(const AkgenVec& v) {
  return RowOf(v.op).converts && v.src_type == AKGEN_F32 && ShortFloat(v.dst_type);
}

void CountArithmetic(const AkgenVec& v, Arithmetic* counts) {
  const VecRow& row = RowOf(v.op);
  if (row.converts) {
    counts->narrowing_casts += counts->rounds && Narrows(v);
    return;
  }
  counts->imprecise += row.imprecise;
  if (!row.moves && v.src_type < counts->by_dtype.size()) ++counts->by_dtype[v.src_type];
}

base::Json ToJson(const Arithmetic& a) {
  base::Json out = base::Json::object();
  for (size_t i = 0; i < a.by_dtype.size(); ++i)
    if (a.by_dtype[i]) out[std::string(base::NameOf(base::Dtype(i)))] = a.by_dtype[i];
  if (a.narrowing_casts) out["narrowing_casts"] = a.narrowing_casts;
  if (a.imprecise) out["imprecise"] = a.imprecise;
  return out;
}

}  // namespace akgen::sim
