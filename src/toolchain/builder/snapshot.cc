#include "toolchain/builder/snapshot.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "base/files.h"
#include "base/hash.h"
#include "base/regex.h"
#include "toolchain/project.h"

namespace akgen::toolchain {
namespace fs = std::filesystem;
namespace {
constexpr size_t kMaxBytes = 64u << 20, kMaxFile = 8u << 20, kMaxFiles = 5000;
}  // namespace

base::Status AddFolder(const fs::path& dir, VirtualFiles* files) {
  std::error_code ec;
  size_t bytes = 0;
  fs::recursive_directory_iterator it(dir, fs::directory_options::skip_permission_denied, ec), end;
  for (; !ec && it != end; it.increment(ec)) {
    const fs::path& p = it->path();
    std::string name = p.filename().string();
    std::error_code ignored;
    if (it->is_directory(ignored)) {
      if (name.starts_with(".")) it.disable_recursion_pending();
      continue;
    }
    if (!SourceLike(p) || !it->is_regular_file(ignored) || it->file_size(ignored) > kMaxFile)
      continue;
    if (it->is_symlink(ignored) && base::LeadsOut(p, dir)) continue;
    auto text = base::ReadFile(p);
    if (!text.ok()) continue;
    bytes += text->size();
    if (bytes > kMaxBytes || files->size() >= kMaxFiles)
      return base::Error{kTooMuchSource,
                         "the project holds more than 64 MiB or 5000 files of source", dir.string(),
                         "give a folder with the operator only"};
    files->emplace(p.lexically_normal().string(), std::move(*text));
  }
  // A path too long for the system is of the folder's own making; it hides nothing that could be
  // included.
  if (ec && ec != std::errc::filename_too_long && ec != std::errc::no_such_file_or_directory &&
      ec != std::errc::not_a_directory)
    return base::Error{"AK0001", "the folder cannot be read to its end: " + ec.message(),
                       dir.string(), ""};
  return {};
}

void KeepReachable(const std::vector<std::string>& sources, VirtualFiles* files) {
  static const base::Regex macro_include(R"(#[ \t]*include[ \t]+[A-Za-z_])");
  std::set<std::string> kept(sources.begin(), sources.end());
  std::vector<std::string> open = sources;
  while (!open.empty()) {
    auto from = files->find(open.back());
    open.pop_back();
    if (from == files->end()) continue;
    const std::string& text = from->second;
    if (macro_include.Find(text)) return;
    for (const auto& [path, unused] : *files) {
      if (kept.contains(path) || text.find(fs::path(path).filename().string()) == std::string::npos)
        continue;
      kept.insert(path);
      open.push_back(path);
    }
  }
  std::erase_if(*files, [&](const auto& f) { return !kept.contains(f.first); });
}

bool FolderHash::IsAsSeen() const {
  auto as_seen = [](const Seen& one) {
    struct stat st{};
    return ::stat(one.path.c_str(), &st) == 0 && st.st_size == one.size &&
           st.st_mtim.tv_sec == one.changed.tv_sec && st.st_mtim.tv_nsec == one.changed.tv_nsec;
  };
  return !hash_.empty() && std::all_of(seen_.begin(), seen_.end(), as_seen);
}

const std::string& FolderHash::Get() {
  if (watch_ && !watch_->Changed()) return hash_;
  watch_.reset();
  if (!IsAsSeen()) Look();
  if (can_watch_) Watch();
  return hash_;
}

void FolderHash::Watch() {
  std::vector<fs::path> folders;
  for (const Seen& one : seen_)
    if (!one.is_file) folders.emplace_back(one.path);
  watch_ = base::FolderWatch::On(folders);
  can_watch_ = watch_.has_value();
  // What changed before it was watched shows in its time.
  if (watch_ && !IsAsSeen()) watch_.reset();
}

void FolderHash::Look() {
  seen_.clear();
  std::error_code ec;
  auto look = [&](const fs::path& path) {
    struct stat st{};
    if (::stat(path.c_str(), &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
      seen_.push_back({path.native(), st.st_size, st.st_mtim, bool(S_ISREG(st.st_mode))});
  };
  look(dir_);
  for (fs::recursive_directory_iterator it(dir_, ec), end; !ec && it != end; it.increment(ec)) {
    look(it->path());
    can_watch_ = can_watch_ && !it->is_symlink();
  }
  std::sort(seen_.begin(), seen_.end(),
            [](const Seen& a, const Seen& b) { return a.path < b.path; });
  std::string all;
  for (const Seen& one : seen_) {
    if (!one.is_file) continue;
    auto text = base::ReadFile(one.path);
    // clang refuses a precompiled header whose files changed their time, even with the same
    // content.
    all += fmt::format("{}:{}:{}:{}.{:09}\n", one.path, text.ok() ? base::ContentHash(*text) : "?",
                       one.size, one.changed.tv_sec, one.changed.tv_nsec);
  }
  hash_ = base::ContentHash(all);
}

}  // namespace akgen::toolchain
