// Answers of fe::PlatFormInfos and PlatformAscendC, from the chip numbers of the launch.
#include "host/node.h"
#include "tiling/platform/platform_ascendc.h"

namespace akgen {
HostSoc& CurrentSoc() {
  static HostSoc soc;
  return soc;
}
}  // namespace akgen

namespace fe {

uint32_t PlatFormInfos::GetCoreNum() const { return soc_->core_aiv; }
uint32_t PlatFormInfos::GetCoreNumByType(const std::string& core_type) const {
  return core_type == "VectorCore" ? soc_->core_aiv : soc_->core_aic;
}
void PlatFormInfos::GetLocalMemSize(const LocalMemType& type, uint64_t& size) {
  switch (type) {
    case LocalMemType::L0_A: size = soc_->l0a; break;
    case LocalMemType::L0_B: size = soc_->l0b; break;
    case LocalMemType::L0_C: size = soc_->l0c; break;
    case LocalMemType::L1: size = soc_->l1; break;
    case LocalMemType::L2: size = soc_->l2; break;
    case LocalMemType::UB: size = soc_->ub; break;
    case LocalMemType::HBM: size = soc_->hbm; break;
    default: size = 0;
  }
}
void PlatFormInfos::GetLocalMemBw(const LocalMemType& type, uint64_t& bytes_per_cycle) {
  platform_ascendc::PlatformAscendC(this).GetCoreMemBw(static_cast<platform_ascendc::CoreMemType>(type),
                                                       bytes_per_cycle);
}
bool PlatFormInfos::GetPlatformRes(const std::string& label, const std::string& key, std::string& value) {
  if (label == "version" && key == "SoC_version") return value = soc_->name, true;
  if (label == "version" && key == "Short_SoC_version") return value = soc_->short_name, true;
  if (label != "SoCInfo") return false;
  if (key == "ai_core_cnt" || key == "cube_core_cnt") return value = std::to_string(soc_->core_aic), true;
  if (key == "vector_core_cnt") return value = std::to_string(soc_->core_aiv), true;
  if (key == "l2_size") return value = std::to_string(soc_->l2), true;
  return false;
}
bool PlatFormInfos::GetPlatformResWithLock(const std::string& label, const std::string& key, std::string& value) {
  return GetPlatformRes(label, key, value);
}

}  // namespace fe

namespace platform_ascendc {

const akgen::HostSoc& PlatformAscendC::Soc() const {
  return info_ == nullptr ? akgen::CurrentSoc() : *info_->AkgenSoc();
}
uint32_t PlatformAscendC::GetCoreNum() const { return Soc().core_aiv; }
uint32_t PlatformAscendC::GetCoreNumAic() const { return Soc().core_aic; }
uint32_t PlatformAscendC::GetCoreNumAiv() const { return Soc().core_aiv; }
uint32_t PlatformAscendC::GetCoreNumVector() const { return 0; }
uint32_t PlatformAscendC::CalcTschBlockDim(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores) const {
  if (aic_cores == 0 || aiv_cores == 0 || aic_cores > aiv_cores) return slices;
  uint32_t ratio = aiv_cores / aic_cores;
  uint32_t blocks = (slices + ratio - 1) / ratio;
  return ratio == 2 && blocks > aic_cores ? 0 : blocks;
}
uint32_t PlatformAscendC::CalcTschNumBlocks(uint32_t slices, uint32_t aic_cores, uint32_t aiv_cores) const {
  return CalcTschBlockDim(slices, aic_cores, aiv_cores);
}
uint32_t PlatformAscendC::GetLibApiWorkSpaceSize() const { return static_cast<uint32_t>(Soc().lib_workspace); }
uint32_t PlatformAscendC::GetResCubeGroupWorkSpaceSize() const { return 1u << 20; }
uint32_t PlatformAscendC::GetResGroupBarrierWorkSpaceSize() const { return 1u << 20; }
void PlatformAscendC::GetCoreMemSize(const CoreMemType& type, uint64_t& size) const {
  // On 2201 the library keeps 256 bytes of UB and L1 for messages between cube and vector cores.
  const akgen::HostSoc& soc = Soc();
  const uint64_t kept = soc.arch == 2201 ? 256 : 0;
  switch (type) {
    case CoreMemType::UB: size = soc.ub - kept - reserved_; break;
    case CoreMemType::L1: size = soc.l1 - kept; break;
    case CoreMemType::FB: size = soc.fb; break;
    case CoreMemType::BT: size = soc.bt; break;
    default: fe::PlatFormInfos(&soc).GetLocalMemSize(static_cast<fe::LocalMemType>(type), size);
  }
}
void PlatformAscendC::GetCoreMemBw(const CoreMemType& type, uint64_t& bytes_per_cycle) const {
  bytes_per_cycle = type == CoreMemType::HBM ? 32 : type == CoreMemType::L2 ? 110 : 0;
}
void PlatformAscendC::ReserveLocalMemory(ReservedSize size) { reserved_ = 8192u << static_cast<uint32_t>(size); }
SocVersion PlatformAscendC::GetSocVersion() const {
  const std::string& name = Soc().short_name;
  if (name == "Ascend910B" || name == "Ascend910_93") return SocVersion::ASCEND910B;
  if (name == "Ascend310P") return SocVersion::ASCEND310P;
  if (name == "Ascend310B") return SocVersion::ASCEND310B;
  if (name == "Ascend950") return SocVersion::ASCEND950;
  return name == "Ascend910" ? SocVersion::ASCEND910 : SocVersion::RESERVED_VERSION;
}
NpuArch PlatformAscendC::GetCurNpuArch() const { return static_cast<NpuArch>(Soc().arch); }
uint32_t PlatformAscendC::GetVecRegLen() const { return Soc().arch == 3510 ? 256 : 0; }

PlatformAscendC* PlatformAscendCManager::GetInstance() {
  static fe::PlatFormInfos info(&akgen::CurrentSoc());
  static PlatformAscendC platform(&info);
  return &platform;
}
PlatformAscendC* PlatformAscendCManager::GetInstance(const char*) { return GetInstance(); }

}  // namespace platform_ascendc
