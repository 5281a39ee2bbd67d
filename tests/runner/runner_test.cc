// Built and run end to end over both helper processes: right kernels, kernels that attack, host
// code, programs.
#include "runner/runner_client.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "../fresh_cache.h"
#include "base/files.h"
#include "chip/chip.h"
#include "runner_requests.h"
#include "toolchain/builder.h"

namespace akgen::runner {
namespace {
namespace fs = std::filesystem;
using base::Json;
// Of a kernel that takes nothing.
Json WithoutTensors(const std::string& so, const std::string& entry) {
  sim::RunRequest run = XToY(entry, 0, 1);
  run.regions.clear(), run.args.clear();
  return {{"cmd", "run"}, {"so", so}, {"runs", {ToJson(run)}}};
}
Json ChipJson() {
  static const Json chip = chip::ToJson(*chip::LoadChip());
  return chip;
}
constexpr int kArch = 2201;

constexpr const char* kAddOne = R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void add_one(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, 1024);
  pipe.InitBuffer(out, 1, 1024);
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer((__gm__ float*)x + GetBlockIdx() * 256, 256);
  gy.SetGlobalBuffer((__gm__ float*)y + GetBlockIdx() * 256, 256);
  LocalTensor<float> a = in.AllocTensor<float>();
  DataCopy(a, gx, 256);
  in.EnQue(a);
  a = in.DeQue<float>();
  LocalTensor<float> b = out.AllocTensor<float>();
  Adds(b, a, 1.0f, 256);
  out.EnQue(b);
  in.FreeTensor(a);
  b = out.DeQue<float>();
  DataCopy(gy, b, 256);
  out.FreeTensor(b);
}
)";

// Runs `body` in a process of its own that adopts whatever its helpers leave behind, and waits for
// the last of them: what `body` returned when it is not 0, else 0 when nothing is left after ten
// seconds and 1 when something is.
template <class Body>
int StatusOfAClient(Body body) {
  pid_t client = ::fork();
  if (client == 0) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (int code = body()) ::_exit(code);
    for (int i = 0; i < 500; ++i, ::usleep(20000)) {
      while (::waitpid(-1, nullptr, WNOHANG) > 0) {}
      if (::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) ::_exit(0);
    }
    ::_exit(1);
  }
  int status = 0;
  if (client < 0 || ::waitpid(client, &status, 0) != client || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

class RunnerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto dir = base::TempDir::Create();
    ASSERT_TRUE(dir.ok());
    temp_ = new base::TempDir(std::move(*dir));
    base::UseFreshCache(temp_->path() / "cache");
    auto b = toolchain::Builder::Start();
    ASSERT_TRUE(b.ok()) << b.error().ToString();
    builder_ = new toolchain::Builder(std::move(*b));
    auto r = Runner::Start();
    ASSERT_TRUE(r.ok()) << r.error().ToString();
    runner_ = new Runner(std::move(*r));
  }
  static void TearDownTestSuite() {
    delete runner_;
    delete builder_;
    delete temp_;
  }

  std::string Build(const std::string& text, const std::string& kind = "kernel") {
    toolchain::BuildRequest r;
    r.device.arch = kArch;
    r.kind = kind;
    r.sources = {{"/project/k.cpp", text}};
    r.project_dir = "/project";
    auto reply = builder_->Build(r);
    EXPECT_TRUE(reply.ok()) << reply.error().ToString();
    EXPECT_TRUE(reply->ok) << reply->FirstError();
    return reply->so;
  }
  Json Call(const Json& request, const std::vector<int>& fds = {}) {
    auto r = runner_->Call(request, fds, 60000);
    EXPECT_TRUE(r.ok()) << r.error().ToString();
    return r.ok() ? *r : Json::object();
  }
  // Runs add_one-shaped kernels: two blocks of 256 floats from one region to another.
  // `kind` "program" lets through what the builder refuses in kernels, so that the sandbox is what
  // stops it.
  Json RunKernel(const std::string& text, const std::string& entry = "add_one", int wall_ms = 10000,
                 const std::string& kind = "kernel") {
    in_ = std::move(*base::SharedMemory::Create("in", 2048));
    out_ = std::move(*base::SharedMemory::Create("out", 2048));
    for (int i = 0; i < 512; ++i) reinterpret_cast<float*>(in_.data())[i] = float(i);
    return OfOne(Call({{"cmd", "run"},
                       {"so", Build(text, kind)},
                       {"runs", {ToJson(XToY(entry, 2048, 2))}},
                       {"limits", {{"wall_ms", wall_ms}}}},
                      {in_.fd(), out_.fd()}));
  }
  // A kernel without the chip's help: `body` runs once per block.
  // Built as "host", its plain loads and stores are not watched: what it does to the process is up
  // to the sandbox alone.
  Json RunBody(const std::string& body, int wall_ms = 10000) {
    return RunKernel(
        "#include <cstdint>\n#include <cstddef>\n#include <unistd.h>\n#include <fcntl.h>\n#include "
        "<cerrno>\n#include "
        "<cstdlib>\n"
        "#include <sys/mman.h>\n#include <sys/socket.h>\n#include <netinet/in.h>\n"
        "extern \"C\" void add_one(void* x, void* y, void* w, void* t) {\n" +
            body + "\n}\n",
        "add_one", wall_ms, "host");
  }
  float Out(int i) { return reinterpret_cast<float*>(out_.data())[i]; }

  static toolchain::Builder* builder_;
  static Runner* runner_;
  static base::TempDir* temp_;
  base::SharedMemory in_, out_;
};
toolchain::Builder* RunnerTest::builder_ = nullptr;
Runner* RunnerTest::runner_ = nullptr;
base::TempDir* RunnerTest::temp_ = nullptr;

