// A faulty text in place of a correct one: what was changed, what the judge or the compiler
// reports, and why, in words.
#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "mutate/mutate.h"
#include "record/verdict.h"

namespace akgen::corpus {

struct Mistake {
  mutate::FaultLabel label;
  std::string text;  // of the file that fails
  std::string
      verdict;  // finding, wrong_answer, build_error, refused; pass; empty: it could not be run
  std::string reason;
  std::vector<record::Finding> findings;
};

// A right text with the mistakes that were made in it.
struct Lesson {
  base::Json record;  // what its records have in common; at least name, family, split, task,
                      // kernel, files, verification
  std::vector<Mistake> mistakes = {};
  std::string file = {}, right = {};  // the file that the mistakes are made in, and its right text
  std::string unusable = {};          // not empty: it is not as right as it should be, and why
  base::Json whole = {};     // of a composed kernel: `record` of the operator with all its dtypes
  std::string program = {};  // likewise: its text in the kernel language
};

// Code of the first finding that is no warning, else the verdict; empty when nothing is wrong.
std::string ClassOf(const Mistake& m);
// What is reported, where, the fix for such a fault, and the cause. All of it comes from the
// finding and the label.
std::string DiagnosisOf(const Mistake& m);
// {"verdict", "reason", "findings"}: at most four findings, all in `file`.
base::Json FailureOf(const Mistake& m, const std::string& file);

}  // namespace akgen::corpus
