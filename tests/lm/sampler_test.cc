#include "lm/sample/sampler.h"

#include <gtest/gtest.h>

#include <set>

#include "base/files.h"
#include "lm/sample/draw.h"

namespace akgen::lm {
namespace {
namespace fs = std::filesystem;
using base::Json;
const fs::path kSamplerData = AKGEN_LM_DATA;

// A random checkpoint with a tokenizer of 160 tokens beside it: printable bytes and the chat's own.
class LmSampler : public testing::Test {
 protected:
  LmSampler() : dir_(std::move(*base::TempDir::Create())) {
    fs::copy(kSamplerData / "qwen3_tiny", dir_.path());
    std::vector<std::string> vocab;
    for (int b = 0; b < 150; ++b) vocab.push_back(std::string(1, char(b)));
    auto t = Tokenizer::Make(
        vocab, {},
        {{150, "<|endoftext|>", true}, {151, "<|im_start|>", true}, {152, "<|im_end|>", true}},
        kQwenPattern);
    EXPECT_TRUE(base::WriteFileAtomic(dir_.path() / "tokenizer.json", t->ToJson().dump()).ok());
    auto m = LocalModel::Load(dir_.path());
    EXPECT_TRUE(m.ok()) << (m.ok() ? "" : m.error().ToString());
    model_ = std::move(*m);
  }
  std::vector<Completion> Ask(const SampleOptions& o, const std::string& prompt = "hello") {
    auto c = model_->Complete(model_->tokenizer().Encode(prompt), o);
    EXPECT_TRUE(c.ok()) << (c.ok() ? "" : c.error().ToString());
    return c.ok() ? *c : std::vector<Completion>{};
  }
  base::TempDir dir_;
  std::unique_ptr<LocalModel> model_;
};

// The stored logits of the reference implementation say which token is the likeliest: writing with
// the cache must agree with reading the longer prompt.
TEST_F(LmSampler, CacheAgreesWithReading) {
  SampleOptions o;
  o.temperature = 0, o.max_tokens = 12;
  const Completion whole = Ask(o)[0];
  std::string text = whole.text, prompt = "hello";
  ASSERT_EQ(text.size(), 12u);
  double log_p = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    o.max_tokens = 1;
    const Completion one = Ask(o, prompt)[0];
    EXPECT_EQ(one.text, text.substr(i, 1)) << i;
    EXPECT_LT(one.log_p, 0);
    log_p += one.log_p, prompt += text[i];
  }
  EXPECT_NEAR(whole.log_p, log_p, 1e-3) << "of all tokens";
}

// A continued prefix gives the likeliest tokens of the whole; other completions of the batch have
// no prefix.
TEST_F(LmSampler, ContinuesAPrefix) {
  SampleOptions o;
  o.temperature = 0, o.max_tokens = 12;
  const std::string text = Ask(o)[0].text;
  o.n = 3, o.max_tokens = 7;
  o.prefixes = {{}, {text, 5}, {text.substr(0, 5) + "xyz", 5}};
  auto c = Ask(o);
  EXPECT_EQ(c[0].text, text.substr(0, 7));
  EXPECT_EQ(c[1].text, text);
  EXPECT_EQ(c[2].text, text);
  EXPECT_EQ(c[1].tokens, 7);
  o.grammar = "root ::= [0-9]+";
  EXPECT_EQ(model_->Complete(model_->tokenizer().Encode("hello"), o).error().code, "AK1932");
  o.n = 1, o.temperature = 1, o.prefixes = {{"2468", 3}};
  EXPECT_EQ(Ask(o)[0].text.substr(0, 3), "246");
  o.prefixes = {{std::string(3000, '1'), 3000}};
  EXPECT_EQ(model_->Complete(model_->tokenizer().Encode("hello"), o).error().code, "AK1930");
  Json r = {{"prompt", "hello"}, {"n", 2}, {"prefixes", {nullptr}}};
  EXPECT_EQ(model_->Answer(r)["error"]["code"], "AK1932");
  r["prefixes"] = {nullptr, {{"text", "abc"}, {"bytes", 2}}}, r["max_tokens"] = 4;
  EXPECT_EQ(model_->Answer(r)["choices"][1]["text"].get<std::string>().substr(0, 2), "ab");
}

TEST_F(LmSampler, SeedsRepeatAndSamplesDiffer) {
  SampleOptions o;
  o.n = 4, o.max_tokens = 20, o.seed = 5, o.temperature = 1;
  auto a = Ask(o), b = Ask(o);
  o.n = 2;
  auto c = Ask(o);
  std::set<std::string> texts;
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(a[i].text, b[i].text);
    texts.insert(a[i].text);
  }
  EXPECT_EQ(texts.size(), 4u);
  EXPECT_EQ(c[1].text, a[1].text);
  o.seed = 6;
  EXPECT_NE(Ask(o)[0].text, a[0].text);
}

