#include "craft/plan/product_extents.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "craft/plan/element.h"
#include "craft/plan/products.h"

namespace akgen::craft {
namespace {
using Texts = std::vector<std::string>;

std::optional<int64_t> Constant(const GraphArg& a) {
  if (!a.IsNumber() || !a.number.IsConstant() || !a.number.HasInt()) return std::nullopt;
  return a.number.Int();
}
}  // namespace

std::string ExtentProduct(const std::vector<std::string>& extents) {
  return extents.empty() ? "1" : fmt::format("{}", fmt::join(extents, " * "));
}

std::optional<Texts> ProductExtents::Of(const std::string& id) {
  if (memory_.Has(id)) return memory_.At(id).extents;
  if (auto it = known_.find(id); it != known_.end()) return it->second;
  const auto extents = Find(id);
  return known_[id] = extents;
}

std::optional<Texts> ProductExtents::Joined(const GraphNode& n, size_t at) {
  std::optional<Texts> all;
  int64_t ones = 0;
  for (const GraphArg& piece : n.args[0].list) {
    auto one = piece.IsTensor() ? Of(piece.tensor) : std::nullopt;
    if (!one) return std::nullopt;
    ones += (*one)[at] == "1";
    if (all)
      (*all)[at] += " + " + (*one)[at];
    else
      all = one;
  }
  if (!all) return all;
  const bool counted = ones == static_cast<int64_t>(n.args[0].list.size());
  (*all)[at] = counted ? std::to_string(ones) : "(" + (*all)[at] + ")";
  return all;
}

std::optional<Texts> ProductExtents::Find(const std::string& id) {
  auto it = g_.makers.find(id);
  if (it == g_.makers.end()) return std::nullopt;
  const GraphNode& n = *it->second;
  const std::vector<int64_t>& shape = g_.ShapeOf(id);
  const int64_t rank = static_cast<int64_t>(shape.size());
  const bool tensor = !n.args.empty() && n.args[0].IsTensor();
  auto dim = [&](size_t arg, int64_t of) -> std::optional<size_t> {
    auto d = arg < n.args.size() ? Constant(n.args[arg]) : std::nullopt;
    return d ? std::optional(static_cast<size_t>((*d + of) % of)) : std::nullopt;
  };
  if (n.op == "cat" && n.args.size() == 2 && n.args[0].IsList()) {
    auto at = dim(1, rank);
    return at ? Joined(n, *at) : std::nullopt;
  }
  if (const auto made = Made(n); made && made->size() == shape.size()) return made;
  auto x = tensor ? Of(n.args[0].tensor) : std::nullopt;
  if (x && IsWindowed(n.op)) return Windowed(n, *x);
  if (x && n.op == "slice" && n.args.size() == 5) return Sliced(n, *x);
  if (x && n.op == "constant_pad_nd" && n.args[1].IsList()) {
    const std::vector<int64_t> pads = n.args[1].Ints();  // of the last dimension first
    for (size_t p = 0; p + 1 < pads.size(); p += 2)
      if (const int64_t more = pads[p] + pads[p + 1]; more != 0) {
        std::string& e = x->at(x->size() - 1 - p / 2);
        e = fmt::format("({} + {})", e, more);
      }
    return x;
  }
  if (x && (n.op == "transpose" || n.op == "swapaxes")) {
    auto a = dim(1, rank), b = dim(2, rank);
    if (!a || !b) return std::nullopt;
    std::swap((*x)[*a], (*x)[*b]);
    return x;
  }
  if (x && n.op == "index_select" && n.args.size() == 3 && n.args[2].IsTensor()) {
    const auto at = dim(1, rank);
    const auto index = Of(n.args[2].tensor);
    if (!at || !index || index->size() != 1) return std::nullopt;
    (*x)[*at] = (*index)[0];
    return x;
  }
  if (x && n.op == "unsqueeze") {
    auto at = dim(1, rank);
    if (!at) return std::nullopt;
    x->insert(x->begin() + static_cast<std::ptrdiff_t>(*at), "1");
    return x;
  }
  static const std::set<std::string> kReshapes = {"reshape", "view", "flatten", "unflatten",
                                                  "squeeze"};
  if (x && kReshapes.count(n.op)) return Regrouped(n, *x);
  if (x && n.op.find("_pool") == 3) return Pooled(n, *x);
  if (x && n.op == "expand") return Spread(n, *x);
  if (x && n.args.size() > 2 && (n.args[1].IsList() || n.args[1].IsNumber()) && ReducesDims(n))
    return Reduced(n, *x);
  if (x && n.op == "select") {
    auto at = dim(1, rank + 1);
    if (!at) return std::nullopt;
    x->erase(x->begin() + static_cast<std::ptrdiff_t>(*at));
    return x;
  }
  if (x && n.op == "chunk") {
    auto at = dim(2, rank);
    if (!at) return std::nullopt;
    (*x)[*at] = fmt::format("({} // {})", (*x)[*at], n.out.size());
    return x;
  }
  if (auto all = Broadcast(n, id)) return all;
  // Along rows: as the operand that has this shape in all cases.
  for (const GraphArg& a : n.args) {
    if (!a.IsTensor()) continue;
    const bool same = std::all_of(
        g_.task.cases.begin(), g_.task.cases.end(),
        [&](const PlanCase& c) { return g_.ShapeOf(a.tensor, c) == g_.ShapeOf(id, c); });
    if (same)
      if (auto as = Of(a.tensor)) return as;
  }
  return std::nullopt;
}

// Of what is made of sizes alone.
std::optional<Texts> ProductExtents::Made(const GraphNode& n) {
  if (n.op == "arange" && !n.args.empty() && n.args[0].IsNumber() && n.args.size() < 5)
    if (const auto size = SizeOf(n.args[0].number)) return Texts{*size};
  if ((n.op != "zeros" && n.op != "ones" && n.op != "full") || !n.args[0].IsList())
    return std::nullopt;
  Texts out;
  for (const GraphArg& size : n.args[0].list)
    if (const auto constant = Constant(size))
      out.push_back(std::to_string(*constant));
    else if (const auto text = size.IsNumber() ? SizeOf(size.number) : std::nullopt)
      out.push_back(*text);
  return out;
}

std::optional<Texts> ProductExtents::Windowed(const GraphNode& n, Texts x) const {
  const std::vector<int64_t> sizes = n.args.at(1).Ints(), steps = n.args.at(2).Ints(),
                             apart = n.args.at(3).Ints();
  Texts places(x.end() - static_cast<std::ptrdiff_t>(sizes.size()), x.end());
  x.resize(x.size() - sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (n.op == "windows") x.push_back(std::to_string(sizes[d]));
    const int64_t span = (sizes[d] - 1) * std::abs(apart[d]) + 1;
    if (span > 1) places[d] = fmt::format("({} - {})", places[d], span - 1);
    if (steps[d] > 1) places[d] = fmt::format("(({} - 1) // {} + 1)", places[d], steps[d]);
  }
  x.insert(x.end(), places.begin(), places.end());
  return x;
}

std::optional<Texts> ProductExtents::Reduced(const GraphNode& n, const Texts& x) const {
  const int64_t rank = static_cast<int64_t>(x.size());
  std::vector<int64_t> dims =
      n.args[1].IsList() ? n.args[1].Ints() : std::vector<int64_t>{n.args[1].number.Int()};
  const size_t left = g_.ShapeOf(n.id()).size();
  Texts out;
  for (int64_t d = 0; d < rank; ++d) {
    const bool gone = dims.empty() || std::any_of(dims.begin(), dims.end(), [&](int64_t e) {
                        return (e + rank) % rank == d;
                      });
    if (!gone || left == x.size()) out.push_back(gone ? "1" : x[static_cast<size_t>(d)]);
  }
  return out.size() == left ? std::optional(out) : std::nullopt;
}

std::optional<Texts> ProductExtents::Pooled(const GraphNode& n, Texts x) const {
  const bool mean = n.op[0] == 'a';
  if (n.args.size() < 4 || !n.args[1].IsList() || !n.args[2].IsList() || !n.args[3].IsList())
    return std::nullopt;
  const std::vector<int64_t> size = n.args[1].Ints(),
                             step = n.args[2].list.empty() ? size : n.args[2].Ints(),
                             pad = n.args[3].Ints(),
                             apart =
                                 mean ? std::vector<int64_t>(size.size(), 1) : n.args.at(4).Ints();
  for (size_t d = 0; d < size.size(); ++d) {
    if (d >= step.size() || d >= pad.size() || d >= apart.size() || size.size() > x.size())
      return std::nullopt;
    std::string& e = x[x.size() - size.size() + d];
    e = fmt::format("(({} + ({})) // {} + 1)", e, 2 * pad[d] - apart[d] * (size[d] - 1) - 1,
                    step[d]);
  }
  const std::vector<int64_t>& out = g_.ShapeOf(n.id());
  const bool whole = n.args.size() <= 5 || !n.args[mean ? 4 : 5].IsNumber() ||
                     n.args[mean ? 4 : 5].number.Real() == 0;
  return whole && out.size() == x.size() ? std::optional(x) : std::nullopt;
}

// expand(x, sizes): of those that x does not have, a constant or the extent of another value.
std::optional<Texts> ProductExtents::Spread(const GraphNode& n, const Texts& x) {
  const std::vector<int64_t>& shape = g_.ShapeOf(n.id());
  if (!n.args.at(1).IsList() || n.args[1].list.size() != shape.size()) return std::nullopt;
  const size_t more = shape.size() - x.size();
  auto kept = [&](size_t d) {  // not repeated in any case
    return d >= more &&
           std::all_of(g_.task.cases.begin(), g_.task.cases.end(), [&](const PlanCase& c) {
             return g_.ShapeOf(n.args[0].tensor, c).at(d - more) == g_.ShapeOf(n.id(), c).at(d);
           });
  };
  Texts out;
  for (size_t d = 0; d < shape.size(); ++d) {
    const GraphNumber& e = n.args[1].list[d].number;
    if (kept(d)) {
      out.push_back(x[d - more]);
    } else if (e.IsConstant() && e.HasInt()) {
      out.push_back(std::to_string(e.Int()));
    } else if (auto told = SizeOf(e)) {
      out.push_back(*told);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<Texts> ProductExtents::Broadcast(const GraphNode& n, const std::string& id) {
  if (n.out.size() != 1 || !ElementText(n.op, n.args, [](size_t) { return std::string("x"); }))
    return std::nullopt;
  const size_t rank = g_.ShapeOf(id).size();
  Texts out(rank, "1");
  auto everywhere = [&](const auto& holds) {
    return std::all_of(g_.task.cases.begin(), g_.task.cases.end(), holds);
  };
  std::vector<bool> known(rank);
  for (size_t d = 0; d < rank; ++d)
    known[d] = everywhere([&](const PlanCase& c) { return g_.ShapeOf(id, c)[d] == 1; });
  for (const GraphArg& a : n.args) {
    if (!a.IsTensor() || g_.ShapeOf(a.tensor).size() > rank) continue;
    std::optional<Texts> own;
    for (size_t d = 0, before = rank - g_.ShapeOf(a.tensor).size(); before + d < rank; ++d) {
      // As long as the result in every case: elsewhere it is repeated.
      if (known[before + d] || !everywhere([&](const PlanCase& c) {
            return g_.ShapeOf(a.tensor, c)[d] == g_.ShapeOf(id, c)[before + d];
          }))
        continue;
      if (!own) own = Of(a.tensor);
      if (!own) return std::nullopt;
      out[before + d] = (*own)[d], known[before + d] = true;
    }
  }
  return std::all_of(known.begin(), known.end(), [](bool k) { return k; }) ? std::optional(out)
                                                                           : std::nullopt;
}

// slice(x, dim, first, end, step), its ends constants that count from one side each.
std::optional<Texts> ProductExtents::Sliced(const GraphNode& n, Texts x) const {
  auto d = Constant(n.args[1]), first = Constant(n.args[2]), end = Constant(n.args[3]),
       step = Constant(n.args[4]);
  if (!d || !first || !end || !step || *first < 0 || *step < 1) return std::nullopt;
  std::string& e = x.at(
      static_cast<size_t>((*d + static_cast<int64_t>(x.size())) % static_cast<int64_t>(x.size())));
  int64_t less = *first;
  if (*end < 0)
    less -= *end;
  else if (*end != std::numeric_limits<int64_t>::max())
    return std::nullopt;
  if (less != 0) e = fmt::format("({} - {})", e, less);
  if (*step != 1) e = fmt::format("ceil_div({}, {})", e, *step);
  return x;
}

// Neighbouring dimensions that become one, or one that becomes several, all but the first as long
// as here.
std::optional<Texts> ProductExtents::Regrouped(const GraphNode& n, const Texts& x) {
  const std::string &from = n.args[0].tensor, &to = n.id();
  const std::vector<int64_t>&in = g_.ShapeOf(from), &out = g_.ShapeOf(to);
  if (in.size() != x.size()) return std::nullopt;
  auto product = [&](const std::string& id, const PlanCase& c, size_t first, size_t last) {
    int64_t n = 1;
    for (size_t i = first; i < last; ++i) n *= g_.ShapeOf(id, c)[i];
    return n;
  };
  auto everywhere = [&](const auto& holds) {
    return std::all_of(g_.task.cases.begin(), g_.task.cases.end(), holds);
  };
  Texts made;
  for (size_t i = 0, o = 0; i < in.size() || o < out.size();) {
    size_t i_end = i, o_end = o;
    int64_t a = 1, b = 1;
    do {  // the fewest on both sides that hold equally much
      if (o_end < out.size() && (b < a || i_end == in.size() || (a == b && out[o_end] == 1)))
        b *= out[o_end++];
      else if (i_end < in.size())
        a *= in[i_end++];
      else
        return std::nullopt;
    } while (a != b);
    const bool same = everywhere(
        [&](const PlanCase& c) { return product(from, c, i, i_end) == product(to, c, o, o_end); });
    std::string whole = ExtentProduct(Texts(x.begin() + static_cast<std::ptrdiff_t>(i),
                                            x.begin() + static_cast<std::ptrdiff_t>(i_end)));
    if (i_end - i > 1) whole = "(" + whole + ")";
    std::vector<size_t> parts;
    int64_t others = 1;
    const size_t before = made.size();
    const bool listed =
        n.args.size() > 1 && n.args[1].IsList() && n.args[1].list.size() == out.size();
    bool varies = false;
    std::optional<size_t> rest;  // -1: what the others leave
    for (size_t d = o; listed && d < o_end && made.size() == before + d - o; ++d) {
      const GraphNumber& e = n.args[1].list[d].number;
      auto told = SizeOf(e);
      varies |= told.has_value();
      if (!told && e.IsConstant() && e.HasInt() && e.Int() > 0) told = std::to_string(e.Int());
      if (!told && e.IsConstant() && e.HasInt() && e.Int() == -1) rest = made.size(), told = "1";
      if (told) made.push_back(*told);
    }
    if (rest && varies && made.size() == before + o_end - o)
      made[*rest] = fmt::format(
          "({} // ({}))", whole,
          ExtentProduct(Texts(made.begin() + static_cast<std::ptrdiff_t>(before), made.end())));
    if (same && varies && made.size() == before + o_end - o) {  // the graph says them all
      i = i_end, o = o_end;
      continue;
    }
    made.resize(before);
    for (size_t d = o; d < o_end; ++d)
      if (out[d] != 1) parts.push_back(d);
    for (size_t k = 1; k < parts.size(); ++k) others *= out[parts[k]];
    const bool fixed = everywhere([&](const PlanCase& c) {
      for (size_t k = 1; k < parts.size(); ++k)
        if (g_.ShapeOf(to, c)[parts[k]] != out[parts[k]]) return false;
      return true;
    });
    if (!same || !fixed) return std::nullopt;
    for (size_t d = o; d < o_end; ++d) {
      const bool first = !parts.empty() && d == parts[0];
      made.push_back(!first        ? std::to_string(out[d])
                     : others == 1 ? whole
                                   : fmt::format("({} // {})", whole, others));
    }
    i = i_end, o = o_end;
  }
  return made;
}

std::optional<std::string> ProductExtents::SizeOf(const GraphNumber& n) {
  static const std::set<std::string> kArithmetic = {"add", "sub", "mul", "floordiv"};
  if (n.from == GraphNumber::From::kAttribute && n.HasInt()) return n.name;
  if (n.from != GraphNumber::From::kOperation || n.args.size() != 2) return std::nullopt;
  if (kArithmetic.count(n.name)) {
    Texts sides;
    for (const GraphNumber& side : n.args) {
      const bool constant = side.IsConstant() && side.HasInt();
      const auto text = constant ? std::to_string(side.Int()) : SizeOf(side);
      if (!text) return std::nullopt;
      sides.push_back(*text);
    }
    return NumberText(n.name, sides);
  }
  if (n.name != "size") return std::nullopt;
  auto of = Of(n.args[0].name);
  if (!of || !n.args[1].HasInt()) return std::nullopt;
  const int64_t rank = static_cast<int64_t>(of->size());
  return (*of)[static_cast<size_t>((n.args[1].Int() + rank) % rank)];
}

std::string ProductExtents::Guessed(const std::string& id, size_t d,
                                    const std::vector<std::string>& from) {
  if (g_.SizedByElements(id)) throw Unplanned{"a size between launches that elements say"};
  using Value = std::function<std::optional<int64_t>(const PlanCase&)>;
  std::vector<std::pair<std::string, Value>> simple, attrs;
  for (const bool same_place : {true, false})
    for (const std::string& source : from) {
      const StoredValue& s = memory_.At(source);
      for (size_t j = 0; j < s.extents.size(); ++j)
        if ((j == d) == same_place)
          simple.push_back({s.extents[j], [this, source, j](const PlanCase& c) {
                              return g_.ShapeOf(source, c)[j];
                            }});
    }
  for (const PlanParam& p : g_.task.params)
    if (p.is_attr && p.type == "int")
      attrs.push_back({p.id, [id = p.id](const PlanCase& c) -> std::optional<int64_t> {
                         auto it = c.attrs.find(id);
                         return it != c.attrs.end() && it->second.is_number_integer()
                                    ? std::optional(it->second.get<int64_t>())
                                    : std::nullopt;
                       }});
  auto fits = [&](const Value& value) {
    return std::all_of(g_.task.cases.begin(), g_.task.cases.end(),
                       [&](const PlanCase& c) { return value(c) == g_.ShapeOf(id, c)[d]; });
  };
  auto quotient = [](std::optional<int64_t> a, std::optional<int64_t> b) -> std::optional<int64_t> {
    return a && b && *b > 0 && *a % *b == 0 ? std::optional(*a / *b) : std::nullopt;
  };
  for (const auto& [text, value] : simple)
    if (fits(value)) return text;
  for (const auto& [text, value] : attrs)
    if (fits(value)) return text;
  for (const auto& [text, value] : simple)
    for (const auto& [by, attr] : attrs)
      if (fits([&](const PlanCase& c) { return quotient(value(c), attr(c)); }))
        return fmt::format("({}) // {}", text, by);
  const int64_t known = g_.ShapeOf(id)[d];
  const bool constant = fits([&](const PlanCase&) { return known; });
  if (constant && (known == 1 || g_.task.cases.size() > 1)) return std::to_string(known);
  for (const auto& [text, value] : simple)
    for (int64_t n = 2; n <= 16; ++n) {
      if (fits([&](const PlanCase& c) { return quotient(value(c), n); }))
        return fmt::format("({}) // {}", text, n);
      if (fits([&](const PlanCase& c) { return *value(c) * n; }))
        return fmt::format("({}) * {}", text, n);
    }
  for (const auto& [a, x] : simple)
    for (const auto& [b, y] : simple)
      if (fits([&](const PlanCase& c) { return *x(c) * *y(c); }))
        return fmt::format("({}) * ({})", a, b);
  if (constant) return std::to_string(known);
  const auto maker = g_.makers.find(id);
  throw Unplanned{fmt::format("what {} gives between launches, whose shape the host cannot tell",
                              maker == g_.makers.end() ? id : maker->second->op)};
}

}  // namespace akgen::craft
