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
  // An entry was made, removed, renamed or written since, or may have been. It stays so.
  bool Changed();

 private:
  explicit FolderWatch(Fd events) : events_(std::move(events)) {}
  Fd events_;
  bool changed_ = false;
};

}  // namespace akgen::base
