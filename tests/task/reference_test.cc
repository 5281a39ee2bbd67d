// Every task's reference through akgen-reference: it compiles, returns what task.toml declares, and
// neither zeros nor the untouched input pass for it.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <future>
#include <iterator>
#include <sstream>
#include <thread>

#include "base/files.h"
#include "expression.h"
#include "task/compare.h"
#include "task/element.h"
#include "task/hidden.h"
#include "task/reference_client.h"

namespace akgen::task {
void PrintTo(const TaskInfo& t, std::ostream* out) { *out << t.name; }
namespace {

constexpr int64_t kFew = 1 << 12;
constexpr int64_t kSmall =
    1 << 18;  // elements: cases up to this run; a task's smallest runs in any case

int64_t Elements(const CaseDesc& c) {
  int64_t n = 0;
  for (const TensorDesc& t : Flatten(c.inputs)) n += t.Numel();
  for (const TensorDesc& t : Flatten(c.outputs)) n += t.Numel();
  return n;
}

std::vector<CaseDesc> AllCases(const TaskSpec& task) {
  std::vector<CaseDesc> all;
  for (const CaseRow& row : task.cases) {
    auto c = ResolveCase(task, row);
    if (c) all.push_back(std::move(c.value()));
  }
  return all;
}
CaseDesc SmallestCase(const TaskSpec& task) {
  const std::vector<CaseDesc> all = AllCases(task);
  return *std::min_element(all.begin(), all.end(),
                           [](const auto& a, const auto& b) { return Elements(a) < Elements(b); });
}

std::vector<CaseDesc> SmallCases(const TaskSpec& task) {
  std::vector<CaseDesc> all = AllCases(task), out;
  size_t smallest = 0;
  for (size_t i = 1; i < all.size(); ++i)
    if (Elements(all[i]) < Elements(all[smallest])) smallest = i;
  for (size_t i = 0; i < all.size(); ++i)
    if (i == smallest || Elements(all[i]) <= kSmall) out.push_back(all[i]);
  return out;
}

bool Passes(const TaskSpec& task, const CaseDesc& c, const TensorDesc& desc,
            std::span<const uint8_t> out, std::span<const uint8_t> golden) {
  auto rule = RuleFor(task, c, desc.dtype);
  EXPECT_TRUE(rule) << rule.error().ToString();
  return rule && Compare(*rule, desc, out, desc, golden).pass;
}

// `candidates`: for each output the bytes a lazy kernel would leave there.
void ExpectLazyFails(const TaskSpec& task, const CaseDesc& c, const TensorSet& golden,
                     const std::vector<std::vector<uint8_t>>& candidates, const char* what) {
  bool all_pass = true, truth = true;
  int64_t elements = 0;
  for (const TensorDesc& t : golden.tensors) elements += t.Numel();
  if (elements < 8 && golden.tensors[0].dtype != base::Dtype::kInt32)
    return;  // one value can be right by chance
  for (size_t i = 0; i < golden.tensors.size(); ++i) {
    std::span<const uint8_t> g = golden.Bytes(i);
    truth = truth && candidates[i].size() == g.size() &&
            std::memcmp(candidates[i].data(), g.data(), g.size()) == 0;
    all_pass = all_pass && candidates[i].size() == g.size() &&
               Passes(task, c, golden.tensors[i], candidates[i], g);
  }
  EXPECT_TRUE(!all_pass || truth) << task.name << " case " << c.id << ": " << what << " pass";
}

// What is evaluated without libtorch against libtorch's own results: the same float64 within a few
// ulp, rounded once.
void ExpectSame(const TaskSpec& task, const CaseDesc& c, const TensorSet& evaluated,
                const TensorSet& expected) {
  for (size_t i = 0; i < expected.tensors.size(); ++i) {
    const TensorDesc& desc = expected.tensors[i];
    const double ulp = desc.dtype == base::Dtype::kFloat16    ? 0x1p-10
                       : desc.dtype == base::Dtype::kBfloat16 ? 0x1p-7
                       : desc.dtype == base::Dtype::kFloat32  ? 0x1p-23
                                                              : 0;
    const double floating = base::IsFloating(desc.dtype);
    for (int64_t k = 0; k < desc.Numel(); ++k) {
      const Element got = ElementAt(desc.dtype, evaluated.Bytes(i).data(), k),
                    want = ElementAt(desc.dtype, expected.Bytes(i).data(), k);
      const double x = got.value.real(), y = want.value.real();
      const bool same =
          (std::isnan(x) && std::isnan(y)) || x == y ||
          std::fabs(x - y) <= ulp * std::fabs(y) + 1e-12 * floating * (1 + std::fabs(y));
      ASSERT_TRUE(same && got.bits == want.bits) << task.name << " case " << c.id << " output " << i
                                                 << "[" << k << "]: " << x << " for " << y;
    }
  }
}
void CheckEvaluation(const TaskSpec& task, const CaseDesc& c, const TensorSet& inputs) {
  static ReferenceClient libtorch({.cache = false, .evaluate = false});
  for (double nudge : {0.0, 0x1p-10}) {
    if (nudge != 0 && Elements(c) > kFew) return;
    auto evaluated = Client().Run(task, c, inputs, false, nudge, 1);
    if (!Client().last_was_evaluated()) return;
    ASSERT_TRUE(evaluated) << evaluated.error().ToString();
    auto expected = libtorch.Run(task, c, inputs, false, nudge, 1);
    ASSERT_TRUE(expected) << expected.error().ToString();
    ExpectSame(task, c, *evaluated, *expected);
  }
}

void CheckCase(const TaskSpec& task, const CaseDesc& c) {
  auto inputs = GenerateInputs(task, c, 7);
  ASSERT_TRUE(inputs) << inputs.error().ToString();
  auto golden = Client().Run(task, c, *inputs);
  ASSERT_TRUE(golden) << task.name << " case " << c.id << ": " << golden.error().ToString();
  if (c.id == SmallestCase(task).id || Elements(c) <= kFew) CheckEvaluation(task, c, *inputs);
  std::vector<std::vector<uint8_t>> zeros, same, poison;
  for (size_t i = 0; i < golden->tensors.size(); ++i) {
    std::span<const uint8_t> g = golden->Bytes(i);
    EXPECT_TRUE(Passes(task, c, golden->tensors[i], g, g))
        << task.name << ": the golden itself fails";
    zeros.emplace_back(g.size(), 0);
    poison.emplace_back(g.size(), 0xff);
    // The input of the same size that a kernel might leave or copy.
    std::span<const uint8_t> in =
        inputs->tensors.empty() ? g : inputs->Bytes(std::min(i, inputs->tensors.size() - 1));
    same.emplace_back(in.begin(), in.end());
  }
  ExpectLazyFails(task, c, *golden, zeros, "zeros");
  ExpectLazyFails(task, c, *golden, poison, "poisoned outputs");
  if (!inputs->tensors.empty()) ExpectLazyFails(task, c, *golden, same, "untouched inputs");
}

class EveryTask : public testing::TestWithParam<TaskInfo> {};
TEST_P(EveryTask, ReferenceRuns) {
  auto task = LoadTaskFolder(GetParam().folder);
  ASSERT_TRUE(task) << task.error().ToString();
  for (const CaseDesc& c : SmallCases(*task)) CheckCase(*task, c);
}
INSTANTIATE_TEST_SUITE_P(Tasks, EveryTask, testing::ValuesIn(ListTasks()),
                         [](const auto& info) { return info.param.name; });

// A task made of text, for what no shipped task does.
TaskSpec Made(const std::string& script, const std::string& dtype = "float32") {
  TaskSpec t;
  t.name = "Made";
  t.reference = script;
  ParamSpec in, out;
  in.name = "x", in.dtype = dtype, in.shape = base::Json::array({3});
  in.dist = {{"kind", "values"}, {"values", {1.0, 2.0, 4.0}}};
  out.name = "y", out.dtype = dtype, out.shape = base::Json::array({3});
  t.inputs = {in}, t.outputs = {out};
  t.precision.rule = "D";
  t.cases = {{"0", {{"id", 0}}}};
  return t;
}

base::Result<TensorSet> RunMade(const TaskSpec& t) {
  auto c = ResolveCase(t, "0");
  auto inputs = GenerateInputs(t, *c, 1);
  return Client().Run(t, *c, *inputs);
}

TEST(Reference, ComputesInFloat64AndRoundsOnce) {
  // 1/3 in float64 rounds to 0x3555 in float16.
  auto r = RunMade(Made("def reference(x: Tensor) -> Tensor:\n    return x / 3.0\n", "float16"));
  ASSERT_TRUE(r) << r.error().ToString();
  uint16_t bits;
  std::memcpy(&bits, r->Bytes(0).data(), 2);
  EXPECT_EQ(bits, 0x3555);
  // Adding 1e-9 and taking 1 away again survives only in float64.
  auto s =
      RunMade(Made("def reference(x: Tensor) -> Tensor:\n    return ((x + 1e-9) - x) * 1e9\n"));
  ASSERT_TRUE(s);
  float f;
  std::memcpy(&f, s->Bytes(0).data(), 4);
  EXPECT_NEAR(f, 1.0f, 1e-6f);
}

TEST(Reference, MostTasksNeedNoLibtorch) {
  std::vector<std::string> left;
  for (const TaskInfo& info : ListTasks()) {
    auto task = LoadTaskFolder(info.folder);
    ASSERT_TRUE(task.ok());
    const CaseDesc c = SmallestCase(*task);
    if (Elements(c) > kSmall) continue;
    auto inputs = GenerateInputs(*task, c, 7);
    ASSERT_TRUE(inputs.ok() && Client().Run(*task, c, *inputs).ok()) << info.name;
    if (!Client().last_was_evaluated()) left.push_back(info.name);
  }
  std::string names;
  for (const std::string& name : left) names += " " + name;
  EXPECT_LE(left.size(), 25u) << "left to libtorch:" << names;
}

class Evaluated : public testing::TestWithParam<std::string> {};
TEST_P(Evaluated, IsWhatLibtorchGives) {
  const TaskSpec t = Expression(GetParam());
  const auto c = ResolveCase(t, "0");
  ASSERT_TRUE(c.ok()) << c.error().ToString();
  for (uint64_t seed : {1, 2}) {
    auto inputs = GenerateInputs(t, *c, seed);
    ASSERT_TRUE(inputs.ok()) << inputs.error().ToString();
    auto run = Client().Run(t, *c, *inputs);
    ASSERT_TRUE(run.ok()) << run.error().ToString();
    ASSERT_TRUE(Client().last_was_evaluated());
    CheckEvaluation(t, *c, *inputs);
  }
}
// Lines of a file that are no remarks.
std::vector<std::string> Lines(const std::string& path) {
  std::vector<std::string> out;
  std::istringstream text(base::ReadFile(std::string(AKGEN_SOURCE_DIR) + "/" + path).value());
  for (std::string line; std::getline(text, line);)
    if (!line.empty() && line[0] != '#') out.push_back(line);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Operations, Evaluated,
                         testing::ValuesIn(Lines("tests/task/evaluated.txt")));

// What libtorch computes in float32 or in place, and what depends on its own choices, is left to
// it.
class LeftToLibtorch : public testing::TestWithParam<const char*> {};
TEST_P(LeftToLibtorch, IsNotEvaluated) {
  const TaskSpec t = Expression(GetParam());
  const auto c = ResolveCase(t, "0");
  auto inputs = GenerateInputs(t, *c, 1);
  auto run = Client().Run(t, *c, *inputs);
  ASSERT_TRUE(run.ok()) << run.error().ToString();
  EXPECT_FALSE(Client().last_was_evaluated());
}
INSTANTIATE_TEST_SUITE_P(Operations, LeftToLibtorch,
                         testing::Values("n * 1.5", "n / k.add(1)", "torch.exp(n)", "x.to(6)",
                                         "x.to(5)", "torch.zeros([3])",
                                         "torch.arange(0.0, 1.0, 0.25)", "x.add_(1)",
                                         "x.clone().copy_(y)", "torch.sort(n, 2)[1]",
                                         "(x * 1e30).to(3)", "torch.complex(x, x).real",
                                         "torch.matmul(n, n.transpose(1, 2))"));

TEST(Reference, ErrorsAreDiagnosticsAndTheProcessLivesOn) {
  auto syntax =
      RunMade(Made("def reference(x: Tensor) -> Tensor:\n    return torch.no_such_function(x)\n"));
  ASSERT_FALSE(syntax);
  EXPECT_EQ(syntax.error().code, "AK0110");
  EXPECT_NE(syntax.error().message.find("no_such_function"), std::string::npos)
      << syntax.error().message;
  auto throws =
      RunMade(Made("def reference(x: Tensor) -> Tensor:\n    return x.reshape([2, 2])\n"));
  ASSERT_FALSE(throws);
  EXPECT_EQ(throws.error().code, "AK0111");
  auto shape = RunMade(Made("def reference(x: Tensor) -> Tensor:\n    return x[:2]\n"));
  ASSERT_FALSE(shape);
  EXPECT_EQ(shape.error().code, "AK0112");
  auto count =
      RunMade(Made("def reference(x: Tensor) -> Tuple[Tensor, Tensor]:\n    return x, x\n"));
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().code, "AK0112");
  EXPECT_TRUE(RunMade(Made("def reference(x: Tensor) -> Tensor:\n    return x\n")));
}

// Code, message, place and what to do; of libtorch's own words none.
TEST(Reference, SaysWhatDoesNotFitToTheLetter) {
  const auto def = [](const char* type, const char* value) {
    return "def reference(x: Tensor) -> " + std::string(type) + ":\n    return " + value + "\n";
  };
  const std::string declared = "|reference.py|make the reference return what task.toml declares",
                    none = "AK0110|the reference has no function 'reference'|reference.py|";
  const struct {
    std::string script, says, dtype = "float32";
  } rows[] = {
      {"def other(x: Tensor) -> Tensor:\n    return x\n", none},
      {"", none},
      {def("Tensor", "x"), ""},
      {def("Tensor", "x[:2]"), "AK0112|output 'y' has shape [2], declared [3]" + declared},
      {def("Tensor", "x.reshape(3, 1)"),
       "AK0112|output 'y' has shape [3, 1], declared [3]" + declared},
      {def("Tensor", "x.sum()"), "AK0112|output 'y' has shape [], declared [3]" + declared},
      {def("Tensor", "torch.complex(x, x)"),
       "AK0112|output 'y' is complex on one side only" + declared},
      {def("Tensor", "x"), "AK0112|output 'y' is complex on one side only" + declared,
       "to complex64"},
      {def("List[Tensor]", "[x]"), ""},
      {def("Tuple[List[Tensor], Tensor]", "[x], x"),
       "AK0112|more results than declared outputs" + declared},
      {def("List[Tensor]", "[x, x]"), "AK0112|more results than declared outputs" + declared},
      {"def reference(x: Tensor) -> List[Tensor]:\n    out: List[Tensor] = []\n    return out\n",
       "AK0112|too few results: none for output 'y'" + declared},
      {def("int", "1"), "AK0112|the reference returns something else than tensors" + declared},
      {def("Tuple[Tensor, int]", "x, 1"),
       "AK0112|the reference returns something else than tensors" + declared},
  };
  for (const auto& row : rows) {
    TaskSpec t = Made(row.script, row.dtype == "float32" ? row.dtype : "float32");
    if (row.dtype != "float32") t.outputs[0].dtype = "complex64";
    const auto r = RunMade(t);
    ASSERT_EQ(r.ok(), row.says.empty()) << row.script;
    if (r.ok()) continue;
    EXPECT_EQ(
        r.error().code + "|" + r.error().message + "|" + r.error().where + "|" + r.error().fix,
        row.says)
        << row.script;
  }
}

TEST(Reference, WhatCannotRunIsRefusedBeforeItStarts) {
  TaskSpec huge = Made("def reference(x: Tensor) -> Tensor:\n    return x\n");
  huge.inputs[0].shape = huge.outputs[0].shape = base::Json::array({1000000, 1000000});
  auto c = ResolveCase(huge, "0");
  ASSERT_TRUE(c.ok());
  auto r = Client().Run(huge, *c, {});
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, "AK0114");
}

