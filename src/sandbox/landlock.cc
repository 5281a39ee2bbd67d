// The layer that restricts files and networks.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/files.h"
#include "sandbox/layers.h"

namespace akgen::sandbox {
namespace {
// Written out here because the installed kernel headers may be older than the running kernel.
// Source: Documentation/userspace-api/landlock.rst.
constexpr uint64_t kExecute = 1u << 0, kWriteFile = 1u << 1, kReadFile = 1u << 2,
                   kReadDir = 1u << 3;
constexpr uint64_t kRefer = 1u << 13, kTruncate = 1u << 14, kIoctlDev = 1u << 15;
constexpr uint64_t kAllAbi1 = (1u << 13) - 1;
constexpr uint64_t kMakeSpecial =
    (1u << 6) | (1u << 9) | (1u << 10) | (1u << 11);  // devices, sockets, pipes
constexpr uint64_t kNetBindConnect = 3;
constexpr uint64_t kScopeSocketsSignals = 3;
constexpr int kRulePathBeneath = 1;
constexpr int kGetVersion = 1;

struct RulesetAttr {
  uint64_t fs, net, scoped;
};
struct __attribute__((packed)) PathBeneath {
  uint64_t allowed;
  int32_t parent_fd;
};

uint64_t HandledFs(int abi) {
  uint64_t fs = kAllAbi1;
  if (abi >= 2) fs |= kRefer;
  if (abi >= 3) fs |= kTruncate;
  if (abi >= 5) fs |= kIoctlDev;
  return fs;
}

int Allow(int ruleset, int fd, uint64_t rights) {
  struct stat st;
  if (::fstat(fd, &st) != 0) return errno;
  if (!S_ISDIR(st.st_mode)) rights &= kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDev;
  PathBeneath rule{rights, fd};
  // An object without a path (memfd, pipe) needs no rule and takes none.
  if (::syscall(SYS_landlock_add_rule, ruleset, kRulePathBeneath, &rule, 0) != 0 && errno != EBADFD)
    return errno;
  return 0;
}

int AllowPath(int ruleset, const std::string& path, uint64_t rights) {
  base::Fd fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
  return fd.valid() ? Allow(ruleset, fd.get(), rights) : 0;
}
}  // namespace

int LandlockAbi() {
  long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kGetVersion);
  return abi > 0 ? int(abi) : 0;
}

int ApplyLandlock(const Profile& profile) {
  int abi = LandlockAbi();
  if (abi == 0) return 0;
  RulesetAttr attr{HandledFs(abi), abi >= 4 ? kNetBindConnect : 0,
                   abi >= 6 ? kScopeSocketsSignals : 0};
  size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  base::Fd ruleset(int(::syscall(SYS_landlock_create_ruleset, &attr, size, 0)));
  if (!ruleset.valid()) return errno;
  uint64_t read = kReadFile | kReadDir | (profile.allow_exec ? kExecute : 0);
  uint64_t write = (attr.fs & ~(kMakeSpecial | kExecute | kIoctlDev));
  for (const auto& path : profile.readable)
    if (int e = AllowPath(ruleset.get(), path, read)) return e;
  for (int fd : profile.readable_fds)
    if (int e = Allow(ruleset.get(), fd, read)) return e;
  for (const auto& path : profile.writable)
    if (int e = AllowPath(ruleset.get(), path, write)) return e;
  for (const auto& path : profile.devices)
    if (int e = AllowPath(ruleset.get(), path, (read | kWriteFile | kIoctlDev) & attr.fs)) return e;
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) return errno;
  return 0;
}

}  // namespace akgen::sandbox
