// What a Matmul object is made of: the types of its matrices, its configuration, callbacks and
// policies. Most fields of a configuration change how fast a product is made, not the product:
// those are taken and not looked at.
#ifndef ASCENDC_KERNEL_MATMUL_CONFIG_H
#define ASCENDC_KERNEL_MATMUL_CONFIG_H
#include "kernel/cube_compute.h"
#include "kernel/system.h"
#include "kernel_tiling/kernel_tiling.h"

enum class CubeFormat {
  ND = 0,
  NZ,
  ZN,
  ZZ,
  NN,
  ND_ALIGN,
  SCALAR,
  VECTOR,
  ROW_MAJOR = ND,
  COLUMN_MAJOR = 8
};
// How the matrices of a batch lie. S: rows, D: columns, N x G: which matrix, B: of which outer
// batch.
enum class LayoutMode { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };
enum class BatchMode { NONE = 0, BATCH_LESS_THAN_L1, BATCH_LARGE_THAN_L1, SINGLE_LARGE_THAN_L1 };
enum class BatchOutMode { SINGLE_BATCH, MULTI_BATCH, DYNAMIC };  // documented as reserved
enum class IterateOrder { ORDER_M = 0, ORDER_N, UNDEF };
enum class ScheduleType { INNER_PRODUCT = 0, OUTER_PRODUCT };
enum IterateMode : uint8_t {
  ITERATE_MODE_NORMAL = 1,
  ITERATE_MODE_ALL = 2,
  ITERATE_MODE_BATCH = 4,
  ITERATE_MODE_N_BATCH = 8,
  ITERATE_MODE_DEFAULT = 15
};
enum class MatmulConfigMode { CONFIG_NORM, CONFIG_MDL, CONFIG_SPECIALMDL, CONFIG_IBSHARE };
enum class DecompressionMode { DECOMP_NONE = 0 };

struct MatmulConfig {
  bool doNorm;
  bool doBasicBlock;
  bool doMultiDataLoad;
  uint32_t basicM;
  uint32_t basicN;
  uint32_t basicK;
  bool intrinsicsCheck;
  bool isNBatch;
  bool enVecND2NZ;
  bool doSpecialBasicBlock;
  uint32_t doMTE2Preload;
  uint32_t singleCoreM;
  uint32_t singleCoreN;
  uint32_t singleCoreK;
  uint32_t stepM;
  uint32_t stepN;
  uint32_t baseMN;
  uint32_t singleCoreMN;
  bool enUnitFlag = true;
  bool isPerTensor;
  bool hasAntiQuantOffset;
  bool doIBShareNorm;
  bool doSpecialMDL;
  bool enableInit = true;
  BatchMode batchMode;
  bool enableEnd = true;
  bool enableGetTensorC = true;
  bool enableSetOrgShape = true;
  bool enableSetBias = true;
  bool enableSetTail = true;
  bool enableQuantVector = true;
  bool enableSetDefineData = true;
  uint8_t iterateMode = ITERATE_MODE_DEFAULT;
  bool enableReuse = true;
  bool enableUBReuse;
  bool enableL1CacheUB;
  bool intraBlockPartSum = false;
  IterateOrder iterateOrder{IterateOrder::UNDEF};
  ScheduleType scheduleType;
  bool enableDoubleCache;
  bool isBiasBatch = true;
  bool enableStaticPadZeros = false;
  bool isPartialOutput = false;
  bool enableMixDualMaster = false;
  bool isA2B2Shared = false;
  bool isEnableChannelSplit = false;
  bool enableKdimReorderLoad = false;
  bool isCO1Shared = false;
  uint32_t sharedCO1BufferSize = 64 * 1024;
  BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
  bool enableL1BankConflictOptimise = false;
  bool enableRelu = false;
  DecompressionMode decompMode = DecompressionMode::DECOMP_NONE;
};

