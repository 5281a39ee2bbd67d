// platform_ascendc::PlatformAscendC: core counts and memory sizes (bytes) for tiling functions.
#ifndef AKGEN_TILING_PLATFORM_PLATFORM_ASCENDC_H
#define AKGEN_TILING_PLATFORM_PLATFORM_ASCENDC_H
#include "platform/platform_info.h"
#include "platform/soc_spec.h"

namespace platform_ascendc {
enum class CoreMemType {
  L0_A = 0,
  L0_B = 1,
  L0_C = 2,
  L1 = 3,
  L2 = 4,
  UB = 5,
  HBM = 6,
  FB = 7,
  BT = 8,
  RESERVED
};

enum class SocVersion {
  ASCEND910 = 0,
  ASCEND910B,  // also the 910_93 series
  ASCEND310P,
  ASCEND310B,
  ASCEND950,
  ASCEND910_55,
  ASCEND910_95 = ASCEND950,
  ASCEND910_93 = 12,
  KIRINX90 = 13,
  KIRIN9030 = 14,
  ASCEND310 = 15,
  ASCEND310C = 16,
  ASCEND610LITE = 17,
  ASCEND910E = 18,
  RESERVED_VERSION = 99999
};

enum class ReservedSize { RESERVED_SIZE_8K, RESERVED_SIZE_16K, RESERVED_SIZE_32K };

class PlatformAscendC {
 public:
  PlatformAscendC() = delete;
  // nullptr: the chip of the current launch.
  explicit PlatformAscendC(fe::PlatFormInfos* info) : info_(info) {}
  // Vector cores on split chips (2201, 3510), AI cores on others.
  uint32_t GetCoreNum() const;
  uint32_t GetCoreNumAic() const;
  uint32_t GetCoreNumAiv() const;
  uint32_t GetCoreNumVector() const;  // extra vector cores of coupled chips; 0 on split ones
  // Blocks to launch for `slices` vector slices on a split chip: slices over the vector cores per
  // cube core; 0 when that is more than there are cube cores.
  uint32_t CalcTschBlockDim(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores) const;
  uint32_t CalcTschNumBlocks(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores) const;
  uint32_t GetLibApiWorkSpaceSize() const;
  uint32_t GetResCubeGroupWorkSpaceSize() const;
  uint32_t GetResGroupBarrierWorkSpaceSize() const;
  // UB and L1 are smaller than the chip's by what the library keeps (256 bytes on 2201); UB also by
  // what ReserveLocalMemory took.
  void GetCoreMemSize(const CoreMemType& type, uint64_t& size) const;
  void GetCoreMemBw(const CoreMemType& type, uint64_t& bytes_per_cycle) const;
  void ReserveLocalMemory(ReservedSize size);
  SocVersion GetSocVersion() const;
  NpuArch GetCurNpuArch() const;
  uint32_t GetVecRegLen() const;

 private:
  const akgen::chip::Chip& Chip() const;
  fe::PlatFormInfos* info_;
  uint32_t reserved_ = 0;
};

class PlatformAscendCManager {
 public:
  static PlatformAscendC* GetInstance();
  static PlatformAscendC* GetInstance(
      const char* soc);  // the name is not needed: one chip per process

 private:
  PlatformAscendCManager() = delete;
};
}  // namespace platform_ascendc
#endif
