#include "base/folder_watch.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

namespace akgen::base {
namespace {
namespace fs = std::filesystem;

TEST(FolderWatch, EveryChangeIsTold) {
  struct Row {
    const char* what;
    std::function<void(const fs::path&)> change;
    bool told;
  };
  auto write = [](const fs::path& p, const char* text) { std::ofstream(p) << text; };
  const Row rows[] = {
      {"nothing", [](const fs::path&) {}, false},
      {"read", [](const fs::path& d) { (void)ReadFile(d / "a.h"); }, false},
      {"written", [&](const fs::path& d) { write(d / "a.h", "2"); }, true},
      {"replaced", [](const fs::path& d) { (void)WriteFileAtomic(d / "a.h", "2"); }, true},
      {"made", [&](const fs::path& d) { write(d / "b.h", ""); }, true},
      {"renamed", [](const fs::path& d) { fs::rename(d / "a.h", d / "b.h"); }, true},
      {"moved away", [](const fs::path& d) { fs::rename(d / "a.h", d.parent_path() / "a.h"); },
       true},
      {"removed", [](const fs::path& d) { fs::remove(d / "a.h"); }, true},
      {"its time", [](const fs::path& d) { fs::last_write_time(d / "a.h", {}); }, true},
      {"below", [&](const fs::path& d) { write(d / "sub" / "a.h", "2"); }, true},
      {"a folder", [](const fs::path& d) { fs::create_directory(d / "new"); }, true},
      {"the folder itself", [](const fs::path& d) { fs::remove_all(d); }, true},
      {"another folder in its place",
       [&](const fs::path& d) {
         fs::rename(d.parent_path(), d.parent_path().string() + "-old");
         fs::create_directories(d / "sub");
       },
       true},
      {"beside it", [&](const fs::path& d) { write(d.parent_path() / "b.h", ""); }, false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    auto temp = TempDir::Create();
    ASSERT_TRUE(temp.ok());
    const fs::path dir = temp->path() / "above" / "watched";
    fs::create_directories(dir / "sub");
    write(dir / "a.h", "1");
    write(dir / "sub" / "a.h", "1");
    auto watch = FolderWatch::On({dir, dir / "sub"});
    if (!watch) GTEST_SKIP() << "the system does not tell of changes in " << dir;
    EXPECT_FALSE(watch->Changed());
    row.change(dir);
    EXPECT_EQ(watch->Changed(), row.told);
    EXPECT_EQ(watch->Changed(), row.told);
  }
}

TEST(FolderWatch, WhatCannotBeWatchedIsNot) {
  auto temp = TempDir::Create();
  ASSERT_TRUE(temp.ok());
  std::ofstream(temp->path() / "file") << "";
  EXPECT_FALSE(FolderWatch::On({}));
  EXPECT_FALSE(FolderWatch::On({temp->path(), temp->path() / "absent"}));
  EXPECT_FALSE(FolderWatch::On({temp->path() / "file"}));
  EXPECT_FALSE(FolderWatch::On({"/proc/self"}));
}
}  // namespace
}  // namespace akgen::base
