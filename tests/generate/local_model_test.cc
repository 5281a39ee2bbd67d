// Answers of a model on this machine: a random checkpoint with a token for each byte below 150.
#include "generate/local_model.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/files.h"
#include "replies.h"

namespace akgen::generate {
namespace {
namespace fs = std::filesystem;
using base::Json;

// How GPT-2's alphabet writes a byte.
std::string Printable(int byte) {
  const auto itself = [](int b) { return (b >= '!' && b <= '~') || (b >= 0xA1 && b != 0xAD); };
  int c = byte;
  if (!itself(byte)) {
    c = 256;
    for (int b = 0; b < byte; ++b) c += !itself(b);
  }
  if (c < 0x80) return std::string(1, char(c));
  return {char(0xC0 | (c >> 6)), char(0x80 | (c & 0x3F))};
}

class Local : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(base::ExecutableDir() / "akgen-lm")) GTEST_SKIP() << "built without akgen-lm";
    fs::copy(AKGEN_LM_DATA "/qwen3_tiny", dir_.path());
    Json vocab = Json::object(), added = Json::array();
    for (int b = 0; b < 150; ++b) vocab[Printable(b)] = b;
    for (const char* name : {"<|endoftext|>", "<|im_start|>", "<|im_end|>"})
      added.push_back({{"id", 150 + added.size()}, {"content", name}, {"special", true}});
    std::ofstream(dir_.path() / "tokenizer.json")
        << Json{{"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", Json::array()}}},
                {"added_tokens", added},
                {"pre_tokenizer", {{"type", "ByteLevel"}}}};
    s_.url = dir_.path().string(), s_.max_tokens = 8;
    s_.transcript = dir_.path() / "transcript.jsonl";
  }
  std::unique_ptr<Model> Loaded() {
    auto m = MakeModel(s_, stop_);
    EXPECT_TRUE(m.ok()) << m.error().ToString();
    return m.ok() ? std::move(*m) : nullptr;
  }
  static Request Asking(uint64_t seed, int n = 1) {
    return {{{"user", "hi"}}, n, seed, {{"task", "T"}}};
  }
  base::TempDir dir_ = std::move(*base::TempDir::Create());
  ModelSettings s_;
  const std::atomic<bool>* stop_ = nullptr;
};

TEST_F(Local, SeveralAnswersAreThoseOfTheirSeeds) {
  const auto model = Loaded();
  ASSERT_TRUE(model);
  const auto three = model->Ask(Asking(7, 3));
  ASSERT_TRUE(three.ok()) << three.error().ToString();
  ASSERT_EQ(three->size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const Answer& a = (*three)[i];
    EXPECT_EQ(a.finish, a.completion_tokens == 8 ? "length" : "stop");
    EXPECT_LE(a.completion_tokens, 8);
    EXPECT_EQ(a.prompt_tokens > 0, i == 0) << "of the whole request";
    EXPECT_EQ(a.attempts, 1);
    EXPECT_GT(a.ms, 0);
    EXPECT_EQ(model->Ask(Asking(7 + i))->at(0).text, a.text) << "what its seed draws alone";
  }
  EXPECT_TRUE((*three)[0].text != (*three)[1].text || (*three)[1].text != (*three)[2].text);
  // Asked by several at a time.
  std::vector<std::string> texts(3);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 3; ++i)
    threads.emplace_back([&, i] { texts[i] = model->Ask(Asking(7 + i))->at(0).text; });
  for (std::thread& t : threads) t.join();
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(texts[i], (*three)[i].text);
  std::istringstream lines(*base::ReadFile(s_.transcript));
  size_t asked = 0;
  for (std::string line; std::getline(lines, line); ++asked) {
    const Json j = Json::parse(line);
    EXPECT_EQ(j["tags"], Json({{"task", "T"}}));
    EXPECT_EQ(j["messages"][0]["content"], "hi");
  }
  EXPECT_EQ(asked, 7u);
}

TEST_F(Local, WhatARequestSaysItself) {
  s_.temperature = 0.7;
  const auto model = Loaded();
  ASSERT_TRUE(model);
  Request r = Asking(1);
  r.temperature_scale = 0;
  const std::string likeliest = model->Ask(r)->at(0).text;
  r.seed = 2;
  EXPECT_EQ(model->Ask(r)->at(0).text, likeliest) << "no chance is left";
  r.sampling = Sampling{0.7, 1, 3, "", {}};
  const Answer three = model->Ask(r)->at(0);
  EXPECT_EQ(three.text, likeliest.substr(0, three.text.size()));
  EXPECT_EQ(three.completion_tokens, 3);
  r.sampling->grammar = "root ::= \"ab\" [xy]";
  EXPECT_EQ(model->Ask(r)->at(0).text.substr(0, 2), "ab");
  r.sampling->max_tokens = 8, r.sampling->stop = {"b"};
  EXPECT_EQ(model->Ask(r)->at(0).text, "a");
  r.sampling->stop.clear();
  r.prefix = "abx and more", r.prefix_bytes = 1;
  EXPECT_EQ(model->Ask(r)->at(0).text.substr(0, 2), "ab");
  r.prefix = "zz";
  EXPECT_EQ(model->Ask(r).error().code, "AK1932");
  Request text = Asking(1);
  text.prompt = "hello", text.temperature_scale = 0;
  const auto continued = model->Ask(text);
  ASSERT_TRUE(continued.ok());
  EXPECT_EQ(continued->at(0).prompt_tokens, 5) << "without roles";
  text.prompt = std::string(5000, 'x');
  EXPECT_EQ(model->Ask(text).error().code, "AK1930");
}

// One of several that are asked together has a prefix that its grammar refuses.
TEST_F(Local, APrefixThatDoesNotFitCostsItselfAlone) {
  s_.grammar = "root ::= [a-c]+";
  const auto model = Loaded();
  ASSERT_TRUE(model);
  std::vector<std::string> said(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      Request r = Asking(i);
      r.prefix = i == 2 ? "z" : "b", r.prefix_bytes = 1;
      const auto a = model->Ask(r);
      said[i] = a.ok() ? a->at(0).text.substr(0, 1) : a.error().code;
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(said, (std::vector<std::string>{"b", "b", "AK1932", "b"}));
}

TEST_F(Local, WaitsEndWithTheirTimeOrTheRun) {
  std::atomic<bool> stop = false;
  stop_ = &stop;
  {
    const auto model = Loaded();
    ASSERT_TRUE(model);
    stop = true;
    EXPECT_EQ(model->Ask(Asking(1)).error().code, "AK0709");
  }
  stop = false;
  s_.timeout_s = 0;
  const auto late = MakeModel(s_, stop_);
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(Said(late.error()),
            "AK0701|akgen-lm did not answer in time||allow more with --request-timeout, or ask for "
            "fewer tokens with --max-tokens");
}
}  // namespace
}  // namespace akgen::generate
