// Preference pairs and repairs from judged attempts.
#pragma once
#include "corpus/export/tries.h"

namespace akgen::corpus {

struct PairOptions {
  // "paper": what passes over what does not, as in AscendKernelGen. "order": any better verdict
  // over a worse one (record::Rank), and among passes the faster one.
  std::string setting = "order";
  // Among passes: the slower takes at least so many times the modelled time, and the difference is
  // beyond what the model may be off (record::SpeedBeyond).
  double faster = 1.1;
  size_t per_task = 64;  // at most, spread evenly over the kinds of pairs; 0: all
};

struct Pair {
  const Try* chosen;
  const Try* rejected;
  std::string kind;   // "pass>wrong_answer", …, "faster"
  double margin = 0;  // steps in the order of verdicts; "faster": ratio of the modelled times
};

// Whether its prompt asks something: with an answer behind it, it is a conversation (formats.h).
// Tries of journals that somebody else wrote may not, and stand in no pair, repair or pass.
bool Asks(const Try& t);

// Never in a pair: what record::Rank puts below a build error (rejected, nothing to judge, what
// says nothing). Deterministic: by task, and within it by quality. Answers with the same text count
// once per task. The prompts of a pair are equal.
std::vector<Pair> MakePairs(const std::vector<Try>& tries, const PairOptions& options);

// A failure and its repair: consecutive turns of a sample of which the later one passes, and the
// earlier one is one of the model's doing.
struct Repair {
  const Try* failed;
  const Try* repaired;
};
std::vector<Repair> FindRepairs(const std::vector<Try>& tries);

// What passes, each text once per task, in order.
std::vector<const Try*> Passes(const std::vector<Try>& tries);

}  // namespace akgen::corpus
