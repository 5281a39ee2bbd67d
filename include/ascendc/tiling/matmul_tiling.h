// Host side of Matmul objects: what a product is, and how it is cut. Sizes are elements unless a
// name says bytes; -1 leaves a choice to the library. Setters and GetTiling return 0, or -1 for
// what cannot be.
#ifndef AKGEN_TILING_MATMUL_TILING_H
#define AKGEN_TILING_MATMUL_TILING_H
#include "tiling/library_tilings.h"
#include "tiling/platform/platform_ascendc.h"

namespace matmul_tiling {
enum class DataType : int32_t {
  DT_FLOAT = 0,
  DT_FLOAT16 = 1,
  DT_INT8 = 2,
  DT_INT32 = 3,
  DT_UINT8 = 4,
  DT_INT16 = 6,
  DT_UINT16 = 7,
  DT_UINT32 = 8,
  DT_INT64 = 9,
  DT_UINT64 = 10,
  DT_DOUBLE = 11,
  DT_BOOL = 12,
  DT_BF16 = 27,
  DT_UNDEFINED = 28,
  DT_INT4 = 29,
  DT_UINT1 = 30,
  DT_INT2 = 31,
  DT_UINT2 = 32,
  DT_BFLOAT16 = 33,
  DT_HIFLOAT8 = 34,  // from here on: of other chips
  DT_FLOAT8_E4M3FN = 35,
  DT_FLOAT8_E5M2 = 36,
  DT_FLOAT4_E2M1 = 37,
  DT_FLOAT8_E8M0 = 38,
  DT_FLOAT4_E1M2 = 39,
  DT_MAX = 40
};
enum class TPosition : int32_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM = VECCALC,
  SPM,
  SHM = SPM,
  TSCM,
  MAX
};
enum class CubeFormat : int32_t {
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
enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM, FIRSTN };
enum class MatrixMadType : int32_t { NORMAL = 0, HF32, MXMODE };
enum class DequantType : int32_t { SCALAR = 0, TENSOR };
enum class ScheduleType : int32_t { INNER_PRODUCT = 0, OUTER_PRODUCT, N_BUFFER_33 };

// Bytes of a core's memories.
struct PlatformInfo {
  platform_ascendc::SocVersion socVersion = platform_ascendc::SocVersion::ASCEND910B;
  uint64_t l1Size = 0, l0CSize = 0, ubSize = 0, l0ASize = 0, l0BSize = 0, btSize = 0, fbSize = 0;
  NpuArch npuArch{};
};

// mmConfigType: 0 Norm, 1 MDL.
struct MatmulConfigParams {
  MatmulConfigParams(int32_t type = 1, bool l1CacheUb = false,
                     ScheduleType schedule = ScheduleType::INNER_PRODUCT,
                     MatrixTraverse order = MatrixTraverse::NOSET, bool vecNd2Nz = false)
      : mmConfigType(type),
        enableL1CacheUB(l1CacheUb),
        scheduleType(schedule),
        traverse(order),
        enVecND2NZ(vecNd2Nz) {}
  int32_t mmConfigType;
  bool enableL1CacheUB;
  ScheduleType scheduleType;
  MatrixTraverse traverse;
  bool enVecND2NZ;
};

// What GetTiling answers for.
struct AkgenOperand {
  TPosition position = TPosition::GM;
  CubeFormat format = CubeFormat::ND;
  DataType type = DataType::DT_FLOAT16;
  bool trans = false;
};
struct AkgenSizes {
  int32_t m = -1, n = -1, k = -1;
};
struct AkgenLayout {
  int32_t b = 0, s = 0, n = 0, g = 0, d = 0;
};
struct AkgenProduct {
  AkgenOperand a, b, c{TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT, false}, bias = c;
  AkgenSizes shape, single, base, align{1, 1, 1}, most, least;
  int32_t org_m = -1, org_n = -1, org_ka = -1, org_kb = -1;
  int32_t cores = 1;
  bool has_bias = false, split_k = false, sparse = false;
  MatrixTraverse traverse = MatrixTraverse::NOSET;
  int64_t l1 = -1, l0c = -1, ub = -1, bt = -1;              // bytes that it may use, -1: all
  int64_t all_l1 = 0, all_l0c = 0, all_ub = 0, all_bt = 0;  // bytes that there are
  int64_t l0a = 0, l0b = 0;
  AkgenLayout a_layout, b_layout, c_layout;
  int32_t batch = 0, batch_a = 0, batch_b = 0;
};