// Second-level structures that GetMMConfig takes, in any order.
struct MatmulShapeParams {
  uint32_t singleCoreM, singleCoreN, singleCoreK, basicM, basicN, basicK;
};
struct MatmulQuantParams {
  bool isPerTensor, hasAntiQuantOffset;
};
struct MatmulBatchParams {
  bool isNBatch;
  BatchMode batchMode = BatchMode::BATCH_LESS_THAN_L1;
  bool isBiasBatch = true;
  BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
};
struct MatmulFuncParams {
  bool intrinsicsLimit;
  bool enVecND2NZ;
  bool enableDoubleCache;
  bool enableL1CacheUB;
  uint32_t doMTE2Preload;
  IterateOrder iterateOrder;
  ScheduleType scheduleType;
  bool enableReuse = true;
  bool enableUBReuse;
  bool isPartialOutput = false;
  bool isA2B2Shared = false;
  bool isEnableChannelSplit = false;
  bool enableKdimReorderLoad = false;
  bool enableL1BankConflictOptimise = false;
};

constexpr MatmulConfig AkgenConfigOf(bool norm, bool mdl, bool unitFlag) {
  MatmulConfig c{};
  c.doNorm = norm;
  c.doMultiDataLoad = mdl;
  c.enUnitFlag = unitFlag;
  c.enableUBReuse = true;
  c.batchMode = BatchMode::BATCH_LESS_THAN_L1;
  return c;
}
__aicore__ constexpr MatmulConfig GetNormalConfig(
    const bool intrinsicsLimit = false, const bool batchLoop = false, const bool isVecND2NZ = false,
    const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1, const bool isMsgReuse = true,
    const IterateOrder iterateOrder = IterateOrder::UNDEF,
    const ScheduleType scheduleType = ScheduleType::INNER_PRODUCT, const bool enUnitFlag = true,
    const bool enableMixDualMaster = false,
    const BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH) {
  MatmulConfig c = AkgenConfigOf(true, false, enUnitFlag);
  c.intrinsicsCheck = intrinsicsLimit;
  c.isNBatch = batchLoop;
  c.enVecND2NZ = isVecND2NZ;
  c.batchMode = bmmMode;
  c.enableReuse = isMsgReuse;
  c.iterateOrder = iterateOrder;
  c.scheduleType = scheduleType;
  c.enableMixDualMaster = enableMixDualMaster;
  c.bmmOutMode = bmmOutMode;
  return c;
}
__aicore__ constexpr MatmulConfig GetMDLConfig(
    const bool intrinsicsLimit = false, const bool batchLoop = false,
    const uint32_t doMTE2Preload = 0, const bool isVecND2NZ = false, bool isPerTensor = false,
    bool hasAntiQuantOffset = false, const bool enUnitFlag = false, const bool isMsgReuse = true,
    const bool enableUBReuse = true, const bool enableL1CacheUB = false,
    const bool enableMixDualMaster = false, const bool enableKdimReorderLoad = false) {
  MatmulConfig c = AkgenConfigOf(false, true, enUnitFlag);
  c.intrinsicsCheck = intrinsicsLimit;
  c.isNBatch = batchLoop;
  c.doMTE2Preload = doMTE2Preload;
  c.enVecND2NZ = isVecND2NZ;
  c.isPerTensor = isPerTensor;
  c.hasAntiQuantOffset = hasAntiQuantOffset;
  c.enableReuse = isMsgReuse;
  c.enableUBReuse = enableUBReuse;
  c.enableL1CacheUB = enableL1CacheUB;
  c.enableMixDualMaster = enableMixDualMaster;
  c.enableKdimReorderLoad = enableKdimReorderLoad;
  return c;
}
__aicore__ constexpr MatmulConfig GetSpecialMDLConfig(const bool intrinsicsLimit = false,
                                                      const bool batchLoop = false,
                                                      const uint32_t doMTE2Preload = 0,
                                                      const bool isVecND2NZ = false,
                                                      bool isPerTensor = false,
                                                      bool hasAntiQuantOffset = false) {
  MatmulConfig c = GetMDLConfig(intrinsicsLimit, batchLoop, doMTE2Preload, isVecND2NZ, isPerTensor,
                                hasAntiQuantOffset);
  c.doMultiDataLoad = false;
  c.doSpecialMDL = true;
  return c;
}
__aicore__ constexpr MatmulConfig GetIBShareNormConfig(
    const bool intrinsicsLimit = false, const bool batchLoop = false, const bool isVecND2NZ = false,
    const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1, const bool isDoubleCache = false,
    const bool enUnitFlag = true) {
  MatmulConfig c = GetNormalConfig(intrinsicsLimit, batchLoop, isVecND2NZ, bmmMode, true,
                                   IterateOrder::UNDEF, ScheduleType::INNER_PRODUCT, enUnitFlag);
  c.doNorm = false;
  c.doIBShareNorm = true;
  c.enableDoubleCache = isDoubleCache;
  return c;
}
__aicore__ constexpr MatmulConfig GetBasicConfig(
    const uint32_t basicM, const uint32_t basicN, const uint32_t basicK,
    const bool intrinsicsLimit = false, const bool batchLoop = false,
    const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1) {
  MatmulConfig c = GetNormalConfig(intrinsicsLimit, batchLoop, false, bmmMode);
  c.doNorm = false;
  c.doBasicBlock = true;
  c.basicM = basicM;
  c.basicN = basicN;
  c.basicK = basicK;
  return c;
}
__aicore__ constexpr MatmulConfig GetSpecialBasicConfig(
    const uint32_t basicM, const uint32_t basicN, const uint32_t basicK, const uint32_t singleCoreM,
    const uint32_t singleCoreN, const uint32_t singleCoreK, const uint32_t stepM,
    const uint32_t stepN, const bool intrinsicsLimit = false, const bool batchLoop = false,
    const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1) {
  MatmulConfig c = GetBasicConfig(basicM, basicN, basicK, intrinsicsLimit, batchLoop, bmmMode);
  c.doBasicBlock = false;
  c.doSpecialBasicBlock = true;
  c.singleCoreM = singleCoreM;
  c.singleCoreN = singleCoreN;
  c.singleCoreK = singleCoreK;
  c.stepM = stepM;
  c.stepN = stepN;
  return c;
}

