// What host code answers becomes text in front of the kernel, and tiling data: only as what it may
// be.
#include "judge/host/answers.h"

#include <gtest/gtest.h>

#include "judge/host/definition.h"
#include "judge/host/messages.h"

namespace akgen::judge {
namespace {
using base::Json;

Json Good() {
  return base::Parse(
      R"({"status": "ok", "ops": [{"name": "Add", "inputs": [{"name": "x", "dtypes": [0, 1], "formats": [2, 2],
    "value_depend": true, "scalar": "none"}], "outputs": [{"name": "y", "dtypes": [0, 1]}], "anything": {"else": 1}}],
    "structs": [{"name": "Part", "size": 4, "fields": [{"name": "n", "type": "unsigned int", "kind": "value", "count": 1}]},
      {"name": "AddTiling", "size": 24, "fields": [{"name": "a", "type": "std::int64_t", "kind": "array", "count": 2},
        {"name": "p", "type": "optiling::Part", "kind": "struct", "count": 1}]}],
    "tiling": [{"op": "Add", "class": "AddTiling"}], "default_tiling_class": "AddTiling"})");
}
Json Tiling() {
  return {{"block_dim", 4u}, {"tiling_key", 7u}, {"tiling_hex", "00fF"}, {"workspaces", {32u, 0u}}};
}

// A second output that this case leaves out may have any shape.
TEST(HostAnswers, InferShapeIsHeldAgainstOutputsThatAreCompared) {
  task::CaseDesc c;
  for (const char* name : {"y1", "y2"}) {
    task::ParamDesc p;
    p.name = name;
    p.tensors = {{base::Dtype::kInt8, {8, 4}}};
    c.outputs.push_back(p);
  }
  TileReply reply;
  reply.inferred_shapes = {{8, 4}, {1}};
  reply.inferred_dtypes = {int(base::Dtype::kInt8), int(base::Dtype::kFloat32)};
  auto faults = FaultsOfInference(reply, {}, c);
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_NE(faults[0].message.find("'y2'"), std::string::npos);
  c.outputs[1].compared = false;
  EXPECT_TRUE(FaultsOfInference(reply, {}, c).empty());
}

TEST(HostAnswers, WhatHostCodeAnswersIsTaken) {
  auto d = CheckedDescription(Good());
  ASSERT_TRUE(d.ok()) << d.error().ToString();
  EXPECT_EQ(ToJson(d->ops[0].inputs[0]),
            base::Parse(R"({"name": "x", "dtypes": [0, 1], "formats": [2, 2],
    "param_type": "required", "dtype_list": false, "dtype_both": false, "value_depend": true, "scalar": false})"));
  EXPECT_EQ(d->tiling_header,
            "struct alignas(8) Part {\n  unsigned int n;\n};\n"
            "static_assert(sizeof(Part) == 8, \"layout of Part\");\n"
            "struct alignas(8) AddTiling {\n  std::int64_t a[2];\n  alignas(8) Part p;\n};\n"
            "static_assert(sizeof(AddTiling) == 24, \"layout of AddTiling\");\n"
            "#define AKGEN_DEFAULT_TILING AddTiling\n");
  auto t = CheckedTiling(Tiling());
  ASSERT_TRUE(t.ok()) << t.error().ToString();
  EXPECT_EQ(t->workspaces, (std::vector<uint64_t>{32, 0}));
  Json library = Good();
  library["structs"][0]["name"] = "SoftMaxTiling";
  auto l = CheckedDescription(library);
  ASSERT_TRUE(l.ok());
  EXPECT_EQ(l->tiling_header.find(
                "#include \"kernel_tiling/kernel_tiling.h\"\nstruct alignas(8) AddTiling"),
            0u);
}

void Refused(const char* pointer, const Json& value) {
  Json j = Good();
  j[Json::json_pointer(pointer)] = value;
  auto d = CheckedDescription(j);
  ASSERT_FALSE(d.ok()) << pointer << " " << value;
  EXPECT_EQ(d.error().code, "AK0612");
}

