#include "toolchain/launch_rewrite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "toolchain/launch_header.h"
#include "toolchain/rewrite.h"

namespace akgen::toolchain {
namespace {

std::string Rewrite(std::string_view source, size_t launches = 1) {
  auto result = RewriteLaunches(source, "t.asc");
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().ToString());
  if (!result.ok()) return "";
  EXPECT_EQ(result->launches, launches);
  EXPECT_EQ(std::count(source.begin(), source.end(), '\n'),
            std::count(result->text.begin(), result->text.end(), '\n'));
  return result->text;
}

std::string Call(std::string callee, std::string config, std::string args,
                 std::string number = "") {
  std::string body = "[&](auto... akgen_args) { " + callee + "(akgen_args...); }";
  while (!callee.empty() && std::isspace(static_cast<unsigned char>(callee.back())))
    callee.pop_back();
  if (callee.back() == ')' ||
      std::all_of(callee.begin(), callee.end(), base::IsWord))  // it may be an address
    body = "::akgen_callee<4294967295u>(" + body +
           ", [&](auto... akgen_args) -> decltype(::akgen_pointer(" + callee +
           ", akgen_args...)) { return " + callee +
           "; }, [&](auto... akgen_args) -> "
           "decltype(char{::akgen_known<void(decltype(akgen_args)...)>(" +
           callee + ")}) { return 0; })";
  return "::akgen_launch<0u, __LINE__" + number + ">(" + body + ", " + config + ")(" + args + ")";
}

TEST(LaunchRewrite, Plain) {
  EXPECT_EQ(Rewrite("  add<<<8, 0, stream>>>(x, y);"),
            "  " + Call("add", "8, 0, stream", "x, y") + ";");
  EXPECT_EQ(Rewrite("add<<<n, nullptr>>>();"), Call("add", "n, nullptr", "") + ";");
  EXPECT_EQ(Rewrite("return add <<<f(a, b), 0, s, 4>>> (x);"),
            "return " + Rewrite("add <<<f(a, b), 0, s, 4>>> (x);"));
}

TEST(LaunchRewrite, CoresThatTheKernelTypeNames) {
  const auto launch = [](const std::string& type) {
    return Rewrite(
        "extern \"C\" __global__ __aicore__ void k(GM_ADDR x) {\n  KERNEL_TASK_TYPE_DEFAULT(" +
        type + ");\n  Run(x);\n}\nvoid Do() { k<<<1, 0, s>>>(x); }\n");
  };
  EXPECT_NE(launch("KERNEL_TYPE_AIC_ONLY").find("::akgen_launch<1u, __LINE__>("),
            std::string::npos);
  EXPECT_NE(launch("KERNEL_TYPE_MIX_AIC_1_1").find("::akgen_launch<65537u, __LINE__>("),
            std::string::npos);
  EXPECT_NE(launch("KERNEL_TYPE_MIX_AIC_1_2").find("::akgen_launch<131073u, __LINE__>("),
            std::string::npos);
  EXPECT_NE(launch("KERNEL_TYPE_AIV_ONLY").find("::akgen_launch<65536u, __LINE__>("),
            std::string::npos);
  EXPECT_NE(launch("kOther").find("::akgen_launch<0u, __LINE__>("), std::string::npos);
  // Another kernel's type is not this one's.
  EXPECT_EQ(CoresOf("__global__ void a() { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY); "
                    "}\n__global__ void b() {}",
                    "b"),
            0u);
}

TEST(LaunchRewrite, WhatMayBeAVariable) {
  EXPECT_NE(Rewrite("(*chosen)<<<1, 0, s>>>(x);").find("::akgen_pointer(chosen, akgen_args...)"),
            std::string::npos);
  const char* const callees[] = {"Get()", "kernels[2 * i]", "table.k", "this->table->kernels[i]",
                                 "Of(x).Get(y)"};
  for (const std::string callee : callees) {
    const std::string out = Rewrite("return " + callee + "<<<1, 0, s>>>(x);");
    EXPECT_TRUE(out.starts_with("return ::akgen_launch<0u, ")) << out;
    EXPECT_NE(
        out.find("::akgen_pointer(" + callee + ", akgen_args...)) { return " + callee + "; }"),
        std::string::npos);
  }
  const std::string chosen =
      Rewrite("__global__ void b(GM_ADDR x) {}\nvoid Do() { (c ?\n a : b)<<<1, 0, s>>>(x); }\n");
  EXPECT_NE(chosen.find("::akgen_launch<4294967295u, "), std::string::npos) << chosen;
  EXPECT_NE(chosen.find("::akgen_chosen((c ?  a : b), akgen_args...)"), std::string::npos)
      << chosen;
  const std::string own =
      Rewrite("__global__ void k(GM_ADDR x) {}\nvoid Do() { k<<<1, 0, s>>>(x); }\n");
  EXPECT_EQ(own.find("akgen_pointer"), std::string::npos) << own;
  // One that a constant holds starts what all kernels of the source start.
  const auto constant = [](const std::string& other) {
    return Rewrite("__global__ __cube__ void a(GM_ADDR x) {}\ntemplate <int kN>\n__global__ " +
                   other + " void b(GM_ADDR x) {}\nvoid Do() { k<<<1, 0, s>>>(x); }\n");
  };
  EXPECT_NE(constant("__cube__").find("::akgen_callee<1u>("), std::string::npos)
      << constant("__cube__");
  EXPECT_NE(constant("__mix__(1, 2)").find("::akgen_callee<4294967295u>("), std::string::npos);
}

TEST(RenameEntries, QualifiersSayTheType) {
  const auto renamed = [](const std::string& text) {
    std::vector<Entry> entries;
    std::vector<struct Rewrite> log;
    return RenameEntries("k.cpp", text, {}, &entries, &log);
  };
  EXPECT_EQ(renamed("extern \"C\" __global__ __cube__ void k(GM_ADDR x);\nextern \"C\" __global__ "
                    "__cube__ void "
                    "k(GM_ADDR x)\n{ Run(x); }\n"
                    "__global__ __mix__(1, 2) void sqrt(GM_ADDR x) { Run(x); }\nextern \"C\" "
                    "__global__ __vector__ "
                    "void v() {}\n"),
            "extern \"C\" __global__ __cube__ void k(GM_ADDR x);\nextern \"C\" __global__ __cube__ "
            "void k(GM_ADDR x)\n"
            "{ KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY); Run(x); }\n"
            "extern \"C\" __global__ __mix__(1, 2) void akgen_entry_sqrt(GM_ADDR x) {"
            " KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2); Run(x); }\n"
            "extern \"C\" __global__ __vector__ void v() { "
            "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);}\n");
  const std::string alone = "extern \"C\" __global__ __vector__ void v() {}\n";
  EXPECT_EQ(renamed(alone), alone);
}

TEST(LaunchRewrite, StructuresByTheirAddress) {
  const std::string out = Rewrite(
      "extern \"C\" __global__ __aicore__ void k(GM_ADDR x, TilingData tiling, uint32_t n) {}\n"
      "void Do(uint8_t* x, TilingData* t) { k<<<1, 0, s>>>(x, t, 4); }\n");
  EXPECT_NE(out.find("(x,::akgen_structure( t),::akgen_structure( 4))"), std::string::npos) << out;
}

TEST(LaunchRewrite, AStructureIsNotToldByItsName) {
  const std::string out = Rewrite(
      "__global__ __aicore__ void k(GM_ADDR x, PointTiling tiling) {}\n"
      "void Do(uint8_t* x, PointTiling* t) { k<<<1, 0, s>>>(x, t); }\n");
  EXPECT_NE(out.find("::akgen_structure( t)"), std::string::npos) << out;
}

TEST(LaunchHeader, DeclaresTheKernelOfAnotherSource) {
  const std::string source =
      "extern \"C\" __global__ __aicore__ void k(GM_ADDR x, __gm__ half* y, TilingData tiling, "
      "uint32_t n) {\n"
      "  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);\n}\n"
      "__global__ __aicore__ void other(\n  GM_ADDR x\n#if SECOND\n  , GM_ADDR y\n#endif\n) {}\n"
      "template <typename T> __global__ __aicore__ void none(GM_ADDR x) {}\n";
  const auto headers =
      LaunchHeaders({"/p/k.cpp"}, {{"/p/k.cpp", source}, {"/p/h.h", "__global__ void no();"}});
  ASSERT_EQ(headers.size(), 2u);
  const std::string& k = headers.at("aclrtlaunch_k.h");
  EXPECT_NE(k.find("extern \"C\" void k(void*, void*, TilingData, uint32_t);"), std::string::npos)
      << k;
  EXPECT_NE(k.find("aclrtlaunch_k = ::akgen_separate_launch<131073u, &k>(&k)"), std::string::npos)
      << k;
  const std::string& other = headers.at("aclrtlaunch_other.h");
  EXPECT_NE(other.find("\nvoid other("), std::string::npos) << other;
  EXPECT_NE(other.find("#if SECOND\n  , GM_ADDR y\n#endif"), std::string::npos) << other;
}

// Another source may not know what is pointed to, which C linkage does not care about.
TEST(LaunchHeader, TypesByLinkage) {
  const struct {
    const char *type, *c, *cpp;
  } rows[] = {{"GM_ADDR", "void*", "uint8_t*"},
              {"__gm__ half*", "void*", " half*"},
              {"const __gm__ float *", "void*", "const  float *"},
              {"GM_ADDR const", "void*", "uint8_t* const"},
              {"Tiling*", "void*", "Tiling*"},
              {"uint32_t", "uint32_t", "uint32_t"},
              {"Tiling", "Tiling", "Tiling"}};
  for (const auto& row : rows)
    for (const bool c : {true, false}) {
      const std::string type = row.type, linkage = c ? "extern \"C\" " : "",
                        source =
                            linkage + "__global__ __aicore__ void k(" + type + " a, int b) {}\n";
      const std::string header = LaunchHeaders({"/k"}, {{"/k", source}}).at("aclrtlaunch_k.h");
      EXPECT_NE(header.find("\n" + linkage + "void k(" + (c ? row.c : row.cpp) + ", int);"),
                std::string::npos)
          << header;
    }
}

TEST(LaunchRewrite, TemplateArguments) {
  EXPECT_EQ(Rewrite("k<float, 4><<<b, 0, s>>>(x);"), Call("k<float, 4>", "b, 0, s", "x") + ";");
  EXPECT_EQ(Rewrite("k<A<B<int>>><<<b, 0, s>>>(x);"), Call("k<A<B<int>>>", "b, 0, s", "x") + ";");
  EXPECT_EQ(Rewrite("k<(a > b), p->n><<<b, 0, s>>>(x);"),
            Call("k<(a > b), p->n>", "b, 0, s", "x") + ";");
  EXPECT_EQ(Rewrite("x = 1; ns::S<int>::template k<T><<<b, 0, s>>>(x);"),
            "x = 1; " + Call("ns::S<int>::template k<T>", "b, 0, s", "x") + ";");
  EXPECT_EQ(Rewrite("{ ::k<<<b, 0, s>>>(x); }"), "{ " + Call("::k", "b, 0, s", "x") + "; }");
}

TEST(LaunchRewrite, ConfigurationWithTemplates) {
  EXPECT_EQ(Rewrite("k<<<Div<n, A<B<2>>>(m), 0, s>>>(x);"),
            Call("k", "Div<n, A<B<2>>>(m), 0, s", "x") + ";");
  EXPECT_EQ(Rewrite("k<<<a < b ? a : b, 0, s>>>(x);"), Call("k", "a < b ? a : b, 0, s", "x") + ";");
  EXPECT_EQ(Rewrite("k<<<c->n >> 1, 0, s>>>(x);"), Call("k", "c->n >> 1, 0, s", "x") + ";");
}

TEST(LaunchRewrite, SeveralLines) {
  std::string out = Rewrite("k<A,\n  B>\n    <<<b, 0,\n  s>>>(\n  x,\n  y);\nfoo();");
  EXPECT_NE(out.find("k<A,\n  B>\n    (akgen_args...)"), std::string::npos) << out;
  EXPECT_NE(out.find("(\n  x,\n  y);\nfoo();"), std::string::npos) << out;
}

TEST(LaunchRewrite, LeavesTextAlone) {
  for (const char* text :
       {"// k<<<1, 0, s>>>(x)\n", "/* k<<<1>>>(x) \n */", "auto s = \"k<<<1>>>(x)\";",
        "auto s = R\"(k<<<1>>>(\")\";", "int n = 1'000; char c = '<'; a << b;",
        "// a comment that goes on \\\n k<<<1, 0, s>>>(x)\n"}) {
    EXPECT_EQ(Rewrite(text, 0), text);
    EXPECT_FALSE(HasLaunch(text));
  }
  EXPECT_TRUE(HasLaunch("k<<<1, 0, s>>>(x)"));
}

TEST(LaunchRewrite, CommentsAndLiteralsInside) {
  std::string out = Rewrite("k<T /* >>> */><<<b /* , ( */, 0, s>>>(x, \")\", ')'); // <<<");
  EXPECT_NE(out.find(")(x, \")\", ')');"), std::string::npos) << out;
  EXPECT_EQ(Rewrite("#if 0\ndon't\n#endif\nk<<<1, 0, s>>>(x);").substr(0, 19),
            "#if 0\ndon't\n#endif\n");
}

TEST(LaunchRewrite, Macros) {
  std::string out = Rewrite("#define GO(k, n) \\\n  k<n> \\\n    <<<n, 0, s>>>(__VA_ARGS__)\n");
  EXPECT_EQ(out,
            "#define GO(k, n) \\\n  " + Call("k<n> \\\n    ", "n, 0, s", "__VA_ARGS__") + "\n");
  EXPECT_EQ(Rewrite("NAME(add)<<<1, 0, s>>>(x);"), Call("NAME(add)", "1, 0, s", "x") + ";");
}

TEST(LaunchRewrite, ZeroStaysAPointer) {
  EXPECT_EQ(Rewrite("k<<<1, 0, s>>>(x, NULL, 0, 10);"),
            Call("k", "1, 0, s", "x, ::akgen_launch_zero{}, ::akgen_launch_zero{}, 10") + ";");
}

TEST(LaunchRewrite, Several) {
  std::string out = Rewrite("if (a) k<1><<<1, 0, s>>>(x); else k<2><<<2, 0, s>>>(x);", 2);
  EXPECT_EQ(out, "if (a) " + Call("k<1>", "1, 0, s", "x") + "; else " +
                     Call("k<2>", "2, 0, s", "x", " + 1 * 65536u") + ";");
}

TEST(LaunchRewrite, SaysWhereItCannotRead) {
  auto result = RewriteLaunches("int a;\nint b;\nk<<<1, 0, s>>>;\n", "t.asc");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, "AK2201");
  EXPECT_EQ(result.error().where, "t.asc:3");
  EXPECT_FALSE(RewriteLaunches("= <<<1, 0, s>>>(x);", "t.asc").ok());
  EXPECT_FALSE(RewriteLaunches("k<<<1, 0, s>>>(x;", "t.asc").ok());
}

}  // namespace
}  // namespace akgen::toolchain
