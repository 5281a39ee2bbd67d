// How many guest instructions a second, on a scalar-heavy loop: guest_speed OBJECT [ROUNDS].
// Objects: tests/guest/compute_O0.o and compute_O2.o in the build folder.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/files.h"
#include "guest/link.h"
#include "guest/machine.h"

namespace {
struct Nothing : akgen::guest::Outside {
  uint8_t* Reach(uint64_t, uint64_t, bool) override { return nullptr; }
};
}  // namespace

int main(int argc, char** argv) {
  using namespace akgen;
  auto object = base::ReadFile(argc > 1 ? argv[1] : "");
  auto linked = object.ok() ? guest::Link({*object}) : base::Result<std::string>(object.error());
  auto image = linked.ok() ? guest::ReadImage(*linked) : base::Result<guest::Image>(linked.error());
  if (!image.ok() || !image->functions.contains("Scramble")) {
    std::fprintf(
        stderr, "usage: guest_speed OBJECT [ROUNDS]; the object has to have a function Scramble\n");
    return 2;
  }
  guest::Program program(*image);
  Nothing nothing;
  guest::Machine machine(program, nothing);
  machine.Begin(image->functions.at("Scramble"),
                std::vector<uint64_t>{argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10'000'000});
  const auto start = std::chrono::steady_clock::now();
  (void)machine.Run(int64_t{1} << 60);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%llu instructions in %.3f s: %.0f million a second\n",
              (unsigned long long)machine.executed(), seconds,
              double(machine.executed()) / seconds / 1e6);
}