TEST(HostAnswers, NamesThatAreNoneAreRefused) {
  EXPECT_EQ(CheckedDescription(Json{{"ops", 5}}).error().code, "AK0612");
  const Json names[] = {"",   "x y",      "x\ny",       "1x",      "x;",      "x\"",
                        "x)", "\xc3\xa4", "akgen_vec",  "__akgen", "AKGEN_X", std::string(129, 'a'),
                        5,    nullptr,    Json::array()};
  for (const Json& name : names)
    for (const char* place :
         {"/ops/0/name", "/ops/0/inputs/0/name", "/ops/0/outputs/0/name", "/structs/0/name",
          "/structs/0/fields/0/name", "/tiling/0/op", "/tiling/0/class"})
      Refused(place, name);
  Refused("/default_tiling_class", "T\nint evil");
  for (const char* type : {"", "int*", "int x[4]; int", "unsigned  int", "a:b",
                           "::", "a::", "int\n", "akgen::T", "void(*)"})
    Refused("/structs/0/fields/0/type", type);
  for (const char* type : {"unsigned int", "std::uint8_t", "a::b::c"}) {
    Json j = Good();
    j["structs"][0]["fields"][0]["type"] = type;
    EXPECT_TRUE(CheckedDescription(j).ok()) << type;
  }
}

TEST(HostAnswers, SizesAndKindsAreBounded) {
  Refused("/ops", Json(std::vector<Json>(65, Good()["ops"][0])));
  Refused("/ops/0/inputs", Json(std::vector<Json>(513, Good()["ops"][0]["inputs"][0])));
  Refused("/ops/0/inputs", "x");
  Refused("/ops/0/inputs/0/dtypes", Json(std::vector<int>(2000, 0)));
  Refused("/ops/0/inputs/0/dtypes", {0, -1});
  Refused("/ops/0/inputs/0/dtypes", {"half"});
  Refused("/ops/0/attrs", {{{"name", "a b"}, {"type", "int"}}});
  Refused("/ops/0/attrs", {{{"name", "a"}, {"type", "int"}, {"default", {{"b", 1}}}}});
  Refused("/ops/0/attrs",
          {{{"name", "a"}, {"type", "string"}, {"default", std::string(5000, 'x')}}});
  Refused("/ops/0/configs", {5});
  Refused("/structs/0/fields/0/count", uint64_t{1} << 40);
  Refused("/structs/0/fields/0/count", -1);
  Refused("/structs/0/fields/0/kind", "union");
  for (const char* key : {"block_dim", "tiling_key", "tiling_hex", "workspaces", "inferred_shapes",
                          "inferred_dtypes"})
    for (const Json& value :
         {Json("zz"), Json("0"), Json(-1), Json(0.5), Json({-1}), Json({"a"}), Json({{"a", 1}})}) {
      Json t = Tiling();
      t[key] = value;
      EXPECT_FALSE(CheckedTiling(t).ok()) << key << " " << value;
    }
  Json t = Tiling();
  t["tiling_hex"] = std::string(2 * (800 << 10), '0');
  EXPECT_TRUE(CheckedTiling(t).ok());
  t["tiling_hex"] = std::string(2 * (800 << 10) + 2, '0');
  EXPECT_FALSE(CheckedTiling(t).ok());
  t = Tiling();
  t["workspaces"] = std::vector<uint64_t>(17, 1);
  EXPECT_FALSE(CheckedTiling(t).ok());
  t.erase("tiling_hex");
  EXPECT_FALSE(CheckedTiling(t).ok());
}

// Why a tiling function refuses is in what it logged, of which control characters are not taken.
TEST(HostAnswers, TheLastLinesOfTheLogTravel) {
  const auto reply = TileReplyFromJson({{"status", "failed"},
                                        {"code", "AK3004"},
                                        {"message", "it returned 1"},
                                        {"log", "first\nx must be\x1b 2-D\nno\n\n"}});
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply->log, "x must be? 2-D; no");
  EXPECT_EQ(reply->detail, "AK3004: it returned 1");
}

}  // namespace
}  // namespace akgen::judge
