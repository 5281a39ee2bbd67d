// ge::AscendString: a string with a fixed binary layout.
#ifndef AKGEN_GRAPH_ASCEND_STRING_H
#define AKGEN_GRAPH_ASCEND_STRING_H
#include "akgen/host_std.h"

namespace ge {
class AscendString {
 public:
  AscendString() = default;
  AscendString(const char* name) : text_(name == nullptr ? "" : name) {}
  AscendString(const char* name, size_t length)
      : text_(name == nullptr ? "" : std::string(name, length)) {}
  const char* GetString() const { return text_.c_str(); }
  size_t GetLength() const { return text_.size(); }
  bool operator==(const AscendString& o) const { return text_ == o.text_; }
  bool operator!=(const AscendString& o) const { return text_ != o.text_; }
  bool operator<(const AscendString& o) const { return text_ < o.text_; }

 private:
  std::string text_;
};
}  // namespace ge
#endif
