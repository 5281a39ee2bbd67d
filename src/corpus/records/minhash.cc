#include "corpus/records/minhash.h"

#include <cctype>
#include <set>

#include "corpus/compose/random.h"

namespace akgen::corpus {
namespace {
uint64_t HashOf(const std::string& s, uint64_t h) {
  for (unsigned char c : s) h = (h ^ c) * 0x100000001b3ull;
  return MixBits(h);
}

// Digits are gone: v12 is v, 0.5 is a point.
std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> out;
  std::string line;
  for (char c : text + "\n") {
    if (c == '\n') {
      if (!line.empty()) out.push_back(line);
      line.clear();
    } else if (!std::isspace(static_cast<unsigned char>(c)) &&
               !std::isdigit(static_cast<unsigned char>(c))) {
      line += c;
    }
  }
  return out;
}
}  // namespace

Sketch SketchOf(const std::string& text) {
  std::vector<std::string> lines = LinesOf(text);
  std::set<uint64_t> shingles;
  for (size_t i = 0; i < lines.size(); ++i) {
    uint64_t h = 0xcbf29ce484222325ull;
    for (size_t n = 0; n < 3 && i + n < lines.size(); ++n) {
      h = HashOf(lines[i + n] + "\n", h);
      shingles.insert(h);
    }
  }
  Sketch out;
  for (size_t k = 0; k < kSketch; ++k) {
    uint64_t least = UINT64_MAX;
    for (uint64_t s : shingles) least = std::min(least, MixBits(s ^ MixBits(k + 1)));
    out[k] = static_cast<uint32_t>(least >> 32);
  }
  return out;
}

double Likeness(const Sketch& a, const Sketch& b) {
  size_t same = 0;
  for (size_t k = 0; k < kSketch; ++k) same += a[k] == b[k];
  return static_cast<double>(same) / kSketch;
}

std::array<int64_t, kBands> BandsOf(const Sketch& s) {
  std::array<int64_t, kBands> out;
  for (size_t b = 0; b < kBands; ++b) {
    uint64_t h = b + 1;
    for (size_t i = 0; i < kSketch / kBands; ++i) h = MixBits(h ^ s[b * (kSketch / kBands) + i]);
    out[b] = static_cast<int64_t>(h);
  }
  return out;
}

}  // namespace akgen::corpus
