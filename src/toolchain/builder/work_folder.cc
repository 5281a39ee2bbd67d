#include "toolchain/builder/work_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace akgen::toolchain {
namespace fs = std::filesystem;
namespace {
constexpr const char* kPrefix = "builder-";
constexpr const char* kLock = "lock";
// Some network file systems keep locks to one machine: a folder of another one counts as dead only
// when it was not worked in for so long.
constexpr std::chrono::hours kUntouched{24};

const std::string& Machine() {
  static const std::string id = base::RunningKernel();
  return id;
}

base::Fd OpenLock(const fs::path& file, int more) {
  return base::Fd(::open(file.c_str(), O_RDWR | O_CLOEXEC | more, 0600));
}

// Between these no folder is made that has no lock yet.
base::Fd Door(const fs::path& parent) {
  std::error_code ec;
  fs::create_directories(parent, ec);
  base::Fd door(::open((parent.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (door.valid() && ::flock(door.get(), LOCK_EX) != 0) return {};
  return door;
}

bool Untouched(const fs::path& file) {
  std::error_code ec;
  const auto time = fs::last_write_time(file, ec);
  return !ec && fs::file_time_type::clock::now() - time > kUntouched;
}

bool Dead(const fs::path& folder) {
  base::Fd lock = OpenLock(folder / kLock, 0);
  if (!lock.valid()) return errno == ENOENT && Untouched(folder);
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return false;
  const bool here =
      !Machine().empty() && folder.filename().string().starts_with(kPrefix + Machine() + "-");
  return here || Untouched(folder / kLock);
}
}  // namespace

WorkFolder::WorkFolder(fs::path parent) : parent_(std::move(parent)) {
  base::Fd door = Door(parent_);
  if (door.valid()) RemoveDead();
  (void)Make();
}

WorkFolder::~WorkFolder() {
  std::error_code ec;
  if (!path_.empty()) fs::remove_all(path_, ec);
}

base::Status WorkFolder::Make() {
  std::string name = (parent_ / (kPrefix + Machine() + "-XXXXXX")).string();
  if (!::mkdtemp(name.data()))
    return base::Error{"AK0002", std::string("no temporary folder: ") + std::strerror(errno), name,
                       "free disk space"};
  base::Fd lock = OpenLock(fs::path(name) / kLock, O_CREAT);
  if (!lock.valid() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    base::Error e{"AK0002", std::string("no lock in a temporary folder: ") + std::strerror(errno),
                  name, "free disk space, or set AKGEN_CACHE to a file system with locks"};
    std::error_code ec;
    fs::remove_all(name, ec);
    return e;
  }
  path_ = name;
  lock_ = std::move(lock);
  return {};
}

void WorkFolder::RemoveDead() const {
  std::error_code ec;
  for (fs::directory_iterator it(parent_, ec), end; !ec && it != end; it.increment(ec)) {
    std::error_code ignored;
    if (it->path().filename().string().starts_with(kPrefix) && Dead(it->path()))
      fs::remove_all(it->path(), ignored);
  }
}

base::Result<fs::path> WorkFolder::Next() {
  std::error_code ec;
  if (path_.empty() || !fs::exists(path_ / kLock, ec)) {
    base::Fd door = Door(parent_);
    if (auto made = Make(); !made.ok()) return made.error();
  }
  ::futimens(lock_.get(), nullptr);
  fs::path dir = path_ / std::to_string(next_++);
  fs::create_directories(dir, ec);
  if (ec)
    return base::Error{"AK0002", "no temporary folder: " + ec.message(), dir.string(),
                       "free disk space"};
  return dir;
}

}  // namespace akgen::toolchain
