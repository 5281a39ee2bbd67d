#include "lm/sample/utf8_ranges.h"

#include <algorithm>

namespace akgen::lm {

std::string EncodeUtf8(uint32_t c) {
  std::string s;
  if (c < 0x80) return std::string(1, char(c));
  int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const unsigned kLead[] = {0xC0, 0xE0, 0xF0};
  s += char(kLead[more - 1] | (c >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) s += char(0x80 | ((c >> (6 * i)) & 0x3F));
  return s;
}

bool DecodeUtf8(std::string_view text, size_t& at, uint32_t& c) {
  auto b = static_cast<unsigned char>(text[at]);
  int more = b < 0x80                ? 0
             : b >= 0xC2 && b < 0xE0 ? 1
             : b >= 0xE0 && b < 0xF0 ? 2
             : b >= 0xF0 && b < 0xF5 ? 3
                                     : -1;
  if (more < 0 || at + size_t(more) >= text.size()) return false;
  c = more == 0 ? b : b & (0x3Fu >> more);
  for (int i = 1; i <= more; ++i) {
    auto d = static_cast<unsigned char>(text[at + size_t(i)]);
    if ((d & 0xC0) != 0x80) return false;
    c = (c << 6) | (d & 0x3F);
  }
  at += size_t(more) + 1;
  return true;
}

std::vector<CodeRange> Complement(std::vector<CodeRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const CodeRange& a, const CodeRange& b) { return a.from < b.from; });
  std::vector<CodeRange> out;
  uint32_t next = 0;
  for (const CodeRange& r : ranges) {
    if (r.from > next) out.push_back({next, r.from - 1});
    next = std::max(next, r.to + 1);
  }
  if (next <= 0x10FFFF) out.push_back({next, 0x10FFFF});
  return out;
}

namespace {
// Cuts a range until all bytes behind the first that differs run over their whole range.
void Split(uint32_t from, uint32_t to, std::vector<ByteRanges>& out) {
  static const uint32_t kEnds[] = {0x7F, 0x7FF, 0xFFFF};
  for (uint32_t end : kEnds)
    if (from <= end && to > end) return Split(from, end, out), Split(end + 1, to, out);
  if (from <= 0xDFFF && to >= 0xD800) {
    if (from < 0xD800) Split(from, 0xD7FF, out);
    if (to > 0xDFFF) Split(0xE000, to, out);
    return;
  }
  if (to >= 0x80)
    for (int bits = 6; bits <= 18; bits += 6) {
      uint32_t low = (1u << bits) - 1;
      if ((from & ~low) == (to & ~low)) break;
      if (from & low) return Split(from, from | low, out), Split((from | low) + 1, to, out);
      if ((to & low) != low) return Split(from, (to & ~low) - 1, out), Split(to & ~low, to, out);
    }
  std::string a = EncodeUtf8(from), b = EncodeUtf8(to);
  ByteRanges q;
  for (size_t i = 0; i < a.size(); ++i) q.push_back({uint8_t(a[i]), uint8_t(b[i])});
  out.push_back(q);
}
}  // namespace

std::vector<ByteRanges> Utf8Sequences(const std::vector<CodeRange>& ranges) {
  std::vector<ByteRanges> out;
  for (const CodeRange& r : ranges) Split(r.from, r.to, out);
  return out;
}

}  // namespace akgen::lm
