// Recognising projects, finding entries, rewriting what only the vendor's compiler takes.
#include "toolchain/project.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"
#include "toolchain/builder/snapshot.h"
#include "toolchain/rewrite.h"

namespace akgen::toolchain {
namespace {
namespace fs = std::filesystem;

struct Folder {
  base::TempDir dir = std::move(*base::TempDir::Create());
  fs::path Add(const std::string& name, const std::string& text) {
    fs::path p = dir.path() / name;
    fs::create_directories(p.parent_path());
    EXPECT_TRUE(base::WriteFileAtomic(p, text).ok());
    return p;
  }
};

constexpr const char* kKernel =
    "extern \"C\" __global__ __aicore__ void my_op(GM_ADDR x, GM_ADDR y) {}\n";

TEST(Project, RecognisesTheLayout) {
  Folder f;
  f.Add("op_kernel/my_op.cpp", kKernel);
  f.Add("op_kernel/my_op.h", "// __global__ void not_me(\n");
  f.Add("op_host/my_op.cpp", "");
  f.Add("op_host/my_op_tiling.cc", "");
  f.Add("op_host/my_op_l0.cpp", "#include \"opdev/make_op_executor.h\"\n");
  f.Add("op_host/my_op_proto.cpp",
        "#include \"aclnn/opdev/op_log.h\"\nIMPL_OP_INFERSHAPE(MyOp);\n");
  auto p = LoadProject(f.dir.path());
  ASSERT_TRUE(p.ok()) << p.error().ToString();
  EXPECT_EQ(p->name, "my_op");
  EXPECT_EQ(p->entry.name, "my_op");
  EXPECT_EQ(p->host_sources.size(), 3u);
  ASSERT_EQ(p->skipped.size(), 1u);
  EXPECT_EQ(p->skipped[0].filename(), "my_op_l0.cpp");
  EXPECT_EQ(HostRequest(*p).sources.size(), 3u);
  EXPECT_EQ(KernelRequest(*p, {.arch = 2201}).sources.front().path, p->kernel.string());
}

TEST(Project, SaysWhatIsMissing) {
  Folder f;
  EXPECT_EQ(LoadProject(f.dir.path() / "none").error().code, "AK0310");
  EXPECT_EQ(LoadProject(f.dir.path()).error().code, "AK0311");
  f.Add("op_kernel/a.cpp",
        "// __global__ void comment(int)\nconst char* s = \"__global__ void text(\";\n");
  f.Add("op_host/a.cpp", "");
  EXPECT_EQ(LoadProject(f.dir.path()).error().code, "AK0312");
  f.Add("op_kernel/a.cpp", "__global__ void x(int);\n__global__ void y(int);\n");
  EXPECT_EQ(LoadProject(f.dir.path()).error().code, "AK0313");
  f.Add("op_kernel/a.cpp", kKernel);
  fs::remove_all(f.dir.path() / "op_host");
  EXPECT_EQ(LoadProject(f.dir.path()).error().code, "AK0314");
  EXPECT_TRUE(LoadProject(f.dir.path(), false).ok());
}

TEST(Project, NamesAndLinksThatLeadNowhereAreTheProjectsFault) {
  Folder f;
  f.Add("op_host/my_op.cpp", "OP_ADD(MyOp)\n");
  fs::create_directory_symlink("op_kernel", f.dir.path() / "op_kernel");  // a link to itself
  EXPECT_EQ(LoadProject(f.dir.path()).error().code, "AK0311");
  fs::remove(f.dir.path() / "op_kernel");
  f.Add("op_kernel/\xff.cpp", kKernel);
  EXPECT_EQ(LoadProject(f.dir.path()).error().code, "AK0316");
}

TEST(Project, LinksOutOfTheProjectAreRefused) {
  Folder other;
  const fs::path kernel = other.Add("op_kernel/my_op.cpp", kKernel),
                 host = other.Add("op_host/my_op.cpp", "");
  for (const char* half : {"op_kernel", "op_host"}) {
    Folder f;
    f.Add("op_kernel/my_op.cpp", kKernel);
    f.Add("op_host/my_op.cpp", "");
    fs::remove(f.dir.path() / half / "my_op.cpp");
    fs::create_symlink(other.dir.path() / half / "my_op.cpp", f.dir.path() / half / "my_op.cpp");
    EXPECT_EQ(LoadProject(f.dir.path()).error().code, "AK0317");
    fs::remove_all(f.dir.path() / half);
    fs::create_directory_symlink(other.dir.path() / half, f.dir.path() / half);
    EXPECT_EQ(LoadProject(f.dir.path()).error().code, "AK0317");
  }
  Folder f;  // from one place of the project to another, and the project itself by a link
  f.Add("op_kernel/real/my_op.cpp", kKernel);
  f.Add("op_host/my_op.cpp", "");
  fs::create_symlink("real/my_op.cpp", f.dir.path() / "op_kernel/my_op.cpp");
  fs::create_directory_symlink(f.dir.path(), other.dir.path() / "link");
  EXPECT_TRUE(LoadProject(f.dir.path()).ok());
  EXPECT_TRUE(LoadProject(other.dir.path() / "link").ok());
}

TEST(Entries, AnyOrderOfSpecifiers) {
  auto e = FindEntries("k.cpp",
                       "extern \"C\" __global__ __aicore__ void a(GM_ADDR x);\n__global__\n  "
                       "__aicore__\nvoid\nb\n(GM_ADDR x) {}\n"
                       "extern \"C\" __aicore__ __global__ void c(int);\n__global__ "
                       "__attribute__((aiv)) void d(int);\n"
                       "#define __global__ __attribute__((x))\n");
  ASSERT_EQ(e.size(), 4u);
  EXPECT_EQ(e[0].name, "a");
  EXPECT_EQ(e[1].name, "b");
  EXPECT_EQ(e[1].line, 5);
  EXPECT_EQ(e[2].name, "c");
  EXPECT_EQ(e[3].name, "d");
}

TEST(Entries, HostileTextIsHarmless) {
  std::string many = "__global__ ";
  for (int i = 0; i < 300000; ++i) many += "inline ";
  EXPECT_TRUE(FindEntries("k.cpp", many).empty());
  EXPECT_TRUE(FindEntries("k.cpp", "__global__ __attribute__((((((").empty());
  EXPECT_TRUE(FindEntries("k.cpp", "__global__ R\"").empty());
}

TEST(Rewrite, DropsCoreAttributesInPlace) {
  std::vector<Rewrite> log;
  std::string text =
      "inline [aicore] void f();\ninline [host, aicore] void g();\n// [aicore]\nint aicore[3];\n";
  std::string out = RewriteKernelSource("k.h", text, &log);
  EXPECT_EQ(
      out,
      "inline          void f();\ninline                void g();\n// [aicore]\nint aicore[3];\n");
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[1].line, 2);
}

TEST(Rewrite, DropsHostLaunches) {
  std::vector<Rewrite> log;
  std::string text =
      "void go(int n) {\n  ker<float, 2><<<n, nullptr,\n    0>>>(a, b);\n}\nauto s = "
      "\"x<<<y>>>z;\";\n";
  std::string out = RewriteKernelSource("k.cpp", text, &log);
  EXPECT_EQ(out.find("ker"), std::string::npos);
  EXPECT_NE(out.find("x<<<y>>>z"), std::string::npos);
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
  EXPECT_EQ(log.size(), 1u);
}

// With the device's compiler a tiling key is a constant: each is compiled by itself.
TEST(Rewrite, TilingKeysAreConstants) {
  std::vector<Rewrite> log;
  const std::string text =
      "void f() aicore {\n  if constexpr (TILING_KEY_IS(1)) a();\n  else if constexpr( "
      "TILING_KEY_IS(2)) b();\n"
      "  if (TILING_KEY_IS(3)) c();\n  if constexpr (kOther) d();  // constexpr "
      "(TILING_KEY_IS(4))\n}\n";
  const std::string out = RewriteKernelSource("k.cpp", text, &log);
  EXPECT_NE(
      out.find(
          "  if           (TILING_KEY_IS(1)) a();\n  else if          ( TILING_KEY_IS(2)) b();\n"),
      std::string::npos)
      << out;
  EXPECT_NE(out.find("if constexpr (kOther) d();  // constexpr (TILING_KEY_IS(4))"),
            std::string::npos)
      << out;
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[1].line, 3);
  // aicore<<< : the rest of the text is looked at.
  for (const char* start : {"", " ", "(", "\n(", "constexpr", "constexpr("})
    EXPECT_NE(
        RewriteKernelSource("k.cpp", std::string(start) + "TILING_KEY_IS(1) // aicore <<<", &log)
            .find("TILING_KEY_IS(1)"),
        std::string::npos);
}

