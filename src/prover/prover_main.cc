// akgen-prover FILE CHIP STEPS: proves one program and prints the report as JSON. Started by akgen,
// which has compiled the program before; one process a program, so that a solver that does not come
// back is ended with it.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>

#include "base/files.h"
#include "base/process.h"
#include "prover/z3_solver.h"

int main(int argc, char** argv) try {
  using namespace akgen;
  if (argc != 4) {
    std::fputs("usage: akgen-prover FILE CHIP STEPS (started by akgen)\n", stderr);
    return 2;
  }
  unsigned steps = 0;
  const char* end = argv[3] + std::strlen(argv[3]);
  if (const auto read = std::from_chars(argv[3], end, steps);
      read.ec != std::errc() || read.ptr != end)
    return 2;
  base::EndWithParent();
  auto text = base::ReadFile(argv[1]);
  auto target = craft::LoadTarget(argv[2]);
  if (!text.ok() || !target.ok()) return 2;
  const craft::Compiled compiled = craft::Compile(*text, *target);
  if (!compiled.diagnostics.empty()) return 1;
  auto solver = prover::MakeSolver(steps);
  std::puts(craft::prove::ToJson(craft::prove::Prove(compiled, *solver)).dump().c_str());
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "error: an error of akgen-prover itself: %s\n", e.what());
  return 3;
}
