#include "base/files.h"

#include "base/hash.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <sstream>

namespace akgen::base {
namespace fs = std::filesystem;

Result<std::string> ReadFile(const fs::path& path) {
  const auto failed = [&](const char* why) {
    return Error{"AK0001", std::string("cannot read: ") + why, path.string(), ""};
  };
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat st{};
  if (!fd.valid() || ::fstat(fd.get(), &st) != 0) return failed(std::strerror(errno));
  if (S_ISDIR(st.st_mode)) return failed("it is a folder");
  // One byte more than it has, so that the read after the last one needs no room; files of /proc
  // say 0.
  std::string out;
  size_t have = 0;
  for (size_t room = size_t(st.st_size) + 1;; room = std::max<size_t>(4096, 2 * room)) {
    out.resize(room);
    while (have < room) {
      const ssize_t n = ::read(fd.get(), out.data() + have, room - have);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return failed(std::strerror(errno));
      have += size_t(n);
      if (n > 0) continue;
      out.resize(have);
      return out;
    }
  }
}

namespace {
Error Unwritable(const fs::path& path, const char* what, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EIO;
  return {"AK0002", std::string(what) + std::strerror(error), path.string(),
          full ? "free disk space" : ""};
}

// 0 or an errno.
int WriteAll(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    content.remove_prefix(size_t(n));
  }
  return 0;
}

// Our standard output or error where it is what the path names (/dev/stdout, or the file that it
// was sent to): what was printed must stay ahead of what is written. -1: neither.
int OwnStream(const struct stat& there) {
  for (int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat own;
    if (::fstat(fd, &own) == 0 && own.st_dev == there.st_dev && own.st_ino == there.st_ino)
      return fd;
  }
  return -1;
}

// Devices, pipes and open descriptors take the text; a file in their place would destroy them.
Status WriteInto(const fs::path& path, const struct stat& there, std::string_view content) {
  const int own = OwnStream(there);
  if (own >= 0) std::fflush(own == STDOUT_FILENO ? stdout : stderr);
  Fd opened(own >= 0 ? -1 : ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY));
  if (own < 0 && !opened.valid()) return Unwritable(path, "cannot write: ", errno);
  const int error = WriteAll(own >= 0 ? own : opened.get(), content);
  return error ? Status(Unwritable(path, "cannot write: ", error)) : Status();
}

// Where a chain of links ends, whether or not anything is there.
fs::path EndOfLinks(fs::path path) {
  constexpr int kLimit = 40;  // as the kernel's
  std::error_code ec;
  for (int i = 0; i < kLimit && fs::is_symlink(path, ec); ++i) {
    const fs::path to = fs::read_symlink(path, ec);
    path = to.is_absolute() ? to : path.parent_path() / to;
  }
  return path;
}

Status Replace(const fs::path& file, mode_t mode, std::string_view content, const fs::path& named) {
  std::string tmp = file.string() + ".tmp-XXXXXX";
  Fd fd(::mkstemp(tmp.data()));
  if (!fd.valid()) return Unwritable(named, "cannot write: ", errno);
  const char* what = "cannot write: ";
  int error = WriteAll(fd.get(), content);
  if (!error && ::fchmod(fd.get(), mode) != 0) error = errno;
  // Some file systems say only here that there was no room.
  if (::close(fd.Release()) != 0 && errno != EINTR && !error) error = errno;
  if (!error && ::rename(tmp.c_str(), file.c_str()) != 0) error = errno, what = "cannot rename: ";
  if (!error) return {};
  ::unlink(tmp.c_str());
  return Unwritable(named, what, error);
}
}  // namespace

Status WriteFileAtomic(const fs::path& path, std::string_view content) {
  struct stat there;
  if (::stat(path.c_str(), &there) != 0)
    return errno == ENOENT ? Replace(EndOfLinks(path), 0644, content, path)
                           : Status(Unwritable(path, "cannot write: ", errno));
  if (S_ISDIR(there.st_mode)) return Unwritable(path, "cannot write: ", EISDIR);
  if (!S_ISREG(there.st_mode) || OwnStream(there) >= 0) return WriteInto(path, there, content);
  const fs::path file = EndOfLinks(path);
  struct stat same;  // an open descriptor's link may name a file that is gone
  if (::stat(file.c_str(), &same) != 0 || same.st_dev != there.st_dev ||
      same.st_ino != there.st_ino)
    return WriteInto(path, there, content);
  return Replace(file, there.st_mode & 0777, content, path);
}

std::string ContentHash(std::string_view content) { return Sha256(content).substr(0, 32); }

fs::path CacheDir() {
  fs::path dir;
  if (const char* p = std::getenv("AKGEN_CACHE"))
    dir = p;
  else if (const char* x = std::getenv("XDG_CACHE_HOME"))
    dir = fs::path(x) / "akgen";
  else if (const char* h = std::getenv("HOME"))
    dir = fs::path(h) / ".cache/akgen";
  else
    dir = fs::temp_directory_path() / "akgen-cache";
  std::error_code ec;
  fs::create_directories(dir, ec);
  return dir;
}

