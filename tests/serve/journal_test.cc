#include "serve/journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "base/files.h"

namespace akgen::serve {
namespace {
// Files of this process cannot grow beyond `bytes` while it lives: a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST(Journal, AnEndThatTheDiskRefusesIsToldAndWrittenLater) {
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir.ok());
  const auto file = dir->path() / "jobs.db";
  const std::string answer(400000, 'a');
  {
    auto journal = Journal::Open(file);
    ASSERT_TRUE(journal.ok());
    ASSERT_TRUE((*journal)->Accept({"1", "me", "k", "f", "{}", "", 0}).ok());
    ASSERT_TRUE((*journal)->Accept({"2", "me", "", "f", "{}", "", 0}).ok());
    {
      FullDisk full(200000);
      EXPECT_FALSE((*journal)->End("1", answer, false).ok());
      ASSERT_TRUE((*journal)->ById("1"));
      EXPECT_EQ((*journal)->ById("1")->answer, answer);
      EXPECT_EQ((*journal)->ByKey("me", "k")->answer, answer);
    }
    EXPECT_TRUE((*journal)->End("2", "b", false).ok());
  }
  auto again = Journal::Open(file);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)->ById("1")->answer, answer);
  EXPECT_TRUE((*again)->Unended().empty());
}
}  // namespace
}  // namespace akgen::serve
