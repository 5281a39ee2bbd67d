// How a tensor's axes lie in memory: what kernel and host name alike.
#ifndef AKGEN_DATA_FORMAT_H
#define AKGEN_DATA_FORMAT_H
#include <stdint.h>

namespace AscendC {
enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D };
struct TransDataConfig {
  DataFormat srcFormat;
  DataFormat dstFormat;
};
}  // namespace AscendC

namespace akgen {
// The conversions of TransData (AkgenVec::mode).
enum TransDataKind : uint8_t {
  kNcdhwToFractal,
  kFractalToNcdhw,
  kNcdhwToBlocks,
  kBlocksToNcdhw,
  kNoTransData
};
constexpr TransDataKind TransDataKindOf(const AscendC::TransDataConfig& c) {
  using AscendC::DataFormat;
  const bool from = c.srcFormat == DataFormat::NCDHW, to = c.dstFormat == DataFormat::NCDHW;
  if (from && c.dstFormat == DataFormat::FRACTAL_Z_3D) return kNcdhwToFractal;
  if (from && c.dstFormat == DataFormat::NDC1HWC0) return kNcdhwToBlocks;
  if (to && c.srcFormat == DataFormat::FRACTAL_Z_3D) return kFractalToNcdhw;
  if (to && c.srcFormat == DataFormat::NDC1HWC0) return kBlocksToNcdhw;
  return kNoTransData;
}

// What lies in blocks of 16 channels (and batches) for NCDHW of these extents, axis by axis.
struct BlockedShape {
  uint32_t axes;
  uint32_t extent[7];
};
constexpr BlockedShape BlockedShapeOf(bool fractal, uint32_t n, uint32_t c, uint32_t d, uint32_t h,
                                      uint32_t w) {
  const uint32_t c1 = (c + 15) / 16, n1 = (n + 15) / 16;
  if (fractal) return {7, {d, c1, h, w, n1, 16, 16}};
  return {6, {n, d, c1, h, w, 16}};
}
}  // namespace akgen
#endif  // AKGEN_DATA_FORMAT_H
