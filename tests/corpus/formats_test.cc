// Formats of trainers, what may be shipped, chat sets mixed in, generators side by side.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "corpus/export/compare.h"
#include "corpus/export/formats.h"
#include "corpus/export/shipping.h"
#include "corpus/records/stage.h"

namespace akgen::corpus {
namespace {
namespace fs = std::filesystem;
using base::Json;

std::vector<Json> Lines(const fs::path& file) {
  std::vector<Json> out;
  std::string text = *base::ReadFile(file), line;
  for (char c : text) {
    if (c != '\n')
      line += c;
    else
      out.push_back(Json::parse(line)), line.clear();
  }
  return out;
}

Json Record(const std::string& name, const std::string& split) {
  return {{"schema", 1},
          {"kind", "synthetic"},
          {"id", name},
          {"name", name},
          {"split", split},
          {"task", "the task"},
          {"program", "the program\n"},
          {"files", {{"op_host/a.cpp", "host"}, {"op_kernel/a.cpp", "kernel"}}},
          {"reasoning", {{"plan", "because\n"}, {"lowering", "therefore\n"}}},
          {"source", "here"},
          {"others_kernel", false}};
}
Json MistakeRecord() {
  Json r = Record("b", "train");
  r["kind"] = "repair";
  r["kernel"] = "op_kernel/a.cpp";
  r["failing"] = "broken kernel";
  r["diagnosis"] = "the queue is never freed";
  r["failed_verification"] = {
      {"verdict", "finding"},
      {"reason", ""},
      {"findings",
       {{{"code", "AK1405"}, {"message", "no more tensors"}, {"place", {{"line", 12}}}}}}};
  return r;
}

class Formats : public testing::Test {
 protected:
  void SetUp() override {
    auto dir = base::TempDir::Create();
    ASSERT_TRUE(dir.ok());
    dir_.emplace(std::move(*dir));
  }
  void Write(const std::vector<Json>& records) {
    std::string text;
    for (const Json& r : records) text += r.dump() + "\n";
    fs::create_directories(dir_->path() / "corpus/synthetic");
    ASSERT_TRUE(base::WriteFileAtomic(dir_->path() / "corpus/synthetic/records.jsonl", text).ok());
  }
  base::Result<Shipped> ShipAll(ShippingOptions o = {}) {
    return Ship(dir_->path() / "corpus", dir_->path() / "out", o);
  }
  fs::path Out(const char* name) const { return dir_->path() / "out" / name; }
  std::optional<base::TempDir> dir_;
};

TEST_F(Formats, AllOfThemFromOneRecord) {
  Write({Record("a", "train"), Record("t", "test"), MistakeRecord()});
  auto done = ShipAll();
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(done->samples, 5u);
  EXPECT_EQ(done->preferences, 1u);
  for (const std::string& f : FormatNames()) {
    bool array = f == "llama_factory";
    EXPECT_TRUE(fs::exists(Out(f.c_str()) / (array ? "sft.json" : "sft.jsonl"))) << f;
    EXPECT_TRUE(fs::exists(Out(f.c_str()) / (array ? "sft_test.json" : "sft_test.jsonl"))) << f;
    EXPECT_TRUE(fs::exists(Out(f.c_str()) / (array ? "preference.json" : "preference.jsonl"))) << f;
    for (const auto& e : fs::directory_iterator(Out(f.c_str())))
      EXPECT_NE(e.path().extension(), ".part") << e.path();
  }
  auto trl = Lines(Out("trl/sft.jsonl"));
  ASSERT_EQ(trl.size(), 3u);
  EXPECT_EQ(trl[0]["messages"][2]["content"],
            "<think>because\n</think>\n```python\nthe program\n```\n");
  EXPECT_NE(trl[1]["messages"][2]["content"].get<std::string>().find("therefore"),
            std::string::npos);
  EXPECT_NE(trl[2]["messages"][1]["content"].get<std::string>().find(
                "AK1405 at line 12: no more tensors"),
            std::string::npos);
  EXPECT_EQ(Lines(Out("openai/sft.jsonl"))[0]["messages"][2]["content"],
            "```python\nthe program\n```\n");
  Json swift = Lines(Out("ms_swift/preference.jsonl"))[0];
  EXPECT_NE(swift["messages"].back()["content"].get<std::string>().find("kernel"),
            std::string::npos);
  EXPECT_NE(swift["rejected_response"].get<std::string>().find("broken kernel"), std::string::npos);
  Json nemo = Lines(Out("nemo_rl/preference.jsonl"))[0];
  EXPECT_EQ(nemo["completions"][0]["rank"], 0);
  EXPECT_NE(
      nemo["completions"][1]["completion"][0]["content"].get<std::string>().find("broken kernel"),
      std::string::npos);
  Json mindspeed = Lines(Out("mindspeed_llm/preference.jsonl"))[0];
  for (const char* key : {"system", "question", "chosen", "rejected"})
    EXPECT_TRUE(mindspeed[key].is_string()) << key;
  Json info = Json::parse(*base::ReadFile(Out("llama_factory/dataset_info.json")));
  for (const auto& [name, set] : info.items())
    EXPECT_TRUE(fs::exists(Out("llama_factory") / set["file_name"].get<std::string>())) << name;
  EXPECT_TRUE(info.contains("akgen_sft_test"));
  EXPECT_FALSE(info.contains("akgen_sft_validation"));
  EXPECT_EQ(Json::parse(*base::ReadFile(Out("llama_factory/sft.json"))).size(), 3u);
}

TEST_F(Formats, SomebodyElsesKernelIsNotShipped) {
  Json theirs = Record("c", "train");
  theirs["others_kernel"] = true;
  Write({Record("a", "train"), theirs});
  auto done = ShipAll();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, "AK0804");
  EXPECT_FALSE(fs::exists(Out("trl/sft.jsonl")));
  ShippingOptions own;
  own.keep_others = true;
  EXPECT_TRUE(ShipAll(own).ok());
}

TEST_F(Formats, AChatSetIsMixedInAtItsShare) {
  std::vector<Json> records;
  for (int i = 0; i < 40; ++i) records.push_back(Record("a" + std::to_string(i), "train"));
  Write(records);
  std::string chat = "no json\n{\"messages\": [{\"role\": \"user\"}]}\n";
  for (int i = 0; i < 100; ++i)
    chat += i % 2 ? "{\"messages\": [{\"role\": \"user\", \"content\": \"q\"}, {\"role\": "
                    "\"assistant\", \"content\": "
                    "\"r\"}]}\n"
                  : "{\"conversations\": [{\"from\": \"human\", \"value\": \"q\"}, {\"from\": "
                    "\"gpt\", \"value\": \"r\"}]}\n";
  ASSERT_TRUE(base::WriteFileAtomic(dir_->path() / "chat.jsonl", chat).ok());
  ShippingOptions o;
  o.formats = {"trl"};
  o.answers = {"craft"};
  o.general = dir_->path() / "chat.jsonl";
  o.general_share = 0.2;
  auto done = ShipAll(o);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->general, 10u);
  EXPECT_EQ(done->general_skipped, 2u);
  EXPECT_EQ(Lines(Out("trl/sft.jsonl")).size(), 50u);
  EXPECT_FALSE(fs::exists(Out("verl/sft.jsonl")));
  o.general = dir_->path() / "none.jsonl";
  EXPECT_EQ(ShipAll(o).error().code, "AK0801");
}

