// The safetensors format: tensors by name in one file, or in shards with an index. Everything a
// header says is checked against the file before a byte of data is looked at.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace akgen::lm {

struct TensorView {
  std::string dtype;  // F32, BF16, F16, F64, I64 … as in the file
  std::vector<int64_t> shape;
  const char* data = nullptr;  // little-endian, row-major; valid as long as the TensorFile
  size_t bytes = 0;
};

// A file mapped read-only. Move-only.
class TensorFile {
 public:
  // AK1901: cut short, header malformed, offsets outside the file or overlapping, size and shape
  // disagree.
  static base::Result<TensorFile> Open(const std::filesystem::path& path);
  TensorFile(TensorFile&& other) noexcept;
  TensorFile& operator=(TensorFile&&) = delete;
  ~TensorFile();
  const std::map<std::string, TensorView>& tensors() const { return tensors_; }

 private:
  TensorFile() = default;
  base::Status ReadHeader(const std::string& where);
  char* map_ = nullptr;
  size_t size_ = 0;
  std::map<std::string, TensorView> tensors_;
};

// Bytes of one element, 0 for an unknown dtype.
size_t ElementBytes(std::string_view dtype);

// Layout as the reference implementation writes it: wide dtypes first, then by name. Written to a
// temporary neighbour, synchronised and renamed. AK0002 when that fails.
base::Status WriteTensors(const std::filesystem::path& path,
                          const std::map<std::string, TensorView>& tensors);

}  // namespace akgen::lm
