// A guest's addresses and the chip's memories: how far a plain access reaches, to the byte.
#include "runner/process/guest_memory.h"

#include <gtest/gtest.h>

#include <vector>

#include "guest/layout.h"
#include "sim/exec/core.h"

namespace akgen::runner {
namespace {
class GuestMemoryTest : public ::testing::Test {
 protected:
  GuestMemoryTest()
      : core_(model_, checks_, log_, shared_,
              {{sim::MemoryId::UB, 4096}, {sim::MemoryId::L0C, 2048}}) {
    core_.Reset(0, sim::Schedule());
    sim::g_core = &core_;
    sim::ClearGmRegions();
    sim::AddGmRegion({"x", x_.data(), 64, sim::Role::kInput, 96});
    sim::AddGmRegion({"y", y_.data(), 64, sim::Role::kOutput, 0});
    memory_.Learn();
  }
  ~GuestMemoryTest() override {
    sim::ClearGmRegions();
    sim::g_core = nullptr;
  }
  // As a guest that has announced it.
  uint8_t* Reach(uint64_t address, uint64_t bytes, bool write) {
    memory_.Grant(address, bytes, write);
    return memory_.Reach(address, bytes, write);
  }
  sim::ChipModel model_ = sim::ModelOf(*chip::LoadChip());
  sim::Checks checks_;
  sim::FindingLog log_;
  sim::SharedNow shared_;
  sim::Core core_;
  std::vector<uint8_t> x_ = std::vector<uint8_t>(128), y_ = std::vector<uint8_t>(128),
                       constants_ = std::vector<uint8_t>(16);
  GuestMemory memory_{constants_};
};

TEST_F(GuestMemoryTest, AddressesGoThereAndBack) {
  for (sim::MemoryId id : {sim::MemoryId::UB, sim::MemoryId::L0C})
    for (uint32_t at : {0u, 1u, 2047u}) {
      uint8_t* host = core_.memory(id).At(at);
      EXPECT_EQ(memory_.ToHost(memory_.UbToGuest(host)), host) << at;
    }
  for (uint8_t* host : {x_.data(), x_.data() + 63, y_.data() + 5, constants_.data() + 3})
    EXPECT_EQ(memory_.ToHost(memory_.GmToGuest(host)), host);
  EXPECT_EQ(memory_.GmToGuest(constants_.data() + 3), guest::kConstantsBase + 3);
  EXPECT_EQ(memory_.ToHost(0), nullptr);
  EXPECT_EQ(memory_.GmToGuest(nullptr), 0u);
  // What is nowhere stays what it is, so that messages say it.
  const uint64_t nowhere = 12345;
  EXPECT_EQ(memory_.GmToGuest(memory_.ToHost(nowhere)), nowhere);
}

TEST_F(GuestMemoryTest, ReachesToTheLastByteAndNoFurther) {
  for (sim::MemoryId id : {sim::MemoryId::UB, sim::MemoryId::L0C}) {
    sim::Memory& m = core_.memory(id);
    const uint64_t start = memory_.UbToGuest(m.base());
    for (bool write : {false, true}) {
      EXPECT_EQ(Reach(start, m.bytes(), write), m.base());
      EXPECT_EQ(Reach(start + m.bytes() - 8, 8, write), m.base() + m.bytes() - 8);
      EXPECT_EQ(Reach(start + m.bytes() - 8, 9, write), nullptr);
      EXPECT_EQ(Reach(start + m.bytes() - 1, 1, write), m.base() + m.bytes() - 1);
    }
  }
  const uint64_t x = memory_.GmToGuest(x_.data()), y = memory_.GmToGuest(y_.data());
  EXPECT_EQ(Reach(x + 88, 8, false), x_.data() + 88) << "of the allocation";
  EXPECT_EQ(Reach(x + 88, 9, false), nullptr);
  EXPECT_EQ(Reach(x, 8, true), nullptr) << "an input";
  EXPECT_EQ(Reach(y + 56, 8, true), y_.data() + 56);
  EXPECT_EQ(Reach(y + 56, 9, true), nullptr);
  EXPECT_EQ(Reach(0, 8, false), nullptr);
}
}  // namespace
}  // namespace akgen::runner