TEST(Compare, GeneratorsStandSideBySide) {
  Column craft{
      "craft",
      {{"A", "pass", "", 0, 0, 4}, {"A", "pass", "", 1, 0, 7}, {"B", "refused", "", 0, 0, 0}},
      {}};
  Column direct{"direct",
                {{"A", "build_error", "", 0, 0, 0},
                 {"A", "pass", "", 0, 1, 9},
                 {"A", "wrong_answer", "", 1, 0, 0}},
                {}};
  const record::Comparison compared = CompareGenerators({craft, direct});
  const Json j = record::ToJson(compared);
  EXPECT_EQ(j["tasks"]["A"]["direct"]["built_first"], 1);
  EXPECT_EQ(j["tasks"]["A"]["direct"]["passed_first"], 0);
  EXPECT_EQ(j["tasks"]["A"]["direct"]["passed"], 1);
  EXPECT_EQ(j["tasks"]["A"]["direct"]["turns_to_pass"], 2.0);
  EXPECT_EQ(j["tasks"]["A"]["craft"]["passed_first"], 2);
  EXPECT_EQ(j["tasks"]["A"]["craft"]["modelled_us"], 4.0);
  EXPECT_EQ(j["all"]["craft"]["samples"], 2);  // B has no direct answers
  std::string text = CompareMarkdown(compared);
  EXPECT_NE(text.find("| task | craft | direct |"), std::string::npos);
  EXPECT_NE(text.find("| A | 2/2/2 of 2, 4.0 µs | 1/0/1 of 2, 9.0 µs |"), std::string::npos)
      << text;
  EXPECT_NE(text.find("| B | 0/0/0 of 1 | – |"), std::string::npos) << text;
}

