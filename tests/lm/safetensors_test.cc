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

// One tensor `a` behind this entry, with eight bytes of data: why it is none; "" where it is.
TEST(LmSafetensors, EntriesToTheLetter) {
  const std::pair<const char*, std::string> rows[] = {
      {R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})", ""},
      {R"({"dtype":"F64","shape":[],"data_offsets":[0,8]})", ""},
      {R"({"dtype":"F64","shape":[1,1],"data_offsets":[0,8],"more":1})", ""},
      {R"(1)", "dtype, shape or data_offsets are missing"},
      {R"({"shape":[2],"data_offsets":[0,8]})", "dtype, shape or data_offsets are missing"},
      {R"({"dtype":1,"shape":[2],"data_offsets":[0,8]})",
       "dtype, shape or data_offsets are missing"},
      {R"({"dtype":"F32","data_offsets":[0,8]})", "dtype, shape or data_offsets are missing"},
      {R"({"dtype":"F32","shape":2,"data_offsets":[0,8]})",
       "dtype, shape or data_offsets are missing"},
      {R"({"dtype":"F32","shape":[2]})", "dtype, shape or data_offsets are missing"},
      {R"({"dtype":"F32","shape":[2],"data_offsets":8})",
       "dtype, shape or data_offsets are missing"},
      {R"({"dtype":"F32","shape":[2],"data_offsets":[0,4,8]})",
       "dtype, shape or data_offsets are missing"},
      {R"({"dtype":"f32","shape":[2],"data_offsets":[0,8]})", "dtype `f32` is not known"},
      {R"({"dtype":"F32","shape":["2"],"data_offsets":[0,8]})", "the shape is malformed"},
      {R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})", "the shape is malformed"},
      {R"({"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,8]})",
       "the shape is malformed"},
      {R"({"dtype":"F32","shape":[2],"data_offsets":["0",8]})", "data_offsets are malformed"},
      {R"({"dtype":"F32","shape":[2],"data_offsets":[0,"8"]})", "data_offsets are malformed"},
      {R"({"dtype":"F32","shape":[2],"data_offsets":[-1,8]})", "data_offsets are malformed"},
      {R"({"dtype":"F32","shape":[2],"data_offsets":[0,9]})",
       "its data end at byte 9 of 8: the file is cut short"},
      {R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})",
       "its data end at byte 0 of 8: the file is cut short"},
      {R"({"dtype":"F32","shape":[2],"data_offsets":[0,7]})", "its shape and its 7 bytes disagree"},
      {R"({"dtype":"F32","shape":[0],"data_offsets":[0,8]})", "its shape and its 8 bytes disagree"},
  };
  for (const auto& [entry, why] : rows)
    EXPECT_EQ(Open(Header(std::string("{\"a\":") + entry + "}") + std::string(8, 'x')),
              why.empty() ? "" : "AK1901 tensor `a`: " + why)
        << entry;
  EXPECT_EQ(Open(Header(R"({"__metadata__":{"a":"b"}})")), "");
  EXPECT_EQ(Open(Header("{}") + "x"), "AK1901 1 bytes behind the last tensor");
  EXPECT_EQ(Open("1234567"), "AK1901 the file has 7 bytes: no header");
  for (const auto& [dtype, bytes] : std::vector<std::pair<const char*, size_t>>{{"F64", 8},
                                                                                {"I64", 8},
                                                                                {"U64", 8},
                                                                                {"F32", 4},
                                                                                {"I32", 4},
                                                                                {"U32", 4},
                                                                                {"F16", 2},
                                                                                {"BF16", 2},
                                                                                {"I16", 2},
                                                                                {"U16", 2},
                                                                                {"I8", 1},
                                                                                {"U8", 1},
                                                                                {"BOOL", 1},
                                                                                {"", 0},
                                                                                {"F8", 0}})
    EXPECT_EQ(ElementBytes(dtype), bytes) << dtype;
}

}  // namespace
}  // namespace akgen::lm
