// Expressions of the host for the extents of a kernel's axes.
#include "craft/plan/nest_planner.h"

namespace akgen::craft {

std::vector<Candidate> NestPlanner::ByPlace(const NestVariant& v, size_t k) const {
  std::vector<Candidate> out;
  for (const auto& [id, run] : v.text.inputs) {
    auto it = task_.cases[0].shapes.find(id);
    auto at = std::find(run.begin(), run.end(), static_cast<int>(k));
    if (it == task_.cases[0].shapes.end() || at == run.end()) continue;
    const Shape& shape = it->second;
    int64_t rank = static_cast<int64_t>(shape.size()), after = 1, cut = 1;
    auto extent = [&](int axis) { return v.text.extents[static_cast<size_t>(axis)]; };
    auto constant = [&](int axis) { return v.text.constant[static_cast<size_t>(axis)]; };
    auto border = [&](int64_t n,
                      int64_t from) {  // the dimension from `from` on behind which n elements lie
      for (int64_t d = from; d >= 0; --d)
        if (Product(shape, d, kEnd) == n) return d;
      return int64_t{-1};
    };
    for (auto a = at + 1; a != run.end(); ++a) after *= extent(*a);
    int64_t whole = after * extent(*at);
    for (auto a = at + 1; border(after, rank) < 0 && a != run.end() && constant(*a); ++a)
      after /= extent(*a), cut *= extent(*a);
    for (auto a = at; border(whole, rank) < 0 && a != run.begin() && constant(*(a - 1)); --a)
      whole *= extent(*(a - 1)), cut *= extent(*(a - 1));
    int64_t to = border(after, rank), from = to < 0 ? -1 : border(whole, to - 1);
    if (from < 0) continue;
    while (to - 1 > from && shape[static_cast<size_t>(to) - 1] == 1) --to;
    Candidate c = to == from + 1 ? OneDim(id, from) : Stretch(id, from, to == rank ? kEnd : to);
    if (cut > 1)
      c = {fmt::format("{} // {}", c.text, cut),
           [inner = c.value, cut](const PlanCase& x) -> std::optional<int64_t> {
             auto n = inner(x);
             return n && *n % cut == 0 ? std::optional(*n / cut) : std::nullopt;
           }};
    out.push_back(c);
  }
  return out;
}

namespace {
std::function<std::optional<int64_t>(const PlanCase&)> ValueOf(const Derived& how) {
  return [how](const PlanCase& c) -> std::optional<int64_t> {
    for (const record::GraphNode& n : c.graph.nodes)
      for (const record::GraphValue& out : n.out)
        if (out.id == how.value && how.dim < out.shape.size()) return out.shape[how.dim];
    return std::nullopt;
  };
}
}  // namespace

std::vector<Candidate> NestPlanner::Choices(const NestVariant& v, size_t k) const {
  constexpr size_t kLimit = 12;
  std::vector<Candidate> out;
  int64_t here = v.text.extents[k];
  if (auto extent = v.text.runtime_extents.find(static_cast<int>(k));
      extent != v.text.runtime_extents.end())
    return {InKernel(extent->second, k)};
  if (v.text.constant[k])
    return {{std::to_string(here), [here](const PlanCase&) { return std::optional(here); }}};
  if (auto how = v.text.derived.find(static_cast<int>(k)); how != v.text.derived.end())
    if (Candidate e{how->second.text, ValueOf(how->second)}; Fits(e, v, k)) return {e};
  std::set<std::vector<int64_t>> seen;  // expressions that never differ are one
  if (task_.cases.size() == 1)
    for (const Candidate& e : ByPlace(v, k))
      if (Fits(e, v, k)) return {e};
  for (const Candidate& e : simple_) {
    if (out.size() == kLimit || !Fits(e, v, k)) continue;
    std::vector<int64_t> values;
    for (const PlanCase& c : task_.cases) values.push_back(e.value(c).value_or(-1));
    if (seen.insert(values).second) out.push_back(e);
  }
  // What another kernel's axis is said by is more likely right than a new expression.
  std::set<std::string> used;
  for (const NestVariant& o : variants_)
    for (const Candidate& e : o.extents) used.insert(e.text);
  std::stable_partition(out.begin(), out.end(),
                        [&](const Candidate& e) { return used.count(e.text) > 0; });
  if (out.empty()) out.push_back(Compound(v, k));
  return out;
}

Candidate NestPlanner::InKernel(const Split& s, size_t k) {
  return {fmt::format("e{}", k), [s](const PlanCase& c) -> std::optional<int64_t> {
            auto it = c.shapes.find(s.input);
            if (it == c.shapes.end()) return std::nullopt;
            for (const record::GraphNode& n : c.graph.nodes)
              if (n.op == "split_at" && n.args.at(0).tensor == s.input)
                return n.out.at(0).shape.at(static_cast<size_t>(s.part));
            return std::nullopt;
          }};
}

bool NestPlanner::Mentions(const NestVariant& v, const std::string& text) {
  for (const auto& [k, split] : v.text.runtime_extents) {
    std::string e = fmt::format("e{}", k);
    for (size_t at = text.find(e); at != std::string::npos; at = text.find(e, at + 1))
      if (at + e.size() == text.size() ||
          !std::isdigit(static_cast<unsigned char>(text[at + e.size()])))
        return true;
  }
  return false;
}

std::string NestPlanner::Computing(const NestVariant& v, std::string body, std::string& given,
                                   std::string& needs) const {
  if (v.text.runtime_extents.empty()) return body;
  size_t end = body.find("):\n"), begin = body.find('(');
  std::string signature = body.substr(begin + 1, end - begin - 1), out, extra, lines;
  for (size_t at = 0; at < signature.size();) {
    size_t comma = std::min(signature.find(", ", at), signature.size());
    std::string arg = signature.substr(at, comma - at), name = arg.substr(0, arg.find(':'));
    at = comma + 2;
    if (name != arg && Mentions(v, arg.substr(name.size()))) {
      arg = fmt::format("{0}: gm[{0}_n]", name);
      extra += name + "_n, ";
      given += name + ".numel, ";
    }
    bool computed = name == arg && name != "tile" && Mentions(v, name);
    if (!computed)
      out += (name == "tile" ? extra + "\x01" : "") + arg + (name == "tile" ? "" : ", ");
  }
  std::set<std::string> seen;
  std::string dims;
  for (const auto& [k, split] : v.text.runtime_extents) {
    size_t most = 0;
    for (const PlanCase& c : task_.cases)
      if (c.shapes.count(split.input)) most = std::max(most, c.shapes.at(split.input).size());
    std::string at = split.input + "_at", text;
    if (seen.insert(split.input).second) {
      lines += fmt::format(
          "    {0}_named = {1}\n    {0}_at = {0}_named if {0}_named >= 0 else {0}_named + "
          "{0}_rank\n",
          split.input, split.dim);
      dims += split.input + "_rank, ";
      given += fmt::format("len({}.shape), ", split.input);
      needs +=
          (needs.empty() ? "" : " and ") + fmt::format("len({}.shape) <= {}", split.input, most);
      for (size_t d = 0; d < most; ++d) {
        dims += fmt::format("{}_d{}, ", split.input, d);
        given += fmt::format("{0}.shape[{1}] if len({0}.shape) > {1} else 1, ", split.input, d);
      }
    }
    for (size_t d = 0; d < most; ++d)
      text += fmt::format("{}({}_d{} if {} {} {} else 1)", d ? " * " : "", split.input, d, d,
                          split.part == 0   ? "<"
                          : split.part == 1 ? "=="
                                            : ">",
                          at);
    lines += fmt::format("    e{} = {}\n", k, text);
  }
  out.replace(out.find('\x01'), 1, dims);
  return body.substr(0, begin + 1) + out + "):\n" + lines + body.substr(end + 3);
}

Candidate NestPlanner::Compound(const NestVariant& v, size_t k) const {
  // Quotients and products of two; constants are cut off last.
  std::vector<Candidate> by = simple_;
  for (int64_t n : {2, 3, 4})
    by.push_back({std::to_string(n), [n](const PlanCase&) { return std::optional(n); }});
  for (bool product : {false, true})
    for (const Candidate& a : simple_)
      for (const Candidate& b : by) {
        auto x = a.value, y = b.value;
        Candidate e{fmt::format("{} {} {}", a.text, product ? "*" : "//", b.text),
                    [=](const PlanCase& c) -> std::optional<int64_t> {
                      auto p = x(c), q = y(c);
                      if (!p || !q || (!product && (*q <= 0 || *p % *q))) return std::nullopt;
                      return product ? *p * *q : *p / *q;
                    }};
        if (Fits(e, v, k)) return e;
      }
  throw Unplanned{"an extent the host cannot tell"};
}

bool NestPlanner::Explains(const NestVariant& v, size_t like, size_t c) const {
  if (!texts_[c] || Structure(like) != Structure(c)) return false;
  const NestText &mine = v.text, &other = *texts_[c];
  if (mine.node_dims.size() != other.node_dims.size()) return false;
  std::vector<int64_t> e;
  for (const Candidate& x : v.extents) {
    auto value = x.value(task_.cases[c]);
    if (!value) return false;
    e.push_back(*value);
  }
  for (int k : mine.lanes)
    if (wide_ && e[static_cast<size_t>(k)] == 1 && c != like && LongestLane(other) > 1)
      return false;
  for (const auto& [id, run] : mine.inputs) {
    auto it = task_.cases[c].shapes.find(id);
    int64_t n = 1;
    for (int k : run) n *= e[static_cast<size_t>(k)];
    if (it != task_.cases[c].shapes.end() &&
        structures_[c].find(id + " complex") == std::string::npos &&
        n != Product(it->second, 0, kEnd))
      return false;
    if (auto own = other.inputs.find(id);
        own != other.inputs.end() &&
        Parts(mine, run, e) != Parts(other, own->second, other.extents))
      return false;
  }
  for (size_t n = 0; n < mine.node_dims.size(); ++n) {
    int64_t a = 1, b = 1;
    for (int k : mine.node_dims[n][0]) a *= e[static_cast<size_t>(k)];
    for (int k : other.node_dims[n][0]) b *= other.extents[static_cast<size_t>(k)];
    if (a != b) return false;
  }
  return true;
}

}  // namespace akgen::craft