fs::path ExecutableDir() {
  std::error_code ec;
  fs::path p = fs::read_symlink("/proc/self/exe", ec);
  return p.parent_path();
}

fs::path HomeDir() {
  if (const char* p = std::getenv("AKGEN_HOME")) return p;
  static const fs::path found = [] {
    std::error_code ec;
    const fs::path installed = ExecutableDir() / "../../share/akgen";
    return fs::exists(installed / "tasks", ec) ? installed.lexically_normal()
                                               : fs::path(AKGEN_SOURCE_DIR);
  }();
  return found;
}

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = other.Release();
  }
  return *this;
}
Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

Result<SharedMemory> SharedMemory::Create(const char* name, size_t bytes) {
  Fd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  // Its size is final: who is handed the descriptor could shrink it otherwise, and the next access
  // here would be SIGBUS.
  if (!fd.valid() || ::ftruncate(fd.get(), off_t(bytes)) != 0 ||
      ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return Error{"AK0003", std::string("cannot make shared memory: ") + std::strerror(errno), name,
                 "free memory"};
  int raw = fd.Release();
  auto r = Map(raw, bytes, true);
  if (!r.ok()) ::close(raw);
  return r;
}

Result<SharedMemory> SharedMemory::Map(int fd, size_t bytes, bool writable) {
  SharedMemory m;
  m.fd_ = Fd(fd);
  m.size_ = bytes;
  if (bytes == 0) return m;
  void* p =
      ::mmap(nullptr, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED) {
    m.fd_.Release();
    return Error{"AK0003", std::string("cannot map shared memory: ") + std::strerror(errno), "",
                 "free memory"};
  }
  m.data_ = static_cast<uint8_t*>(p);
  return m;
}

SharedMemory::SharedMemory(SharedMemory&& o) noexcept
    : data_(std::exchange(o.data_, nullptr)),
      size_(std::exchange(o.size_, 0)),
      fd_(std::move(o.fd_)) {}
SharedMemory& SharedMemory::operator=(SharedMemory&& o) noexcept {
  if (this != &o) {
    if (data_) ::munmap(data_, size_);
    data_ = std::exchange(o.data_, nullptr);
    size_ = std::exchange(o.size_, 0);
    fd_ = std::move(o.fd_);
  }
  return *this;
}
SharedMemory::~SharedMemory() {
  if (data_) ::munmap(data_, size_);
}

std::string RunningKernel() {
  auto text = ReadFile("/proc/sys/kernel/random/boot_id");
  return text.ok() ? text->substr(0, 8) : std::string();
}

namespace {
// Of our temporary folders; those of another machine that shares the place are its own affair.
const std::string& TempPrefix() {
  static const std::string prefix = "akgen-tmp-" + RunningKernel() + "-";
  return prefix;
}

// A lock on the folder itself says that its owner lives: process numbers mean nothing outside their
// namespace.
Fd LockFolder(const fs::path& folder) {
  Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (fd.valid() && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return {};
  return fd;
}

bool StillThere(int fd) {
  struct stat st;
  return ::fstat(fd, &st) == 0 && st.st_nlink > 0;
}

// What processes that were killed have left.
void SweepTempDirs(const fs::path& parent) {
  std::error_code ec, ignored;
  for (fs::directory_iterator it(parent, ec), end; !ec && it != end; it.increment(ec)) {
    if (!it->path().filename().string().starts_with(TempPrefix())) continue;
    struct stat st;
    if (::lstat(it->path().c_str(), &st) != 0 || st.st_uid != ::geteuid()) continue;
    if (Fd dead = LockFolder(it->path()); dead.valid()) fs::remove_all(it->path(), ignored);
  }
}
}  // namespace

Result<TempDir> TempDir::Create() {
  std::error_code ec;
  const fs::path parent = fs::temp_directory_path(ec);
  static std::once_flag swept;
  std::call_once(swept, [&] { SweepTempDirs(parent); });
  for (int tries = 0; tries < 100; ++tries) {
    std::string t = (parent / (TempPrefix() + "XXXXXX")).string();
    if (ec || !::mkdtemp(t.data()))
      return Error{"AK0002",
                   std::string("no temporary folder: ") + std::strerror(ec ? ec.value() : errno), t,
                   ""};
    Fd lock = LockFolder(t);
    // Whoever swept in this very moment had the lock. Where folders cannot be locked nobody sweeps.
    if (lock.valid() ? StillThere(lock.get()) : errno != EWOULDBLOCK && errno != ENOENT)
      return TempDir(t, std::move(lock));
  }
  return Error{"AK0002", "no temporary folder: others sweep it away", parent.string(),
               "set TMPDIR to another place"};
}
TempDir::~TempDir() {
  if (path_.empty()) return;
  std::error_code ec;
  fs::remove_all(path_, ec);
}

}  // namespace akgen::base
