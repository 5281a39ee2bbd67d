// The library computes what the C library does, and asks for every byte that it touches.
#include "guest/library.h"

#include <cmath>

#include "programs.h"

namespace akgen::guest {
namespace {

class InLibrary : public testing::TestWithParam<How> {
 protected:
  Stop Call(const std::string& function, const std::vector<uint64_t>& arguments) {
    guest.Begin(function, arguments);
    for (;;) {
      const Stop stop = guest.machine.Run(1 << 20);
      if (stop != Stop::kCall) return stop;
      const LibraryFunction f = FindInLibrary(guest.image.imports.at(guest.machine.call()));
      if (!f || !f(guest.machine)) return Stop::kFault;
    }
  }
  void Faults(const std::string& function, const std::vector<uint64_t>& arguments,
              Fault::Kind kind) {
    EXPECT_EQ(Call(function, arguments), Stop::kFault) << function << " " << arguments[0];
    EXPECT_EQ(guest.machine.fault().kind, kind);
  }
  Guest guest{"library", GetParam()};
};
INSTANTIATE_TEST_SUITE_P(AllWays, InLibrary, kAllWays);

TEST_P(InLibrary, MemoryAndText) {
  ASSERT_EQ(Call("Memory", {6}), Stop::kReturned);
  EXPECT_EQ(guest.result(), 511u);
}

TEST_P(InLibrary, Numbers) {
  ASSERT_EQ(Call("Numbers", {12}), Stop::kReturned);
  int exponent = 0;
  const double part = std::frexp(12.0, &exponent);
  EXPECT_EQ(guest.result(),
            12 + 8000 + uint64_t(exponent) * 100000 + uint64_t(std::lround(part * 16)) * 10000000);
}

TEST_P(InLibrary, WildPointersAndLengths) {
  ASSERT_EQ(Call("VariableAt", {}), Stop::kReturned);
  const uint64_t own = guest.result(), process = reinterpret_cast<uint64_t>(this);
  for (uint64_t bytes :
       {uint64_t{1} << 20, uint64_t{1} << 32, ~uint64_t{0}, ~uint64_t{0} - own + 1}) {
    Faults("CopyAnything", {own, own, bytes}, Fault::Kind::kRead);
    Faults("SetAnything", {own, bytes}, Fault::Kind::kWrite);
  }
  guest.window.bytes.assign(64, 'x');  // a text without an end
  for (uint64_t address :
       {uint64_t{0}, kCodeBase, kCallsBase, Window::kBase + 60, process, ~uint64_t{7}}) {
    Faults("CopyAnything", {own, address, 8}, Fault::Kind::kRead);
    Faults("CopyAnything", {address, own, 8}, Fault::Kind::kWrite);
    Faults("LengthOf", {address}, Fault::Kind::kRead);
  }
  Faults("SetAnything", {kConstantsBase, 1}, Fault::Kind::kWrite);
  EXPECT_EQ(Call("CopyAnything", {0, 0, 0}), Stop::kReturned);  // nothing is copied
  EXPECT_EQ(Call("CopyAnything", {Window::kBase, own, 8}), Stop::kReturned);
  EXPECT_EQ(std::string(reinterpret_cast<char*>(guest.window.bytes.data())), "guest");
}

TEST(LibraryNames, NothingThatAChipHasNot) {
  for (const char* name : {"malloc", "fopen", "system", "printf", "dlopen", "mmap", "write",
                           "getenv", "akgen_vec", ""})
    EXPECT_EQ(FindInLibrary(name), nullptr) << name;
}

}  // namespace
}  // namespace akgen::guest
