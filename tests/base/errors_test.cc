// each error of the base module: what causes it, and the same act when all is well.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/channel.h"
#include "base/files.h"

namespace akgen::base {
namespace fs = std::filesystem;
namespace {

struct Pair {
  Channel here;
  Fd there;
};

Pair MakePair() {
  int fds[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  return {Channel(Fd(fds[0])), Fd(fds[1])};
}

TEST(Errors, SayWhereAndWhatToDoWhereTheyKnow) {
  EXPECT_EQ((Error{"AK1", "m", "w", "f"}.ToString()), "error[AK1]: m\n  at w\n  fix: f");
  EXPECT_EQ((Error{"AK1", "m", "", ""}.ToString()), "error[AK1]: m");
}

TEST(Files, ReadErrorsNameTheFile) {
  auto dir = TempDir::Create();
  ASSERT_TRUE(dir.ok());
  auto missing = ReadFile(dir->path() / "missing");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, "AK0001");
  EXPECT_EQ(missing.error().where, (dir->path() / "missing").string());
  EXPECT_EQ(ReadFile(dir->path()).error().code, "AK0001");
}

TEST(Files, WriteErrorsLeaveNothingBehind) {
  auto dir = TempDir::Create();
  ASSERT_TRUE(dir.ok());
  auto status = WriteFileAtomic(dir->path() / "no_such_folder" / "file", "x");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, "AK0002");
  EXPECT_TRUE(std::filesystem::is_empty(dir->path()));
}

TEST(Files, WrittenTextIsReadAgain) {
  auto dir = TempDir::Create();
  ASSERT_TRUE(dir.ok());
  ASSERT_TRUE(WriteFileAtomic(dir->path() / "file", "text").ok());
  auto text = ReadFile(dir->path() / "file");
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, "text");
}

TEST(Files, ALinkStaysOneAndWhatItLeadsToIsWritten) {
  auto dir = TempDir::Create();
  ASSERT_TRUE(dir.ok());
  fs::create_directory(dir->path() / "far");
  fs::create_symlink("far/file", dir->path() / "near");  // what it leads to is not there yet
  fs::create_symlink(dir->path() / "near", dir->path() / "link");
  for (const char* text : {"first", "second"}) {
    ASSERT_TRUE(WriteFileAtomic(dir->path() / "link", text).ok());
    EXPECT_TRUE(fs::is_symlink(dir->path() / "link") && fs::is_symlink(dir->path() / "near"));
    EXPECT_EQ(*ReadFile(dir->path() / "far/file"), text);
  }
  fs::permissions(dir->path() / "far/file", fs::perms::owner_read);  // and who may read it stays
  ASSERT_TRUE(WriteFileAtomic(dir->path() / "near", "third").ok());
  EXPECT_EQ(fs::status(dir->path() / "far/file").permissions(), fs::perms::owner_read);
  fs::create_symlink("loop", dir->path() / "loop");
  EXPECT_EQ(WriteFileAtomic(dir->path() / "loop", "x").error().code, "AK0002");
  EXPECT_TRUE(fs::is_symlink(dir->path() / "loop"));
  EXPECT_EQ(WriteFileAtomic(dir->path() / "far", "x").error().code, "AK0002");
}

TEST(Files, WhatIsNoFileIsWrittenIntoAndNeverReplaced) {
  auto dir = TempDir::Create();
  ASSERT_TRUE(dir.ok());
  const fs::path pipe = dir->path() / "pipe", null = dir->path() / "null",
                 link = dir->path() / "link";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink(pipe, link);
  for (const fs::path& way : {pipe, link}) {
    Fd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK));
    ASSERT_TRUE(WriteFileAtomic(way, "text").ok());
    char read[8] = {};
    EXPECT_EQ(::read(reader.get(), read, sizeof read), 4);
    EXPECT_STREQ(read, "text");
  }
  EXPECT_TRUE(fs::is_fifo(pipe));
  if (::mknod(null.c_str(), S_IFCHR | 0666, makedev(1, 3)) ==
      0) {  // as root: a /dev/null of our own
    EXPECT_TRUE(WriteFileAtomic(null, "text").ok());
    EXPECT_TRUE(fs::is_character_file(null));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(dir->path()), fs::directory_iterator()),
            fs::exists(null) ? 3 : 2);
}

TEST(Files, OurStandardOutputKeepsWhatIsThere) {
  auto dir = TempDir::Create();
  ASSERT_TRUE(dir.ok());
  const fs::path file = dir->path() / "out.txt";
  const pid_t child = ::fork();
  if (child == 0) {
    if (!std::freopen(file.c_str(), "w", stdout)) ::_exit(1);
    std::fputs("printed ", stdout);
    const bool ok =
        WriteFileAtomic("/dev/stdout", "written ").ok() && WriteFileAtomic(file, "again").ok();
    std::fflush(stdout);
    ::_exit(ok ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*ReadFile(file), "printed written again");
}

// Of a folder's owner, dead or alive, its lock tells: sweeping is tests/cli/manners_test.py's.
TEST(Files, ATemporaryFolderIsLockedAsLongAsItsOwnerLives) {
  auto locked = [](const fs::path& folder) {
    Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY));
    EXPECT_TRUE(fd.valid());
    return ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0;
  };
  auto mine = TempDir::Create();
  ASSERT_TRUE(mine.ok());
  EXPECT_TRUE(locked(mine->path()));
  TempDir moved = std::move(*mine);
  EXPECT_TRUE(locked(moved.path()));
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("TMPDIR", moved.path().c_str(), 1);  // elsewhere others clear what the dead left
    auto left = TempDir::Create();
    const std::string path = left.ok() ? left->path().string() : "";
    (void)!::write(ends[1], path.data(), path.size());
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  char path[256] = {};
  ASSERT_GT(::read(ends[0], path, sizeof path - 1), 0);
  EXPECT_TRUE(fs::path(path).filename().string().starts_with("akgen-tmp-" + RunningKernel() + "-"));
  EXPECT_FALSE(locked(path));
  fs::remove_all(path);
  ::close(ends[0]), ::close(ends[1]);
}

