// Host code: several sources, and what they are linked with.
#include <dlfcn.h>

#include <algorithm>

#include "builder_fixture.h"

namespace akgen::toolchain {
namespace {
TEST_F(BuilderTest, SeveralHostSourcesBecomeOneObject) {
  BuildRequest r;
  r.device.arch = kArch;
  r.kind = "host";
  r.sources = {{"/project/a.cpp", "int B();\nextern \"C\" int A() { return B() + 1; }\n"},
               {"/project/b.cpp", "int B() { return 1; }\n"}};
  r.project_dir = "/project";
  BuildReply reply = Build(r);
  ASSERT_TRUE(reply.ok) << reply.FirstError();
  void* so = ::dlopen(reply.so.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(so, nullptr) << ::dlerror();
  EXPECT_EQ(reinterpret_cast<int (*)()>(::dlsym(so, "A"))(), 2);
}

// Two processes share the units of a build: the reply does not tell which of them had which.
TEST_F(BuilderTest, AnySourceOfSeveralMayBeTheWrongOne) {
  auto build = [this](const std::vector<std::string>& texts, int wall_ms = 60000) {
    BuildRequest r;
    r.device.arch = kArch;
    r.kind = "host";
    for (size_t i = 0; i < texts.size(); ++i)
      r.sources.push_back({"/project/" + std::to_string(i) + ".cpp", texts[i]});
    r.project_dir = "/project";
    r.wall_ms = wall_ms;
    return Build(r);
  };
  auto right = [](int i) { return "int f" + std::to_string(i) + "() { return 1; }\n"; };
  std::vector<std::string> wrong;
  for (int i = 0; i < 5; ++i)
    wrong.push_back("int f" + std::to_string(i) + "() { return no_such_name; }\n");
  const BuildReply all = build(wrong);
  EXPECT_EQ(all.failure, "diagnostics");
  ASSERT_EQ(all.diagnostics.size(), 5u);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(all.diagnostics[i].file, std::to_string(i) + ".cpp") << "in order";

  const std::string deep = "int y = " + std::string(400000, '-') + ";\n";
  const std::string endless =
      "template <int N, int M> struct B { static constexpr long v = B<N - 1, 2 * M>::v + B<N - 1, "
      "2 * M + 1>::v; };\n"
      "template <int M> struct B<0, M> { static constexpr long v = M; };\nlong x = B<28, 1>::v;\n";
  for (const auto& [text, wall_ms] : {std::pair{deep, 10000}, {endless, 2000}}) {
    const BuildReply alone = build({text}, wall_ms);
    EXPECT_FALSE(alone.ok);
    for (int place = 0; place < 3; ++place) {
      std::vector<std::string> texts{right(0), right(1), right(2)};
      texts[place] = text;
      EXPECT_EQ(build(texts, wall_ms).failure, alone.failure)
          << place << " of " << text.substr(0, 8);
    }
  }
  EXPECT_TRUE(build({right(0), right(1), right(2)}).ok);
}

// What registers itself is asked for by no symbol; and what it calls is called by the host that is
// linked with it.
TEST_F(BuilderTest, ALibraryMayBeLinkedWhole) {
  BuildRequest library;
  library.kind = "library";
  library.sources = {{"/project/one.cpp",
                      "#include <cstdlib>\nextern int seen;\n"
                      "static const int entry = seen = std::getenv(\"X\") ? 1 : 42;\n"},
                     {"/project/other.cpp", "extern \"C\" int Odd() { return getpid(); }\n"}};
  library.sources[1].text->insert(0, "#include <unistd.h>\n");
  const BuildReply neighbour = Build(library);
  ASSERT_TRUE(neighbour.ok) << neighbour.FirstError();
  BuildRequest r;
  r.kind = "host";
  r.sources = {{"/project/a.cpp", "int seen;\nextern \"C\" int A() { return seen; }\n"}};
  auto answer = [](const BuildReply& reply) {
    void* so = ::dlopen(reply.so.c_str(), RTLD_LAZY | RTLD_LOCAL);
    auto* a = so ? reinterpret_cast<int (*)()>(::dlsym(so, "A")) : nullptr;
    return a ? a() : -1;
  };
  auto imports = [](const BuildReply& reply, const char* name) {
    return std::count(reply.imports.begin(), reply.imports.end(), name);
  };
  r.libraries = {neighbour.so};
  const BuildReply needed = Build(r);
  ASSERT_TRUE(needed.ok) << needed.FirstError();
  EXPECT_EQ(answer(needed), 0);
  EXPECT_EQ(imports(needed, "getpid"), 0);
  r.whole_libraries.swap(r.libraries);
  const BuildReply whole = Build(r);
  ASSERT_TRUE(whole.ok) << whole.FirstError();
  EXPECT_FALSE(whole.cached);
  EXPECT_NE(whole.key, needed.key);
  EXPECT_EQ(imports(whole, "getpid"), 1) << "it is part of the host now";
  EXPECT_EQ(imports(whole, "seen"), 0);
}

// A host build that lacked a symbol comes again with the libraries of its neighbours.
TEST_F(BuilderTest, MoreLibrariesAreLinkedWithoutCompilingAgain) {
  BuildRequest library;
  library.device.arch = kArch;
  library.kind = "library";
  library.sources = {{"/project/neighbour.cpp", "int B() { return 41; }\n"}};
  const BuildReply neighbour = Build(library);
  ASSERT_TRUE(neighbour.ok) << neighbour.FirstError();
  BuildRequest r;
  r.device.arch = kArch;
  r.kind = "host";
  r.project_dir = "/project";
  auto set = [&r](const char* more) {  // takes the compiler a second
    r.sources = {{"/project/a.cpp",
                  std::string("int B();\nextern \"C\" int A() { return B() + ") + more +
                      "; }\n"
                      "template <int N> constexpr long Sum() {\n  long s = 0;\n"
                      "  for (int i = 0; i < 200000 + N; ++i) s += i % 7;\n  return s;\n}\n"
                      "static_assert(Sum<0>() + Sum<1>() + Sum<2>() + Sum<3>() > 0);\n"},
                 {"/project/b.cpp", "int Other() { return 1; }\n"}};
  };
  set("1");
  auto answer = [](const BuildReply& reply) {
    void* so = ::dlopen(reply.so.c_str(), RTLD_NOW | RTLD_LOCAL);
    auto* a = so ? reinterpret_cast<int (*)()>(::dlsym(so, "A")) : nullptr;
    return a ? a() : -1;
  };
  const BuildReply first = Build(r);
  ASSERT_TRUE(first.ok) << first.FirstError();
  EXPECT_EQ(answer(first), -1) << "nothing defines B";
  r.libraries = {neighbour.so};
  const BuildReply second = Build(r);
  ASSERT_TRUE(second.ok) << second.FirstError();
  EXPECT_FALSE(second.cached);
  EXPECT_EQ(answer(second), 42);
  EXPECT_LT(second.cpu_ms, first.cpu_ms / 2);
  set("2");
  EXPECT_EQ(answer(Build(r)), 43) << "other sources are compiled";
}

}  // namespace
}  // namespace akgen::toolchain