TEST_F(RunnerTest, RunsAKernelOnTheChip) {
  Json r = RunKernel(kAddOne);
  EXPECT_EQ(r["status"], "ok") << r;
  EXPECT_EQ(r["findings"].size(), 0u) << r;
  for (int i = 0; i < 512; ++i) ASSERT_EQ(Out(i), float(i) + 1.0f) << i;
  EXPECT_GT(r["process"]["wall_ms"].get<double>(), 0);
}

TEST_F(RunnerTest, FindingsNameTheKernelsLine) {
  std::string text = kAddOne;
  size_t at = text.find("Adds(b, a, 1.0f, 256)");
  text.replace(at, std::strlen("Adds(b, a, 1.0f, 256)"), "Adds(b, a, 1.0f, 512)");
  Json r = RunKernel(text);
  ASSERT_GE(r["findings"].size(), 1u) << r;
  auto lines =
      builder_->Symbolize(Build(text), r["findings"][0]["pcs"].get<std::vector<uint64_t>>());
  ASSERT_TRUE(lines.ok());
  int line = 0;
  for (const auto& l : *lines)
    if (line == 0 && l.file == "k.cpp") line = l.line;
  EXPECT_EQ(line, 1 + int(std::count(text.begin(), text.begin() + long(at), '\n')));
}

TEST_F(RunnerTest, MissingEntryAndMissingObject) {
  Json r = RunKernel(kAddOne, "no_such_entry");
  EXPECT_EQ(r["status"], "stopped");
  EXPECT_NE(r["detail"].get<std::string>().find("no_such_entry"), std::string::npos);
  EXPECT_EQ(Call({{"cmd", "run"}, {"so", "/no/such.so"}})["status"], "error");
  EXPECT_EQ(Call({{"cmd", "dance"}})["status"], "error");
  EXPECT_EQ(Call(Json::array({1, 2}))["status"], "error");
}

// What comes out of a process that holds the candidate is never taken for a fault of ours.
TEST_F(RunnerTest, NobodySaysErrorInOurPlace) {
  for (const char* forged :
       {R"({\"status\": \"error\", \"detail\": \"x\"})", R"({\"status\": \"error\"})",
        R"({\"status\": \"ok\", \"detail\": 3})"}) {
    Json r = RunBody(std::string("const char text[] = \"") + forged +
                     "\";\n  for (int fd = 3; fd < 64; ++fd) (void)!write(fd, text, sizeof text - "
                     "1);\n  _exit(0);");
    EXPECT_EQ(r["status"], "killed") << forged << ": " << r;
  }
}

TEST_F(RunnerTest, EndlessLoopIsATimeout) {
  Json r = RunBody("for (volatile long i = 0;; i = i + 1) {}", 300);
  EXPECT_EQ(r["status"], "timeout") << r;
  EXPECT_LT(r["process"]["wall_ms"].get<double>(), 5000);
}

