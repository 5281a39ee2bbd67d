// Names of formats, and what of a blocked tensor is no element of its origin.
#include "judge/host/blocked.h"

#include <gtest/gtest.h>

#include <numeric>

namespace akgen::judge {
namespace {
TEST(Blocked, EveryFormatHasItsNumberAndAxes) {
  const std::tuple<const char*, int, const char*> rows[] = {
      {"NCHW", 0, "NCHW"},  {"NHWC", 1, "NHWC"},     {"ND", 2, ""},          {"NC1HWC0", 3, ""},
      {"FRACTAL_Z", 4, ""}, {"NDHWC", 27, "NDHWC"},  {"FRACTAL_NZ", 29, ""}, {"NCDHW", 30, "NCDHW"},
      {"NDC1HWC0", 32, ""}, {"FRACTAL_Z_3D", 33, ""}};
  for (const auto& [name, number, axes] : rows) {
    EXPECT_EQ(FormatOfName(name), number) << name;
    EXPECT_EQ(AxesOf(number), axes) << name;
  }
  EXPECT_FALSE(FormatOfName("nchw") || FormatOfName(""));
  EXPECT_EQ(AxesOf(5), "");
}

// The elements that are left, of a tensor that counts 1, 2, 3, …
std::vector<int> Left(std::vector<int64_t> shape, int format, int origin_format,
                      std::vector<int64_t> origin) {
  task::TensorDesc tensor;
  tensor.dtype = base::Dtype::kInt8, tensor.shape = std::move(shape);
  std::vector<uint8_t> bytes(tensor.Bytes());
  std::iota(bytes.begin(), bytes.end(), uint8_t(1));
  task::Declared declared;
  declared.format = format, declared.origin_format = origin_format,
  declared.origin = std::move(origin);
  ClearFilling(bytes, tensor, declared);
  std::vector<int> out;
  for (uint8_t b : bytes)
    if (b) out.push_back(b);
  return out;
}

TEST(Blocked, ImagesKeepTheirChannels) {
  using V = std::vector<int>;
  // N D C1 H W C0; the origin NCDHW has 3 channels in 2 blocks of 2.
  EXPECT_EQ(Left({1, 1, 2, 1, 2, 2}, 32, 30, {1, 3, 1, 1, 2}), (V{1, 2, 3, 4, 5, 7}));
  EXPECT_EQ(Left({1, 1, 2, 1, 2, 2}, 32, 30, {1, 4, 1, 1, 2}), (V{1, 2, 3, 4, 5, 6, 7, 8}))
      << "nothing is filled";
  EXPECT_EQ(Left({1, 2, 2, 1, 1, 2}, 32, 27, {1, 2, 1, 1, 3}), (V{1, 2, 3, 5, 6, 7}))
      << "channels last";
  EXPECT_EQ(Left({2, 1, 1, 1, 1, 2}, 32, 30, {2, 1, 1, 1, 1}), (V{1, 3})) << "of each image";
  const V all{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(Left({1, 1, 2, 1, 2, 2}, 2, 30, {1, 3, 1, 1, 2}), all) << "not blocked";
  EXPECT_EQ(Left({1, 1, 2, 1, 2, 2}, 32, 2, {1, 3, 1, 1, 2}), all) << "an origin without axes";
  EXPECT_EQ(Left({1, 1, 2, 1, 2, 2}, 32, 30, {2, 3, 1, 1, 2}), all) << "another number of images";
  EXPECT_EQ(Left({1, 1, 2, 1, 2, 2}, 32, 30, {1, 3, 2, 1, 2}), all) << "another depth";
  EXPECT_EQ(Left({1, 1, 2, 1, 2, 2}, 32, 30, {1, 5, 1, 1, 2}), all)
      << "more channels than blocks hold";
  EXPECT_EQ(Left({1, 1, 2, 1, 2, 2}, 32, 30, {1, 3, 1, 1, 1}), all) << "another plane";
  EXPECT_EQ(Left({1, 1, 2, 1, 2, 2}, 32, 30, {1, 0, 1, 1, 2}), all) << "no channel";
}

TEST(Blocked, FiltersKeepTheirOutputs) {
  using V = std::vector<int>;
  // D C1 H W, N1, N0, C0: 2 places, 1 x 2 outputs, 2 channels; the origin has 1 output of 1 channel
  // and 1 x 2 places.
  EXPECT_EQ(Left({2, 1, 2, 2}, 33, 30, {1, 1, 1, 1, 2}), (V{1, 5}));
  EXPECT_EQ(Left({2, 1, 2, 2}, 33, 30, {2, 2, 1, 1, 2}), (V{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(Left({2, 1, 2, 2}, 33, 30, {2, 1, 1, 1, 2}), (V{1, 3, 5, 7}));
  EXPECT_EQ(Left({2, 1, 2, 2}, 33, 30, {1, 2, 1, 1, 2}), (V{1, 2, 5, 6}));
  EXPECT_EQ(Left({2, 1, 2, 2}, 33, 30, {1, 3, 1, 1, 1}), (V{1, 2, 5})) << "3 channels in 2 blocks";
  EXPECT_EQ(Left({2, 1, 2, 2}, 33, 30, {1, 1, 1, 1, 3}), (V{1, 2, 3, 4, 5, 6, 7, 8}))
      << "another shape (groups)";
}
}  // namespace
}  // namespace akgen::judge
