// Recognising projects, finding entries, rewriting what only the vendor's compiler takes.
#include "toolchain/project.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "../golden.h"
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

// What is read of a folder, or why nothing is, with the names of its own folder taken out.
class Read {
 public:
  explicit Read(const std::map<std::string, std::string>& files) {
    for (const auto& [name, text] : files) folder_.Add(name, text);
  }
  std::string Project(const std::string& given, bool need_host) {
    const auto p = LoadProject(At(given), need_host);
    if (!p.ok()) return Failed(p.error());
    out_.str("");
    out_ << " name " << p->name << ", of " << p->kernel.string() << ":" << p->entry.line << " "
         << p->entry.symbol << "\n  entries:";
    for (const auto& [file, e] : p->entries) out_ << " " << file.string() << ":" << e.name;
    Say("host", p->host_sources), Say("skipped", p->skipped), Say("elsewhere", p->elsewhere);
    Say(HostRequest(*p)), Say(KernelRequest(*p, {.arch = 2201}, Backend::kNpu));
    return Named(out_.str());
  }
  std::string Host(const std::string& given) {
    const auto p = LoadHost(At(given));
    return p.ok() ? " host of " + Named(p->dir.string()) + "\n" : Failed(p.error());
  }

 private:
  fs::path At(const std::string& name) const { return folder_.dir.path() / name; }
  std::string Failed(const base::Error& e) const {
    return " " + Named(e.code + "|" + e.message + "|" + e.where + "|" + e.fix) + "\n";
  }
  std::string Named(std::string text) const {
    const std::string own = folder_.dir.path().string();
    for (size_t at; (at = text.find(own)) != std::string::npos;)
      text.replace(at, own.size(), "TOP");
    return text;
  }
  void Say(const char* what, const std::vector<fs::path>& files) {
    out_ << "\n  " << what << ":";
    for (const fs::path& f : files) out_ << " " << f.string();
  }
  void Say(const BuildRequest& r) {
    out_ << "\n  build " << r.kind << " in " << r.project_dir << ":";
    for (const SourceFile& s : r.sources) out_ << " " << s.path;
    for (const std::string& dir : r.include_dirs) out_ << " -I" << dir;
    if (!r.entry.name.empty()) out_ << " entry " << r.entry.name;
  }

  Folder folder_;
  std::ostringstream out_;
};

