// Conditions that distinguish cases that need different kernels.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "craft/ir/ir.h"
#include "craft/plan/plan.h"

namespace akgen::craft {
using base::Json;

namespace {
// Numbers are identified by where they come from, not by their value in this case; a text is both.
record::GraphNumber WithoutValues(record::GraphNumber n) {
  using From = record::GraphNumber::From;
  const bool text = std::holds_alternative<std::string>(n.value);
  if (!text &&
      (n.from == From::kAttribute || n.from == From::kOperation || n.from == From::kElement))
    n.value = {};
  for (auto& a : n.args) a = WithoutValues(a);
  return n;
}
std::string Text(const record::GraphNumber& n) {
  return base::Dump(record::ToJson(WithoutValues(n)));
}
}  // namespace

std::string Structure(const PlanTask& task, const PlanCase& c) {
  std::string out;
  for (const PlanParam& p : task.params)
    if (!p.is_attr && p.dtypes.at(c.column) == base::Dtype::kComplex64) out += p.id + " complex ";
  for (const record::GraphNode& n : c.graph.nodes) {
    out += n.op + "(";
    if (n.op == "pow" && (n.out[0].dtype == "Long" || n.out[0].dtype == "Int")) out += "whole ";
    const bool sized = n.op == "windows" || n.op == "folds" ||
                       n.op == "constant_pad_nd";  // written with these numbers
    for (const record::GraphArg& a : n.args) {
      out += (a.IsList() ? "list" : a.IsNumber() ? Text(a.number) : a.tensor) + ",";
      for (const record::GraphArg& one : a.list)
        if (sized && one.IsNumber()) out += Text(one.number) + ",";
    }
    out += ")";
  }
  for (const auto& a : c.graph.asked) out += Text(a) + " is " + base::Dump(record::ToJson(a.value));
  for (const std::string& o : c.graph.outputs) out += " " + o;
  return out;
}

namespace {
std::string Literal(const Json& v) {
  return v.is_boolean() ? (v.get<bool>() ? "True" : "False") : base::Dump(v);
}

// A question the host can ask; its answer in a case is null when it has none.
struct Question {
  bool of_shapes = false, of_dtypes = false;
  std::function<Json(const PlanCase&)> answer;
  std::function<std::string(const Json&)> text;  // that the answer is this
};

std::vector<Question> Questions(const PlanTask& task) {
  std::vector<Question> out;
  for (const PlanParam& p : task.params) {
    std::string id = p.id;
    if (p.is_attr && (p.type == "int" || p.type == "bool" || p.type == "string"))
      out.push_back({false, false, [id](const PlanCase& c) { return c.attrs.at(id); },
                     [id](const Json& v) { return fmt::format("{} == {}", id, Literal(v)); }});
    if (p.optional)
      out.push_back({false, false, [id](const PlanCase& c) { return Json(c.shapes.count(id) > 0); },
                     [id](const Json& v) {
                       return fmt::format("{}present({})", v.get<bool>() ? "" : "not ", id);
                     }});
    if (std::adjacent_find(p.dtypes.begin(), p.dtypes.end(), std::not_equal_to<>()) !=
            p.dtypes.end() &&
        !p.optional)
      out.push_back({false, true,
                     [id, dtypes = p.dtypes](const PlanCase& c) {
                       return Json(ir::ShortName(dtypes[c.column]));
                     },
                     [id](const Json& v) {
                       return fmt::format("{}.dtype == {}", id, v.get<std::string>());
                     }});
    if (p.is_attr || p.is_list) continue;
    auto when = [id, optional = p.optional](const std::string& text, const Json& v) {
      return fmt::format("{}({}{})", v.get<bool>() ? "" : "not ",
                         optional ? fmt::format("present({}) and ", id) : "", text);
    };
    for (const PlanParam& q : task.params) {
      if (q.id == p.id || q.is_attr || q.is_list || q.optional) continue;
      std::string other = q.id;
      out.push_back(
          {true, false,
           [id, other](const PlanCase& c) {
             return Json(c.shapes.count(id) && c.shapes.count(other) &&
                         Numel(c.shapes.at(id)) == Numel(c.shapes.at(other)));
           },
           [=](const Json& v) { return when(fmt::format("{}.numel == {}.numel", id, other), v); }});
    }
    out.push_back({true, false,
                   [id](const PlanCase& c) {
                     return Json(c.shapes.count(id) && Numel(c.shapes.at(id)) == 1);
                   },
                   [=](const Json& v) { return when(id + ".numel == 1", v); }});
    // Whether an attribute names the last dimension.
    for (const PlanParam& a : task.params)
      if (a.is_attr && a.type == "int" && !p.optional)
        out.push_back(
            {true, false,
             [id, attr = a.id](const PlanCase& c) {
               int64_t v =
                   c.attrs.at(attr).is_number_integer() ? c.attrs.at(attr).get<int64_t>() : 0;
               return Json(v == -1 || v + 1 == static_cast<int64_t>(c.shapes.at(id).size()));
             },
             [id, attr = a.id](const Json& v) {
               return fmt::format("{}({} == -1 or {} + 1 == len({}.shape))",
                                  v.get<bool>() ? "" : "not ", attr, attr, id);
             }});
    if (!p.optional)
      out.push_back({true, false, [id](const PlanCase& c) { return Json(c.shapes.at(id).size()); },
                     [id](const Json& v) {
                       return fmt::format("len({}.shape) == {}", id, v.get<int64_t>());
                     }});
  }
  return out;
}

struct Test {
  size_t values = 0;
  std::string text;
  std::vector<bool> keeps_out;  // by case of the later groups
};

// The fewest tests that keep every later case out; empty: they do not.
std::string Choose(const std::vector<Test>& tests, std::vector<bool> left) {
  auto any = [](bool b) { return b; };
  std::string text;
  while (std::any_of(left.begin(), left.end(), any)) {
    size_t best = tests.size(), most = 0;
    for (size_t t = 0; t < tests.size(); ++t) {
      size_t n = 0;
      for (size_t i = 0; i < left.size(); ++i) n += left[i] && tests[t].keeps_out[i];
      if (n > most || (n && n == most && tests[t].values < tests[best].values)) best = t, most = n;
    }
    if (!most) return "";
    for (size_t i = 0; i < left.size(); ++i)
      if (tests[best].keeps_out[i]) left[i] = false;
    text += (text.empty() ? "(" : " and (") + tests[best].text + ")";
  }
  return text;
}
}  // namespace

std::string Condition(const PlanTask& task, const std::vector<std::vector<size_t>>& groups,
                      size_t which, bool plain) {
  const size_t kMaxValues = plain ? 1 : 8;
  std::vector<size_t> others;
  for (size_t g = which + 1; g < groups.size(); ++g)
    others.insert(others.end(), groups[g].begin(), groups[g].end());
  std::set<std::string> structures;
  for (size_t c : groups[which]) structures.insert(Structure(task, task.cases[c]));
  std::vector<bool> same;
  for (size_t c : others) same.push_back(structures.count(Structure(task, task.cases[c])) > 0);
  // What does other things is told by attributes and absent inputs, what does the same on other
  // shapes by the shapes; any other coincidence only where there is nothing better.
  for (bool strict : {true, false}) {
    std::vector<Test> tests;
    for (const Question& q : Questions(task)) {
      std::vector<Json> mine;
      for (size_t c : groups[which])
        if (Json v = q.answer(task.cases[c]); std::find(mine.begin(), mine.end(), v) == mine.end())
          mine.push_back(v);
      if (mine.empty() || mine.size() > kMaxValues) continue;
      Test t{mine.size(), "", {}};
      for (const Json& v : mine) t.text += (t.text.empty() ? "" : " or ") + q.text(v);
      for (size_t i = 0; i < others.size(); ++i)
        t.keeps_out.push_back(
            (strict || q.of_dtypes ? q.of_shapes == same[i] : true) &&
            std::find(mine.begin(), mine.end(), q.answer(task.cases[others[i]])) == mine.end());
      tests.push_back(std::move(t));
    }
    if (plain)
      std::erase_if(tests, [](const Test& t) {
        return std::count(t.keeps_out.begin(), t.keeps_out.end(), false) > 0;
      });
    std::string text = Choose(tests, std::vector<bool>(others.size(), true));
    if (!text.empty() || plain) return text;
  }
  return "";
}

}  // namespace akgen::craft
