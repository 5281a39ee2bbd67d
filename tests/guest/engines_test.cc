// Both engines do the same, to the last digit: registers, memory, faults, what they ask outside and
// how much they count.
#include <random>

#include "programs.h"

namespace akgen::guest {
namespace {

// What is executed is drawn, so that it makes some sense: few registers, pointers into memory,
// short jumps.
class Words {
 public:
  explicit Words(uint64_t seed) : random_(seed) {}
  uint64_t Below(uint64_t n) { return random_() % n; }
  std::vector<uint32_t> Draw(size_t n) {
    std::vector<uint32_t> out;
    while (out.size() < n) Add(&out);
    out.resize(n);
    return out;
  }
  uint64_t Value() {
    switch (Below(6)) {
      case 0: return kVariablesBase + Below(256) - 64;
      case 1: return kVariablesBase - Below(4096);
      case 2: return Window::kBase + Below(80);
      case 3: return kCodeBase + Below(64) * 4;
      case 4: return Below(2) ? random_() : ~Below(3);
      default: return kConstantsBase + Below(80);
    }
  }
  // Of an argument.
  uint64_t Start(int n) {
    if (n > 2 && n < 7) return Value();
    if (n == 0 && Rarely())
      return kVariablesBase - kStackBytes + Below(16) - 8;  // the ends of its memory
    if (n == 2 && Rarely()) return kVariablesBase + 200 - Below(16);
    return n == 0   ? kVariablesBase - 512 - Below(1024)
           : n == 1 ? Window::kBase + Below(8)
                    : kVariablesBase + Below(64);
  }

 private:
  // Among each kind some that have a register of the processor and some that have none. Most
  // instructions compute with the first kind and leave the second alone, which points into memory
  // at the start.
  uint32_t X() {
    constexpr uint32_t kValues[] = {0, 1, 5, 13, 14, 15, 16, 28};
    return Rarely() ? Pointer() : kValues[Below(std::size(kValues))];
  }
  uint32_t Pointer() {
    constexpr uint32_t kPointers[] = {2, 8, 10, 11, 12, 17};
    return kPointers[Below(std::size(kPointers))];
  }
  uint32_t F() { return uint32_t(10 + Below(4)); }
  bool Rarely() { return Below(40) == 0; }
  uint32_t Any(std::initializer_list<uint32_t> usual, uint64_t all) {
    return uint32_t(Rarely() ? Below(all) : *(usual.begin() + Below(usual.size())));
  }
  static uint32_t Fields(uint32_t opcode, uint32_t rd, uint32_t funct3, uint32_t rs1, uint32_t rs2,
                         uint32_t funct7) {
    return opcode | rd << 7 | funct3 << 12 | rs1 << 15 | rs2 << 20 | funct7 << 25;
  }
  static uint32_t BranchBy(int32_t bytes) {
    const auto b = uint32_t(bytes);
    return (b >> 12 & 1) << 31 | (b >> 5 & 63) << 25 | (b >> 1 & 15) << 8 | (b >> 11 & 1) << 7;
  }
  static uint32_t JumpBy(int32_t bytes) {
    const auto b = uint32_t(bytes);
    return (b >> 20 & 1) << 31 | (b >> 1 & 0x3ff) << 21 | (b >> 11 & 1) << 20 |
           (b >> 12 & 0xff) << 12;
  }
  int32_t Distance() { return (int32_t(Below(16)) - 4) * 4; }
  uint32_t Small() { return Rarely() ? uint32_t(Below(4096)) : uint32_t(Below(40)); }