TEST_F(LmSampler, EachSeedDrawsWhatItDrawsAlone) {
  SampleOptions o;
  o.max_tokens = 20, o.temperature = 1;
  std::vector<std::string> alone;
  for (uint64_t seed : {5, 9, 6}) {
    o.seed = seed;
    alone.push_back(Ask(o)[0].text);
  }
  Json answer = model_->Answer(
      {{"prompt", "hello"}, {"seeds", {9, 5, 6}}, {"max_tokens", 20}, {"temperature", 1}});
  ASSERT_EQ(answer["choices"].size(), 3u) << answer.dump();
  EXPECT_EQ(answer["choices"][0]["text"], alone[1]);
  EXPECT_EQ(answer["choices"][1]["text"], alone[0]);
  EXPECT_EQ(answer["choices"][2]["text"], alone[2]);
}

TEST_F(LmSampler, GrammarHolds) {
  SampleOptions o;
  o.n = 8, o.max_tokens = 40, o.temperature = 1.5,
  o.grammar = "root ::= (\"ab\" | \"c\" [0-9])+ \".\"";
  auto g = Grammar::Parse(o.grammar, "g");
  for (const Completion& c : Ask(o)) {
    int state = (*g)->Next((*g)->start(), c.text);
    ASSERT_NE(state, Grammar::kDead) << c.text;
    EXPECT_EQ((*g)->Accepts(state), c.finish == "stop") << c.text;
  }
}

TEST_F(LmSampler, StopTextsAndLengths) {
  SampleOptions o;
  o.temperature = 0, o.max_tokens = 12;
  std::string text = Ask(o)[0].text;
  o.stop = {text.substr(4, 2)};
  Completion c = Ask(o)[0];
  EXPECT_EQ(c.finish, "stop");
  EXPECT_EQ(c.text, text.substr(0, text.find(o.stop[0])));
  o.stop.clear(), o.max_tokens = 1000;
  c = Ask(o)[0];
  if (c.finish == "length") EXPECT_EQ(c.tokens + 5, 64);  // the context is full
}

TEST_F(LmSampler, PromptLongerThanTheContext) {
  auto c = model_->Complete(std::vector<int>(64, 1), {});
  ASSERT_FALSE(c.ok());
  EXPECT_EQ(c.error().code, "AK1930");
}

TEST_F(LmSampler, RequestsAreAnswered) {
  Json answer = model_->Answer({{"id", 7},
                                {"messages", Json::array({{{"role", "user"}, {"content", "hi"}}})},
                                {"n", 2},
                                {"max_tokens", 5},
                                {"seed", 3}});
  ASSERT_TRUE(answer.contains("choices")) << answer.dump();
  EXPECT_EQ(answer["choices"].size(), 2u);
  EXPECT_EQ(answer["id"], 7);
  EXPECT_GT(answer["prompt_tokens"].get<int>(), 5);
}

TEST_F(LmSampler, BadRequestsAreNamed) {
  auto code = [&](const Json& r) {
    return model_->Answer(r).value("error", Json::object()).value("code", "none");
  };
  EXPECT_EQ(code({{"prompt", "x"}, {"max_tokens", 1}}), "none");
  EXPECT_EQ(code(Json::array()), "AK1932");
  EXPECT_EQ(code(Json::object()), "AK1932");
  EXPECT_EQ(code({{"prompt", "x"}, {"n", "two"}}), "AK1932");
  EXPECT_EQ(code({{"prompt", "x"}, {"n", 0}}), "AK1932");
  EXPECT_EQ(code({{"prompt", "x"}, {"grammar", "root ::= "}}), "none");
  EXPECT_EQ(code({{"prompt", "x"}, {"grammar", "broken"}}), "AK1931");
  EXPECT_EQ(code({{"messages", "x"}}), "AK1920");
}

// Else two samples meet where one is a few tokens longer than the other, and say the same from
// there on.
TEST(LmDraw, SeedsThatStandInARowShareNoNumbers) {
  std::vector<Random> all;
  constexpr uint64_t kStep = 0x9E3779B97F4A7C15ull;  // of the counter
  for (uint64_t i = 0; i < 4; ++i)
    all.insert(all.end(),
               {Random(1 + i), Random(100 + i * kStep), Random(7, i), Random(8 + i * kStep, 0)});
  std::set<uint64_t> seen;
  for (Random& r : all)
    for (int k = 0; k < 500; ++k) seen.insert(r.Next());
  EXPECT_EQ(seen.size(), 500 * all.size());
}

TEST(LmDraw, FollowsTheDistribution) {
  float logits[] = {0, 1, 2, -100};
  Random random(9);
  int counts[4] = {};
  for (int i = 0; i < 20000; ++i) ++counts[DrawToken(logits, 4, nullptr, 1.0, 1.0, random).first];
  EXPECT_NEAR(counts[0] / 20000.0, 0.0900, 0.01);
  EXPECT_NEAR(counts[1] / 20000.0, 0.2447, 0.015);
  EXPECT_NEAR(counts[2] / 20000.0, 0.6652, 0.015);
  EXPECT_EQ(counts[3], 0);
  std::vector<int> allowed = {0, 1};
  for (int i = 0; i < 100; ++i)
    EXPECT_LT(DrawToken(logits, 4, &allowed, 1.0, 1.0, random).first, 2);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(DrawToken(logits, 4, nullptr, 1.0, 0.5, random).first, 2);
  EXPECT_EQ(DrawToken(logits, 4, nullptr, 0, 1.0, random).first, 2);
}

}  // namespace
}  // namespace akgen::lm
