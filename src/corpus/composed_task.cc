#include "corpus/composed_task.h"

#include <fmt/format.h>

#include <cmath>

namespace akgen::corpus {
using base::Json;

namespace {
// One shape, or those of a list's tensors.
Json Shapes(const Composition& c, const SymbolicShape& shape, const Extents& e) {
  if (!c.lists) return ShapeOf(shape, e);
  Json out = Json::array();
  for (size_t t = 0; t < e.tensors; ++t) out.push_back(ShapeOf(shape, TensorOfList(e, t)));
  return out;
}

Json DistOf(const Composition& c, const CompositionInput& i) {
  if (c.dtypes[0] == base::Dtype::kInt32) return {{"kind", "int"}, {"low", std::ceil(i.low)}, {"high", std::floor(i.high)}};
  return {{"kind", "uniform"}, {"low", i.low}, {"high", i.high}};
}

// libtorch knows functions of tensors, not Python's torch.nn.functional.
std::string WithoutFunctional(std::string text) {
  const std::string word = "torch.nn.functional.";
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;) text.replace(at, word.size(), "torch.");
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
    p.name = i.id, p.kind = kind, p.dtype = "$dtype", p.shape = "$" + i.id, p.dist = DistOf(c, i);
    t.inputs.push_back(std::move(p));
  }
  for (const auto& [id, value] : c.attrs) t.attrs.push_back({id, "float", value});
  for (size_t o = 0; o < c.outputs.size(); ++o) {
    task::ParamSpec p;
    p.name = fmt::format("y{}", o), p.kind = kind, p.shape = "$" + p.name;
    p.dtype = c.fixed[o] ? std::string(base::NameOf(*c.fixed[o])) : "$dtype";
    if (c.fixed[o] == base::Dtype::kInt8) t.precision.rule = "Q";
    t.outputs.push_back(std::move(p));
  }
  for (size_t k = 0; k < c.cases.size(); ++k) {
    const Extents& e = c.cases[k];
    Json columns{{"dtype", base::NameOf(c.dtypes[e.column])}};
    for (const auto& i : c.inputs) columns[i.id] = Shapes(c, i.shape, e);
    for (size_t o = 0; o < c.outputs.size(); ++o) columns[fmt::format("y{}", o)] = Shapes(c, ShapeOfValue(c, c.outputs[o]), e);
    t.cases.push_back({fmt::format("c{}", k), std::move(columns)});
  }
  return t;
}

}  // namespace akgen::corpus
