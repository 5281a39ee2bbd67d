#include "lm/model/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/files.h"

namespace akgen::lm {
namespace {
namespace fs = std::filesystem;

std::string Header(const std::string& json) {
  uint64_t n = json.size();
  std::string s(8, '\0');
  std::memcpy(s.data(), &n, 8);
  return s + json;
}

// What opening a file of these bytes gives: "" or the code and the reason.
std::string Open(const std::string& bytes) {
  auto dir = base::TempDir::Create();
  EXPECT_TRUE(dir.ok());
  EXPECT_TRUE(base::WriteFileAtomic(dir->path() / "t.safetensors", bytes).ok());
  auto file = TensorFile::Open(dir->path() / "t.safetensors");
  return file.ok() ? "" : file.error().code + " " + file.error().message;
}

TEST(LmSafetensors, WrittenTensorsAreReadAgain) {
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir.ok());
  std::vector<float> a = {1, 2, 3, 4, 5, 6};
  std::vector<uint16_t> b = {7, 8};
  fs::path path = dir->path() / "x.safetensors";
  std::map<std::string, TensorView> tensors = {
      {"b", {"BF16", {2}, reinterpret_cast<char*>(b.data()), 4}},
      {"a", {"F32", {2, 3}, reinterpret_cast<char*>(a.data()), 24}}};
  ASSERT_TRUE(WriteTensors(path, tensors).ok());
  auto file = TensorFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.error().ToString();
  ASSERT_EQ(file->tensors().size(), 2u);
  EXPECT_EQ(file->tensors().at("a").shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::memcmp(file->tensors().at("a").data, a.data(), 24), 0);
  EXPECT_EQ(std::memcmp(file->tensors().at("b").data, b.data(), 4), 0);
}

TEST(LmSafetensors, DamagedFilesAreRefused) {
  const std::string one = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  std::string good = Header(one) + std::string(8, 'x');
  EXPECT_EQ(Open(good), "");
  for (size_t n = 0; n < good.size(); ++n)
    EXPECT_EQ(Open(good.substr(0, n)).substr(0, 6), "AK1901") << n;
  EXPECT_NE(Open(good + "y").find("behind the last tensor"), std::string::npos);
  struct Case {
    std::string header, reason;
  } cases[] = {
      {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", "disagree"},
      {R"({"a":{"dtype":"F99","shape":[2],"data_offsets":[0,8]}})", "not known"},
      {R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", "shape is malformed"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", "cut short"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})", "missing"},
      {R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}})", "disagree"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
       "overlap"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", "hole"},
      {R"([1])", "not a JSON object"},
      {R"({"a")", "not a JSON object"},
  };
  for (const Case& c : cases)
    EXPECT_NE(Open(Header(c.header) + std::string(8, 'x')).find(c.reason), std::string::npos)
        << c.header << " " << Open(Header(c.header) + std::string(8, 'x'));
  EXPECT_NE(Open(std::string(8, '\xff') + one).find("claims"), std::string::npos);
}

}  // namespace
}  // namespace akgen::lm
