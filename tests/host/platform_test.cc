// What host code is told of each chip (golden/platform.txt), how many blocks slices take, and how a
// tiling structure becomes bytes.
#include "tiling/platform/platform_ascendc.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <sstream>

#include "../golden.h"
#include "chip/chip.h"
#include "host/node.h"
#include "register/tilingdata_base.h"

namespace akgen::host {
namespace {
using platform_ascendc::CoreMemType;
using platform_ascendc::PlatformAscendC;

TEST(PlatformOf, EachChip) {
  std::ostringstream out;
  const chip::Chip before = CurrentChip();
  for (const std::string& name : chip::ChipNames()) {
    chip::Chip chip = *chip::LoadChip(name);
    fe::PlatFormInfos infos(&chip);
    PlatformAscendC p(&infos);
    out << name << ": cores " << p.GetCoreNum() << " " << p.GetCoreNumAic() << " "
        << p.GetCoreNumAiv() << " " << p.GetCoreNumVector() << ", " << infos.GetCoreNum() << " "
        << infos.GetCoreNumByType("VectorCore") << " " << infos.GetCoreNumByType("AiCore")
        << ", workspace " << p.GetLibApiWorkSpaceSize() << " " << p.GetResCubeGroupWorkSpaceSize()
        << " " << p.GetResGroupBarrierWorkSpaceSize() << ", version " << int(p.GetSocVersion())
        << " arch " << int(p.GetCurNpuArch()) << " register " << p.GetVecRegLen() << "\n  memory";
    for (int type = 0; type <= int(CoreMemType::RESERVED); ++type) {
      uint64_t size = 1, rate = 1, local = 1, local_rate = 1;
      p.GetCoreMemSize(CoreMemType(type), size), p.GetCoreMemBw(CoreMemType(type), rate);
      infos.GetLocalMemSize(fe::LocalMemType(type), local);
      infos.GetLocalMemBw(fe::LocalMemType(type), local_rate);
      out << " " << size << "/" << rate << "/" << local << "/" << local_rate;
    }
    for (int reserved = 0; reserved < 3; ++reserved) {
      uint64_t size = 0;
      p.ReserveLocalMemory(platform_ascendc::ReservedSize(reserved));
      p.GetCoreMemSize(CoreMemType::UB, size);
      out << " " << size;
    }
    out << "\n ";
    for (const auto& [label, key] : {std::pair("version", "SoC_version"),
                                     {"version", "Short_SoC_version"},
                                     {"version", "ai_core_cnt"},
                                     {"SoCInfo", "ai_core_cnt"},
                                     {"SoCInfo", "cube_core_cnt"},
                                     {"SoCInfo", "vector_core_cnt"},
                                     {"SoCInfo", "l2_size"},
                                     {"SoCInfo", "cube_vector_combine"},
                                     {"SoCInfo", "SoC_version"},
                                     {"Other", "l2_size"}}) {
      std::string value = "-", same = "-";
      const bool known = infos.GetPlatformRes(label, key, value);
      EXPECT_EQ(infos.GetPlatformResWithLock(label, key, same), known);
      EXPECT_EQ(value, same);
      out << " " << (known ? value : "no " + value);
    }
    CurrentChip() = chip;
    fe::PlatformInfo info;
    fe::OptionalInfo optional;
    EXPECT_EQ(fe::PlatformInfoManager::Instance().GetPlatformInfoWithOutSocVersion(info, optional),
              0u);
    out << "\n  current " << info.str_info.short_soc_version << " " << info.soc_info.ai_core_cnt
        << " " << info.soc_info.cube_core_cnt << " " << info.soc_info.vector_core_cnt << " "
        << info.soc_info.memory_size << " " << info.soc_info.l2_size << " " << optional.soc_version
        << " " << optional.ai_core_num << " " << PlatformAscendC(nullptr).GetCoreNumAiv() << "\n";
  }
  CurrentChip() = before;
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "platform.txt", out.str());
}

// A call with an input, a list of two and nothing in place of an optional one: by their instances
// and by their parameters, up to the last and no further.
TEST(Contexts, InstancesAndParameters) {
  const chip::Chip chip = *chip::LoadChip();
  HostNode node(chip);
  node.inputs.resize(3), node.outputs.resize(1);
  node.ir_inputs = {{0, 1}, {1, 2}, {3, 0}}, node.ir_outputs = {{0, 1}};
  gert::ComputeNodeInfo& info = node.info;
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(info.GetInputInstanceInfo(i), i < 3 ? &node.ir_inputs[i] : nullptr) << i;
    EXPECT_EQ(info.GetOutputInstanceInfo(i), i < 1 ? &node.ir_outputs[i] : nullptr) << i;
    EXPECT_EQ(info.GetInputTdInfo(i), i < 3 ? &node.inputs[i].desc : nullptr) << i;
    EXPECT_EQ(info.GetOutputTdInfo(i), i < 1 ? &node.outputs[i].desc : nullptr) << i;
  }
  EXPECT_EQ(info.GetIrInputsNum() * 1000 + info.GetIrOutputsNum() * 100 + info.GetInputsNum() * 10 +
                info.GetOutputsNum(),
            3131u);
  node.attr_storage = {{7}, {8, 9}};
  EXPECT_EQ(node.attrs.GetAttrNum(), 2u);
}

