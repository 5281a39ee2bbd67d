// Plants one fault in a correct kernel and says what it did: which class, which text, which
// detectors may answer for it and on which lines. The label is complete before anything is built or
// run.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "mutate/index.h"

namespace akgen::mutate {

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
  std::vector<Edit> edits;  // of that file, not overlapping
  std::vector<std::string>
      detectors;  // memcheck, initcheck, racecheck, synccheck, definition, wrong_answer
  std::vector<LineRange>
      lines;         // where a finding must point: the changed statement, or what it ordered
  std::string rule;  // documented rule that the change breaks wherever it is executed; else empty
  std::string kind;  // of the row of Operators()
};

// A class of faults: finds every place of a source where it applies.
struct MutationOperator {
  const char*
      kind;  // classes of one kind break the same thing: order, place, value, cube, definition, …
  const char* klass;
  const char* what;
  void (*find)(const SourceIndex& index, std::vector<Mutation>* out);
};
const std::vector<MutationOperator>& Operators();

// All mutations of the given classes (empty: of all), in the order of the table and the source.
std::vector<Mutation> FindMutations(const SourceIndex& index,
                                    const std::vector<std::string>& classes = {});
// At most `count` of them, spread evenly over the classes that apply; `seed` decides which.
std::vector<Mutation> Choose(std::vector<Mutation> all, size_t count, uint64_t seed);

// The file's text with the fault in it.
std::string Apply(const SourceIndex& index, const Mutation& m);

// A fault as records have it: in names and lines of the text, whoever made it.
struct FaultLabel {
  std::string klass, what, file;
  int line = 0;
  std::string original, mutated;  // the lines that change
  std::string why;                // in words, where somebody wrote it so; else empty
  // What is known of a Mutation besides.
  struct Lines {
    std::string file;
    int first = 0, last = 0;
    bool operator==(const Lines&) const = default;
  };
  struct Planted {
    std::string kind, rule;
    int end_line = 0;
    std::vector<std::string> detectors;
    std::vector<Lines> lines;
  };
  std::optional<Planted> planted;
};
FaultLabel LabelOf(const SourceIndex& index, const Mutation& m);
// {"class", "what", "file", "line", "original", "mutated"}, "why" where there is one, and of a
// planted one "kind", "end_line", "detectors", "lines": [{"file", "first", "last"}], "rule".
base::Json ToJson(const FaultLabel& label);

}  // namespace akgen::mutate
