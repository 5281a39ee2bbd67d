// What a confined child can no longer do. Each case first shows that the same act works without the
// sandbox, so that a case cannot pass because the act is impossible on this machine anyway.
#include "sandbox/sandbox.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>

#include "base/files.h"
#include "sandbox/child.h"
#include "sandbox/layers.h"

namespace akgen::sandbox {
namespace {
using End = ChildOutcome::End;

ChildOutcome InChild(const std::function<int(int)>& body, ChildLimits limits = {}) {
  auto r = RunChild(body, limits);
  EXPECT_TRUE(r.ok());
  return r.ok() ? std::move(*r) : ChildOutcome{};
}

// Exit code of `act` under `profile`; 250 when the sandbox itself failed.
ChildOutcome RunConfined(const Profile& profile, const std::function<int()>& act,
                         ChildLimits limits = {}) {
  Report();
  return InChild([&](int) { return Confine(profile).ok() ? act() : 250; }, limits);
}

bool Active(const std::string& layer) {
  for (const auto& row : Report())
    if (row.layer == layer) return row.active;
  return false;
}

Profile Kernel() {
  Profile p;
  p.memory_bytes = 1ull << 30;
  p.cpu_seconds = 5;
  p.drop_user = true;
  p.syscalls = Syscalls::kKernel;
  return p;
}

int OpenPasswd() { return ::open("/etc/passwd", O_RDONLY) >= 0 ? 0 : errno; }
int OpenSocket() { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 0 : errno; }
int Fork() {
  pid_t p = ::fork();
  if (p == 0) ::_exit(0);
  if (p > 0) ::waitpid(p, nullptr, 0);
  return p > 0 ? 0 : errno;
}

TEST(Sandbox, ReportsEveryLayer) {
  std::string layers;
  for (const auto& row : Report()) layers += row.layer + " ";
  EXPECT_EQ(layers, "no_new_privs rlimits landlock seccomp user ");
  EXPECT_TRUE(Active("no_new_privs"));  // of every Linux
  EXPECT_TRUE(Active("rlimits"));
  EXPECT_EQ(Active("landlock"), LandlockAbi() > 0);
  for (const auto& row : Report()) {
    if (!row.active) EXPECT_NE(row.detail, "") << row.layer;
  }
}

TEST(Sandbox, KernelReadsNoFile) {
  ASSERT_EQ(OpenPasswd(), 0);
  EXPECT_EQ(RunConfined(Kernel(), OpenPasswd).exit_code, Active("seccomp") ? EPERM : EACCES);
}

TEST(Sandbox, KernelHasNoNetwork) {
  ASSERT_EQ(OpenSocket(), 0);
  EXPECT_EQ(RunConfined(Kernel(), OpenSocket).exit_code, EPERM);
}

TEST(Sandbox, KernelMakesNoProcess) {
  ASSERT_EQ(Fork(), 0);
  EXPECT_EQ(RunConfined(Kernel(), Fork).exit_code, EPERM);
}

TEST(Sandbox, ForbiddenCallKills) {
  auto out = RunConfined(Kernel(), [] { return ::unlink("/tmp/akgen-no-such-file") == 0 ? 1 : 0; });
  EXPECT_EQ(out.end, End::kSignaled);
  EXPECT_EQ(out.signal, SIGSYS);
}

TEST(Sandbox, AbortStaysAbort) {
  auto out = RunConfined(Kernel(), [] {
    ::abort();
    return 0;
  });
  EXPECT_EQ(out.end, End::kSignaled);
  EXPECT_EQ(out.signal, SIGABRT);
}

TEST(Sandbox, MemoryIsLimited) {
#ifdef AKGEN_SANITIZED
  GTEST_SKIP() << "no address-space limit under the sanitizers";
#endif
  auto take = [] {
    void* p = ::mmap(nullptr, 100ull << 30, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? errno : 0;
  };
  ASSERT_EQ(InChild([&](int) { return take(); }).exit_code, 0);
  EXPECT_EQ(RunConfined(Kernel(), take).exit_code, ENOMEM);
}

TEST(Sandbox, CpuTimeIsLimited) {
  Profile p = Kernel();
  p.cpu_seconds = 1;
  auto out = RunConfined(p, [] {
    for (volatile long i = 0;; i = i + 1) {}
    return 0;
  });
  EXPECT_EQ(out.end, End::kSignaled);
  EXPECT_TRUE(out.signal == SIGXCPU || out.signal == SIGKILL) << out.signal;
  EXPECT_LT(out.cpu_ms, 3000);
}

TEST(Sandbox, WallClockIsLimited) {
  ChildLimits limits;
  limits.wall_ms = 100;
  auto out = RunConfined(
      Kernel(),
      [] {
        ::sleep(30);
        return 0;
      },
      limits);
  EXPECT_EQ(out.end, End::kTimedOut);
  EXPECT_LT(out.wall_ms, 5000);
}

TEST(Sandbox, LandlockOpensOnlyWhatWasNamed) {
  if (!Active("landlock")) GTEST_SKIP() << "this machine has no Landlock";
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir.ok());
  std::string inside = (dir->path() / "a.txt").string();
  ASSERT_TRUE(base::WriteFileAtomic(inside, "x").ok());
  Profile p;
  p.readable = {dir->path().string(), "/no/such/folder"};
  p.file_bytes = 4096;
  auto act = [&] {
    if (::open(inside.c_str(), O_RDONLY) < 0) return 1;
    if (::open(inside.c_str(), O_WRONLY) >= 0) return 2;
    if (::open("/etc/passwd", O_RDONLY) >= 0) return 3;
    return errno == EACCES ? 0 : 4;
  };
  EXPECT_EQ(RunConfined(p, act).exit_code, 0);
  p.writable = {dir->path().string()};
  EXPECT_EQ(
      RunConfined(
          p,
          [&] { return ::open((inside + "2").c_str(), O_CREAT | O_WRONLY, 0600) >= 0 ? 0 : errno; })
          .exit_code,
      0);
}

// By its path, without opening it: rights to read are none to empty a file. Linux before 6.2
// (Landlock 3) does not ask.
TEST(Sandbox, AFileIsNotTruncatedByItsPath) {
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir.ok());
  ASSERT_EQ(::chmod(dir->path().c_str(), 0777), 0);  // so that it is not the owner who keeps it
  const std::string file = (dir->path() / "a.txt").string();
  const auto whole = [&] {
    struct stat st;
    return ::stat(file.c_str(), &st) == 0 && st.st_size == 5;
  };
  const auto empty = [&] { return ::truncate(file.c_str(), 0) == 0 ? 0 : errno; };
  const auto fresh = [&] {
    return base::WriteFileAtomic(file, "hello").ok() && ::chmod(file.c_str(), 0666) == 0;
  };
  ASSERT_TRUE(fresh());
  ASSERT_EQ(InChild([&](int) { return empty(); }).exit_code, 0);
  Profile files;
  files.readable = {dir->path().string()};
  files.file_bytes = 4096;
  if (LandlockAbi() >= 3) {
    ASSERT_TRUE(fresh());
    EXPECT_EQ(RunConfined(files, empty).exit_code, EACCES);
    EXPECT_TRUE(whole());
    files.writable = files.readable;
    EXPECT_EQ(RunConfined(files, empty).exit_code, 0);
    EXPECT_FALSE(whole());
  }
  if (Active("seccomp")) {  // the other layer, alone
    ASSERT_TRUE(fresh());
    EXPECT_EQ(RunConfined(Kernel(), empty).signal, SIGSYS);
    EXPECT_TRUE(whole());
  }
}

// What works in a folder of its own does so as its owner, or as nobody who may do nothing else.
TEST(Sandbox, AProgramOfRootsIsNotRoot) {
  if (::geteuid() != 0 || !Active("landlock")) GTEST_SKIP() << "only root can become somebody else";
  auto dir = base::TempDir::Create();  // root's own: nobody else may even look into it
  ASSERT_TRUE(dir.ok());
  const std::string folder = dir->path().string(), file = folder + "/made", outside = "/etc/shadow";
  Profile p;
  p.drop_user = true;
  p.own_folder = folder;
  p.readable = p.writable = {folder};
  p.file_bytes = 4096;
  uid_t expected = 65534;
  auto act = [&] {
    if (::geteuid() != expected || ::getuid() != expected) return 1;
    if (::open(file.c_str(), O_CREAT | O_WRONLY, 0600) < 0) return 2;
    if (::open(outside.c_str(), O_RDONLY) >= 0) return 3;
    return ::setuid(0) == 0 || ::chown(file.c_str(), 0, 0) == 0 || ::kill(1, 0) == 0 ? 4 : 0;
  };
  EXPECT_EQ(RunConfined(p, act).exit_code, 0);
  ::unlink(file.c_str());
  expected = 1234;
  ASSERT_EQ(::chown(folder.c_str(), expected, 1234), 0);
  EXPECT_EQ(RunConfined(p, act).exit_code, 0);
  struct stat made;
  ASSERT_EQ(::stat(file.c_str(), &made), 0);
  EXPECT_EQ(made.st_uid, expected);
}

TEST(Sandbox, NothingIsLeftBehind) {
  if (!Active("seccomp")) GTEST_SKIP() << "this machine has no seccomp filters";
  auto segment = [] {
    const int id = ::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    if (id >= 0) ::shmctl(id, IPC_RMID, nullptr);
    return id >= 0 ? 0 : errno;
  };
  ASSERT_EQ(segment(), 0);
  EXPECT_EQ(RunConfined({}, segment).exit_code, EPERM);
  EXPECT_EQ(
      RunConfined({}, [] { return ::semget(IPC_PRIVATE, 1, 0600) >= 0 ? 0 : errno; }).exit_code,
      EPERM);
  EXPECT_EQ(RunConfined({}, [] { return ::msgget(IPC_PRIVATE, 0600) >= 0 ? 0 : errno; }).exit_code,
            EPERM);
}

TEST(Sandbox, SecondStageClosesFiles) {
  if (!Active("seccomp")) GTEST_SKIP() << "this machine has no seccomp filters";
  Profile p;
  p.readable = {"/etc"};
  p.syscalls = Syscalls::kLoad;
  auto act = [] {
    if (OpenPasswd() != 0) return 1;
    if (!Narrow(Syscalls::kKernel).ok()) return 2;
    return OpenPasswd() == EPERM ? 0 : 3;
  };
  EXPECT_EQ(RunConfined(p, act).exit_code, 0);
}

TEST(Child, CollectsReplyAndConsole) {
  auto out = InChild([](int fd) {
    WriteAll(fd, std::string(1 << 20, 'r'));
    WriteAll(1, "hello");
    return 7;
  });
  EXPECT_EQ(out.end, End::kExited);
  EXPECT_EQ(out.exit_code, 7);
  EXPECT_EQ(out.reply.size(), 1u << 20);
  EXPECT_EQ(out.console, "hello");
}

TEST(Child, FloodIsStopped) {
  ChildLimits limits;
  limits.reply_bytes = 1000;
  auto out = InChild(
      [](int fd) {
        while (WriteAll(fd, "xxxxxxxxxxxxxxxx")) {}
        return 0;
      },
      limits);
  EXPECT_EQ(out.end, End::kFlooded);
}

TEST(Child, MemoryThatItTouchedIsLimitedSharedOrNot) {
#ifdef AKGEN_SANITIZED
  GTEST_SKIP() << "the sanitizers' shadow is touched with it";
#endif
  constexpr size_t kBytes = 512u << 20;
  auto touch = [](int kind) {
    void* p = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS | MAP_NORESERVE,
                     -1, 0);
    for (size_t i = 0; p != MAP_FAILED && i < kBytes; i += 4096)
      static_cast<volatile char*>(p)[i] = 1;
    ::usleep(300000);
    return p == MAP_FAILED ? 1 : 0;
  };
  ChildLimits limits;
  for (int kind : {MAP_PRIVATE, MAP_SHARED}) {
    limits.resident_bytes = 2 * kBytes;
    EXPECT_EQ(InChild([&](int) { return touch(kind); }, limits).exit_code, 0);
    limits.resident_bytes = kBytes / 2;
    EXPECT_EQ(InChild([&](int) { return touch(kind); }, limits).end, End::kTooLarge);
  }
}

