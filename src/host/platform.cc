// Answers of fe::PlatFormInfos and PlatformAscendC, from the chip of the launch.
#include <map>

#include "host/node.h"
#include "tiling/platform/platform_ascendc.h"

namespace akgen {
chip::Chip& CurrentChip() {
  static chip::Chip chip;
  return chip;
}
}  // namespace akgen

namespace fe {
namespace {

// The dtypes that an instruction takes; empty: the chip does not have it. Host code asks whether
// there are any, and tells a newer chip by bf16 in the way to the bias table. Where Cube and Vector
// are separate, none leads to the Unified Buffer.
std::string DtypesOf(const akgen::chip::Chip& chip, const std::string& instruction) {
  static const std::map<std::string, const char*> kOfSplit{
      {"Intrinsic_fix_pipe_l0c2out", "f322f32,f322f16,f322bf16,s322s32,s322f16,s322s8"},
      {"Intrinsic_data_move_out2l1_nd2nz", "f32,f16,bf16,s8,s32"},
      {"Intrinsic_data_move_l12bt", "f32,f16,s32"}};
  static const std::map<std::string, const char*> kOfJoined{
      {"Intrinsic_data_move_l12ub", "f32,f16,s8,s32"},
      {"Intrinsic_data_move_l0c2ub", "f32,f16,s32"}};
  const auto& known = chip.split ? kOfSplit : kOfJoined;
  auto found = known.find(instruction);
  return found == known.end() ? "" : found->second;
}

}  // namespace

uint32_t PlatFormInfos::GetCoreNum() const { return chip_->aiv; }
uint32_t PlatFormInfos::GetCoreNumByType(const std::string& core_type) const {
  return core_type == "VectorCore" ? chip_->aiv : chip_->aic;
}
void PlatFormInfos::GetLocalMemSize(const LocalMemType& type, uint64_t& size) {
  switch (type) {
    case LocalMemType::L0_A: size = chip_->l0a.bytes; break;
    case LocalMemType::L0_B: size = chip_->l0b.bytes; break;
    case LocalMemType::L0_C: size = chip_->l0c.bytes; break;
    case LocalMemType::L1: size = chip_->l1.bytes; break;
    case LocalMemType::L2: size = chip_->l2_bytes; break;
    case LocalMemType::UB: size = chip_->ub.bytes; break;
    case LocalMemType::HBM: size = chip_->gm_bytes; break;
    default: size = 0;
  }
}
void PlatFormInfos::GetLocalMemBw(const LocalMemType& type, uint64_t& bytes_per_cycle) {
  platform_ascendc::PlatformAscendC(this).GetCoreMemBw(
      static_cast<platform_ascendc::CoreMemType>(type), bytes_per_cycle);
}
bool PlatFormInfos::GetPlatformRes(const std::string& label, const std::string& key,
                                   std::string& value) {
  if (label == "version" && key == "SoC_version") return value = chip_->soc, true;
  if (label == "version" && key == "Short_SoC_version") return value = chip_->family, true;
  if (label == "AICoreintrinsicDtypeMap") return value = DtypesOf(*chip_, key), !value.empty();
  if (label != "SoCInfo") return false;
  if (key == "ai_core_cnt" || key == "cube_core_cnt")
    return value = std::to_string(chip_->aic), true;
  if (key == "vector_core_cnt") return value = std::to_string(chip_->aiv), true;
  if (key == "l2_size") return value = std::to_string(chip_->l2_bytes), true;
  if (key == "cube_vector_combine") return value = chip_->split ? "split" : "fuse", true;
  return false;
}
bool PlatFormInfos::GetPlatformResWithLock(const std::string& label, const std::string& key,
                                           std::string& value) {
  return GetPlatformRes(label, key, value);
}

PlatformInfoManager& PlatformInfoManager::Instance() {
  static PlatformInfoManager manager;
  return manager;
}
uint32_t PlatformInfoManager::GetPlatformInfoWithOutSocVersion(PlatformInfo& info,
                                                               OptionalInfo& optional) {
  const akgen::chip::Chip& chip = akgen::CurrentChip();
  info.str_info.short_soc_version = chip.family;
  info.soc_info.ai_core_cnt = info.soc_info.cube_core_cnt = uint32_t(chip.aic);
  info.soc_info.vector_core_cnt = uint32_t(chip.aiv);
  info.soc_info.memory_size = uint64_t(chip.gm_bytes),
  info.soc_info.l2_size = uint64_t(chip.l2_bytes);
  optional.soc_version = chip.soc;
  optional.ai_core_num = uint32_t(chip.aic);
  return 0;
}

}  // namespace fe

