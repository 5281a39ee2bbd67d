// Random programs, each from text to compared bits; failing ones are minimised.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "craft/fuzz/generate.h"
#include "judge/validate/validate.h"

namespace akgen::judge {

struct FuzzOptions {
  uint64_t seed = 1;
  uint64_t first = 0, count = 200;  // programs first … first + count - 1
  size_t per_build = 50;            // programs in one build
  bool shrink = true;
  bool products = false;  // programs with products
  // Of a program and its inputs: how what is proven of it fails when it is run; empty: it does not.
  std::function<base::Result<std::string>(const craft::RandomProgram&)> contradiction;
  std::string state;  // file: written after each build, read at the start; empty: none
  std::function<void(uint64_t done, uint64_t before, const std::string& what)> progress;
};

struct FuzzFailure {
  uint64_t index = 0;
  std::string outcome;  // NameOf(Validated::Outcome)
  craft::RandomProgram program;
  std::string reason;
  struct Small {
    craft::RandomProgram program;
    std::string reason;
  };
  std::optional<Small> small;  // minimised
  const craft::RandomProgram& Smallest() const { return small ? small->program : program; }
  const std::string& ReasonOfSmallest() const { return small ? small->reason : reason; }
};

struct FuzzResult {
  int schema = 1;
  uint64_t seed = 1, first = 0, count = 0, done = 0, products = 0;
  uint64_t agree = 0, refused_by_checker = 0, refused_by_interpreter = 0, mismatch = 0, finding = 0,
           build_failed = 0, crashed = 0,
           wrong_proof = 0;                         // programs, by what became of them
  uint64_t elements = 0, exact = 0, undecided = 0;  // of outputs
  double worst = 0, seconds = 0;
  std::vector<FuzzFailure> failures;    // at most 20
  std::map<std::string, int> refusals;  // why: programs
  uint64_t Bad() const { return mismatch + finding + build_failed + crashed + wrong_proof; }
};
// Members by name, a program as {"source", "inputs"}.
base::Json ToJson(const FuzzResult& result);
// Throws base::Json::exception.
FuzzResult FuzzResultFromJson(const base::Json& result);

// Errors: the state file belongs to another seed or range (AK0401), or cannot be written.
base::Result<FuzzResult> Fuzz(Validator& validator, const FuzzOptions& options);

}  // namespace akgen::judge