TEST_F(RunnerTest, BadPointerIsACrash) {
#ifdef AKGEN_SANITIZED
  GTEST_SKIP() << "left to the plain runner: the sanitizer's fault path reads /proc, which the "
                  "confined child may not";
#endif
  Json r = RunBody("*(volatile int*)0x10 = 1;");
  EXPECT_EQ(r["status"], "crash") << r;
}

TEST_F(RunnerTest, StackOverflowIsACrash) {
#ifdef AKGEN_SANITIZED
  GTEST_SKIP() << "left to the plain runner: the sanitizer's fault path reads /proc, which the "
                  "confined child may not";
#endif
  Json r = RunKernel(
      "extern \"C\" int deep(int n) { volatile char a[4096]; a[0] = char(n); return deep(n + 1) + "
      "a[0]; }\n"
      "extern \"C\" void add_one(void*, void*, void*, void*) { deep(0); }\n");
  EXPECT_EQ(r["status"], "crash") << r;
}

TEST_F(RunnerTest, InputsCannotBeWritten) {
#ifdef AKGEN_SANITIZED
  GTEST_SKIP() << "left to the plain runner: the sanitizer's fault path reads /proc, which the "
                  "confined child may not";
#endif
  Json r = RunBody("*(volatile float*)x = 5;");
  EXPECT_EQ(r["status"], "crash") << r;
  r = RunBody(
      "((volatile int*)y)[0] = mprotect(x, 2048, PROT_READ | PROT_WRITE) == 0 ? 1 : errno;");
  EXPECT_EQ(reinterpret_cast<int*>(out_.data())[0], EACCES) << r;
}

TEST_F(RunnerTest, NoFilesNoNetworkNoProcesses) {
  Json r = RunBody(
      "int* o = (int*)y; o[0] = open(\"/etc/passwd\", O_RDONLY) < 0 ? errno : 0;"
      "o[1] = socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0; o[2] = fork() < 0 ? errno : 0;"
      "o[3] = execl(\"/bin/true\", \"true\", (char*)0) < 0 ? errno : 0; o[4] = "
      "open(\"/tmp/akgen-x\", O_CREAT | "
      "O_WRONLY, 0600) < 0 ? errno : 0;");
  EXPECT_EQ(r["status"], "ok") << r;
  const int* o = reinterpret_cast<int*>(out_.data());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(o[i], EPERM) << i;
}

TEST_F(RunnerTest, ConstructorsAreConfinedToo) {
  Json r = RunKernel(
      "#include <fcntl.h>\n#include <unistd.h>\n#include <cerrno>\n#include <sys/socket.h>\nstatic "
      "int a, b, c;\n"
      "__attribute__((constructor)) static void Init() { a = open(\"/etc/passwd\", O_RDONLY) < 0 ? "
      "errno : 0; "
      "b = socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0; c = fork() < 0 ? errno : 0; }\n"
      "extern \"C\" void add_one(void*, int* y, void*, void*) { y[0] = a; y[1] = b; y[2] = c; }\n",
      "add_one", 10000, "program");
  EXPECT_EQ(r["status"], "ok") << r;
  const int* o = reinterpret_cast<int*>(out_.data());
  EXPECT_TRUE(o[0] == EACCES || o[0] == EPERM) << o[0];
  EXPECT_EQ(o[1], EPERM);
  EXPECT_EQ(o[2], EPERM);
}

TEST_F(RunnerTest, ForkBombInAConstructor) {
  std::string so = Build(
      "#include <unistd.h>\n__attribute__((constructor)) static void Init() { for (int i = 0; i < "
      "100000; ++i) fork(); "
      "}\n"
      "extern \"C\" void add_one(void*, void*, void*, void*) {}\n",
      "program");
  EXPECT_EQ(StatusOfAClient([&] {
              auto runner = Runner::Start();
              if (!runner.ok()) return 2;
              return runner->Call(WithoutTensors(so, "add_one"), {}, 60000).ok() ? 0 : 3;
            }),
            0)
      << "1: a process is left; 2: no start; 3: no answer";
}

