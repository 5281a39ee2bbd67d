#include "toolchain/builder/reach.h"

#include <sys/stat.h>

#include <filesystem>
#include <set>
#include <string_view>

#include "base/files.h"
#include "base/text.h"
#include "toolchain/builder/snapshot.h"

namespace akgen::toolchain {
namespace fs = std::filesystem;
namespace {
constexpr size_t kMaxReachedBytes = 64u << 20, kLargestFile = 8u << 20, kMaxReachedFiles = 5000;

bool Below(const std::string& path, const std::string& folder) {
  return !folder.empty() && path.size() > folder.size() && path.starts_with(folder) &&
         path[folder.size()] == '/';
}

// "x.h" and <x.h> of #include, and of #define where an #include may name the macro.
std::vector<std::string> NamesIncluded(std::string_view text) {
  std::vector<std::string> out;
  auto blank = [&](size_t at) { return text.find_first_not_of(" \t", at); };
  for (size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    size_t word = blank(at + 1);
    if (word == std::string_view::npos) break;
    const bool include = text.substr(word).starts_with("include");
    if (!include && !text.substr(word).starts_with("define")) continue;
    size_t open = blank(word + (include ? 7 : 6));
    if (!include && open != std::string_view::npos) {
      while (open < text.size() && base::IsWord(text[open])) ++open;
      open = blank(open);
    }
    if (open == std::string_view::npos || (text[open] != '"' && text[open] != '<')) continue;
    const size_t close = text.find_first_of(text[open] == '"' ? "\"\n" : ">\n", open + 1);
    if (close == std::string_view::npos || text[close] == '\n') continue;
    out.emplace_back(text.substr(open + 1, close - open - 1));
  }
  return out;
}

class Reach {
 public:
  Reach(const Surroundings& around, VirtualFiles* files, VirtualLinks* links)
      : around_(around), files_(*files), links_(*links) {}

  base::Status Run() {
    for (const auto& [path, text] : files_) open_.push_back(path);
    while (!open_.empty()) {
      const std::string from = open_.back();
      open_.pop_back();
      const std::string folder = fs::path(from).parent_path().string();
      for (const std::string& name : NamesIncluded(TextOf(from))) {
        if (name.empty() || name[0] == '/') continue;
        Try(folder, name);
        for (const auto& root : around_.search) Try(root, name);
        if (bytes_ > kMaxReachedBytes || read_ > kMaxReachedFiles)
          return base::Error{kTooMuchSource,
                             "the project includes more than 64 MiB or 5000 files of source", from,
                             "include less"};
      }
    }
    return {};
  }

 private:
  const std::string& TextOf(const std::string& path) {
    auto link = links_.find(path);
    return files_.at(link == links_.end() ? path : link->second);
  }

  void Try(const std::string& folder, const std::string& name) {
    const std::string path = (fs::path(folder) / name).lexically_normal().string();
    if (!tried_.insert(path).second || files_.contains(path)) return;
    if (auto own = around_.own.find(path); own != around_.own.end()) {
      files_.insert(*own);
      open_.push_back(path);
      return;
    }
    for (const auto& root : around_.search)
      if (Below(path, root) && Add(path, path, root)) return;
    for (const auto& m : around_.mounts)
      if (Below(path, m.at) && Add(path, m.folder + path.substr(m.at.size()), m.folder)) return;
  }

  bool Add(const std::string& path, const std::string& on_disk, const std::string& root) {
    struct stat st{};
    if (::stat(on_disk.c_str(), &st) != 0 || !S_ISREG(st.st_mode) ||
        size_t(st.st_size) > kLargestFile)
      return false;
    std::error_code ec;
    const fs::path real = fs::canonical(on_disk, ec), real_root = fs::canonical(root, ec);
    if (ec || !Below(real.string(), real_root.string())) return false;
    auto [known, fresh] = names_.try_emplace(real.string(), path);
    if (fresh && files_.contains(real.string())) known->second = real.string();
    if (known->second != path) {
      links_.emplace(path, known->second);
    } else {
      auto text = base::ReadFile(on_disk);
      if (!text.ok()) return false;
      bytes_ += text->size();
      ++read_;
      files_.emplace(path, std::move(*text));
    }
    open_.push_back(path);
    return true;
  }

  const Surroundings& around_;
  VirtualFiles& files_;
  VirtualLinks& links_;
  std::vector<std::string> open_;
  std::set<std::string> tried_;
  std::map<std::string, std::string> names_;  // file on disk → its name in files_
  size_t bytes_ = 0, read_ = 0;
};
}  // namespace

base::Status AddReached(const Surroundings& around, VirtualFiles* files, VirtualLinks* links) {
  return Reach(around, files, links).Run();
}

}  // namespace akgen::toolchain
