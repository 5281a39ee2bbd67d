// Files of llama.cpp: quantised blocks as ggml's own code reads them, a whole model, and files that
// lie.
#include "lm/model/gguf.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "lm/tokenizer/tokenizer.h"
#include "make_gguf.h"

namespace akgen::lm {
namespace {
namespace fs = std::filesystem;
using base::Json;
const fs::path kGgufData = AKGEN_LM_DATA;

class Gguf : public testing::Test {
 protected:
  base::Result<GgufFile> Open(const std::string& bytes) {
    const fs::path path = dir_->path() / "model.gguf";
    EXPECT_TRUE(base::WriteFileAtomic(path, bytes).ok());
    return GgufFile::Open(path);
  }
  std::string CodeOf(const std::string& bytes) {
    auto file = Open(bytes);
    return file.ok() ? "read" : file.error().code;
  }
  std::string Tiny(uint32_t layers = 2) {
    auto c = LoadCheckpoint(kGgufData / "qwen2_tiny");
    return GgufOf(*c, nullptr, layers);
  }
  base::Result<base::TempDir> dir_ = base::TempDir::Create();
};

TEST_F(Gguf, BlocksStandForTheNumbersThatGgmlReads) {
  size_t rows = 0;
  for (const Json& row : Json::parse(*base::ReadFile(kGgufData / "ggml_blocks.json"))) {
    const auto bytes = row["bytes"].get<std::vector<unsigned char>>();
    const auto values = row["values"].get<std::vector<float>>();
    GgufTensor t{row["type"].get<uint32_t>(),
                 {int64_t(values.size())},
                 int64_t(values.size()),
                 bytes.data()};
    std::vector<float> got(values.size());
    Dequantise(t, got.data());
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(got[i], values[i], 1e-6f * (1 + std::abs(values[i]))) << t.type << " " << i;
    ++rows;
  }
  EXPECT_EQ(rows, 4u);
}

TEST_F(Gguf, AModelIsTheCheckpointItWasMadeOf) {
  auto file = Open(Tiny());
  ASSERT_TRUE(file.ok()) << file.error().ToString();
  auto model = LoadGguf(*file, "model.gguf"), before = LoadCheckpoint(kGgufData / "qwen2_tiny");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_TRUE(model->flat.equal(before->flat));
  EXPECT_TRUE(model->model->config().tied);
  EXPECT_EQ(model->model->config().rope_theta, 1e6);
  auto fewer = Open(Tiny(1)), more = Open(Tiny(3));
  EXPECT_EQ(LoadGguf(*fewer, "").error().code,
            "AK1903");  // tensors of a layer that the values do not have
  EXPECT_EQ(LoadGguf(*more, "").error().code, "AK1903");
  EXPECT_EQ(TokenizerJson(*file, "").error().code, "AK1910");  // it has none
}

TEST_F(Gguf, AFileCutAnywhereIsDamaged) {
  const std::string whole = Tiny();
  for (size_t at = 0; at < whole.size(); at += at < 3000 ? 7 : 9973)
    EXPECT_EQ(CodeOf(whole.substr(0, at)), "AK1901") << at;
  EXPECT_EQ(CodeOf("GGML" + whole.substr(4)), "AK1901");
}

TEST_F(Gguf, WhatAFileSaysIsHeldAgainstItsSize) {
  std::string none, deep;
  EXPECT_EQ(CodeOf(GgufOf(none, 0, {{"t", 8, {2, 32}, std::string(68, 'x')}})), "read");
  EXPECT_EQ(CodeOf(GgufOf(none, 0, {{"t", 8, {2, 33}, std::string(90, 'x')}})),
            "AK1901");  // half a block
  EXPECT_EQ(CodeOf(GgufOf(none, 0, {{"t", 8, {1 << 30, 1 << 20}, "x"}})),
            "AK1901");  // beyond the end
  EXPECT_EQ(CodeOf(GgufOf(none, 0, {{"t", 8, {int64_t(1) << 40, 1 << 30}, "x"}})),
            "AK1901");  // its size overflows
  EXPECT_EQ(CodeOf(GgufOf(none, 0, {{"t", 2, {32}, std::string(18, 'x')}})), "AK1903");  // Q4_0
  EXPECT_EQ(CodeOf(GgufOf(none, 0, {{"t", 0, {1}, "xxxx"}, {"t", 0, {1}, "xxxx"}})),
            "AK1901");  // twice
  PutNumber(none, "general.alignment", 0);
  EXPECT_EQ(CodeOf(GgufOf(none, 1, {{"t", 0, {1}, "xxxx"}})), "AK1901");
  PutText(deep, "a");
  for (int i = 0; i < 1000; ++i)
    Put<uint32_t>(deep, 9), Put<uint32_t>(deep, 9), Put<uint64_t>(deep, 1);
  EXPECT_EQ(CodeOf(GgufOf(deep, 1, {})), "AK1901");
}

TEST_F(Gguf, TokensAndMergesBecomeATokenizer) {
  std::vector<std::string> tokens, merges = {"a b"};
  for (int i = 0; i < 256; ++i) tokens.push_back("<" + std::to_string(i) + ">");
  tokens[0] = "a", tokens[1] = "b", tokens[2] = "ab", tokens[3] = "<|im_end|>";
  std::string values, types;
  PutText(values, "tokenizer.ggml.model"), Put<uint32_t>(values, 8), PutText(values, "gpt2");
  PutText(values, "tokenizer.ggml.pre"), Put<uint32_t>(values, 8), PutText(values, "qwen2");
  PutTexts(values, "tokenizer.ggml.tokens", tokens),
      PutTexts(values, "tokenizer.ggml.merges", merges);
  PutText(values, "tokenizer.ggml.token_type"), Put<uint32_t>(values, 9), Put<uint32_t>(values, 5),
      Put<uint64_t>(values, 256);
  for (int i = 0; i < 256; ++i) Put<int32_t>(values, i == 3 ? 3 : 1);
  auto file = Open(GgufOf(values, 5, {}));
  ASSERT_TRUE(file.ok()) << file.error().ToString();
  auto json = TokenizerJson(*file, "model.gguf");
  ASSERT_TRUE(json.ok()) << json.error().ToString();
  auto tokenizer = Tokenizer::FromJson(*json, "model.gguf");
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().ToString();
  EXPECT_EQ(tokenizer->Encode("abba<|im_end|>"), (std::vector<int>{2, 1, 0, 3}));
}

}  // namespace
}  // namespace akgen::lm