TEST_F(RunnerTest, HugeAllocationFails) {
#ifdef AKGEN_SANITIZED
  GTEST_SKIP() << "left to the plain runner: no address-space limit under the sanitizers";
#endif
  RunBody(
      "void* p = mmap(0, 100ull << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | "
      "MAP_NORESERVE, -1, 0);"
      "((int*)y)[0] = p == MAP_FAILED ? errno : 0;");
#ifndef AKGEN_SANITIZED
  EXPECT_EQ(reinterpret_cast<int*>(out_.data())[0], ENOMEM);
#endif
  EXPECT_EQ(
      RunBody(
          "for (;;) { char* p = (char*)malloc(64 << 20); if (!p) abort(); p[0] = 1; }")["status"],
      "crash");
}

TEST_F(RunnerTest, EndingTheProcessIsNoAnswer) {
  EXPECT_EQ(RunBody("_exit(0);")["status"], "killed");
  EXPECT_EQ(RunBody("unlink(\"/tmp/akgen-no-such-file\");")["status"], "killed");
}

TEST_F(RunnerTest, FloodOfOutputIsCut) {
  Json r = RunBody(
      "for (int i = 0; i < 100000; ++i) if (write(1, \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\", 32) < "
      "0) break;");
  EXPECT_LE(r.value("console", "").size(), 16384u);
}

TEST_F(RunnerTest, HostThatCrashesInAConstructor) {
  std::string so =
      Build("__attribute__((constructor)) static void Init() { *(volatile int*)8 = 1; }\n", "host");
  Json r = Call({{"cmd", "describe"}, {"so", so}});
  EXPECT_EQ(r["status"], "crash") << r;
}

TEST_F(RunnerTest, HostWithoutOperatorIsRefused) {
  Json r = Call({{"cmd", "describe"}, {"so", Build("int nothing;\n", "host")}});
  EXPECT_NE(r["status"], "ok") << r;
  EXPECT_NE(r.value("detail", ""), "") << r;
}

TEST_F(RunnerTest, ProgramsSeeTheirFolder) {
  fs::path dir = temp_->path() / "work";
  fs::create_directories(dir);
  ASSERT_TRUE(base::WriteFileAtomic(dir / "in.txt", "41").ok());
  std::string so = Build(
      "#include <cstdio>\n#include <cstdlib>\nint main(int argc, char** argv) {\n  int v = 0;\n"
      "  FILE* f = fopen(argv[1], \"r\");\n  if (!f || fscanf(f, \"%d\", &v) != 1) return 9;\n  "
      "fclose(f);\n"
      "  f = fopen(\"out.txt\", \"w\");\n  fprintf(f, \"%d\", v + 1);\n  fclose(f);\n"
      "  if (fopen(\"/etc/passwd\", \"r\")) return 8;\n  printf(\"done\\n\");\n  exit(3);\n}\n",
      "program");
  Json r = Call({{"cmd", "program"},
                 {"so", so},
                 {"dir", dir.string()},
                 {"argv", {"p", "in.txt"}},
                 {"chip", ChipJson()}});
  EXPECT_EQ(r["status"], "ok") << r;
  EXPECT_EQ(r["exit_code"], 3) << r;
  EXPECT_EQ(r["console"], "done\n") << r;
  EXPECT_EQ(*base::ReadFile(dir / "out.txt"), "42");
}

TEST_F(RunnerTest, RecoversWhenTheHelperDies) {
  auto r = Runner::Start();
  ASSERT_TRUE(r.ok());
  // A reply that comes too late ends the helper; the next call gets a new one.
  Json slow = WithoutTensors(Build("extern \"C\" void k() { for (;;) {} }\n"), "k");
  EXPECT_EQ(r->Call(slow, {}, 100).error().code, "AK0011");
  auto again = r->Call({{"cmd", "status"}}, {}, 10000);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)["status"], "ok");
}

TEST_F(RunnerTest, NothingOutlivesItsClient) {
  Json slow = WithoutTensors(Build("extern \"C\" void k() { for (;;) {} }\n"), "k");
  EXPECT_EQ(StatusOfAClient([&] {
              auto first = Runner::Start();
              auto second = Runner::Start();
              if (!first.ok() || !second.ok()) return 2;
              if (first->Call(slow, {}, 200).ok()) return 3;
              return ::waitpid(-1, nullptr, WNOHANG) < 0
                         ? 4
                         : 0;  // The second helper is there to be ended.
            }),
            0)
      << "1: a process is left; 2: no start; 3: an endless loop ended; 4: no helper to end";
}

}  // namespace
}  // namespace akgen::runner
