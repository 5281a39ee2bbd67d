#include "base/folder_watch.h"

#include <linux/magic.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace akgen::base {
namespace {
constexpr uint32_t kXfsMagic = 0x58465342;  // linux/magic.h has not got it

// Of which nothing but this machine changes anything.
bool IsLocal(const std::filesystem::path& folder) {
  constexpr std::array kLocal{uint32_t(EXT4_SUPER_MAGIC),      uint32_t(BTRFS_SUPER_MAGIC),
                              uint32_t(F2FS_SUPER_MAGIC),      uint32_t(TMPFS_MAGIC),
                              uint32_t(OVERLAYFS_SUPER_MAGIC), kXfsMagic};
  struct statfs of{};
  return ::statfs(folder.c_str(), &of) == 0 &&
         std::find(kLocal.begin(), kLocal.end(), uint32_t(of.f_type)) != kLocal.end();
}
}  // namespace

std::optional<FolderWatch> FolderWatch::On(const std::vector<std::filesystem::path>& folders) {
  constexpr uint32_t kChanges = IN_CREATE | IN_DELETE | IN_MOVE | IN_MODIFY | IN_ATTRIB |
                                IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
  Fd events(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!events.valid() || folders.empty()) return std::nullopt;
  std::vector<Folder> watched;
  for (const auto& folder : folders) {
    struct stat st{};
    if (!IsLocal(folder) || ::inotify_add_watch(events.get(), folder.c_str(), kChanges) < 0 ||
        ::stat(folder.c_str(), &st) != 0)
      return std::nullopt;
    watched.push_back({folder, st.st_dev, st.st_ino});
  }
  return FolderWatch(std::move(events), std::move(watched));
}

bool FolderWatch::Changed() {
  // Any event counts, so one that was lost to a full queue as well.
  alignas(inotify_event) char event[4096];
  if (!changed_) changed_ = ::read(events_.get(), event, sizeof event) >= 0 || errno != EAGAIN;
  // What is done to the folders above is no event of these.
  changed_ =
      changed_ || std::any_of(folders_.begin(), folders_.end(), [](const Folder& f) {
        struct stat st{};
        return ::stat(f.path.c_str(), &st) != 0 || st.st_dev != f.device || st.st_ino != f.number;
      });
  return changed_;
}

}  // namespace akgen::base
