#include "serve/task_choice.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace akgen::serve {
namespace fs = std::filesystem;
using base::Error;
using base::Result;
using task::TaskInfo;

namespace {
constexpr int kDeepest = 4;  // folders of tasks below the one that is named: level, category, task
constexpr const char* kTypes[] = {"train", "validation", "test"};

struct Chosen {
  std::string split;
  TaskInfo task;
  bool benchmark = false;
};

bool IsLevel(const std::string& word) {
  return word.size() == 6 && word.starts_with("level") && word[5] >= '1' && word[5] <= '9';
}

base::Status AddFolder(const fs::path& folder, int depth, std::vector<TaskInfo>& out) {
  std::error_code ec;
  if (fs::exists(folder / "task.toml", ec)) {
    auto task = task::LoadTaskFolder(folder);
    if (!task.ok()) return task.error();
    out.push_back({task->name, task->category, task->level, folder});
    return {};
  }
  std::vector<fs::path> below;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
    if (it->is_directory(ec)) below.push_back(it->path());
  std::sort(below.begin(), below.end());
  for (const fs::path& sub : below)
    if (depth > 0)
      if (auto s = AddFolder(sub, depth - 1, out); !s.ok()) return s;
  return {};
}

bool IsBelow(const fs::path& path, const fs::path& root) {
  std::error_code ec;
  const auto a = fs::weakly_canonical(path, ec).string(),
             b = fs::weakly_canonical(root, ec).string();
  return a == b || a.starts_with(b + "/");
}

Result<std::vector<Chosen>> ChosenBy(const std::string& argument) {
  const size_t equals = argument.find('=');
  std::string split = equals == std::string::npos ? "" : argument.substr(0, equals);
  const std::string word = equals == std::string::npos ? argument : argument.substr(equals + 1);
  std::vector<TaskInfo> tasks;
  std::string otherwise = "tasks";
  std::error_code ec;
  if (word == "all" || IsLevel(word)) {
    tasks = task::ListTasks();
    if (word != "all")
      std::erase_if(tasks, [&](const TaskInfo& t) { return t.level != word[5] - '0'; });
    otherwise = word == "all" ? "benchmark" : word;
  } else if (fs::is_directory(word, ec) &&
             (word.find('/') != std::string::npos || !task::LoadTask(word).ok())) {
    const fs::path folder = fs::absolute(word, ec).lexically_normal();
    if (auto s = AddFolder(folder, kDeepest, tasks); !s.ok()) return s.error();
    otherwise = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  } else {
    auto task = task::LoadTask(word);
    if (!task.ok()) return task.error();
    tasks.push_back({task->name, task->category, task->level, task->folder});
  }
  if (tasks.empty())
    return Error{"AK0101", "there is no task here", word,
                 "name a folder with a task.toml in it or below it"};
  std::vector<Chosen> out;
  const fs::path benchmark = base::HomeDir() / "tasks";
  for (TaskInfo& t : tasks) {
    const bool own = !IsBelow(t.folder, benchmark);
    out.push_back({split.empty() ? otherwise : split, std::move(t), !own});
  }
  return out;
}

std::string TypeOf(const std::string& split, bool benchmark) {
  for (const char* type : kTypes)
    if (split == type) return type;
  return benchmark ? "test" : "train";
}

// Index of the task; AK0101 where another one has its name.
Result<size_t> PutIn(TaskChoice& choice, const TaskInfo& t) {
  auto same = std::find_if(choice.all.begin(), choice.all.end(),
                           [&](const TaskInfo& o) { return o.name == t.name; });
  std::error_code ec;
  if (same != choice.all.end() && !fs::equivalent(same->folder, t.folder, ec))
    return Error{"AK0101", "two tasks have the name " + t.name, t.folder.string(),
                 "rename one of them: the other one is " + same->folder.string()};
  if (same != choice.all.end()) return static_cast<size_t>(same - choice.all.begin());
  choice.all.push_back(t);
  return choice.all.size() - 1;
}

void AddTo(TaskChoice& choice, const std::string& split, const std::string& type, size_t task) {
  auto it = std::find_if(choice.splits.begin(), choice.splits.end(),
                         [&](const TaskSplit& s) { return s.name == split; });
  if (it == choice.splits.end()) it = choice.splits.insert(it, {split, type, {}});
  if (type == "test" && it->type == "train") it->type = type;
  if (std::find(it->tasks.begin(), it->tasks.end(), task) == it->tasks.end())
    it->tasks.push_back(task);
}

void SortSplits(TaskChoice& choice) {
  std::sort(choice.splits.begin(), choice.splits.end(),
            [](const TaskSplit& a, const TaskSplit& b) { return a.name < b.name; });
}
}  // namespace

TaskChoice BenchmarkTasks() {
  TaskChoice out;
  out.all = task::ListTasks();
  for (size_t i = 0; i < out.all.size(); ++i)
    for (const std::string& split :
         {"level" + std::to_string(out.all[i].level), std::string("all")})
      AddTo(out, split, "test", i);
  SortSplits(out);
  return out;
}

Result<TaskChoice> ChooseTasks(const std::vector<std::string>& words) {
  TaskChoice out;
  for (const std::string& word : words) {
    auto chosen = ChosenBy(word);
    if (!chosen.ok()) return chosen.error();
    for (const Chosen& c : *chosen) {
      if (c.benchmark && c.split == "train")
        return Error{
            "AK0912", "a task of the benchmark is in a split to train on: " + c.task.name, word,
            "call the split test, or train on tasks of your own: akgen corpus tasks makes them"};
      auto index = PutIn(out, c.task);
      if (!index.ok()) return index.error();
      AddTo(out, c.split, TypeOf(c.split, c.benchmark), *index);
    }
  }
  const bool test = std::any_of(out.splits.begin(), out.splits.end(),
                                [](const TaskSplit& s) { return s.type != "train"; });
  for (size_t i = 0; i < out.all.size(); ++i) AddTo(out, "all", test ? "test" : "train", i);
  SortSplits(out);
  return out;
}

}  // namespace akgen::serve
