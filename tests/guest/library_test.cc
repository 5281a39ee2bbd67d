// The library computes what the C library does, and asks for every byte that it touches.
#include "guest/library.h"

#include <algorithm>
#include <cmath>
#include <cstring>

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

// One function called on a machine that runs nothing: arguments in, a0 or fa0 out.
struct Called {
  Image image;
  Window window;
  Program program{(image.code = {0x00008067}, image), Engine::kInterpreter, 0};
  Machine machine{program, window};

  bool Call(const std::string& name, const std::vector<uint64_t>& arguments,
            const std::vector<uint64_t>& floats = {}) {
    machine.Reset();
    machine.Begin(kCodeBase, arguments);
    for (size_t i = 0; i < floats.size(); ++i)
      machine.registers().SetFloat(uint32_t(10 + i), floats[i]);
    const LibraryFunction f = FindInLibrary(name);
    EXPECT_TRUE(f) << name;
    return f && f(machine);
  }
  uint64_t Result() { return machine.registers().Argument(0); }
  uint64_t FloatResult() { return machine.registers().FloatArgument(0); }
};
uint64_t SingleBits(float v) {
  uint32_t bits = 0x7fc00000;
  if (v == v) std::memcpy(&bits, &v, 4);
  return bits | ~uint64_t{0xffffffff};
}
uint64_t DoubleBits(double v) { return v != v ? 0x7ff8000000000000 : Bits(v); }

TEST(LibraryFunctions, CompareMemoryAndTexts) {
  Called one;
  const uint64_t a = Window::kBase, b = a + 16, end = a + 60;
  const auto texts = [&](const char* left, const char* right) {
    std::fill(one.window.bytes.begin(), one.window.bytes.end(), uint8_t(0));
    std::copy_n(left, std::strlen(left), one.window.bytes.begin());
    std::copy_n(right, std::strlen(right), one.window.bytes.begin() + 16);
  };
  struct Row {
    const char *name, *left, *right;
    uint64_t most;
    int64_t sign;
  };
  const Row rows[] = {{"memcmp", "abc", "abd", 3, -1},  {"memcmp", "abc", "abd", 2, 0},
                      {"memcmp", "abd", "abc", 3, 1},   {"memcmp", "a", "b", 0, 0},
                      {"memcmp", "\xff", "\x01", 1, 1}, {"strcmp", "abc", "abc", 0, 0},
                      {"strcmp", "ab", "abc", 0, -1},   {"strcmp", "abc", "ab", 0, 1},
                      {"strcmp", "\xff", "\x01", 0, 1}, {"strncmp", "abc", "abd", 2, 0},
                      {"strncmp", "abc", "abd", 3, -1}, {"strncmp", "ab", "ab", 9, 0},
                      {"strncmp", "a", "b", 0, 0}};
  for (const Row& r : rows) {
    texts(r.left, r.right);
    ASSERT_TRUE(one.Call(r.name, {a, b, r.most})) << r.name;
    const auto order = int64_t(one.Result());
    EXPECT_EQ((order > 0) - (order < 0), r.sign)
        << r.name << " " << r.left << " " << r.right << " " << r.most;
  }
  for (const char* name : {"memcmp", "memcpy", "memmove", "memset"}) {
    EXPECT_TRUE(one.Call(name, {0, 0, 0})) << name << " of nothing";
    EXPECT_TRUE(one.Call(name, {end - 4, end, 4})) << name << " to the last byte";
    EXPECT_FALSE(one.Call(name, {end - 4, end, 9})) << name;
  }
  EXPECT_TRUE(one.Call("memcpy", {0, 0, 0}));
  texts("overlap", "");
  ASSERT_TRUE(one.Call("memmove", {a + 2, a, 5}));
  EXPECT_EQ(one.Result(), a + 2);
  EXPECT_EQ(std::string(reinterpret_cast<char*>(one.window.bytes.data())), "ovoverl");
  ASSERT_TRUE(one.Call("memset", {a + 1, 0x141, 2}));
  EXPECT_EQ(std::string(reinterpret_cast<char*>(one.window.bytes.data())), "oAAverl");
  ASSERT_TRUE(one.Call("strlen", {a}));
  EXPECT_EQ(one.Result(), 7u);
  ASSERT_TRUE(one.Call("strlen", {a + 7}));
  EXPECT_EQ(one.Result(), 0u);
}

