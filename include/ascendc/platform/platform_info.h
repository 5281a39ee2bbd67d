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
  // Answers "version"/"SoC_version", "version"/"Short_SoC_version", "SoCInfo"/"ai_core_cnt", "vector_core_cnt",
  // "cube_core_cnt", "l2_size"; false for others.
  bool GetPlatformRes(const std::string& label, const std::string& key, std::string& value);
  bool GetPlatformResWithLock(const std::string& label, const std::string& key, std::string& value);
  const akgen::chip::Chip* AkgenChip() const { return chip_; }

 private:
  const akgen::chip::Chip* chip_;
};
}  // namespace fe
#endif
