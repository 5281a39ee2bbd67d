// What is said of a modelled time: drawn times of launches, beside golden/profiles.txt.
#include <gtest/gtest.h>

#include <random>

#include "../golden.h"
#include "judge/time/profile.h"

namespace akgen::judge {
namespace {
TEST(ProfilesGolden, OfDrawnTimes) {
  const auto chip = chip::LoadChip();
  ASSERT_TRUE(chip.ok());
  std::mt19937_64 random(5);
  const auto below = [&](uint64_t n) { return random() % n; };
  const char* changes[] = {"double_buffer",     "double_buffer_half_tiles",
                           "larger_tiles",      "more_cores",
                           "even_cores",        "aligned",
                           "apart_in_ub",       "past_l2",
                           "vector_for_scalar", "flags_for_barriers",
                           "one_copy",          "double_buffer_l0",
                           "double_buffer_l1",  "larger_base_block"};
  std::string text;
  for (int i = 0; i < 160; ++i) {
    record::LaunchTime t;
    t.core_us = 1 + double(below(100)), t.longest_core_us = t.core_us * (below(4) ? 1.0 : 1.5),
    t.start_us = double(below(3)) * 0.25;
    t.us = t.longest_core_us + double(below(below(5) ? 6 : 400)), t.cores = 1 + int(below(48)),
    t.blocks = 1 + int(below(48));
    t.ub_used = double(below(196608)), t.cube_cores = below(4) ? 0 : 1 + int(below(24)),
    t.tried = true;
    for (const char* pipe : {"V", "S", "MTE2", "MTE3", "M", "MTE1", "FIX", "AIC S", "AIC MTE2"}) {
      if (below(3) == 0) continue;
      record::PipeTime p;
      p.busy_us = t.core_us * double(below(below(3) ? 60 : 100)) / 100,
      p.flag_wait_us = t.core_us * double(below(30)) / 100;
      p.conflict_us = p.busy_us * double(below(40)) / 100, p.instructions = below(1000);
      p.bytes = double(below(100000)), p.bursts = double(below(200));
      t.pipes[pipe] = p;
    }
    t.sites = {{"k.cpp", 3}, {}, {"k.cpp", 9}};
    for (uint64_t n = below(4); n > 0; --n)
      t.changes.push_back({changes[below(std::size(changes))], int(below(9)),
                           t.us * double(50 + below(50)) / 100, size_t(below(4))});
    if (below(3) == 0) t.scaled = record::ScaledTime{2, t.us * 1.5, t.us / 10};
    text += ToJson(ProfileOf(t, *chip)).dump() + "\n";
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "profiles.txt", text);
}
}  // namespace
}  // namespace akgen::judge
