#include "corpus/compose/composed_task.h"

#include <fmt/format.h>

#include <cmath>

namespace akgen::corpus {
using base::Json;

namespace {
// One shape, or those of a list's tensors.
Json Shapes(bool list, const SymbolicShape& shape, const Extents& e) {
  if (!list) return ShapeOf(shape, e);
  Json out = Json::array();
  for (size_t t = 0; t < e.tensors; ++t) out.push_back(ShapeOf(shape, TensorOfList(e, t)));
  return out;
}

Json DistOf(const Composition& c, const CompositionInput& i) {
  bool whole = false;
  for (size_t column = 0; column < c.dtypes.size(); ++column)
    whole |= !base::IsFloating(DtypeOfInput(c, i, column));
  if (whole) return {{"kind", "int"}, {"low", std::ceil(i.low)}, {"high", std::floor(i.high)}};
  return {{"kind", "uniform"}, {"low", i.low}, {"high", i.high}};
}

// libtorch knows functions of tensors, not Python's torch.nn.functional.
std::string WithoutFunctional(std::string text) {
  const std::string word = "torch.nn.functional.";
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;)
    text.replace(at, word.size(), "torch.");
  return text;
}
}  // namespace

task::TaskSpec ComposedTask(const Composition& c) {
  task::TaskSpec t;
  t.name = fmt::format("composed_{}_{}", c.seed, c.index);
  t.category = "Composed";
  t.entry = "composed";
  t.reference = WithoutFunctional(ReferenceText(c));
  t.precision.rule = "D";
  const task::ParamKind kind = c.lists ? task::ParamKind::kList : task::ParamKind::kTensor;
  for (const auto& i : c.inputs) {
    task::ParamSpec p;
    p.name = i.id, p.kind = i.single ? task::ParamKind::kTensor : kind, p.dtype = "$dtype_" + i.id,
    p.shape = "$" + i.id, p.dist = DistOf(c, i);
    if (i.without >= 0 || i.optional) p.optional = true, p.present = "$has_" + i.id;
    t.inputs.push_back(std::move(p));
  }
  for (const auto& a : c.attrs) t.attrs.push_back({a.id, a.type, "$" + a.id});
  for (size_t o = 0; o < c.outputs.size(); ++o) {
    task::ParamSpec p;
    p.name = fmt::format("y{}", o), p.kind = kind, p.shape = "$" + p.name;
    p.dtype = c.fixed[o] ? std::string(base::NameOf(*c.fixed[o])) : "$dtype";
    p.inplace_of = c.inplace[o], p.in_signature = c.inplace[o].empty() || !c.over;
    if (c.fixed[o] == base::Dtype::kInt8) t.precision.rule = "Q";
    t.outputs.push_back(std::move(p));
  }
  for (size_t k = 0; k < c.cases.size(); ++k) {
    const Extents& e = c.cases[k];
    Json columns{{"dtype", base::NameOf(c.dtypes[e.column])}};
    for (const auto& i : c.inputs) {
      columns[i.id] = Shapes(c.lists && !i.single, ShapeIn(i, e), e);
      columns["dtype_" + i.id] = base::NameOf(DtypeOfInput(c, i, e.column));
      if (i.without >= 0 || i.optional) columns["has_" + i.id] = Present(i, e);
    }
    for (const auto& a : c.attrs) columns[a.id] = ValueOf(a, e);
    for (size_t o = 0; o < c.outputs.size(); ++o)
      columns[fmt::format("y{}", o)] = Shapes(c.lists, ShapeOfValue(c, c.outputs[o], e), e);
    t.cases.push_back({fmt::format("c{}", k), std::move(columns)});
  }
  return t;
}

}  // namespace akgen::corpus
