// Counterexamples that are more than numbers of a solver: cases that fail when they are run. For
// prove/ only.
#pragma once
#include <optional>

#include "craft/craft.h"
#include "craft/prove/prove.h"
#include "craft/prove/walk.h"

namespace akgen::craft::prove {

struct Counterexample {
  std::string text, why;
  int64_t cores = 0;
};

// The case of a model. Empty where the program takes what a model does not say.
std::string CaseOf(const Walked& walked, const Model& model);
// How the interpreter fails on it, as an obligation of this kind is broken: outside a tensor or
// buffer, two cores at one element, a division by 0, an output that is not written. Nothing: it
// does not.
std::optional<std::string> Fails(const Compiled& compiled, const std::string& kind,
                                 const std::string& text, int64_t cores);
// How this case contradicts what is proven; nothing: it does not.
std::optional<std::string> Contradicts(const Compiled& compiled, const Report& report,
                                       const std::string& text, int64_t cores);
// A model of facts and the goal's negation in small numbers, tried out.
std::optional<Counterexample> Refute(const Compiled& compiled, size_t column, const Walked& walked,
                                     const Obligation& o, Solver& solver);

}  // namespace akgen::craft::prove
