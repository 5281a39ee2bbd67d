// Cuts text into the pieces inside which BPE merges, by a pattern in the syntax of Perl (PCRE2,
// Unicode classes).
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace akgen::lm {

class Splitter {
 public:
  // AK1910 when the pattern is none.
  static base::Result<std::shared_ptr<const Splitter>> Compile(const std::string& pattern);
  ~Splitter();
  Splitter(const Splitter&) = delete;
  Splitter& operator=(const Splitter&) = delete;
  // Every byte of `text` is in exactly one piece: matches, and what lies between them.
  void Split(std::string_view text, const std::function<void(std::string_view)>& piece) const;

 private:
  Splitter() = default;
  void* code_ = nullptr;
};

}  // namespace akgen::lm
