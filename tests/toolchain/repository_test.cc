// What is read of a repository of operators around a project: build files, include folders,
// libraries, neighbours, and which operators a change touches. One small tree, all that is said of
// it in golden/repository.txt.
#include "toolchain/repository.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "../golden.h"
#include "base/files.h"
#include "toolchain/build_files.h"
#include "toolchain/changes.h"

namespace akgen::toolchain {
namespace {
namespace fs = std::filesystem;

constexpr const char* kAdd =
    "#include \"../add_base/add_base.h\"\n"
    "extern \"C\" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y) {}\n";
// Path and text. `add` depends on norm_common and matmul.common, and has its tiling from add_base;
// `other` has its own; `set` says how by SetTiling.
const std::pair<const char*, const char*> kTree[] = {
    {"repo/CMakeLists.txt",
     "set(COMMON_DIR ${CMAKE_SOURCE_DIR}/common/extra)\n"
     "include_directories(${COMMON_DIR} \"third\" /nowhere) # common/hidden\n"
     "set(TWO common extra)\nset(ONE ${TWO}/common)\n"
     "file(GLOB SOURCES op_host/*_tiling*.cpp op_host/*.cpp)\n"
     "list(GLOB OTHERS a*b.cpp)\nadd_library(x named.cpp ${ONE}/other.cc note.c)\n"},
    {"repo/cmake/options.cmake",
     "get_filename_component(HERE ${CMAKE_CURRENT_LIST_DIR}/deep REALPATH)\n"
     "get_filename_component(NAME ${CMAKE_CURRENT_LIST_DIR}/deep NAME)\n"
     "target_compile_options(x PRIVATE -I${HERE} -I${NAME} -I/ -I${CMAKE_SOURCE_DIR}/third/)\n"},
    {"repo/cmake/notes.txt", "include_directories(norm)\n"},
    {"repo/.gitmodules",
     "[submodule \"third\"]\n\tpath = third\n\turl = x\n[submodule \"gone\"]\n\tpath = gone\n"
     "[submodule \"out\"]\n\tpath = ../out\n[submodule \"no\"]\n\tpath none\n"},
    {"repo/third/include/third.h", ""},
    {"repo/common/inc/op_kernel/shared.h", ""},
    {"repo/common/inc/op_host/x.h", ""},
    {"repo/common/extra/x.h", ""},
    {"repo/common/src/op_host/log.cpp", ""},
    {"repo/common/src/op_host/below/deeper.cpp", ""},
    {"repo/common/src/tiling_base/base.cc", ""},
    {"repo/deep/x.h", ""},
    {"repo/include/x.h", ""},
    {"repo/.hidden/add/op_kernel/add.cpp", kAdd},
    {"repo/norm/add/CMakeLists.txt",
     "add_modules(OPTYPE add ACLNNTYPE aclnn DEPENDENCIES norm_common \"matmul.common\" # gone\n"
     "  norm_common add MIXED)\ninclude_directories(op_host/own)\n"},
    {"repo/norm/add/op_host/own/x.h", ""},
    {"repo/norm/add/op_host/add_def.cpp", "OP_ADD(Add);\nOP_ADD(AddTwo, x);\n"},
    {"repo/norm/add/op_host/add_tiling.cpp", "int tiling;\n"},
    {"repo/norm/add/op_host/add_left_out.cpp", ""},
    {"repo/norm/add/op_host/named.cpp", ""},
    {"repo/norm/add/op_host/arch35/add_tiling_arch35.cpp", ""},
    {"repo/norm/add/op_kernel/add.cpp", kAdd},
    {"repo/norm/add_base/op_host/add_base_tiling.cpp", "IMPL_OP_OPTILING(Add).Tiling(x);\n"},
    {"repo/norm/add_base/op_host/add_base_def.cpp", ""},
    {"repo/norm/add_base/op_kernel/add_base.h",
     "#include \"inner/deep.h\"\n#include <kernel_operator.h>\n#include \"open.h\n"},
    {"repo/norm/add_base/op_kernel/inner/deep.h", ""},
    {"repo/norm/norm_common/op_host/norm_common.cpp", "IMPL_OP_INFERSHAPE(AddTwo);\n"},
    {"repo/norm/norm_common/op_host/op_tiling/x.h", ""},
    {"repo/norm/common/op_host/category.cpp", ""},
    {"repo/norm/common/op_host/op_tiling/category_tiling.cpp", ""},
    {"repo/norm/other/op_host/other.cpp",
     "OP_ADD(Other);\nREGISTER_TILING_DATA_CLASS(Other, OtherData);\n"},
    {"repo/norm/other/op_kernel/other.cpp", "#include \"../norm/add_base/add_base.h\"\n"},
    {"repo/norm/set/op_host/set.cpp", "OP_ADD(Add);\nx.SetTiling(y);\n"},
    {"repo/norm/set/op_kernel/set.h", "#include \"deep.h\"\n"},
    {"repo/matmul/common/op_host/shared.cpp", ""},
    {"repo/matmul/product/op_kernel/product.cpp",
     "#include \"shared.h\"\n#include \"../x/deep.h\"\n"},
    {"repo/conv/common/op_kernel/conv.h", ""},
    {"repo/experimental/norm/add_base/op_kernel/twin.h", ""},
    {"repo/experimental/norm/add_base/op_host/twin.cpp", ""},
    {"base/include/op_common/op_host/x.h", ""},
    {"base/pkg_inc/x.h", ""},
    {"base/src/op_common/op_host/base.cpp", ""},
    {"base/src/op_common/log/inner/log.cpp", ""},
    {"base/src/op_common/other/left.cpp", ""},
    {"plain/some.cpp", ""},
    {"out/x.h", ""}};

class Repository : public ::testing::Test {
 protected:
  Repository() {
    for (const auto& [name, text] : kTree) {
      const fs::path path = dir_.path() / name;
      fs::create_directories(path.parent_path());
      EXPECT_TRUE(base::WriteFileAtomic(path, text).ok());
    }
  }
  fs::path At(const std::string& name) const { return dir_.path() / name; }
  // The temporary folder is called TOP.
  std::string Named(std::string text) const {
    for (size_t at; (at = text.find(dir_.path().string())) != std::string::npos;)
      text.replace(at, dir_.path().string().size(), "TOP");
    return text;
  }
  template <class List>
  void Say(const std::string& what, const List& list) {
    out_ << what << ":";
    for (const auto& one : list) out_ << " " << fs::path(one).string();
    out_ << "\n";
  }
  void SayBuild(const std::string& what, const BuildRequest& r) {
    out_ << what << " " << r.kind << " " << r.wall_ms << " " << r.project_dir << "\n";
    for (const SourceFile& s : r.sources) out_ << "  source " << s.path << "\n";
    for (const std::string& dir : r.include_dirs) out_ << "  dir " << dir << "\n";
  }

