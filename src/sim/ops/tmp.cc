// Working space of the advanced functions, in bytes. The numbers are those of the host functions that size it
// (tiling/tmp_sizes.inc, src/host/lib_tiling.cc).
#include <algorithm>
#include <cstring>

#include "sim/ops/walk.h"

namespace akgen::sim {
namespace {

constexpr uint64_t kRepeat = 256;

uint64_t RoundUp(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

struct Factor {
  const char* name;
  uint32_t half, single;
};
constexpr Factor kFactors[] = {
#define AKGEN_TMP_SIZE(name, half, single, single_reuse) {#name, half, single},
#include "tiling/tmp_sizes.inc"
#undef AKGEN_TMP_SIZE
    {"Sigmoid", 1, 1}, {"Axpy", 4, 0},         {"Lgamma", 26, 8},      {"Round", 1, 0},
    {"Power", 14, 4},  {"PowerScalar", 14, 5}, {"ScalarPower", 14, 5}, {"Acosh", 2, 1}};

// Element-wise functions; -1: nothing is documented.
int64_t ForElements(const AkgenVec& v, uint64_t count) {
  const bool single = SizeOfType(v.src_type) == 4;
  const char* name = VecOpName(v.op);
  switch (v.op) {
    case AKGEN_OP_Gelu:
    case AKGEN_OP_FasterGelu:
    case AKGEN_OP_FasterGeluV2: return int64_t(std::max(3 * count * 4, 3 * kRepeat));
    case AKGEN_OP_SwiGLU: return single ? 0 : int64_t(6 * std::max(count * 2, kRepeat));
    case AKGEN_OP_ReGlu: return int64_t(single ? kRepeat : 6 * std::max(count * 2, kRepeat));
    case AKGEN_OP_ExpHp: return int64_t((single ? 3 : 4) * std::max(count * 4, kRepeat));
    case AKGEN_OP_ClampMax:
    case AKGEN_OP_ClampMin: return int64_t(std::max<uint64_t>(count, single ? 64 : 128));
    case AKGEN_OP_Log2: return single ? 0 : int64_t(std::max(count * 4, kRepeat));
  }
  if (v.dst_type == AKGEN_I32 && std::strstr(name, "Power"))
    return int64_t((v.op == AKGEN_OP_Power ? 6 : 7) * std::max(count * 4, kRepeat));
  for (const Factor& f : kFactors)
    if (std::strcmp(f.name, name) == 0)
      return int64_t((single ? f.single : f.half) * std::max(count * (single ? 4 : 2), kRepeat));
  return -1;
}

// Functions of rows. Sizes are rounded as the host functions do.
int64_t ForRows(const AkgenVec& v) {
  const uint64_t size = SizeOfType(v.dst_type), rows = Low(v.aux[0]), pitch = Low(v.aux[1]), n = Low(v.aux[2]);
  const uint64_t block = size ? kBlock / size : 1;
  switch (v.op) {
    case AKGEN_OP_Quant: return int64_t(RoundUp(std::max<uint64_t>(uint64_t(v.count) * 2, 2 * kRepeat), kBlock));
    case AKGEN_OP_Dequant: {
      const uint64_t lines = Low(v.aux[0]), cols = High(v.aux[0]);
      return int64_t((64 + lines * cols + cols + 8) * 4);
    }
    case AKGEN_OP_SumRows: return int64_t(RoundUp((n + kRepeat / size - 1) / (kRepeat / size), block) * size);
    case AKGEN_OP_MeanRows: {
      const uint64_t acc = v.flag ? 4 : size;
      uint64_t bytes = RoundUp((n + kRepeat / acc - 1) / (kRepeat / acc), kBlock);
      if (v.flag && size == 2) bytes += RoundUp(n * size, kBlock) / size * 4;
      return int64_t(bytes);
    }
    case AKGEN_OP_CumSum:
      if (!v.aux[2]) return int64_t(size == 2 ? rows * pitch * 4 : 0);
      return int64_t(RoundUp(rows, 16) * (pitch * size * 2 + (size == 2 ? pitch * 2 : 0)));
    case AKGEN_OP_SoftMaxRows: return int64_t(rows * (block + pitch + 64) * 4);
    case AKGEN_OP_SoftMaxGradRows:
      return int64_t(rows * (size == 2 ? block * 2 + pitch * 3 + 64 : (v.flag ? block : block * 2) + pitch + 64) * 4);
    case AKGEN_OP_SelectWithBytesMask:
      return int64_t(std::max<uint64_t>(1024, RoundUp(uint64_t(Low(v.aux[1])) * High(v.aux[1]), kBlock) * 2 + 512));
    case AKGEN_OP_BroadCast: {
      if (v.aux[0] != 2 && size != 1) return 0;  // one element to all
      if (v.aux[0] != 2 || v.aux[1] != 1 || size == 1) return -1;
      const uint64_t lines = Low(v.aux[2]), cols = High(v.aux[2]);
      uint64_t bytes = RoundUp(lines, 8) * kBlock;
      if (cols % block) bytes += lines * RoundUp(cols, block) * size;
      return int64_t(bytes);
    }
  }
  return -1;
}
}  // namespace

size_t TmpUse(const AkgenVec& v, uint32_t count) {
  if (!v.tmp) return 0;
  const int64_t documented = VecOpFamily(v.op) == Family::own ? ForRows(v) : ForElements(v, count);
  const uint64_t most = documented < 0 ? kBlock : uint64_t(documented);
  return size_t(std::min<uint64_t>(most, v.tmp_bytes));
}

}  // namespace akgen::sim
