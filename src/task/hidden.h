// Unpublished cases: the shapes of a task's own cases, drawn again from a seed. Which numbers of a
// case belong together is inferred from the task's cases: numbers that agree (or are half, twice or
// the product of others) in every case of one structure stay so; a dimension that is the same in
// all of them is kept. What task.toml says under [hidden] comes first. The reference decides: a
// case it refuses is drawn again.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "task/reference_client.h"
#include "task/task.h"

namespace akgen::task {

// Elements of all tensors of a hidden case together, at most.
inline constexpr int64_t kHiddenElements = 1 << 17;

// How one number of a case comes about from others (by position in Relations::pointers).
struct Relation {
  // kUnknown: a large number beside the shapes that nothing explains; the case keeps its shapes.
  enum class Kind {
    kFree,
    kConstant,
    kEqual,
    kHalf,
    kTwice,
    kProduct,
    kUnknown
  } kind = Kind::kConstant;
  size_t of = 0;     // kEqual, kHalf, kTwice; kProduct: first factor
  size_t count = 0;  // kProduct: number of factors
};
struct Relations {
  std::vector<std::string>
      pointers;  // JSON pointers of the whole numbers of a case, shapes of inputs first
  std::vector<Relation> relations;  // one each; a relation only names earlier pointers
};
// What the cases with the structure of `row` have in common.
Relations Relate(const TaskSpec& task, const CaseRow& row);

// The case under another id: the same shapes, other values, since the id enters what values are
// drawn from.
CaseRow WithId(const CaseRow& row, const std::string& id);

// The case with other shapes, of at most `elements` together, drawn from `key`; nothing where its
// shapes are all it can have. `attempt`: later ones change fewer numbers. Whether the reference
// accepts it is another question.
std::optional<CaseRow> Redrawn(const TaskSpec& task, const CaseRow& row, uint64_t key, int attempt,
                               const std::string& id, int64_t elements);
// Elements of inputs and outputs together.
int64_t ElementsOf(const CaseDesc& c);

// `count` cases with the ids <prefix>0 …, a function of task, seed and count alone. Dimensions are
// drawn among one, primes, neighbours of round numbers and counts above the number of cores. Where
// nothing can be drawn again the case keeps its shapes and only its values are new. With `widen`
// every other case draws its values as one of the range group (range.h). Errors of the reference
// process; AK0102 for a malformed task.
base::Result<std::vector<CaseRow>> HiddenCases(const TaskSpec& task, uint64_t seed, int count,
                                               const std::string& prefix,
                                               ReferenceClient& reference, bool widen = true);

}  // namespace akgen::task
