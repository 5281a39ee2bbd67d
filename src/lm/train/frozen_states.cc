#include "lm/train/frozen_states.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace akgen::lm {
using base::Error;

namespace {
constexpr size_t kHash = 32;  // digits of base::ContentHash
constexpr char kMagic[] = "akgen states 1 ";

// In front of each record's rows.
struct RecordHead {
  char key[kHash], check[kHash];
  uint64_t bytes;
};

std::string KeyOf(const std::vector<int32_t>& ids) {
  return base::ContentHash({reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof ids[0]});
}

bool ReadAll(int fd, void* to, size_t bytes, uint64_t at) {
  char* p = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t n = ::pread(fd, p, bytes, off_t(at));
    if (n <= 0) return false;
    p += n, at += uint64_t(n), bytes -= size_t(n);
  }
  return true;
}

bool WriteAll(int fd, const void* from, size_t bytes, uint64_t at) {
  const char* p = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t n = ::pwrite(fd, p, bytes, off_t(at));
    if (n < 0) return false;
    p += n, at += uint64_t(n), bytes -= size_t(n);
  }
  return true;
}
}  // namespace

base::Result<std::unique_ptr<FrozenStates>> FrozenStates::Open(const std::filesystem::path& file,
                                                               const std::string& made_by,
                                                               int64_t width) {
  std::unique_ptr<FrozenStates> out(new FrozenStates);
  out->where_ = file.string(), out->width_ = width;
  out->fd_ = base::Fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  struct stat s{};
  if (!out->fd_.valid() || ::fstat(out->fd_.get(), &s) != 0)
    return Error{"AK0002", std::string("cannot be written: ") + std::strerror(errno), out->where_,
                 ""};
  const std::string head = kMagic + base::ContentHash(made_by + std::to_string(width));
  std::string found(head.size(), 0);
  if (ReadAll(out->fd_.get(), found.data(), found.size(), 0) && found == head) {
    out->end_ = head.size();
    out->FindRecords(uint64_t(s.st_size));
  } else if (::ftruncate(out->fd_.get(), 0) != 0 ||
             !WriteAll(out->fd_.get(), head.data(), head.size(), 0)) {
    return Error{"AK0002", std::string("cannot be written: ") + std::strerror(errno), out->where_,
                 ""};
  } else {
    out->end_ = head.size();
  }
  return out;
}

void FrozenStates::FindRecords(uint64_t end) {
  RecordHead head;
  while (end_ + sizeof head <= end && ReadAll(fd_.get(), &head, sizeof head, end_)) {
    const uint64_t rows = end_ + sizeof head;
    if (head.bytes == 0 || head.bytes > end - rows) break;  // cut short, to be written over
    places_[std::string(head.key, kHash)] = {rows, head.bytes, std::string(head.check, kHash)};
    end_ = rows + head.bytes;
  }
}

size_t FrozenStates::sequences() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return places_.size();
}

bool FrozenStates::Read(const std::vector<int32_t>& ids, float* rows) const {
  Place place;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto it = places_.find(KeyOf(ids));
    if (it == places_.end()) return false;
    place = it->second;
  }
  return place.bytes == ids.size() * size_t(width_) * sizeof(float) &&
         ReadAll(fd_.get(), rows, place.bytes, place.at) &&
         base::ContentHash({reinterpret_cast<const char*>(rows), place.bytes}) == place.check;
}

base::Status FrozenStates::Write(const std::vector<int32_t>& ids, const float* rows) {
  RecordHead head;
  head.bytes = ids.size() * size_t(width_) * sizeof(float);
  const std::string key = KeyOf(ids),
                    check = base::ContentHash({reinterpret_cast<const char*>(rows), head.bytes});
  std::memcpy(head.key, key.data(), kHash), std::memcpy(head.check, check.data(), kHash);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!WriteAll(fd_.get(), rows, head.bytes, end_ + sizeof head) ||
      !WriteAll(fd_.get(), &head, sizeof head, end_))
    return Error{"AK0002", std::string("cannot be written: ") + std::strerror(errno), where_,
                 "free disk space, or train without lora_keep_states"};
  places_[key] = {end_ + sizeof head, head.bytes, check};
  end_ += sizeof head + head.bytes;
  return {};
}

}  // namespace akgen::lm