TEST(Reference, TheProcessThatDoesNotAnswerIsAnError) {
  ReferenceClient::Options options;
  options.timeout_ms = 1500;
  ReferenceClient client(options);
  TaskSpec t = Made(
      "def reference(x: Tensor) -> Tensor:\n    while bool((x == x).all()):\n        x = x + 1\n   "
      " return x\n");
  auto c = ResolveCase(t, "0");
  auto inputs = GenerateInputs(t, *c, 1);
  auto r = client.Run(t, *c, *inputs);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, "AK0113");
}

TEST(Reference, TheProcessOutlivesTheThreadThatStartedIt) {
  ReferenceClient client(ReferenceClient::Options{.cache = false});
  TaskSpec quick = Made("def reference(x: Tensor) -> Tensor:\n    return x\n");
  TaskSpec slow = Made(
      "def reference(x: Tensor) -> Tensor:\n    for i in range(400000):\n        x = x + 0\n    "
      "return x\n");
  auto c = ResolveCase(quick, "0");
  ASSERT_TRUE(c.ok());
  auto inputs = GenerateInputs(quick, *c, 1);
  ASSERT_TRUE(inputs.ok());
  std::promise<void> started;
  std::thread first([&] {
    EXPECT_TRUE(client.Run(quick, *c, *inputs).ok());
    started.set_value();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  });
  started.get_future().wait();
  const auto begin = std::chrono::steady_clock::now();
  auto r = client.Run(slow, *c, *inputs);
  EXPECT_TRUE(r.ok()) << (r.ok() ? "" : r.error().ToString());
  EXPECT_GT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(150))
      << "over before the thread was";
  first.join();
}

