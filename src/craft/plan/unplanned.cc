#include "craft/plan/unplanned.h"

#include <algorithm>

namespace akgen::craft {
namespace {
const char* PrefixOf(Way way) {
  switch (way) {
    case Way::kWhole:
    case Way::kRows: return "";
    case Way::kLoops: return "as loops: ";
    case Way::kPlaces: return "by places: ";
    case Way::kParts: return "by parts: ";
    case Way::kGroups: return "as groups: ";
    case Way::kProducts: return "as products: ";
    case Way::kLaunches: return "as launches: ";
  }
  return "";
}
bool IsAboutOperations(const Unplanned& u) {
  return u.obstacle == Obstacle::kOperation || u.obstacle == Obstacle::kOperands;
}
}  // namespace

std::string Unplanned::Text() const {
  if (attempts.empty()) return why;
  std::string text = obstacle == Obstacle::kOperation ? "alone, the operation " + op + ": " : "";
  for (const Unplanned& a : attempts)
    text += (&a == &attempts[0] ? "" : "; ") + std::string(PrefixOf(a.way)) + a.Text();
  return text;
}

const Unplanned* Unplanned::By(Way way) const {
  const auto it =
      std::ranges::find_if(attempts, [way](const Unplanned& a) { return a.way == way; });
  return it == attempts.end() ? nullptr : &*it;
}

// What is planned as several launches or as products fails at one of their parts, everything else
// as loop nests.
const Unplanned& Unplanned::Main() const {
  const Unplanned* part = this;
  for (const Unplanned* next = this; next;) {
    part = next;
    next = part->By(Way::kLaunches);
    if (!next) next = part->By(Way::kProducts);
  }
  if (part != this) {
    const Unplanned* rows = part->By(Way::kRows);
    const Unplanned& first = rows && !IsAboutOperations(*part) ? *rows : *part;
    if (IsAboutOperations(first)) return first;
  }
  if (const Unplanned* loops = part->By(Way::kLoops)) return *loops;
  if (const Unplanned* loops = By(Way::kLoops)) return *loops;
  return *this;
}

bool Unplanned::IsFinal() const {
  return (obstacle == Obstacle::kOperation && !attempts.empty()) ||
         std::ranges::any_of(attempts, [](const Unplanned& a) { return a.IsFinal(); });
}

bool Unplanned::IsAbout(const std::string& operation) const {
  return op == operation ||
         std::ranges::any_of(attempts, [&](const Unplanned& a) { return a.IsAbout(operation); });
}

Unplanned WithoutRule(const std::string& op, const std::string& more) {
  return {"the operation " + op + more, Obstacle::kOperation, op};
}

Unplanned WithSeveralResults(const std::string& op) {
  return {"operation " + op + " with several results", Obstacle::kOperation, op};
}

base::Error ToError(const Unplanned& why) {
  return {"AK1540", "no rule: " + why.Text(), "", "write the program by hand"};
}

}  // namespace akgen::craft
