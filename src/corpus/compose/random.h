// Numbers that depend on seeds alone, the same on every machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace akgen::corpus {

inline uint64_t MixBits(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

class Random {
 public:
  Random(uint64_t seed, uint64_t index) : state_(MixBits(seed) ^ MixBits(index * 2 + 1)) {}
  uint64_t Next() { return MixBits(state_ += 0x9e3779b97f4a7c15ull); }
  size_t Below(size_t n) { return static_cast<size_t>(Next() % n); }
  bool Chance(int percent) { return static_cast<int>(Below(100)) < percent; }
  template <class T>
  void Shuffle(std::vector<T>& v) {
    for (size_t i = v.size(); i > 1; --i) std::swap(v[i - 1], v[Below(i)]);
  }

 private:
  uint64_t state_;
};

}  // namespace akgen::corpus