constexpr void AkgenTake(MatmulConfig& c, const MatmulShapeParams& p) {
  c.singleCoreM = p.singleCoreM;
  c.singleCoreN = p.singleCoreN;
  c.singleCoreK = p.singleCoreK;
  c.basicM = p.basicM;
  c.basicN = p.basicN;
  c.basicK = p.basicK;
}
constexpr void AkgenTake(MatmulConfig& c, const MatmulQuantParams& p) {
  c.isPerTensor = p.isPerTensor;
  c.hasAntiQuantOffset = p.hasAntiQuantOffset;
}
constexpr void AkgenTake(MatmulConfig& c, const MatmulBatchParams& p) {
  c.isNBatch = p.isNBatch;
  c.batchMode = p.batchMode;
  c.isBiasBatch = p.isBiasBatch;
  c.bmmOutMode = p.bmmOutMode;
}
constexpr void AkgenTake(MatmulConfig& c, const MatmulFuncParams& p) {
  c.intrinsicsCheck = p.intrinsicsLimit;
  c.enVecND2NZ = p.enVecND2NZ;
  c.enableDoubleCache = p.enableDoubleCache;
  c.enableL1CacheUB = p.enableL1CacheUB;
  c.doMTE2Preload = p.doMTE2Preload;
  c.iterateOrder = p.iterateOrder;
  c.scheduleType = p.scheduleType;
  c.enableReuse = p.enableReuse;
  c.enableUBReuse = p.enableUBReuse;
  c.isPartialOutput = p.isPartialOutput;
  c.isA2B2Shared = p.isA2B2Shared;
  c.isEnableChannelSplit = p.isEnableChannelSplit;
  c.enableKdimReorderLoad = p.enableKdimReorderLoad;
}
template <MatmulConfigMode configMode, typename... ArgTypes>
__aicore__ inline constexpr MatmulConfig GetMMConfig(ArgTypes&&... args) {
  MatmulConfig c = configMode == MatmulConfigMode::CONFIG_MDL          ? GetMDLConfig()
                   : configMode == MatmulConfigMode::CONFIG_SPECIALMDL ? GetSpecialMDLConfig()
                   : configMode == MatmulConfigMode::CONFIG_IBSHARE    ? GetIBShareNormConfig()
                                                                       : GetNormalConfig();
  (AkgenTake(c, args), ...);
  return c;
}
constexpr MatmulConfig CFG_NORM = GetNormalConfig();
constexpr MatmulConfig CFG_MDL = GetMDLConfig();
constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();
constexpr MatmulConfig MM_CFG_BB = GetBasicConfig(128, 128, 128);

