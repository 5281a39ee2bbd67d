#include "base/math_libraries.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace akgen::base {
namespace {
constexpr char kThere[] = "AKGEN_MATH_LIBRARIES";
}  // namespace

std::vector<std::string> MathLibrarySettings() {
  std::vector<std::string> out = {std::string(kThere) + "=1"};
  // What the user has set stays.
  if (!std::getenv("OMP_WAIT_POLICY")) out.push_back("OMP_WAIT_POLICY=passive");
  std::ifstream info("/proc/cpuinfo");
  std::string text((std::istreambuf_iterator<char>(info)), {});
  const bool avx512 =
      text.find("avx512f") != std::string::npos && text.find("avx512bw") != std::string::npos;
  if (!std::getenv("OPENBLAS_CORETYPE") && (avx512 || text.find("avx2") != std::string::npos))
    out.push_back(avx512 ? "OPENBLAS_CORETYPE=SkylakeX" : "OPENBLAS_CORETYPE=Haswell");
  return out;
}

void SetMathLibraries() {
  for (const std::string& setting : MathLibrarySettings()) {
    const size_t equals = setting.find('=');
    ::setenv(setting.substr(0, equals).c_str(), setting.c_str() + equals + 1, 1);
  }
}

void RestartWithMathLibrarySettings(char** argv) {
  if (std::getenv(kThere)) return;
  SetMathLibraries();
  ::execv("/proc/self/exe", argv);  // on failure: slower, still right
}

}  // namespace akgen::base
