#include "serve/fair_queue.h"

#include <algorithm>

namespace akgen::serve {

bool FairQueue::HasRoom(const Caller& caller, size_t bytes) const {
  auto p = principals_.find(caller.principal);
  const size_t own = p == principals_.end() ? 0 : p->second.size;
  return places_.size() < limits_.most && own < limits_.most_of_one &&
         bytes_ + bytes <= limits_.most_bytes;
}

void FairQueue::Add(const std::string& id, const Caller& caller, Priority priority, size_t bytes) {
  Principal& p = principals_[caller.principal];
  if (p.size++ == 0) turns_.push_back(caller.principal);
  Line& line = p.lines[caller.name];
  if (line.empty()) p.turns.push_back(caller.name);
  auto& jobs = line.jobs[static_cast<size_t>(priority)];
  places_.emplace(id, Place{caller, priority, bytes, jobs.insert(jobs.end(), id)});
  bytes_ += bytes;
}

// What is left of a line keeps its turn; what is empty leaves no trace.
void FairQueue::Forget(const std::string& id, const Place& place) {
  auto p = principals_.find(place.caller.principal);
  auto line = p->second.lines.find(place.caller.name);
  line->second.jobs[static_cast<size_t>(place.priority)].erase(place.at);
  if (line->second.empty()) {
    p->second.turns.remove(place.caller.name);
    p->second.lines.erase(line);
  }
  if (--p->second.size == 0) {
    turns_.remove(place.caller.principal);
    principals_.erase(p);
  }
  bytes_ -= place.bytes;
  places_.erase(id);
}

std::optional<std::string> FairQueue::Next() {
  if (turns_.empty()) return std::nullopt;
  Principal& p = principals_[turns_.front()];
  turns_.splice(turns_.end(), turns_, turns_.begin());
  Line& line = p.lines[p.turns.front()];
  p.turns.splice(p.turns.end(), p.turns, p.turns.begin());
  for (auto& jobs : line.jobs) {
    if (jobs.empty()) continue;
    std::string id = jobs.front();
    const Place place = places_.at(id);
    Forget(id, place);
    return id;
  }
  return std::nullopt;  // no line is empty
}

bool FairQueue::Remove(const std::string& id) {
  auto it = places_.find(id);
  if (it == places_.end()) return false;
  const Place place = it->second;
  Forget(id, place);
  return true;
}

size_t FairQueue::Ahead(const std::string& id) const {
  auto it = places_.find(id);
  if (it == places_.end()) return 0;
  const Place& place = it->second;
  const Line& line = principals_.at(place.caller.principal).lines.at(place.caller.name);
  size_t ahead = 0;
  for (size_t p = 0; p < static_cast<size_t>(place.priority); ++p) ahead += line.jobs[p].size();
  const auto& jobs = line.jobs[static_cast<size_t>(place.priority)];
  return ahead +
         static_cast<size_t>(std::distance(jobs.begin(), std::find(jobs.begin(), jobs.end(), id)));
}

}  // namespace akgen::serve
