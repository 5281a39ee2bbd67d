// System variables, modes of the core, workspace, caches.
#ifndef ASCENDC_KERNEL_SYSTEM_H
#define ASCENDC_KERNEL_SYSTEM_H
#include "kernel/data_copy.h"
#include "kernel/pipe.h"
#include "kernel/sync.h"

// The built-in variables of the device language. Objects, not macros: kernels have locals of the
// same names.
struct AkgenBlockIdx {
  operator int64_t() const { return akgen_block_idx(); }
};
struct AkgenBlockNum {
  operator int64_t() const { return akgen_block_num(); }
};
struct AkgenSubBlockIdx {
  operator int64_t() const { return akgen_sub_block_idx(); }
};
struct AkgenSubBlockNum {
  operator int64_t() const { return akgen_sub_block_num(); }
};
static constexpr AkgenBlockIdx block_idx;
static constexpr AkgenBlockNum block_num;
static constexpr AkgenSubBlockIdx sub_block_idx;
static constexpr AkgenSubBlockNum sub_block_num;
__aicore__ inline int64_t get_block_idx() { return akgen_block_idx(); }
__aicore__ inline int64_t get_block_num() { return akgen_block_num(); }
__aicore__ inline int64_t get_subblockid() { return akgen_sub_block_idx(); }
__aicore__ inline int64_t get_subblockdim() { return akgen_sub_block_num(); }
__aicore__ inline void icache_preload(int64_t) {}

__aicore__ inline GM_ADDR GetSysWorkSpacePtr() {
  return static_cast<GM_ADDR>(akgen_sys_workspace());
}
__aicore__ inline void SetSysWorkSpacePtr(GM_ADDR workspace) { akgen_set_sys_workspace(workspace); }

namespace AscendC {
using ::GetSysWorkSpacePtr;
using ::SetSysWorkSpacePtr;

__aicore__ inline int64_t GetBlockNum() { return akgen_block_num(); }
__aicore__ inline int64_t GetBlockIdx() { return akgen_block_idx(); }
__aicore__ inline int64_t GetSubBlockIdx() { return akgen_sub_block_idx(); }
__aicore__ inline int64_t GetSubBlockNum() { return akgen_sub_block_num(); }
__aicore__ inline int64_t GetTaskRatio() { return akgen_task_ratio(); }
__aicore__ inline int64_t GetTaskRation() {
  return akgen_task_ratio();
}  // upstream has both spellings
__aicore__ inline constexpr int16_t GetDataBlockSizeInBytes() { return ONE_BLK_SIZE; }
__aicore__ inline int64_t GetSystemCycle() { return static_cast<int64_t>(akgen_system_cycle()); }
__aicore__ inline void Trap() { akgen_trap(); }
template <int count = 1>
__aicore__ inline void Nop() {}

template <EngineType engine, auto funPtr, class... Args>
__aicore__ void Async(Args... args) {
  if constexpr (engine == EngineType::AIV) funPtr(args...);
}

// The first of them that is called in a launch decides where the system workspace is.
__aicore__ inline void SetSysWorkspace(GM_ADDR workspace) {
  if (akgen_sys_workspace() == nullptr) akgen_set_sys_workspace(workspace);
}
__aicore__ inline void SetSysWorkspaceForce(GM_ADDR workspace) {
  akgen_set_sys_workspace(workspace);
}
// The user's part follows RESERVED_WORKSPACE bytes of the system's. As on the device the argument
// does not matter once the launch has set the workspace.
__aicore__ inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) {
  GM_ADDR base = static_cast<GM_ADDR>(akgen_sys_workspace());
  return (base != nullptr ? base : workspace) + RESERVED_WORKSPACE;
}

// Mask register. NORMAL: one bit per element of a repeat. COUNTER: low = number of elements.
template <typename T, MaskMode mode = MaskMode::NORMAL>
__aicore__ inline void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow) {
  akgen_set_mask(maskHigh, maskLow);
}
template <typename T, MaskMode mode = MaskMode::NORMAL>
__aicore__ inline void SetVectorMask(int32_t len) {
  if constexpr (mode == MaskMode::COUNTER) {
    akgen_set_mask(0, static_cast<uint64_t>(len));
  } else {
    const uint64_t high = len >= 128 ? FULL_MASK : len > 64 ? (1ULL << (len - 64)) - 1 : 0;
    const uint64_t low = len >= 64 ? FULL_MASK : (1ULL << len) - 1;
    akgen_set_mask(high, low);
  }
}
__aicore__ inline void ResetMask() { akgen_set_mask(FULL_MASK, FULL_MASK); }
__aicore__ inline void SetMaskCount() { akgen_set_mask_mode(1); }
__aicore__ inline void SetMaskNorm() { akgen_set_mask_mode(0); }

