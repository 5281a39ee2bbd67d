// Loads small operator libraries and checks what Describe and Tile say about them.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "chip/chip.h"
#include "graph/utils/type_utils.h"
#include "host/host_entry.h"
#include "host/registry.h"
#include "platform/platform_info.h"

namespace akgen::host {
namespace {
using base::Json;

class HostTest : public ::testing::Test {
 protected:
  void Load(const std::string& name) {
    ClearRegistry();
    library_ = dlopen((std::string(HOST_OBJECTS) + "/host_" + name + ".so").c_str(), RTLD_NOW);
    ASSERT_NE(library_, nullptr) << dlerror();
  }
  void TearDown() override {
    ClearRegistry();
    if (library_ != nullptr) dlclose(library_);
  }
  static Json Request() {
    return {{"op", "ScaleRows"},
            {"inputs",
             {{{"shape", {100, 24}}, {"dtype", 1}},
              {{"shape", {2}}, {"dtype", 3}, {"data", "0500000009000000"}}}},
            {"outputs", {{{"dtype", 1}}}},
            {"attrs", {{"dims", {4, 7}}}},
            {"chip", chip::ToJson(*chip::LoadChip())}};
  }
  static Json TileMode(const std::string& mode) {
    Json request = Request();
    request["attrs"]["mode"] = mode;
    return Json::parse(Tile(request.dump()));
  }
  void* library_ = nullptr;
};

TEST_F(HostTest, DescribesParametersAndAttributes) {
  Load("scale_rows");
  Json d = Json::parse(Describe("{}"));
  ASSERT_EQ(d["status"], "ok") << d;
  const Json& op = d["ops"][0];
  EXPECT_EQ(op["name"], "ScaleRows");
  EXPECT_EQ(op["configs"], Json({"ascend910b", "ascend310p"}));
  EXPECT_EQ(op["inputs"][0]["dtypes"], Json({1, 0}));
  EXPECT_TRUE(op["inputs"][1]["value_depend"]);
  EXPECT_EQ(op["inputs"][2]["param_type"], "optional");
  EXPECT_EQ(op["inputs"][2]["dtypes"], Json({12, 12}));
  EXPECT_EQ(op["inputs"][3]["param_type"], "dynamic");
  EXPECT_EQ(op["outputs"][0]["dtypes"], Json({1, 0}));  // follows x
  EXPECT_EQ(op["attrs"][0]["default"], 0.5);
  EXPECT_EQ(op["attrs"][1]["type"], "list_int");
  EXPECT_TRUE(op["attrs"][1]["required"]);
  EXPECT_TRUE(op["has_tiling"]);
  Json other = Json::parse(Describe(R"({"soc": "ascend310p"})"));
  EXPECT_EQ(other["ops"][0]["inputs"][2]["dtypes"], Json({4, 4}));
}

TEST_F(HostTest, WritesTheTilingStructs) {
  Load("scale_rows");
  Json d = Json::parse(Describe("{}"));
  EXPECT_EQ(d["default_tiling_class"], "ScaleRowsTilingData");
  ASSERT_EQ(d["structs"].size(), 2u);  // innermost first
  EXPECT_EQ(d["structs"][0]["name"], "ScaleRowsPart");
  EXPECT_EQ(d["structs"][0]["size"], 8);
  EXPECT_EQ(d["structs"][1]["name"], "ScaleRowsTilingData");
  EXPECT_EQ(d["structs"][1]["size"], 40);
  EXPECT_EQ(d["structs"][1]["fields"][3], Json({{"name", "part"},
                                                {"type", "ScaleRowsPart"},
                                                {"count", 1},
                                                {"offset", 24},
                                                {"kind", "struct"}}));
  const Json& row = d["tiling"][1];
  EXPECT_EQ(row["fields"][2], Json({{"name", "steps"},
                                    {"type", "uint16_t"},
                                    {"count", 3},
                                    {"offset", 16},
                                    {"kind", "array"}}));
  EXPECT_EQ(d["tiling"][2]["op"], "ScaleRows_7");
  EXPECT_EQ(d["tiling"][2]["of"], "ScaleRows");
  EXPECT_EQ(d["tiling"][2]["tiling_key"], 7);
}

// "Name_27": the operator's name, and nothing but the digits of a key behind it.
TEST_F(HostTest, KeysOfTilingStructsAreDigits) {
  Load("scale_rows");
  auto& tiling = HostRegistry::Get().tiling;
  const TilingClass one = tiling[0];
  const std::pair<const char*, Json> rows[] = {
      {"ScaleRows_0", 0},
      {"ScaleRows_18", 18},
      {"ScaleRows_9999999999999999999", 9999999999999999999u},  // 19 digits
      {"ScaleRows_10000000000000000000", {}},
      {"ScaleRows_", {}},
      {"ScaleRows", {}},
      {"ScaleRows_1a", {}},
      {"ScaleRows_a1", {}},
      {"ScaleRows_-1", {}},
      {"ScaleRows_:", {}},
      {"ScaleRows_/", {}},
      {"ScaleRows7", {}},
      {"MyScaleRows_7", {}}};
  const size_t before = tiling.size();
  for (const auto& [name, key] : rows) tiling.push_back({name, one.name, one.create});
  const Json d = Json::parse(Describe("{}"));
  ASSERT_EQ(d["status"], "ok") << d;
  for (size_t i = 0; i < std::size(rows); ++i) {
    const Json& row = d["tiling"][before + i];
    EXPECT_EQ(row["op"], rows[i].first);
    EXPECT_EQ(row.value("tiling_key", Json()), rows[i].second) << rows[i].first;
    EXPECT_EQ(row.value("of", ""), rows[i].second.is_null() ? "" : "ScaleRows");
  }
}

TEST_F(HostTest, WithoutATilingStructThereIsNone) {
  Load("no_tiling");
  std::erase_if(HostRegistry::Get().creators,
                [](const auto& creator) { return creator.first != "NoTiling"; });
  const Json d = Json::parse(Describe("{}"));
  EXPECT_EQ(d["tiling"], Json::array());
  EXPECT_EQ(d["structs"], Json::array());
  EXPECT_EQ(d["default_tiling_class"], "");
}

// Bytes of an element, -1: no whole number of them.
const std::pair<const char*, int> kElementBytes[] = {
    {"DT_FLOAT", 4},       {"DT_FLOAT16", 2},       {"DT_INT8", 1},      {"DT_INT32", 4},
    {"DT_UINT8", 1},       {"DT_INT16", 2},         {"DT_UINT16", 2},    {"DT_UINT32", 4},
    {"DT_INT64", 8},       {"DT_UINT64", 8},        {"DT_DOUBLE", 8},    {"DT_BOOL", 1},
    {"DT_STRING", -1},     {"DT_COMPLEX32", 4},     {"DT_COMPLEX64", 8}, {"DT_QINT8", 1},
    {"DT_COMPLEX128", 16}, {"DT_QINT16", 2},        {"DT_QINT32", 4},    {"DT_QUINT8", 1},
    {"DT_QUINT16", 2},     {"DT_BF16", 2},          {"DT_INT4", -1},     {"DT_UINT1", -1},
    {"DT_INT2", -1},       {"DT_UINT2", -1},        {"DT_HIFLOAT8", 1},  {"DT_FLOAT8_E5M2", 1},
    {"DT_FLOAT8_E8M0", 1}, {"DT_FLOAT8_E4M3FN", 1}, {"DT_UNDEFINED", -1}};

TEST(HostTypes, NamesAndSizes) {
  for (const auto& [name, bytes] : kElementBytes) {
    const ge::DataType type = ge::TypeUtils::SerialStringToDataType(name);
    EXPECT_EQ(type == ge::DT_UNDEFINED, std::string(name) == "DT_UNDEFINED") << name;
    EXPECT_EQ(ge::TypeUtils::DataTypeToSerialString(type), name);
    EXPECT_EQ(ge::GetSizeByDataType(type), bytes) << name;
    EXPECT_EQ(ge::GetSizeInBytes(3, type), bytes < 0 ? -1 : 3 * bytes) << name;
    EXPECT_EQ(ge::GetSizeInBytes(0, type), bytes < 0 ? -1 : 0) << name;
    EXPECT_EQ(ge::GetSizeInBytes(-1, type), -1) << name;
    uint32_t length = 99;
    EXPECT_EQ(ge::TypeUtils::GetDataTypeLength(type, length), bytes >= 0) << name;
    EXPECT_EQ(length, bytes < 0 ? 99u : uint32_t(bytes)) << name;
    EXPECT_EQ(ge::TypeUtils::IsDataTypeValid(type), type != ge::DT_UNDEFINED) << name;
  }
  EXPECT_EQ(ge::TypeUtils::SerialStringToDataType("FLOAT"), ge::DT_UNDEFINED);
  EXPECT_EQ(ge::TypeUtils::DataTypeToSerialString(ge::DT_MAX), "UNDEFINED");
  EXPECT_FALSE(ge::TypeUtils::IsDataTypeValid(ge::DT_MAX));
  EXPECT_FALSE(ge::TypeUtils::IsDataTypeValid(ge::DataType(-1)));
}

TEST_F(HostTest, RunsTheTilingFunction) {
  Load("scale_rows");
  Json t = Json::parse(Tile(Request().dump()));
  ASSERT_EQ(t["status"], "ok") << t;
  EXPECT_EQ(t["block_dim"], 48);
  EXPECT_EQ(t["tiling_key"], 7);
  EXPECT_EQ(t["workspaces"], Json({196352}));
  EXPECT_EQ(t["outputs"], Json({{100, 24}}));  // from InferShape
  EXPECT_EQ(t["log"], "rows 100\n");
  EXPECT_EQ(t["tiling_hex"],
            "00"
            "00000000000000"
            "6009000000000000"
            "010002000900"
            "0000"
            "01"
            "000000"
            "64000000"
            "0000003f"
            "00000000");
}

TEST_F(HostTest, TakesTheChipFromTheRequest) {
  Load("scale_rows");
  Json request = Request();
  chip::Chip chip = *chip::LoadChip();
  chip.aiv = 40, chip.ub.bytes = 131072;
  request["chip"] = chip::ToJson(chip);
  request["inputs"].push_back({{"shape", {100}}, {"dtype", 12}});
  request["attrs"]["alpha"] = 1;
  request["attrs"]["beta"] = 1;
  Json t = Json::parse(Tile(request.dump()));
  ASSERT_EQ(t["status"], "ok") << t;
  EXPECT_EQ(t["block_dim"], 40);
  EXPECT_NE(t["log"].get<std::string>().find("'beta' of the call is not in the definition"),
            std::string::npos);
  EXPECT_EQ(t["workspaces"], Json({130816}));
  EXPECT_EQ(t["tiling_hex"].get<std::string>().substr(0, 2), "01");  // the optional mask is there
  EXPECT_EQ(t["tiling_hex"].get<std::string>().substr(64, 8), "0000803f");
}

TEST(Platform, SaysWhichInstructionsTheChipHas) {
  auto dtypes = [](const char* chip_name, const char* instruction) {
    chip::Chip chip = *chip::LoadChip(chip_name);
    std::string value = "unset";
    bool known =
        fe::PlatFormInfos(&chip).GetPlatformRes("AICoreintrinsicDtypeMap", instruction, value);
    EXPECT_EQ(known, !value.empty());
    return value;
  };
  EXPECT_NE(dtypes("910B2", "Intrinsic_fix_pipe_l0c2out"), "");
  EXPECT_NE(dtypes("910B2", "Intrinsic_data_move_l12bt"), "");
  EXPECT_EQ(dtypes("910B2", "Intrinsic_data_move_l12bt").find("bf16"), std::string::npos);
  EXPECT_EQ(dtypes("910B2", "Intrinsic_data_move_l0c2ub"), "");
  EXPECT_EQ(dtypes("310P3", "Intrinsic_fix_pipe_l0c2out"), "");
  EXPECT_NE(dtypes("310P3", "Intrinsic_data_move_l0c2ub"), "");
}

TEST(Platform, SaysWhetherCubeAndVectorAreCoresOfTheirOwn) {
  for (const auto& [name, expected] : {std::pair("910B2", "split"), std::pair("310P3", "fuse")}) {
    chip::Chip chip = *chip::LoadChip(name);
    std::string value;
    EXPECT_TRUE(fe::PlatFormInfos(&chip).GetPlatformRes("SoCInfo", "cube_vector_combine", value));
    EXPECT_EQ(value, expected);
  }
}

TEST_F(HostTest, ReportsWhatGoesWrong) {
  Load("scale_rows");
  EXPECT_EQ(TileMode("fail")["code"], "AK3004");
  Json thrown = TileMode("throw");
  EXPECT_EQ(thrown["code"], "AK3005");
  EXPECT_NE(thrown["message"].get<std::string>().find("no plan for these rows"), std::string::npos);
  EXPECT_EQ(TileMode("overrun")["code"], "AK3006");
  EXPECT_EQ(TileMode("oversize")["code"], "AK3006");
  EXPECT_EQ(TileMode("no_blocks")["code"], "AK3007");
  Json request = Request();
  request["inputs"][0] = nullptr;
  EXPECT_EQ(Json::parse(Tile(request.dump()))["code"], "AK3008");
  request = Request();
  request["attrs"].erase("dims");
  EXPECT_EQ(Json::parse(Tile(request.dump()))["code"], "AK3008");
  EXPECT_EQ(Json::parse(Tile("not json"))["code"], "AK3008");
  request = Request();
  request.erase("chip");
  EXPECT_EQ(Json::parse(Tile(request.dump()))["code"], "AK3008");
  EXPECT_EQ(Json::parse(Tile(R"({"op": "Unknown"})"))["code"], "AK3001");
}

TEST_F(HostTest, NamesWhatIsMissing) {
  Load("no_operator");
  EXPECT_EQ(Json::parse(Describe("{}"))["code"], "AK3001");
  TearDown();
  Load("no_tiling");
  Json d = Json::parse(Describe("{}"));
  EXPECT_EQ(d["code"], "AK3002");
  EXPECT_NE(d["message"].get<std::string>().find("half a definition"), std::string::npos);
  EXPECT_EQ(Json::parse(Tile(R"({"op": "NoTiling"})"))["code"], "AK3003");
}

}  // namespace
}  // namespace akgen::host
