// matmul_tiling's classes: a product told by setters, cut by host/matmul/cut.h.
#include "host/matmul/cut.h"
#include "host/node.h"

namespace matmul_tiling {
namespace {
constexpr int32_t kOk = 0, kRefused = -1;
int32_t Checked(bool ok) { return ok ? kOk : kRefused; }
bool Known(DataType t) { return akgen::host::BitsOf(t) <= 32; }

uint64_t SizeOf(const platform_ascendc::PlatformAscendC& platform,
                platform_ascendc::CoreMemType type) {
  uint64_t bytes = 0;
  platform.GetCoreMemSize(type, bytes);
  return bytes;
}
}  // namespace

MatmulApiTilingBase::MatmulApiTilingBase()
    : MatmulApiTilingBase(platform_ascendc::PlatformAscendC(nullptr)) {}
MatmulApiTilingBase::MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& ascendcPlatform) {
  using platform_ascendc::CoreMemType;
  product_.all_l1 = int64_t(SizeOf(ascendcPlatform, CoreMemType::L1));
  product_.all_l0c = int64_t(SizeOf(ascendcPlatform, CoreMemType::L0_C));
  product_.all_ub = int64_t(SizeOf(ascendcPlatform, CoreMemType::UB));
  product_.all_bt = int64_t(SizeOf(ascendcPlatform, CoreMemType::BT));
  product_.l0a = int64_t(SizeOf(ascendcPlatform, CoreMemType::L0_A));
  product_.l0b = int64_t(SizeOf(ascendcPlatform, CoreMemType::L0_B));
}
MatmulApiTilingBase::MatmulApiTilingBase(const PlatformInfo& platform) {
  product_.all_l1 = int64_t(platform.l1Size), product_.all_l0c = int64_t(platform.l0CSize);
  product_.all_ub = int64_t(platform.ubSize), product_.all_bt = int64_t(platform.btSize);
  product_.l0a = int64_t(platform.l0ASize), product_.l0b = int64_t(platform.l0BSize);
}

int32_t MatmulApiTilingBase::SetAType(TPosition pos, CubeFormat type, DataType dataType,
                                      bool isTrans) {
  product_.a = {pos, type, dataType, isTrans};
  return Checked(Known(dataType));
}
int32_t MatmulApiTilingBase::SetBType(TPosition pos, CubeFormat type, DataType dataType,
                                      bool isTrans) {
  product_.b = {pos, type, dataType, isTrans};
  return Checked(Known(dataType));
}
int32_t MatmulApiTilingBase::SetCType(TPosition pos, CubeFormat type, DataType dataType) {
  product_.c = {pos, type, dataType, false};
  return Checked(Known(dataType));
}
int32_t MatmulApiTilingBase::SetBiasType(TPosition pos, CubeFormat type, DataType dataType) {
  product_.bias = {pos, type, dataType, false};
  return Checked(Known(dataType));
}
int32_t MatmulApiTilingBase::SetDequantType(DequantType) { return kOk; }
int32_t MatmulApiTilingBase::SetShape(int32_t m, int32_t n, int32_t k) {
  product_.shape = {m, n, k};
  return kOk;
}
int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn) {
  return SetOrgShape(orgMIn, orgNIn, orgKIn, orgKIn);
}
int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn,
                                         int32_t orgKbIn) {
  product_.org_m = orgMIn, product_.org_n = orgNIn, product_.org_ka = orgKaIn,
  product_.org_kb = orgKbIn;
  return Checked(orgMIn > 0 && orgNIn > 0 && orgKaIn > 0 && orgKbIn > 0);
}
int32_t MatmulApiTilingBase::SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
  product_.a_layout = {b, s, n, g, d};
  return kOk;
}
int32_t MatmulApiTilingBase::SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
  product_.b_layout = {b, s, n, g, d};
  return kOk;
}
int32_t MatmulApiTilingBase::SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
  product_.c_layout = {b, s, n, g, d};
  return kOk;
}
// The matrices of each side lie one behind the other.
int32_t MatmulApiTilingBase::SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m,
                                                   int32_t n, int32_t k) {
  product_.a_layout = {batchA, m, 1, 1, k};
  product_.b_layout = {batchB, product_.b.trans ? n : k, 1, 1, product_.b.trans ? k : n};
  if (product_.a.trans) product_.a_layout.s = k, product_.a_layout.d = m;
  product_.c_layout = {std::max(batchA, batchB), m, 1, 1, n};
  product_.batch_a = batchA, product_.batch_b = batchB;
  return Checked(batchA > 0 && batchB > 0 && m > 0 && n > 0 && k > 0);
}
int32_t MatmulApiTilingBase::SetBatchNum(int32_t batch) {
  product_.batch = batch;
  return Checked(batch > 0);
}
int32_t MatmulApiTilingBase::EnableBias(bool isBiasIn) {
  product_.has_bias = isBiasIn;
  return kOk;
}
int32_t MatmulApiTilingBase::SetFixSplit(int32_t baseMIn, int32_t baseNIn, int32_t baseKIn) {
  auto legal = [](int32_t base) { return base == -1 || base > 0; };
  if (!legal(baseMIn) || !legal(baseNIn) || !legal(baseKIn)) return kRefused;
  if (baseMIn > 0 && baseNIn > 0 && int64_t(baseMIn) * baseNIn * 4 > product_.all_l0c)
    return kRefused;
  product_.base = {baseMIn, baseNIn, baseKIn};
  return kOk;
}
int32_t MatmulApiTilingBase::SetBufferSpace(int32_t l1Size, int32_t l0CSize, int32_t ubSize,
                                            int32_t btSize) {
  auto fits = [](int64_t given, int64_t all) { return given <= all; };
  product_.l1 = l1Size, product_.l0c = l0CSize, product_.ub = ubSize, product_.bt = btSize;
  // A program may name a memory's whole size although the library keeps the last bytes of it.
  if (l1Size > product_.all_l1) product_.l1 = -1;
  if (ubSize > product_.all_ub) product_.ub = -1;
  return Checked(fits(l0CSize, product_.all_l0c) && fits(btSize, product_.all_bt));
}
int32_t MatmulApiTilingBase::SetTraverse(MatrixTraverse traverse) {
  product_.traverse = traverse;
  return kOk;
}
int32_t MatmulApiTilingBase::SetMadType(MatrixMadType) { return kOk; }
int32_t MatmulApiTilingBase::SetSplitRange(int32_t, int32_t, int32_t, int32_t, int32_t, int32_t) {
  return kOk;
}
int32_t MatmulApiTilingBase::SetDoubleBuffer(bool, bool, bool, bool, bool, bool) { return kOk; }
void MatmulApiTilingBase::SetMatmulConfigParams(int32_t, bool, ScheduleType,
                                                MatrixTraverse traverse, bool) {
  if (traverse != MatrixTraverse::NOSET) product_.traverse = traverse;
}
void MatmulApiTilingBase::SetMatmulConfigParams(const MatmulConfigParams& configParams) {
  SetMatmulConfigParams(configParams.mmConfigType, configParams.enableL1CacheUB,
                        configParams.scheduleType, configParams.traverse, configParams.enVecND2NZ);
}
int32_t MatmulApiTilingBase::SetSparse(bool isSparseIn) {
  product_.sparse = isSparseIn;
  return kOk;
}

