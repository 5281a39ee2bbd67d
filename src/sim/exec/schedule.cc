#include "sim/exec/schedule.h"

#include <algorithm>

#include "akgen/abi.h"

namespace akgen::sim {
namespace {
constexpr uint32_t kOrders[6][3] = {{AKGEN_PIPE_MTE2, AKGEN_PIPE_V, AKGEN_PIPE_MTE3},
                                    {AKGEN_PIPE_MTE3, AKGEN_PIPE_V, AKGEN_PIPE_MTE2},
                                    {AKGEN_PIPE_V, AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE3},
                                    {AKGEN_PIPE_V, AKGEN_PIPE_MTE3, AKGEN_PIPE_MTE2},
                                    {AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE3, AKGEN_PIPE_V},
                                    {AKGEN_PIPE_MTE3, AKGEN_PIPE_MTE2, AKGEN_PIPE_V}};
}  // namespace

// The first seeds are the six extreme orders in which a pipe runs only when another one needs it;
// later ones are drawn.
Schedule::Schedule(uint64_t seed, uint32_t block) : on_(seed != 0) {
  if (!on_) return;
  state_ = (seed * 0x9e3779b97f4a7c15ull) ^ (uint64_t(block + 1) * 0xd1342543de82ef95ull);
  for (int i = 0; i < 4; ++i) Below(2);
  size_t which = seed <= 6 ? size_t(seed - 1) : Below(6);
  for (size_t i = 0; i < 3; ++i) order_[i] = kOrders[which][i];
  if (seed <= 6) return;
  mixes_ = Chance(128);
  constexpr uint32_t kHaste[] = {0, 0, 16, 64, 255};
  for (size_t i = 0; i < 3; ++i) haste_[i] = kHaste[Below(5)];
}

// The first seed lets those that bring data go first, the second those that take it; the others are
// drawn.
void Schedule::OnCube(uint64_t seed) {
  if (!on_) return;
  pipes_ = order_.size();
  order_ = {AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE1, AKGEN_PIPE_M, AKGEN_PIPE_FIX};
  if (seed == 2) std::reverse(order_.begin(), order_.end());
  for (size_t i = order_.size(); seed > 2 && i > 1; --i)
    std::swap(order_[i - 1], order_[Below(uint32_t(i))]);
  haste_[3] = haste_[0];
}

uint32_t Schedule::Below(uint32_t n) {
  state_ += 0x9e3779b97f4a7c15ull;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return uint32_t(((z ^ (z >> 31)) >> 32) * n >> 32);
}

}  // namespace akgen::sim
