// akgen-prover FILE CHIP STEPS: proves one program and prints the report as JSON. Started by akgen, which has compiled
// the program before; one process a program, so that a solver that does not come back is ended with it.
#include <cstdio>
#include <cstdlib>
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
  base::EndWithParent();
  auto text = base::ReadFile(argv[1]);
  auto target = craft::LoadTarget(argv[2]);
  if (!text.ok() || !target.ok()) return 2;
  const craft::Compiled compiled = craft::Compile(*text, *target);
  if (!compiled.diagnostics.empty()) return 1;
  auto solver = prover::MakeSolver(static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10)));
  std::puts(craft::prove::ToJson(craft::prove::Prove(compiled, *solver)).dump().c_str());
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "error: an error of akgen-prover itself: %s\n", e.what());
  return 3;
}
