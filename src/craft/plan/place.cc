// Places the values of a graph over rows × cols: which trailing dimensions are a row, which values
// span it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "craft/plan/element.h"
#include "craft/plan/plan.h"

namespace akgen::craft {
namespace {
using Dims = std::vector<int64_t>;

Dims WithoutLeadingOnes(Dims d) {
  d.erase(d.begin(), std::find_if(d.begin(), d.end(), [](int64_t e) { return e != 1; }));
  return d;
}
Dims WithoutTrailingOnes(Dims d) {
  while (!d.empty() && d.back() == 1) d.pop_back();
  return d;
}

// The span of a shape over `full` when its last k dimensions make a row.
std::optional<Span> SpanOf(const Dims& s, const Dims& full, int k) {
  int64_t n = Numel(s), total = Numel(full);
  if (n == total) return Span::kFull;
  if (n == 1) return Span::kOne;
  Dims row(full.end() - k, full.end()), column(full.begin(), full.end() - k);
  if (WithoutLeadingOnes(s) == WithoutLeadingOnes(row)) return Span::kRow;
  bool by_rank = s.size() == full.size() || s.size() == column.size();
  if (by_rank && WithoutTrailingOnes(s) == WithoutTrailingOnes(column)) return Span::kColumn;
  return std::nullopt;
}

bool IsReduction(const std::string& op) {
  return op == "sum" || op == "mean" || op == "any" || op == "amax" || op == "amin" ||
         op == "prod" || op == "max" || op == "min" || op == "logsumexp" || op == "argmax" ||
         op == "argmin";
}

bool IsMove(const std::string& op) {
  static const std::set<std::string> kMoves = {"clone",   "contiguous", "double", "to",
                                               "type_as", "reshape",    "view",   "unsqueeze",
                                               "squeeze", "flatten",    "detach"};
  return kMoves.count(op) > 0;
}

// Whether the dimensions a reduction runs over are the last ones that make a row, or the first ones
// that make a column.
bool RunsOver(const Step& s, const Dims& in, Span left, const Layout& l) {
  if (s.args.size() < 2 || s.args[1].IsNone()) return true;
  std::vector<bool> gone(in.size(), false);
  const std::vector<int64_t> dims =
      s.args[1].IsList() ? s.args[1].Ints() : std::vector<int64_t>{s.args[1].number.Int()};
  if (dims.empty()) return true;
  for (int64_t i : dims) {
    gone[static_cast<size_t>(i < 0 ? i + static_cast<int64_t>(in.size()) : i)] = true;
  }
  int64_t n = 1;
  bool last = left == Span::kColumn;
  for (size_t i = 0; i < in.size(); ++i) {
    size_t d = last ? in.size() - 1 - i : i;
    if (in[d] == 1) continue;
    if (gone[d] != (n < (last ? l.cols : l.rows))) return false;
    n *= in[d];
  }
  return true;
}

// What a reduction takes must match what it leaves: rows to a column, columns to a row, everything
// to one.
bool ReductionFits(const Step& s, const Layout& l) {
  if (!IsReduction(s.op) && s.op != "softmax" && s.op != "layer_norm") return true;
  if (s.args.empty() || !s.args[0].IsTensor()) return false;
  const std::string& from = s.args[0].tensor;
  const Dims& in = l.shape.at(from);
  if (s.op == "softmax") {
    int64_t dim = s.args[1].number.Int();
    if (dim < 0) dim += static_cast<int64_t>(in.size());
    return dim == static_cast<int64_t>(in.size()) - 1 && in.back() == l.cols &&
           l.span.at(from) == Span::kFull;
  }
  if (s.op == "layer_norm") {
    const size_t n = s.args[1].list.size();
    return n <= in.size() &&
           Numel(Dims(in.end() - static_cast<std::ptrdiff_t>(n), in.end())) == l.cols;
  }
  if (l.span.at(from) != Span::kFull) return s.span == Span::kOne;
  if (s.span == Span::kFull) return Numel(in) == 1;
  return s.span == Span::kOne || RunsOver(s, in, s.span, l);
}

// A vector may be a row or a column where there are as many rows as columns: what it is moved to
// says which.
void Turn(Layout& l) {
  if (l.rows != l.cols || l.flat) return;
  for (auto s = l.steps.rbegin(); s != l.steps.rend(); ++s) {
    if (IsReduction(s->op) || l.span.at(s->id) != Span::kColumn) continue;
    if (!IsMove(s->op) && l.shape.at(s->id).size() != 1) continue;
    for (const auto& arg : s->args) {
      const std::string& from = arg.tensor;
      if (!arg.IsTensor() || !l.span.contains(from) || l.shape.at(from).size() != 1 ||
          l.span.at(from) != Span::kRow)
        continue;
      bool alone = true;
      for (const Step& other : l.steps)
        for (const auto& a : other.args)
          alone &= !a.IsTensor() || a.tensor != from || IsMove(other.op) ||
                   l.span.at(other.id) == Span::kColumn;
      if (alone) l.span[from] = Span::kColumn;
    }
  }
}

// Whether no row is taken for a column, or the other way round, and everything that is read has a
// place: an input of which only elements are selected has none, and no more than an element of it,
// which is counted from its first one.
bool SpansAgree(const Step& s, const Layout& l) {
  if (s.op == "select") {
    const GraphNumber& at = s.args.at(2).number;
    if (s.span != Span::kOne || (at.IsConstant() && at.Int() < 0)) return false;
  }
  if (IsReduction(s.op) || (s.span != Span::kRow && s.span != Span::kColumn)) return true;
  return std::all_of(s.args.begin(), s.args.end(), [&](const auto& a) {
    if (!a.IsTensor()) return true;
    const auto at = l.span.find(a.tensor);
    return at != l.span.end() && (at->second == s.span || at->second == Span::kOne);
  });
}

std::optional<Layout> Try(const std::vector<Step>& steps, const std::map<std::string, Dims>& shapes,
                          const Dims& full, int k) {
  Layout l;
  l.shape = shapes;
  l.trailing = k;
  l.cols = Numel(Dims(full.end() - k, full.end()));
  l.rows = l.cols ? Numel(full) / l.cols : 1;
  for (const auto& [id, s] : shapes) {
    auto span = SpanOf(s, full, k);
    if (!span) return std::nullopt;
    l.span[id] = *span;
    l.flat &= *span == Span::kFull || *span == Span::kOne;
  }
  l.steps = steps;
  Turn(l);
  for (Step& s : l.steps) {
    s.span = l.span[s.id];
    if (!ReductionFits(s, l) || !SpansAgree(s, l)) return std::nullopt;
    if (s.op == "softmax" || s.op == "layer_norm") l.flat = false;
  }
  return l;
}
}  // namespace

std::string NumberText(const std::string& op, const std::vector<std::string>& a) {
  if ((op == "Float" || op == "float") && a.size() == 1) return fmt::format("float({})", a[0]);
  if ((op == "Int" || op == "ScalarImplicit" || op == "FloatImplicit") && a.size() == 1)
    return a[0];
  if (op == "neg") return fmt::format("(-{})", a[0]);
  static const std::map<std::string, const char*> kOps = {{"add", "+"},       {"sub", "-"},
                                                          {"mul", "*"},       {"div", "/"},
                                                          {"floordiv", "//"}, {"remainder", "%"}};
  if (auto it = kOps.find(op); it != kOps.end() && a.size() == 2)
    return fmt::format("({} {} {})", a[0], it->second, a[1]);
  if (op == "pow" && a.size() == 2)
    return fmt::format("(full(1, 1, float({})) ** float({}))", a[0], a[1]);
  throw Unplanned{"the number " + op};
}

PlanResult<Layout> PlaceValues(const PlanTask& task, const PlanCase& c) {
  std::vector<Step> steps;
  std::map<std::string, Dims> shapes;
  std::vector<std::string> lists;
  for (const PlanParam& p : task.params) {
    auto it = c.shapes.find(p.id);
    if (it != c.shapes.end()) shapes[p.is_list ? p.id + ".0" : p.id] = it->second;
  }
  // Inputs nobody computes with (their elements may still be read as numbers) have no place.
  std::map<std::string, bool> used;
  for (const record::GraphNode& n : c.graph.nodes) {
    if (n.out.size() != 1) return WithSeveralResults(n.op);
    Step s;
    s.op = n.op;
    s.id = n.id();
    s.args = n.args;
    s.shape = n.out[0].shape;
    s.is_bool = n.out[0].dtype == "Bool";
    s.is_whole = n.out[0].dtype == "Long" || n.out[0].dtype == "Int";
    shapes[s.id] = s.shape;
    if (s.op == "select" && !n.args.at(2).number.IsConstant()) shapes[s.id] = {};
    for (const auto& a : s.args)
      if (a.IsTensor() && s.op != "select") used[a.tensor] = true;
    steps.push_back(s);
  }
  for (const std::string& o : c.graph.outputs) used[o] = true;
  for (auto it = shapes.begin(); it != shapes.end();)
    it = it->first[0] == 'x' && !used[it->first] ? shapes.erase(it) : std::next(it);
  Dims full;
  for (const auto& [id, s] : shapes)
    if (Numel(s) > Numel(full) || (Numel(s) == Numel(full) && s.size() > full.size())) full = s;
  for (int k = 0; k <= static_cast<int>(full.size()); ++k) {
    int at = k == 0 ? static_cast<int>(full.size()) : k;  // flat first
    auto l = Try(steps, shapes, full, at);
    if (l && (k > 0 || l->flat)) return *l;
  }
  return Unplanned{"the shapes do not lie over rows and columns"};
}

}  // namespace akgen::craft
