// Compositions, what they are the same as, what they give, and how duplicates are told.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/files.h"
#include "corpus/compose/canonical.h"
#include "corpus/compose/composition.h"
#include "corpus/compose/evaluate.h"
#include "corpus/records/ledger.h"
#include "corpus/records/record.h"

namespace akgen::corpus {
namespace {
using base::Json;

Json Node(const std::string& op, const std::vector<Json>& args, const std::string& out,
          const std::vector<int64_t>& shape = {2, 3}) {
  return {
      {"op", op}, {"args", args}, {"out", {{{"id", out}, {"shape", shape}, {"dtype", "Double"}}}}};
}
Json T(const std::string& id) { return {{"t", id}}; }
Json N(const Json& value) { return {{"s", value}}; }
record::Graph Graph(const std::vector<Json>& nodes, const std::vector<std::string>& outputs) {
  return record::GraphFromJson({{"schema", 1}, {"nodes", nodes}, {"outputs", outputs}});
}

TEST(Canonical, NamesNumbersShapesAndOrderDoNotCount) {
  std::string a =
      CanonicalHash(Graph({Node("mul", {T("x0"), N(2.0)}, "v0"), Node("exp", {T("x1")}, "v1"),
                           Node("add", {T("v0"), T("v1"), N(1)}, "v2")},
                          {"v2"}));
  EXPECT_EQ(a, CanonicalHash(
                   Graph({Node("exp", {T("b")}, "q", {7}), Node("mul", {T("a"), N(-0.5)}, "p", {7}),
                          Node("to", {T("p"), N(7)}, "p2", {7}),
                          Node("add", {T("q"), T("p2"), N(1)}, "r", {7})},
                         {"r"})));
  EXPECT_EQ(a, CanonicalHash(Graph({Node("mul", {T("x0"), N({{"attr", "a0"}, {"value", 3}})}, "v0"),
                                    Node("exp", {T("x1")}, "v1"), Node("sin", {T("x1")}, "dead"),
                                    Node("add", {T("v0"), T("v1"), N(1)}, "v2")},
                                   {"v2"})));
}

TEST(Canonical, WhatIsComputedCounts) {
  std::set<std::string> all;
  all.insert(CanonicalHash(
      Graph({Node("sub", {T("x0"), T("x1"), N(1)}, "v0"), Node("exp", {T("v0")}, "v1")}, {"v1"})));
  all.insert(CanonicalHash(
      Graph({Node("sub", {T("x0"), T("x1"), N(1)}, "v0"), Node("sin", {T("v0")}, "v1")}, {"v1"})));
  all.insert(CanonicalHash(
      Graph({Node("sub", {T("x0"), T("x0"), N(1)}, "v0"), Node("exp", {T("v0")}, "v1")}, {"v1"})));
  all.insert(CanonicalHash(
      Graph({Node("exp", {T("x0")}, "v0"), Node("sub", {T("v0"), T("x1"), N(1)}, "v1")}, {"v1"})));
  all.insert(CanonicalHash(
      Graph({Node("exp", {T("x0")}, "v0"), Node("sub", {T("x1"), T("v0"), N(1)}, "v1")}, {"v1"})));
  all.insert(CanonicalHash(
      Graph({Node("exp", {T("x0")}, "v0"), Node("sub", {T("x0"), T("v0"), N(1)}, "v1")}, {"v1"})));
  all.insert(CanonicalHash(Graph(
      {Node("exp", {T("x0")}, "v0"), Node("sub", {T("x1"), T("v0"), N(1)}, "v1")}, {"v1", "v0"})));
  EXPECT_EQ(all.size(), 7u);
}

TEST(Composition, IsAFunctionOfSeedAndNumber) {
  std::set<std::string> graphs;
  for (uint64_t i = 0; i < 300; ++i) {
    Composition a = RandomComposition(5, i), b = RandomComposition(5, i);
    EXPECT_EQ(ReferenceText(a), ReferenceText(b));
    EXPECT_EQ(CaseText(a, a.cases[0]), CaseText(b, b.cases[0]));
    EXPECT_GE(a.nodes.size(), 1u);
    graphs.insert(CanonicalHash(GraphOf(a, a.cases[0])));
    if (a.switches.empty())
      EXPECT_EQ(CanonicalHash(GraphOf(a, a.cases[0])), CanonicalHash(GraphOf(a, a.cases[1])));
  }
  EXPECT_GT(graphs.size(), 280u);
  EXPECT_NE(ReferenceText(RandomComposition(5, 1)), ReferenceText(RandomComposition(6, 1)));
}

TEST(Composition, ReferencesStayFiniteOnTheirInputs) {
  for (uint64_t i = 0; i < 300; ++i) {
    Composition c = RandomComposition(9, i);
    std::map<std::string, Array> inputs;
    for (const auto& in : c.inputs) {
      Array a{ShapeOf(ShapeIn(in, c.cases[0]), c.cases[0]), {}};
      int64_t n = 1;
      for (int64_t e : a.shape) n *= e;
      for (int64_t k = 0; k < n; ++k)
        a.v.push_back(in.low + (in.high - in.low) * static_cast<double>(k % 17) / 16);
      inputs[c.lists && !in.single ? in.id + ".0" : in.id] = a;
    }
    auto out = Evaluate(GraphOf(c, c.cases[0]), inputs);
    ASSERT_TRUE(out.ok()) << ReferenceText(c);
    for (const Array& a : *out)
      for (double v : a.v) ASSERT_TRUE(std::isfinite(v)) << ReferenceText(c);
  }
}

TEST(Composition, ComesWithColumnsListsAndTruths) {
  size_t columns = 0, lists = 0, booleans = 0, several = 0;
  for (uint64_t i = 0; i < 300; ++i) {
    Composition c = RandomComposition(9, i);
    columns += c.dtypes.size() > 1;
    booleans += c.fixed[0] == base::Dtype::kBool;
    std::set<size_t> seen;
    for (const Extents& e : c.cases) seen.insert(e.column);
    EXPECT_EQ(seen.size(), c.dtypes.size()) << "every column has a case";
    if (!c.lists) continue;
    ++lists;
    EXPECT_NE(ReferenceText(c).find("List[Tensor]"), std::string::npos);
    several += CaseText(c, c.cases[0]).find("}+") != std::string::npos;
  }
  EXPECT_GT(columns, 60u);
  EXPECT_GT(lists, 10u);
  EXPECT_GT(several, 3u);
  EXPECT_GT(booleans, 2u);
}

constexpr const char* kKinds[] = {"may be missing",
                                  "one number for each tensor",
                                  "one tensor beside lists",
                                  "booleans as input",
                                  "eq",
                                  "ne",
                                  "lt",
                                  "le",
                                  "gt",
                                  "ge",
                                  "select",
                                  "float",
                                  "int",
                                  "bool",
                                  "string",
                                  "several values",
                                  "chosen by an attribute",
                                  "in place",
                                  "over an input",
                                  "never comes",
                                  "may be missing, never is",
                                  "cut at another dimension from case to case",
                                  "joined at a dimension that the caller names",
                                  "summed or left alone",
                                  "a statistic first",
                                  "reshape",
                                  "unsqueeze",
                                  "zeros_like",
                                  "log1p",
                                  "a dimension that the caller names",
                                  "sums over rows beside the result",
                                  "small integers",
                                  "lists of integers and floats"};

TEST(Composition, ComesWithWhatOperatorsHave) {
  std::map<std::string, size_t> seen;
  for (uint64_t i = 0; i < 2000; ++i) {
    Composition c = RandomComposition(11, i);
    seen["short"] += c.nodes.size() <= 4;
    for (const auto& in : c.inputs) {
      seen["may be missing"] += in.without >= 0;
      seen["never comes"] += in.missing && !Present(in, c.cases[0]);
      seen["may be missing, never is"] +=
          in.optional && !in.missing &&
          ReferenceText(c).find("assert " + in.id + " is not None") != std::string::npos;
      seen["cut at another dimension from case to case"] +=
          std::set<SymbolicShape>(in.shapes.begin(), in.shapes.end()).size() > 1;
      seen["one number for each tensor"] += c.lists && in.shape == "T";
      seen["one tensor beside lists"] += c.lists && in.single;
      seen["booleans as input"] += !in.dtypes.empty() && in.dtypes[0] == base::Dtype::kBool;
    }
    for (const auto& n : c.nodes) {
      seen[n.op]++;
      seen["joined at a dimension that the caller names"] +=
          n.op == "cat" && n.by >= 0 && n.others[0].shape != n.shape;
      seen["summed or left alone"] +=
          n.by >= 0 && n.shape.empty() &&
          std::any_of(n.others.begin(), n.others.end(),
                      [](const Alternative& a) { return a.op.empty(); });
      seen["a dimension that the caller names"] +=
          n.op == "chunk" && !n.args[2].number.IsConstant();
      seen["sums over rows beside the result"] +=
          n.op == "sum" && n.shape == "C" && c.outputs.size() > 1 &&
          std::find(c.outputs.begin() + 1, c.outputs.end(), n.out[0]) != c.outputs.end();
    }
    for (const auto& a : c.attrs) {
      seen[a.type]++;
      seen["several values"] += a.by < 0 && a.values.size() > 1;
      seen["chosen by an attribute"] += a.by >= 0;
    }
    for (const auto& o : c.inplace) seen[c.over ? "over an input" : "in place"] += !o.empty();
    for (size_t o = 1; o < c.outputs.size(); ++o)
      seen["a statistic first"] += ShapeOfValue(c, c.outputs[o - 1]).ends_with('1') &&
                                   ShapeOfValue(c, c.outputs[o]).ends_with('C');
    seen["small integers"] +=
        std::find(c.dtypes.begin(), c.dtypes.end(), base::Dtype::kInt8) != c.dtypes.end();
    seen["lists of integers and floats"] += c.lists && c.dtypes.size() == 4;
    for (const Extents& e : c.cases) EXPECT_EQ(e.states.size(), c.switches.size());
    for (size_t s = 0; s < c.switches.size(); ++s) {
      std::set<size_t> states;
      for (const Extents& e : c.cases) states.insert(e.states[s]);
      EXPECT_EQ(states.size(), c.switches[s]) << "every state has a case: " << ReferenceText(c);
      if (c.dtypes.size() < 2) continue;
      std::map<size_t, std::set<size_t>> columns;
      for (const Extents& e : c.cases) columns[e.states[s]].insert(e.column);
      for (const auto& [state, in] : columns)
        EXPECT_GT(in.size(), 1u) << "a dtype must not tell the state: " << ReferenceText(c);
    }
  }
  EXPECT_GT(seen["short"], 500u);
  for (const char* what : kKinds) EXPECT_GT(seen[what], 2u) << what;
}

TEST(Composition, ACaseHasWhatItsSwitchesSay) {
  Composition c;
  c.dtypes = {base::Dtype::kFloat32};
  c.inputs = {{"x0", "RC"}, {"x1", "C", -2, 2, {}, false, 0}};
  c.attrs = {{"a0", "string", {"soft", "hard"}, 1}, {"a1", "float", {0.5, 0.25}}};
  c.switches = {2, 2};
  auto tensor = [](const char* id) { return record::GraphArg::Tensor(id); };
  const record::GraphArgs x0 = {tensor("x0")}, v0 = {tensor("v0")};
  const auto rest = record::GraphArgFromJson(N({{"op", "sub"}, {"args", {1, {{"attr", "a1"}}}}}));
  c.nodes = {{"mul", {tensor("x0"), tensor("x1")}, {"v0"}, "RC", 0, {{"", x0, "RC"}}},
             {"sigmoid", v0, {"v1"}, "RC", 1, {{"relu", v0, "RC"}}},
             {"mul", {tensor("v1"), rest}, {"v2"}, "RC"}};
  c.outputs = {"v2"};
  c.inplace = {""};
  c.fixed = {std::nullopt};
  Extents e{1, 1, 2, 3};
  e.states = {1, 1};
  e.number = 1;
  const record::Graph g = GraphOf(c, e);
  ASSERT_EQ(g.nodes.size(), 2u);
  EXPECT_EQ(g.nodes[0].op, "relu");
  EXPECT_EQ(g.nodes[0].args[0], record::GraphArg::Tensor("x0"));
  EXPECT_EQ(g.nodes[1].args[1].number.Real(), 0.75);
  EXPECT_EQ(CaseText(c, e), "x0=f32[2, 3]{-2, 2} x1=none a0=hard a1=0.25");
  EXPECT_NE(
      ReferenceText(c).find(
          "    if x1 is not None:\n        v0 = x0 * x1\n    else:\n        v0 = x0\n    if a0 "
          "== 'soft':\n        v1 = torch.sigmoid(v0)\n"),
      std::string::npos)
      << ReferenceText(c);
  e.states = {0, 0};
  EXPECT_EQ(GraphOf(c, e).nodes.size(), 3u);
  c.cases = {e, e};
  c.cases[1].states = {1, 1};
  EXPECT_EQ(CanonicalsOf(c).size(), 2u);
  EXPECT_EQ(PlanOf(c).cases[1].shapes.count("x1"), 0u);
}

TEST(Evaluate, GivesWhatTheOperationsMean) {
  std::map<std::string, Array> in = {{"x", {{2, 3}, {1, 2, 3, 4, 5, 9}}},
                                     {"g", {{3}, {1, 10, 100}}}};
  auto run = [&](const std::vector<Json>& nodes, const std::string& out) {
    return (*Evaluate(Graph(nodes, {out}), in))[0].v;
  };
  EXPECT_EQ(run({Node("mul", {T("x"), T("g")}, "v")}, "v"),
            (std::vector<double>{1, 20, 300, 4, 50, 900}));
  EXPECT_EQ(run({Node("mean", {T("x"), {{"l", {-1}}}, N(true), nullptr}, "v", {2, 1})}, "v"),
            (std::vector<double>{2, 6}));
  EXPECT_EQ(run({Node("sum", {T("x"), {{"l", {0}}}, N(false), nullptr}, "v", {3})}, "v"),
            (std::vector<double>{5, 7, 12}));
  EXPECT_EQ(run({Node("sum", {T("x"), nullptr}, "v", {})}, "v"), (std::vector<double>{24}));
  EXPECT_EQ(run({Node("tril", {T("x"), N(0)}, "v")}, "v"), (std::vector<double>{1, 0, 0, 4, 5, 0}));
  EXPECT_EQ(run({Node("cat", {{{"l", {T("x"), T("x")}}}, N(-1)}, "v", {2, 6})}, "v"),
            (std::vector<double>{1, 2, 3, 1, 2, 3, 4, 5, 9, 4, 5, 9}));
  EXPECT_EQ(run({Node("eq", {T("x"), N(4)}, "v")}, "v"), (std::vector<double>{0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(run({Node("select", {T("g"), N(0), N({{"turn", 2}, {"value", 2}})}, "t", {}),
                 Node("mul", {T("x"), T("t")}, "v")},
                "v"),
            (std::vector<double>{100, 200, 300, 400, 500, 900}));
  EXPECT_EQ(run({Node("cat", {{{"l", {T("x"), T("x")}}}, N(0)}, "v", {4, 3})}, "v"),
            (std::vector<double>{1, 2, 3, 4, 5, 9, 1, 2, 3, 4, 5, 9}));
  Json halves = {{"op", "chunk"},
                 {"args", {T("w"), N(2), N(-1)}},
                 {"out", {{{"id", "a"}, {"shape", {2, 1}}}, {{"id", "b"}, {"shape", {2, 1}}}}}};
  in["w"] = {{2, 2}, {1, 2, 3, 4}};
  EXPECT_EQ(run({halves}, "b"), (std::vector<double>{2, 4}));
  EXPECT_EQ(run({Node("reshape", {T("x"), {{"l", {-1}}}}, "v", {6})}, "v"),
            (std::vector<double>{1, 2, 3, 4, 5, 9}));
  EXPECT_EQ(run({Node("sum", {T("x"), {{"l", {1}}}, N(false), nullptr}, "s", {2}),
                 Node("unsqueeze", {T("s"), N(-1)}, "u", {2, 1}),
                 Node("sub", {T("x"), T("u"), N(1)}, "v")},
                "v"),
            (std::vector<double>{-5, -4, -3, -14, -13, -9}));
  EXPECT_EQ(run({Node("zeros_like", {T("x")}, "v")}, "v"), std::vector<double>(6));
  auto soft = run({Node("softmax", {T("x"), N(-1), nullptr}, "v")}, "v");
  EXPECT_NEAR(soft[0] + soft[1] + soft[2], 1, 1e-15);
  EXPECT_NEAR(soft[1] / soft[0], std::exp(1.0), 1e-12);
  auto norm = run(
      {Node("layer_norm", {T("x"), {{"l", {3}}}, T("g"), nullptr, N(0.0), N(false)}, "v")}, "v");
  EXPECT_NEAR(norm[2], 100 * std::sqrt(1.5), 1e-9);
}

TEST(Evaluate, AnOperationItLacks) {
  auto out = Evaluate(Graph({Node("cumsum", {T("x"), N(0)}, "v")}, {"v"}), {{"x", {{1}, {1}}}});
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().code, "AK0802");
}

TEST(Duplicates, AreToldByWhatTextsShare) {
  std::string a, b, c;
  for (int i = 0; i < 40; ++i)
    a += "v" + std::to_string(i) + " = torch.exp" + std::string(static_cast<size_t>(i), 'q') +
         "(x)\n";
  b = a + "v40 = torch.sin(x)\n";
  for (int i = 0; i < 40; ++i) c += "w = other" + std::string(static_cast<size_t>(i), 'z') + "\n";
  EXPECT_GT(Likeness(SketchOf(a), SketchOf(b)), 0.85);
  EXPECT_LT(Likeness(SketchOf(a), SketchOf(c)), 0.1);
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir.ok());
  auto ledger = Ledger::Open(dir->path() / "ledger.db", "{}");
  ASSERT_TRUE(ledger.ok());
  ASSERT_TRUE(ledger->Begin().ok());
  EXPECT_EQ(ledger->AddSketch(SketchOf(a), 3, 0.85), -1);
  EXPECT_EQ(ledger->AddSketch(SketchOf(b), 4, 0.85), 3);
  EXPECT_EQ(ledger->AddSketch(SketchOf(c), 5, 0.85), -1);
  EXPECT_TRUE(ledger->AddKey("graph", "1"));
  EXPECT_FALSE(ledger->AddKey("graph", "1"));
  EXPECT_EQ(ledger->CountKeys("graph"), 1);
  ASSERT_TRUE(ledger->Commit({{"n", 7}}).ok());
  auto again = Ledger::Open(dir->path() / "ledger.db", "{}");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->State()["n"], 7);
  EXPECT_EQ(Ledger::Open(dir->path() / "ledger.db", "{\"seed\": 2}").error().code, "AK0801");
}

TEST(Split, IsOfTheFamily) {
  std::map<std::string, int> parts;
  for (int i = 0; i < 400; ++i) ++parts[SplitOf("family" + std::to_string(i))];
  EXPECT_GT(parts["train"], 300);
  EXPECT_GT(parts["test"], 5);
  EXPECT_GT(parts["validation"], 5);
}
}  // namespace
}  // namespace akgen::corpus
