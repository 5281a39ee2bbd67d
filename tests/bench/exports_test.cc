// Every format of an export, the metrics and the comparison of two made-up runs, to the letter
// (golden/exports.txt).
#include <gtest/gtest.h>

#include "../golden.h"
#include "base/files.h"
#include "bench/compare.h"
#include "bench/config.h"
#include "bench/export.h"
#include "bench/metrics.h"
#include "record/verdict.h"

namespace akgen::bench {
namespace {
class Exports : public ::testing::Test {
 protected:
  Exports() : dir_(std::move(base::TempDir::Create().value())) {}

  // Units of all levels, samples with every verdict; some are missing, some have no hidden part.
  store::Store Made(const std::string& name, size_t shift) {
    store::Options options;
    options.now = [] { return int64_t{1700000000}; };
    auto store =
        std::move(store::Store::Open(dir_.path() / name, store::Access::kAppend, options).value());
    std::string id;
    Config config;
    config.samples = 3;
    config.chip = shift ? "910B1" : "910B2";
    EXPECT_TRUE(store.AddRun(ToJson(config), id).ok());
    const char* verdicts[] = {"pass",          "finding",  "wrong_answer", "build_error",
                              "runtime_error", "timeout",  "unsupported",  "undecided",
                              "infra_error",   "rejected", "pass",         "no_code"};
    std::vector<store::TaskRow> units;
    std::vector<store::CandidateRow> candidates;
    std::vector<store::VerdictRow> rows;
    size_t at = shift;
    for (const char* unit : {"A@0", "A@1", "B,\"b\"", "C", "D", "E", "F", "G"}) {
      units.push_back({unit, unit[0] < 'C' ? "Math" : "No<rm>&", std::string("h") + unit,
                       1 + int(units.size()) % 4});
      for (int sample = 0; sample < 3; ++sample) {
        if (unit[0] == 'G' || (unit[0] == 'C' && sample == 0)) continue;
        candidates.push_back({unit, "p", "c" + std::to_string(at), sample});
        store::VerdictRow v;
        v.task = unit, v.sample = sample, v.part = "public", v.verdict = verdicts[at % 12],
        v.seed = at;
        v.reason = v.verdict == "pass" ? "" : "one\ntwo,\t\"three\" & <4>\x01", v.task_hash = "t",
        v.judge_hash = shift ? "j2" : "j1";
        v.chip_hash = "ch", v.candidate_hash = "ca", v.build_ms = 1.5, v.run_ms = 2.25,
        v.reference_ms = 3, v.check_ms = 4, v.wall_ms = 5;
        v.cached = at % 3 == 0;
        v.record = {{"sealed", at % 5 != 4},
                    {"verdict", v.verdict},
                    {"provenance", {{"judge", v.judge_hash}}}};
        if (v.verdict == "pass")
          v.record["cases"] = {{{"modelled",
                                 {{"us", 4.0 + double(at)},
                                  {"range_us", {3.0, 6.0}},
                                  {"baseline_us", 12.0},
                                  {"bound_us", 2.0}}}}};
        rows.push_back(v);
        if (v.verdict == "pass")
          v.part = "hidden", v.verdict = at % 4 == 2 ? "wrong_answer" : "pass", rows.push_back(v);
        ++at;
      }
    }
    EXPECT_TRUE(store.AddTasks(id, units).ok());
    EXPECT_TRUE(store.AddCandidates(id, candidates).ok());
    EXPECT_TRUE(store.AddVerdicts(id, rows).ok());
    return store;
  }
  base::TempDir dir_;
};

TEST_F(Exports, ToTheLetter) {
  const store::Store a = Made("a.db", 0), b = Made("b.db", 5);
  const store::RunRow run_a = a.Runs()->at(0), run_b = b.Runs()->at(0);
  std::string text;
  for (const char* format :
       {"upstream", "kernelbench", "multikernelbench", "junit", "csv", "nothing"}) {
    const auto out = Export(a, run_a, format);
    text += std::string("==== ") + format + "\n" + (out.ok() ? *out : out.error().fix + "\n");
  }
  for (const auto* run : {&a, &b}) {
    const auto metrics = Measure(*run, run->Runs()->at(0));
    ASSERT_TRUE(metrics.ok());
    text += "==== metrics\n" + ToJson(*metrics).dump(1) + "\n";
  }
  const auto compared = Compare(a, run_a, b, run_b);
  ASSERT_TRUE(compared.ok());
  text += "==== compared " + std::to_string(compared->both) + " " +
          std::to_string(compared->only_first) + " " + std::to_string(compared->only_second) + " " +
          std::to_string(compared->neither) + " " + std::to_string(compared->p_value) + " " +
          compared->different_config + "\n";
  for (const std::string& said : compared->mixture) text += said + "\n";
  for (const Flip& f : compared->flips)
    text += f.unit + " " + std::to_string(f.sample) + ": " + f.before + " -> " + f.after + "\n";
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "exports.txt", text);
}

TEST(McNemarTest, ByHand) {
  EXPECT_EQ(McNemar(0, 0), 1);
  EXPECT_NEAR(McNemar(0, 1), 1, 1e-12);
  EXPECT_NEAR(McNemar(0, 5), 2.0 / 32, 1e-12);
  EXPECT_NEAR(McNemar(5, 0), 2.0 / 32, 1e-12);
  EXPECT_NEAR(McNemar(1, 5), 2.0 * (1 + 6) / 64, 1e-12);
  EXPECT_NEAR(McNemar(3, 3), 1, 1e-12);
}

TEST(ConfigTest, WholeOnesComeBackToTheLetter) {
  const base::Json least = ToJson(Config{}), most = base::Json::parse(R"({"units": ["A", "B@1"],
      "chip": "910B3", "backend": "native", "profile": "tiny", "mode": "static",
      "form": "kernel-only", "host_hash": "h", "precision": "upstream", "inputs": "upstream",
      "checks": {"memcheck": false}, "include_dirs": ["x", "y"], "max_cases": 1, "samples": 2,
      "hidden": 3, "timeout_s": 4, "seed": 5, "hidden_seed": 6, "judge_hash": "j",
      "chip_hash": "c", "schema": 1, "time": true, "devices": {"sim": false, "npu": true}})");
  EXPECT_EQ(ToJson(ConfigFromJson(most)), most);
  EXPECT_EQ(ToJson(ConfigFromJson(least)), least);
  EXPECT_EQ(least.size() + 2, most.size()) << "two are absent otherwise";
  base::Json fewer = most;
  fewer.erase("backend"), fewer.erase("units");
  EXPECT_EQ(ConfigFromJson(fewer).backend, record::Backend::kNative);
  EXPECT_EQ(Differences(fewer, least),
            "checks, chip, chip_hash, devices, form, hidden, hidden_seed, host_hash, include_dirs, "
            "inputs, judge_hash, max_cases, mode, precision, profile, samples, seed, time, "
            "timeout_s, backend, units");
  for (const auto& [samples, right] :
       {std::pair{0, true}, {1000000, true}, {1000001, false}, {-1, false}}) {
    fewer["samples"] = samples;
    if (right)
      EXPECT_EQ(ConfigFromJson(fewer).samples, samples);
    else
      EXPECT_THROW(ConfigFromJson(fewer), base::Json::exception) << samples;
  }
}

TEST_F(Exports, HowRunsDifferIsSaidFromTheFirst) {
  store::Store a = Made("a.db", 0), b = Made("b.db", 5);
  store::RunRow one = a.Runs()->at(0), two = b.Runs()->at(0);
  one.config["time"] = true, two.config["devices"] = 1;
  EXPECT_EQ(Compare(a, one, b, two)->different_config, "chip, time, devices");
}

TEST(ConfigTest, EveryMemberComesBackAndCounts) {
  const base::Json j = ToJson(Config{});
  for (const auto& [key, value] : j.items()) {
    base::Json other = j;
    other[key] = value.is_string()    ? base::Json("x")
                 : value.is_boolean() ? base::Json(!value.get<bool>())
                 : value.is_number()  ? base::Json(value.get<int>() + 1)
                                      : value;
    if (other == j) continue;
    EXPECT_NE(Differences(j, other).find(key), std::string::npos) << key;
  }
  EXPECT_EQ(Differences(j, j), "");
}
}  // namespace
}  // namespace akgen::bench
