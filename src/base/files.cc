#include "base/files.h"

#include "base/hash.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace akgen::base {
namespace fs = std::filesystem;

Result<std::string> ReadFile(const fs::path& path) {
  std::error_code ec;
  if (fs::is_directory(path, ec)) return Error{"AK0001", "cannot read: it is a folder", path.string(), ""};
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{"AK0001", std::string("cannot read: ") + std::strerror(errno), path.string(), ""};
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

Status WriteFileAtomic(const fs::path& path, std::string_view content) {
  std::string tmp = path.string() + ".tmp-XXXXXX";
  Fd fd(::mkstemp(tmp.data()));
  if (!fd.valid()) return Error{"AK0002", std::string("cannot write: ") + std::strerror(errno), path.string(), ""};
  size_t done = 0;
  while (done < content.size()) {
    ssize_t n = ::write(fd.get(), content.data() + done, content.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      int e = errno;
      ::unlink(tmp.c_str());
      return Error{"AK0002", std::string("cannot write: ") + std::strerror(e), path.string(), "free disk space"};
    }
    done += size_t(n);
  }
  ::fchmod(fd.get(), 0644);
  // Some file systems say only here that there was no room.
  if (::close(fd.Release()) != 0 && errno != EINTR) {
    int e = errno;
    ::unlink(tmp.c_str());
    return Error{"AK0002", std::string("cannot write: ") + std::strerror(e), path.string(), "free disk space"};
  }
  if (::rename(tmp.c_str(), path.c_str()) != 0) {
    int e = errno;
    ::unlink(tmp.c_str());
    return Error{"AK0002", std::string("cannot rename: ") + std::strerror(e), path.string(), ""};
  }
  return {};
}

std::string ContentHash(std::string_view content) { return Sha256(content).substr(0, 32); }

fs::path CacheDir() {
  fs::path dir;
  if (const char* p = std::getenv("AKGEN_CACHE")) dir = p;
  else if (const char* x = std::getenv("XDG_CACHE_HOME")) dir = fs::path(x) / "akgen";
  else if (const char* h = std::getenv("HOME")) dir = fs::path(h) / ".cache/akgen";
  else dir = fs::temp_directory_path() / "akgen-cache";
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
  return AKGEN_SOURCE_DIR;
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
  // Its size is final: who is handed the descriptor could shrink it otherwise, and the next access here would be
  // SIGBUS.
  if (!fd.valid() || ::ftruncate(fd.get(), off_t(bytes)) != 0 ||
      ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return Error{"AK0003", std::string("cannot make shared memory: ") + std::strerror(errno), name, "free memory"};
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
  void* p = ::mmap(nullptr, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED) {
    m.fd_.Release();
    return Error{"AK0003", std::string("cannot map shared memory: ") + std::strerror(errno), "", "free memory"};
  }
  m.data_ = static_cast<uint8_t*>(p);
  return m;
}

SharedMemory::SharedMemory(SharedMemory&& o) noexcept
    : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)), fd_(std::move(o.fd_)) {}
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

Result<TempDir> TempDir::Create() {
  std::string t = (fs::temp_directory_path() / "akgen-XXXXXX").string();
  if (!::mkdtemp(t.data())) return Error{"AK0002", std::string("no temporary folder: ") + std::strerror(errno), t, ""};
  return TempDir(t);
}
TempDir::~TempDir() {
  if (path_.empty()) return;
  std::error_code ec;
  fs::remove_all(path_, ec);
}

}  // namespace akgen::base
