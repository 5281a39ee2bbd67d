// A legal order of execution, drawn from a seed: what hardware may do and the eager order of the
// chip never does.
//
// Seed 0 is the eager order. With any other seed the pipes of a core lag behind the scalar unit and
// each other as far as flags, barriers, queues and the compiler's automatic synchronisation allow,
// copies of one pipe between two barriers may overtake each other, and blocks start and interleave
// in any order. A correct kernel gives the same bytes for every seed.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace akgen::sim {

class Schedule {
 public:
  Schedule() = default;
  // The choices for one block, independent of how blocks interleave.
  Schedule(uint64_t seed, uint32_t block);
  // The block is one of a Cube core, whose pipes are others.
  void OnCube(uint64_t seed);

  bool on() const { return on_; }
  uint32_t Below(uint32_t n);  // uniform in [0, n)
  bool Chance(uint32_t of_256) { return Below(256) < of_256; }

  // The pipes from the most to the least preferred when something has to run.
  std::span<const uint32_t> order() const { return {order_.data(), pipes_}; }
  // May a pipe go on although nobody needs its result yet?
  bool Hurries(size_t place) { return haste_[place] && Chance(haste_[place]); }
  bool mixes() const { return mixes_; }  // departs from `order` now and then

 private:
  bool on_ = false, mixes_ = false;
  size_t pipes_ = 3;
  std::array<uint32_t, 4> order_{};
  std::array<uint32_t, 4> haste_{};  // chance of 256 per issued instruction
  uint64_t state_ = 0;
};

}  // namespace akgen::sim
