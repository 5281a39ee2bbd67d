#include "lm/tokenizer/tokenizer.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "lm/tokenizer/chat.h"
#include "lm/tokenizer/train_bpe.h"

namespace akgen::lm {
namespace {
using base::Json;
const std::filesystem::path kData = AKGEN_LM_DATA;

Json Parse(const std::string& name) { return Json::parse(*base::ReadFile(kData / name)); }

TEST(LmTokenizer, AgreesWithHuggingFace) {
  auto t = Tokenizer::Load(kData / "bpe_tiny.json");
  ASSERT_TRUE(t.ok()) << t.error().ToString();
  Json rows = Parse("tokenizer_vectors.json");
  ASSERT_GT(rows.size(), 15u);
  for (const Json& row : rows) {
    std::string text = row["text"].get<std::string>();
    EXPECT_EQ(t->Encode(text), row["ids"].get<std::vector<int>>()) << text;
    EXPECT_EQ(t->Decode(t->Encode(text)), text);
  }
}

TEST(LmTokenizer, SpecialTokensOfStrangersStayText) {
  auto t = Tokenizer::Load(kData / "bpe_tiny.json");
  ASSERT_TRUE(t.ok());
  int end = t->Find("<|im_end|>");
  ASSERT_GE(end, 0);
  EXPECT_EQ(t->Encode("a<|im_end|>").back(), end);
  for (int id : t->Encode("a<|im_end|>", false)) EXPECT_FALSE(t->IsAdded(id));
  EXPECT_EQ(t->Decode({end}, false), "");
}

TEST(LmTokenizer, WrittenFileIsReadAgain) {
  auto t = Tokenizer::Load(kData / "bpe_tiny.json");
  ASSERT_TRUE(t.ok());
  auto again = Tokenizer::FromJson(t->ToJson(), "memory");
  ASSERT_TRUE(again.ok()) << again.error().ToString();
  for (const Json& row : Parse("tokenizer_vectors.json"))
    EXPECT_EQ(again->Encode(row["text"].get<std::string>()), row["ids"].get<std::vector<int>>());
}

TEST(LmTokenizer, EveryByteComesBack) {
  auto t = Tokenizer::Load(kData / "bpe_tiny.json");
  ASSERT_TRUE(t.ok());
  std::string all;
  for (int i = 0; i < 256; ++i) all += char(i);
  EXPECT_EQ(t->Decode(t->Encode(all)), all);
}

TEST(LmTokenizer, RefusesWhatItCannotRead) {
  Json good = Parse("bpe_tiny.json");
  auto code = [](const Json& j) {
    auto t = Tokenizer::FromJson(j, "case");
    return t.ok() ? std::string("read") : t.error().code;
  };
  EXPECT_EQ(code(good), "read");
  Json other = good;
  other["model"]["type"] = "Unigram";
  EXPECT_EQ(code(other), "AK1910");
  other = good;
  other["model"]["merges"][0] = "nosuchtoken either";
  EXPECT_EQ(code(other), "AK1910");
  other = good;
  other["pre_tokenizer"] = {{"type", "Whitespace"}};
  EXPECT_EQ(code(other), "AK1910");
  other = good;
  other["model"]["vocab"]["a"] = "seven";
  EXPECT_EQ(code(other), "AK1910");
  other = good;
  other["added_tokens"][0]["id"] = 1 << 30;
  EXPECT_EQ(code(other), "AK1910");
  EXPECT_EQ(code(Json::array()), "AK1910");
}

TEST(LmTokenizer, SaysWhatItCannotRead) {
  const Json good = Parse("bpe_tiny.json");
  const struct {
    const char *at, *value;  // a JSON pointer, and what stands there
    std::string says;        // "": it is read
  } rows[] = {
      {"/normalizer", "null", ""},
      {"/normalizer/type", "\"NFKC\"", "normalizer `NFKC` is not supported"},
      {"/model/type", "\"Unigram\"", "the model is not BPE with a vocabulary"},
      {"/model/vocab", "[]", "the model is not BPE with a vocabulary"},
      {"/model/vocab/a", "-1", "token `a` has no usable id"},
      {"/model/vocab/a", "4194304", "token `a` has no usable id"},
      {"/model/vocab/a", "1.0", "token `a` has no usable id"},
      {"/model/vocab/another", "4194303", ""},
      {"/model/merges", "[\"a\"]", "merge 0 is malformed"},
      {"/model/merges", "[[\"a\"]]", "merge 0 is malformed"},
      {"/model/merges", "[[\"a\", 1]]", "merge 0 is malformed"},
      {"/model/merges", "[[\"a\", \"\"]]", "merge 0 is malformed"},
      {"/model/merges", "[[\" \", \"a\"]]", "merge 0 is malformed"},
      {"/model/merges", "[\"a \\u0100\"]", "merge `a \u0100` names no token"},
      {"/added_tokens/0/id", "\"x\"", "an added token lacks id or content"},
      {"/added_tokens/0/content", "1", "an added token lacks id or content"},
      {"/added_tokens/0", "{}", "an added token lacks id or content"},
      {"/added_tokens/0/id", "-1", "an added token has no usable id or content"},
      {"/added_tokens/0/id", "4194304", "an added token has no usable id or content"},
      {"/added_tokens/0/content", "\"\"", "an added token has no usable id or content"},
      {"/pre_tokenizer", "{\"type\": \"Whitespace\"}",
       "pre-tokenizer `Whitespace` is not supported"},
      {"/pre_tokenizer", "null", "pre-tokenizer `` is not supported"},
      {"/pre_tokenizer", "{\"type\": \"Sequence\"}", "the pre-tokenizer is not byte-level"},
      {"/pre_tokenizer", "{\"type\": \"ByteLevel\"}", ""},
      {"/pre_tokenizer", "{\"type\": \"ByteLevel\", \"use_regex\": false}",
       "the pre-tokenizer is not byte-level"},
      {"/pre_tokenizer", "{\"type\": \"ByteLevel\", \"add_prefix_space\": true}",
       "pre-tokenizer ByteLevel: add_prefix_space is not supported"},
      {"/pre_tokenizer/pretokenizers/0/behavior", "\"Removed\"",
       "pre-tokenizer Split: only `Isolated`, not inverted, is supported"},
      {"/pre_tokenizer/pretokenizers/0/invert", "true",
       "pre-tokenizer Split: only `Isolated`, not inverted, is supported"},
      {"/pre_tokenizer/pretokenizers/1/use_regex", "true", ""},
      {"/pre_tokenizer/pretokenizers/0/pattern", "{\"String\": \"x\"}",
       "pre-tokenizer `Split` is not supported"},
      {"/pre_tokenizer/pretokenizers/1/type", "\"Digits\"",
       "pre-tokenizer `Digits` is not supported"},
      {"", "[]", "this is not a tokenizer.json"},
      {"", "{}", "this is not a tokenizer.json"},
  };
  for (const auto& row : rows) {
    Json j = good;
    j[Json::json_pointer(row.at)] = Json::parse(row.value);
    const auto t = Tokenizer::FromJson(j, "case");
    EXPECT_EQ(t.ok() ? "" : t.error().message, row.says) << row.at << " " << row.value;
    if (t.ok()) continue;
    EXPECT_EQ(t.error().code + t.error().where, "AK1910case");
  }
  Json twice = good;
  twice["model"]["vocab"]["another"] = twice["model"]["vocab"]["a"];
  EXPECT_EQ(Tokenizer::FromJson(twice, "").error().message,
            "two tokens have the id " + twice["model"]["vocab"]["a"].dump());
}

TEST(LmChat, MessagesAreTextsWithRoles) {
  for (const char* none : {"[]", "{}", "1", "[1]", "[{}]", "[{\"role\": \"user\"}]",
                           "[{\"role\": 1, \"content\": \"x\"}]",
                           "[{\"role\": \"user\", \"content\": null}]", "[{\"content\": \"x\"}]"}) {
    const auto m = MessagesOf(Json::parse(none), "there");
    ASSERT_FALSE(m.ok()) << none;
    EXPECT_EQ(m.error().code + m.error().where, "AK1920there");
  }
  const auto m = MessagesOf(
      Json::parse(R"([{"role": "a", "content": "x"}, {"role": "b", "content": "", "c": 1}])"), "");
  ASSERT_TRUE(m.ok());
  ASSERT_EQ(m->size(), 2u);
  EXPECT_EQ((*m)[0].role + (*m)[0].content + (*m)[1].role + (*m)[1].content, "axb");
}

std::string Text(int lines) {
  std::string s;
  for (int i = 0; i < lines; ++i)
    s += "y = load(x[" + std::to_string(i % 7) + "])\nstore(y, z) # Übung " +
         std::to_string(i % 3) + "\n";
  return s;
}

TEST(LmTokenizer, LearnsTheSameTwice) {
  BpeOptions o;
  o.vocab_size = 275;
  Json made[2];
  for (Json& j : made) {
    auto trainer = BpeTrainer::Create(o);
    ASSERT_TRUE(trainer.ok());
    trainer->Add(Text(50));
    auto t = trainer->Finish();
    ASSERT_TRUE(t.ok()) << t.error().ToString();
    EXPECT_LE(t->size(), 275);
    EXPECT_GT(t->size(), 270);
    j = t->ToJson();
    EXPECT_EQ(t->Decode(t->Encode(Text(9))), Text(9));
    EXPECT_LT(t->Encode(Text(9)).size(), Text(9).size() * 2 / 3);
  }
  EXPECT_EQ(made[0], made[1]);
}

TEST(LmTokenizer, TooSmallAVocabulary) {
  BpeOptions o;
  o.vocab_size = 100;
  auto t = BpeTrainer::Create(o);
  ASSERT_FALSE(t.ok());
  EXPECT_EQ(t.error().code, "AK1910");
}

TEST(LmTokenizer, AProgramsTokensGoAcrossWordsButNotNumbers) {
  BpeOptions o;
  o.pattern = kProgramPattern, o.vocab_size = 400;
  auto trainer = BpeTrainer::Create(o);
  ASSERT_TRUE(trainer.ok());
  for (int i = 0; i < 18; ++i)
    trainer->Add("    v" + std::to_string(i % 9) + " = row_sum(x0_ub)\n    with compute:\n");
  auto t = trainer->Finish();
  ASSERT_TRUE(t.ok());
  const std::string text = "    v7 = row_sum(x0_ub)\n    with compute:\n";
  std::vector<std::string> pieces;
  for (int id : t->Encode(text)) pieces.push_back(t->Decode({id}));
  EXPECT_EQ(pieces, (std::vector<std::string>{"    ", "v7", " = row_sum(", "x0",
                                              "_ub)\n    with compute:\n"}));
  auto again = Tokenizer::FromJson(t->ToJson(), "tokenizer.json");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->Encode(text), t->Encode(text));
}

}  // namespace
}  // namespace akgen::lm
