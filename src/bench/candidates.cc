#include "bench/candidates.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/hash.h"
#include "base/json.h"

namespace akgen::bench {
namespace fs = std::filesystem;
using base::Error;
using base::Result;

namespace {
bool IsProject(const fs::path& dir, bool kernel_only) {
  std::error_code ec;
  if (fs::is_directory(dir / "op_kernel", ec) || fs::exists(dir / "custom_op.asc", ec)) return true;
  for (fs::directory_iterator it(dir, ec), end; kernel_only && !ec && it != end; it.increment(ec))
    if (it->path().extension() == ".cpp") return true;
  return false;
}

// The layouts, and where one of them keeps a unit's projects: <parent>/<prefix>K/<inside>.
enum class Layout { kOwn, kCheckout, kRuns };

Layout LayoutOf(const fs::path& dir) {
  std::error_code ec;
  for (const char* level : {"1", "2", "3"}) {
    if (fs::is_directory(dir / "tasks" / (std::string("level") + level), ec))
      return Layout::kCheckout;
    if (fs::is_directory(dir / (std::string("lvl") + level), ec)) return Layout::kRuns;
  }
  return Layout::kOwn;
}

struct Place {
  fs::path parent;
  std::string prefix, inside;
  fs::path Project(const fs::path& numbered) const {
    return inside.empty() ? numbered : numbered / inside;
  }
};

Place PlaceOf(const fs::path& dir, Layout layout, const Unit& unit) {
  const task::TaskInfo& t = unit.task;
  const std::string level = std::to_string(t.level);
  if (layout == Layout::kCheckout)
    return {dir / "tasks" / ("level" + level) / t.category / t.name / "answer", "", ""};
  Place p = layout == Layout::kRuns
                ? Place{dir / ("lvl" + level) / t.category / t.name, "sample", "src"}
                : Place{dir / t.name, "sample", ""};
  if (!unit.case_id.empty())
    p.parent /= (layout == Layout::kRuns ? "fixed_case_" : "case") + unit.case_id;
  return p;
}

// K of "<prefix>K".
std::optional<int> NumberAfter(const std::string& name, const std::string& prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  int k = -1;
  const char* end = name.data() + name.size();
  auto r = std::from_chars(name.data() + prefix.size(), end, k);
  return r.ec == std::errc() && r.ptr == end && k >= 0 ? std::optional(k) : std::nullopt;
}

// Projects in the numbered folders of a place, by number.
void Numbered(const Place& place, size_t unit, int n, bool kernel_only,
              std::vector<Candidate>& out) {
  std::vector<Candidate> found;
  std::error_code ec;
  for (fs::directory_iterator it(place.parent, ec), end; !ec && it != end; it.increment(ec)) {
    auto k = NumberAfter(it->path().filename().string(), place.prefix);
    fs::path project = place.Project(it->path());
    if (k && (n == 0 || *k < n) && IsProject(project, kernel_only))
      found.push_back({unit, *k, project});
  }
  std::sort(found.begin(), found.end(),
            [](const Candidate& a, const Candidate& b) { return a.sample < b.sample; });
  out.insert(out.end(), found.begin(), found.end());
}
// A folder of the user's: one task, or many in folders by level and category.
Result<std::vector<task::TaskInfo>> TasksIn(const std::string& folder) {
  std::error_code ec;
  const fs::path dir = fs::absolute(folder, ec).lexically_normal();
  std::vector<task::TaskInfo> out;
  if (fs::exists(dir / "task.toml", ec)) {
    auto t = task::LoadTaskFolder(dir);
    if (!t.ok()) return t.error();
    out.push_back({t->name, t->category, t->level, dir});
  } else {
    out = task::ListTasks(dir);
  }
  if (out.empty())
    return Error{"AK0101", "there is no task in this folder", dir.string(),
                 "name a folder with task.toml, or with level1/Category/Task below it"};
  return out;
}

// all, level1 … level9
bool IsLevel(const std::string& word) {
  return word == "all" ||
         (word.size() == 6 && word.starts_with("level") && word[5] >= '1' && word[5] <= '9');
}
}  // namespace

bool NamesFolder(const std::string& word) {
  std::error_code ec;
  if (word.find('/') != std::string::npos || fs::exists(fs::path(word) / "task.toml", ec))
    return true;
  return fs::is_directory(word, ec) && !IsLevel(word) && !task::LoadTask(word).ok();
}

Result<std::vector<task::TaskInfo>> SelectTasks(const std::vector<std::string>& wanted) {
  std::vector<task::TaskInfo> all = task::ListTasks(), out, given;
  std::set<std::string> names;
  std::set<int> levels;
  std::error_code ec;
  for (const std::string& w : wanted) {
    if (w == "all")
      levels = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    else if (IsLevel(w))
      levels.insert(w[5] - '0');
    else if (NamesFolder(w)) {
      auto mine = TasksIn(w);
      if (!mine.ok()) return mine.error();
      given.insert(given.end(), mine->begin(), mine->end());
    } else {
      auto t = task::LoadTask(w);
      if (!t.ok()) return t.error();
      names.insert(t->name);
    }
  }
  for (const task::TaskInfo& t : all)
    if (levels.contains(t.level) || names.contains(t.name)) out.push_back(t);
  for (const task::TaskInfo& t : given) {
    auto same =
        std::find_if(out.begin(), out.end(), [&](const auto& o) { return o.name == t.name; });
    if (same == out.end())
      out.push_back(t);
    else if (!fs::equivalent(same->folder, t.folder, ec))
      return Error{"AK0101", "two tasks have the name " + t.name, t.folder.string(),
                   "judge them in two runs: the other one is " + same->folder.string()};
  }
  if (out.empty())
    return Error{"AK0101", "no task is meant", "",
                 "name tasks or levels: --tasks level1,level2 or --tasks Sqrt"};
  return out;
}

Result<std::vector<Candidate>> FindCandidates(const fs::path& dir, const std::vector<Unit>& units,
                                              int n, bool kernel_only) {
  std::error_code ec;
  if (!fs::is_directory(dir, ec))
    return Error{"AK0510", "no such folder", dir.string(),
                 "name the folder with the candidates: --candidates DIR"};
  const Layout layout = LayoutOf(dir);
  std::vector<Candidate> out;
  for (size_t u = 0; u < units.size(); ++u) {
    const Place place = PlaceOf(dir, layout, units[u]);
    size_t before = out.size();
    Numbered(place, u, n, kernel_only, out);
    if (out.size() == before && layout == Layout::kOwn && IsProject(place.parent, kernel_only))
      out.push_back({u, 0, place.parent});
  }
  if (out.empty())
    return Error{
        "AK0510", "no candidate for any of the tasks", dir.string(),
        "the layout is DIR/Task/sampleK/{op_host,op_kernel}; see `akgen bench run --help`"};
  return out;
}

fs::path FindHost(const fs::path& dir, const Unit& unit) {
  std::error_code ec;
  const Unit whole{unit.name, unit.task, ""};
  const Place place = PlaceOf(dir, LayoutOf(dir), whole);
  for (const fs::path& project : {place.Project(place.parent / (place.prefix + "0")), place.parent})
    if (fs::is_directory(project / "op_host", ec))
      return fs::absolute(project, ec).lexically_normal();
  return {};
}

Result<std::string> HashOfHosts(const fs::path& dir, const std::vector<Unit>& units) {
  if (dir.empty()) return std::string();
  base::Json all = base::Json::array();
  bool any = false;
  for (const Unit& u : units) {
    fs::path host = FindHost(dir, u);
    any = any || !host.empty();
    all.push_back(host.empty() ? "" : base::HashOfFolder(host / "op_host"));
  }
  if (!any)
    return Error{"AK0510", "no host side for any of the tasks", dir.string(),
                 "the layout is DIR/Task/op_host, or a checkout of NPUKernelBench"};
  return base::Sha256(base::Dump(all));
}

Result<std::string> HashOfCandidate(const Candidate& candidate) {
  std::string hash = base::HashOfFolder(candidate.dir);
  if (hash.empty())
    return Error{"AK0511", "the candidate's folder is empty or cannot be read",
                 candidate.dir.string(),
                 "leave the folder alone while it is judged, then start the same command again"};
  return hash;
}

}  // namespace akgen::bench
