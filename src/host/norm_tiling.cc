// Working space and tilings of the normalisations (tiling/norm_tiling.h). The sizes are those of
// akgen/library_tmp.h, which the chip holds callers to.
#include "tiling/norm_tiling.h"

#include "akgen/library_tmp.h"
#include "host/shapes.h"

namespace AscendC {
namespace {
using akgen::TmpSize;

bool Takes(const TensorShape& shape, size_t dims, uint32_t type_size) {
  return shape.GetDimNum() == dims && shape.GetShapeSize() > 0 &&
         (type_size == 2 || type_size == 4);
}
void Give(const TmpSize& size, uint32_t& max, uint32_t& min) { max = size.max, min = size.min; }
// Elements of the data that the buffer holds at once: whole rows, at most all of them.
uint32_t AtOnce(uint32_t bytes, uint32_t fixed_floats, uint32_t copies, uint32_t row,
                uint32_t all) {
  const uint32_t floats = bytes / 4;
  if (floats < fixed_floats || row == 0) return 0;
  return std::min((floats - fixed_floats) / copies / row * row, all);
}

struct Bsh {
  uint32_t b, s, h;
  explicit Bsh(const TensorShape& shape) : b(Dim(shape, 0)), s(Dim(shape, 1)), h(Dim(shape, 2)) {}
  uint32_t Rows() const { return b * s; }
  uint32_t All() const { return b * s * h; }
};
template <class Tiling>
void SetBsh(Tiling& t, const Bsh& shape, uint32_t original) {
  t.set_bLength(shape.b);
  t.set_sLength(shape.s);
  t.set_hLength(shape.h);
  t.set_originalHLength(original);
}
// {A, R}: rows and R rounded up to 32 bytes.
struct Ar {
  uint32_t a, r;
  Ar(const TensorShape& shape, uint32_t size)
      : a(Dim(shape, 0)), r(akgen::UpTo(Dim(shape, 1), 32 / std::max(size, 1u))) {}
};
bool BasicBlock(uint32_t rows, uint32_t h) { return h % 64 == 0 && h < 2048 && rows % 8 == 0; }
}  // namespace

void GetLayerNormMaxMinTmpSize(const TensorShape& shape, const uint32_t size, const bool reuse,
                               uint32_t& max, uint32_t& min) {
  if (Takes(shape, 4, size))
    Give(akgen::LayerNormTmp(Bsh(shape).Rows(), Bsh(shape).h, size, reuse), max, min);
}
void GetLayerNormMaxMinTmpSize(const TensorShape& shape, const uint32_t size, const bool,
                               const bool, const bool, uint32_t& max, uint32_t& min) {
  if (Takes(shape, 2, size))
    Give(akgen::LayerNormRstdTmp(Ar(shape, size).a, Ar(shape, size).r, size), max, min);
}
void GetNormalizeMaxMinTmpSize(const TensorShape& shape, const uint32_t gamma_size,
                               const uint32_t size, const bool, const bool, const bool,
                               uint32_t& max, uint32_t& min) {
  if (Takes(shape, 2, size))
    Give(akgen::NormalizeTmp(Ar(shape, size).a, Ar(shape, size).r, gamma_size), max, min);
}
void GetLayerNormGradMaxMinTmpSize(const TensorShape& shape, const uint32_t size, const bool reuse,
                                   uint32_t& max, uint32_t& min) {
  if (Takes(shape, 4, size))
    Give(akgen::LayerNormGradTmp(Bsh(shape).Rows(), Bsh(shape).h, size, reuse), max, min);
}
void GetLayerNormGradBetaMaxMinTmpSize(const TensorShape& shape, const uint32_t size, const bool,
                                       uint32_t& max, uint32_t& min) {
  if (Takes(shape, 4, size))
    Give(akgen::LayerNormGradBetaTmp(Bsh(shape).Rows(), Bsh(shape).h, size), max, min);
}
void GetWelfordUpdateMaxMinTmpSize(const TensorShape& shape, const uint32_t size, const uint32_t,
                                   const bool reuse, const bool, uint32_t& max, uint32_t& min) {
  if (Takes(shape, 2, size))
    Give(akgen::WelfordUpdateTmp(Dim(shape, 0) * Dim(shape, 1), size, reuse), max, min);
}
void GetWelfordFinalizeMaxMinTmpSize(const TensorShape& shape, const uint32_t, const bool,
                                     uint32_t& max, uint32_t& min) {
  if (shape.GetDimNum() == 1 && Dim(shape, 0) % 8 == 0 && Dim(shape, 0) > 0)
    Give(akgen::WelfordFinalizeTmp(Dim(shape, 0)), max, min);
}
void GetGroupNormMaxMinTmpSize(const TensorShape& shape, const uint32_t size, const bool reuse,
                               const uint32_t groups, uint32_t& max, uint32_t& min) {
  if (!Takes(shape, 4, size) || groups == 0) return;
  const uint32_t pitch = akgen::UpTo(Dim(shape, 2) * Dim(shape, 3), 32 / size);
  Give(akgen::GroupNormTmp(Dim(shape, 0), Dim(shape, 1), pitch, groups, size, reuse), max, min);
}
bool GetRmsNormMaxMinTmpSize(const TensorShape& shape, const uint32_t size, uint32_t& max,
                             uint32_t& min, const bool basic_block) {
  const Bsh bsh(shape);
  if (!Takes(shape, 3, size) || (basic_block && !BasicBlock(bsh.Rows(), bsh.h))) return false;
  Give(akgen::RmsNormTmp(bsh.Rows(), bsh.h, size), max, min);
  return true;
}
bool GetDeepNormMaxMinTmpSize(const TensorShape& shape, const uint32_t size, const bool reuse,
                              const bool basic_block, uint32_t& max, uint32_t& min) {
  const Bsh bsh(shape);
  if (!Takes(shape, 3, size) || bsh.h > 2040 || bsh.h * size % 32 ||
      (basic_block && !BasicBlock(bsh.Rows(), bsh.h)))
    return false;
  Give(akgen::LayerNormTmp(bsh.Rows(), bsh.h, size, reuse), max, min);
  return true;
}
bool GetBatchNormMaxMinTmpSize(const TensorShape& shape, const TensorShape& origin,
                               const uint32_t size, const bool, uint32_t& max, uint32_t& min,
                               const bool basic_block) {
  const Bsh bsh(shape);
  const uint32_t n = bsh.s * bsh.h, batches = Dim(origin, 0);
  if (!Takes(shape, 3, size) || batches == 0 ||
      (basic_block && (n % 64 || n >= 2048 || batches % 8)))
    return false;
  Give(akgen::BatchNormTmp(batches, n, size, basic_block), max, min);
  return true;
}

void GetLayerNormNDTilingInfo(const TensorShape& shape, const uint32_t bytes, const uint32_t size,
                              const bool reuse, optiling::LayerNormTiling& t) {
  if (!Takes(shape, 4, size)) return;
  const Bsh bsh(shape);
  SetBsh(t, bsh, Dim(shape, 3));
  t.set_inputXSize(bsh.All());
  t.set_meanVarSize(bsh.Rows());
  t.set_tmpBufSize(bytes / 4);
  t.set_oneTmpSize(AtOnce(bytes, size == 4 ? 0 : 2 * akgen::UpTo(bsh.Rows(), 8),
                          reuse && size == 4 ? 2 : 3, bsh.h, bsh.All()));
}
void GetLayerNormNDTilingInfo(const TensorShape& shape, const uint32_t bytes, const uint32_t size,
                              const bool, const bool, optiling::LayerNormSeparateTiling& t) {
  if (!Takes(shape, 2, size)) return;
  const Ar ar(shape, size);
  t.set_aLength(ar.a);
  t.set_rLength(Dim(shape, 1));
  t.set_inputXSize(ar.a * ar.r);
  t.set_tmpBufSize(bytes / 4);
  t.set_oneTmpSize(AtOnce(bytes, akgen::UpTo(ar.a, 8), 2, ar.r, ar.a * ar.r));
}
void GetLayerNormGradNDTilingInfo(const TensorShape shape, const uint32_t bytes,
                                  const uint32_t size, const bool reuse,
                                  optiling::LayerNormGradTiling& t) {
  if (!Takes(shape, 4, size)) return;
  const Bsh bsh(shape);
  SetBsh(t, bsh, Dim(shape, 3));
  t.set_stackBufferSize(bytes);
  t.set_oneCalSize(AtOnce(bytes, 0, size == 2 ? 9 : reuse ? 4 : 6, bsh.h, bsh.All()));
}
void GetLayerNormGradBetaNDTilingInfo(const TensorShape shape, const uint32_t bytes,
                                      const uint32_t size, const bool,
                                      optiling::LayerNormGradBetaTiling& t) {
  if (!Takes(shape, 4, size)) return;
  const Bsh bsh(shape);
  SetBsh(t, bsh, Dim(shape, 3));
  t.set_stackBufferSize(bytes / 4);
  t.set_bshLength(bsh.All());
  t.set_bsLength(bsh.Rows());
  t.set_oneCalSize(size == 2 ? AtOnce(bytes, 2 * bsh.h, 2, bsh.h, bsh.All())
                             : AtOnce(bytes, 0, 1, bsh.h, bsh.All()));
}
void GetGroupNormNDTilingInfo(const TensorShape& shape, const uint32_t bytes, const uint32_t size,
                              const bool, const uint32_t groups, optiling::GroupNormTiling& t) {
  if (!Takes(shape, 4, size) || groups == 0) return;
  const uint32_t hw = Dim(shape, 2) * Dim(shape, 3);
  t.set_n(Dim(shape, 0));
  t.set_c(Dim(shape, 1));
  t.set_hw(hw);
  t.set_g(groups);
  t.set_d(Dim(shape, 1) / groups);
  t.set_hwAlignSize(akgen::UpTo(hw, 32 / size));
  t.set_tmpBufSize(bytes / 4);
}
bool GetRmsNormTilingInfo(const TensorShape& shape, const TensorShape& origin, const uint32_t bytes,
                          const uint32_t size, optiling::RmsNormTiling& t, const bool basic_block) {
  uint32_t max = 0, min = 0;
  const Bsh bsh(shape), from(origin);
  if (!GetRmsNormMaxMinTmpSize(shape, size, max, min, basic_block) || bytes < min ||
      !Takes(origin, 3, size) || bsh.b != from.b || bsh.s != from.s || bsh.h < from.h ||
      bsh.h * size % 32)
    return false;
  SetBsh(t, bsh, from.h);
  t.set_reciprocalOfHLength(1.0f / float(from.h));
  t.set_mainBshLength(AtOnce(bytes, 8, size == 2 ? 2 : 1, bsh.h, bsh.All()));
  return true;
}
bool GetDeepNormTilingInfo(const TensorShape& shape, const TensorShape& origin,
                           const uint32_t bytes, const uint32_t size, const bool reuse,
                           const bool basic_block, optiling::DeepNormTiling& t) {
  uint32_t max = 0, min = 0;
  const Bsh bsh(shape), from(origin);
  if (!GetDeepNormMaxMinTmpSize(shape, size, reuse, basic_block, max, min) || bytes < min ||
      from.h == 0 || from.h > bsh.h)
    return false;
  SetBsh(t, bsh, from.h);
  t.set_inputXSize(bsh.All());
  t.set_meanVarSize(bsh.Rows());
  t.set_tmpBufSize(bytes / 4);
  return true;
}
bool GetBatchNormNDTilingInfo(const TensorShape& shape, const TensorShape& origin,
                              const uint32_t bytes, const uint32_t size, const bool reuse,
                              optiling::BatchNormTiling& t, const bool basic_block) {
  uint32_t max = 0, min = 0;
  if (!GetBatchNormMaxMinTmpSize(shape, origin, size, reuse, max, min, basic_block) || bytes < min)
    return false;
  t.set_originalBLength(Dim(origin, 0));
  t.set_meanVarSize(Bsh(shape).s * Bsh(shape).h);
  t.set_tmpBufSize(bytes / 4);
  t.set_firstDimValueBack(1.0f / float(Dim(origin, 0)));
  return true;
}

#define AKGEN_PLAIN(Name, Struct, Parameters, ...) \
  void Name Parameters {                           \
    optiling::Struct t;                            \
    Name(__VA_ARGS__);                             \
    Copy(t, plain);                                \
  }
#define AKGEN_PLAIN_BOOL(Name, Struct, Parameters, ...) \
  bool Name Parameters {                                \
    optiling::Struct t;                                 \
    const bool taken = Name(__VA_ARGS__);               \
    if (taken) Copy(t, plain);                          \
    return taken;                                       \
  }
#define AKGEN_HEAD \
  const TensorShape &shape, const uint32_t bytes, const uint32_t size, const bool reuse
#define AKGEN_HEAD_COPY \
  const TensorShape shape, const uint32_t bytes, const uint32_t size, const bool reuse
AKGEN_PLAIN(GetLayerNormNDTilingInfo, LayerNormTiling, (AKGEN_HEAD, tiling::LayerNormTiling& plain),
            shape, bytes, size, reuse, t)
AKGEN_PLAIN(GetLayerNormNDTilingInfo, LayerNormSeparateTiling,
            (AKGEN_HEAD, const bool rstd, tiling::LayerNormSeparateTiling& plain), shape, bytes,
            size, reuse, rstd, t)
AKGEN_PLAIN(GetLayerNormGradNDTilingInfo, LayerNormGradTiling,
            (AKGEN_HEAD_COPY, tiling::LayerNormGradTiling& plain), shape, bytes, size, reuse, t)
AKGEN_PLAIN(GetLayerNormGradBetaNDTilingInfo, LayerNormGradBetaTiling,
            (AKGEN_HEAD_COPY, tiling::LayerNormGradBetaTiling& plain), shape, bytes, size, reuse, t)
AKGEN_PLAIN(GetGroupNormNDTilingInfo, GroupNormTiling,
            (AKGEN_HEAD, const uint32_t groups, tiling::GroupNormTiling& plain), shape, bytes, size,
            reuse, groups, t)
#undef AKGEN_HEAD
#define AKGEN_HEAD \
  const TensorShape &shape, const TensorShape &origin, const uint32_t bytes, const uint32_t size
AKGEN_PLAIN_BOOL(GetRmsNormTilingInfo, RmsNormTiling,
                 (AKGEN_HEAD, tiling::RmsNormTiling& plain, const bool basic), shape, origin, bytes,
                 size, t, basic)
AKGEN_PLAIN_BOOL(GetDeepNormTilingInfo, DeepNormTiling,
                 (AKGEN_HEAD, const bool reuse, const bool basic, tiling::DeepNormTiling& plain),
                 shape, origin, bytes, size, reuse, basic, t)
AKGEN_PLAIN_BOOL(GetBatchNormNDTilingInfo, BatchNormTiling,
                 (AKGEN_HEAD, const bool reuse, tiling::BatchNormTiling& plain, const bool basic),
                 shape, origin, bytes, size, reuse, t, basic)

}  // namespace AscendC