TEST(Project, OfEveryLayoutIsReadAsTheTableSays) {
  const std::string a = "__global__ void a(int);\n", b = "\n__global__ void b(int);\n",
                    call = "#include \"opdev/x.h\"\n";
  const std::map<std::string, std::string> host = {{"op_host/a.cpp", "OP_ADD(A);\n"}};
  const auto with = [&](std::map<std::string, std::string> more) {
    more.insert(host.begin(), host.end());
    return more;
  };
  const std::map<std::string, std::string> trees[] = {
      {},
      host,
      {{"a.cpp", a}},
      {{"note.txt", a}},
      with({{"a.cpp", a}}),
      with({{"op_kernel/a.cpp", ""}}),
      with({{"op_kernel/a.cpp", a}, {"op_kernel/b.cc", b}, {"op_kernel/c.txt", a}}),
      with({{"op_kernel/a.cxx", b}, {"op_kernel/b.asc", a + b}}),
      with({{"op_kernel/a.cpp", b}, {"op_kernel/c.cpp", b + a}}),
      with({{"op_kernel/c.cpp", b}, {"op_kernel/d.cpp", a}}),
      // Headers with the entry, once each, and none from elsewhere.
      with({{"op_kernel/a.cpp", "#include \"b.h\"\n#include \"a.h\"\n"},
            {"op_kernel/a.h", "#include \"a.h\"\n#include \"../deep/b.h\"\n"},
            {"op_kernel/b.h", "#include \"gone.h\"\n#include \"open\n"},
            {"deep/b.h", b}}),
      // Other chips.
      with({{"op_kernel/a_apt.cpp", a}}),
      with({{"op_kernel/a_apt.cpp", a}, {"op_kernel/a_310p.cpp", a}, {"op_kernel/b.cpp", b}}),
      with({{"op_kernel/arch22/b.cpp", b}, {"op_kernel/arch35/a.cpp", a}}),
      with({{"op_kernel/ascend910_93/b.cpp", b}, {"op_kernel/a2/a.cpp", a}}),
      with({{"op_kernel/deep/er/b.cpp", b}, {"op_kernel/deep/regbase_a.cpp", a}}),
      with({{"op_kernel/a.cpp", a},
            {"op_host/op_tiling/deep/t.cpp", ""},
            {"op_host/arch32/u.cpp", ""},
            {"op_host/arch35/deep/v.cpp", ""},
            {"op_host/a_arch20.cpp", ""},
            {"op_host/op_tiling/arch38/w.cpp", ""},
            {"op_host/deep/x.cpp", ""}}),
      {{"op_kernel/a.cpp", a}, {"op_host/a_310P.cpp", ""}, {"op_host/kirin/b.cpp", ""}},
      // What an application calls.
      with({{"op_kernel/a.cpp", a},
            {"op_host/aclnn_a.cpp", ""},
            {"op_host/aclnn_b.cpp", "REGISTER_TILING_DATA_CLASS(A, B);\n"},
            {"op_host/c.cpp", call},
            {"op_host/d.cpp", call + "// OP_ADD(D)\n"},
            {"op_host/e.cpp", call + "void f(gert::TilingContext*);\n"},
            {"op_host/f.cpp", call + "IMPL_OP(F);\n"},
            {"op_host/g.cpp", "#include <aclnn/x.h>\n"},
            {"op_host/h.cpp", "#include \"level2/x.h\"\nInferShapeContext* c;\n"},
            {"op_host/i.cpp", "#include \"level0/x.h\"\n"},
            {"op_host/j.cpp", "#include \"other/opdev/x.h\"\n"}}),
      {{"op_kernel/a.cpp", a}, {"op_host/aclnn_a.cpp", ""}},
      // PyTorch in host code.
      {{"a.cpp", a + "#include <torch/extension.h>\n"}},
      {{"a.cpp", a + "  #  include \"c10/x.h\"\n"}},
      {{"a.cpp", a + "// #include <torch/extension.h>\n#include <torchx/x.h>\n"}},
      with({{"op_kernel/a.cpp", a + "#include <torch/extension.h>\n"}}),
  };
  std::string said;
  for (const auto& tree : trees) {
    Read read(tree);
    said += "====";
    for (const auto& [name, text] : tree) said += " " + name;
    said += "\n";
    for (const bool need_host : {true, false})
      said += (need_host ? "whole:" : "kernel:") + read.Project("", need_host) + "\n";
    for (const char* file : {"a.cpp", "op_kernel/a.cpp", "none"})
      if (tree.contains(file)) said += read.Project(file, true) + read.Project(file, false) + "\n";
    said += read.Host("");
  }
  said +=
      Read(host).Project("none", true) + Read(host).Host("none") + Read(host).Host("op_host/a.cpp");
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "projects.txt", said);
}

TEST(Project, AnEntryIsChosenByItsFileAndItsName) {
  Folder f;
  f.Add("op_kernel/a.cpp", "__global__ void b(int);\n__global__ void x(int);\n");
  f.Add("op_kernel/b.cpp", "__global__ void c(int);\n__global__ void d(int);\n");
  f.Add("op_kernel/d.cpp", "__global__ void a(int);\n__global__ void d2(int);\n");
  f.Add("op_kernel/e.cpp", "__global__ void e(int);\n");
  const std::pair<std::vector<std::string>, const char*> rows[] = {{{}, "e: e"},
                                                                   {{"none"}, "e: e"},
                                                                   {{"b"}, "a: b"},
                                                                   {{"d"}, "b: d"},
                                                                   {{"none", "d2", "e"}, "d: d2"},
                                                                   {{"e", "b"}, "e: e"},
                                                                   {{"c"}, "b: c"}};
  for (const auto& [names, chosen] : rows) {
    auto p = LoadProject(f.dir.path(), false);
    ASSERT_TRUE(p.ok()) << p.error().ToString();
    ChooseEntry(names, &*p);
    EXPECT_EQ(p->name + ": " + p->entry.name, chosen);
    EXPECT_EQ(p->kernel.stem(), p->name);
  }
  for (const char* ending : {"h", "hh", "hpp", "hxx", "inc", "inl", "ipp", "tpp", "def", "c", "cc",
                             "cpp", "cxx", "asc", "cce", "txt"})
    EXPECT_TRUE(SourceLike(std::string("a.") + ending)) << ending;
  for (const char* none : {"a", "a.o", "a.py", "cpp", "a.cpp.orig"}) EXPECT_FALSE(SourceLike(none));
}

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
