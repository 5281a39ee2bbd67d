// Which problems are asked, in which order, what is passed over, and what an answer to one earns.
#include "learn/problems.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "../fresh_cache.h"
#include "base/files.h"
#include "base/hash.h"
#include "corpus/compose/composed_task.h"
#include "learn/reinforce.h"
#include "record/reward.h"

namespace akgen::learn {
namespace {
namespace fs = std::filesystem;
using base::Json;

struct ProblemFolder {
  base::TempDir dir = std::move(*base::TempDir::Create());
  std::string Add(const std::string& name, const std::string& text) {
    const fs::path path = dir.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  std::string At(const std::string& name) const { return (dir.path() / name).string(); }
};

base::Result<Problems> Opened(const ProblemOptions& o) {
  return Problems::Open(o, [](size_t, size_t) {});
}
std::vector<std::string> Ids(Problems& problems) {
  std::vector<std::string> out;
  for (;;) {
    auto p = problems.Next();
    EXPECT_TRUE(p.ok());
    if (!p.ok() || !*p) return out;
    EXPECT_EQ((*p)->Prompt().size(), 1u);
    EXPECT_EQ((*p)->Prompt()[0].content, (*p)->operations);
    out.push_back((*p)->id);
  }
}

const Json kRecord{
    {"kind", "task"}, {"name", "Sqrt"}, {"operations", "y = sqrt(x)"}, {"program", "@kernel\n"}};

TEST(Problems, TasksThenCompositions) {
  ProblemFolder f;
  Json gelu = kRecord;
  gelu["name"] = "FastGelu";
  f.Add("tasks/records.jsonl", gelu.dump() + "\n" + kRecord.dump() + "\n");
  ProblemOptions o;
  o.tasks = f.At(""), o.heldout = f.Add("heldout.json", R"({"tasks": {"Math": ["Tril"]}})");
  o.compositions = 2, o.seed = 3;
  for (size_t cases : {1, 3}) {
    o.cases = cases;
    auto problems = Opened(o);
    ASSERT_TRUE(problems.ok()) << problems.error().ToString();
    EXPECT_EQ(problems->count(), 4u);
    auto first = problems->Next();
    ASSERT_TRUE(first.ok() && *first);
    EXPECT_EQ((*first)->id, "task FastGelu");
    EXPECT_EQ((*first)->task.name, "FastGelu");
    EXPECT_EQ((*first)->program, "@kernel\n");
    EXPECT_FALSE((*first)->composed);
    EXPECT_EQ((*first)->rows.size(), cases);
    const auto rest = Ids(*problems);
    ASSERT_EQ(rest.size(), 3u);
    EXPECT_EQ(rest[0], "task Sqrt");
    EXPECT_TRUE(rest[1].starts_with("composed 3 ") && rest[2].starts_with("composed 3 "));
  }
  gelu["name"] = "NoSuchTask";
  f.Add("tasks/records.jsonl", gelu.dump() + "\n");
  auto gone = Opened(o);
  ASSERT_TRUE(gone.ok()) << gone.error().ToString();
  EXPECT_FALSE(gone->Next().ok());
}

TEST(Problems, WhatStandsInACorpusIsPassedOver) {
  ProblemOptions o;
  o.compositions = 2, o.seed = 3;
  auto all = Opened(o);
  ASSERT_TRUE(all.ok());
  const auto ids = Ids(*all);
  const size_t before = all->passed_over();
  ASSERT_EQ(ids.size(), 2u);
  const auto index = std::stoull(ids[0].substr(ids[0].rfind(' ') + 1));
  const std::string graph = corpus::CanonicalOf(corpus::RandomComposition(3, index));
  ProblemFolder f;
  f.Add("synthetic/records.jsonl", R"({"id":"a"})"
                                   "\n" +
                                       Json{{"graph", graph}, {"id", "b"}}.dump() + "\n");
  o.exclude = {f.At("")}, o.compositions = 1;
  auto others = Opened(o);
  ASSERT_TRUE(others.ok());
  EXPECT_EQ(Ids(*others), std::vector<std::string>{ids[1]});
  EXPECT_GT(others->passed_over(), 0u);
  EXPECT_LE(others->passed_over(), before + 1);
}

// A cache whose graphs of the benchmark are these, believed while the tasks are what they are.
class GraphsOfBenchmark {
 public:
  explicit GraphsOfBenchmark(const Json& graphs) {
    if (const char* before = std::getenv("AKGEN_CACHE")) before_ = before;
    base::UseFreshCache(dir_.path());
    std::ofstream(dir_.path() / "benchmark_graphs.json")
        << Json{{"schema", 1},
                {"tasks_hash", base::HashOfFolder(base::HomeDir() / "tasks")},
                {"graphs", graphs}};
  }
  ~GraphsOfBenchmark() {
    before_ ? ::setenv("AKGEN_CACHE", before_->c_str(), 1) : ::unsetenv("AKGEN_CACHE");
  }

