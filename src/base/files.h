// Files, temporary folders, hashes and anonymous shared memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/status.h"

namespace akgen::base {

Result<std::string> ReadFile(const std::filesystem::path& path);
// Writes to a temporary neighbour and renames: readers see the old or the new content, never a
// part. A link stays one: what it leads to is written. What is no file (a device, a pipe,
// /dev/stdout) is written into and never replaced.
Status WriteFileAtomic(const std::filesystem::path& path, std::string_view content);
// The first 32 hex digits of a SHA-256 (hash.h): two sources cannot be made to share a name in a
// cache.
std::string ContentHash(std::string_view content);
// $AKGEN_CACHE, else $XDG_CACHE_HOME/akgen, else ~/.cache/akgen. Created when missing.
std::filesystem::path CacheDir();
// Folder of the running executable.
std::filesystem::path ExecutableDir();
// Root of the data: $AKGEN_HOME, else share/akgen of the prefix whose libexec/akgen this program
// lies in, else the source tree that it was built from.
std::filesystem::path HomeDir();

// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.Release()) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd();
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int Release() {
    int f = fd_;
    fd_ = -1;
    return f;
  }

 private:
  int fd_ = -1;
};

// Anonymous shared memory (memfd) of a sealed size, mapped read-write. Move-only.
class SharedMemory {
 public:
  SharedMemory() = default;
  static Result<SharedMemory> Create(const char* name, size_t bytes);
  static Result<SharedMemory> Map(int fd, size_t bytes, bool writable);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();
  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  int fd() const { return fd_.get(); }

 private:
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
  Fd fd_;
};

// The running kernel's name for itself, the same in all of its containers; "" where it has none.
std::string RunningKernel();

// A folder under the system's temporary directory, removed with its content on destruction; after a
// kill by the next process that makes one.
class TempDir {
 public:
  static Result<TempDir> Create();
  TempDir(TempDir&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  TempDir& operator=(TempDir&&) = delete;
  ~TempDir();
  const std::filesystem::path& path() const { return path_; }

 private:
  TempDir(std::filesystem::path p, Fd lock) : path_(std::move(p)), lock_(std::move(lock)) {}
  std::filesystem::path path_;
  Fd lock_;
};

}  // namespace akgen::base
