// Whether something in folders has changed, asked without looking at each file.
#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "base/files.h"

namespace akgen::base {

class FolderWatch {
 public:
  // Watches the entries of `folders`, not what is below those. nullopt where the system does not
  // tell of every change: a network's file system, a limit that is met, a folder that is not there.
  static std::optional<FolderWatch> On(const std::vector<std::filesystem::path>& folders);
  // An entry was made, removed, renamed or written since, or may have been, or another folder lies
  // where one was. It stays so.
  bool Changed();

 private:
  struct Folder {
    std::filesystem::path path;
    uint64_t device = 0, number = 0;
  };
  FolderWatch(Fd events, std::vector<Folder> folders)
      : events_(std::move(events)), folders_(std::move(folders)) {}
  Fd events_;
  std::vector<Folder> folders_;
  bool changed_ = false;
};

}  // namespace akgen::base
