// Programs of tests/guest/programs, linked and ready to be called.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "guest/link.h"
#include "guest/machine.h"

namespace akgen::guest {

inline std::string ObjectOf(const std::string& program, int level) {
  auto text = base::ReadFile(std::string(PROGRAMS_DIR) + "/" + program + "_O" +
                             std::to_string(level) + ".o");
  EXPECT_TRUE(text.ok());
  return text.ok() ? *text : "";
}

// A piece of memory outside, at an address of its own.
struct Window : Outside {
  static constexpr uint64_t kBase = uint64_t{5} << 40;
  std::vector<uint8_t> bytes = std::vector<uint8_t>(64);
  int asked = 0;
  uint8_t* Reach(uint64_t address, uint64_t size, bool) override {
    ++asked;
    const uint64_t at = address - kBase;
    return at < bytes.size() && size <= bytes.size() - at ? bytes.data() + at : nullptr;
  }
};

inline uint64_t Bits(double v) {
  uint64_t b;
  std::memcpy(&b, &v, 8);
  return b;
}

// How a program is compiled and executed. The translator starts at once.
struct How {
  int level;
  Engine engine;
};
inline const auto kAllWays =
    testing::Values(How{0, Engine::kInterpreter}, How{2, Engine::kInterpreter},
                    How{0, Engine::kTranslator}, How{2, Engine::kTranslator});
inline constexpr Engine kEngines[] = {Engine::kInterpreter, Engine::kTranslator};
inline void PrintTo(const How& how, std::ostream* out) {
  *out << "O" << how.level << (how.engine == Engine::kTranslator ? " translated" : " interpreted");
}

struct Guest {
  Guest(const std::string& name, How how)
      : image(Load(name, how.level)), program(image, how.engine, 0), machine(program, window) {}
  static Image Load(const std::string& name, int level) {
    auto linked = Link({ObjectOf(name, level)});
    EXPECT_TRUE(linked.ok()) << (linked.ok() ? "" : linked.error().message);
    if (!linked.ok()) return {};
    auto image = ReadImage(*linked);
    EXPECT_TRUE(image.ok()) << (image.ok() ? "" : image.error().message);
    return image.ok() ? *image : Image{};
  }
  void Begin(const std::string& function, const std::vector<uint64_t>& arguments) {
    machine.Reset();
    ASSERT_TRUE(image.functions.contains(function)) << function;
    machine.Begin(image.functions.at(function), arguments);
  }
  // To its end, or to the first stop that is no call; calls are answered here.
  Stop Run(int64_t fuel = 1 << 20) {
    for (;;) {
      const Stop stop = machine.Run(fuel);
      if (stop != Stop::kCall) return stop;
      calls.push_back(image.imports.at(machine.call()));
      if (calls.back() == "outside_twice")
        machine.registers().SetResult(machine.registers().Argument(0) * 2);
      double v;
      const uint64_t bits = machine.registers().FloatArgument(0);
      std::memcpy(&v, &bits, 8);
      if (calls.back() == "outside_half") machine.registers().SetFloatResult(Bits(v / 2));
    }
  }
  Stop Call(const std::string& function, const std::vector<uint64_t>& arguments,
            int64_t fuel = 1 << 20) {
    Begin(function, arguments);
    return Run(fuel);
  }
  uint64_t result() { return machine.registers().Argument(0); }

  Window window;
  Image image;
  Program program;
  Machine machine;
  std::vector<std::string> calls;
};

}  // namespace akgen::guest