TEST(PlatformOf, BlocksOfSlices) {
  chip::Chip chip = *chip::LoadChip();
  fe::PlatFormInfos infos(&chip);
  const PlatformAscendC p(&infos);
  const std::array<uint32_t, 4> rows[] = {
      {48, 24, 48, 24}, {47, 24, 48, 24}, {46, 24, 48, 23}, {1, 24, 48, 1}, {0, 24, 48, 0},
      {49, 24, 48, 0},  {50, 24, 48, 0},  {7, 0, 48, 7},    {7, 24, 0, 7},  {7, 25, 24, 7},
      {7, 24, 24, 7},   {30, 24, 24, 30}, {30, 24, 25, 30}, {9, 8, 24, 3},  {30, 8, 24, 10}};
  for (const auto& [slices, aic, aiv, blocks] : rows) {
    EXPECT_EQ(p.CalcTschBlockDim(slices, aic, aiv), blocks) << slices << " " << aic << " " << aiv;
    EXPECT_EQ(p.CalcTschNumBlocks(slices, aic, aiv), blocks);
  }
}

BEGIN_TILING_DATA_DEF(InnerBytes)
TILING_DATA_FIELD_DEF(uint8_t, flag)
TILING_DATA_FIELD_DEF(uint32_t, count)
END_TILING_DATA_DEF
BEGIN_TILING_DATA_DEF(OuterBytes)
TILING_DATA_FIELD_DEF(uint8_t, first)
TILING_DATA_FIELD_DEF_STRUCT(InnerBytes, inner)
TILING_DATA_FIELD_DEF_ARR(uint16_t, 3, sizes)
TILING_DATA_FIELD_DEF(int64_t, last)
END_TILING_DATA_DEF

struct Natural {
  uint8_t first;
  struct alignas(8) {
    uint8_t flag;
    uint32_t count;
  } inner;
  uint16_t sizes[3];
  int64_t last;
};

Natural Filled() {
  Natural n;
  std::memset(&n, 0, sizeof n);
  n.first = 1, n.inner.flag = 2, n.inner.count = 3, n.sizes[0] = 4, n.sizes[2] = 6, n.last = -7;
  return n;
}
std::string BytesOf(const void* data, size_t size) {
  return {static_cast<const char*>(data), size};
}

TEST(TilingBytes, AreTheNaturalStructures) {
  OuterBytes t;
  ASSERT_EQ(t.GetDataSize(), sizeof(Natural));
  const Natural n = Filled();
  t.AkgenAssign(&n);
  EXPECT_EQ(t.get_first() + t.inner.get_flag() + t.inner.get_count() + t.get_sizes()[2], 12u);
  EXPECT_EQ(t.get_last(), -7);
  Natural out;
  std::memset(&out, 0xff, sizeof out);
  t.SaveToBuffer(&out, sizeof out - 1);
  EXPECT_EQ(out.first, 0xff) << "no room: nothing is written";
  t.SaveToBuffer(nullptr, sizeof out);
  t.SaveToBuffer(&out, sizeof out);
  EXPECT_EQ(BytesOf(&out, sizeof out), BytesOf(&n, sizeof n));
  std::string fields;
  for (const optiling::FieldInfo& f : t.GetFieldInfo())
    fields += std::string(f.dtype_) + " " + f.name_ + " " + std::to_string(f.arrSize_) + " " +
              std::to_string(f.offset_) + " " + f.classType_ + "; ";
  EXPECT_EQ(fields,
            "uint8_t first 1 0 0; InnerBytes inner 1 8 2; uint16_t sizes 3 16 1; int64_t last 1 24 "
            "0; ");
  ASSERT_EQ(t.GetNested().size(), 1u);
  EXPECT_STREQ(t.GetNested()[0]->GetTilingClassName(), "InnerBytes");
}

// Where it is attached to memory, values go there at once, nested ones as well, and in one go.
TEST(TilingBytes, AreWrittenWhereTheyAreAttached) {
  const Natural n = Filled();
  Natural there, whole;
  std::memset(&there, 0, sizeof there), std::memset(&whole, 0, sizeof whole);
  OuterBytes t;
  t.SetDataPtr(&there);
  t.set_first(1), t.inner.set_flag(2), t.inner.set_count(3), t.set_sizes(n.sizes), t.set_last(-7);
  EXPECT_EQ(BytesOf(&there, sizeof there), BytesOf(&n, sizeof n));
  t.SaveToBuffer(&whole, sizeof whole);
  EXPECT_EQ(whole.last, 0) << "it has its place";
  t.SetDataPtr(&whole);
  t.AkgenAssign(&n);
  EXPECT_EQ(BytesOf(&whole, sizeof whole), BytesOf(&n, sizeof n));
  t.SetDataPtr(nullptr);
  t.set_last(8), t.inner.set_flag(9);
  EXPECT_EQ(BytesOf(&whole, sizeof whole), BytesOf(&n, sizeof n)) << "no longer attached";
}
}  // namespace
}  // namespace akgen::host