// Of one sample, in any order: its first pass is what counts, the fastest what is timed.
TEST(Compare, TheFirstPassOfASampleCounts) {
  for (const auto& turns : std::vector<std::vector<int>>{{1, 3}, {3, 1}}) {
    Column one{"one", {{"A", "finding", "AK1201: late", 0, 0, 0}}, {}};
    for (int turn : turns) one.outcomes.push_back({"A", "pass", "", 0, turn, 10.0 - turn});
    one.outcomes.push_back({"A", "wrong_answer", "AK12 is no code", 1, 0, 0});
    one.outcomes.push_back({"A", "build_error", "of AK2001", 2, 0, 0});
    const Json j = record::ToJson(CompareGenerators({one}));
    EXPECT_EQ(j["tasks"]["A"]["one"]["turns_to_pass"], 2.0);
    EXPECT_EQ(j["tasks"]["A"]["one"]["passed"], 1);
    EXPECT_EQ(j["tasks"]["A"]["one"]["built_first"], 2);
    EXPECT_EQ(j["tasks"]["A"]["one"]["modelled_us"], 7.0);
    EXPECT_EQ(j["failures"]["one"], Json({{"build_error AK2001", 1}, {"wrong_answer", 1}}));
    EXPECT_EQ(j["first_verdicts"]["one"],
              Json({{"build_error", 1}, {"finding", 1}, {"wrong_answer", 1}}));
  }
}

TEST_F(Formats, WhatIsNoConversationIsLeftOut) {
  FormatWriter out(dir_->path() / "out", FormatNames());
  for (const auto& messages :
       std::vector<std::vector<generate::Message>>{{},
                                                   {{"assistant", "a"}},
                                                   {{"system", "s"}, {"assistant", "a"}},
                                                   {{"user", "u"}},
                                                   {{"", ""}, {"", ""}}}) {
    EXPECT_FALSE(IsConversation(messages));
    out.Add(Sample{messages, "", "n"});
  }
  out.Add(Preference{{{"system", "s"}}, "", "c", "", "r", "n"});
  EXPECT_EQ(out.left_out(), 6u);
  const std::vector<generate::Message> talk = {
      {"system", "s"}, {"user", "u"}, {"assistant", "a"}, {"user", "v"}, {"assistant", "b"}};
  EXPECT_TRUE(IsConversation(talk));
  out.Add(Sample{talk, "", "n"});
  ASSERT_TRUE(out.Close().ok());
  EXPECT_EQ(out.left_out(), 6u);
  const Json alpaca = Json::parse(*base::ReadFile(Out("llama_factory/sft.json")));
  ASSERT_EQ(alpaca.size(), 1u);
  EXPECT_EQ(alpaca[0]["instruction"], "v");
  EXPECT_EQ(alpaca[0]["history"], Json::parse(R"([["u", "a"]])"));
  EXPECT_EQ(alpaca[0]["output"], "b");
}

TEST_F(Formats, ADamagedLedgerIsRefused) {
  const fs::path dir = dir_->path() / "stage";
  { ASSERT_TRUE(Stage::Open(dir, Json::object(), {"records"}, {"reasons"}).ok()); }
  for (const char* state :
       {R"({"bytes": 0})", R"({"bytes": 0, "records": 1})", R"({"bytes": "x"})", "{}"}) {
    auto ledger = Ledger::Open(dir / "ledger.db", "{}");
    ASSERT_TRUE(ledger.ok() && ledger->Begin().ok() && ledger->Commit(Json::parse(state)).ok());
    auto stage = Stage::Open(dir, Json::object(), {"records"}, {"reasons"});
    ASSERT_FALSE(stage.ok()) << state;
    EXPECT_EQ(stage.error().code, "AK0801");
  }
}
}  // namespace
}  // namespace akgen::corpus
