#include "judge/host/blocked.h"

#include <algorithm>
#include <cstring>

namespace akgen::judge {
namespace {
struct Format {
  std::string_view name;
  int number;  // ge::Format
  bool axes;   // a letter for each axis
};
constexpr int kNdc1hwc0 = 32, kFractalZ3d = 33;
constexpr Format kFormats[] = {{"NCHW", 0, true},
                               {"NHWC", 1, true},
                               {"ND", task::kFormatNd, false},
                               {"NC1HWC0", 3, false},
                               {"FRACTAL_Z", 4, false},
                               {"NDHWC", 27, true},
                               {"FRACTAL_NZ", 29, false},
                               {"NCDHW", 30, true},
                               {"NDC1HWC0", kNdc1hwc0, false},
                               {"FRACTAL_Z_3D", kFractalZ3d, false}};

// The extent of the axis with this letter; 1 where the format has none.
int64_t Extent(const task::Declared& declared, char axis) {
  const size_t at = AxesOf(declared.origin_format).find(axis);
  return at < declared.origin.size() ? declared.origin[at] : 1;
}
}  // namespace

std::optional<int> FormatOfName(std::string_view name) {
  for (const Format& f : kFormats)
    if (f.name == name) return f.number;
  return std::nullopt;
}

std::string_view AxesOf(int format) {
  for (const Format& f : kFormats)
    if (f.number == format && f.axes) return f.name;
  return {};
}

void ClearFilling(std::span<uint8_t> bytes, const task::TensorDesc& tensor,
                  const task::Declared& origin) {
  const auto& shape = tensor.shape;
  const int64_t n = Extent(origin, 'N'), c = Extent(origin, 'C'), d = Extent(origin, 'D');
  const int64_t h = Extent(origin, 'H'), w = Extent(origin, 'W');
  // An origin may be anything: products that no tensor has do not fit an integer.
  const double most = double(tensor.Numel());
  if (AxesOf(origin.origin_format).empty() || shape.empty() || most == 0 ||
      double(h) * double(w) > most)
    return;
  const int64_t plane = h * w;
  if (plane == 0 || c == 0) return;
  const int64_t c0 = shape.back(), c1 = (c + c0 - 1) / c0;
  const bool image = origin.format == kNdc1hwc0 && shape.size() == 6 && shape[0] == n &&
                     shape[1] == d && shape[2] == c1 && shape[3] * shape[4] == plane;
  const bool filter = origin.format == kFractalZ3d && shape.size() == 4 &&
                      double(shape[0]) == double(d) * double(c1) * double(plane);
  if (!image && !filter) return;
  const int64_t batches =
      filter ? shape[1] * shape[2] : 1;  // rows of C0 at one place of one block of channels
  const size_t size = tensor.Bytes() / size_t(tensor.Numel());
  for (int64_t row = 0; row < tensor.Numel() / c0; ++row) {
    const int64_t block = row / batches / plane % c1;
    const int64_t kept = filter && row % batches >= n ? 0 : std::min(c - block * c0, c0);
    std::memset(bytes.data() + size_t(row * c0 + kept) * size, 0, size_t(c0 - kept) * size);
  }
}

}  // namespace akgen::judge
