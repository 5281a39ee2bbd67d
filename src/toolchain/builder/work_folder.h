// The builder's private folder below the cache, which several machines and PID namespaces may
// share. Its owner is alive as long as a lock is held in it: process numbers mean nothing outside
// their namespace.
#pragma once
#include <filesystem>
#include <string>

#include "base/files.h"
#include "base/status.h"

namespace akgen::toolchain {

class WorkFolder {
 public:
  // Makes one below `parent`, and removes those whose owner is gone. When none can be made (a full
  // disk, no rights) Next tries again.
  explicit WorkFolder(std::filesystem::path parent);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  // A new, empty folder in it. AK0002 when the disk has none to give.
  base::Result<std::filesystem::path> Next();

 private:
  base::Status Make();
  void RemoveDead() const;

  std::filesystem::path parent_, path_;
  base::Fd lock_;
  int next_ = 0;
};

}  // namespace akgen::toolchain
