// A snapshot of the files a build may see, read once into memory: what is hashed is exactly what is
// compiled.
#pragma once
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/folder_watch.h"
#include "base/status.h"
#include "toolchain/builder/compiler.h"

namespace akgen::toolchain {

// Reads all source-like files below `dir` (links that lead out of it and hidden folders are left
// out). AK0303: more than 64 MiB or 5000 files. AK0001: it cannot be read to its end.
inline constexpr const char* kTooMuchSource = "AK0303";
base::Status AddFolder(const std::filesystem::path& dir, VirtualFiles* files);

// Drops the files that the sources cannot include, directly or through others: a change in one half
// of a project must not rebuild the other. A file counts as reachable when a reachable file
// mentions its name anywhere; when an #include takes a macro, everything is kept.
void KeepReachable(const std::vector<std::string>& sources, VirtualFiles* files);

// Content hash of every file below `dir`; read again only when a name, size or time changed.
// Asked for at every build.
class FolderHash {
 public:
  explicit FolderHash(std::filesystem::path dir) : dir_(std::move(dir)) {}
  const std::string& Get();

 private:
  struct Seen {
    std::string path;
    off_t size;
    timespec changed;
    bool is_file;
  };
  void Look();
  // None has changed, and no folder has another entry. A link to a folder is not followed.
  bool IsAsSeen() const;
  void Watch();

  std::filesystem::path dir_;
  std::vector<Seen> seen_;
  bool can_watch_ = true;  // a link's file may change anywhere
  std::optional<base::FolderWatch> watch_;
  std::string hash_;
};

}  // namespace akgen::toolchain