base::Result<record::Graph> GraphOf(const char* name) {
  auto task = LoadTask(name);
  EXPECT_TRUE(task);
  auto c = ResolveCase(*task, task->cases[0]);
  auto inputs = GenerateInputs(*task, *c, 1);
  return Client().Graph(*task, *c, *inputs);
}

TEST(Reference, GraphHoldsTheOperations) {
  auto graph = GraphOf("FastGelu");
  ASSERT_TRUE(graph) << graph.error().ToString();
  std::string ops;
  for (const auto& n : graph->nodes) ops += n.op + " ";
  EXPECT_EQ(ops, "mul sigmoid mul ");
  EXPECT_EQ(graph->outputs[0], graph->nodes[2].id());
}

TEST(Reference, GraphOfWhatAnElementDecidesIsRefused) {
  TaskSpec task = *LoadTask("FastGelu");
  task.reference =
      "def reference(x: Tensor) -> Tensor:\n    if bool((x.sum() > 0).item()):\n        return x\n "
      "   return -x\n";
  auto c = ResolveCase(task, task.cases[0]);
  auto graph = Client().Graph(task, *c, *GenerateInputs(task, *c, 1));
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, "AK0115");
}

TEST(Reference, WorkingInPlaceDoesNotChangeTheInputs) {
  TaskSpec t = Made("def reference(x: Tensor) -> Tensor:\n    return x.mul_(2)\n", "int32");
  auto c = ResolveCase(t, "0");
  auto inputs = GenerateInputs(t, *c, 1);
  auto r = Client().Run(t, *c, *inputs);
  ASSERT_TRUE(r);
  int32_t in, out;
  std::memcpy(&in, inputs->Bytes(0).data(), 4);
  std::memcpy(&out, r->Bytes(0).data(), 4);
  EXPECT_EQ(in, 1);
  EXPECT_EQ(out, 2);
}

