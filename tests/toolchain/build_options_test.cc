// Options of the kernel's compiler in a project's build files.
#include "toolchain/build_options.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"

namespace akgen::toolchain {
namespace {
BuildOptions Read(const std::string& text) {
  BuildOptions options;
  ReadBuildOptions(text, "RowScale", "ascend910b", &options);
  return options;
}
bool Off(const std::string& text) { return !Read(text).auto_sync; }

TEST(BuildOptions, OfThisOperatorAndChip) {
  EXPECT_TRUE(
      Off("add_ops_compile_options(\n  OP_NAME RowScale\n  OPTIONS --cce-auto-sync=off\n  "
          "-Werror\n)\n"));
  EXPECT_TRUE(Off("add_ops_compile_options(ALL OPTIONS -g --cce-auto-sync=off)"));
  EXPECT_TRUE(
      Off("add_ops_compile_options(RowScale COMPUTE_UNIT ascend310p Ascend910B OPTIONS "
          "--cce-auto-sync=off)"));
  EXPECT_TRUE(Off("npu_op_kernel_options(kernels ALL OPTIONS --cce-auto-sync=off)"));
  EXPECT_TRUE(Off("ascendc_compile_options(kernels PRIVATE --cce-auto-sync=off)"));
  EXPECT_TRUE(
      Off("target_compile_options(k PRIVATE $<$<COMPILE_LANGUAGE:ASC>:--cce-auto-sync=off>)"));
}

TEST(BuildOptions, OfOthersOrNone) {
  EXPECT_FALSE(Off(""));
  EXPECT_FALSE(Off("add_ops_compile_options(OP_NAME RowSum OPTIONS --cce-auto-sync=off)"));
  EXPECT_FALSE(
      Off("add_ops_compile_options(ALL COMPUTE_UNIT ascend310p OPTIONS --cce-auto-sync=off)"));
  EXPECT_FALSE(Off("# add_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)\n"));
  EXPECT_FALSE(Off("add_ops_compile_options(ALL OPTIONS --cce-auto-sync=on)"));
  EXPECT_FALSE(Off("message(STATUS --cce-auto-sync=off)"));
}

TEST(BuildOptions, PlainMacros) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(Read("add_ops_compile_options(ALL OPTIONS -DROWS=8 -D WIDE -O2)").defines,
            (Words{"ROWS=8", "WIDE"}));
  EXPECT_EQ(Read("ascendc_compile_definitions(k PRIVATE ROWS=8 -DWIDE)").defines,
            (Words{"ROWS=8", "WIDE"}));
  for (const char* other :
       {"-D__aicore__=x", "-Dakgen_vec=x", "-DAKGEN_X", "-DX=f()", "-DX(y)=y", "-D${X}", "-D9"})
    EXPECT_EQ(Read("add_ops_compile_options(ALL OPTIONS " + std::string(other) + ")").defines,
              Words{})
        << other;
  // Each letter of a name and of a value counts, the first and the last one too; a `-D` at the very
  // end has no name.
  const std::pair<const char*, Words> rows[] = {
      {"-DA=", {"A="}},     {"-DA=1", {"A=1"}}, {"-DZ9_=z.+-_9", {"Z9_=z.+-_9"}},
      {"-D_A", {}},         {"-DA_", {"A_"}},   {"-D9A", {}},
      {"-DA9", {"A9"}},     {"-D=1", {}},       {"-D", {}},
      {"-D -O2", {}},       {"-D A -D", {"A"}}, {"-DA=/", {}},
      {"-DA=1/", {}},       {"-DA=1=2", {}},    {"-DAkGen", {}},
      {"-DAkGe", {"AkGe"}}, {"-DA-B", {}},      {"-D B=2 -DC", {"B=2", "C"}},
  };
  for (const auto& [options, defines] : rows)
    EXPECT_EQ(Read("add_ops_compile_options(ALL OPTIONS " + std::string(options) + ")").defines,
              defines)
        << options;
}

TEST(BuildOptions, DefinitionsBehindTheirTarget) {
  using Words = std::vector<std::string>;
  const std::pair<const char*, Words> rows[] = {{"k A=1", {"A=1"}},
                                                {"k PUBLIC A", {"A"}},
                                                {"k INTERFACE -DA B", {"A", "B"}},
                                                {"k PRIVATE", {}},
                                                {"A", {}},
                                                {"k A PRIVATE B", {"A", "B"}},
                                                {"k -D_A ${B} C", {"C"}}};
  for (const auto& [words, defines] : rows)
    EXPECT_EQ(Read("ascendc_compile_definitions(" + std::string(words) + ")").defines, defines)
        << words;
}

TEST(BuildOptions, OfAProjectAreSaidOnceAndInOrder) {
  base::TempDir dir = std::move(*base::TempDir::Create());
  Project project;
  project.dir = dir.path();
  const auto said = [&] {
    std::string out;
    const BuildOptions o = OptionsOf(project, "RowScale", "ascend910b");
    for (const std::string& one : o.said) out += one + " ";
    return out + std::to_string(o.defines.size()) + (o.auto_sync ? "" : " off");
  };
  EXPECT_EQ(said(), "0");
  for (const char* folder : {"op_host", "op_kernel"})
    std::filesystem::create_directory(dir.path() / folder);
  std::ofstream(dir.path() / "op_kernel/CMakeLists.txt") << "ascendc_compile_definitions(k B A=2)";
  EXPECT_EQ(said(), "-DA=2 -DB 2");
  std::ofstream(dir.path() / "op_host/CMakeLists.txt")
      << "add_ops_compile_options(RowScale OPTIONS --cce-auto-sync=off -DC -DB)";
  EXPECT_EQ(said(), "--cce-auto-sync=off -DA=2 -DB -DC 3 off");
  std::ofstream(dir.path() / "CMakeLists.txt") << "add_compile_options(-cce-auto-sync=off -DD)";
  EXPECT_EQ(said(), "--cce-auto-sync=off -DA=2 -DB -DC 3 off");
}
}  // namespace
}  // namespace akgen::toolchain
