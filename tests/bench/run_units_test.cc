// A run of two small candidates: what the store, the cache and the summary hold of it.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "../fresh_cache.h"
#include "base/hash.h"
#include "bench/config.h"
#include "bench/generator.h"
#include "bench/run.h"
#include "judge/session/provenance.h"
#include "record/judgement.h"

namespace akgen::bench {
namespace {
namespace fs = std::filesystem;

class RunUnits : public ::testing::Test {
 protected:
  RunUnits() {
    const char* cache = std::getenv("AKGEN_CACHE");
    before_ = cache ? std::optional<std::string>(cache) : std::nullopt;
    base::UseFreshCache(At("cache"));
    config_.units = {"Sqrt"};
    config_.max_cases = 1, config_.hidden = 1, config_.samples = 2;
    config_.seed = 5, config_.hidden_seed = 6;
    config_.judge_hash = "judge", config_.chip_hash = "chip";
    options_.candidates = At("all");
    options_.progress = [this](const RunOptions::Progress& p) {
      shown_.push_back(std::to_string(p.done) + "/" + std::to_string(p.all) + " " +
                       std::to_string(p.before) + " " + p.what + " " + p.verdict);
    };
    const fs::path right = base::HomeDir() / "examples/kernels/sqrt_via_float";
    fs::create_directories(At("all/Sqrt"));
    fs::copy(right, At("all/Sqrt/sample0"), fs::copy_options::recursive);
    fs::copy(right, At("all/Sqrt/sample1"), fs::copy_options::recursive);
    std::ofstream(At("all/Sqrt/sample1/op_kernel/sqrt.cpp"))
        << "extern \"C\" __global__ __aicore__ void sqrt(GM_ADDR x) { none }\n";
  }
  ~RunUnits() override {
    if (before_)
      ::setenv("AKGEN_CACHE", before_->c_str(), 1);
    else
      ::unsetenv("AKGEN_CACHE");
  }
  fs::path At(const std::string& name) const { return dir_.path() / name; }
  store::Store Open(const std::string& name) {
    return std::move(store::Store::Open(At(name), store::Access::kAppend).value());
  }
  base::Result<RunSummary> Go(store::Store& store) {
    auto units = UnitsOf(*SelectTasks({"Sqrt"}), config_);
    EXPECT_TRUE(units.ok());
    return bench::Run(config_, *units, store, options_);
  }
  static std::string Counts(const base::Result<RunSummary>& s) {
    if (!s.ok()) return s.error().code + ": " + s.error().message;
    return std::to_string(s->candidates) + " before " + std::to_string(s->before) + " judged " +
           std::to_string(s->judged) + " cached " + std::to_string(s->from_cache) + " left " +
           std::to_string(s->left) + " changed " + std::to_string(s->changed.size());
  }
  static std::string Rows(const store::Store& store) {
    std::string out;
    const std::vector<store::VerdictRow> rows = *store.Verdicts(store.Runs()->at(0).id);
    for (const store::VerdictRow& v : rows) {
      out += v.task + " " + std::to_string(v.sample) + " " + v.part + " " + v.verdict + " " +
             v.judge_hash + " " + v.chip_hash + " " + std::to_string(v.seed) +
             (v.cached ? " cached" : "");
      const auto cases = *record::CasesFromJson(v.record);
      for (const auto& c : cases) out += " " + c.id;
      out += "\n";
    }
    return out;
  }