// The only reference that is more than a few library calls, against numerical integration of its
// definition.
TEST(Reference, SpenceAtKnownPlaces) {
  auto spence = LoadTask("Spence");
  ASSERT_TRUE(spence);
  TaskSpec t = Made(spence->reference);
  t.inputs[0].shape = t.outputs[0].shape = base::Json::array({7});
  t.inputs[0].dist["values"] = {0.0, 0.5, 1.0, 1.5, 2.0, 4.0, 10.0};
  auto r = RunMade(t);
  ASSERT_TRUE(r) << r.error().ToString();
  const double known[7] = {1.6449340668482264,  0.5822405264650125,  0.0,
                           -0.4484142069236462, -0.8224670334241132, -1.9393754207667090,
                           -3.9506637782441574};
  for (size_t i = 0; i < 7; ++i) {
    float f;
    std::memcpy(&f, r->Bytes(0).data() + 4 * i, 4);
    EXPECT_NEAR(f, known[i], 1e-6) << i;
  }
}

TEST(Reference, GoldensAreCachedByContent) {
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir);
  ::setenv("AKGEN_CACHE", dir->path().c_str(), 1);
  TaskSpec t = Made("def reference(x: Tensor) -> Tensor:\n    return x + 1\n");
  auto c = ResolveCase(t, "0");
  auto inputs = GenerateInputs(t, *c, 1);
  ReferenceClient client;
  EXPECT_FALSE(HasGolden(t, *c));
  auto first = client.Golden(t, *c, 1, *inputs);
  ASSERT_TRUE(first);
  EXPECT_FALSE(client.last_was_cached());
  EXPECT_TRUE(HasGolden(t, *c));
  // Seeds and hidden cases have no end: they leave no marks of their own.
  const auto marks = [&] {
    return std::distance(std::filesystem::directory_iterator(dir->path() / "references"), {});
  };
  EXPECT_EQ(marks(), 1);
  auto hidden = ResolveCase(t, WithId(*t.FindCase("0"), "hidden0"));
  for (const CaseDesc& one : {*c, *hidden}) {
    auto others = GenerateInputs(t, one, 2);
    ASSERT_TRUE(client.Golden(t, one, 2, *others));
  }
  EXPECT_EQ(marks(), 1);
  auto again = client.Golden(t, *c, 1, *inputs);
  ASSERT_TRUE(again);
  EXPECT_TRUE(client.last_was_cached());
  EXPECT_EQ(std::memcmp(first->memory.data(), again->memory.data(), first->layout.bytes), 0);
  t.reference += "# changed\n";
  ASSERT_TRUE(client.Golden(t, *c, 1, *inputs));
  EXPECT_FALSE(client.last_was_cached());
  ASSERT_TRUE(client.Golden(t, *c, 2, *inputs));
  EXPECT_FALSE(client.last_was_cached());
  ::unsetenv("AKGEN_CACHE");
}

