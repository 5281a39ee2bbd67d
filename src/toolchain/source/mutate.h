// Plants one fault in a correct kernel and says what it did: which class, which text, which detectors may answer for it
// and on which lines. The label is complete before anything is built or run.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "toolchain/source/index.h"

namespace akgen::toolchain {

struct Edit {
  Span span;
  std::string text;
};

struct LineRange {
  size_t file = 0;
  int first = 0, last = 0;
};

struct Mutation {
  std::string klass;  // row of Operators()
  std::string what;   // one sentence
  size_t file = 0;
  std::vector<Edit> edits;             // of that file, not overlapping
  std::vector<std::string> detectors;  // memcheck, initcheck, racecheck, synccheck, definition, wrong_answer
  std::vector<LineRange> lines;        // where a finding must point: the changed statement, or what it ordered
  std::string rule;                    // documented rule that the change breaks wherever it is executed; else empty
  std::string kind;                    // of the row of Operators()
};

// A class of faults: finds every place of a source where it applies.
struct MutationOperator {
  const char* kind;  // classes of one kind break the same thing: order, place, value, cube, definition, …
  const char* klass;
  const char* what;
  void (*find)(const SourceIndex& index, std::vector<Mutation>* out);
};
const std::vector<MutationOperator>& Operators();

// All mutations of the given classes (empty: of all), in the order of the table and the source.
std::vector<Mutation> FindMutations(const SourceIndex& index, const std::vector<std::string>& classes = {});
// At most `count` of them, spread evenly over the classes that apply; `seed` decides which.
std::vector<Mutation> Choose(std::vector<Mutation> all, size_t count, uint64_t seed);

// The file's text with the fault in it.
std::string Apply(const SourceIndex& index, const Mutation& m);
// {"class", "kind", "what", "file", "line", "end_line", "original", "mutated", "detectors", "lines": [{"file", "first",
// "last"}],
//  "rule"}
base::Json ToJson(const SourceIndex& index, const Mutation& m);

}  // namespace akgen::toolchain