class MatmulApiTilingBase {
 public:
  MatmulApiTilingBase();
  explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& ascendcPlatform);
  explicit MatmulApiTilingBase(const PlatformInfo& platform);
  virtual ~MatmulApiTilingBase() = default;

  int32_t SetAType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false);
  int32_t SetBType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false);
  int32_t SetCType(TPosition pos, CubeFormat type, DataType dataType);
  int32_t SetBiasType(TPosition pos, CubeFormat type, DataType dataType);
  int32_t SetDequantType(DequantType dequantType);
  virtual int32_t SetShape(int32_t m, int32_t n, int32_t k);
  int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn);
  int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn, int32_t orgKbIn);
  int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
  int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
  int32_t SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
  int32_t SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k);
  int32_t SetBatchNum(int32_t batch);
  int32_t EnableBias(bool isBiasIn = false);
  int32_t SetBias(bool isBiasIn = false) { return EnableBias(isBiasIn); }
  int32_t SetFixSplit(int32_t baseMIn = -1, int32_t baseNIn = -1, int32_t baseKIn = -1);
  int32_t SetBufferSpace(int32_t l1Size = -1, int32_t l0CSize = -1, int32_t ubSize = -1,
                         int32_t btSize = -1);
  int32_t SetTraverse(MatrixTraverse traverse);
  int32_t SetMadType(MatrixMadType madType);
  int32_t SetSplitRange(int32_t maxBaseM = -1, int32_t maxBaseN = -1, int32_t maxBaseK = -1,
                        int32_t minBaseM = -1, int32_t minBaseN = -1, int32_t minBaseK = -1);
  int32_t SetDoubleBuffer(bool a, bool b, bool c, bool bias, bool transND2NZ = true,
                          bool transNZ2ND = true);
  void SetMatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                             ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                             MatrixTraverse traverse = MatrixTraverse::NOSET,
                             bool enVecND2NZIn = false);
  void SetMatmulConfigParams(const MatmulConfigParams& configParams);
  int32_t SetSparse(bool isSparseIn = false);
  int32_t GetBaseM() const { return cut_.baseM; }
  int32_t GetBaseN() const { return cut_.baseN; }
  int32_t GetBaseK() const { return cut_.baseK; }
  virtual int64_t GetTiling(optiling::TCubeTiling& tiling);
  virtual int64_t GetTiling(AscendC::tiling::TCubeTiling& tiling);

 protected:
  // Cuts: `cut_` is then what GetTiling hands out.
  bool Cut();
  AkgenProduct product_;
  AscendC::tiling::TCubeTiling cut_;
};

// One core.
class MatmulApiTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;
  bool EnableL1BankConflictOptimise() { return false; }
};

class MultiCoreMatmulTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;
  int32_t SetDim(int32_t dim);
  virtual int32_t SetSingleShape(int32_t singleMIn = -1, int32_t singleNIn = -1,
                                 int32_t singleKIn = -1);
  virtual int32_t SetSingleRange(int32_t maxM = -1, int32_t maxN = -1, int32_t maxK = -1,
                                 int32_t minM = -1, int32_t minN = -1, int32_t minK = -1);
  int32_t SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK);
  // Of the latest GetTiling.
  int32_t GetSingleShape(int32_t& shapeM, int32_t& shapeN, int32_t& shapeK);
  int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim);
  void EnableMultiCoreSplitK(bool flag) { product_.split_k = flag; }
  void SetSplitK(bool flag) { EnableMultiCoreSplitK(flag); }
  bool EnableL1BankConflictOptimise() { return false; }
};

class BatchMatmulTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;
  int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim, int32_t& batchCoreM,
                     int32_t& batchCoreN);
};
}  // namespace matmul_tiling
#endif
