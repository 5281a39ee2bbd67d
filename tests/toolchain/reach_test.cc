// Which files beside a project an #include leads to: golden/reached.txt.
#include "toolchain/builder/reach.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "../golden.h"
#include "base/files.h"

namespace akgen::toolchain {
namespace {
namespace fs = std::filesystem;

class Reached : public ::testing::Test {
 protected:
  void Add(const std::string& name, const std::string& text) {
    fs::create_directories(At(name).parent_path());
    std::ofstream(At(name)) << text;
  }
  fs::path At(const std::string& name) const { return dir_.path() / name; }
  // The names of what is there, those of links with what they stand for.
  std::string From(const std::string& text, bool with_own = true) {
    Surroundings around{At("proj").string(),
                        {At("inc").string(), At("late").string(), At("none").string()},
                        {{At("proj/near").string(), At("other/near").string()},
                         {At("proj/near").string(), At("second").string()}},
                        {}};
    if (with_own) around.own[At("proj/own.h").string()] = "#include <late.h>\n";
    VirtualFiles files{{At("proj/k/a.cpp").string(), text},
                       {At("inc/known.h").string(), "#include \"lib/c.h\"\n"}};
    VirtualLinks links;
    const auto done = AddReached(around, &files, &links);
    std::string out = done.ok() ? "" : done.error().code + ": " + done.error().message;
    for (const auto& [path, content] : files)
      out += " " + path.substr(dir_.path().string().size()) + "(" + std::to_string(content.size()) +
             ")";
    for (const auto& [path, to] : links)
      out += " " + path.substr(dir_.path().string().size()) + " is " +
             to.substr(dir_.path().string().size());
    return out + "\n";
  }
  base::TempDir dir_ = std::move(*base::TempDir::Create());
};

TEST_F(Reached, WhateverIsIncludedOnce) {
  Add("inc/b.h", "b"), Add("inc/lib/c.h", "#include \"d.h\"\n#include \"../top.h\"\n");
  Add("inc/lib/d.h", "#include \"c.h\"\n"), Add("inc/top.h", "top"), Add("inc/known.h", "x");
  Add("late/b.h", "late b"), Add("late/late.h", "late"), Add("late/lib/d.h", "no");
  Add("other/near/n.h", "#include \"m.h\"\n"), Add("other/near/m.h", "m");
  Add("second/n.h", "second n"), Add("second/only.h", "only");
  Add("outside/o.h", "o"), Add("inc/dir.h/x.h", "x");
  fs::create_symlink(At("inc/lib/c.h"), At("inc/link.h"));
  fs::create_symlink(At("outside/o.h"), At("inc/out.h"));
  fs::create_symlink(At("inc/known.h"), At("inc/also_known.h"));
  fs::resize_file((Add("inc/eight.h", ""), At("inc/eight.h")), 8 << 20);
  fs::resize_file((Add("inc/more.h", ""), At("inc/more.h")), (8 << 20) + 1);
  std::string said;
  for (const char* text : {"",
                           "#include \"b.h\"\n",
                           "#include <b.h>\n",
                           "  #  include\t<b.h> // x\n",
                           "#include b.h",
                           "#include <b.h",
                           "#include \"b.h\n\"",
                           "#include <b.h\n>",
                           "#",
                           "# ",
                           "#include",
                           "#include \"\"",
                           "#includes <b.h>",
                           "#define H <b.h>\n",
                           "#define H(x) <b.h>\n",
                           "#define H \"b.h\"",
                           "#define H b.h",
                           "#define",
                           "#define H",
                           "#undef H <b.h>",
                           "#pragma once\n#include <b.h>\n#include <top.h>",
                           "#include <lib/c.h>\n",
                           "#include <lib/../lib/c.h>",
                           "#include <link.h>\n#include <lib/c.h>\n",
                           "#include <lib/c.h>\n#include <link.h>\n",
                           "#include <also_known.h>\n",
                           "#include <out.h>\n",
                           "#include <dir.h>\n",
                           "#include <dir.h/x.h>\n",
                           "#include <eight.h>\n",
                           "#include <more.h>\n",
                           "#include \"../near/n.h\"\n",
                           "#include \"../near/only.h\"\n",
                           "#include \"../nearer/n.h\"\n",
                           "#include \"../near\"\n",
                           "#include \"../own.h\"\n",
                           "#include \"../../inc/b.h\"\n",
                           "#include \"../../outside/o.h\"",
                           "#include <late.h>\n#include <none.h>\n"})
    said += std::string("`") + text + "`:" + From(text);
  said += "without own:" + From("#include \"../own.h\"\n", false);
  said += "absolute:" + From("#include \"" + At("inc/b.h").string() + "\"\n").substr(0, 40);
  for (size_t at; (at = said.find(dir_.path().string())) != std::string::npos;)
    said.replace(at, dir_.path().string().size(), "TOP");
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "reached.txt", said);
}

TEST_F(Reached, FiveThousandFilesAndNoMore) {
  std::string all;
  for (int i = 0; i < 5001; ++i) {
    Add("inc/f" + std::to_string(i) + ".h", "");
    all += "#include <f" + std::to_string(i) + ".h>\n";
    if (i == 4999) EXPECT_FALSE(From(all).starts_with("AK")) << "so many may be";
  }
  EXPECT_TRUE(From(all).starts_with(
      "AK0303: the project includes more than 64 MiB or 5000 files of source"));
}

TEST_F(Reached, SixtyFourMebibytesAndNoMore) {
  std::string all;
  for (int i = 0; i < 9; ++i) {
    Add("inc/f" + std::to_string(i) + ".h", "");
    fs::resize_file(At("inc/f" + std::to_string(i) + ".h"), i < 8 ? 8 << 20 : 1);
    all += "#include <f" + std::to_string(i) + ".h>\n";
    if (i == 7) EXPECT_FALSE(From(all).starts_with("AK")) << "so much may be";
  }
  EXPECT_TRUE(From(all).starts_with("AK0303"));
}
}  // namespace
}  // namespace akgen::toolchain