TEST(LibraryFunctions, AreThoseOfTheCLibrary) {
  using Single1 = float (*)(float);
  using Double1 = double (*)(double);
  using Single2 = float (*)(float, float);
  using Double2 = double (*)(double, double);
#define AKGEN_ROW(name) {#name, ::name, ::name##f}
  const std::tuple<const char*, Double1, Single1> of_one[] = {
      AKGEN_ROW(sin),   AKGEN_ROW(cos),    AKGEN_ROW(tan),   AKGEN_ROW(asin),      AKGEN_ROW(acos),
      AKGEN_ROW(atan),  AKGEN_ROW(sinh),   AKGEN_ROW(cosh),  AKGEN_ROW(tanh),      AKGEN_ROW(asinh),
      AKGEN_ROW(acosh), AKGEN_ROW(atanh),  AKGEN_ROW(exp),   AKGEN_ROW(exp2),      AKGEN_ROW(expm1),
      AKGEN_ROW(log),   AKGEN_ROW(log2),   AKGEN_ROW(log10), AKGEN_ROW(log1p),     AKGEN_ROW(logb),
      AKGEN_ROW(sqrt),  AKGEN_ROW(cbrt),   AKGEN_ROW(fabs),  AKGEN_ROW(floor),     AKGEN_ROW(ceil),
      AKGEN_ROW(trunc), AKGEN_ROW(round),  AKGEN_ROW(rint),  AKGEN_ROW(nearbyint), AKGEN_ROW(erf),
      AKGEN_ROW(erfc),  AKGEN_ROW(tgamma), AKGEN_ROW(lgamma)};
  const std::tuple<const char*, Double2, Single2> of_two[] = {
      AKGEN_ROW(pow),      AKGEN_ROW(fmod), AKGEN_ROW(atan2),     AKGEN_ROW(hypot),
      AKGEN_ROW(copysign), AKGEN_ROW(fdim), AKGEN_ROW(remainder), AKGEN_ROW(nextafter)};
#undef AKGEN_ROW
  Called one;
  const double values[] = {0.0, -0.0, 0.3, 2.5, -1.75, 40, HUGE_VAL, -HUGE_VAL, NAN};
  for (double x : values) {
    for (const auto& [name, whole, single] : of_one) {
      ASSERT_TRUE(one.Call(name, {}, {DoubleBits(x)}));
      EXPECT_EQ(one.FloatResult(), DoubleBits(whole(x))) << name << " " << x;
      ASSERT_TRUE(one.Call(name + std::string("f"), {}, {SingleBits(float(x))}));
      EXPECT_EQ(one.FloatResult(), SingleBits(single(float(x)))) << name << "f " << x;
    }
    for (double y : values)
      for (const auto& [name, whole, single] : of_two) {
        ASSERT_TRUE(one.Call(name, {}, {DoubleBits(x), DoubleBits(y)}));
        EXPECT_EQ(one.FloatResult(), DoubleBits(whole(x, y))) << name << " " << x << " " << y;
        ASSERT_TRUE(
            one.Call(name + std::string("f"), {}, {SingleBits(float(x)), SingleBits(float(y))}));
        EXPECT_EQ(one.FloatResult(), SingleBits(single(float(x), float(y))))
            << name << "f " << x << " " << y;
      }
    for (const char* name : {"ldexp", "scalbn"}) {
      ASSERT_TRUE(one.Call(name, {uint64_t(-3)}, {DoubleBits(x)}));
      EXPECT_EQ(one.FloatResult(), DoubleBits(std::ldexp(x, -3))) << name << " " << x;
    }
    ASSERT_TRUE(one.Call("fma", {}, {DoubleBits(x), DoubleBits(3), DoubleBits(-0.5)}));
    EXPECT_EQ(one.FloatResult(), DoubleBits(std::fma(x, 3, -0.5)));
    ASSERT_TRUE(one.Call("modff", {Window::kBase}, {SingleBits(float(x))}));
    float rest = 0, part = std::modf(float(x), &rest), there;
    std::memcpy(&there, one.window.bytes.data(), 4);
    EXPECT_EQ(one.FloatResult(), SingleBits(part)) << x;
    EXPECT_EQ(SingleBits(there), SingleBits(rest)) << x;
    EXPECT_FALSE(one.Call("modf", {Window::kBase + 60}, {DoubleBits(x)})) << "no room";
    EXPECT_FALSE(one.Call("frexp", {Window::kBase + 61}, {DoubleBits(x)})) << "no room";
  }
}

