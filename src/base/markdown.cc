#include "base/markdown.h"

#include "base/text.h"

namespace akgen::base {
namespace {
// Length of the UTF-8 sequence at `i`, 0 when there is none; overlong forms and surrogates are
// none.
size_t SequenceAt(std::string_view s, size_t i) {
  const auto at = [&](size_t k) { return static_cast<unsigned char>(s[k]); };
  const unsigned char c = at(i);
  const size_t n = c < 0x80                ? 1
                   : c >= 0xc2 && c < 0xe0 ? 2
                   : c >= 0xe0 && c < 0xf0 ? 3
                   : c >= 0xf0 && c < 0xf5 ? 4
                                           : 0;
  if (n == 0 || i + n > s.size()) return 0;
  for (size_t k = 1; k < n; ++k)
    if ((at(i + k) & 0xc0) != 0x80) return 0;
  if (n == 3 && ((c == 0xe0 && at(i + 1) < 0xa0) || (c == 0xed && at(i + 1) >= 0xa0))) return 0;
  if (n == 4 && ((c == 0xf0 && at(i + 1) < 0x90) || (c == 0xf4 && at(i + 1) >= 0x90))) return 0;
  return n;
}

bool Special(std::string_view text, size_t i) {
  const char c = text[i];
  if (std::string_view("\\`*[]<>|&~$#!").find(c) != std::string_view::npos) return true;
  if (c == ':') return text.substr(i).starts_with("://");  // a link without brackets
  const auto inside = [&](size_t at) {
    return at < text.size() && IsWord(text[at]) && text[at] != '_';
  };
  return c == '_' &&
         !(i > 0 && inside(i - 1) && inside(i + 1));  // within a word it emphasises nothing
}
}  // namespace

std::string MarkdownText(std::string_view text, size_t most) {
  std::string out;
  for (size_t i = 0; i < text.size() && i < most;) {
    const size_t n = SequenceAt(text, i);
    if (i + n > most) break;
    const auto c = static_cast<unsigned char>(text[i]);
    const bool control = c < 0x20 || c == 0x7f ||
                         (n == 2 && c == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0);
    if (n == 0)
      out += "\xef\xbf\xbd";
    else if (control)
      out += ' ';
    else if (Special(text, i))
      out += '\\', out += text[i];
    else
      out.append(text, i, n);
    i += n ? n : 1;
  }
  return out;
}

}  // namespace akgen::base
