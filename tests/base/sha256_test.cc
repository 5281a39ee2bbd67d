// SHA-256 against the examples of FIPS 180-4, and the hash of a folder.
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/hash.h"

namespace akgen::base {
namespace {
TEST(Sha256, PublishedExamples) {
  EXPECT_EQ(Sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, EveryLengthOfTheTailDiffers) {
  std::string last;
  for (size_t n = 0; n < 130; ++n) {
    std::string now = Sha256(std::string(n, 'x'));
    EXPECT_NE(now, last);
    EXPECT_EQ(now.size(), 64u);
    last = now;
  }
}

TEST(FolderHash, NamesAndContentsCount) {
  auto dir = TempDir::Create();
  ASSERT_TRUE(dir.ok());
  EXPECT_EQ(HashOfFolder(dir->path() / "absent"), "");
  std::string none = HashOfFolder(dir->path());
  EXPECT_NE(none, "");
  ASSERT_TRUE(WriteFileAtomic(dir->path() / "a", "1").ok());
  std::string one = HashOfFolder(dir->path());
  EXPECT_NE(one, none);
  ASSERT_TRUE(WriteFileAtomic(dir->path() / "a", "2").ok());
  std::string other = HashOfFolder(dir->path());
  EXPECT_NE(one, other);
  std::filesystem::rename(dir->path() / "a", dir->path() / "b");
  std::string renamed = HashOfFolder(dir->path());
  EXPECT_NE(renamed, other);
  std::filesystem::create_symlink("/etc/passwd", dir->path() / "link");
  std::string linked = HashOfFolder(dir->path());
  EXPECT_NE(linked, renamed);
  std::filesystem::remove(dir->path() / "link");
  EXPECT_EQ(HashOfFolder(dir->path()), renamed);
}
}  // namespace
}  // namespace akgen::base
