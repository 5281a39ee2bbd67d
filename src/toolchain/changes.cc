#include "toolchain/changes.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/files.h"
#include "base/process.h"
#include "toolchain/project.h"

namespace akgen::toolchain {
namespace fs = std::filesystem;
namespace {
constexpr int kGitMs = 60000;

base::Result<std::string> Git(const fs::path& repository, std::vector<std::string> arguments) {
  base::SpawnRequest request;
  request.argv = {"git", "-C", repository.string()};
  request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
  auto done = base::RunProgram(request, kGitMs);
  if (!done.ok()) return done.error();
  if (done->exit_code == 0) return std::move(done->output);
  std::string said = done->output.substr(0, done->output.find('\n'));
  return base::Error{"AK0320", "git " + arguments[0] + " fails: " + said, repository.string(),
                     "give a Git repository and a commit, branch or tag that it has"};
}

void AddNames(const std::string& output, std::vector<std::string>* into) {
  for (size_t at = 0; at < output.size();) {
    const size_t end = std::min(output.find('\0', at), output.size());
    if (end > at) into->push_back(output.substr(at, end - at));
    at = end + 1;
  }
}

bool IsHidden(const fs::path& p) { return p.filename().string().starts_with("."); }

// A file that was read, and what it includes, as written.
struct Source {
  fs::path path;
  std::vector<std::string> includes;
};

std::vector<std::string> IncludesOf(const fs::path& file) {
  std::vector<std::string> out;
  const auto text = base::ReadFile(file);
  if (!text.ok()) return out;
  for (size_t at = text->find("#include"); at != std::string::npos;
       at = text->find("#include", at + 1)) {
    const size_t line = text->find('\n', at), open = text->find_first_of("\"<", at);
    if (open == std::string::npos || open > line) continue;
    const size_t close = text->find_first_of("\">", open + 1);
    if (close != std::string::npos && close < line)
      out.push_back(text->substr(open + 1, close - open - 1));
  }
  return out;
}

// The operators of a repository, and what lies in it that may be included.
struct Tree {
  std::vector<fs::path> operators;
  std::vector<Source> sources;
};

// What neighbours share has headers alone.
bool HasSource(const fs::path& op_kernel) {
  std::error_code ec;
  for (fs::recursive_directory_iterator it(op_kernel, ec), end; !ec && it != end; it.increment(ec))
    if (const std::string ending = it->path().extension().string();
        ending == ".cpp" || ending == ".cc" || ending == ".asc")
      return true;
  return false;
}

Tree Walk(const fs::path& repository, bool read) {
  Tree out;
  std::error_code ec;
  for (fs::recursive_directory_iterator it(repository, ec), end; !ec && it != end;
       it.increment(ec)) {
    std::error_code ignored;
    const bool folder = it->is_directory(ignored);
    if (folder && (IsHidden(it->path()) || it->is_symlink(ignored)))
      it.disable_recursion_pending();
    else if (folder && it->path().filename() == "op_kernel" && HasSource(it->path()))
      out.operators.push_back(it->path().parent_path());
    else if (read && !folder && SourceLike(it->path()))
      out.sources.push_back({it->path(), IncludesOf(it->path())});
  }
  std::sort(out.operators.begin(), out.operators.end());
  return out;
}

bool LiesIn(const fs::path& file, const fs::path& dir) {
  return std::mismatch(dir.begin(), dir.end(), file.begin(), file.end()).first == dir.end();
}

// Does `written`, in a file of the folder `from`, mean this header? What lies beside the file is
// meant by its path; else the names of the file and of its folder decide, as kernels name
// neighbours by their installed folders.
bool Means(const fs::path& from, const std::string& written, const fs::path& header) {
  const fs::path name(written);
  if (name.filename() != header.filename()) return false;
  std::error_code ec;
  if (const fs::path beside = (from / name).lexically_normal(); fs::exists(beside, ec))
    return beside == header;
  const fs::path folder = name.parent_path().filename(), own = header.parent_path();
  if (folder.empty() || folder == "..") return true;
  return folder == own.filename() || folder == own.parent_path().filename();
}

// For each source that a changed one is part of: the changed ones.
std::map<fs::path, std::set<std::string>> Reach(const Tree& tree, const fs::path& repository,
                                                const std::vector<std::string>& changed) {
  std::map<fs::path, std::set<std::string>> reached;
  std::vector<fs::path> news;
  for (const auto& file : changed) {
    news.push_back((repository / file).lexically_normal());
    reached[news.back()].insert(file);
  }
  std::multimap<std::string, std::pair<const Source*, const std::string*>> by_name;
  for (const Source& s : tree.sources)
    for (const std::string& written : s.includes)
      by_name.insert({fs::path(written).filename().string(), {&s, &written}});
  while (!news.empty()) {
    const fs::path header = std::move(news.back());
    news.pop_back();
    const auto [begin, end] = by_name.equal_range(header.filename().string());
    for (auto it = begin; it != end; ++it) {
      const auto& [source, written] = it->second;
      if (!Means(source->path.parent_path(), *written, header)) continue;
      auto& into = reached[source->path];
      const size_t before = into.size();
      const auto from = reached.at(header);
      into.insert(from.begin(), from.end());
      if (into.size() > before) news.push_back(source->path);
    }
  }
  return reached;
}
}  // namespace

base::Result<std::vector<std::string>> ChangedFiles(const fs::path& repository,
                                                    const std::string& since) {
  std::string from = since;
  // A branch may have gone on since; what it has more is no change of this one.
  if (auto base = Git(repository, {"merge-base", since, "HEAD"}); base.ok())
    from = base->substr(0, base->find('\n'));
  auto tracked = Git(repository, {"diff", "--name-only", "--relative", "-z", from, "--"});
  if (!tracked.ok()) return tracked.error();
  auto others = Git(repository, {"ls-files", "--others", "--exclude-standard", "-z"});
  if (!others.ok()) return others.error();
  std::vector<std::string> out;
  AddNames(*tracked, &out);
  AddNames(*others, &out);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<TouchedOperator> TouchedOperators(const fs::path& repository,
                                              const std::vector<std::string>& changed) {
  const bool any_source =
      std::any_of(changed.begin(), changed.end(), [](const auto& f) { return SourceLike(f); });
  const Tree tree = Walk(repository, any_source);
  const auto reached = Reach(tree, repository, changed);
  std::vector<TouchedOperator> own, others;
  for (const fs::path& dir : tree.operators) {
    TouchedOperator touched{dir, {}, false};
    std::set<std::string> files;
    for (const auto& [path, causes] : reached) {
      if (!LiesIn(path, dir)) continue;
      files.insert(causes.begin(), causes.end());
      for (const auto& cause : causes)
        touched.own = touched.own || (repository / cause).lexically_normal() == path;
    }
    if (files.empty()) continue;
    touched.files.assign(files.begin(), files.end());
    (touched.own ? own : others).push_back(std::move(touched));
  }
  own.insert(own.end(), others.begin(), others.end());
  return own;
}

}  // namespace akgen::toolchain
