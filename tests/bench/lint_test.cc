// Narrow variants of a reference: the linter derives them from a user's task and says which of them
// the cases take.
#include "bench/lint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <fstream>
#include <set>

#include "../golden.h"
#include "base/files.h"

namespace akgen::task {
void PrintTo(const TaskInfo& t, std::ostream* out) { *out << t.name; }
}  // namespace akgen::task

namespace akgen::bench {
namespace {

task::ReferenceClient& Reference() {
  static task::ReferenceClient client{[] {
    task::ReferenceClient::Options o;
    o.cache = false;
    return o;
  }()};
  return client;
}

struct UserTask {
  std::string inputs, attributes, reference, lint;
};

std::string Input(const std::string& name, const std::string& dtype, const std::string& dist,
                  const std::string& more = "") {
  return "[[input]]\nname = \"" + name + "\"\ndtype = \"" + dtype +
         "\"\nshape = [8, 32]\ndist = " + dist + "\n" + more;
}

LintResult Lint(const UserTask& t, bool range, const std::string& output = "float32") {
  base::TempDir dir = std::move(base::TempDir::Create().value());
  std::ofstream(dir.path() / "task.toml")
      << "schema = 1\nname = \"Users\"\nlevel = 1\ncategory = \"Math\"\nentry = "
         "\"users\"\ndescription = \"a user's\"\n"
      << t.inputs << "[[output]]\nname = \"y\"\ndtype = \"" << output << "\"\nshape = [8, 32]\n"
      << t.attributes << "[precision]\nrule = \"D\"\n"
      << t.lint;
  std::ofstream(dir.path() / "cases.json") << R"([{"id": 0}, {"id": 1}])";
  std::ofstream(dir.path() / "reference.py") << t.reference;
  auto task = task::LoadTaskFolder(dir.path());
  EXPECT_TRUE(task.ok()) << task.error().ToString();
  if (!task.ok()) return {};
  LintOptions options;
  options.range = range;
  LintResult r = LintTask(*task, {}, options, Reference());
  EXPECT_EQ(r.error, "");
  const VariantResult& v = r.variants;
  EXPECT_EQ(v.tried, v.refused + v.same + v.by_name + int(v.taken.size()));
  return r;
}

std::set<std::string> Taken(const LintResult& r) {
  std::set<std::string> out;
  for (const TakenVariant& v : r.variants.taken) out.insert(v.name);
  return out;
}

const char kNormal[] = R"({ kind = "normal" })";
const char kErf[] = "def reference(x: Tensor) -> Tensor:\n    return torch.erf(x)\n";
const char kSoftmax[] = "def reference(x: Tensor) -> Tensor:\n    return torch.softmax(x, -1)\n";
const char kRms[] =
    "def reference(x: Tensor, epsilon: float) -> Tensor:\n"
    "    return x * torch.rsqrt((x * x).mean([-1], True) + epsilon)\n";
const char kVariance[] =
    "def reference(x: Tensor) -> Tensor:\n    d = x - x.mean([-1], True)\n"
    "    return d * torch.rsqrt((d * d).mean([-1], True) + 0.001)\n";
const char kEqual[] = "def reference(a: Tensor, b: Tensor) -> Tensor:\n    return torch.eq(a, b)\n";
const char kMode[] =
    "def reference(x: Tensor, mode: str) -> Tensor:\n    if mode == \"twice\":\n        return x + "
    "x\n"
    "    return x * x\n";
const char kEpsilon[] = "[[attr]]\nname = \"epsilon\"\ntype = \"float\"\nvalue = 1e-5\n";
const char kOneMode[] = "[[attr]]\nname = \"mode\"\ntype = \"string\"\nvalue = \"twice\"\n";

// What each takes when only drawn inputs are tried, and refuses with the range group.
TEST(Variants, NarrowInputsTakeThemTheRangeGroupRefuses) {
  const std::string narrow = R"({ kind = "uniform", low = -0.5, high = 0.5 })";
  const std::string small =
      R"({ kind = "int", low = -100, high = 100, copy_of = "a", copy_fraction = 0.5 })";
  struct Row {
    UserTask task;
    std::set<std::string> taken;
    std::string output = "float32";
  };
  const Row rows[] = {
      {{Input("x", "float32", narrow), "", kErf, ""},
       {"short erf@2", "held erf@2", "nan_as_zero x"}},
      {{Input("x", "float32", kNormal), "", kSoftmax, ""}, {"no_max softmax@2"}},
      {{Input("x", "float32", kNormal), kEpsilon, kRms, ""},
       {"no_epsilon add@2", "short rsqrt@2", "constant epsilon"}},
      {{Input("x", "float32", kNormal), "", kVariance, ""}, {"square_of_mean mean@3"}},
      {{Input("a", "int64", R"({ kind = "int", low = -100, high = 100 })") +
            Input("b", "int64", small),
        "", kEqual, ""},
       {"as_float32 a", "as_int32 a"},
       "bool"},
  };
  for (const Row& row : rows) {
    const auto taken = Taken(Lint(row.task, false, row.output));
    for (const std::string& name : row.taken)
      EXPECT_TRUE(taken.count(name)) << row.task.reference << name;
    const LintResult wide = Lint(row.task, true, row.output);
    EXPECT_TRUE(wide.ok()) << row.task.reference << *Taken(wide).begin();
    EXPECT_GT(wide.variants.refused, int(row.taken.size())) << row.task.reference;
  }
}

// Outputs that are the same input: an answer that gives it back for both is taken, and said so.
TEST(Lint, InputsGivenBackAreTried) {
  const UserTask task{Input("a", "float32", kNormal) + Input("b", "float32", kNormal) +
                          "[[output]]\nname = \"z\"\ndtype = \"float32\"\nshape = [8, 32]\n",
                      "",
                      "def reference(a: Tensor, b: Tensor) -> Tuple[Tensor, Tensor]:\n"
                      "    return a * 1.0, a * 1.0\n",
                      ""};
  const LintResult r = Lint(task, false);
  const std::set<std::string> taken(r.taken.begin(), r.taken.end());
  EXPECT_TRUE(taken.count("identity 0")) << r.taken.size();
  EXPECT_FALSE(taken.count("identity 1"));
}

TEST(Variants, OneThatIsRightIsNoFault) {
  // On values between 0 and 1 that the operator is documented for, the sign of a number is no
  // matter.
  const std::string domain =
      "domain = { low = 0.0, high = 1.0, nan = false, source = \"the operator's page\" }\n";
  const UserTask task{
      Input("x", "float32", R"({ kind = "uniform", low = 0.0, high = 1.0 })", domain), "",
      "def reference(x: Tensor) -> Tensor:\n    return torch.sqrt(torch.abs(x))\n", ""};
  const LintResult r = Lint(task, true);
  EXPECT_TRUE(r.ok()) << *Taken(r).begin();
  EXPECT_GT(r.variants.same, 0);
}

TEST(Variants, AnAttributeWithOneValueIsNamed) {
  const LintResult r = Lint({Input("x", "float32", kNormal), kOneMode, kMode, ""}, true);
  EXPECT_FALSE(r.ok());
  ASSERT_EQ(Taken(r), std::set<std::string>{"constant mode"});
  EXPECT_NE(Explained(r.variants.taken[0]).find("attribute mode"), std::string::npos);
  // With the reason in the task, or with another value.
  EXPECT_TRUE(Lint({Input("x", "float32", kNormal), kOneMode, kMode,
                    "[lint]\nright = [\"constant mode\"]\n"},
                   true)
                  .ok());
  const std::string both = std::string(kOneMode) + "other = [\"square\"]\n";
  EXPECT_TRUE(Lint({Input("x", "float32", kNormal), both, kMode, ""}, true).ok());
}

// The texts that an attribute may be are looked for between quotes; one that is never closed ends
// the search.
TEST(Variants, AQuoteThatIsNeverClosedNamesNoValue) {
  const std::string odd = std::string(kMode) + "# 7\" wide\n";
  EXPECT_EQ(Taken(Lint({Input("x", "float32", kNormal), kOneMode, odd, ""}, true)),
            std::set<std::string>{"constant mode"});
}

// What reaches over a whole dtype: golden/probes.txt has each draw, the least and the greatest of
// its magnitudes (as powers of two) and how many are no numbers.
TEST(Variants, InputsThatReachOverADtype) {
  base::TempDir dir = std::move(base::TempDir::Create().value());
  const auto put = [&](const char* file, const std::string& text) {
    std::ofstream(dir.path() / file) << text;
  };
  put("task.toml",
      "schema = 1\nname = \"Users\"\nlevel = 1\ncategory = \"Math\"\nentry = "
      "\"users\"\ndescription = \"a\"\n" +
          Input("x", "float32", kNormal) +
          Input("n", "int16", R"({ kind = "int", low = -100, high = 100 })") +
          "[[output]]\nname = \"y\"\ndtype = \"float32\"\nshape = [8, 32]\n[precision]\nrule = "
          "\"D\"\n");
  put("cases.json", R"([{"id": 0}])");
  put("reference.py", "def reference(x: Tensor, n: Tensor) -> Tensor:\n    return x + n\n");
  const auto task = task::LoadTaskFolder(dir.path());
  ASSERT_TRUE(task.ok()) << task.error().ToString();
  std::deque<LintCase> cases;
  auto first = MakeLintCase(*task, task->cases[0], 1, Reference());
  ASSERT_TRUE(first.ok()) << first.error().ToString();
  cases.push_back(std::move(*first));
  std::string said;
  const auto answer = [&](LintCase& probe) -> std::optional<Tensors> {
    const auto bytes = probe.inputs.Bytes(0);
    double least = INFINITY, greatest = 0;
    int others = 0;
    for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      float x;
      std::memcpy(&x, bytes.data() + i, 4);
      if (!std::isfinite(x))
        ++others;
      else if (x != 0)
        least = std::min(least, std::fabs(double(x))),
        greatest = std::max(greatest, std::fabs(double(x)));
    }
    said += probe.c.draws.dump() + " " + std::to_string(std::ilogb(least)) + " " +
            std::to_string(std::ilogb(greatest)) + " " + std::to_string(others) + "\n";
    const auto golden = probe.golden.Bytes(0);
    Tensors out{std::vector<uint8_t>(golden.begin(), golden.end())};
    return out;
  };
  (void)IsSameOperator(*task, cases, 1, Reference(), answer);
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "probes.txt", said);
}

