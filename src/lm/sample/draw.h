// Drawing a token from logits.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace akgen::lm {

// splitmix64: small, the same everywhere. Seeds are mixed before they count steps: those of a fixed
// distance apart would else draw the same numbers, one a few steps behind the other, and texts of
// several samples meet and stay together.
class Random {
 public:
  explicit Random(uint64_t seed, uint64_t stream = 0) : x_(seed) {
    x_ = Next() + stream;
    x_ = Next();
  }
  uint64_t Next();
  double Uniform() { return double(Next() >> 11) * 0x1.0p-53; }  // [0, 1)

 private:
  uint64_t x_;
};

// The token and its log probability under the whole, untempered distribution of the first `size`
// logits. `allowed`: candidates (not empty), null for all. top_p keeps the likeliest tokens whose
// tempered probabilities reach it.
std::pair<int, double> DrawToken(const float* logits, int size, const std::vector<int>* allowed,
                                 double temperature, double top_p, Random& random);

}  // namespace akgen::lm
