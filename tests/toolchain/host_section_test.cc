// Candidates of AscendKernelBench: where the host half begins, what is made of it, and which rule a
// source breaks. Each rule with its clean twin; texts in golden/host_section.txt.
#include "toolchain/host_section.h"

#include <gtest/gtest.h>

#include "../golden.h"
#include "toolchain/kernel_cores.h"

namespace akgen::toolchain {
namespace {
const std::string kKernels =
    "#include \"kernel_operator.h\"\nnamespace {\nint of_kernels;\n}\n"
    "extern \"C\" __global__ __aicore__ void one(GM_ADDR x, GM_ADDR y,\n  int n = 3) {\n  int "
    "a;\n}\n"
    "__global__ __aicore__ void none() { }\n"
    "extern \"C\" __global__ __aicore__ void declared(__gm__ float* x);\n";
const std::string kBinding =
    "TORCH_LIBRARY(custom_op, m) { m.def(\"run(Tensor x, float slope) -> Tensor\"); "
    "m.def( \"two(Tensor x) -> Tensor\" ); }\n"
    "TORCH_LIBRARY_IMPL(custom_op, PrivateUse1, m) { m.impl(\"run\", run); }\n";
std::string With(const std::string& host) {
  return kKernels + "// ==== ASCEND_HOST_SECTION ====\n#include <torch/library.h>\n" + host +
         kBinding;
}

TEST(HostSection, WhatIsMadeOfIt) {
  const std::string mixed =
      "#include <torch/extension.h>\n#include \"kernel_operator.h\"\n#define N \\\n  3\n" +
      kKernels +
      "namespace inner {\nstruct Sizes { int n; } sizes;\nint plain(int x) { return x; }\n"
      "at::Tensor run(at::Tensor x) { one<<<1, 0, nullptr>>>(x.data_ptr(), 0, 3); return x; }\n}\n"
      "extern \"C\" {\nint other;\nvoid start() { aclrtSynchronizeStream(nullptr); }\n}\n"
      "__aicore__ inline int helper(int torch) { return torch; }\n" +
      kBinding;
  std::string out;
  for (const std::string& text :
       {With("at::Tensor run(at::Tensor x) { one_launch(1, s, x); return x; }\n"), mixed, kKernels,
        std::string(), With("// ASCEND_HOST_SECTION\n"),
        kKernels + "// x ASCEND_HOST_SECTION\n" + kBinding,
        kKernels + " \t//\t= ASCEND_HOST_SECTION\nint x;\n"}) {
    const auto launches = WithLaunchFunctions(text);
    out += "# launch functions\n" + launches.value_or("(none)") + "\n# recorded\n" +
           WithRecordedLaunches(text) + "\n# device half\n" + DeviceHalf(text) + "\n# schemas";
    for (const std::string& s : SchemasOf(text)) out += " `" + s + "`";
    out += "\n# computes " + ComputedByHost(text) + "\n# breaks " + BrokenRule(text) + "\n";
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "host_section.txt", out);
}

// What the host half may say, and what not: its rule, or nothing.
TEST(HostSection, EachRuleAndItsTwin) {
  const std::pair<const char*, const char*> rows[] = {
      {"auto y = at::empty_like(x);", ""},
      {"auto y = at::relu(x);", "the host code computes with at::relu: a kernel has to"},
      {"auto y = torch::native::add (x);",
       "the host code computes with torch::native::add: a kernel has to"},
      {"auto y = torch::zeros({3}), z = at::from_blob(p);", ""},
      {"// at::relu(x)\nconst char* s = \"at::relu(x)\";", ""},
      {"auto y = x.size(0);", ""},
      {"auto y = x.sum();", "the host code computes with Tensor.sum: a kernel has to"},
      {"auto y = p->relu_ ();", "the host code computes with Tensor.relu_: a kernel has to"},
      {"auto y = x.summary();", ""},
      {"system(\"ls\");", "custom_op.asc uses system"},
      {"my_system(\"ls\");", ""},
      {"aclnnAdd(x);", "custom_op.asc uses aclnnAdd"},
      {"std::thread t;", "custom_op.asc uses std::thread"},
      {"execvpe(x);", "custom_op.asc uses execvpe"},
      {"execute(x);", ""},
      {"#include <thread>\n", "custom_op.asc includes thread"},
      {"#include <sys/mman.h>\n", "custom_op.asc includes sys/mman.h"},
      {"#  include \"ATen/ops/add.h\"\n", "custom_op.asc includes ATen/ops/add.h"},
      {"#include <vector>\n", ""}};
  for (const auto& [host, broken] : rows)
    EXPECT_EQ(BrokenRule(With(std::string(host) + "\n")), broken) << host;
  const std::string section = "// ASCEND_HOST_SECTION\n";
  const std::pair<std::string, const char*> whole[] = {
      {kKernels + section + kBinding, ""},
      {kKernels + kBinding, ""},
      {kKernels + section + section + kBinding,
       "custom_op.asc has to have exactly one comment line with ASCEND_HOST_SECTION alone"},
      {kKernels + section + kBinding + "PYBIND11_MODULE(a, m) {}\n",
       "custom_op.asc binds by pybind11: TORCH_LIBRARY has to"},
      {kKernels + section + kBinding.substr(kBinding.find("TORCH_LIBRARY_IMPL")),
       "custom_op.asc has no TORCH_LIBRARY(custom_op, …) and TORCH_LIBRARY_IMPL(custom_op, "
       "PrivateUse1, …)"},
      {kKernels + section + kBinding.substr(0, kBinding.find("TORCH_LIBRARY_IMPL")),
       "custom_op.asc has no TORCH_LIBRARY(custom_op, …) and TORCH_LIBRARY_IMPL(custom_op, "
       "PrivateUse1, …)"},
      {"at::Tensor t;\n" + kKernels + section + kBinding,
       "the device section of custom_op.asc speaks of PyTorch"},
      {"at::Tensor t;\n" + kKernels + kBinding, ""},
      {kKernels + kBinding + "int f() { return at::relu(x); }\n",
       "the host code computes with at::relu: a kernel has to"},
      {kKernels + kBinding + "int f() { return x.sum(); }\n", ""}};
  for (const auto& [text, broken] : whole) EXPECT_EQ(BrokenRule(text), broken) << text;
}

TEST(KernelCores, ByQualifierTypeAndObjects) {
  constexpr uint32_t kVector = 1u << 16;
  const std::string entry = "extern \"C\" __global__ __aicore__ void k(GM_ADDR x) {";
  const auto typed = [&](const std::string& type) {
    return entry + " KERNEL_TASK_TYPE_DEFAULT(" + type + "); }";
  };
  const std::pair<std::string, uint32_t> rows[] = {
      {entry + "}", 0},
      {"__global__ __cube__ void k(int) {}", 1},
      {"__global__ __vector__ void k(int) {}", 0},
      {"__global__ __mix__(1, 0) void k(int) {}", 1},
      {"__global__ __mix__(1, 1) void k(int) {}", 1 | kVector},
      {"__global__ __mix__( 1 , 2 ) void k (int) {}", 1 | 2 * kVector},
      {"__global__ __mix__(0, 1) void k(int) {}", kVector},
      {"__global__ __mix__(1, 3) void k(int) {}", 0},
      {"__global__ __mix__(2, 1) void k(int) {}", 0},
      {"__global__ __cube__ void kk(int) {} __global__ void k(int) {}", 0},
      {"__global__ __cube__ void kk(int) {} __global__ __mix__(1,1) void k(int) {}", 1 | kVector},
      {"__cube__", 0},
      {typed("KERNEL_TYPE_AIV_ONLY"), kVector},
      {typed("KERNEL_TYPE_MIX_AIV_1_0"), kVector},
      {typed("KERNEL_TYPE_AIC_ONLY"), 1},
      {typed("KERNEL_TYPE_MIX_AIC_1_0"), 1},
      {typed("KERNEL_TYPE_MIX_AIC_1_1"), 1 | kVector},
      {typed("KERNEL_TYPE_MIX_AIC_1_2"), 1 | 2 * kVector},
      {typed("KERNEL_TYPE_AICORE"), 0},
      {entry + " KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIV_ONLY); KERNEL_TASK_TYPE(2, "
               "KERNEL_TYPE_MIX_AIC_1_1); }",
       1 | kVector},
      {"__global__ void k(int); " + typed("KERNEL_TYPE_AIC_ONLY"), 1},
      {"__global__ void other(int) { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY); } " + entry +
           "}",
       0},
      {entry + " REGIST_MATMUL_OBJ(x); }", 1 | 2 * kVector},
      {entry + " REGIST_MATMUL_OBJ(x); } // ASCENDC_CUBE_ONLY", 1},
  };
  for (const auto& [code, cores] : rows) EXPECT_EQ(CoresIn(code, "k"), cores) << code;
  const std::pair<const char*, const char*> heads[] = {
      {"", ""},
      {"__cube__ void", "KERNEL_TYPE_AIC_ONLY"},
      {"__vector__ void", "KERNEL_TYPE_AIV_ONLY"},
      {"__mix__(0, 1) void", "KERNEL_TYPE_MIX_AIV_1_0"},
      {"__mix__(1, 0) void", "KERNEL_TYPE_MIX_AIC_1_0"},
      {"__mix__(1, 1) void", "KERNEL_TYPE_MIX_AIC_1_1"},
      {"__mix__ ( 1 , 2 ) void", "KERNEL_TYPE_MIX_AIC_1_2"},
      {"__mix__(x, 2) void", ""}};
  for (const auto& [head, type] : heads) EXPECT_EQ(TypeByQualifier(head), type) << head;
}
}  // namespace
}  // namespace akgen::toolchain