TEST(SharedMemory, NoDescriptorIsLeft) {
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  auto memory = SharedMemory::Create("test", 4096);
  ::setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_FALSE(memory.ok());
  EXPECT_EQ(memory.error().code, "AK0003");
}

TEST(SharedMemory, HoldsWhatIsWritten) {
  auto memory = SharedMemory::Create("test", 4096);
  ASSERT_TRUE(memory.ok());
  memory->data()[4095] = 7;
  auto again = SharedMemory::Map(::dup(memory->fd()), 4096, false);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->data()[4095], 7);
}

TEST(Channel, PeerIsGone) {
  Pair p = MakePair();
  p.there = Fd();
  auto message = p.here.Receive(1000);
  ASSERT_FALSE(message.ok());
  EXPECT_EQ(message.error().code, "AK0010");
}

TEST(Channel, NobodyAnswers) {
  Pair p = MakePair();
  auto message = p.here.Receive(10);
  ASSERT_FALSE(message.ok());
  EXPECT_EQ(message.error().code, "AK0011");
}

TEST(Channel, GarbageIsNoMessage) {
  Pair p = MakePair();
  const uint32_t head[2] = {3, 0};
  ASSERT_EQ(::write(p.there.get(), head, sizeof head), ssize_t(sizeof head));
  ASSERT_EQ(::write(p.there.get(), "{{{", 3), 3);
  auto message = p.here.Receive(1000);
  ASSERT_FALSE(message.ok());
  EXPECT_EQ(message.error().code, "AK0012");
  const uint32_t huge[2] = {~0u, 0};
  ASSERT_EQ(::write(p.there.get(), huge, sizeof huge), ssize_t(sizeof huge));
  EXPECT_EQ(p.here.Receive(1000).error().code, "AK0012");
}

TEST(Channel, AMessageThatStopsInTheMiddleIsNotWaitedFor) {
  Pair p = MakePair();
  ASSERT_EQ(::write(p.there.get(), "\x40\0\0", 3), 3);
  EXPECT_EQ(p.here.Receive(100).error().code, "AK0012");
  const char text[] = "\x02\0\0\0\0\0\0\0{}";
  p = MakePair();
  for (size_t i = 0; i + 1 < sizeof text; ++i) ASSERT_EQ(::write(p.there.get(), text + i, 1), 1);
  EXPECT_TRUE(p.here.Receive(100).ok());
}

TEST(Channel, CarriesJson) {
  Pair p = MakePair();
  Channel there(std::move(p.there));
  ASSERT_TRUE(there.Send({{"a", 1}}).ok());
  auto message = p.here.Receive(1000);
  ASSERT_TRUE(message.ok());
  EXPECT_EQ(message->body["a"], 1);
}

TEST(Json, AnotherShapeIsAnError) {
  const Json j = Parse("{\"a\": [1], \"b\": \"text\"}");
  auto read = [&](const char* key) {
    return Checked("file.json", [&]() -> Result<int> {
      return j[key].get<int>();
    });  // missing: was undefined behaviour
  };
  for (const char* key : {"a", "b", "missing"}) {
    auto got = read(key);
    ASSERT_FALSE(got.ok()) << key;
    EXPECT_EQ(got.error().code, "AK0014");
    EXPECT_EQ(got.error().where, "file.json");
  }
}

TEST(Json, TextOfAnyBytesIsWritten) {
  EXPECT_EQ(Dump(Json{{"a", "x\xff"}}), "{\"a\":\"x\xef\xbf\xbd\"}");
}

TEST(Json, DeepTextIsNoJson) {
  EXPECT_FALSE(Parse(std::string(200, '[') + std::string(200, ']')).is_discarded());
  EXPECT_TRUE(Parse(std::string(100000, '[') + std::string(100000, ']')).is_discarded());
  EXPECT_FALSE(Parse("\"" + std::string(1000, '[') + "\"").is_discarded());
}

TEST(SharedMemory, NobodyChangesItsSize) {
  auto memory = SharedMemory::Create("test", 4096);
  ASSERT_TRUE(memory.ok());
  EXPECT_NE(::ftruncate(memory->fd(), 0), 0);
  EXPECT_NE(::ftruncate(memory->fd(), 8192), 0);
  memory->data()[4095] = 1;  // was SIGBUS after a truncation
}

TEST(Helper, MissingProgramIsNamed) {
  auto helper = HelperProcess::Start("akgen-no-such-helper");
  ASSERT_FALSE(helper.ok());
  EXPECT_EQ(helper.error().code, "AK0013");
  EXPECT_NE(helper.error().where.find("akgen-no-such-helper"), std::string::npos);
}

}  // namespace
}  // namespace akgen::base