TEST(Reference, TheOldestGoldensGo) {
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir);
  ::setenv("AKGEN_CACHE", dir->path().c_str(), 1);
  TaskSpec t = Made("def reference(x: Tensor) -> Tensor:\n    return x + 1\n");
  auto c = ResolveCase(t, "0");
  const auto kept = [&] {
    uint64_t bytes = 0;
    for (const auto& e : std::filesystem::recursive_directory_iterator(dir->path() / "goldens"))
      if (e.is_regular_file()) bytes += e.file_size();
    return bytes;
  };
  const uint64_t one = GenerateInputs(t, *c, 1)->layout.bytes;
  ReferenceClient client(ReferenceClient::Options{.cache_limit = 3 * one});
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    auto inputs = GenerateInputs(t, *c, seed);
    ASSERT_TRUE(client.Golden(t, *c, seed, *inputs));
    EXPECT_EQ(kept(), std::min<uint64_t>(seed, 3) * one);
  }
  EXPECT_FALSE(client.last_was_cached());
  auto last = GenerateInputs(t, *c, 8);
  ASSERT_TRUE(client.Golden(t, *c, 8, *last));
  EXPECT_TRUE(client.last_was_cached());
  ::unsetenv("AKGEN_CACHE");
}

// Every kernel gets 0.9 as 0.9f; the reference is what follows from that.
TEST(Reference, FloatAttributesAreSinglePrecision) {
  TaskSpec t;
  t.name = "Scaled";
  ParamSpec x, y;
  x.name = "x", x.dtype = "float64", x.shape = {1}, x.dist = {{"kind", "constant"}, {"value", 1}},
  x.present = true;
  y.name = "y", y.dtype = "float64", y.shape = {1}, y.compared = true;
  t.inputs = {x}, t.outputs = {y};
  t.attrs = {{"scale", "float", 0.9}};
  t.reference = "def reference(x: Tensor, scale: float) -> Tensor:\n    return x * scale\n";
  t.cases = {{"0", base::Json::object()}};
  auto c = ResolveCase(t, "0");
  ASSERT_TRUE(c) << c.error().ToString();
  auto inputs = GenerateInputs(t, *c, 1);
  ASSERT_TRUE(inputs) << inputs.error().ToString();
  auto golden = Client().Golden(t, *c, 1, *inputs);
  ASSERT_TRUE(golden) << golden.error().ToString();
  double v;
  std::memcpy(&v, golden->Bytes(0).data(), 8);
  EXPECT_EQ(v, double(0.9f));
}

