#include "serve/service.h"

#include <array>
#include <utility>

#include "record/reward.h"

namespace akgen::serve {
namespace {
constexpr std::array<std::pair<Priority, std::string_view>, 3> kPriorities{
    {{Priority::kHigh, "high"}, {Priority::kNormal, "normal"}, {Priority::kLow, "low"}}};
}  // namespace

std::string_view NameOf(Priority priority) {
  return kPriorities[static_cast<size_t>(priority)].second;
}

std::optional<Priority> PriorityFromName(std::string_view name) {
  for (const auto& [priority, n] : kPriorities)
    if (n == name) return priority;
  return std::nullopt;
}

std::string_view NameOf(Ending ending) {
  switch (ending) {
    case Ending::kDone: return "done";
    case Ending::kInvalid: return "invalid";
    case Ending::kConflict: return "conflict";
    case Ending::kOverloaded: return "overloaded";
    case Ending::kExpired: return "expired";
    case Ending::kCancelled: return "cancelled";
    case Ending::kStopping: return "stopping";
    case Ending::kFault: return "fault";
  }
  return "fault";
}

std::optional<double> Answer::Reward() const {
  if (ending != Ending::kDone) return std::nullopt;
  return record::RewardOf({outcome, sealed}, merit);
}

Answer Without(std::string id, Ending ending, base::Error error) {
  Answer a;
  a.id = std::move(id), a.ending = ending, a.error = std::move(error);
  return a;
}

bool Answer::Retryable() const {
  switch (ending) {
    case Ending::kDone: return outcome == record::NameOf(record::Verdict::kInfraError);
    case Ending::kInvalid:
    case Ending::kConflict: return false;
    default: return true;
  }
}

}  // namespace akgen::serve
