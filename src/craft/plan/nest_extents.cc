// Expressions of the host for the extents of a kernel's axes.
#include "craft/plan/nest_extents.h"

namespace akgen::craft {

bool ExtentFinder::Fits(const Candidate& e, const NestVariant& v, size_t k) const {
  for (size_t c : v.cases) {
    auto value = e.value(task_.cases[c]);
    if (!value || *value != cases_.Text(c)->extents[k]) return false;
  }
  return true;
}

void ExtentFinder::Find(NestVariant& v, size_t like) const {
  std::vector<std::vector<Candidate>> choices;
  for (size_t k = 0; k < v.text.extents.size(); ++k) choices.push_back(Choices(v, k));
  for (const auto& c : choices) v.extents.push_back(c[0]);
  size_t all = 1;
  for (const auto& c : choices) all = std::min<size_t>(all * c.size(), kMaxTries);
  NestVariant tried = v;
  int64_t best = Served(v, like);
  for (size_t n = 1; n < all; ++n) {
    size_t rest = n;
    for (size_t k = choices.size(); k-- > 0; rest /= choices[k].size())
      tried.extents[k] = choices[k][rest % choices[k].size()];
    int64_t served = Served(tried, like);
    if (served <= best) continue;
    best = served;
    v.extents = tried.extents;
  }
}

int64_t ExtentFinder::Served(const NestVariant& v, size_t like) const {
  constexpr int64_t kCase = 1000;
  int64_t n = 0;
  for (size_t c = 0; c < task_.cases.size(); ++c)
    if (cases_.Structure(like) == cases_.Structure(c))
      n += (!placed_[c] && Explains(v, like, c) ? kCase : 0) - Strangers(v, c);
  return n;
}

int64_t ExtentFinder::Strangers(const NestVariant& v, size_t c) const {
  int64_t n = 0;
  for (const auto& [id, run] : v.text.inputs) {
    auto it = task_.cases[c].shapes.find(id);
    if (it == task_.cases[c].shapes.end()) continue;
    std::set<int64_t> borders = {1};
    int64_t at = 1;
    for (int64_t d : it->second) borders.insert(at *= d);
    at = 1;
    for (int k : run)
      n +=
          !borders.count(at *= v.extents[static_cast<size_t>(k)].value(task_.cases[c]).value_or(0));
  }
  return n;
}

std::vector<std::pair<int64_t, int64_t>> ExtentFinder::Parts(const NestText& t,
                                                             const std::vector<int>& run,
                                                             const std::vector<int64_t>& extents) {
  std::vector<std::pair<int64_t, int64_t>> out;
  int64_t after = 1;
  for (auto k = run.rbegin(); k != run.rend(); ++k) {
    const int64_t n = extents[static_cast<size_t>(*k)];
    if (t.constant[static_cast<size_t>(*k)] && n > 1) out.emplace_back(n, after);
    after *= n;
  }
  return out;
}

int64_t ExtentFinder::LongestLane(const NestText& t) {
  int64_t most = 1;
  for (int k : t.lanes) most = std::max(most, t.extents[static_cast<size_t>(k)]);
  return most;
}

std::vector<Candidate> ExtentFinder::ByPlace(const NestVariant& v, size_t k) const {
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

std::vector<Candidate> ExtentFinder::Choices(const NestVariant& v, size_t k) const {
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

Candidate ExtentFinder::InKernel(const Split& s, size_t k) {
  return {fmt::format("e{}", k), [s](const PlanCase& c) -> std::optional<int64_t> {
            auto it = c.shapes.find(s.input);
            if (it == c.shapes.end()) return std::nullopt;
            for (const record::GraphNode& n : c.graph.nodes)
              if (n.op == "split_at" && n.args.at(0).tensor == s.input)
                return n.out.at(0).shape.at(static_cast<size_t>(s.part));
            return std::nullopt;
          }};
}

namespace {
// Sizes that the graph gives as numbers, and their product in each list of sizes.
std::set<int64_t> WrittenSizes(const record::Graph& graph) {
  std::set<int64_t> out;
  for (const record::GraphNode& n : graph.nodes)
    for (const record::GraphArg& sizes : n.args) {
      int64_t all = 1;
      for (const record::GraphArg& one : sizes.list)
        if (one.IsNumber() && one.number.IsConstant() && one.number.HasInt() &&
            one.number.Int() > 1 && one.number.Int() <= INT32_MAX / all)
          out.insert(one.number.Int()), out.insert(all *= one.number.Int());
    }
  return out;
}
}  // namespace

Candidate ExtentFinder::Compound(const NestVariant& v, size_t k) const {
  // Quotients and products of two; constants are cut off last.
  std::vector<Candidate> by = simple_;
  std::set<int64_t> numbers = WrittenSizes(task_.cases[v.cases[0]].graph);
  numbers.insert({2, 3, 4});
  for (int64_t n : numbers)
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

bool ExtentFinder::Explains(const NestVariant& v, size_t like, size_t c) const {
  if (!cases_.Text(c) || cases_.Structure(like) != cases_.Structure(c)) return false;
  const NestText &mine = v.text, &other = *cases_.Text(c);
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
        cases_.Structure(c).find(id + " complex") == std::string::npos &&
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
