// Faults of the machine and of neighbours on the same cache are not the source's; faults of the
// source are not ours.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "base/files.h"
#include "toolchain/builder.h"

namespace akgen::toolchain {
namespace {
namespace fs = std::filesystem;
constexpr int kArch = 2201;

constexpr const char* kSmall = "extern \"C\" int f() { return 1; }\n";
constexpr const char* kLarge =
    "extern \"C\" int f(int i) { static int a[1 << 18] = {1}; return a[i & 7]; }\n";  // 1 MiB
constexpr const char* kWithHeader =
    "#include \"kernel_operator.h\"\nextern \"C\" int f() { return 1; }\n";

class BuilderFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    auto dir = base::TempDir::Create();
    ASSERT_TRUE(dir.ok());
    dir_ = std::make_unique<base::TempDir>(std::move(*dir));
    cache_ = dir_->path() / "cache";
    fs::create_directories(cache_);
    ::setenv("AKGEN_CACHE", cache_.c_str(), 1);
  }
  static BuildReply Build(Builder& builder, const std::string& text,
                          const std::string& project = "/project") {
    BuildRequest r;
    r.device.arch = kArch;
    r.sources = {{project + "/k.cpp", text}};
    r.project_dir = project;
    auto reply = builder.Build(r);
    EXPECT_TRUE(reply.ok()) << reply.error().ToString();
    return reply.ok() ? std::move(*reply) : BuildReply{};
  }
  static BuildReply BuildAlone(const std::string& text, const std::string& project = "/project") {
    auto builder = Builder::Start();
    EXPECT_TRUE(builder.ok());
    return builder.ok() ? Build(*builder, text, project) : BuildReply{};
  }

  std::unique_ptr<base::TempDir> dir_;
  fs::path cache_;
};

// The only child of a process.
pid_t HelperOf(pid_t parent) {
  auto children = base::ReadFile("/proc/" + std::to_string(parent) + "/task/" +
                                 std::to_string(parent) + "/children");
  return children.ok() && !children->empty() ? pid_t(std::stol(*children)) : 0;
}

class SmallDisk : public BuilderFaults {
 protected:
  void SetUp() override {
    BuilderFaults::SetUp();
    if (!Mount("64k", 0)) GTEST_SKIP() << "mounting a small disk needs root";
  }
  void TearDown() override { ::umount2(cache_.c_str(), MNT_DETACH); }
  bool Mount(const std::string& size, unsigned long flags) {
    return ::mount("tmpfs", cache_.c_str(), "tmpfs", flags, ("size=" + size).c_str()) == 0;
  }
};

TEST_F(SmallDisk, FullIsNeverTheSourcesFaultNorKept) {
  int faults = 0;
  for (const char* text : {kLarge, kWithHeader})
    // From hardly a folder to all that a build needs; a precompiled header takes some 20 MiB.
    for (const char* size : {"12k", "24k", "64k", "200k", "1100k", "1500k", "2500k", "6m", "30m"}) {
      ::umount2(cache_.c_str(), MNT_DETACH);
      ASSERT_TRUE(Mount(size, 0));
      BuildReply r = BuildAlone(text);
      EXPECT_TRUE(r.ok || r.failure == "infra")
          << size << ": " << r.failure << " " << r.FirstError();
      faults += !r.ok;
      ASSERT_TRUE(Mount("400m", MS_REMOUNT));
      r = BuildAlone(text);  // what the first attempt has left is no trap
      EXPECT_TRUE(r.ok) << size << ": " << r.failure << " " << r.FirstError();
    }
  EXPECT_GE(faults, 4);
}

TEST_F(BuilderFaults, ALimitOfTheMachineOnFilesIsNotTheSourcesFault) {
  auto build = [] {
    rlimit limit{256 << 10, 256 << 10};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    BuildReply r = BuildAlone(kLarge);
    ::_exit(r.failure == "infra" ? 0 : 1);
  };
  EXPECT_EXIT(build(), ::testing::ExitedWithCode(0), "");
  EXPECT_TRUE(BuildAlone(kLarge).ok);
}

