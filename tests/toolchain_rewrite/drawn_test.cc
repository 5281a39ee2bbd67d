// Sources as nobody writes them: variations of a few are drawn, and what is read in each and made
// of it stands beside in golden/drawn.txt.
#include <gtest/gtest.h>

#include <random>

#include "../golden.h"
#include "toolchain/launch_rewrite.h"
#include "toolchain/rewrite.h"

namespace akgen::toolchain {
namespace {

const char* const kSubjects[] = {
    "extern \"C\" __global__ __aicore__ void sqrt(GM_ADDR x, const Tiling tiling, uint32_t n) { "
    "Run(x); }\n"
    "void Do(uint8_t* x, Tiling* t) { sqrt<<<8, nullptr, s>>>(x, t, 4); }\n",
    "template <typename T, int N> __global__ __aicore__ void k(__gm__ T* x, GM_ADDR y = nullptr) "
    "{\n"
    "  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);\n  if constexpr (TILING_KEY_IS(7)) { a "
    "<< 1; }\n}\n"
    "auto f = [](int n) { k<float, (3 > 2)><<<Div<n, A<B<2>>>(m), 0, s>>>(x, NULL); };\n",
    "__global__ __mix__(1, 2) void pair(GM_ADDR a) {}\n__global__ __cube__ void cube(GM_ADDR a) "
    "{}\n"
    "[aicore] int Inner(int n) { return v[n] [host, aicore]; }\n"
    "int main() { if (a) pair<<<1, 0, s>>>(x); else ns::cube<2><<<n >> 1, 0, s>>>(x, 0); }\n",
    "#define GO(k, n) \\\n  k<n> \\\n    <<<n, 0, s>>>(__VA_ARGS__)\n// k<<<1>>>(x)\nauto s = "
    "R\"q(k<<<1>>>(\")q\";\n"
    "char c = '\"'; /* <<< */ table.k[2 * i]<<<1, 0, s>>>(x, \")\");\n",
    "__global__ __aicore__ void one(GM_ADDR x);\n__global__ __aicore__ void one(GM_ADDR x) {\n"
    "  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);\n  KERNEL_TASK_TYPE(2, "
    "KERNEL_TYPE_AIC_ONLY);\n}\n"
    "void two(void (*chosen)(GM_ADDR)) { (*chosen)<<<1, 0, s>>>(x); (c ? one : one)<<<1, 0, "
    "s>>>(x); Get()<<<2>>>(); "
    "}\n"};

std::vector<std::string> TokensOf(const std::string& text) {
  std::vector<std::string> out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    const auto word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    if (word(text[i]))
      while (end < text.size() && word(text[end])) ++end;
    else if (text.compare(i, 3, "<<<") == 0 || text.compare(i, 3, ">>>") == 0)
      end = i + 3;
    out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

class Varying {
 public:
  std::string Of(const std::string& text) {
    std::vector<std::string> tokens = TokensOf(text);
    for (size_t n = 1 + Below(3); n > 0; --n) {
      const size_t at = Below(tokens.size());
      const char* const between[] = {" ", "\n", "/* ( */", "// <\n", "(", ")", "<",    ">",
                                     ",", "{",  "}",       "::",     "0", "k", "\\\n", "\""};
      switch (Below(4)) {
        case 0: tokens[at].clear(); break;
        case 1: tokens[at] += between[Below(std::size(between))]; break;
        case 2: tokens[at] = tokens[Below(tokens.size())]; break;
        default: tokens[at].insert(0, between[Below(4)]);
      }
    }
    std::string out;
    for (const std::string& t : tokens) out += t;
    return out;
  }

 private:
  size_t Below(size_t n) { return size_t(random_() % n); }
  std::mt19937_64 random_{9};
};

// What is said of one source; of texts the lines that are not the source's own.
std::string SaidOf(const std::string& source) {
  std::string out;
  const auto changed = [&](const char* what, const std::string& made) {
    std::istringstream before(source), after(made);
    for (std::string a, b; std::getline(after, b);)
      if (std::getline(before, a); a != b) out += std::string(what) + b + "\n";
    if (std::count(source.begin(), source.end(), '\n') !=
        std::count(made.begin(), made.end(), '\n'))
      out += "other lines\n";
  };
  const auto entry = [&](const Entry& e) {
    out += e.name + "=" + e.symbol + "@" + std::to_string(e.line) + (e.templated ? "t " : " ");
  };
  const auto told = [&](const std::vector<struct Rewrite>& log) {
    for (const struct Rewrite& r : log) out += "  " + std::to_string(r.line) + " " + r.what + "\n";
  };
  for (const Entry& e : FindEntries("f", source)) entry(e);
  for (const EntryDeclaration& d : DeclaredEntries(source)) {
    out += d.name + (d.c_linkage ? " C(" : "(");
    for (const std::string& type : d.types) out += type + ";";
    out += ") " + std::to_string(d.list.size()) + " ";
  }
  for (const char* name : {"sqrt", "k", "pair", "cube", "one"})
    out += std::to_string(CoresOf(source, name)) + " ";
  out += HasLaunch(source) ? "launches\n" : "none\n";
  const auto launches = RewriteLaunches(source, "f");
  if (launches.ok())
    changed("L ", launches->text);
  else
    out += launches.error().where + " " + launches.error().message + "\n";
  std::vector<struct Rewrite> log;
  std::vector<Entry> entries;
  changed("K ", RewriteKernelSource("f", source, &log));
  changed("R ", RenameEntries("f", source, {{"pair", "first"}}, &entries, &log));
  changed("A ", WithoutCoreAttributes("f", source, &log));
  for (const Entry& e : entries) entry(e);
  out += "\n";
  told(log);
  return out;
}

TEST(Rewrites, OfDrawnSources) {
  Varying varying;
  std::string said;
  for (int round = 0; round < 24; ++round)
    for (const std::string subject : kSubjects)
      said += SaidOf(round ? varying.Of(subject) : subject) + "----\n";
  ExpectGolden(AKGEN_TEST_FOLDER "/golden", "drawn.txt", said);
}

TEST(Rewrites, BlanksKeepTheirLength) {
  Varying varying;
  for (int round = 0; round < 40; ++round)
    for (const std::string subject : kSubjects) {
      const std::string source = varying.Of(subject), blank = BlankCommentsAndStrings(source);
      ASSERT_EQ(blank.size(), source.size());
      for (size_t i = 0; i < blank.size(); ++i) {
        ASSERT_TRUE(blank[i] == source[i] || blank[i] == ' ') << source;
        ASSERT_EQ(blank[i] == '\n', source[i] == '\n') << source;
      }
    }
}

}  // namespace
}  // namespace akgen::toolchain