bool MatmulApiTilingBase::Cut() {
  const auto cut = akgen::host::CutMatmul(product_);
  if (cut) cut_ = *cut;
  return cut.has_value();
}
int64_t MatmulApiTilingBase::GetTiling(AscendC::tiling::TCubeTiling& tiling) {
  if (!Cut()) return kRefused;
  tiling = cut_;
  return kOk;
}
int64_t MatmulApiTilingBase::GetTiling(optiling::TCubeTiling& tiling) {
  if (!Cut()) return kRefused;
  static_assert(sizeof cut_ == 200);
  tiling.AkgenAssign(&cut_);
  return kOk;
}

int32_t MultiCoreMatmulTiling::SetDim(int32_t dim) {
  product_.cores = dim;
  return Checked(dim > 0);
}
int32_t MultiCoreMatmulTiling::SetSingleShape(int32_t singleMIn, int32_t singleNIn,
                                              int32_t singleKIn) {
  product_.single = {singleMIn, singleNIn, singleKIn};
  return kOk;
}
int32_t MultiCoreMatmulTiling::SetSingleRange(int32_t maxM, int32_t maxN, int32_t maxK,
                                              int32_t minM, int32_t minN, int32_t minK) {
  product_.most = {maxM, maxN, maxK}, product_.least = {minM, minN, minK};
  return kOk;
}
int32_t MultiCoreMatmulTiling::SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK) {
  product_.align = {std::max(1, alignM), std::max(1, alignN), std::max(1, alignK)};
  return kOk;
}
int32_t MultiCoreMatmulTiling::GetSingleShape(int32_t& shapeM, int32_t& shapeN, int32_t& shapeK) {
  shapeM = cut_.singleCoreM, shapeN = cut_.singleCoreN, shapeK = cut_.singleCoreK;
  return Checked(cut_.usedCoreNum > 0);
}
int32_t MultiCoreMatmulTiling::GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim) {
  if (cut_.usedCoreNum == 0) return kRefused;
  auto share = [](int32_t all, int32_t one) { return (all + one - 1) / one; };
  dim = cut_.usedCoreNum;
  mDim = share(product_.shape.m > 0 ? product_.shape.m : cut_.M, cut_.singleCoreM);
  nDim = share(product_.shape.n > 0 ? product_.shape.n : cut_.N, cut_.singleCoreN);
  return kOk;
}

int32_t BatchMatmulTiling::GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim,
                                      int32_t& batchCoreM, int32_t& batchCoreN) {
  dim = mDim = nDim = batchCoreM = batchCoreN = 1;
  return Checked(cut_.usedCoreNum > 0);
}
}  // namespace matmul_tiling
