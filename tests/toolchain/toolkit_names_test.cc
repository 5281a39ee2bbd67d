// A failed build whose cause is a name that the toolkit has and akgen lacks, and one whose cause is
// the source.
#include "toolchain/toolkit_names.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "base/files.h"

namespace akgen::toolchain {
namespace {
namespace fs = std::filesystem;

class Names : public ::testing::Test {
 protected:
  Names() : dir_(std::move(*base::TempDir::Create())) {
    fs::create_directories(dir_.path() / "akgen");
    EXPECT_TRUE(
        base::WriteFileAtomic(dir_.path() / "akgen/toolkit_names.txt",
                              "# a comment\nheader util/shape_util.h kernel_extra.h\n"
                              "name Mmad DataCopy OP_EXTRA_MACRO AscendC\nmember SetExtra\n")
            .ok());
    EXPECT_TRUE(base::WriteFileAtomic(dir_.path() / "have.h",
                                      "// Mmad is not here\nvoid DataCopy(); class Queue;\n")
                    .ok());
    names_ = std::make_unique<ToolkitNames>(dir_.path());
  }
  std::string Wanting(const std::string& message, const std::string& line = "", int column = 1) {
    return names_->Wanting({"error", "k.cpp", 1, column, message, {}}, line);
  }
  base::TempDir dir_;
  std::unique_ptr<ToolkitNames> names_;
};

TEST_F(Names, WhatTheToolkitHasIsOurGap) {
  EXPECT_EQ(Wanting("'util/shape_util.h' file not found"), "util/shape_util.h");
  EXPECT_EQ(Wanting("'../op_host/util/shape_util.h' file not found"),
            "../op_host/util/shape_util.h");
  EXPECT_EQ(Wanting("'kernel_extra.h' file not found"), "kernel_extra.h");
  EXPECT_EQ(Wanting("use of undeclared identifier 'Mmad'"), "Mmad");
  EXPECT_EQ(Wanting("no member named 'Mmad' in namespace 'AscendC'"), "Mmad");
  EXPECT_EQ(Wanting("no template named 'Mmad' in namespace 'AscendC'"), "Mmad");
  EXPECT_EQ(Wanting("no member named 'SetExtra' in 'AscendC::Queue<int>'"), "SetExtra");
  EXPECT_EQ(Wanting("undefined symbol: 'AscendC::Mmad(int, float)' is declared and used, but "
                    "defined nowhere"),
            "Mmad");
  EXPECT_EQ(
      Wanting(
          "undefined symbol: 'AscendC::Mmad::Mmad(int)' (lib/a.cpp: 'own_part.h' file not found)"),
      "Mmad");
  EXPECT_EQ(Wanting("undefined symbol: 'AscendC::Mmad(int)' (lib/a.cpp: no member named 'Set' in "
                    "'gert::Context')"),
            "Mmad");
  EXPECT_EQ(Wanting("function-like macro 'akgen_tiling_key' is not defined"),
            "TILING_KEY_VAR in a directive");
  EXPECT_EQ(Wanting("a type specifier is required for all declarations", "OP_EXTRA_MACRO(Add, 1);"),
            "OP_EXTRA_MACRO");
  EXPECT_EQ(Wanting("static assertion failed: akgen unsupported: Cast to int4"), "Cast to int4");
}

TEST_F(Names, WhatTheSourceLacksIsItsOwn) {
  for (const char* message :
       {"'my_helper.h' file not found", "'shape_util.h' file not found",
        "use of undeclared identifier 'Mmadd'", "use of undeclared identifier 'DataCopy'",
        "no matching function for call to 'Mmad'", "no member named 'SetExtra' in 'MyKernel'",
        "no member named 'Mmad' in namespace 'mine'", "use of undeclared identifier 'SetExtra'",
        "undefined symbol: 'mine(int)' is declared and used"})
    EXPECT_EQ(Wanting(message), "") << message;
  EXPECT_EQ(Wanting("a type specifier is required for all declarations", "MY_MACRO(Mmad);"), "");
}
}  // namespace

TEST(ToolkitNames, TheRealOnes) {
  ToolkitNames names(base::HomeDir() / "include/ascendc");
  auto wanting = [&](const std::string& message) {
    return names.Wanting({"error", "", 0, 0, message, {}}, "");
  };
  for (const char* lacking : {"Hccl", "Conv3DBackpropInput", "Conv3DBackpropFilter", "vadds",
                              "copy_gm_to_ubuf_align_b16"})
    EXPECT_EQ(wanting(std::string("use of undeclared identifier '") + lacking + "'"), lacking);
  for (const char* own : {"DataCopy", "Mmad", "Fixpipe", "LoadData", "CopyIn", "Process", "Compute",
                          "tiling", "BUFFER_NUM", "KernelAdd", "Init"})
    EXPECT_EQ(wanting(std::string("use of undeclared identifier '") + own + "'"), "") << own;
  EXPECT_EQ(wanting("'adv_api/matmul/matmul_intf.h' file not found"),
            "adv_api/matmul/matmul_intf.h");
  EXPECT_EQ(wanting("'add_custom_tiling.h' file not found"), "");
}
}  // namespace akgen::toolchain
