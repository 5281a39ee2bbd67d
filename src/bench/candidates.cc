#include "bench/candidates.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/hash.h"

namespace akgen::bench {
namespace fs = std::filesystem;
using base::Error;
using base::Result;

namespace {
bool IsProject(const fs::path& dir) {
  std::error_code ec;
  return fs::is_directory(dir / "op_kernel", ec);
}

// K of "<prefix>K".
std::optional<int> NumberAfter(const std::string& name, const std::string& prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  int k = -1;
  const char* end = name.data() + name.size();
  auto r = std::from_chars(name.data() + prefix.size(), end, k);
  return r.ec == std::errc() && r.ptr == end && k >= 0 ? std::optional(k) : std::nullopt;
}

// Projects in folders <prefix>K of `parent`, by K.
void Numbered(const fs::path& parent, const std::string& prefix, size_t unit, int n, std::vector<Candidate>& out) {
  std::vector<Candidate> found;
  std::error_code ec;
  for (fs::directory_iterator it(parent, ec), end; !ec && it != end; it.increment(ec)) {
    auto k = NumberAfter(it->path().filename().string(), prefix);
    if (k && (n == 0 || *k < n) && IsProject(it->path())) found.push_back({unit, *k, it->path()});
  }
  std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) { return a.sample < b.sample; });
  out.insert(out.end(), found.begin(), found.end());
}
}  // namespace

Result<std::vector<task::TaskInfo>> SelectTasks(const std::vector<std::string>& wanted) {
  std::vector<task::TaskInfo> all = task::ListTasks();
  std::set<std::string> names;
  std::set<int> levels;
  for (const std::string& w : wanted) {
    if (w == "all") levels = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    else if (w.size() == 6 && w.starts_with("level") && w[5] >= '1' && w[5] <= '9') levels.insert(w[5] - '0');
    else {
      auto t = task::LoadTask(w);
      if (!t.ok()) return t.error();
      names.insert(t->name);
    }
  }
  std::vector<task::TaskInfo> out;
  for (const task::TaskInfo& t : all)
    if (levels.contains(t.level) || names.contains(t.name)) out.push_back(t);
  if (out.empty()) return Error{"AK0101", "no task is meant", "", "name tasks or levels: --tasks level1,level2 or --tasks Sqrt"};
  return out;
}

Result<std::vector<Candidate>> FindCandidates(const fs::path& dir, const std::vector<Unit>& units, int n) {
  std::error_code ec;
  if (!fs::is_directory(dir, ec))
    return Error{"AK0510", "no such folder", dir.string(), "name the folder with the candidates: --candidates DIR"};
  bool upstream = fs::is_directory(dir / "tasks/level1", ec) || fs::is_directory(dir / "tasks/level2", ec);
  std::vector<Candidate> out;
  for (size_t u = 0; u < units.size(); ++u) {
    const task::TaskInfo& t = units[u].task;
    fs::path own = upstream ? dir / "tasks" / ("level" + std::to_string(t.level)) / t.category / t.name / "answer" : dir / t.name;
    if (!upstream && !units[u].case_id.empty()) own /= "case" + units[u].case_id;
    size_t before = out.size();
    Numbered(own, upstream ? "" : "sample", u, n, out);
    if (out.size() == before && !upstream && IsProject(own)) out.push_back({u, 0, own});
  }
  if (out.empty())
    return Error{"AK0510", "no candidate for any of the tasks", dir.string(), "the layout is DIR/Task/sampleK/{op_host,op_kernel}; see `akgen bench run --help`"};
  return out;
}

Result<std::string> HashOfCandidate(const Candidate& candidate) {
  std::string hash = base::HashOfFolder(candidate.dir);
  if (hash.empty())
    return Error{"AK0511", "the candidate's folder is empty or cannot be read", candidate.dir.string(), "leave the folder alone while it is judged, then start the same command again"};
  return hash;
}

}  // namespace akgen::bench
