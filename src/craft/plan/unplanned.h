// Why there is no program, as a value: what stood in the way, and of a graph that several ways of
// planning were tried for, what each of them says.
#pragma once
#include <exception>
#include <string>
#include <type_traits>
#include <vector>

#include "base/status.h"

namespace akgen::craft {

// What a refusal is about.
enum class Obstacle {
  kOther,
  kOperation,         // `op`, which the rules lack here
  kOperands,          // an operation whose operands the rules lack
  kComputedPlaces,    // rows chosen by places that are computed
  kReplacedElements,  // several elements of a row are replaced
  kShapes,            // shapes that do not fit each other
};
// Ways of planning a graph, in the order in which a message has them.
enum class Way { kWhole, kRows, kLoops, kPlaces, kParts, kGroups, kProducts, kLaunches };

// Thrown within plan/, and what its functions return.
struct Unplanned {
  std::string why{};  // of several attempts: empty
  Obstacle obstacle = Obstacle::kOther;
  std::string op{};                   // the graph's name for an operation, where it is about one
  Way way = Way::kWhole;              // of an attempt
  std::vector<Unplanned> attempts{};  // at a graph, of each way one; then with kOperation: all that
                                      // the graph does is `op`

  // In words.
  std::string Text() const;
  // The attempt of this way; nullptr: there was none.
  const Unplanned* By(Way way) const;
  // Of the attempts, theirs included, that at the part where the planner got stuck; itself where
  // there were none.
  const Unplanned& Main() const;
  // Whether an operation that is all that a graph does is refused: no rule takes it in a larger
  // graph.
  bool IsFinal() const;
  // Whether it or an attempt is about this operation.
  bool IsAbout(const std::string& operation) const;
};
template <typename T>
using PlanResult = base::Result<T, Unplanned>;

// "the operation OP", and what is said of it.
Unplanned WithoutRule(const std::string& op, const std::string& more = "");
Unplanned WithSeveralResults(const std::string& op);
// AK1540
base::Error ToError(const Unplanned& why);

// What `plan` gives, or why it gives nothing. `what`: has operands that nobody foresaw, where that
// is not a single operation.
template <typename F>
PlanResult<std::invoke_result_t<F>> Tried(F&& plan, const char* what = nullptr) {
  try {
    return plan();
  } catch (const Unplanned& u) {
    return u;
  } catch (const std::exception& e) {
    return Unplanned{
        std::string(what ? what : "an operation") + " with unusual operands: " + e.what(),
        what ? Obstacle::kOther : Obstacle::kOperands};
  }
}

}  // namespace akgen::craft
