// The alphabet of byte-level BPE (first in GPT-2): printable bytes of Latin-1 stand for themselves,
// the others for characters from U+0100 on, in order.
#include <array>

#include "lm/tokenizer/tokenizer.h"

namespace akgen::lm {
namespace {
struct Alphabet {
  std::array<uint16_t, 256> to{};
  std::array<int16_t, 512> from;
  Alphabet() {
    from.fill(-1);
    uint16_t next = 256;
    for (int b = 0; b < 256; ++b) {
      bool printable = (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xAC) || (b >= 0xAE);
      to[size_t(b)] = printable ? uint16_t(b) : next++;
      from[to[size_t(b)]] = int16_t(b);
    }
  }
};
const Alphabet& TheAlphabet() {
  static const Alphabet alphabet;
  return alphabet;
}
}  // namespace

std::string ToPrintable(std::string_view bytes) {
  std::string out;
  for (unsigned char b : bytes) {
    uint16_t c = TheAlphabet().to[b];
    if (c < 0x80) {
      out += char(c);
    } else {
      out += char(0xC0 | (c >> 6));
      out += char(0x80 | (c & 0x3F));
    }
  }
  return out;
}

bool FromPrintable(std::string_view text, std::string& bytes) {
  bytes.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned c = static_cast<unsigned char>(text[i]);
    if (c >= 0x80) {
      if (c < 0xC2 || c > 0xC7 || i + 1 >= text.size()) return false;
      c = ((c & 0x1F) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3F);
    }
    if (c >= 512 || TheAlphabet().from[c] < 0) return false;
    bytes += char(TheAlphabet().from[c]);
  }
  return true;
}

}  // namespace akgen::lm