// As another PID namespace or another machine would: the number in the name is that of nobody here.
TEST_F(BuilderFaults, ALivingNeighbourKeepsItsFolder) {
  fs::path alive = cache_ / "tmp/builder-999999999", dead = cache_ / "tmp/builder-999999998";
  for (const auto& dir : {alive, dead}) {
    fs::create_directories(dir / "0");
    std::ofstream(dir / "lock").put('\n');
    fs::last_write_time(dir / "lock", fs::file_time_type::clock::now() - std::chrono::hours(48));
  }
  base::Fd held(::open((alive / "lock").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::flock(held.get(), LOCK_EX), 0);
  EXPECT_TRUE(BuildAlone(kSmall).ok);
  EXPECT_TRUE(fs::exists(alive / "0"));
  EXPECT_FALSE(fs::exists(dead));
}

// By whose folder it is, whether it has a lock, and how long ago that was touched.
TEST_F(BuilderFaults, FoldersOfNobodyGoWhenTheyAreOld) {
  using std::chrono::minutes;
  struct Left {
    std::string name;
    bool lock;
    minutes age;
    bool goes;
  };
  const minutes day(24 * 60), little(1);
  const std::string here = "builder-" + base::RunningKernel() + "-";
  const std::vector<Left> left = {{"builder-elsewhere-new", true, minutes(0), false},
                                  {"builder-elsewhere-day", true, day - little, false},
                                  {"builder-elsewhere-old", true, day + little, true},
                                  {"builder-elsewhere-open-new", false, minutes(0), false},
                                  {"builder-elsewhere-open-day", false, day - little, false},
                                  {"builder-elsewhere-open-old", false, day + little, true},
                                  {here + "new", true, minutes(0), true},
                                  {here + "open-day", false, day - little, false},
                                  {here + "open-old", false, day + little, true},
                                  {"another-old", true, day + little, false}};
  for (const Left& l : left) {
    const fs::path dir = cache_ / "tmp" / l.name;
    fs::create_directories(dir);
    if (l.lock) std::ofstream(dir / "lock").put('\n');
    fs::last_write_time(l.lock ? dir / "lock" : dir, fs::file_time_type::clock::now() - l.age);
  }
  ASSERT_TRUE(Builder::Start().ok());
  for (const Left& l : left) EXPECT_EQ(fs::exists(cache_ / "tmp" / l.name), !l.goes) << l.name;
}

TEST_F(BuilderFaults, AKilledBuildersFolderGoes) {
  auto builders = [&] {
    int n = 0;
    for (const auto& entry : fs::directory_iterator(cache_ / "tmp")) n += entry.is_directory();
    return n;
  };
  pid_t client = ::fork();
  if (client == 0) {
    auto builder = Builder::Start();
    if (builder.ok()) (void)builder->Build({.sources = {{"/project/k.cpp", kSmall}}});
    ::kill(HelperOf(::getpid()), SIGKILL);
    ::_exit(0);
  }
  ::waitpid(client, nullptr, 0);
  ASSERT_EQ(builders(), 1);
  auto builder = Builder::Start();
  ASSERT_TRUE(builder.ok());
  EXPECT_TRUE(Build(*builder, kSmall).ok);
  EXPECT_EQ(builders(), 1);  // its own
}

TEST_F(BuilderFaults, AFolderThatVanishesIsMadeAgain) {
  auto builder = Builder::Start();
  ASSERT_TRUE(builder.ok());
  EXPECT_TRUE(Build(*builder, kSmall).ok);
  fs::remove_all(cache_ / "tmp");
  EXPECT_TRUE(Build(*builder, kLarge).ok);
}

TEST_F(BuilderFaults, AnObjectCutShortIsBuiltAgain) {
  BuildReply first = BuildAlone(kSmall);
  ASSERT_TRUE(first.ok);
  fs::resize_file(first.so, 100);
  BuildReply again = BuildAlone(kSmall);
  EXPECT_TRUE(again.ok);
  EXPECT_FALSE(again.cached);
  EXPECT_GT(fs::file_size(again.so), 100u);
}

// Stopped as soon as it is there, as on a machine that has no time for it.
TEST_F(BuilderFaults, ACompilerWithoutProcessorTimeIsNotTheSourcesFaultNorKept) {
  auto builder = Builder::Start();
  ASSERT_TRUE(builder.ok());
  EXPECT_TRUE(Build(*builder, kWithHeader).ok);
  const pid_t server = HelperOf(::getpid());
  ASSERT_GT(server, 0);
  std::atomic<bool> stopped = false;
  std::thread machine([&] {
    pid_t compiler = 0;
    while ((compiler = HelperOf(server)) == 0) std::this_thread::yield();
    stopped = ::kill(compiler, SIGSTOP) == 0;
  });
  BuildRequest request;
  request.device.arch = kArch;
  request.sources = {{"/project/k.cpp", kLarge}};
  request.project_dir = "/project";
  request.wall_ms = 3000;
  auto starved = builder->Build(request);
  machine.join();
  ASSERT_TRUE(starved.ok()) << starved.error().ToString();
  EXPECT_TRUE(stopped);
  EXPECT_EQ(starved->failure, "infra") << starved->FirstError();
  BuildReply again = Build(*builder, kLarge);
  EXPECT_TRUE(again.ok) << again.FirstError();
  EXPECT_FALSE(again.cached);
}

TEST_F(BuilderFaults, TooManyFilesAreTheProjectsFault) {
  fs::path project = dir_->path() / "many";
  fs::create_directories(project);
  for (int i = 0; i < 5001; ++i) std::ofstream(project / ("h" + std::to_string(i) + ".h"));
  BuildReply r = BuildAlone(kSmall, project.string());
  EXPECT_EQ(r.failure, "diagnostics");
  EXPECT_NE(r.FirstError().find("AK0303"), std::string::npos) << r.FirstError();
}

TEST_F(BuilderFaults, TheKeyFollowsHeadersThatMayBeRead) {
  fs::path outside = dir_->path() / "outside";
  fs::create_directories(outside);
  auto builder = Builder::Start();
  ASSERT_TRUE(builder.ok());
  auto key = [&](const char* used, const char* unused) {
    EXPECT_TRUE(base::WriteFileAtomic(outside / "used.h", used).ok());
    EXPECT_TRUE(base::WriteFileAtomic(outside / "unused.h", unused).ok());
    BuildRequest r;
    r.device.arch = kArch;
    r.sources = {{"/project/k.cpp", "#include \"used.h\"\n"}};
    r.include_dirs = {outside.string()};
    r.only_key = true;
    auto reply = builder->Build(r);
    EXPECT_TRUE(reply.ok() && reply->so.empty());
    return reply.ok() ? reply->key : "";
  };
  std::string one = key("// 1\n", "// 1\n");
  EXPECT_FALSE(one.empty());
  EXPECT_EQ(key("// 1\n", "// 2\n"), one);
  EXPECT_NE(key("// 2\n", "// 2\n"), one);
}
}  // namespace
}  // namespace akgen::toolchain
