#include "sim/check/checks.h"

namespace akgen::sim {

std::string_view NameOf(Check check) {
  constexpr std::string_view kNames[] = {"memcheck", "initcheck", "racecheck", "synccheck", ""};
  return kNames[size_t(check)];
}

bool Checks::On(Check check) const {
  switch (check) {
    case Check::kMem: return memory;
    case Check::kInit: return init;
    case Check::kRace: return race;
    case Check::kSync: return sync;
    case Check::kNone: break;
  }
  return true;
}

Checks ChecksFromJson(const base::Json& json) {
  auto on = [&](Check c) {
    return json.is_object() ? json.value(std::string(NameOf(c)), true) : true;
  };
  return {on(Check::kMem), on(Check::kInit), on(Check::kRace), on(Check::kSync),
          !json.is_object() || json.value("auto_sync", true)};
}

base::Json NamesOf(const Checks& checks) {
  base::Json names = base::Json::array();
  for (Check c : {Check::kMem, Check::kInit, Check::kRace, Check::kSync})
    if (checks.On(c)) names.push_back(NameOf(c));
  return names;
}

}  // namespace akgen::sim
