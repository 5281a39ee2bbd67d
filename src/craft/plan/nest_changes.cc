// Operations element by element, as new values or in place.
#include "craft/plan/element.h"
#include "craft/plan/nest_operations.h"

namespace akgen::craft::nest {
using record::GraphArg;
using record::GraphArgs;
using record::GraphNode;
using record::GraphNumber;

NestValue Plainly(NestScope& s, const std::string& op, const GraphArgs& a) {
  std::vector<NestValue> operands;
  std::map<size_t, size_t> place;
  auto text = ElementText(op, a, [&](size_t i) {
    if (!place.count(i)) {
      place[i] = operands.size();
      operands.push_back(s.Operand(a[i]));
    }
    return fmt::format("@{}@", place[i]);
  });
  if (!text) throw WithoutRule(op);
  return Element(s.g, *text, operands);
}

void Change(NestScope& s, const GraphNode& n, const std::string& op, const std::string& id) {
  const std::string& target = n.args.at(0).tensor;
  NestValue old = s.Value(target), made = Plainly(s, op, n.args);
  for (size_t i = 1; i < n.args.size(); ++i)
    if (n.args[i].IsTensor() && !s.Value(n.args[i].tensor).dims.empty())
      throw Unplanned{"a part of a value that another tensor changes"};
  auto region = s.regions.find(target);
  if (region == s.regions.end()) {
    s.values[target] = s.values[id] = made;
    return;
  }
  const NestRegion& r = region->second;
  if (!r.all) {
    NestValue at = Index(s.g, old.dims, r.dim);
    NestNode first, last;
    first.kind = last.kind = NestNode::kScalar;
    first.text = r.start;
    last.text = r.end;
    NestValue in = Element(s.g, "(@0@ >= @1@) & (@0@ < @2@)",
                           {at, {Add(s.g, first), {}, {}, -1}, {Add(s.g, last), {}, {}, -1}});
    made = Element(s.g, "where(@0@, @1@, @2@)", {in, made, old});
  }
  s.values[r.base] = s.values[id] = made;
}

}  // namespace akgen::craft::nest
