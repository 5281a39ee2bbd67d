#include "lm/tokenizer/tokenizer.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
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
