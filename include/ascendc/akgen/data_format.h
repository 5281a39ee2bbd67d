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
enum TransDataKind : uint8_t { kNcdhwToFractal, kFractalToNcdhw, kNcdhwToBlocks, kBlocksToNcdhw, kNoTransData };
constexpr TransDataKind TransDataKindOf(const AscendC::TransDataConfig& c) {
  using AscendC::DataFormat;
  const bool from = c.srcFormat == DataFormat::NCDHW, to = c.dstFormat == DataFormat::NCDHW;
  if (from && c.dstFormat == DataFormat::FRACTAL_Z_3D) return kNcdhwToFractal;
  if (from && c.dstFormat == DataFormat::NDC1HWC0) return kNcdhwToBlocks;
  if (to && c.srcFormat == DataFormat::FRACTAL_Z_3D) return kFractalToNcdhw;
  if (to && c.srcFormat == DataFormat::NDC1HWC0) return kBlocksToNcdhw;
  return kNoTransData;
}
}  // namespace akgen
#endif  // AKGEN_DATA_FORMAT_H
