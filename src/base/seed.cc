#include "base/seed.h"

#include <sys/random.h>

#include <ctime>

namespace akgen::base {
namespace {
constexpr int kSpareBits = 12;
constexpr uint64_t kStep = 0x9e3779b97f4a7c15ull;
}  // namespace

uint64_t DrawSeed() {
  uint64_t seed = 0;
  if (::getrandom(&seed, sizeof seed, 0) != sizeof seed)
    seed = uint64_t(std::time(nullptr)) * kStep;
  return seed >> kSpareBits;
}

uint64_t DerivedSeed(uint64_t seed, uint64_t purpose) {
  uint64_t x = seed + (purpose + 1) * kStep;  // splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return (x ^ (x >> 31)) >> kSpareBits;
}

}  // namespace akgen::base
