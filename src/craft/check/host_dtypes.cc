// Dtypes of a host function's tensors, by column.
#include "craft/check/host_dtypes.h"

#include <algorithm>

namespace akgen::craft {

base::Dtype DtypeColumns::In(const std::string& name, size_t column) const {
  auto it = dtypes_.find(name);
  return it == dtypes_.end() ? base::Dtype::kFloat32 : it->second[column];
}

std::optional<bool> DtypeColumns::Settled(const ir::S& s, size_t column) const {
  if (ir::AsConst(s)) return s->i != 0;
  if (s->kind == ir::SKind::kCall && s->text == "is_dtype")
    return In(s->tensor, column) == *ir::DtypeFromShort(s->args[0]->text);
  if (s->kind == ir::SKind::kUnary && s->text == "not") {
    auto a = Settled(s->args[0], column);
    return a ? std::optional(!*a) : a;
  }
  if (s->kind != ir::SKind::kBinary || (s->text != "and" && s->text != "or")) return std::nullopt;
  auto a = Settled(s->args[0], column), b = Settled(s->args[1], column);
  bool decides = s->text == "or";
  if ((a && *a == decides) || (b && *b == decides)) return decides;
  return a && b ? a : std::nullopt;
}

std::optional<size_t> DtypeColumns::Taking() const {
  auto takes = [&](size_t c) {
    return std::all_of(taken_.begin(), taken_.end(), [&](const auto& t) {
      return Settled(t.first, c).value_or(t.second) == t.second;
    });
  };
  if (takes(seen_)) return seen_;
  for (size_t c = 0; c < columns_; ++c)
    if (takes(c)) return c;
  return std::nullopt;
}

}  // namespace akgen::craft
