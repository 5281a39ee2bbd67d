// Kernels translated into commands of the vendor's compiler. golden/ has those of ten public
// answers (NPUKernelBench at f238a63), as names of files and arguments: the projects themselves are
// made here, with a kernel of the same name and number of parameters. With a checkout all of its
// answers are translated:
//   AKGEN_NPUKERNELBENCH=DIR ctest -R Translate
// and AKGEN_GOLDEN=1 writes the golden files from it again.
#include "device/translate.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "base/files.h"
#include "base/regex.h"
#include "toolchain/project.h"
#include "toolchain/rewrite.h"

namespace akgen::device {
namespace {
namespace fs = std::filesystem;
const fs::path kGolden = fs::path(__FILE__).parent_path() / "golden";

Toolkit SomeToolkit() {
  Toolkit t;
  t.version = "8.3.RC1", t.compiler = "/toolkit/bin/bisheng";
  return t;
}

base::Result<Translation> TranslateProject(const fs::path& dir, const fs::path& folder,
                                           std::vector<std::string> includes = {},
                                           std::vector<toolchain::Mount> mounts = {}) {
  auto project = toolchain::LoadProject(dir);
  if (!project.ok()) return project.error();
  auto request = toolchain::KernelRequest(*project, {2201}, record::Backend::kNpu);
  request.include_dirs.insert(request.include_dirs.end(), includes.begin(), includes.end());
  request.mounts = std::move(mounts);
  return Translate(request, SomeToolkit(), folder);
}

void Replace(std::string& text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

// What is made of it, without paths of this machine: kernel, parameters, and one argument a line.
std::string TextOf(const Translation& t, const fs::path& project) {
  std::ostringstream out;
  out << "parameters " << t.parameters << "\n";
  const auto include =
      base::Regex("#define (\\w+) akgen_kernel\n#include \"([^\"]+)\"").Find(t.text);
  out << "entry " << (include ? (*include)[1].text : "?") << "\nkernel "
      << (include ? (*include)[2].text : "?") << "\n";
  for (const std::string& argument : t.command) out << argument << "\n";
  std::string text = out.str();
  Replace(text, t.unit.parent_path().string(), "{build}");
  Replace(text, project.string(), "{project}");
  return text;
}

std::string LineOf(const std::string& text, const std::string& word) {
  const size_t at = text.find(word + " ");
  return at == std::string::npos
             ? ""
             : text.substr(at + word.size() + 1, text.find('\n', at) - at - word.size() - 1);
}

void Write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

// A project whose kernel has this name and so many parameters, and computes nothing.
void MakeProject(const fs::path& dir, const std::string& kernel, const std::string& entry,
                 int parameters) {
  std::string list;
  for (int i = 0; i < parameters; ++i)
    list += (i ? ", GM_ADDR p" : "GM_ADDR p") + std::to_string(i);
  Write(dir / kernel, "#include \"kernel_operator.h\"\nextern \"C\" __global__ __aicore__ void " +
                          entry + "(" + list + ") {}\n");
  Write(dir / "op_host/op.cpp", "OP_ADD(Op);\n");
}

std::vector<fs::path> GoldenFiles() {
  std::vector<fs::path> out;
  for (const auto& file : fs::directory_iterator(kGolden)) out.push_back(file.path());
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Translate, TenPublicProjectsBecomeTheseCommands) {
  ASSERT_EQ(GoldenFiles().size(), 10u);
  for (const fs::path& file : GoldenFiles()) {
    const std::string expected = base::ReadFile(file).value();
    auto dir = base::TempDir::Create();
    ASSERT_TRUE(dir.ok());
    const fs::path project = fs::canonical(dir->path()) / "answer";
    std::string kernel = LineOf(expected, "kernel");
    Replace(kernel, "{project}/", "");
    MakeProject(project, kernel, LineOf(expected, "entry"),
                std::stoi(LineOf(expected, "parameters")));
    const auto made = TranslateProject(project, dir->path() / "build");
    ASSERT_TRUE(made.ok()) << file << made.error().ToString();
    EXPECT_EQ(TextOf(*made, project), expected) << file;
  }
}

TEST(Translate, EveryPublicAnswer) {
  const char* checkout = std::getenv("AKGEN_NPUKERNELBENCH");
  if (!checkout) GTEST_SKIP() << "AKGEN_NPUKERNELBENCH names no checkout";
  size_t answers = 0, golden = 0;
  for (const auto& it : fs::recursive_directory_iterator(fs::path(checkout) / "tasks")) {
    if (it.path().filename() != "0" || it.path().parent_path().filename() != "answer") continue;
    const fs::path project = fs::canonical(it.path());
    const auto made = TranslateProject(project, "/build");
    ++answers;
    ASSERT_TRUE(made.ok()) << project << ": " << made.error().ToString();
    EXPECT_GT(made->parameters, 0u) << project;
    const fs::path file =
        kGolden / (project.parent_path().parent_path().filename().string() + ".txt");
    if (!fs::exists(file)) continue;
    ++golden;
    if (std::getenv("AKGEN_GOLDEN")) Write(file, TextOf(*made, project));
    EXPECT_EQ(TextOf(*made, project), base::ReadFile(file).value()) << project;
  }
  EXPECT_EQ(golden, GoldenFiles().size());
  EXPECT_EQ(answers, 153u);
}

class Made : public ::testing::Test {
 protected:
  void SetUp() override {
    auto dir = base::TempDir::Create();
    ASSERT_TRUE(dir.ok());
    dir_.emplace(std::move(*dir));
    project_ = fs::canonical(dir_->path()) / "add";
    MakeProject(project_, "op_kernel/add.cpp", "add", 5);
  }
  std::optional<base::TempDir> dir_;
  fs::path project_;
};

TEST_F(Made, TheUnitIncludesTheKernelAndLaunchesIt) {
  const auto made = TranslateProject(project_, dir_->path());
  ASSERT_TRUE(made.ok());
  EXPECT_NE(made->text.find("#define add akgen_kernel\n#include \"" +
                            (project_ / "op_kernel/add.cpp").string()),
            std::string::npos);
  EXPECT_NE(made->text.find(
                "akgen_kernel<<<blocks, nullptr, stream>>>((GM_ADDR)args[0], (GM_ADDR)args[1], "
                "(GM_ADDR)args[2], (GM_ADDR)args[3], (GM_ADDR)args[4]);"),
            std::string::npos);
  EXPECT_NE(made->text.find("akgen_build[] = \"" + made->id + "\""), std::string::npos);
}

TEST_F(Made, OtherSourcesOrFlagsAreAnotherBuild) {
  std::set<std::string> ids;
  ids.insert(TranslateProject(project_, dir_->path())->id);
  EXPECT_EQ(TranslateProject(project_, dir_->path() / "elsewhere")->id, *ids.begin());
  ids.insert(TranslateProject(project_, dir_->path(), {"/include"})->id);
  ids.insert(
      TranslateProject(project_, dir_->path(), {}, {{"/x/other", "/repository/other/op_kernel"}})
          ->id);
  EXPECT_EQ(ids.size(), 3u);
}

TEST_F(Made, NeighboursOfARepositoryAreBesideAnIncludeFolder) {
  const auto made =
      TranslateProject(project_, dir_->path(), {},
                       {{(project_ / "rms_norm").string(), "/repository/rms_norm/op_kernel"}});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->links.at("include/rms_norm"), "/repository/rms_norm/op_kernel");
  EXPECT_NE(std::find(made->command.begin(), made->command.end(),
                      "-I" + (made->unit.parent_path() / "include/op_kernel").string()),
            made->command.end());
}

TEST_F(Made, WhatCannotBeLaunchedSaysSo) {
  Write(project_ / "op_kernel/add.cpp",
        "extern \"C\" __global__ __aicore__ void add(GM_ADDR x, int n) {}\n");
  auto made = TranslateProject(project_, dir_->path());
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, "AK0623");
  Write(project_ / "op_kernel/add.cpp",
        "template <int K> __global__ __aicore__ void add(GM_ADDR x) {}\n");
  made = TranslateProject(project_, dir_->path());
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, "AK0623");
}
}  // namespace
}  // namespace akgen::device