// A tiling that is known when the kernel is compiled. Sizes of 0 are those of the tiling that Init
// is given.
struct MatmulApiStaticTiling {
  int32_t usedCoreNum = -1, M = -1, N = -1, Ka = -1, Kb = -1;
  int32_t singleCoreM = -1, singleCoreN = -1, singleCoreK = -1, baseM = -1, baseN = -1, baseK = -1;
  int32_t depthA1 = -1, depthB1 = -1, stepM = -1, stepN = -1, stepKa = -1, stepKb = -1;
  int32_t isBias = -1, transLength = -1, iterateOrder = -1, dbL0A = -1, dbL0B = -1, dbL0C = -1;
  int32_t shareMode = -1, shareL1Size = -1, shareL0CSize = -1, shareUbSize = -1;
  int32_t batchM = -1, batchN = -1, singleBatchM = -1, singleBatchN = -1, mxTypePara = -1;
  MatmulConfig cfg = CFG_NORM;
};

namespace AscendC {
using ::BatchMode;
using ::CFG_IBSHARE_NORM;
using ::CFG_MDL;
using ::CFG_NORM;
using ::CubeFormat;
using ::IterateOrder;
using ::LayoutMode;
using ::MatmulApiStaticTiling;
using ::MatmulConfig;
using ::MatmulConfigMode;
using ::MM_CFG_BB;
using ::ScheduleType;

// posOf: where the matrix is; isTrans: SetTensorA or SetTensorB may say that it lies transposed;
// ibshare: both Vector cores of a block give the same matrix; srcPos: where one in TSCM came from.
template <TPosition posOf, CubeFormat formatOf, typename TYPE, bool isTransOf = false,
          LayoutMode layoutOf = LayoutMode::NONE, bool ibshareOf = false,
          TPosition srcPosOf = TPosition::GM>
struct MatmulType {
  static constexpr TPosition pos = posOf, position = posOf, pos_ = posOf;
  static constexpr CubeFormat format = formatOf;
  using T = TYPE;
  static constexpr bool isTrans = isTransOf;
  static constexpr LayoutMode layout = layoutOf;
  static constexpr bool ibShare = ibshareOf;
  static constexpr TPosition srcPos = srcPosOf;
};

// Whether such a matrix lies in L1 when it is given.
template <class TYPE>
inline constexpr bool kAkgenInL1 =
    TYPE::position == TPosition::TSCM || TYPE::position == TPosition::A1 ||
    TYPE::position == TPosition::B1;

// Weights on the right whose every four elements along K are stored as two.
template <TPosition pos, TPosition indexPosOf, CubeFormat formatOf, typename TYPE,
          bool isTransOf = false, LayoutMode layoutOf = LayoutMode::NONE, bool ibshareOf = false>
struct SparseMatmulType : MatmulType<pos, formatOf, TYPE, isTransOf, layoutOf, ibshareOf> {
  static constexpr TPosition indexPosition = indexPosOf;
};
template <typename TYPE, typename = void>
struct AkgenIsSparse : std::false_type {};
template <typename TYPE>
struct AkgenIsSparse<TYPE, decltype(void(TYPE::indexPosition))> : std::true_type {};

// What products of a type are summed in.
template <typename T>
struct GetMmDstType {
  using Type = std::conditional_t<SupportType<T, int8_t, int4b_t>(), int32_t, float>;
};

struct DataCopyOutParams {
  uint16_t cBurstNum = 0;
  uint16_t burstLen = 0;
  uint16_t srcStride = 0;
  uint32_t dstStride = 0;
  uint16_t oriNSize = 0;
  bool enUnitFlag = false;
  uint64_t quantScalar = 0;
  uint64_t cbufWorkspaceAddr = 0;
};
using AkgenCallbackOut = void (*)(const __gm__ void* gm, const LocalTensor<int8_t>& co1Local,
                                  const void* dataCopyOutParams, const uint64_t tilingPtr,
                                  const uint64_t dataPtr);
using AkgenCallbackIn = void (*)(const LocalTensor<int8_t>& matrix, const __gm__ void* gm, int row,
                                 int col, int useRows, int useColumns, const uint64_t tilingPtr,
                                 const uint64_t dataPtr);
template <AkgenCallbackOut copyOut = nullptr, AkgenCallbackIn copyA1 = nullptr,
          AkgenCallbackIn copyB1 = nullptr>
struct MatmulCallBackFunc {
  static constexpr AkgenCallbackOut DataCopyOutPtr = copyOut;
  static constexpr AkgenCallbackIn CopyA1Ptr = copyA1;
  static constexpr AkgenCallbackIn CopyB1Ptr = copyB1;
};

// Which blocks of C are made. A policy is a template, as the library's are.
enum class AkgenPartOfC { kAll, kUpper, kLower };
namespace Impl::Detail {
template <const auto& MM_CFG, typename IMPL, typename A, typename B, typename C, typename BIAS>
struct MatmulPolicy {
  static constexpr AkgenPartOfC kBlocks = AkgenPartOfC::kAll;
};
template <const auto& MM_CFG, typename IMPL, typename A, typename B, typename C, typename BIAS>
struct TrianUpperMatmulPolicy {
  static constexpr AkgenPartOfC kBlocks = AkgenPartOfC::kUpper;
};
template <const auto& MM_CFG, typename IMPL, typename A, typename B, typename C, typename BIAS>
struct TrianLowerMatmulPolicy {
  static constexpr AkgenPartOfC kBlocks = AkgenPartOfC::kLower;
};
template <const auto& MM_CFG, typename IMPL, typename A, typename B, typename C, typename BIAS>
struct NBuffer33MatmulPolicy : MatmulPolicy<MM_CFG, IMPL, A, B, C, BIAS> {};
}  // namespace Impl::Detail
namespace Impl {
constexpr int32_t L1_SIZE = 512 * 1024;
constexpr int32_t QUEUE_DEPTH = 1;
}  // namespace Impl

// Steps along K by the same rule as on the host: twice what L1 holds, but no more than there is.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE>
__aicore__ constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig& mmCFG,
                                                              int32_t l1Size = Impl::L1_SIZE) {
  MatmulApiStaticTiling t;
  t.cfg = mmCFG;
  const int32_t bits = SizeOfBits<typename A_TYPE::T>::value;
  t.baseM = static_cast<int32_t>(mmCFG.basicM);
  t.baseN = static_cast<int32_t>(mmCFG.basicN);
  t.baseK = static_cast<int32_t>(mmCFG.basicK);
  if (mmCFG.singleCoreM != 0) {
    t.M = t.singleCoreM = static_cast<int32_t>(mmCFG.singleCoreM);
    t.N = t.singleCoreN = static_cast<int32_t>(mmCFG.singleCoreN);
    t.Ka = t.Kb = t.singleCoreK = static_cast<int32_t>(mmCFG.singleCoreK);
  }
  const int32_t block = (t.baseM + t.baseN) * t.baseK * bits / 8, bias = t.baseN * 4;
  int32_t steps = block > 0 ? (l1Size - bias) / 2 / block : 1;
  if (t.singleCoreK > 0 && t.baseK > 0) {
    const int32_t blocks = (t.singleCoreK + t.baseK - 1) / t.baseK;
    steps = steps > blocks ? blocks : steps;
  }
  steps = steps < 1 ? 1 : steps;
  t.stepM = t.stepN = 1;
  t.stepKa = t.stepKb = steps;
  t.depthA1 = t.depthB1 = 2 * steps;
  t.iterateOrder = 0;
  const int32_t deep = (t.baseM > t.baseN ? t.baseM : t.baseN) * t.baseK * bits / 8;
  t.dbL0A = t.dbL0B = deep <= 32 * 1024 ? 2 : 1;
  t.dbL0C = t.baseM * t.baseN * 4 <= 64 * 1024 ? 2 : 1;
  return t;
}
// Operators that take no Matmul object have functions of these names themselves.
__aicore__ inline uint16_t CeilDiv(uint16_t num1, uint16_t num2) {
  if (num2 == 0) akgen_broken_rule("CeilDiv: num2 is above zero");
  return num2 == 0 ? 0 : static_cast<uint16_t>((num1 + num2 - 1) / num2);
}
__aicore__ inline uint16_t CeilAlign(uint16_t num1, uint16_t num2) {
  return static_cast<uint16_t>(CeilDiv(num1, num2) * num2);
}
template <typename T>
__aicore__ inline T CeilAlign(T num1, T num2) {
  if (num2 <= 0) akgen_broken_rule("CeilAlign: num2 is above zero");
  return num2 <= 0 ? T(0) : static_cast<T>((num1 + num2 - 1) / num2 * num2);
}

constexpr const MatmulConfig& ToMatmulConfig(const MatmulConfig& c) { return c; }
constexpr const MatmulConfig& ToMatmulConfig(const MatmulApiStaticTiling& t) { return t.cfg; }
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_MATMUL_CONFIG_H