namespace platform_ascendc {

const akgen::chip::Chip& PlatformAscendC::Chip() const {
  return info_ == nullptr ? akgen::CurrentChip() : *info_->AkgenChip();
}
uint32_t PlatformAscendC::GetCoreNum() const { return uint32_t(Chip().aiv); }
uint32_t PlatformAscendC::GetCoreNumAic() const { return uint32_t(Chip().aic); }
uint32_t PlatformAscendC::GetCoreNumAiv() const { return uint32_t(Chip().aiv); }
uint32_t PlatformAscendC::GetCoreNumVector() const { return 0; }
uint32_t PlatformAscendC::CalcTschBlockDim(uint32_t slices, uint32_t aic_cores,
                                           uint32_t aiv_cores) const {
  if (aic_cores == 0 || aiv_cores == 0 || aic_cores > aiv_cores) return slices;
  uint32_t ratio = aiv_cores / aic_cores;
  uint32_t blocks = (slices + ratio - 1) / ratio;
  return ratio == 2 && blocks > aic_cores ? 0 : blocks;
}
uint32_t PlatformAscendC::CalcTschNumBlocks(uint32_t slices, uint32_t aic_cores,
                                            uint32_t aiv_cores) const {
  return CalcTschBlockDim(slices, aic_cores, aiv_cores);
}
uint32_t PlatformAscendC::GetLibApiWorkSpaceSize() const {
  return static_cast<uint32_t>(Chip().lib_workspace);
}
uint32_t PlatformAscendC::GetResCubeGroupWorkSpaceSize() const { return 1u << 20; }
uint32_t PlatformAscendC::GetResGroupBarrierWorkSpaceSize() const { return 1u << 20; }
void PlatformAscendC::GetCoreMemSize(const CoreMemType& type, uint64_t& size) const {
  const akgen::chip::Chip& chip = Chip();
  switch (type) {
    case CoreMemType::UB: size = chip.UsableUb() - reserved_; break;
    case CoreMemType::L1: size = chip.UsableL1(); break;
    case CoreMemType::FB: size = chip.fixpipe_buffer.bytes; break;
    case CoreMemType::BT: size = chip.bias_table.bytes; break;
    default: fe::PlatFormInfos(&chip).GetLocalMemSize(static_cast<fe::LocalMemType>(type), size);
  }
}
void PlatformAscendC::GetCoreMemBw(const CoreMemType& type, uint64_t& bytes_per_cycle) const {
  const char* path = type == CoreMemType::HBM  ? "gm_to_ub"
                     : type == CoreMemType::L2 ? "l2_to_core"
                                               : "";
  bytes_per_cycle = uint64_t(Chip().BytesPerCycle(path));
}
void PlatformAscendC::ReserveLocalMemory(ReservedSize size) {
  reserved_ = 8192u << static_cast<uint32_t>(size);
}
SocVersion PlatformAscendC::GetSocVersion() const {
  const std::string& name = Chip().family;
  if (name == "Ascend910B" || name == "Ascend910_93") return SocVersion::ASCEND910B;
  if (name == "Ascend310P") return SocVersion::ASCEND310P;
  if (name == "Ascend310B") return SocVersion::ASCEND310B;
  if (name == "Ascend950") return SocVersion::ASCEND950;
  return name == "Ascend910" ? SocVersion::ASCEND910 : SocVersion::RESERVED_VERSION;
}
NpuArch PlatformAscendC::GetCurNpuArch() const { return static_cast<NpuArch>(Chip().npu_arch); }
uint32_t PlatformAscendC::GetVecRegLen() const { return Chip().npu_arch == 3510 ? 256 : 0; }

PlatformAscendC* PlatformAscendCManager::GetInstance() {
  static fe::PlatFormInfos info(&akgen::CurrentChip());
  static PlatformAscendC platform(&info);
  return &platform;
}
PlatformAscendC* PlatformAscendCManager::GetInstance(const char*) { return GetInstance(); }

}  // namespace platform_ascendc
