#include "serve/task_choice.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"

namespace akgen::serve {
namespace {
namespace fs = std::filesystem;

// A copy of a task of the benchmark under another name: one of the user's own.
struct OwnTasks {
  OwnTasks() : dir(std::move(*base::TempDir::Create())) {
    Add("mine/level1/Math/Half", "Half");
    Add("mine/Other", "Other");
  }
  void Add(const std::string& below, const std::string& name) const {
    const fs::path from = task::LoadTask("Sqrt")->folder, to = dir.path() / below;
    fs::create_directories(to.parent_path());
    fs::copy(from, to, fs::copy_options::recursive);
    std::string toml = *base::ReadFile(to / "task.toml");
    const size_t at = toml.find("\"Sqrt\"");
    ASSERT_NE(at, std::string::npos);
    toml.replace(at, 6, "\"" + name + "\"");
    ASSERT_TRUE(base::WriteFileAtomic(to / "task.toml", toml).ok());
  }
  std::string Folder() const { return (dir.path() / "mine").string(); }
  base::TempDir dir;
};

std::string Text(const TaskChoice& choice) {
  std::string out;
  for (const TaskSplit& s : choice.splits) {
    out += s.name + "(" + s.type + ")";
    if (s.tasks.size() <= 3)
      for (size_t i : s.tasks) out += " " + choice.all[i].name;
    out += "; ";
  }
  return out;
}

TEST(TaskChoice, TheBenchmarkIsNothingToTrainOn) {
  const TaskChoice choice = BenchmarkTasks();
  EXPECT_GT(choice.all.size(), 100u);
  EXPECT_EQ(choice.splits.size(), 4u);
  for (const TaskSplit& s : choice.splits) EXPECT_EQ(s.type, "test") << s.name;
  EXPECT_EQ(choice.splits[0].name, "all");
  EXPECT_EQ(choice.splits[0].tasks.size(), choice.all.size());
  for (const char* words : {"train=level1", "train=Sqrt", "train=all"}) {
    auto refused = ChooseTasks({words});
    ASSERT_FALSE(refused.ok()) << words;
    EXPECT_EQ(refused.error().code, "AK0912");
  }
  EXPECT_EQ(Text(*ChooseTasks({"dev=level1", "Sqrt"})), "all(test); dev(test); tasks(test) Sqrt; ");
}

TEST(TaskChoice, FoldersOfTheUser) {
  const OwnTasks own;
  EXPECT_EQ(Text(*ChooseTasks({own.Folder()})), "all(train) Other Half; mine(train) Other Half; ");
  EXPECT_EQ(Text(*ChooseTasks({own.Folder() + "/"})),
            "all(train) Other Half; mine(train) Other Half; ");
  EXPECT_EQ(Text(*ChooseTasks(
                {"train=" + own.Folder(), "test=Sqrt", "validation=" + own.Folder() + "/Other"})),
            "all(test) Other Half Sqrt; test(test) Sqrt; train(train) Other Half; "
            "validation(validation) Other; ");
}

TEST(TaskChoice, WhatMakesNoSense) {
  const OwnTasks own;
  own.Add("again/Half", "Half");
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"NoSuchTask"},
                                             {own.dir.path().string() + "/nowhere"},
                                             {own.Folder(), own.dir.path().string() + "/again"}}) {
    auto refused = ChooseTasks(words);
    ASSERT_FALSE(refused.ok()) << words[0];
    EXPECT_EQ(refused.error().code, "AK0101");
  }
}

}  // namespace
}  // namespace akgen::serve
