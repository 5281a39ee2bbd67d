// Whatever a guest does, it ends in a fault that says what it tried, and nothing outside has
// changed.
#include "programs.h"

namespace akgen::guest {
namespace {
using Kind = Fault::Kind;

class Hostile : public testing::TestWithParam<How> {
 protected:
  void Faults(const std::string& function, const std::vector<uint64_t>& arguments, Kind kind) {
    EXPECT_EQ(guest.Call(function, arguments), Stop::kFault) << function;
    EXPECT_EQ(guest.machine.fault().kind, kind) << function << " " << guest.machine.fault().address;
  }
  Guest guest{"hostile", GetParam()};
};
INSTANTIATE_TEST_SUITE_P(AllWays, Hostile, kAllWays);

TEST_P(Hostile, WildPointers) {
  const uint64_t top = kVariablesBase + guest.image.variables.size();
  for (uint64_t address :
       {uint64_t{0}, uint64_t{8}, kCodeBase, kConstantsBase - 8, kVariablesBase - kStackBytes - 8,
        kVariablesBase - kStackBytes - 1, top, top - 1, kCallsBase, kCallsBase + 16, kOutside - 4,
        Window::kBase - 8, Window::kBase - 1, Window::kBase + 57, Window::kBase + 64,
        uint64_t{1} << 63, ~uint64_t{0}, ~uint64_t{7}, ~uint64_t{3}}) {
    Faults("ReadAt", {address}, Kind::kRead);
    EXPECT_EQ(guest.machine.fault().address, address);
    Faults("WriteAt", {address, ~uint64_t{0}}, Kind::kWrite);
  }
  EXPECT_EQ(guest.window.bytes, std::vector<uint8_t>(64));
  // And addresses of this process are not the guest's.
  Faults("WriteAt", {reinterpret_cast<uint64_t>(&guest), 0}, Kind::kWrite);
  Faults("ReadAt", {reinterpret_cast<uint64_t>(guest.image.code.data())}, Kind::kRead);
}

TEST_P(Hostile, JumpsOut) {
  const uint64_t end = kCodeBase + guest.image.code.size() * 4;
  for (uint64_t address :
       {uint64_t{0}, kCodeBase - 4, kCodeBase + 2, end, end + 4, kConstantsBase, kVariablesBase,
        kVariablesBase - 64, CallAddress(guest.image.imports.size()), kCallsBase + 8,
        kCallsBase - 16, Window::kBase, ~uint64_t{3}, reinterpret_cast<uint64_t>(&guest)})
    Faults("JumpTo", {address}, Kind::kJump);
  Faults("ReturnAddress", {kVariablesBase}, Kind::kJump);
}

TEST_P(Hostile, CodeIsNoData) {
  Faults("OwnCode", {}, Kind::kWrite);
  Faults("ReadOwnCode", {}, Kind::kRead);
  Faults("OwnConstant", {}, Kind::kWrite);
}

TEST_P(Hostile, EndlessLoopsUseUpTheirFuel) {
  guest.Begin("Forever", {});
  for (int turn = 0; turn < 3; ++turn) EXPECT_EQ(guest.machine.Run(10000), Stop::kFuel);
  EXPECT_GE(guest.machine.executed(), 30000u);
  EXPECT_LT(guest.machine.executed(), 30100u);
}

TEST_P(Hostile, StackEnds) {
  Faults("HugeStack", {0}, Kind::kWrite);
  Faults("Recurse", {0}, Kind::kWrite);
}

TEST_P(Hostile, InstructionsOfAMachine) {
  Faults("SystemCall", {}, Kind::kInstruction);
  Faults("ControlRegister", {}, Kind::kInstruction);
  Faults("NoWord", {}, Kind::kInstruction);
  EXPECT_EQ(guest.Call("Ends", {}), Stop::kFault);
  EXPECT_EQ(guest.Call("BranchOut", {}), Stop::kReturned);
}

TEST_P(Hostile, AnyAlignmentWillDo) {
  for (uint64_t offset = 0; offset < 16; ++offset) {
    ASSERT_EQ(guest.Call("Misaligned", {offset}), Stop::kReturned);
    EXPECT_EQ(guest.result(), 0x0102030405060708u);
  }
}

// Any words at all: the machine stops in bounded time, and touches nothing.
TEST(HostileWords, NoneHurts) {
  uint64_t seed = 1;
  auto next = [&] { return seed = seed * 6364136223846793005u + 1442695040888963407u, seed >> 16; };
  int faults = 0;
  for (int turn = 0; turn < 6000; ++turn) {
    Image image;
    image.constants.resize(64);
    image.variables.resize(64);
    image.imports = {"f"};
    static constexpr uint32_t kOpcodes[] = {0x03, 0x07, 0x0f, 0x13, 0x17, 0x1b, 0x23, 0x27,
                                            0x33, 0x37, 0x3b, 0x43, 0x47, 0x4b, 0x4f, 0x53,
                                            0x63, 0x67, 0x6f, 0x73, 0x2f, 0x57};
    for (int i = 0; i < 64; ++i)
      image.code.push_back(
          uint32_t((next() & ~uint64_t{0x7f}) | kOpcodes[next() % std::size(kOpcodes)]));
    Window window;
    Program program(image, kEngines[turn % 2], 0);
    Machine machine(program, window);
    machine.Begin(kCodeBase, std::vector<uint64_t>{Window::kBase, kVariablesBase, kConstantsBase});
    Stop stop = Stop::kFuel;
    for (int i = 0; i < 20 && (stop == Stop::kFuel || stop == Stop::kCall); ++i)
      stop = machine.Run(1000);
    faults += stop == Stop::kFault;
    EXPECT_LT(machine.executed(), 20u * 1100);
    uint64_t frames[4];
    machine.Frames(frames);
  }
  EXPECT_GT(faults, 4000);
}

}  // namespace
}  // namespace akgen::guest