TEST(Rewrite, RenamesOnlyWhatIsAsked) {
  std::vector<Entry> entries;
  std::vector<Rewrite> log;
  std::string out =
      RenameEntries("k.cpp", "__global__ void sqrt(int); __global__ void mine(int); // sqrt\n",
                    {{"mine", "other"}}, &entries, &log);
  EXPECT_EQ(out,
            "extern \"C\" __global__ void akgen_entry_sqrt(int); extern \"C\" __global__ void "
            "other(int); // sqrt\n");
  EXPECT_EQ(entries.size(), 2u);
}

TEST(KeepReachable, FollowsNamesFromTheSources) {
  VirtualFiles files{{"/p/op_host/a.cpp", "#include \"a_tiling.h\"\n"},
                     {"/p/op_host/a_tiling.h", "#include \"../op_kernel/shared.h\"\n"},
                     {"/p/op_kernel/shared.h", ""},
                     {"/p/op_kernel/a_kernel.cpp", "#include \"other.h\"\n"},
                     {"/p/op_kernel/other.h", ""}};
  VirtualFiles kept = files;
  KeepReachable({"/p/op_host/a.cpp"}, &kept);
  EXPECT_EQ(kept.size(), 3u);
  EXPECT_TRUE(kept.contains("/p/op_kernel/shared.h"));
  EXPECT_FALSE(kept.contains("/p/op_kernel/other.h"));
  files["/p/op_host/a.cpp"] += "#define X \"other.h\"\n#include X\n";
  kept = files;
  KeepReachable({"/p/op_host/a.cpp"}, &kept);
  EXPECT_EQ(kept.size(), 5u) << "an include through a macro may reach anything";
}

TEST(AddFolder, TooManySourcesAreRefused) {
  Folder f;
  VirtualFiles files;
  f.Add("a.cpp", "int a;\n");
  EXPECT_TRUE(AddFolder(f.dir.path(), &files).ok());
  EXPECT_EQ(files.size(), 1u);
  for (int i = 0; i < 5001; ++i) files["/elsewhere/" + std::to_string(i) + ".h"] = "";
  auto status = AddFolder(f.dir.path(), &files);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, "AK0303");
}

}  // namespace
}  // namespace akgen::toolchain
