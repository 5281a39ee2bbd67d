// fe::PlatFormInfos: what the chip of the current launch has. Sizes are bytes.
#ifndef AKGEN_PLATFORM_PLATFORM_INFO_H
#define AKGEN_PLATFORM_PLATFORM_INFO_H
#include "akgen/host_std.h"

// Host sources rely on these names being global after this header.
using std::map;
using std::string;
using std::vector;

namespace akgen::chip {
struct Chip;
}

namespace fe {
enum class LocalMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, RESERVED };

class PlatFormInfos {
 public:
  explicit PlatFormInfos(const akgen::chip::Chip* chip) : chip_(chip) {}
  uint32_t GetCoreNum() const;                                    // vector cores on split chips
  uint32_t GetCoreNumByType(const std::string& core_type) const;  // "AiCore", "VectorCore"
  // The chip's own sizes, nothing taken off.
  void GetLocalMemSize(const LocalMemType& type, uint64_t& size);
  void GetLocalMemBw(const LocalMemType& type, uint64_t& bytes_per_cycle);
  // Answers "version"/"SoC_version", "version"/"Short_SoC_version", "SoCInfo"/"ai_core_cnt",
  // "vector_core_cnt", "cube_core_cnt", "l2_size", "cube_vector_combine" (split, fuse),
  // "AICoreintrinsicDtypeMap"/an instruction that the chip has; false for others.
  bool GetPlatformRes(const std::string& label, const std::string& key, std::string& value);
  bool GetPlatformResWithLock(const std::string& label, const std::string& key, std::string& value);
  const akgen::chip::Chip* AkgenChip() const { return chip_; }

 private:
  const akgen::chip::Chip* chip_;
};

// The older form, of which host code reads the chip's names and counts.
struct StrInfo {
  std::string aic_version, ccec_aicore_version, ccec_cube_version, ccec_vector_version,
      is_support_a5, short_soc_version;
};
struct SoCInfo {
  uint32_t ai_core_cnt = 0, vector_core_cnt = 0, cube_core_cnt = 0, ai_cpu_cnt = 0, memory_type = 0;
  uint64_t memory_size = 0, l2_size = 0, l2_page_num = 0;
};
struct PlatformInfo {
  StrInfo str_info;
  SoCInfo soc_info;
};
struct OptionalInfo {
  std::string soc_version, core_type, l1_fusion_flag, fixpipe_support_flag;
  uint32_t ai_core_num = 0;
};
class PlatformInfoManager {
 public:
  static PlatformInfoManager& Instance();
  static PlatformInfoManager& GeInstance() { return Instance(); }
  uint32_t InitializePlatformInfo() { return 0; }
  // 0: of the chip that the launch is for.
  uint32_t GetPlatformInfoWithOutSocVersion(PlatformInfo& info, OptionalInfo& optional);
};
}  // namespace fe
#endif
