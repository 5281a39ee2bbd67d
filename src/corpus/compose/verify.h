// A composition to a record: planned, lowered, run on the simulated chip, and compared twice.
#pragma once
#include <string>
#include <vector>

#include "corpus/compose/composition.h"
#include "craft/craft.h"
#include "judge/validate/validate.h"

namespace akgen::corpus {

struct Candidate {
  Composition composition;
  std::string name;     // of the operator, from what it computes
  std::string program;  // of the kernel language
  craft::Compiled compiled;
  std::string refused;  // not empty: the planner or the checker said no, and why
  std::vector<judge::Validation> validations;  // one for each case
  std::vector<base::Json> cases;  // after Verify: {"inputs", "elements", "exact", "undecided",
                                  // "worst", "reference_worst"}
  std::string failed;             // not empty: not verified, and why
};

// Plan, program and inputs; everything but the chip.
Candidate Prepare(uint64_t seed, uint64_t index, const craft::Target& target);

// Runs all cases of all candidates together and fills `cases` and `failed`. A candidate is verified
// when for each case the chip agrees with the interpreter within its bounds, no check has a
// finding, and every decided element lies within the tolerance of its dtype of what Evaluate
// (evaluate.h) gives in double; elements sensitive to rounding are undecided, at most 2 % of an
// output.
void Verify(judge::Validator& validator, std::vector<Candidate>& candidates);

}  // namespace akgen::corpus
