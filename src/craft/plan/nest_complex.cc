// Complex numbers as their parts.
#include "craft/plan/nest_operations.h"

namespace akgen::craft::nest {
using record::GraphArg;
using record::GraphArgs;
using record::GraphNode;
using record::GraphNumber;
namespace {
NestValue Real(NestValue v) { return v.imaginary = -1, v; }
NestValue Imaginary(NestValue v) { return v.node = v.imaginary, v.imaginary = -1, v; }
}  // namespace

std::optional<NestValue> Complex(NestScope& s, const GraphNode& n,
                                 const std::vector<int64_t>& shape) {
  const std::string& op = n.op;
  const GraphArgs& a = n.args;
  std::vector<NestValue> x;
  bool any = op == "complex";
  for (const GraphArg& t : a) {
    x.push_back(t.IsTensor() ? s.Value(t.tensor) : NestValue{});
    any |= x.back().imaginary >= 0;
  }
  if (!any) return std::nullopt;
  auto both = [&](NestValue re, const NestValue& im) {
    for (size_t i = 0; i < re.dims.size(); ++i) s.g.axes.Unify(re.dims[i], im.dims[i]);
    re.imaginary = im.node;
    return re;
  };
  if (op == "complex") return both(x[0], x[1]);
  if (op == "real") return Real(x[0]);
  if (op == "imag") return Imaginary(x[0]);
  if (op == "abs")
    return Element(s.g, "sqrt(@0@ * @0@ + @1@ * @1@)", {Real(x[0]), Imaginary(x[0])});
  if ((op == "mul" || op == "div") && x[0].imaginary >= 0 && x[1].imaginary < 0) {
    NestValue by = a[1].IsTensor() ? x[1] : s.Operand(a[1]);
    std::string text = op == "mul" ? "@0@ * @1@" : "@0@ / @1@";
    return both(Element(s.g, text, {Real(x[0]), by}), Element(s.g, text, {Imaginary(x[0]), by}));
  }
  if (op == "mul" && x[0].imaginary < 0 && a[0].IsTensor())
    return both(Element(s.g, "@0@ * @1@", {x[0], Real(x[1])}),
                Element(s.g, "@0@ * @1@", {x[0], Imaginary(x[1])}));
  if ((op == "add" || op == "sub") && a.size() == 3 && a[2].Is(1) && x[0].imaginary >= 0 &&
      x[1].imaginary >= 0) {
    std::string text = op == "add" ? "@0@ + @1@" : "@0@ - @1@";
    return both(Element(s.g, text, {Real(x[0]), Real(x[1])}),
                Element(s.g, text, {Imaginary(x[0]), Imaginary(x[1])}));
  }
  if (op == "neg")
    return both(Element(s.g, "-@0@", {Real(x[0])}), Element(s.g, "-@0@", {Imaginary(x[0])}));
  if (op == "conj") return both(Real(x[0]), Element(s.g, "-@0@", {Imaginary(x[0])}));
  if (op == "mul" && x[0].imaginary >= 0 && x[1].imaginary >= 0) {
    NestValue p = Real(x[0]), q = Imaginary(x[0]), u = Real(x[1]), v = Imaginary(x[1]);
    return both(Element(s.g, "@0@ * @1@ - @2@ * @3@", {p, u, q, v}),
                Element(s.g, "@0@ * @3@ + @2@ * @1@", {p, u, q, v}));
  }
  if (op == "slice" || op == "narrow")
    return both(Slice(s, n, Real(x[0]), shape), Slice(s, n, Imaginary(x[0]), shape));
  return std::nullopt;
}

}  // namespace akgen::craft::nest
