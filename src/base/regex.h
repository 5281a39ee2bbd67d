// Perl's regular expressions (PCRE2), over bytes. Texts may be hostile: matching takes its memory
// from the heap, where that of std::regex recurses once a character, and a text that takes too many
// steps has no match.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace akgen::base {

struct Group {
  size_t begin = 0, end = 0;  // bytes of the text; both 0 where the group took no part
  bool matched = false;
  std::string text;
};
// Group 0 is the whole of what was found.
using Match = std::vector<Group>;

class Regex {
 public:
  // Throws std::invalid_argument for a malformed pattern: patterns are written here, not read.
  explicit Regex(const char* pattern);
  std::optional<Match> Find(std::string_view text) const;  // the first
  std::optional<Match> AtStart(
      std::string_view text) const;  // the one that begins where the text does
  std::optional<Match> Whole(std::string_view text) const;
  std::vector<Match> All(std::string_view text) const;
  // Each match becomes `with`, as it stands.
  std::string Replace(std::string_view text, std::string_view with) const;

 private:
  std::optional<Match> Run(std::string_view text, size_t from, unsigned options) const;
  std::shared_ptr<const void> code_;
};

}  // namespace akgen::base
