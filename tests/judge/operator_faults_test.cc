// What the toolkit would refuse of an operator's definition: each rule with its twin that is right.
#include <gtest/gtest.h>

#include "base/files.h"
#include "judge/host/definition.h"

namespace akgen::judge {
namespace {
using base::Dtype;
using task::ParamKind;

TEST(KernelName, FollowsTheOperators) {
  const std::pair<const char*, const char*> rows[] = {{"UnalignAdd", "unalign_add"},
                                                      {"AbcAAc", "abc_a_ac"},
                                                      {"Abc2Def", "abc2_def"},
                                                      {"A", "a"},
                                                      {"AB", "ab"},
                                                      {"ABc", "a_bc"},
                                                      {"Abc", "abc"},
                                                      {"abc", "abc"},
                                                      {"Abc_Def", "abc_def"},
                                                      {"ABC", "abc"},
                                                      {"aB", "a_b"},
                                                      {"A2B", "a2_b"},
                                                      {"", ""},
                                                      {"AZaz", "a_zaz"},
                                                      {"@[`{", "@[`{"}};
  for (const auto& [type, name] : rows) EXPECT_EQ(KernelNameOf(type), name);
}

// Two inputs, the second a list, an output and one that only the case knows; two attributes.
struct Subject {
  Subject() : dir(std::move(*base::TempDir::Create())) {
    EXPECT_TRUE(base::WriteFileAtomic(dir.path() / "a.cpp", "\n\"x\"\n\"n\" \"float\"\n").ok());
    EXPECT_TRUE(base::WriteFileAtomic(dir.path() / "b.cpp", "one\ntwo \"y\"\nAICore\nMyOp\n").ok());
    project.dir = dir.path(), project.entry.name = "my_op";
    project.host_sources = {dir.path() / "a.cpp", dir.path() / "b.cpp"};
    op.name = "MyOp";
    op.inputs = {{"x", {0, 1}, {2, 2}}, {"l", {0, 1}, {2, 2}, Presence::kDynamic}};
    op.outputs = {{"y", {0, 1}, {2, 2}}};
    op.attrs = {{"n", "int", {}}, {"f", "float", {}}};
    chip = *chip::LoadChip();
    op.configs = {"ascend310p", chip.ConfigName()};
    host.tiling = {{"Other", "T"}, {"MyOp", "T"}};
    task.inputs.resize(2), task.outputs.resize(1), task.attrs.resize(2);
    task.inputs[0].name = "x", task.inputs[1].name = "l", task.outputs[0].name = "y";
    task.inputs[1].kind = ParamKind::kList;
    task.attrs[0].name = "n", task.attrs[0].type = "int";
    task.attrs[1].name = "f", task.attrs[1].type = "float";
  }
  std::string Faults() const {
    std::string out;
    for (const auto& f : FaultsOfDefinition(host, op, project, task, chip))
      out += f.code + " " + f.place.file + ":" + std::to_string(f.place.line) + " " + f.message +
             " | " + f.fix + "\n";
    return out;
  }
  base::TempDir dir;
  Description host;
  OperatorDefinition op;
  toolchain::Project project;
  task::TaskSpec task;
  chip::Chip chip;
};

const struct {
  void (*change)(Subject&);
  std::string faults;
} kRules[] = {
    {[](Subject&) {}, ""},
    // kinds
    {[](Subject& s) { s.op.inputs[0].presence = Presence::kOptional; }, ""},
    {[](Subject& s) { s.op.inputs[0].presence = Presence::kDynamic; },
     "AK3010 a.cpp:2 input 'x' is dynamic in the definition, and one tensor in the task | "
     "ParamType(REQUIRED)\n"},
    {[](Subject& s) {
       s.op.inputs[0].presence = Presence::kDynamic, s.task.inputs[0].optional = true;
     },
     "AK3010 a.cpp:2 input 'x' is dynamic in the definition, and one tensor in the task | "
     "ParamType(OPTIONAL)\n"},
    {[](Subject& s) { s.op.inputs[1].presence = Presence::kRequired; },
     "AK3010 a.cpp:0 input 'l' is required in the definition, and a list of tensors in the task "
     "| "
     "ParamType(DYNAMIC)\n"},
    {[](Subject& s) { s.op.outputs[0].presence = Presence::kDynamic; },
     "AK3010 b.cpp:2 output 'y' is dynamic in the definition, and one tensor in the task | "
     "ParamType(REQUIRED)\n"},
    {[](Subject& s) { std::swap(s.op.inputs[0].name, s.op.inputs[1].name); },
     "AK3010 a.cpp:0 inputs are defined in the order l, x; the task's is x, l | "
     "define them in the task's order: callers pass them by position\n"},
    {[](Subject& s) { s.op.inputs[0].name = "other"; }, ""},
    {[](Subject& s) {
       s.op.outputs[0].presence = Presence::kDynamic, s.task.outputs[0].in_signature = false,
       s.task.outputs[0].inplace_of = "x";
     },
     ""},
    // lengths
    {[](Subject& s) { s.op.inputs[0].dtypes.clear(); },
     "AK3011 a.cpp:2 'x' has no data type in the definition | DataType({...}), one per "
     "combination\n"},
    {[](Subject& s) { s.op.inputs[0].dtype_both = true; },
     "AK3011 a.cpp:2 'x' has both DataType and DataTypeList | a parameter's types are columns of "
     "the combinations or a list of its own\n"},
    {[](Subject& s) { s.op.inputs[0].formats = {2}; }, ""},
    {[](Subject& s) { s.op.inputs[0].formats.clear(); }, ""},
    {[](Subject& s) { s.op.inputs[0].formats = {2, 2, 2}; },
     "AK3011 a.cpp:2 'x' has 2 data types and 3 formats | list as many formats as data types: "
     "entry i of each is one combination\n"},
    {[](Subject& s) { s.op.outputs[0].dtypes = {0}, s.op.outputs[0].formats = {2}; },
     "AK3011 b.cpp:2 'y' has 1 data types where 'x' has 2 | list as many for every parameter: "
     "entry i of all of them is one combination\n"},
    {[](Subject& s) { s.op.outputs[0].dtypes = {0}, s.op.outputs[0].dtype_list = true; }, ""},
    {[](Subject& s) {
       s.op.inputs[0].dtypes = {0}, s.op.inputs[0].dtype_list = true,
       s.op.inputs[0].formats = {2, 2};
     },
     ""},
    // attributes
    {[](Subject& s) { s.op.attrs[0].name = "lambda"; },
     "AK3013 a.cpp:0 attribute 'lambda' has a name that the build takes for itself | give it "
     "another name\n"
     "AK3013 a.cpp:0 the definition has no attribute 'n' | this->Attr(\"n\"), of type int\n"},
    {[](Subject& s) { s.op.attrs.push_back({"lamb", "int", {}}); }, ""},
    {[](Subject& s) { s.op.attrs.push_back({"src", "int", {}}); },
     "AK3013 a.cpp:0 attribute 'src' has a name that the build takes for itself | give it "
     "another "
     "name\n"},
    {[](Subject& s) { s.op.attrs[0].type = "float"; },
     "AK3013 a.cpp:3 attribute 'n' is of type float in the definition, int in the task | give it "
     "the task's type\n"},
    // chips
    {[](Subject& s) { s.op.configs.pop_back(); },
     "AK3014 b.cpp:3 the definition is for ascend310p, not for ascend910b | "
     "this->AICore().AddConfig(\"ascend910b\")\n"},
    {[](Subject& s) { s.op.configs.clear(); },
     "AK3014 b.cpp:3 the definition names no chip (AddConfig): nothing is built for it | "
     "this->AICore().AddConfig(\"ascend910b\")\n"},
    // names
    {[](Subject& s) { s.project.entry.name = "my_ops"; },
     "AK3015 b.cpp:4 operator MyOp would call a kernel function my_op; the kernel file has "
     "my_ops "
     "| name the kernel function my_op, or the operator after it\n"},
    {[](Subject& s) { s.project.entry.name = "my_ops", s.op.kernel_names = {"other", "my_ops"}; },
     ""},
    {[](Subject& s) { s.host.tiling.clear(); }, ""},
    {[](Subject& s) { s.host.tiling[1].op = "MyOp_0"; }, ""},
    {[](Subject& s) { s.host.tiling[1].op = "MyOp_109"; }, ""},
    {[](Subject& s) { s.host.tiling[1].op = "MyOp_"; },
     "AK3015 a.cpp:0 tiling data is registered for Other and not for MyOp: its kernel would know "
     "no tiling structure | REGISTER_TILING_DATA_CLASS(MyOp, …)\n"},
    {[](Subject& s) { s.host.tiling = {{"MyOp1", "T"}, {"MyOp_1a", "T"}, {"MyO", "T"}}; },
     "AK3015 a.cpp:0 tiling data is registered for MyOp1 and not for MyOp: its kernel would know "
     "no tiling structure | REGISTER_TILING_DATA_CLASS(MyOp, …)\n"},
};

TEST(OperatorFaults, EachRuleAndItsTwin) {
  for (size_t i = 0; i < std::size(kRules); ++i) {
    Subject s;
    kRules[i].change(s);
    EXPECT_EQ(s.Faults(), kRules[i].faults) << i;
  }
}

task::ParamDesc Tensor(const char* name, Dtype dtype, std::vector<int64_t> shape = {8}) {
  task::ParamDesc p;
  p.name = name;
  p.tensors = {{dtype, std::move(shape)}};
  return p;
}

// ge::DataType has the numbers of base::Dtype: 0 float, 1 half, 2 int8, 3 int32.
const struct {
  std::vector<int> x, l, y;
  bool y_is_a_list = false, x_is_a_number = false;
  Dtype of_x, of_l, of_y;
  std::string fault;
} kColumns[] = {
    {{0, 1}, {0, 1}, {0, 1}, false, false, Dtype::kFloat32, Dtype::kFloat32, Dtype::kFloat32, ""},
    {{0, 1}, {0, 1}, {0, 1}, false, false, Dtype::kFloat16, Dtype::kFloat16, Dtype::kFloat16, ""},
    {{0, 1},
     {0, 1},
     {0, 1},
     false,
     false,
     Dtype::kFloat16,
     Dtype::kFloat32,
     Dtype::kFloat16,
     "the definition has no combination of data types for this case: x float16, l float32, y "
     "float16"},
    {{0, 1}, {0, 1}, {0, 0}, false, false, Dtype::kFloat16, Dtype::kFloat16, Dtype::kFloat32, ""},
    {{0, 1}, {0, 1}, {3, 0}, true, false, Dtype::kFloat32, Dtype::kFloat32, Dtype::kFloat32, ""},
    {{0, 1},
     {0, 1},
     {3, 0},
     false,
     false,
     Dtype::kFloat32,
     Dtype::kFloat32,
     Dtype::kFloat32,
     "the definition has no combination of data types for this case: x float32, l float32, y "
     "float32"},
    {{1},
     {0, 1},
     {0, 1},
     false,
     false,
     Dtype::kFloat32,
     Dtype::kFloat32,
     Dtype::kFloat32,
     "the case has float32; x lists float16"},
    {{1}, {0, 1}, {0, 1}, false, true, Dtype::kFloat32, Dtype::kFloat32, Dtype::kFloat32, ""},
    {{0, 0, 1},
     {0, 0, 1},
     {0, 0, 1},
     false,
     false,
     Dtype::kFloat32,
     Dtype::kInt32,
     Dtype::kFloat32,
     "the case has int32; l lists float32, float16"},
    {{0},
     {0},
     {0, 1},
     false,
     false,
     Dtype::kFloat32,
     Dtype::kFloat32,
     Dtype::kFloat16,
     "the definition has no combination of data types for this case: x float32, l float32, y "
     "float16"},
    {{},
     {},
     {},
     false,
     false,
     Dtype::kFloat32,
     Dtype::kFloat32,
     Dtype::kFloat32,
     "the case has float32; x lists "},
};

TEST(OperatorFaults, ACaseNeedsAColumn) {
  for (size_t i = 0; i < std::size(kColumns); ++i) {
    Subject s;
    s.op.inputs[0].dtypes = kColumns[i].x, s.op.inputs[1].dtypes = kColumns[i].l;
    s.op.outputs[0].dtypes = kColumns[i].y;
    s.op.outputs[0].dtype_list = kColumns[i].y_is_a_list,
    s.op.inputs[0].scalar = kColumns[i].x_is_a_number;
    task::CaseDesc c;
    c.inputs = {Tensor("x", kColumns[i].of_x), Tensor("l", kColumns[i].of_l)};
    auto hidden = Tensor("z", Dtype::kInt8);
    hidden.in_signature = false, hidden.inplace_of = 0;
    c.outputs = {hidden, Tensor("y", kColumns[i].of_y)};
    const auto faults = FaultsOfColumns(s.op, s.project, c);
    EXPECT_EQ(faults.empty() ? "" : faults[0].message, kColumns[i].fault) << i;
    if (!faults.empty()) EXPECT_EQ(faults[0].code, "AK3012");
    c.inputs[0].tensors.clear();  // what is left out has every type
    if (i == 6 || i == 10) EXPECT_EQ(FaultsOfColumns(s.op, s.project, c).empty(), i == 6);
  }
}

TEST(OperatorFaults, WhatIsInferred) {
  const struct {
    std::vector<int64_t> inferred, wanted;
    int dtype;
    int shapes, dtypes;  // faults
  } rows[] = {{{8, 4}, {8, 4}, 0, 0, 0}, {{8}, {8, 4}, 0, 1, 0},     {{-1, 3}, {8, 4}, 0, 0, 0},
              {{0, 4}, {8, 4}, 0, 1, 0}, {{}, {1}, 0, 0, 0},         {{1}, {}, 0, 0, 0},
              {{1, 1}, {1}, 0, 1, 0},    {{1}, {1, 1}, 0, 1, 0},     {{2}, {}, 0, 1, 0},
              {{8, 4}, {8, 4}, 1, 0, 1}, {{8, 4}, {8, 4}, 28, 0, 0}, {{8, 4}, {8, 4}, 27, 0, 1},
              {{4, 8}, {8, 4}, 1, 1, 1}};
  for (size_t i = 0; i < std::size(rows); ++i) {
    Subject s;
    task::CaseDesc c;
    auto hidden = Tensor("z", Dtype::kInt8);
    hidden.in_signature = false, hidden.inplace_of = 0;
    c.outputs = {hidden, Tensor("y", Dtype::kFloat32, rows[i].wanted)};
    TileReply reply;
    EXPECT_TRUE(FaultsOfInference(reply, s.project, c).empty()) << "nothing is inferred";
    reply.inferred_shapes = {rows[i].inferred, {5, 5}}, reply.inferred_dtypes = {rows[i].dtype, 1};
    int shapes = 0, dtypes = 0;
    for (const auto& f : FaultsOfInference(reply, s.project, c)) {
      EXPECT_EQ(f.code, "AK3016");
      ++(f.message.starts_with("InferShape says") ? shapes : dtypes);
    }
    EXPECT_EQ(shapes, rows[i].shapes) << i;
    EXPECT_EQ(dtypes, rows[i].dtypes) << i;
  }
}
}  // namespace
}  // namespace akgen::judge