TEST(Sandbox, ConfinedCodeMakesNoMemoryThatNobodyCounts) {
  if (!Active("seccomp")) GTEST_SKIP() << "this machine has no seccomp filters";
  auto make = [] { return ::memfd_create("hoard", 0) >= 0 ? 0 : errno; };
  ASSERT_EQ(InChild([&](int) { return make(); }).exit_code, 0);
  for (Syscalls stage : {Syscalls::kLoad, Syscalls::kKernel}) {
    Profile p = Kernel();
    p.syscalls = stage;
    EXPECT_EQ(RunConfined(p, make).exit_code, EPERM);
  }
}

TEST(Child, GrandchildrenDieWithIt) {
  auto out = InChild([](int fd) {
    pid_t p = ::fork();
    if (p == 0)
      for (;;) ::pause();
    WriteAll(fd, std::to_string(p));
    return 0;
  });
  pid_t grandchild = pid_t(std::stol(out.reply));
  // Reaped by whoever adopts orphans; until then it may be a zombie, never running.
  for (int i = 0; i < 200; ++i) {
    std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
    std::string pid, name, state;
    if (!(stat >> pid >> name >> state) || state == "Z") return;
    ::usleep(10000);
  }
  FAIL() << "process " << grandchild << " still runs";
}

TEST(Child, DiesWhenThePeerLeaves) {
  int pair[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  base::Fd ours(pair[0]), theirs(pair[1]);
  ChildLimits limits;
  limits.watch_fd = ours.get();
  theirs = base::Fd();
  EXPECT_EQ(InChild(
                [](int) {
                  ::sleep(30);
                  return 0;
                },
                limits)
                .end,
            End::kPeerGone);
}

// Confined once, the process may not make a new sandbox: the second attempt says which layer
// failed.
TEST(Sandbox, FailedLayerIsAnError) {
  if (!Active("seccomp") && !Active("landlock")) GTEST_SKIP() << "no layer here could fail";
  ChildOutcome o = InChild([](int) {
    if (!Confine(Kernel()).ok()) return 250;
    auto again = Confine(Kernel());
    return again.ok() ? 1 : again.error().code == "AK0020" ? 0 : 2;
  });
  EXPECT_EQ(o.end, End::kExited);
  EXPECT_EQ(o.exit_code, 0);
}

TEST(Sandbox, ChildWithoutDescriptorsIsAnError) {
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  auto child = RunChild([](int) { return 0; }, {});
  ::setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_FALSE(child.ok());
  EXPECT_EQ(child.error().code, "AK0021");
  EXPECT_TRUE(RunChild([](int) { return 0; }, {}).ok());
}

}  // namespace
}  // namespace akgen::sandbox
