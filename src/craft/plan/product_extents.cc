// What the host writes for the extents of values between products.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "craft/plan/element.h"
#include "craft/plan/product_planner.h"

namespace akgen::craft {
namespace {
using Texts = std::vector<std::string>;

std::optional<int64_t> Constant(const GraphArg& a) {
  if (!a.IsNumber() || !a.number.IsConstant() || !a.number.HasInt()) return std::nullopt;
  return a.number.Int();
}
}  // namespace

std::optional<Texts> ProductPlanner::ExtentsOf(const std::string& id) {
  if (stored_.count(id) || HasMade(id)) return Outside(id).extents;
  auto it = maker_.find(id);
  if (it == maker_.end()) return std::nullopt;
  const GraphNode& n = *it->second;
  const std::vector<int64_t>& shape = ShapeOf(id);
  const int64_t rank = static_cast<int64_t>(shape.size());
  const bool tensor = !n.args.empty() && n.args[0].IsTensor();
  auto dim = [&](size_t arg, int64_t of) -> std::optional<size_t> {
    auto d = arg < n.args.size() ? Constant(n.args[arg]) : std::nullopt;
    return d ? std::optional(static_cast<size_t>((*d + of) % of)) : std::nullopt;
  };
  if (n.op == "cat" && n.args.size() == 2 && n.args[0].IsList()) {
    auto at = dim(1, rank);
    std::optional<Texts> all;
    int64_t ones = 0;
    for (const GraphArg& piece : n.args[0].list) {
      auto one = at && piece.IsTensor() ? ExtentsOf(piece.tensor) : std::nullopt;
      if (!one) return std::nullopt;
      ones += (*one)[*at] == "1";
      if (all) (*all)[*at] += " + " + (*one)[*at];
      else all = one;
    }
    if (!all) return all;
    const bool counted = ones == static_cast<int64_t>(n.args[0].list.size());
    (*all)[*at] = counted ? std::to_string(ones) : "(" + (*all)[*at] + ")";
    return all;
  }
  auto x = tensor ? ExtentsOf(n.args[0].tensor) : std::nullopt;
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
  if (x && n.op == "unsqueeze") {
    auto at = dim(1, rank);
    if (!at) return std::nullopt;
    x->insert(x->begin() + static_cast<std::ptrdiff_t>(*at), "1");
    return x;
  }
  if (x && (n.op == "reshape" || n.op == "view" || n.op == "flatten")) return Regrouped(n.args[0].tensor, id, *x);
  // Elementwise, or along rows: as the operand that has this shape in all cases.
  for (const GraphArg& a : n.args) {
    if (!a.IsTensor()) continue;
    const bool same = std::all_of(task_.cases.begin(), task_.cases.end(),
                                  [&](const PlanCase& c) { return ShapeOf(a.tensor, c) == ShapeOf(id, c); });
    if (same)
      if (auto as = ExtentsOf(a.tensor)) return as;
  }
  return std::nullopt;
}

// slice(x, dim, first, end, step), its ends constants that count from one side each.
std::optional<Texts> ProductPlanner::Sliced(const GraphNode& n, Texts x) const {
  auto d = Constant(n.args[1]), first = Constant(n.args[2]), end = Constant(n.args[3]), step = Constant(n.args[4]);
  if (!d || !first || !end || !step || *first < 0 || *step < 1) return std::nullopt;
  std::string& e = x.at(static_cast<size_t>((*d + static_cast<int64_t>(x.size())) % static_cast<int64_t>(x.size())));
  int64_t less = *first;
  if (*end < 0) less -= *end;
  else if (*end != std::numeric_limits<int64_t>::max()) return std::nullopt;
  if (less != 0) e = fmt::format("({} - {})", e, less);
  if (*step != 1) e = fmt::format("ceil_div({}, {})", e, *step);
  return x;
}

// Neighbouring dimensions that become one.
std::optional<Texts> ProductPlanner::Regrouped(const std::string& from, const std::string& to, const Texts& x) const {
  Texts out;
  size_t at = 0;
  for (size_t d = 0; d < ShapeOf(to).size(); ++d) {
    auto fits = [&](size_t last) {
      return std::all_of(task_.cases.begin(), task_.cases.end(), [&](const PlanCase& c) {
        int64_t n = 1;
        for (size_t i = at; i < last; ++i) n *= ShapeOf(from, c)[i];
        return n == ShapeOf(to, c)[d];
      });
    };
    size_t last = at + 1;
    while (last <= x.size() && !fits(last)) ++last;
    if (last > x.size()) return std::nullopt;
    out.push_back(
        Times(Texts(x.begin() + static_cast<std::ptrdiff_t>(at), x.begin() + static_cast<std::ptrdiff_t>(last))));
    if (last - at > 1) out.back() = "(" + out.back() + ")";
    at = last;
  }
  return at == x.size() ? std::optional(out) : std::nullopt;
}

std::string ProductPlanner::Extent(const std::string& id, size_t d, const std::vector<std::string>& from) {
  using Value = std::function<std::optional<int64_t>(const PlanCase&)>;
  std::vector<std::pair<std::string, Value>> simple, attrs;
  for (const bool same_place : {true, false})
    for (const std::string& source : from) {
      const StoredValue s = Outside(source);
      for (size_t j = 0; j < s.extents.size(); ++j)
        if ((j == d) == same_place)
          simple.push_back({s.extents[j], [this, source, j](const PlanCase& c) { return ShapeOf(source, c)[j]; }});
    }
  for (const PlanParam& p : task_.params)
    if (p.is_attr && p.type == "int")
      attrs.push_back({p.id, [id = p.id](const PlanCase& c) -> std::optional<int64_t> {
                         auto it = c.attrs.find(id);
                         return it != c.attrs.end() && it->second.is_number_integer()
                                    ? std::optional(it->second.get<int64_t>())
                                    : std::nullopt;
                       }});
  auto fits = [&](const Value& value) {
    return std::all_of(task_.cases.begin(), task_.cases.end(),
                       [&](const PlanCase& c) { return value(c) == ShapeOf(id, c)[d]; });
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
  const int64_t known = ShapeOf(id)[d];
  const bool constant = fits([&](const PlanCase&) { return known; });
  if (constant && (known == 1 || task_.cases.size() > 1)) return std::to_string(known);
  for (const auto& [text, value] : simple)
    for (int64_t n = 2; n <= 16; ++n) {
      if (fits([&](const PlanCase& c) { return quotient(value(c), n); })) return fmt::format("({}) // {}", text, n);
      if (fits([&](const PlanCase& c) { return *value(c) * n; })) return fmt::format("({}) * {}", text, n);
    }
  for (const auto& [a, x] : simple)
    for (const auto& [b, y] : simple)
      if (fits([&](const PlanCase& c) { return *x(c) * *y(c); })) return fmt::format("({}) * ({})", a, b);
  if (constant) return std::to_string(known);
  throw Unplanned{"a value between products whose shape the host cannot tell"};
}

}  // namespace akgen::craft
