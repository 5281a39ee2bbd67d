#include "craft/check/fit_names.h"

#include <algorithm>
#include <set>

namespace akgen::craft {

static bool MentionsName(const ir::S& s, const std::string& name) {
  std::set<std::string> all;
  ir::Variables(s, all);
  return all.count(name) > 0;
}

bool FitNames::HasFit(const ir::S& s) {
  if (IsFit(s)) return true;
  return std::any_of(s->args.begin(), s->args.end(), HasFit);
}

void FitNames::Let(const std::string& name, const ir::S& value) {
  const ir::S spelled = IsFit(value) ? ir::Var(name, value->type) : Spelled(value);
  std::erase_if(made_,
                [&](const auto& e) { return e.first == name || MentionsName(e.second, name); });
  if (IsFit(value) || std::any_of(made_.begin(), made_.end(),
                                  [&](const auto& e) { return MentionsName(spelled, e.first); }))
    made_[name] = spelled;
}

ir::S FitNames::Spelled(const ir::S& s) const {
  return ir::Substitute(s, [&](const std::string& name) {
    auto it = made_.find(name);
    return it == made_.end() ? nullptr : it->second;
  });
}

void FitNames::KeepCommon(const FitNames& other) {
  std::erase_if(made_, [&](const auto& e) {
    return !other.made_.count(e.first) || other.made_.at(e.first) != e.second;
  });
}

}  // namespace akgen::craft
