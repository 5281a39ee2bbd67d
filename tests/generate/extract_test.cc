#include "generate/extract.h"

#include <gtest/gtest.h>

#include <random>

#include "../golden.h"
#include "base/hash.h"
#include "base/json.h"

namespace akgen::generate {
namespace {
const std::string kKernel =
    "#include \"kernel_operator.h\"\nextern \"C\" __global__ __aicore__ void op(GM_ADDR x) {\n}\n";
const std::string kHost =
    "#include \"op_tiling.h\"\nnamespace ops {\nclass Op : public OpDef {};\nOP_ADD(Op);\n}\n";
const std::string kTiling =
    "#include "
    "\"register/tilingdata_base.h\"\nBEGIN_TILING_DATA_DEF(OpTilingData)\nEND_TILING_DATA_DEF;\n";
const std::string kProgram =
    "@kernel\ndef k(x: gm[n], n):\n    pass\n\n@host\ndef op(x: tensor(f32)):\n    return x\n";

std::string Fence(const std::string& info, const std::string& text) {
  return "```" + info + "\n" + text + "```\n";
}
std::string Whole() {
  return "`op_kernel/op.cpp`\n" + Fence("cpp", kKernel) + "`op_host/op.cpp`\n" +
         Fence("cpp", kHost) + "`op_host/op_tiling.h`\n" + Fence("cpp", kTiling);
}

void ExpectWhole(const std::string& answer) {
  Extracted e = ExtractProject(answer, "op", false);
  EXPECT_EQ(e.problem, "");
  EXPECT_EQ(e.files, (Files{{"op_kernel/op.cpp", kKernel},
                            {"op_host/op.cpp", kHost},
                            {"op_host/op_tiling.h", kTiling}}))
      << answer;
}

TEST(Extract, NamesBeforeFences) {
  ExpectWhole("Here you are.\n\n" + Whole() + "\nIt double-buffers.");
}

TEST(Extract, NamesInEveryUsualPlace) {
  ExpectWhole("### **op_kernel/op.cpp**\n\n" + Fence("c++", kKernel) +
              "2. Host (`op_host/op.cpp`):\n" + Fence("", kHost) +
              Fence("cpp title=\"op_host/op_tiling.h\"", kTiling));
  ExpectWhole(Fence("cpp:op_kernel/op.cpp", kKernel) + Fence("cpp op_host/op.cpp", kHost) +
              Fence("cpp", "// File: op_host/op_tiling.h\n" + kTiling));
  ExpectWhole(Fence("cpp", "// ===== op_kernel/op.cpp =====\n" + kKernel + "// op_host/op.cpp\n" +
                               kHost + "// op_host/op_tiling.h\n" + kTiling));
}

// Many clients of trainers pass on what stands in the first fence, without the fence.
TEST(Extract, OneFenceWithAllFiles) {
  const Files files{
      {"op_kernel/op.cpp", kKernel}, {"op_host/op.cpp", kHost}, {"op_host/op_tiling.h", kTiling}};
  const std::string answer = AnswerText(files);
  ExpectWhole("Here you are.\n" + answer + "It double-buffers.\n" + Fence("cpp", "int example;\n"));
  const size_t begin = answer.find('\n') + 1;
  const std::string inside = answer.substr(begin, answer.rfind("```") - begin);
  ExpectWhole(inside);
  ExpectWhole("\n\n" + inside);
  EXPECT_EQ(ExtractProject(inside, "op", true).files, (Files{{"op_kernel/op.cpp", kKernel}}));
  // A header of a file is no answer by itself, and a comment that names a file begins none in bare
  // code.
  EXPECT_EQ(ExtractProject("// File: op_kernel/op.cpp\n", "op", false).files, Files());
  EXPECT_EQ(ExtractProject("File: see op_kernel/op.cpp\n" + kKernel, "op", true).files,
            (Files{{"op_kernel/op.cpp", kKernel}}));
}

TEST(Extract, WithoutNames) {
  ExpectWhole("Kernel:\n" + Fence("cpp", kKernel) + "Host:\n" + Fence("cpp", kHost) + "Tiling:\n" +
              Fence("", kTiling));
}

TEST(Extract, TagsAndJson) {
  ExpectWhole("<file name=\"op_kernel/op.cpp\">" + kKernel +
              "</file>\n<file path='op_host/op.cpp'>\n" + Fence("cpp", kHost) +
              "</file><op_host/op_tiling.h>" + kTiling + "</op_host/op_tiling.h>");
  base::Json flat{
      {"op_kernel/op.cpp", kKernel}, {"op_host/op.cpp", kHost}, {"op_host/op_tiling.h", kTiling}};
  ExpectWhole(flat.dump());
  ExpectWhole("As JSON:\n" + Fence("json", base::Json{{"files", flat}}.dump(2) + "\n"));
  ExpectWhole(base::Json{{"files",
                          {{{"path", "op_kernel/op.cpp"}, {"content", kKernel}},
                           {{"name", "op_host/op.cpp"}, {"code", kHost}},
                           {{"path", "op_host/op_tiling.h"}, {"content", kTiling}}}}}
                  .dump());
}

TEST(Extract, WindowsLinesTildesAndIndent) {
  std::string windows;
  for (char c : Whole()) windows += c == '\n' ? "\r\n" : std::string(1, c);
  ExpectWhole(windows);
  std::string indented = "1. op_kernel/op.cpp\n";
  for (const std::string line :
       {"~~~cpp", "#include \"kernel_operator.h\"",
        "extern \"C\" __global__ __aicore__ void op(GM_ADDR x) {", "}", "~~~"})
    indented += "   " + line + "\n";
  EXPECT_EQ(ExtractProject(indented, "op", true).files, (Files{{"op_kernel/op.cpp", kKernel}}));
}

TEST(Extract, UnclosedFenceAndBareCode) {
  std::string open = "```cpp\n" + kKernel;
  EXPECT_EQ(ExtractProject("Sure:\n" + open, "op", true).files,
            (Files{{"op_kernel/op.cpp", kKernel}}));
  EXPECT_EQ(ExtractProject("The kernel.\n" + kKernel + "\nDone", "op", true).files,
            (Files{{"op_kernel/op.cpp", kKernel}}));
}

TEST(Extract, TheLastVersionCounts) {
  std::string wrong = "#include \"kernel_operator.h\"\n__aicore__ int first;\n";
  EXPECT_EQ(ExtractProject(Fence("cpp", wrong) + "No, better:\n" + Fence("cpp", kKernel) +
                               "Call it so:\n" + Fence("bash", "make\n"),
                           "op", true)
                .files,
            (Files{{"op_kernel/op.cpp", kKernel}}));
}

TEST(Extract, PathsStayInTheProject) {
  Files f = ExtractProject("../../etc/op_kernel/../../passwd.cpp\n" + Fence("cpp", kKernel) +
                               "/etc/cron.d/x.h\n" + Fence("cpp", kTiling),
                           "op", true)
                .files;
  EXPECT_EQ(f, (Files{{"op_kernel/passwd.cpp", kKernel}}));
}

TEST(Extract, KernelOnlyLeavesTheHostOut) {
  EXPECT_EQ(ExtractProject(Whole(), "op", true).files, (Files{{"op_kernel/op.cpp", kKernel}}));
}

TEST(Extract, SaysWhyThereIsNothing) {
  auto problem = [](const std::string& text, bool kernel_only = true) {
    return ExtractProject(text, "op", kernel_only).problem;
  };
  EXPECT_EQ(problem(" \n"), "the answer is empty");
  EXPECT_EQ(problem("A kernel would be hard to write."), "the answer holds no code block");
  EXPECT_NE(problem(Fence("python", "import torch\n")).find("another language"), std::string::npos);
  EXPECT_NE(
      problem(Fence("cuda", "__global__ void k() { threadIdx.x; }\n")).find("another language"),
      std::string::npos);
  EXPECT_NE(problem(Fence("cpp", kKernel), false).find("no host side"), std::string::npos);
  EXPECT_TRUE(ExtractProject(Fence("cpp", kKernel), "op", false).files.empty());
}

TEST(Extract, Programs) {
  EXPECT_EQ(ExtractProgram("So:\n" + Fence("python", kProgram)).files["program.py"], kProgram);
  EXPECT_EQ(
      ExtractProgram(Fence("python", "import torch\n") + Fence("", kProgram)).files["program.py"],
      kProgram);
  size_t host = kProgram.find("@host");
  EXPECT_NE(ExtractProgram(Fence("python", kProgram.substr(0, host)) +
                           Fence("python", kProgram.substr(host)))
                .files["program.py"]
                .find("@host"),
            std::string::npos);
  EXPECT_NE(ExtractProgram(Fence("cpp", kKernel)).problem, "");
}

// Answers as they come, and with pieces of them moved, doubled or left out: what is taken of each.
TEST(Extract, OfAnyAnswerIsWhatTheTableSays) {
  const base::Json flat{{"op_kernel/op.cpp", kKernel}, {"op_host/op.cpp", kHost}};
  const std::string long_path(140, 'p'),
      subjects[] = {
          Whole(),
          AnswerText({{"op_kernel/a.hpp", kKernel}, {"op_host/b.cc", kHost}, {"c.h", kTiling}}),
          "### **op_kernel/op.cpp**\n\n" + Fence("c++", kKernel) + "2. (`op_host/op.cpp`):\n\n\n" +
              Fence("", kHost) + Fence("cpp title=\"op_host/op_tiling.h\"", kTiling),
          "> ~~~~cpp:x/op.cxx\n> " + kKernel + "> ~~~\n> ~~~~\n" + Fence("c`", kHost) +
              "\t ```json\n[" + flat.dump() + "]\n```\n",
          "<file name=\"op_kernel/op.cpp\">" + kKernel + "</file>\n<file path='op_host/op.cpp'>\n" +
              Fence("cpp", kHost) + "</file><Tiling>\n" + Fence("h:t.h", kTiling) + "</Tiling>",
          "<op_host/op_tiling.h>" + kTiling + "</op_host/op_tiling.h><op.cpp>" + kKernel +
              "</op.cpp><b>" + kHost + "</b><host_impl>" + kHost,
          flat.dump(),
          base::Json{{"files",
                      {{{"path", "op_kernel/op.cpp"}, {"content", kKernel}},
                       {{"name", "op_host/op.cpp"}, {"code", Fence("cpp", kHost)}},
                       {{"file", 1}, {"source", kTiling}, {"other", "one line"}},
                       {{"filename", "x/t.h"}, {"text", kTiling}}}}}
              .dump(1),
          "Sure:\n" + kKernel + "/* File name: op_host/op.cpp */\n" + kHost + "Done.\n",
          "// " + long_path + "/" + long_path + "/op.cpp\n// file x.h\n" + kTiling,
          Fence("python", kProgram) + Fence("py", "import torch\n") +
              Fence("", kProgram.substr(0, kProgram.find("@host"))) +
              Fence("", kProgram.substr(kProgram.find("@host"))),
          "The program.\n" + kProgram + "# === program.py ===\n" + kProgram,
          Fence("cuda", "__global__ void k() { threadIdx.x; }\n") + "a <code>x</code> {\n",
      };
  std::mt19937_64 random(5);
  const auto below = [&](size_t n) { return size_t(random() % n); };
  const auto taken = [](const std::string& answer) {
    std::string out;
    for (const Block& b : Blocks(answer)) out += b.name + "|" + b.language + "|" + b.text + "\f";
    for (const bool kernel_only : {false, true}) {
      const Extracted e = ExtractProject(answer, "op", kernel_only);
      out += e.problem + "\f";
      for (const auto& [path, text] : e.files) out += path + "|" + text + "\f";
    }
    Extracted e = ExtractProgram(answer);
    return out + e.problem + "\f" + e.files["program.py"];
  };
  std::string said;
  for (const std::string& subject : subjects) {
    const std::string whole = taken(subject);
    said += "==== " + subject + "---- " + whole + "\nvaried:";
    for (int n = 0; n < 160; ++n) {
      std::string answer = subject;
      for (size_t times = 1 + below(4); times > 0; --times) {
        const size_t from = below(answer.size()), size = 1 + below(below(2) ? 3 : 40);
        const std::string piece = answer.substr(from, size),
                          other[] = {"`",  "~", "\n",     "\n\n",       "> ",    " ",
                                     "\"", "{", "}",      "/",          "\\",    "<",
                                     ">",  ".", "@host ", "__aicore__", "```\n", "OP_ADD"};
        if (const size_t how = below(4); how == 0)
          answer.erase(from, size);
        else if (how == 1)
          answer.insert(below(answer.size()), piece);
        else
          answer.insert(from, other[below(std::size(other))]);
        if (answer.empty()) answer = "\n";
      }
      said += (n % 8 == 0 ? "\n" : " ") + base::Sha256(taken(answer)).substr(0, 8);
    }
    said += "\n";
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "extracted.txt", said);
}

TEST(Extract, NamesInLongLinesAreNone) {
  const auto named = [](const std::string& above) {
    return ExtractProject(above + Fence("cpp", kKernel), "op", true).files.begin()->first;
  };
  const std::string name = "op_kernel/a.cpp";
  EXPECT_EQ(named(std::string(200 - name.size() - 1, '=') + " " + name + "\n"), name);
  EXPECT_EQ(named(std::string(201 - name.size() - 1, '=') + " " + name + "\n"), "op_kernel/op.cpp");
  EXPECT_EQ(named(name + "\n\n\n"), name);
  EXPECT_EQ(named(name + "\n\n\n\n"), "op_kernel/op.cpp") << "four lines above";
  EXPECT_EQ(named(name + "\nso:\n"), "op_kernel/op.cpp");
  const auto headed = [&](size_t size) {
    return Blocks(Fence("", "// " + std::string(size - 3 - name.size() - 1, '-') + " " + name +
                                "\n" + kKernel))
        .at(0)
        .name;
  };
  EXPECT_EQ(headed(300), name);
  EXPECT_EQ(headed(301), "");
  Files many;
  for (int i = 0; i < 40; ++i) many["op_kernel/f" + std::to_string(i) + ".h"] = kKernel;
  EXPECT_EQ(ExtractProject(AnswerText(many), "op", true).files.size(), 32u);
}

// Whatever comes, there is an answer, and every path stays below the project.
TEST(Extract, SurvivesRubbish) {
  std::string base = "<think>" + Whole() + "{\"files\": [" + kProgram + "<file name=";
  uint64_t state = 7;
  auto next = [&] {
    return state = state * 6364136223846793005ull + 1442695040888963407ull, state >> 33;
  };
  for (int i = 0; i < 300; ++i) {
    std::string text = base.substr(next() % base.size());
    for (int k = 0; k < 8; ++k) text[next() % text.size()] = "`<>{}\"\n\0/~"[next() % 10];
    for (const auto& [path, content] : ExtractProject(text, "op", i % 2).files) {
      EXPECT_TRUE(path.starts_with("op_kernel/") || path.starts_with("op_host/")) << path;
      EXPECT_EQ(path.find(".."), std::string::npos) << path;
    }
    ExtractProgram(text);
  }
  ExtractProject(std::string(2 << 20, 'a'), "op", false);
}
}  // namespace
}  // namespace akgen::generate