  base::TempDir dir_ = std::move(*base::TempDir::Create());
  std::optional<std::string> before_;
  Config config_;
  RunOptions options_;
  std::vector<std::string> shown_;
};

TEST_F(RunUnits, ARunIsStoredOnceAndGoesOn) {
  store::Store store = Open("a.db");
  std::atomic<bool> stop = true;
  options_.stop = &stop, options_.jobs = 0;
  EXPECT_EQ(Counts(Go(store)), "2 before 0 judged 0 cached 0 left 2 changed 0") << "stopped";
  stop = false;
  EXPECT_EQ(Counts(Go(store)), "2 before 0 judged 2 cached 0 left 0 changed 0");
  EXPECT_EQ(shown_, (std::vector<std::string>{"1/2 0 Sqrt sample 0 pass",
                                              "2/2 0 Sqrt sample 1 build_error"}));
  const std::string rows =
      "Sqrt 0 public pass judge chip 5 0\n"
      "Sqrt 0 hidden pass judge chip 6 hidden0\n"
      "Sqrt 1 public build_error judge chip 5 0\n"
      "Sqrt 1 hidden build_error judge chip 6 hidden0\n";
  EXPECT_EQ(Rows(store), rows);
  const auto verdicts = *store.Verdicts(store.Runs()->at(0).id);
  EXPECT_EQ(verdicts[0].candidate_hash, base::HashOfFolder(At("all/Sqrt/sample0")));
  EXPECT_EQ(verdicts[0].task_hash, judge::HashOfTask(*task::LoadTask("Sqrt")));
  EXPECT_GT(verdicts[0].build_ms, 0);
  EXPECT_GT(verdicts[0].run_ms, 0);
  EXPECT_GT(verdicts[0].reference_ms, 0);
  EXPECT_GT(verdicts[0].check_ms, 0);
  EXPECT_GE(verdicts[0].wall_ms, verdicts[0].run_ms);
  const auto candidates = *store.Candidates(store.Runs()->at(0).id);
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_EQ(candidates[1].path, At("all/Sqrt/sample1"));
  EXPECT_EQ(candidates[1].hash, verdicts[3].candidate_hash);
  EXPECT_EQ(Counts(Go(store)), "2 before 2 judged 0 cached 0 left 0 changed 0");

  // From the cache, where it may be; what a candidate or the run is decides whether it is the same.
  store::Store again = Open("b.db");
  EXPECT_EQ(Counts(Go(again)), "2 before 0 judged 2 cached 2 left 0 changed 0");
  EXPECT_NE(Rows(again).find("Sqrt 0 public pass judge chip 5 cached 0"), std::string::npos)
      << Rows(again);
  store::Store fresh = Open("c.db");
  options_.cache = false;
  EXPECT_EQ(Counts(Go(fresh)), "2 before 0 judged 2 cached 0 left 0 changed 0");
  config_.timeout_s = 100;
  EXPECT_EQ(Counts(Go(fresh)), "AK0512: the file holds a run that differs in: timeout_s");
}

TEST_F(RunUnits, ShardsAreMerged) {
  config_.hidden = 0;
  options_.shards = 2;
  for (int shard : {0, 1}) {
    options_.shard = shard;
    store::Store store = Open("part" + std::to_string(shard));
    EXPECT_EQ(Counts(Go(store)), "1 before 0 judged 1 cached 0 left 0 changed 0");
  }
  store::Store whole = Open("whole");
  const auto merged = Merge({At("part0"), At("part1")}, whole);
  EXPECT_EQ(Counts(merged), "2 before 0 judged 2 cached 0 left 0 changed 0");
  EXPECT_EQ(Rows(whole),
            "Sqrt 0 public pass judge chip 5 0\n"
            "Sqrt 1 public build_error judge chip 5 0\n");
  EXPECT_EQ(Counts(Merge({At("part1")}, whole)), "1 before 0 judged 0 cached 0 left 0 changed 0");
  config_.chip_hash = "other", options_.shards = 1, options_.shard = 0;
  {
    store::Store other = Open("other");
    EXPECT_TRUE(Go(other).ok());
  }
  EXPECT_EQ(Counts(Merge({At("other")}, whole)),
            "AK0513: this is a part of another run; it differs in: chip_hash");
}

TEST_F(RunUnits, ACandidateThatChangesIsNotStored) {
  config_.hidden = 0;
  const auto show = options_.progress;
  options_.progress = [&](const RunOptions::Progress& p) {
    show(p);
    std::ofstream(At("all/Sqrt/sample1/op_kernel/more.h")) << "// more\n";
  };
  store::Store store = Open("a.db");
  const auto s = Go(store);
  EXPECT_EQ(Counts(s), "2 before 0 judged 1 cached 0 left 1 changed 1");
  EXPECT_EQ(s->changed[0].code + " " + s->changed[0].message,
            "AK0511 the candidate changed while it was judged");
  EXPECT_EQ(Rows(store), "Sqrt 0 public pass judge chip 5 0\n");
}

TEST_F(RunUnits, CasesByProfileAndMode) {
  config_.samples = 1, config_.profile = "ragged", config_.max_cases = 2, config_.hidden = 0;
  store::Store ragged = Open("ragged");
  EXPECT_TRUE(Go(ragged).ok());
  EXPECT_EQ(Rows(ragged), "Sqrt 0 public pass judge chip 5 ragged0 ragged1\n");
  config_.profile = "full", config_.mode = "static", config_.max_cases = 1, config_.hidden = 2;
  config_.units = {"Sqrt@0"};
  fs::create_directories(At("all/Sqrt/case0"));
  fs::rename(At("all/Sqrt/sample0"), At("all/Sqrt/case0/sample0"));
  store::Store of_case = Open("static");
  EXPECT_TRUE(Go(of_case).ok());
  EXPECT_EQ(Rows(of_case),
            "Sqrt@0 0 public pass judge chip 5 0\n"
            "Sqrt@0 0 hidden pass judge chip 6 hidden0 hidden1\n");
}

TEST_F(RunUnits, WhatIsPlannedIsReported) {
  const fs::path sqrt = task::LoadTask("Sqrt")->folder, own = At("tasks/level1/Math/Odd");
  fs::create_directories(own.parent_path());
  fs::copy(sqrt, own, fs::copy_options::recursive);
  std::string text = *base::ReadFile(own / "task.toml");
  text.replace(text.find("\"Sqrt\""), 6, "\"Odd\"");
  std::ofstream(own / "task.toml") << text;
  const std::string x = task::LoadTask("Sqrt")->inputs[0].name;
  std::ofstream(own / "reference.py")
      << "def reference(" + x + ": Tensor) -> Tensor:\n    if bool(" + x + ".sum() > 0):\n" +
             "        return torch.sqrt(" + x + ")\n    return torch.sqrt(" + x + ") + 1\n";
  config_.units = {"Sqrt", "Odd"};
  config_.samples = 1;
  const auto units = UnitsOf(*SelectTasks({"Sqrt", At("tasks").string()}), config_);
  ASSERT_TRUE(units.ok());
  ASSERT_EQ(units->size(), 2u);
  fs::create_directories(At("made/Sqrt/old"));
  std::vector<std::string> tried;
  const auto made = GenerateByPlan(
      *units, At("made"), *craft::LoadTarget(),
      [&](size_t done, const auto& name) { tried.push_back(std::to_string(done) + name); });
  ASSERT_TRUE(made.ok()) << made.error().ToString();
  EXPECT_EQ(tried, (std::vector<std::string>{"0Sqrt", "1Odd"}));
  ASSERT_EQ(made->size(), 2u);
  EXPECT_TRUE(made->at(0).emitted() && !made->at(1).emitted());
  EXPECT_FALSE(fs::exists(At("made/Sqrt/old")));
  EXPECT_TRUE(fs::exists(At("made/Sqrt/sample0/program.py")));
  options_.candidates = At("made");
  store::Store store = Open("a.db");
  const auto s = bench::Run(config_, *units, store, options_);
  ASSERT_TRUE(s.ok()) << s.error().ToString();
  EXPECT_EQ(ToJson(*ReportOf(*made, store, s->run)),
            base::Json({{"tasks", 2},
                        {"emitted", 1},
                        {"built", 1},
                        {"passed", 1},
                        {"refused", {{"Odd", made->at(1).reason}}},
                        {"passed_hidden", 1},
                        {"failed", base::Json::object()},
                        {"findings", 0}}));
  EXPECT_EQ(ToJson(*ReportOf(*made, store, "none"))["built"], 0);
}
}  // namespace
}  // namespace akgen::bench
