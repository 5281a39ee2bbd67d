// Z3 as the solver of a proof. Limits are in Z3's own steps: a clock would answer differently on
// another machine.
#pragma once
#include <memory>

#include "craft/prove/prove.h"

namespace akgen::prover {

std::unique_ptr<craft::prove::Solver> MakeSolver(unsigned steps);

}  // namespace akgen::prover