TEST(Reference, ACrashIsTheScripts) {
#ifdef AKGEN_SANITIZED
  GTEST_SKIP() << "the sanitizer ends the process in its own way";
#endif
  TaskSpec task;
  task.name = "Crash";
  ParamSpec x, y;
  x.name = "x", x.dtype = "float32", x.shape = base::Json::array({2, 3, 4}),
  x.dist = {{"kind", "normal"}};
  x.present = true;
  y = x, y.name = "y", y.compared = true;
  task.inputs = {x}, task.outputs = {y};
  task.cases.push_back({"0", base::Json::object()});
  // A cell state for one of two layers.
  task.reference =
      "def reference(x: Tensor) -> Tensor:\n"
      "    w = torch.zeros_like(x)[0, 0:1].expand([16, 4]).contiguous()\n"
      "    b = w[:, 0].contiguous()\n"
      "    return torch.lstm(x, [x, x[0:1]], [w, w, b, b, w, w, b, b], True, 2, 0.0, False, False, "
      "False)[0]\n";
  const CaseDesc c = *ResolveCase(task, task.cases[0]);
  const auto drawn = GenerateInputs(task, c, 1);
  const TensorSet& inputs = *drawn;
  const auto crashed = Client().Run(task, c, inputs, true);
  ASSERT_FALSE(crashed.ok());
  EXPECT_EQ(crashed.error().code, "AK0111") << crashed.error().ToString();
  EXPECT_NE(crashed.error().message.find("crashed"), std::string::npos)
      << crashed.error().ToString();
  task.reference = "def reference(x: Tensor) -> Tensor:\n    return x + 1\n";
  EXPECT_TRUE(Client().Run(task, c, inputs, true).ok());
}

}  // namespace
}  // namespace akgen::task
