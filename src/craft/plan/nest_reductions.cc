// Reductions, and elements that are looked for.
#include <algorithm>

#include "craft/plan/nest_joined.h"
#include "craft/plan/nest_operations.h"

namespace akgen::craft::nest {
using record::GraphArg;
using record::GraphArgs;
using record::GraphNode;
using record::GraphNumber;
namespace {
NestValue LayerNorm(NestScope& s, const NestValue& x, const GraphArgs& a) {
  std::vector<size_t> dims;
  for (size_t i = 0; i < a[1].list.size(); ++i) dims.push_back(x.dims.size() - 1 - i);
  const Reduced sum = ReduceCounted(s.g, "sum", x, dims, true);
  NestValue d = Element(s.g, fmt::format("@0@ - @1@ / float({})", sum.count), {x, sum.value});
  const Reduced v = ReduceCounted(s.g, "sum", Element(s.g, "@0@ * @0@", {d}), dims, true);
  NestValue y = Element(s.g, fmt::format("@0@ / sqrt(@1@ / float({}) + @2@)", v.count),
                        {d, v.value, s.Operand(a[4])});
  if (!a[2].IsNone()) y = Element(s.g, "@0@ * @1@", {y, s.Operand(a[2])});
  if (!a[3].IsNone()) y = Element(s.g, "@0@ + @1@", {y, s.Operand(a[3])});
  return y;
}

// The dtype of a sum or an extreme of integers; of others none.
std::string WholeDtype(const NestScope& s, const GraphNode& n) {
  static const std::set<std::string> kOps = {"sum", "max", "min", "amax", "amin"};
  if (!kOps.count(n.op) || !n.args[0].IsTensor() || !s.whole.count(n.args[0].tensor)) return "";
  return n.out[0].dtype == "Long" ? "i64" : "i32";
}

}  // namespace

std::optional<NestValue> Reduction(NestScope& s, const GraphNode& n) {
  const std::string& op = n.op;
  const GraphArgs& a = n.args;
  static const std::set<std::string> kOps = {
      "sum", "mean",   "amax",   "amin",    "max",       "min",        "any",
      "all", "argmax", "argmin", "softmax", "logsumexp", "layer_norm", "prod"};
  if (!kOps.count(op) || ((op == "max" || op == "min") && a.size() != 1)) return std::nullopt;
  NestValue x = s.Operand(a[0]);
  size_t rank = x.dims.size();
  std::vector<size_t> dims =
      a.size() > 1 && (a[1].IsNumber() || a[1].IsList()) && op != "layer_norm"
          ? DimsOf(a[1], rank)
          : std::vector<size_t>{};
  if (op == "sum" && a.size() == 2) dims.clear();  // sum(x, dtype)
  if ((op == "mean" || op == "prod") && a.size() == 2) dims.clear();
  bool keep = a.size() > 2 && a[2].IsNumber() && a[2].number.IsConstant() &&
              a[2].number.HasBool() && a[2].number.Real() != 0;
  if (op == "softmax") {
    NestValue e = Element(s.g, "exp(@0@ - @1@)", {x, Reduce(s.g, "max", x, dims, true)});
    return Element(s.g, "@0@ / @1@", {e, Reduce(s.g, "sum", e, dims, true)});
  }
  if (op == "logsumexp") {
    // Of an infinite one no difference is taken.
    auto most = [&](bool kept) {
      return Element(s.g, "where(abs(@0@) == inf, 0.0, @0@)", {Reduce(s.g, "max", x, dims, kept)});
    };
    const NestValue all =
        Reduce(s.g, "sum", Element(s.g, "exp(@0@ - @1@)", {x, most(true)}), dims, keep);
    return Element(s.g, "log(@0@) + @1@", {all, most(keep)});
  }
  if (op == "layer_norm") return LayerNorm(s, x, a);
  if (op == "argmax" || op == "argmin") {
    if (dims.empty() || rank == 1) return Reduce(s.g, op, x, {}, keep && rank == 1);
    // The first of the elements that are the extreme, or NaN.
    NestValue most = Reduce(s.g, op.substr(3), x, dims, true), at = Index(s.g, x.dims, dims[0]);
    return Reduce(s.g, "min",
                  Element(s.g, "where((@0@ == @1@) | (@0@ != @0@), @2@, inf)", {x, most, at}), dims,
                  keep);
  }
  if (op == "any" || op == "all") {
    const NestValue one = Element(s.g, "where(@0@, 1.0, 0.0)", {x});
    return Element(s.g, "@0@ > 0.5", {Reduce(s.g, op == "any" ? "max" : "min", one, dims, keep)});
  }
  std::string what = op == "amax" || op == "max"   ? "max"
                     : op == "amin" || op == "min" ? "min"
                     : op == "prod"                ? "prod"
                                                   : "sum";
  const Reduced r = ReduceCounted(s.g, what, x, dims, keep, WholeDtype(s, n));
  return op == "mean" ? Element(s.g, fmt::format("@0@ / float({})", r.count), {r.value}) : r.value;
}

NestValue Chosen(NestScope& s, const std::string& op, const GraphArgs& a) {
  NestValue x = s.Operand(a[0]), index = s.Operand(a[2]);
  size_t dim = Dim(a[1], x.dims.size());
  if (x.dims.size() != index.dims.size()) throw Unplanned{"an index of another rank"};
  bool one = s.g.axes.Resolve(index.dims[dim]).empty();
  NestValue at = Index(s.g, x.dims, dim);
  if (op == "scatter") {
    if (!one)
      throw Unplanned{"several elements of a row are replaced", Obstacle::kReplacedElements};
    return Element(s.g, "where(@0@ == @1@, @2@, @3@)", {at, index, s.Operand(a[3]), x});
  }
  if (!one) {  // n chosen from m: n rows of m
    const auto place = static_cast<long>(dim);
    at.dims.insert(at.dims.begin() + place, Run{});
    x.dims.insert(x.dims.begin() + place, Run{});
    index.dims.insert(index.dims.begin() + place + 1, Run{});
    return Reduce(s.g, "sum", Element(s.g, "where(@0@ == @1@, @2@, 0.0)", {at, index, x}),
                  {dim + 1}, false);
  }
  return Reduce(s.g, "sum", Element(s.g, "where(@0@ == @1@, @2@, 0.0)", {at, index, x}), {dim},
                true);
}

// One after the other: the extreme of those that are not taken yet, and the first place where it
// is. NaN is the largest: of the smallest its places come behind all others, kBehind further on.
void Topmost(NestScope& s, const GraphNode& n) {
  constexpr int64_t kLimit = 8;
  constexpr const char* kBehind = "8388608.0";
  NestValue x = s.Operand(n.args.at(0));
  const size_t dim = n.args.size() > 2 ? Dim(n.args[2], x.dims.size()) : x.dims.size() - 1;
  const int64_t count = n.args.at(1).number.Int();
  if (!n.args[1].number.IsConstant() || count < 1 || count > kLimit)
    throw Unplanned{
        fmt::format("operation topk of other than 1 to {} elements, a number that is fixed",
                    kLimit),
        Obstacle::kOperation, "topk"};
  const bool largest = n.args.size() < 4 || n.args[3].number.Real() != 0;
  const NestValue at = Index(s.g, x.dims, dim);
  std::vector<NestValue> values, places, seen{x, at};
  std::string free;
  auto all_of = [&](const std::string& condition) {
    return free.empty() ? condition : free + " & " + condition;
  };
  for (int64_t k = 0; k < count; ++k) {
    const std::string open = largest ? free : all_of("(@0@ == @0@)");
    const NestValue left =
        open.empty()
            ? x
            : Element(s.g, fmt::format("where({}, @0@, {})", open, largest ? "(-inf)" : "inf"),
                      seen);
    NestValue most = Reduce(s.g, largest ? "max" : "min", left, {dim}, true);
    std::vector<NestValue> all = seen;
    all.push_back(most);
    const std::string hit = fmt::format("(@0@ == @{}@)", all.size() - 1), lost = "(@0@ != @0@)";
    NestValue place =
        Reduce(s.g, "min",
               Element(s.g,
                       largest ? fmt::format("where({}, @1@, inf)",
                                             all_of(fmt::format("({} | {})", hit, lost)))
                               : fmt::format("where({}, @1@, where({}, @1@ + {}, inf))",
                                             all_of(hit), all_of(lost), kBehind),
                       all),
               {dim}, true);
    if (!largest) {
      most = Element(s.g, fmt::format("where(@1@ < {}, @0@, @0@ - @0@)", kBehind), {most, place});
      place = Element(s.g, fmt::format("where(@0@ < {0}, @0@, @0@ - {0})", kBehind), {place});
    }
    values.push_back(most), places.push_back(place), seen.push_back(place);
    free += fmt::format("{}(@1@ != @{}@)", free.empty() ? "" : " & ", seen.size() - 1);
  }
  s.values[n.out[0].id] = Join(s.g, values, dim);
  s.values[n.out.at(1).id] = Join(s.g, places, dim);
}

}  // namespace akgen::craft::nest