  void Add(std::vector<uint32_t>* out) {
    switch (Below(16)) {
      case 0:
      case 1: return out->push_back(Register());
      case 2:
      case 3: return out->push_back(Immediate());
      case 4:
      case 5:
        return out->push_back(Fields(0x03, X(), uint32_t(Below(7)), Pointer(), 0, 0) | Small()
                                                                                           << 20);
      case 6:
      case 7: return Store(out, 0x23, X(), uint32_t(Below(4)));
      case 8:
        return out->push_back(Fields(0x07, F(), Any({1, 2, 3}, 8), Pointer(), 0, 0) | Small()
                                                                                          << 20);
      case 9: return Store(out, 0x27, F(), Any({1, 2, 3}, 8));
      case 10:
        return out->push_back(Fields(0x63, 0, Any({0, 1, 4, 5, 6, 7}, 8), X(), X(), 0) |
                              BranchBy(Distance()));
      case 11: return out->push_back(Float());
      case 12:
        // LUI of constants, of variables, of anything, perhaps overwritten by what is never
        // translated; and a load from there.
        out->push_back(Fields(0x37, 28, 0, 0, 0, 0) | Any({0x30000, 0x20000}, 1 << 20) << 12);
        if (Below(8) == 0) out->push_back(Fields(0x33, 28, 1, Pointer(), X(), 1));
        return out->push_back(Fields(Below(2) ? 0x03 : 0x07, X(), 2, 28, 0, 0) | Small() << 20);
      case 13:
        return out->push_back(Below(2) ? Fields(0x6f, X(), 0, 0, 0, 0) | JumpBy(Distance())
                                       : Fields(0x2f, X(), Any({2, 3}, 8), Pointer(), X(),
                                                Any({0, 1, 2, 3, 4, 8}, 32) << 2));
      case 14: return Call(out);
      default: return out->push_back(Rarely() ? uint32_t(random_()) : 0x13);
    }
  }
  uint32_t Register() {
    const bool wide = Below(3);
    if (Below(4) == 0)
      return Fields(wide ? 0x33 : 0x3b, X(), Any({0, 0, 0, 1, 4, 5, 6, 7}, 8) & (wide ? 7 : 4), X(),
                    Below(8) ? 5 : X(), 1);
    if (Below(4) == 0) return Fields(wide ? 0x33 : 0x3b, X(), Any({0, 5}, 8), X(), X(), 0x20);
    return Fields(wide ? 0x33 : 0x3b, X(), wide ? uint32_t(Below(8)) : Any({0, 1, 5}, 8), X(), X(),
                  0);
  }
  uint32_t Immediate() {
    const bool wide = Below(3);
    const uint32_t opcode = wide ? 0x13 : 0x1b;
    if (Below(3) == 0)
      return Fields(opcode, X(), Any({1, 5}, 8), X(), uint32_t(Below(32)), Any({0, 0x20}, 128));
    return Fields(opcode, X(), wide ? Any({0, 2, 3, 4, 6, 7}, 8) : 0, X(), 0, 0) |
           uint32_t(Below(4096)) << 20;
  }
  void Store(std::vector<uint32_t>* out, uint32_t opcode, uint32_t value, uint32_t width) {
    const uint32_t offset = Small();
    out->push_back(Fields(opcode, offset % 32, width, Pointer(), value, offset / 32));
  }
  uint32_t Float() {
    const uint32_t format = uint32_t(Below(2)), mode = Any({0, 7}, 8);
    switch (Below(5)) {
      case 0: return Fields(0x53, F(), mode, F(), F(), uint32_t(Below(4)) << 2 | format);
      case 1: return Fields(0x53, F(), uint32_t(Below(3)), F(), F(), 0x10 | format);  // signs
      case 2: return Fields(0x53, X(), uint32_t(Below(3)), F(), F(), 0x50 | format);  // comparisons
      case 3:
        return Fields(0x53, Below(2) ? F() : X(), Any({0, 1}, 8), Below(2) ? F() : X(),
                      uint32_t(Below(4)),
                      Any({0x20, 0x21, 0x22, 0x60, 0x61, 0x68, 0x69, 0x70, 0x71, 0x78, 0x79}, 128));
      default:
        return Fields(uint32_t(0x43 | Below(4) << 2), F(), mode, F(), F(),
                      F() << 2 | format);  // fused
    }
  }
  // AUIPC and JALR, to somewhere near, to a function outside, or nowhere; or a jump to what a
  // register holds.
  void Call(std::vector<uint32_t>* out) {
    const uint32_t temporary = Below(4) ? 1 : X();
    const uint64_t here = kCodeBase + out->size() * 4;
    uint64_t to = here + uint64_t(int64_t(Distance()));
    if (Below(2)) to = CallAddress(Rarely() ? 2 : Below(2));
    if (!Rarely())
      out->push_back(Fields(0x17, temporary, 0, 0, 0, 0) |
                     (uint32_t(to - here + 0x800) & 0xfffff000));
    out->push_back(Fields(0x67, Below(2) ? temporary : X(), 0, temporary, 0, 0) |
                   (uint32_t(to - here) & 0xfff) << 20);
  }
  std::mt19937_64 random_;
};

struct Side {
  explicit Side(const Image& image, Engine engine, int64_t cold)
      : program(image, engine, cold), machine(program, window) {}
  Window window;
  Program program;
  Machine machine;
};

// Everything that can be told apart from outside.
void ExpectSame(Side& a, Side& b) {
  EXPECT_EQ(a.machine.executed(), b.machine.executed());
  EXPECT_EQ(a.machine.fault().kind, b.machine.fault().kind);
  EXPECT_EQ(a.machine.fault().address, b.machine.fault().address);
  EXPECT_EQ(a.machine.fault().bytes, b.machine.fault().bytes);
  EXPECT_EQ(a.machine.call(), b.machine.call());
  for (unsigned n = 0; n < 64; ++n)
    EXPECT_EQ(a.machine.registers().Get(n), b.machine.registers().Get(n)) << n;
  EXPECT_EQ(a.window.bytes, b.window.bytes);
  EXPECT_EQ(a.window.asked, b.window.asked);
  uint64_t frames[2][4] = {};
  EXPECT_EQ(a.machine.Frames(frames[0]), b.machine.Frames(frames[1]));
  EXPECT_EQ(std::memcmp(frames[0], frames[1], sizeof frames[0]), 0);
  // As far down as pointers lead at the start.
  const uint64_t bytes = 8192 + a.program.image().variables.size();
  const uint8_t* memory[] = {a.machine.Read(kVariablesBase - 8192, bytes),
                             b.machine.Read(kVariablesBase - 8192, bytes)};
  EXPECT_EQ(std::memcmp(memory[0], memory[1], bytes), 0);
}

// Returns how many stops there were; both go on after each as a kernel's owner would.
int Compare(const Image& image, Words& words) {
  Side a(image, Engine::kInterpreter, 0),
      b(image, Engine::kTranslator, int64_t(words.Below(2) * words.Below(60)));
  std::vector<uint64_t> arguments;
  for (int i = 0; i < 8; ++i) arguments.push_back(words.Start(i));
  for (Side* r : {&a, &b}) {
    r->machine.Begin(kCodeBase, arguments);
    for (unsigned i = 10; i < 14; ++i)
      r->machine.registers().SetFloat(i, arguments[i - 10] | (i & 1 ? ~uint64_t{0} << 32 : 0));
  }
  int stops = 0;
  for (; stops < 30; ++stops) {
    const auto fuel = int64_t(words.Below(4) ? words.Below(300) : 1);
    const Stop stop = a.machine.Run(fuel);
    EXPECT_EQ(b.machine.Run(fuel), stop);
    ExpectSame(a, b);
    if (stop == Stop::kReturned || stop == Stop::kFault || testing::Test::HasFailure()) break;
    if (stop != Stop::kCall) continue;
    const uint64_t answer = words.Value();
    a.machine.registers().SetResult(answer);
    b.machine.registers().SetResult(answer);
  }
  return stops;
}

TEST(Engines, DrawnProgramsRunAlike) {
  int longer = 0;
  for (uint64_t seed = 1; seed <= 4000 && !HasFailure(); ++seed) {
    Words words(seed);
    Image image;
    image.constants.resize(64);
    for (uint8_t& c : image.constants) c = uint8_t(words.Below(256));
    image.variables.resize(200);
    image.imports = {"f", "g"};
    image.code = words.Draw(16 + words.Below(80));
    longer += Compare(image, words) > 3;
    if (HasFailure()) ADD_FAILURE() << "seed " << seed;
  }
  EXPECT_GT(longer, 400);  // not all of them end at once
}

// A guest that is entered at each of its instructions fills what memory there is for translations,
// and goes on.
TEST(Engines, RoomForTranslationsEnds) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "guests are translated to x86-64 alone";
#endif
  Image image;
  image.code.assign(3000, 0x00013283);  // ld t0, 0(sp)
  image.code.push_back(0x00008067);     // ret
  Side a(image, Engine::kInterpreter, 0), b(image, Engine::kTranslator, 0);
  for (uint64_t slot = 0; slot < image.code.size(); ++slot)
    for (Side* r : {&a, &b}) {
      r->machine.Begin(kCodeBase + slot * 4, {});
      ASSERT_EQ(r->machine.Run(10000), Stop::kReturned);
    }
  EXPECT_EQ(a.machine.executed(), b.machine.executed());
  EXPECT_EQ(b.program.engine(), Engine::kTranslator);
}

}  // namespace
}  // namespace akgen::guest