  base::TempDir dir_ = std::move(*base::TempDir::Create());
  std::ostringstream out_;
};

TEST_F(Repository, WhatIsReadOfIt) {
  for (const char* from : {"repo/norm/add", "repo/experimental/norm/add_base", "repo/norm", "repo",
                           "repo/norm/add/op_host/own/a", "repo/norm/add/op_host/own/a/b", "plain"})
    out_ << "found from " << from << ": " << FindRepository(At(from)).string() << "\n";
  BuildFiles files(At("repo"));
  files.Read(At("repo/CMakeLists.txt"), At("repo"));
  files.Read(At("repo/cmake/options.cmake"), At("repo"));
  files.Read(At("repo/none"), At("repo"));
  Say("include_dirs", files.include_dirs()), Say("sources", files.sources());
  Say("globs", files.globs());
  for (const char* from : {"repo", "repo/norm", "repo/norm/add", "repo/norm/add/op_host"})
    for (const Submodule& m : SubmodulesAround(At(from)))
      out_ << "submodule from " << from << ": " << m.path.string() << (m.present ? "" : " gone")
           << "\n";
  for (const bool with_base : {true, false})
    for (const bool inside : {true, false}) {
      Around around{inside ? At("repo") : fs::path(), with_base ? At("base") : fs::path(), {"own"}};
      out_ << "\n# " << (inside ? "in the repository" : "alone") << (with_base ? ", base" : "")
           << "\n";
      for (const char* name : {"repo/norm/add", "repo/norm/other", "repo/norm/set"}) {
        const auto project = LoadHost(At(name));
        ASSERT_TRUE(project.ok());
        Say(std::string(name) + " host", around.HostIncludes(project->dir));
        Say("kernel", around.KernelIncludes(project->dir));
        Say("unnamed", around.Unnamed(*project));
        for (const Mount& m : around.KernelMounts(*project))
          out_ << "mount " << m.at << " from " << m.folder << "\n";
        for (const Library& l : around.Libraries(*project))
          SayBuild(l.whole ? "whole library" : "library", l.build);
        for (const BuildRequest& r : around.OtherChips(*project)) SayBuild("other chips", r);
      }
      for (const char* header : {"gone/x.h", "gone", "third/x.h", "nothing/x.h"})
        out_ << "absent " << header << ": " << around.AbsentSubmodule(header) << "\n";
    }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "repository.txt", Named(out_.str()));
}

TEST_F(Repository, WhatAChangeTouches) {
  for (const std::vector<std::string>& changed : std::vector<std::vector<std::string>>{
           {"norm/add/op_host/add_tiling.cpp"},
           {"norm/add_base/op_kernel/inner/deep.h"},
           {"norm/add_base/op_kernel/add_base.h", "matmul/product/op_kernel/product.cpp"},
           {"common/inc/op_kernel/shared.h"},
           {"norm/add/README.md"},
           {"norm/gone/op_kernel/add_base.h"},
           {"experimental/norm/add_base/op_kernel/twin.h"},
           {"third/include/third.h"}}) {
    Say("changed", changed);
    for (const TouchedOperator& t : TouchedOperators(At("repo"), changed)) {
      out_ << "  " << t.dir.string() << (t.own ? " own" : "") << ":";
      for (const std::string& f : t.files) out_ << " " << f;
      out_ << "\n";
    }
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "touched.txt", Named(out_.str()));
}

TEST(BuildFiles, Commands) {
  std::string out;
  for (const char* text : {"", "Set(A b)", "set (A\n b # c)\n d)", "if(NOT A) set(B \"c;d\" e)",
                           "set(A", "(A)", "a.b(c)", "set() x(1)"}) {
    out += std::string("`") + text + "`:";
    for (const auto& [name, words] : CMakeCommandsIn(text)) {
      out += " " + name + "(";
      for (const std::string& w : words) out += w + ",";
      out += ")";
    }
    out += "\n";
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "cmake_commands.txt", out);
}

TEST(BuildFiles, Patterns) {
  const std::tuple<const char*, const char*, bool> rows[] = {
      {"a.cpp", "a.cpp", true},   {"a.cpp", "a.cp", false},  {"a.cp", "a.cpp", false},
      {"ab.cpp", "a*.cpp", true}, {"a.cpp", "a*.cpp", true}, {"ba.cpp", "a*.cpp", false},
      {"a.cpp", "*", true},       {"", "*", true},           {"", "", true},
      {"abcabd", "a*b*d", true},  {"abcab", "a*b*d", false}, {"ab", "ab*", true}};
  for (const auto& [name, pattern, fits] : rows)
    EXPECT_EQ(Fits(name, pattern), fits) << name << " " << pattern;
}
}  // namespace
}  // namespace akgen::toolchain
