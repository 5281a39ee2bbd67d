// A Cube core that runs what a test gives it: random operands in its memories, findings that nobody
// expects are failures.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "sim/exec/core.h"
#include "sim/launch/launch.h"

namespace akgen::sim {
class CubeCore : public ::testing::Test {
 protected:
  void SetUp() override { ClearGmRegions(); }
  void TearDown() override { ClearGmRegions(); }
  LaunchResult Run(std::function<void()> kernel) {
    LaunchResult result = RunAnything(std::move(kernel));
    EXPECT_EQ(result.status, "ok") << result.detail;
    for (const auto& f : result.findings) ADD_FAILURE() << f.message;
    return result;
  }
  LaunchResult RunAnything(std::function<void()> kernel) {
    LaunchRequest r;
    r.kernel = std::move(kernel);
    r.chip = ModelOf(*chip::LoadChip());
    r.cores = {1, 0};
    r.checks.race = race_;
    return Launch(r);
  }
  uint32_t Below(uint32_t n) { return uint32_t(random_() % n); }
  uint32_t In(uint32_t least, uint32_t most) { return least + Below(most - least + 1); }
  void Randomise(uint8_t* at, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) at[i] = uint8_t(random_());
  }
  // Defined random bytes in a memory of the running core.
  uint8_t* Prepare(MemoryId id) {
    Memory& m = g_core->memory(id);
    Randomise(m.base(), m.bytes());
    m.defined.Fill(true);
    return m.base();
  }
  static AkgenCube Load(uint8_t op, uint8_t type, uint8_t from, const void* src, uint8_t to,
                        void* dst) {
    AkgenCube c = {};
    c.op = op, c.src_type = c.dst_type = type;
    c.src_position = from, c.dst_position = to;
    c.src = src, c.dst = dst;
    return c;
  }
  std::mt19937_64 random_{7};
  bool race_ = false;  // each test does one thing after the other
};

inline uint8_t TypeOf(uint32_t bits) {
  return bits == 8 ? AKGEN_I8 : bits == 16 ? AKGEN_F16 : AKGEN_F32;
}
}  // namespace akgen::sim
