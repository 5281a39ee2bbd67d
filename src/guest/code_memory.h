// Memory for translated code. It is never writable and executable at one address: the same pages
// are mapped twice, once to write and once to execute, in front of them a table that the code only
// reads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

namespace akgen::guest {

class CodeMemory {
 public:
  // nullptr: the system gives none.
  static std::unique_ptr<CodeMemory> Make(size_t table_bytes, size_t code_bytes);
  CodeMemory(const CodeMemory&) = delete;
  ~CodeMemory();

  // Where things are written. The table comes first, code begins at code() and ends at end().
  uint8_t* table() const { return written_; }
  uint8_t* code() const { return written_ + table_bytes_; }
  uint8_t* end() const { return written_ + bytes_; }
  // Where what was written there is executed, or read by code.
  const uint8_t* Executed(const uint8_t* written) const { return executed_ + (written - written_); }
  const uint8_t* Written(const uint8_t* executed) const {
    return written_ + (executed - executed_);
  }

 private:
  CodeMemory() = default;
  uint8_t *written_ = nullptr, *executed_ = nullptr;
  size_t table_bytes_ = 0, bytes_ = 0;
};

}  // namespace akgen::guest
