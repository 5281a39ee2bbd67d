// The rules of judging, one by one: what breaks each, and the same act done right.
#include "judge/session/rules.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/files.h"
#include "base/hash.h"

namespace akgen::judge {
namespace {
namespace fs = std::filesystem;
using base::Json;

class Sources : public ::testing::Test {
 protected:
  void SetUp() override {
    auto dir = base::TempDir::Create();
    ASSERT_TRUE(dir.ok());
    dir_ = std::make_unique<base::TempDir>(std::move(*dir));
    fs::create_directories(dir_->path() / "op_host");
    fs::create_directories(dir_->path() / "op_kernel");
  }
  std::string CodeOf(const std::string& text, const std::string& file = "op_kernel/k.cpp") {
    EXPECT_TRUE(base::WriteFileAtomic(dir_->path() / file, text).ok());
    auto breach = BreachInSources(dir_->path());
    fs::remove(dir_->path() / file);
    if (breach) line_ = breach->line;
    return breach ? breach->code : "";
  }
  std::unique_ptr<base::TempDir> dir_;
  int line_ = 0;
};

TEST_F(Sources, NamingTheJudgeIsABreach) {
  EXPECT_EQ(CodeOf("// fine\nextern \"C\" void akgen_copy(const void*);\n"), "AK0601");
  EXPECT_EQ(line_, 2);
  for (const char* text :
       {"#ifdef AKGEN_ABI_VERSION\n#endif\n", "#if __has_include(\"akgen/abi.h\")\n#endif\n",
        "#include <akgen/abi.h>\n", "using T = __akgen_hidden;\n",
        "  #  include \"akgen/abi.h\"\n"})
    EXPECT_EQ(CodeOf(text), "AK0601") << text;
}

TEST_F(Sources, WordsAndTextAreNoBreach) {
  for (const char* text :
       {"// akgen says so\nint x;\n", "const char* s = \"akgen\";\n", "int makgen = 0;\n",
        "/* #include \"akgen/abi.h\" */\n", "int rdtsc_count;\n"})
    EXPECT_EQ(CodeOf(text), "") << text;
}

TEST_F(Sources, AskingTheMachineIsABreach) {
  for (const char* text :
       {"auto t = __builtin_readcyclecounter();\n", "auto t = __builtin_ia32_rdtsc();\n",
        "void* p = __builtin_return_address(0);\n", "bool b = __builtin_cpu_supports(\"avx2\");\n"})
    EXPECT_EQ(CodeOf(text), "AK0602") << text;
  EXPECT_EQ(CodeOf("void f() { asm(\"nop\"); }\n", "op_host/h.cpp"), "AK0602");
}

TEST_F(Sources, AKernelThatTellsTheMachineIsABreach) {
  for (const char* word :
       {"__riscv", "__riscv_xlen", "__x86_64__", "__OPTIMIZE__", "__clang_major__", "__GNUC__"}) {
    const std::string text = std::string("#ifdef ") + word + "\n#endif\n";
    EXPECT_EQ(CodeOf(text), "AK0602") << text;
    EXPECT_EQ(CodeOf(text, "op_host/h.cpp"), "") << text;  // headers of the base library ask, too
  }
  for (const char* word : {"__CCE_AICORE__", "__NPU_ARCH__", "__DAV_C220_VEC__",
                           "ASCENDC_CPU_DEBUG", "__cplusplus", "__OPTIMIZED_OP_H__"})
    EXPECT_EQ(CodeOf(std::string("#ifdef ") + word + "\n#endif\n"), "") << word;
}

TEST_F(Sources, SystemCallsOtherThanTheLogsAreBreaches) {
  EXPECT_EQ(CodeOf("auto t = syscall(SYS_clock_gettime, 0, &now);\n", "op_host/h.cpp"), "AK0603");
  EXPECT_EQ(CodeOf("auto t = ::syscall ( 228 , 0 );\n"), "AK0603");
  EXPECT_EQ(CodeOf("auto id = syscall(__NR_gettid);\n", "op_host/h.cpp"), "");
  EXPECT_EQ(CodeOf("auto id = ::syscall( SYS_gettid );\n", "op_host/h.cpp"), "");
}

TEST(HostImports, WaysOutAreBreaches) {
  for (const char* name : {"fopen",
                           "time",
                           "clock_gettime",
                           "dlsym",
                           "system",
                           "rand",
                           "_ZNSt6chrono3_V212system_clock3nowEv",
                           "_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode",
                           "_ZNSt6thread15_M_start_threadESt10unique_ptr",
                           "_ZNSt13random_device9_M_getvalEv",
                           "syscall",
                           "memfd_create",
                           "akgen_vec",
                           "_ZN5akgen4base9WriteFileE",
                           "_ZN5akgen4host4TileE",
                           "_ZTVN5akgen4base5ErrorE",
                           "_ZN8nlohmann16json_abi",
                           "_ZSt13set_terminatePFvvE",
                           "_ZSt4quitv",
                           "_ZNSt12experimental1fEv",
                           "_Z4evilv",
                           "_Z",
                           "_ZNKSt10filesystem7__cxx114path",
                           "_ZNSt7__cxx1110filesystemE",
                           "_ZNSt7__cxx1113wierd_streamE",
                           "_ZN",
                           "_ZNSt"}) {
    auto breach = BreachInHostImports({"memcpy", name});
    ASSERT_TRUE(breach) << name;
    EXPECT_EQ(breach->code, "AK0603");
    EXPECT_NE(breach->message.find(name), std::string::npos);
  }
}

TEST(HostImports, TilingsOwnNeedsAreNone) {
  EXPECT_FALSE(BreachInHostImports(
      {"memcpy",
       "printf",
       "ceil",
       "log2f",
       "_ZSt4cout",
       "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1Ev",
       "_ZN4gert13TilingContext3GetEv",
       "__cxa_throw",
       "_Znwm",
       "_ZNSt13runtime_errorC1EPKc",
       "memcpy_s",
       "_ZNSolsEi",
       "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
       "_ZNKSt5ctypeIcE13_M_widen_initEv",
       "_ZTISt9exception",
       "_ZSt20__throw_length_errorPKc",
       "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm",
       "_ZTVN10__cxxabiv117__class_type_infoE",
       "_ZTv0_n24_NSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEED0Ev",
       "_ZTINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
       "_ZN3ops5OpDefC2EPKc",
       "_ZNK16platform_ascendc16PlatformAscendC13GetCoreNumAivEv",
       "_Z12AkgenHostLogiPKcz",
       "_ZTIPKc",
       "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
       "_ZNKSt9type_info4nameEv"}));
}

task::TensorSet Set(base::Dtype dtype, const std::vector<float>& values) {
  task::TensorSet set;
  set.tensors = {{dtype, {int64_t(values.size())}}};
  set.layout = task::LayoutOf(set.tensors);
  set.memory = std::move(base::SharedMemory::Create("rules-test", set.layout.bytes).value());
  std::memcpy(set.Bytes(0).data(), values.data(), values.size() * 4);
  return set;
}

TEST(Inputs, AChangedByteIsABreach) {
  task::TensorSet set = Set(base::Dtype::kFloat32, {1, 2, 3});
  for (size_t byte = 0; byte < 12; ++byte) {
    uint64_t before = DigestOf(set);
    set.Bytes(0)[byte] ^= 1;
    auto breach = InputsChanged(before, set);
    ASSERT_TRUE(breach) << byte;
    EXPECT_EQ(breach->code, "AK0604");
  }
}

TEST(Inputs, TheSameBytesAreNone) {
  task::TensorSet set = Set(base::Dtype::kFloat32, {1, 2, 3});
  EXPECT_FALSE(InputsChanged(DigestOf(set), set));
}

task::CaseDesc Case(base::Dtype in, base::Dtype out) {
  task::CaseDesc c;
  task::ParamDesc p;
  p.tensors = {{in, {8}}};
  c.inputs = {p};
  p.tensors[0].dtype = out;
  c.outputs = {p};
  return c;
}

TEST(Downcast, HalfArithmeticOnFloatDataIsABreach) {
  using base::Dtype;
  for (const Json& counts : {Json{{"float32", 9}, {"float16", 1}}, Json{{"bfloat16", 3}},
                             Json{{"narrowing_casts", 1}}}) {
    auto breach = SilentDowncast(Case(Dtype::kFloat32, Dtype::kFloat32), counts);
    ASSERT_TRUE(breach) << counts;
    EXPECT_EQ(breach->code, "AK0605");
  }
}

TEST(Downcast, WhereHalfIsTheCaseOrTheWayToIntegersItIsNone) {
  using base::Dtype;
  Json half{{"float16", 5}};
  EXPECT_FALSE(SilentDowncast(Case(Dtype::kFloat16, Dtype::kFloat16), half));
  EXPECT_FALSE(SilentDowncast(Case(Dtype::kFloat32, Dtype::kFloat16), half));
  EXPECT_FALSE(SilentDowncast(Case(Dtype::kFloat32, Dtype::kInt8), half));
  EXPECT_FALSE(SilentDowncast(Case(Dtype::kInt32, Dtype::kInt32), half));
  EXPECT_FALSE(
      SilentDowncast(Case(Dtype::kFloat32, Dtype::kFloat32), {{"float32", 5}, {"int32", 2}}));
}

TEST(Reference, NaNEverywhereComparesNothing) {
  float nan = std::nanf("");
  EXPECT_NE(NothingToCompare(Case(base::Dtype::kFloat32, base::Dtype::kFloat32),
                             Set(base::Dtype::kFloat32, {nan, nan}))
                .find("AK0606"),
            std::string::npos);
}

TEST(Reference, OneNumberIsEnough) {
  float nan = std::nanf("");
  EXPECT_EQ(NothingToCompare(Case(base::Dtype::kFloat32, base::Dtype::kFloat32),
                             Set(base::Dtype::kFloat32, {nan, 1})),
            "");
}

TEST(State, AChangedVariableIsABreach) {
  auto breach = StateKept(17);
  ASSERT_TRUE(breach);
  EXPECT_EQ(breach->code, "AK0607");
  EXPECT_NE(breach->message.find("byte 16"), std::string::npos);
}

TEST(State, NoChangeIsNone) { EXPECT_FALSE(StateKept(0)); }

TEST_F(Sources, AChangeUnderneathSpoilsTheVerdict) {
  ASSERT_TRUE(base::WriteFileAtomic(dir_->path() / "op_kernel/k.cpp", "int x;\n").ok());
  std::string before = base::HashOfFolder(dir_->path());
  ASSERT_TRUE(base::WriteFileAtomic(dir_->path() / "op_kernel/k.cpp", "int y;\n").ok());
  EXPECT_NE(ChangedUnderneath(dir_->path(), before).find("AK0608"), std::string::npos);
}

TEST_F(Sources, TheSameFolderIsTheSame) {
  ASSERT_TRUE(base::WriteFileAtomic(dir_->path() / "op_kernel/k.cpp", "int x;\n").ok());
  EXPECT_EQ(ChangedUnderneath(dir_->path(), base::HashOfFolder(dir_->path())), "");
}

}  // namespace
}  // namespace akgen::judge