// What later copies from UB to GM do at the destination.
template <typename T>
inline void AkgenSetAtomic(uint32_t op) {
  // The call compiles for every type: where it is made, not where it is written, it has to be one
  // of these.
  if constexpr (SupportType<T, half, float, int16_t, int32_t, int8_t, bfloat16_t>())
    akgen_set_atomic(op, AkgenDtypeOf<T>::value);
  else
    akgen_broken_rule("atomic copies need half, float, int16_t, int32_t, int8_t or bfloat16_t");
}
template <typename T>
__aicore__ inline void SetAtomicAdd() {
  AkgenSetAtomic<T>(1);
}
template <typename T>
__aicore__ inline void SetAtomicMax() {
  AkgenSetAtomic<T>(2);
}
template <typename T>
__aicore__ inline void SetAtomicMin() {
  AkgenSetAtomic<T>(3);
}
template <typename T>
__aicore__ inline void SetAtomicType() {
  AkgenSetAtomic<T>(4);
}
enum class AtomicDtype {
  ATOMIC_NONE = 0,
  ATOMIC_F32,
  ATOMIC_F16,
  ATOMIC_S16,
  ATOMIC_S32,
  ATOMIC_S8,
  ATOMIC_BF16
};
enum class AtomicOp { ATOMIC_SUM = 0 };
template <AtomicDtype type, AtomicOp op>
__aicore__ inline void SetStoreAtomicConfig() {
  static_assert(op == AtomicOp::ATOMIC_SUM, "Ascend C: SetStoreAtomicConfig adds");
  constexpr uint8_t types[] = {AKGEN_NO_DTYPE, AKGEN_F32, AKGEN_F16, AKGEN_I16,
                               AKGEN_I32,      AKGEN_I8,  AKGEN_BF16};
  akgen_set_atomic(type != AtomicDtype::ATOMIC_NONE, types[static_cast<int>(type)]);
}
__aicore__ inline void DisableDmaAtomic() { akgen_set_atomic(0, AKGEN_NO_DTYPE); }
__aicore__ inline void SetAtomicNone() { DisableDmaAtomic(); }

template <typename T, CacheLine entireType, DcciDst dcciDst>
__aicore__ inline void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst) {
  akgen_dcci(dst.AkgenPtr(), static_cast<uint32_t>(entireType), static_cast<uint32_t>(dcciDst));
}
template <typename T, CacheLine entireType, DcciDst dcciDst>
__aicore__ inline void DataCacheCleanAndInvalid(const LocalTensor<T>& dst) {
  akgen_dcci(dst.AkgenPtr(), static_cast<uint32_t>(entireType), static_cast<uint32_t>(dcciDst));
}
template <typename T, CacheLine entireType>
__aicore__ inline void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst) {
  akgen_dcci(dst.AkgenPtr(), static_cast<uint32_t>(entireType),
             static_cast<uint32_t>(DcciDst::CACHELINE_ALL));
}
// Preloads change no result.
template <typename T>
__aicore__ inline void DataCachePreload(const GlobalTensor<uint64_t>& src, const T cacheOffset) {}
__aicore__ inline void ICachePreLoad(const int64_t preFetchLen) {}
__aicore__ inline int64_t GetICachePreloadStatus() { return 0; }

template <typename T>
__aicore__ inline void WriteGmByPassDCache(__gm__ T* addr, T value) {
  akgen_gm_bypass(addr, sizeof(T), 1);
  *addr = value;
}
template <typename T>
__aicore__ inline T ReadGmByPassDCache(__gm__ T* addr) {
  akgen_gm_bypass(addr, sizeof(T), 0);
  return *addr;
}

// Puts the core into its documented starting state; TPipe does it too.
__aicore__ inline void InitSocState() {
  SetAtomicNone();
  SetMaskNorm();
  ResetMask();
}
// On this chip only bit 48 of the control register is free for kernels.
template <int8_t startBit, int8_t endBit>
constexpr bool AkgenIsFreeCtrlBit() {
  return startBit == 48 && endBit == 48;
}
template <int8_t startBit, int8_t endBit>
__aicore__ inline void SetCtrlSpr(int64_t value) {
  static_assert(AkgenIsFreeCtrlBit<startBit, endBit>(),
                "Ascend C: SetCtrlSpr needs startBit and endBit 48 on this chip");
  akgen_set_saturation(AKGEN_SATURATE_FLOAT, (value & 1) == 0);
}
template <int8_t startBit, int8_t endBit>
__aicore__ inline int64_t GetCtrlSpr() {
  static_assert(AkgenIsFreeCtrlBit<startBit, endBit>(),
                "Ascend C: GetCtrlSpr needs startBit and endBit 48 on this chip");
  return (akgen_get_ctrl() >> 48) & 1;
}
template <int8_t startBit, int8_t endBit>
__aicore__ inline void ResetCtrlSpr() {
  static_assert(AkgenIsFreeCtrlBit<startBit, endBit>(),
                "Ascend C: ResetCtrlSpr needs startBit and endBit 48 on this chip");
  akgen_set_ctrl(akgen_get_ctrl() & ~(1ULL << 48));
}
// FLOAT: half and bfloat16 results that are infinite or no number; CAST: conversions to integers.
enum class SaturationMode : uint8_t { FLOAT, CAST };
template <SaturationMode mode>
__aicore__ inline void SetSaturationFlag(bool enableSat) {
  akgen_set_saturation(mode == SaturationMode::FLOAT ? AKGEN_SATURATE_FLOAT : AKGEN_SATURATE_CAST,
                       enableSat);
}
template <SaturationMode mode>
__aicore__ inline bool GetSaturationFlag() {
  return akgen_get_saturation(mode == SaturationMode::FLOAT ? AKGEN_SATURATE_FLOAT
                                                            : AKGEN_SATURATE_CAST) != 0;
}
}  // namespace AscendC
#define PRELOAD(len) AscendC::ICachePreLoad(len)
#endif  // ASCENDC_KERNEL_SYSTEM_H