TEST(LibraryFunctions, RoundAndNarrow) {
  Called one;
  const std::tuple<const char*, double, int64_t> to_whole[] = {{"lround", 2.5, 3},
                                                               {"lround", -2.5, -3},
                                                               {"llround", 0.49, 0},
                                                               {"lrint", 2.5, 2},
                                                               {"llrint", 3.5, 4},
                                                               {"lrint", -2.5, -2},
                                                               {"lround", NAN, INT64_MAX},
                                                               {"lround", 1e30, INT64_MAX},
                                                               {"lround", -1e30, INT64_MIN},
                                                               {"lround", 0x1p63, INT64_MAX},
                                                               {"lround", -0x1p63, INT64_MIN},
                                                               {"lrint", 0x1p62, int64_t{1} << 62}};
  for (const auto& [name, x, whole] : to_whole) {
    ASSERT_TRUE(one.Call(name, {}, {DoubleBits(x)}));
    EXPECT_EQ(int64_t(one.Result()), whole) << name << " " << x;
    ASSERT_TRUE(one.Call(name + std::string("f"), {}, {SingleBits(float(x))}));
    EXPECT_EQ(int64_t(one.Result()), whole) << name << "f " << x;
  }
  const double pairs[][4] = {{1, 2, 1, 2},        {2, -1, -1, 2},     {NAN, 3, 3, 3},
                             {3, NAN, 3, 3},      {-0.0, 0, -0.0, 0}, {0, -0.0, -0.0, 0},
                             {NAN, NAN, NAN, NAN}};
  for (const auto& [x, y, least, most] : pairs)
    for (const auto& [name, wanted] : {std::pair("fmin", least), std::pair("fmax", most)}) {
      ASSERT_TRUE(one.Call(name, {}, {DoubleBits(x), DoubleBits(y)}));
      EXPECT_EQ(one.FloatResult(), DoubleBits(wanted)) << name << " " << x << " " << y;
      ASSERT_TRUE(
          one.Call(name + std::string("f"), {}, {SingleBits(float(x)), SingleBits(float(y))}));
      EXPECT_EQ(one.FloatResult(), SingleBits(float(wanted))) << name << "f " << x << " " << y;
    }
  // To nearest, of ties the even one; a NaN is one NaN.
  const std::pair<uint32_t, uint32_t> halves[] = {
      {0x3f800000, 0x3f80}, {0x3f808000, 0x3f80}, {0x3f818000, 0x3f82}, {0x3f808001, 0x3f81},
      {0x3f807fff, 0x3f80}, {0x7f7fffff, 0x7f80}, {0xff800001, 0x7fc0}, {0x80000000, 0x8000}};
  for (const auto& [bits, half] : halves) {
    ASSERT_TRUE(one.Call("__truncsfbf2", {}, {bits | ~uint64_t{0xffffffff}}));
    EXPECT_EQ(one.FloatResult(), half | ~uint64_t{0xffff}) << std::hex << bits;
  }
  ASSERT_TRUE(one.Call("__truncdfbf2", {}, {DoubleBits(-2)}));
  EXPECT_EQ(one.FloatResult(), 0xc000 | ~uint64_t{0xffff});
}

TEST(LibraryNames, NothingThatAChipHasNot) {
  for (const char* name : {"malloc", "fopen", "system", "printf", "dlopen", "mmap", "write",
                           "getenv", "akgen_vec", ""})
    EXPECT_EQ(FindInLibrary(name), nullptr) << name;
}

}  // namespace
}  // namespace akgen::guest
