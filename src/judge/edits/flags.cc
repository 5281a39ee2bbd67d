// Flags set and waited for by hand: a half that is missing, a pair of pipes that is reversed, an
// event id that is another.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "judge/edits/propose.h"

namespace akgen::judge {
namespace {
struct Flag {
  const SourceText* source = nullptr;
  bool set = false;
  std::string event, id;  // "MTE2_V", "EVENT_ID0"
  TextSpan event_at, id_at, statement;
  bool spoken_of = false;  // the finding names its line
};

std::vector<Flag> FlagsIn(const ProjectText& project, const std::vector<Spot>& spots) {
  std::vector<Flag> out;
  for (const SourceText& source : project.kernel)
    for (const TextSpan& statement : source.statements())
      for (const TextCall& call : source.CallsIn(statement)) {
        if ((call.name != "SetFlag" && call.name != "WaitFlag") || call.arguments.size() != 1)
          continue;
        const std::string event = source.Text(call.templates);
        constexpr std::string_view kPrefix = "HardEvent::";
        const size_t at = event.find(kPrefix);
        if (at == std::string::npos) continue;
        Flag f{&source,
               call.name == "SetFlag",
               event.substr(at + kPrefix.size()),
               source.Text(call.arguments[0]),
               {call.templates.begin + at + kPrefix.size(), call.templates.end},
               call.arguments[0],
               statement,
               false};
        for (const Spot& s : spots)
          f.spoken_of = f.spoken_of || (s.source == &source && s.statement == statement);
        out.push_back(std::move(f));
      }
  std::stable_sort(out.begin(), out.end(),
                   [](const Flag& a, const Flag& b) { return a.spoken_of > b.spoken_of; });
  return out;
}

std::string Reversed(const std::string& event) {
  const size_t at = event.find('_');
  return at == std::string::npos ? event : event.substr(at + 1) + "_" + event.substr(0, at);
}

std::string Call(bool set, const std::string& event, const std::string& id) {
  return fmt::format("{}<HardEvent::{}>({});", set ? "SetFlag" : "WaitFlag", event, id);
}

// A pair of pipes that is set more often than it is waited for, and the reverse one less often, or
// the reverse of that.
void Directions(const std::vector<Flag>& flags, Proposals& out) {
  std::map<std::string, int> surplus;
  for (const Flag& f : flags) surplus[f.event] += f.set ? 1 : -1;
  for (const Flag& f : flags) {
    const int here = surplus[f.event], there = surplus[Reversed(f.event)];
    if (f.set ? here > 0 && there < 0 : here < 0 && there > 0)
      out.Add({f.source->Replace(f.event_at, Reversed(f.event))});
  }
}

// The id of another flag of the same pair.
void Ids(const std::vector<Flag>& flags, Proposals& out) {
  for (const Flag& f : flags) {
    std::set<std::string> others;
    for (const Flag& other : flags)
      if (other.event == f.event && other.id != f.id && other.id.size() <= f.id.size())
        others.insert(other.id);
    const bool same = std::any_of(flags.begin(), flags.end(), [&](const Flag& o) {
      return o.event == f.event && o.set != f.set && o.id == f.id;
    });
    for (const std::string& id : others)
      if (!same || f.spoken_of) out.Add({f.source->Replace(f.id_at, id)});
  }
}

// Ids that one half of a pair has in a function, and the other half has not.
void Halves(const std::vector<Flag>& flags, bool set, Proposals& out) {
  std::set<std::pair<const SourceText*, std::pair<size_t, std::string>>> done;
  for (const Flag& f : flags) {
    const auto body = f.source->BodyAround(f.statement.begin);
    if (f.set == set || !body || !done.insert({f.source, {body->begin, f.event}}).second) continue;
    std::vector<std::string> there, here;
    const Flag *last_here = nullptr, *last_there = nullptr;
    for (const Flag& o : flags) {
      if (o.source != f.source || o.event != f.event || !body->Holds(o.statement.begin)) continue;
      auto& ids = o.set == set ? here : there;
      if (std::find(ids.begin(), ids.end(), o.id) == ids.end()) ids.push_back(o.id);
      const Flag*& last = o.set == set ? last_here : last_there;
      if (!last || o.statement.begin > last->statement.begin) last = &o;
    }
    std::string missing;
    for (const std::string& id : there)
      if (std::find(here.begin(), here.end(), id) == here.end())
        missing += (missing.empty() ? "" : " ") + Call(set, f.event, id);
    if (missing.empty()) continue;
    if (last_here) out.Add({f.source->Behind(last_here->statement.end, missing)});
    if (const auto loop = f.source->LoopIn(*body); set && loop)
      out.Add({f.source->Before(*loop, missing)});
    if (!set) out.Add({f.source->Behind(last_there->statement.end, missing)});
  }
}

// The other half right beside the one that is there.
void Beside(const std::vector<Flag>& flags, Proposals& out) {
  for (const Flag& f : flags) {
    if (!f.spoken_of) continue;
    if (f.set)
      out.Add({f.source->Behind(f.statement.end, Call(false, f.event, f.id))});
    else
      out.Add({f.source->Before(f.statement.begin, Call(true, f.event, f.id))});
  }
}
}  // namespace

void ProposeFlags(const record::Finding& finding, const ProjectText& project, Proposals& out) {
  const std::vector<Flag> flags = FlagsIn(project, SpotsOf(finding, project));
  if (flags.empty()) return;
  Directions(flags, out);
  Ids(flags, out);
  for (bool set : {true, false}) Halves(flags, set, out);
  Beside(flags, out);
  for (const Flag& f : flags)
    if (f.spoken_of) out.Add({f.source->Without(f.statement)});
}

}  // namespace akgen::judge
