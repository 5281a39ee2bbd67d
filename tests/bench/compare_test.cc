// What a comparison of two runs says of cases: findings and modelled times that differ.
#include <gtest/gtest.h>

#include "base/files.h"
#include "bench/compare.h"
#include "bench/config.h"

namespace akgen::bench {
namespace {
using base::Json;

Json Finding(const char* code, int line, bool warning = false) {
  return {{"code", code}, {"place", {{"file", "k.cpp"}, {"line", line}}}, {"warning", warning}};
}
Json Case(const char* id, const std::vector<Json>& findings, const Json& modelled = nullptr) {
  return {{"id", id}, {"verdict", "pass"}, {"findings", findings}, {"modelled", modelled}};
}

class CompareCases : public ::testing::Test {
 protected:
  store::Store Run(const std::string& name, const std::vector<Json>& cases) {
    auto store = std::move(store::Store::Open(dir_.path() / name, store::Access::kAppend).value());
    std::string id;
    EXPECT_TRUE(store.AddRun(ToJson(Config()), id).ok());
    EXPECT_TRUE(store.AddTasks(id, {{"Sqrt", "Math", "h", 1}}).ok());
    EXPECT_TRUE(store.AddCandidates(id, {{"Sqrt", "p", "c", 0}}).ok());
    store::VerdictRow v;
    v.task = "Sqrt", v.part = "public", v.verdict = "pass";
    v.record = {{"sealed", true}, {"backend", "guest"}, {"verdict", "pass"}, {"cases", cases}};
    EXPECT_TRUE(store.AddVerdicts(id, {v}).ok());
    return store;
  }
  // Every difference, a line each.
  std::string Differences(const std::vector<Json>& before, const std::vector<Json>& after) {
    const std::string number = std::to_string(++runs_);
    const auto a = Run("a" + number, before), b = Run("b" + number, after);
    const auto c = Compare(a, a.Runs()->front(), b, b.Runs()->front());
    if (!c.ok()) return c.error().ToString();
    std::string out;
    for (const FindingChange& f : c->findings)
      out += f.at.id + ": " + f.finding + " " + std::to_string(f.before) + "->" +
             std::to_string(f.after) + "\n";
    for (const TimeChange& t : c->times)
      out += t.at.id + ": " + Json(t.before_us).dump() + "->" + Json(t.after_us).dump() + " us\n";
    EXPECT_EQ(c->Same(), out.empty());
    return out;
  }
  base::TempDir dir_ = std::move(base::TempDir::Create().value());
  int runs_ = 0;
};

TEST_F(CompareCases, SaysEveryDifference) {
  const Json race = Finding("AK1201", 12), slow{{"us", 4.0}}, fast{{"us", 3.5}};
  struct Row {
    std::vector<Json> before, after;
    const char* said;
  };
  const Row rows[] = {
      {{Case("0", {race}, slow)}, {Case("0", {race}, slow)}, ""},
      {{Case("0", {})}, {Case("0", {race})}, "0: AK1201 k.cpp:12 0->1\n"},
      {{Case("0", {race, race})}, {Case("0", {race})}, "0: AK1201 k.cpp:12 2->1\n"},
      {{Case("0", {race})},
       {Case("0", {Finding("AK1201", 12, true)})},
       "0: AK1201 k.cpp:12 1->0\n0: AK1201 k.cpp:12 (warning) 0->1\n"},
      {{Case("0", {race}), Case("1", {}, slow)},
       {Case("0", {Finding("AK1201", 13)}), Case("1", {}, fast)},
       "0: AK1201 k.cpp:12 1->0\n0: AK1201 k.cpp:13 0->1\n1: 4.0->3.5 us\n"},
      // A time that was asked for and is none; one that nobody asked for; a case of one run alone.
      {{Case("0", {}, slow)}, {Case("0", {}, {{"trace_cut", true}})}, "0: 4.0->0.0 us\n"},
      {{Case("0", {}, slow)}, {Case("0", {})}, ""},
      {{Case("0", {})}, {Case("0", {}), Case("1", {race})}, ""},
  };
  for (const Row& row : rows)
    EXPECT_EQ(Differences(row.before, row.after), row.said) << Json(row.before);
}
}  // namespace
}  // namespace akgen::bench
