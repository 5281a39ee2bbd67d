// Tasks by name: the folder tasks/levelN/Category/Name is the index.
#include <algorithm>
#include <cctype>
#include <numeric>

#include "base/files.h"
#include "task/task.h"

namespace akgen::task {
namespace fs = std::filesystem;
namespace {

// "TopKV3", "top_kv3" and "topkv3" are the same task.
std::string Folded(std::string_view name) {
  std::string out;
  for (unsigned char c : name)
    if (c != '_') out += char(std::tolower(c));
  return out;
}

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t up = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = up;
    }
  }
  return row[b.size()];
}

std::string NearMatches(const std::string& wanted, const std::vector<TaskInfo>& tasks) {
  std::vector<std::pair<size_t, std::string>> near;
  for (const TaskInfo& t : tasks) {
    std::string have = Folded(t.name);
    size_t d = EditDistance(wanted, have);
    if (wanted.size() >= 3 && have.find(wanted) != std::string::npos) d = 1;
    if (d <= std::max<size_t>(2, wanted.size() / 3)) near.emplace_back(d, t.name);
  }
  std::sort(near.begin(), near.end());
  std::string out;
  for (size_t i = 0; i < near.size() && i < 5; ++i) out += (i ? ", " : "") + near[i].second;
  return out;
}

std::vector<fs::path> Folders(const fs::path& parent) {
  std::vector<fs::path> out;
  std::error_code ec;
  for (const auto& e : fs::directory_iterator(parent, ec))
    if (e.is_directory(ec)) out.push_back(e.path());
  return out;
}
}  // namespace

std::vector<TaskInfo> ListTasks(const fs::path& root) {
  std::vector<TaskInfo> out;
  std::error_code ec;
  for (const fs::path& level : Folders(root.empty() ? base::HomeDir() / "tasks" : root)) {
    std::string name = level.filename().string();
    if (name.size() != 6 || !name.starts_with("level") || !std::isdigit((unsigned char)name[5]))
      continue;
    for (const fs::path& category : Folders(level))
      for (const fs::path& task : Folders(category))
        if (fs::exists(task / "task.toml", ec))
          out.push_back(
              {task.filename().string(), category.filename().string(), name[5] - '0', task});
  }
  std::sort(out.begin(), out.end(), [](const TaskInfo& a, const TaskInfo& b) {
    return std::tie(a.level, a.category, a.name) < std::tie(b.level, b.category, b.name);
  });
  return out;
}

base::Result<TaskSpec> LoadTask(const std::string& name_or_folder) {
  std::error_code ec;
  if (fs::exists(fs::path(name_or_folder) / "task.toml", ec)) return LoadTaskFolder(name_or_folder);
  std::vector<TaskInfo> tasks = ListTasks();
  std::string wanted = Folded(name_or_folder);
  for (const TaskInfo& t : tasks)
    if (Folded(t.name) == wanted) return LoadTaskFolder(t.folder);
  std::string near = NearMatches(wanted, tasks);
  return base::Error{
      "AK0101", "no task is called '" + name_or_folder + "'", (base::HomeDir() / "tasks").string(),
      near.empty() ? "`akgen tasks` lists all of them" : "did you mean " + near + "?"};
}

}  // namespace akgen::task
