#include "lm/model/safetensors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/files.h"
#include "base/json.h"

namespace akgen::lm {
using base::Error;
using base::Json;

namespace {
constexpr uint64_t kMaxHeader = 100'000'000;  // the format's own limit

Error BadWeights(const std::string& why, const std::string& where) {
  return Error{"AK1901", why, where, "copy or download the checkpoint again"};
}

// `shape` times the element's bytes, or -1 when that is no size a file can have.
int64_t BytesOf(const TensorView& t) {
  uint64_t n = ElementBytes(t.dtype);
  for (int64_t d : t.shape)
    if (__builtin_mul_overflow(n, uint64_t(d), &n) || n > uint64_t(INT64_MAX)) return -1;
  return int64_t(n);
}

base::Result<TensorView> ReadEntry(const std::string& name, const Json& j, const char* data,
                                   uint64_t size, const std::string& where) {
  auto bad = [&](const std::string& why) {
    return BadWeights("tensor `" + name + "`: " + why, where);
  };
  if (!j.is_object() || !j.contains("dtype") || !j["dtype"].is_string() || !j.contains("shape") ||
      !j["shape"].is_array() || !j.contains("data_offsets") || !j["data_offsets"].is_array() ||
      j["data_offsets"].size() != 2)
    return bad("dtype, shape or data_offsets are missing");
  TensorView t;
  t.dtype = j["dtype"].get<std::string>();
  if (ElementBytes(t.dtype) == 0) return bad("dtype `" + t.dtype + "` is not known");
  for (const Json& d : j["shape"]) {
    if (!d.is_number_unsigned()) return bad("the shape is malformed");
    t.shape.push_back(d.get<int64_t>());
    if (t.shape.back() < 0) return bad("the shape is malformed");
  }
  const Json &b = j["data_offsets"][0], &e = j["data_offsets"][1];
  if (!b.is_number_unsigned() || !e.is_number_unsigned()) return bad("data_offsets are malformed");
  uint64_t begin = b.get<uint64_t>(), end = e.get<uint64_t>();
  if (begin > end || end > size)
    return bad("its data end at byte " + std::to_string(end) + " of " + std::to_string(size) +
               ": the file is cut short");
  if (BytesOf(t) != int64_t(end - begin))
    return bad("its shape and its " + std::to_string(end - begin) + " bytes disagree");
  t.data = data + begin, t.bytes = end - begin;
  return t;
}
}  // namespace

size_t ElementBytes(std::string_view d) {
  if (d == "F64" || d == "I64" || d == "U64") return 8;
  if (d == "F32" || d == "I32" || d == "U32") return 4;
  if (d == "F16" || d == "BF16" || d == "I16" || d == "U16") return 2;
  if (d == "I8" || d == "U8" || d == "BOOL") return 1;
  return 0;
}

base::Status TensorFile::ReadHeader(const std::string& where) {
  uint64_t header = 0;
  if (size_ < 8)
    return BadWeights("the file has " + std::to_string(size_) + " bytes: no header", where);
  std::memcpy(&header, map_, 8);
  if (header > kMaxHeader || header > size_ - 8)
    return BadWeights("the header claims " + std::to_string(header) + " bytes of a file of " +
                          std::to_string(size_) + ": cut short, or no safetensors",
                      where);
  Json j = base::Parse({reinterpret_cast<const char*>(map_) + 8, size_t(header)});
  if (!j.is_object()) return BadWeights("the header is not a JSON object", where);
  const char* data = map_ + 8 + header;
  uint64_t size = size_ - 8 - header;
  std::vector<std::pair<uint64_t, uint64_t>> spans;
  for (auto it = j.begin(); it != j.end(); ++it) {
    if (it.key() == "__metadata__") continue;
    auto t = ReadEntry(it.key(), *it, data, size, where);
    if (!t.ok()) return t.error();
    spans.push_back({uint64_t(t->data - data), uint64_t(t->data - data) + t->bytes});
    tensors_.emplace(it.key(), std::move(*t));
  }
  std::sort(spans.begin(), spans.end());
  uint64_t at = 0;
  for (auto [begin, end] : spans) {
    if (begin != at)
      return BadWeights("tensors overlap or leave a hole at byte " +
                            std::to_string(std::min(begin, at)) + " of the data",
                        where);
    at = end;
  }
  if (at != size)
    return BadWeights(std::to_string(size - at) + " bytes behind the last tensor", where);
  return {};
}

base::Result<TensorFile> TensorFile::Open(const std::filesystem::path& path) {
  base::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid())
    return Error{"AK0001", std::string("cannot read: ") + std::strerror(errno), path.string(), ""};
  struct stat st;
  if (::fstat(fd.get(), &st) != 0 || !S_ISREG(st.st_mode))
    return Error{"AK0001", "cannot read: it is not a file", path.string(), ""};
  TensorFile f;
  f.size_ = size_t(st.st_size);
  if (f.size_ > 0) {
    void* p = ::mmap(nullptr, f.size_, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (p == MAP_FAILED)
      return Error{"AK0001", std::string("cannot map: ") + std::strerror(errno), path.string(), ""};
    f.map_ = static_cast<char*>(p);
  }
  if (auto s = f.ReadHeader(path.string()); !s.ok()) return s.error();
  return f;
}

TensorFile::TensorFile(TensorFile&& o) noexcept
    : map_(std::exchange(o.map_, nullptr)), size_(o.size_), tensors_(std::move(o.tensors_)) {}

TensorFile::~TensorFile() {
  if (map_) ::munmap(map_, size_);
}

base::Status WriteTensors(const std::filesystem::path& path,
                          const std::map<std::string, TensorView>& tensors) {
  std::vector<std::pair<std::string, const TensorView*>> order;
  for (const auto& [name, t] : tensors) order.push_back({name, &t});
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return ElementBytes(a.second->dtype) > ElementBytes(b.second->dtype);
  });
  nlohmann::ordered_json header = {{"__metadata__", {{"format", "pt"}}}};
  size_t at = 0;
  for (auto& [name, t] : order) {
    header[name] = {
        {"dtype", t->dtype}, {"shape", t->shape}, {"data_offsets", {at, at + t->bytes}}};
    at += t->bytes;
  }
  std::string text = base::DumpInOrder(header);
  text.append((8 - text.size() % 8) % 8, ' ');
  uint64_t length = text.size();
  std::string tmp = path.string() + ".tmp";
  auto fail = [&](const char* what) {
    int e = errno;
    ::unlink(tmp.c_str());
    return Error{"AK0002", std::string(what) + std::strerror(e), path.string(),
                 "free disk space or choose another folder"};
  };
  base::Fd fd(::open(tmp.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd.valid()) return fail("cannot write: ");
  auto put = [&](const char* p, size_t n) {
    while (n > 0) {
      ssize_t w = ::write(fd.get(), p, n);
      if (w < 0 && errno == EINTR) continue;
      if (w <= 0) return false;
      p += w, n -= size_t(w);
    }
    return true;
  };
  bool ok = put(reinterpret_cast<const char*>(&length), 8) && put(text.data(), text.size());
  for (size_t i = 0; ok && i < order.size(); ++i)
    ok = put(order[i].second->data, order[i].second->bytes);
  if (!ok || ::fsync(fd.get()) != 0) return fail("cannot write: ");
  if (::rename(tmp.c_str(), path.c_str()) != 0) return fail("cannot rename: ");
  return {};
}

}  // namespace akgen::lm