 private:
  base::TempDir dir_ = std::move(*base::TempDir::Create());
  std::optional<std::string> before_;
};

// The benchmark has the graph of any case of a composition: the composition is passed over.
TEST(Problems, WhatTheBenchmarkHasIsPassedOver) {
  ProblemOptions o;
  o.compositions = 1, o.seed = 3;
  uint64_t index = 0;
  std::vector<std::string> graphs;
  {
    const GraphsOfBenchmark nothing(Json::object());
    auto all = Opened(o);
    ASSERT_TRUE(all.ok()) << all.error().ToString();
    const auto ids = Ids(*all);
    ASSERT_EQ(ids.size(), 1u);
    index = std::stoull(ids[0].substr(ids[0].rfind(' ') + 1));
    graphs = corpus::CanonicalsOf(corpus::RandomComposition(3, index));
  }
  ASSERT_FALSE(graphs.empty());
  for (const std::string& graph : {graphs.front(), graphs.back()}) {
    const GraphsOfBenchmark one({{"Sqrt", {graph}}});
    auto others = Opened(o);
    ASSERT_TRUE(others.ok());
    const auto ids = Ids(*others);
    ASSERT_EQ(ids.size(), 1u);
    EXPECT_GT(std::stoull(ids[0].substr(ids[0].rfind(' ') + 1)), index);
    EXPECT_GT(others->passed_over(), index);
  }
}

// A task that computes what a held-out one computes is as much held out.
TEST(Problems, WhatComputesAHeldOutTaskIsRefused) {
  ProblemFolder f;
  f.Add("tasks/records.jsonl", kRecord.dump() + "\n");
  ProblemOptions o;
  o.tasks = f.At(""), o.heldout = f.Add("heldout.json", R"({"tasks": {"Math": ["Tril"]}})");
  {
    const GraphsOfBenchmark apart({{"Sqrt", {"g", "h"}}, {"Tril", {"i"}}});
    EXPECT_TRUE(Opened(o).ok());
  }
  const GraphsOfBenchmark alike({{"Sqrt", {"g", "h"}}, {"Tril", {"i", "h"}}});
  const auto problems = Opened(o);
  ASSERT_FALSE(problems.ok());
  EXPECT_EQ(problems.error().message,
            "Sqrt is held out, or computes what a held-out task computes");
  EXPECT_EQ(problems.error().where, f.At("") + "tasks/records.jsonl");
  EXPECT_EQ(problems.error().fix,
            "make the folder again with this list: akgen corpus tasks --heldout " + o.heldout);
}

TEST(Problems, ErrorsSayWhereAndWhatToDo) {
  ProblemFolder f;
  ProblemOptions o;
  o.exclude = {f.At("none")};
  auto said = [&] {
    const auto p = Opened(o);
    return p.ok() ? "" : p.error().where + "|" + p.error().fix;
  };
  EXPECT_EQ(said(), f.At("none/synthetic/records.jsonl") +
                        "|name a folder of `akgen corpus build --synthetic`");
  o.exclude = {}, o.tasks = f.At("none");
  EXPECT_EQ(said(), "--tasks|--heldout models/heldout.json");
  o.heldout = f.Add("heldout.json", R"({"tasks": {"Math": ["Tril"]}})");
  EXPECT_EQ(said(), f.At("none/tasks/records.jsonl") +
                        "|make them: akgen corpus tasks --heldout FILE --out DIR");
  f.Add("none/tasks/records.jsonl", "{}\n");
  EXPECT_EQ(said(),
            f.At("none/tasks/records.jsonl") + "|make the folder again: akgen corpus tasks");
}

TEST(Problems, WhatMakesNoSenseIsTold) {
  ProblemFolder f;
  const std::string heldout = f.Add("heldout.json", R"({"tasks": {"Math": ["Sqrt"]}})"),
                    none = f.Add("none.json", R"({"tasks": {"Math": ["Tril"]}})");
  using Change = std::function<void(ProblemOptions&)>;
  const auto tasks = [&](const Json& record) {
    static int number = 0;
    const std::string folder = "t" + std::to_string(number++);
    f.Add(folder + "/tasks/records.jsonl", record.dump() + "\n");
    return f.At(folder);
  };
  const auto without = [](const char* key) {
    Json j = kRecord;
    j.erase(key);
    return j;
  };
  const auto with = [](const char* key, const char* value) {
    Json j = kRecord;
    j[key] = value;
    return j;
  };
  const std::tuple<Change, const char*, const char*> rows[] = {
      {[](auto& o) { o.chip = "none"; }, "AK0120", "no chip is called `none`"},
      {[&](auto& o) { o.exclude = {f.At("nothing")}; }, "AK0801", "there are no composed records"},
      {[&](auto& o) { o.tasks = tasks(kRecord); }, "AK0708",
       "tasks are asked only when it is said which are held out"},
      {[&](auto& o) { o.tasks = f.At("nothing"), o.heldout = none; }, "AK0801",
       "there are no records of tasks"},
      {[&](auto& o) { o.tasks = tasks(kRecord), o.heldout = heldout; }, "AK0801",
       "Sqrt is held out, or computes what a held-out task computes"},
      {[&](auto& o) { o.tasks = tasks(with("kind", "synthetic")), o.heldout = none; }, "AK0801",
       "this is no record of a task"},
      {[&](auto& o) { o.tasks = tasks(with("name", "")), o.heldout = none; }, "AK0801",
       "this is no record of a task"},
      {[&](auto& o) { o.tasks = tasks(without("operations")), o.heldout = none; }, "AK0801",
       "this is no record of a task"},
      {[&](auto& o) { o.tasks = tasks(without("program")), o.heldout = none; }, "AK0801",
       "this is no record of a task"},
      {[&](auto& o) { o.tasks = tasks("text"), o.heldout = none; }, "AK0801",
       "this is no record of a task"}};
  for (const auto& [change, code, message] : rows) {
    ProblemOptions o;
    change(o);
    const auto problems = Opened(o);
    ASSERT_FALSE(problems.ok()) << message;
    EXPECT_EQ(problems.error().code, code);
    EXPECT_EQ(problems.error().message, message);
  }
}

// The planner's own program passes and earns what a pass does; what is no program earns nothing or
// less; each text is judged once, and each answer has its line.
TEST(Rewarder, WhatAnAnswerEarns) {
  ProblemOptions o;
  o.compositions = 2, o.seed = 3;
  auto problems = Opened(o);
  ASSERT_TRUE(problems.ok());
  std::map<std::string, Problem> by_id;
  std::vector<std::string> ids;
  for (int i = 0; i < 2; ++i) {
    auto p = problems->Next();
    ASSERT_TRUE(p.ok() && *p);
    ids.push_back((*p)->id);
    by_id.emplace(ids.back(), **p);
  }
  const std::string program = by_id.at(ids[0]).program;
  by_id.at(ids[1]).program = "no program";  // nobody can tell of its answers
  base::TempDir dir = std::move(*base::TempDir::Create());
  ReinforceOptions options;
  options.jobs = 0;  // one at least
  Rewarder rewarder(by_id, options, dir.path() / "log.jsonl");
  const auto text = [](const std::string& id, const std::string& words) {
    return record::RewardedText{{{"id", id}}, words, "stop"};
  };
  const auto unknown = rewarder.Rewards({text(ids[0], program), text("other", "x")});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, "AK0801");
  EXPECT_EQ(unknown.error().message, "an answer to a problem that is none: `other`");
  const auto rewards = rewarder.Rewards({text(ids[0], program), text(ids[0], "no program"),
                                         text(ids[0], "no program"), text(ids[1], program)});
  ASSERT_TRUE(rewards.ok()) << rewards.error().ToString();
  ASSERT_EQ(rewards->size(), 4u);
  ASSERT_TRUE((*rewards)[0] && (*rewards)[1]);
  EXPECT_EQ(*(*rewards)[0], 1);
  EXPECT_LE(*(*rewards)[1], 0);
  EXPECT_EQ((*rewards)[1], (*rewards)[2]);
  EXPECT_FALSE((*rewards)[3]);
  EXPECT_EQ(rewarder.verdicts().at("pass"), 1u);
  EXPECT_EQ(rewarder.verdicts().at("undecided"), 1u);
  std::ifstream log(dir.path() / "log.jsonl");
  std::vector<Json> lines;
  for (std::string line; std::getline(log, line);) lines.push_back(Json::parse(line));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0]["id"], ids[0]);
  EXPECT_EQ(lines[0]["text"], program);
  EXPECT_EQ(lines[0]["verdict"], "pass");
  EXPECT_EQ(lines[0]["sealed"], true);
  EXPECT_EQ(lines[0]["right_values"], true);
  EXPECT_EQ(lines[0]["inputs_seed"], lines[1]["inputs_seed"]) << "one for a group";
  EXPECT_EQ(lines[2]["text"], "no program");
  lines[3].erase("inputs_seed");
  EXPECT_EQ(lines[3], Json({{"id", ids[1]},
                            {"verdict", "undecided"},
                            {"sealed", false},
                            {"reward", nullptr},
                            {"reward_version", record::kRewardVersion},
                            {"right_values", false},
                            {"bound_share", 0.0},
                            {"text", program}}));
  const auto again = rewarder.Rewards({text(ids[0], program)});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, std::vector<std::optional<double>>{1.0});
  EXPECT_EQ(rewarder.verdicts().at("pass"), 2u);
}
}  // namespace
}  // namespace akgen::learn
