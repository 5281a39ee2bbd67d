#include "craft/plan/nest_candidates.h"

#include <fmt/format.h>

#include <algorithm>

namespace akgen::craft {
using base::Json;
using Shape = std::vector<int64_t>;

int64_t Product(const Shape& s, int64_t from, int64_t to) {
  int64_t rank = static_cast<int64_t>(s.size()), n = 1;
  from = from < 0 ? std::max<int64_t>(0, from + rank) : std::min(from, rank);
  to = to < 0 ? to + rank : std::min(to, rank);
  for (int64_t i = from; i < to; ++i) n *= s[static_cast<size_t>(i)];
  return n;
}

Candidate Stretch(const std::string& id, int64_t from, int64_t to) {
  std::string text = from == 0 && to == kEnd ? id + ".numel"
                                             : fmt::format("prod({}.shape[{}:{}])", id,
                                                           from ? std::to_string(from) : "",
                                                           to == kEnd ? "" : std::to_string(to));
  return {text, [=](const PlanCase& c) -> std::optional<int64_t> {
            auto it = c.shapes.find(id);
            if (it == c.shapes.end()) return std::nullopt;
            return Product(it->second, from, to);
          }};
}
Candidate OneDim(const std::string& id, int64_t i) {
  return {fmt::format("{}.shape[{}]", id, i), [=](const PlanCase& c) -> std::optional<int64_t> {
            auto it = c.shapes.find(id);
            if (it == c.shapes.end()) return std::nullopt;
            int64_t rank = static_cast<int64_t>(it->second.size()), at = i < 0 ? i + rank : i;
            if (at < 0 || at >= rank) return std::nullopt;
            return it->second[static_cast<size_t>(at)];
          }};
}

namespace {
std::optional<int64_t> Attr(const PlanCase& c, const std::string& id) {
  auto it = c.attrs.find(id);
  return it != c.attrs.end() && it->second.is_number_integer()
             ? std::optional(it->second.get<int64_t>())
             : std::nullopt;
}

// Whether an operation takes the attribute as a dimension, a different one from case to case.
bool NamesDims(const PlanTask& task, const PlanParam& a) {
  static const std::set<std::string> kOps = {"chunk",  "cat", "split", "softmax", "log_softmax",
                                             "cumsum", "sum", "mean",  "amax",    "amin"};
  std::set<int64_t> values;
  for (const PlanCase& c : task.cases)
    if (auto at = Attr(c, a.id)) values.insert(*at);
  auto takes = [&](const record::GraphNode& n) {
    return kOps.count(n.op) &&
           std::any_of(n.args.begin(), n.args.end(), [&](const record::GraphArg& x) {
             return x.IsNumber() && x.number.from == record::GraphNumber::From::kAttribute &&
                    x.number.name == a.id;
           });
  };
  return a.is_attr && a.type == "int" && values.size() > 1 &&
         std::any_of(task.cases[0].graph.nodes.begin(), task.cases[0].graph.nodes.end(), takes);
}

// Of the attributes that name dimensions, or of the others.
void AttrCandidates(const PlanTask& task, bool dims, std::vector<Candidate>& out) {
  for (const PlanParam& a : task.params) {
    if (!a.is_attr || NamesDims(task, a) != dims) continue;
    std::string id = a.id;
    if (a.type == "list_int") {
      out.push_back({fmt::format("prod({})", id), [=](const PlanCase& c) -> std::optional<int64_t> {
                       int64_t n = 1;
                       for (const Json& d : c.attrs.at(id)) n *= d.get<int64_t>();
                       return n;
                     }});
    }
    if (a.type != "int") continue;
    out.push_back({id, [=](const PlanCase& c) { return Attr(c, id); }});
    for (const PlanParam& p : task.params) {
      if (p.is_attr || p.optional) continue;
      std::string x = p.id;
      auto stretch = [=](bool before) {
        return [=](const PlanCase& c) -> std::optional<int64_t> {
          auto at = Attr(c, id);
          auto it = c.shapes.find(x);
          if (!at || it == c.shapes.end()) return std::nullopt;
          return before ? Product(it->second, 0, *at) : Product(it->second, *at, kEnd);
        };
      };
      out.push_back({fmt::format("prod({}.shape[:{}])", x, id), stretch(true)});
      out.push_back({fmt::format("prod({}.shape[{}:])", x, id), stretch(false)});
      out.push_back({fmt::format("prod({}.shape[{} + 1:])", x, id),
                     [=](const PlanCase& c) -> std::optional<int64_t> {
                       auto at = Attr(c, id);
                       auto it = c.shapes.find(x);
                       if (!at || *at < 0 || it == c.shapes.end()) return std::nullopt;
                       return Product(it->second, *at + 1, kEnd);
                     }});
      out.push_back(
          {fmt::format("{}.shape[{}]", x, id), [=](const PlanCase& c) -> std::optional<int64_t> {
             auto at = Attr(c, id);
             return at ? OneDim(x, *at).value(c) : std::nullopt;
           }});
    }
  }
}
// An extent in as many parts as an attribute says: heads.
void PartsOfExtents(const PlanTask& task, std::vector<Candidate>& out) {
  for (const PlanParam& a : task.params) {
    if (!a.is_attr || a.type != "int" || NamesDims(task, a)) continue;
    for (const PlanParam& p : task.params) {
      if (p.is_attr || p.optional || p.is_list) continue;
      for (int64_t i : {-1, 0, 1, 2}) {
        const Candidate whole = OneDim(p.id, i);
        out.push_back({fmt::format("({} // {})", whole.text, a.id),
                       [id = a.id, whole](const PlanCase& c) -> std::optional<int64_t> {
                         const auto parts = Attr(c, id), n = whole.value(c);
                         return parts && n && *parts > 0 && *n % *parts == 0
                                    ? std::optional(*n / *parts)
                                    : std::nullopt;
                       }});
      }
    }
  }
}
}  // namespace

std::vector<Candidate> Candidates(const PlanTask& task) {
  std::vector<Candidate> out;
  AttrCandidates(task, true, out);
  for (const PlanParam& p : task.params)
    if (!p.is_attr && !p.optional) out.push_back(Stretch(p.id, 0, kEnd));
  for (const PlanParam& p : task.params) {
    if (p.is_attr || p.optional) continue;
    for (int64_t i : {-1, 0, 1, -2, 2, 3}) out.push_back(OneDim(p.id, i));
    for (auto [from, to] : {std::pair<int64_t, int64_t>{0, -1},
                            {1, kEnd},
                            {2, kEnd},
                            {0, -2},
                            {-2, kEnd},
                            {0, 2},
                            {1, -1},
                            {2, -1},
                            {1, -2},
                            {3, kEnd},
                            {0, 3},
                            {-3, kEnd},
                            {0, -3},
                            {1, 3}})
      out.push_back(Stretch(p.id, from, to));
  }
  // As many trailing dimensions as another input has elements.
  for (const PlanParam& k : task.params) {
    if (k.is_attr || k.optional || base::IsFloating(k.dtypes[0])) continue;
    for (const PlanParam& p : task.params) {
      if (p.is_attr || p.optional || p.id == k.id) continue;
      for (bool front : {false, true})
        out.push_back({fmt::format("prod({0}.shape[{2}-{1}.numel{3}])", p.id, k.id,
                                   front ? ":" : "", front ? "" : ":"),
                       [=, x = p.id, n = k.id](const PlanCase& c) -> std::optional<int64_t> {
                         if (!c.shapes.count(x) || !c.shapes.count(n)) return std::nullopt;
                         int64_t back = -Product(c.shapes.at(n), 0, kEnd);
                         return front ? Product(c.shapes.at(x), 0, back)
                                      : Product(c.shapes.at(x), back, kEnd);
                       }});
    }
  }
  AttrCandidates(task, false, out);
  PartsOfExtents(task, out);
  // What no input tells, the caller may: the extents of the outputs.
  for (size_t o = 0; o < task.outputs.size(); ++o) {
    if (!task.outputs[o].from_caller || task.outputs[o].is_list ||
        !task.outputs[o].inplace_of.empty())
      continue;
    auto of = [o](int64_t from, int64_t to) {
      return [=](const PlanCase& c) -> std::optional<int64_t> {
        return c.outputs.size() > o ? std::optional(Product(c.outputs[o], from, to)) : std::nullopt;
      };
    };
    out.push_back({fmt::format("y{}.numel", o), of(0, kEnd)});
    for (auto [from, to] :
         {std::pair<int64_t, int64_t>{-1, kEnd}, {0, -1}, {0, 1}, {1, kEnd}, {1, -1}})
      out.push_back({fmt::format("prod(y{}.shape[{}:{}])", o, from ? std::to_string(from) : "",
                                 to == kEnd ? "" : std::to_string(to)),
                     of(from, to)});
  }
  return out;
}

}  // namespace akgen::craft