// All that is said of a few tasks, tried with each other's references: golden/lint.txt.
TEST(Lint, OfAFewTasksSaysWhatTheTableSays) {
  std::vector<task::TaskSpec> tasks;
  for (const char* name : {"SinMath", "CosMath", "Isamax", "Triu"}) {
    auto t = task::LoadTask(name);
    ASSERT_TRUE(t.ok()) << name;
    tasks.push_back(std::move(*t));
  }
  LintOptions options;
  options.max_cases = 2, options.all_references = true;
  std::string said;
  std::vector<LintResult> all;
  for (const task::TaskSpec& t : tasks) {
    all.push_back(LintTask(t, tasks, options, Reference()));
    said += t.name + ": " + ToJson({all.back()}).dump() + "\n";
  }
  for (const char* value : {"x * 0", "x * 1", "torch.relu(x)", "x.sign()", "x.round()"}) {
    all.push_back(
        Lint({Input("x", "float32", kNormal), "",
              "def reference(x: Tensor) -> Tensor:\n    return " + std::string(value) + "\n", ""},
             false));
    said += std::string(value) + ": " + ToJson({all.back()}).dump() + "\n";
  }
  said += "in all: " + ToJson(all).dump() + "\n";
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "lint.txt", said);
}

// Every shipped task (ctest -L slow -R bench_lint_tasks).
class EveryTask : public testing::TestWithParam<task::TaskInfo> {};
TEST_P(EveryTask, RefusesNarrowVariants) {
  auto task = task::LoadTaskFolder(GetParam().folder);
  ASSERT_TRUE(task.ok()) << task.error().ToString();
  const LintResult r = LintTask(*task, {}, {}, Reference());
  EXPECT_EQ(r.error, "");
  for (const TakenVariant& v : r.variants.taken)
    ADD_FAILURE() << task->name << ": " << v.name << ": " << Explained(v);
}
INSTANTIATE_TEST_SUITE_P(Tasks, EveryTask, testing::ValuesIn(task::ListTasks()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace akgen::bench
