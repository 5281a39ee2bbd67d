#include "serve/connection_limits.h"

#include <algorithm>

namespace akgen::serve {

std::vector<Session*> ConnectionLimits::Enter(Session* session, const std::string& address) {
  std::vector<Session*> closed;
  if (auto own = by_address_.find(address);
      own != by_address_.end() && own->second.size() >= limits_.silent_of_one)
    closed.push_back(TakeOldestOf(address));
  if (silent_ >= limits_.silent)
    if (Session* oldest = OldestSilent()) closed.push_back(oldest);
  auto& own = by_address_[address];
  places_[session] = {false, false, address, own.insert(own.end(), session)};
  ++silent_;
  return closed;
}

ConnectionLimits::Admission ConnectionLimits::Ask(Session* session) {
  auto it = places_.find(session);
  if (it == places_.end()) return {};
  Place& place = it->second;
  if (place.idle) idle_.erase(place.at), place.idle = false;
  if (place.known) return {};
  Admission out;
  if (known_ >= limits_.known) {
    if (idle_.empty()) return {false, nullptr};
    out.close = idle_.front();
    Leave(out.close);
  }
  Leave(session);
  EnterKnown(session);
  return out;
}

void ConnectionLimits::Rest(Session* session) {
  auto it = places_.find(session);
  if (it == places_.end() || !it->second.known || it->second.idle) return;
  it->second.idle = true;
  it->second.at = idle_.insert(idle_.end(), session);
}

Session* ConnectionLimits::TakeOldestOf(const std::string& address) {
  Session* oldest = by_address_.at(address).front();
  Leave(oldest);
  return oldest;
}

// Of the address that has most of them.
Session* ConnectionLimits::OldestSilent() {
  const auto most = std::max_element(
      by_address_.begin(), by_address_.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  return most == by_address_.end() ? nullptr : TakeOldestOf(std::string(most->first));
}

void ConnectionLimits::Leave(Session* session) {
  auto it = places_.find(session);
  if (it == places_.end()) return;
  const Place& place = it->second;
  if (place.idle) idle_.erase(place.at);
  if (place.known) {
    --known_;
  } else {
    auto own = by_address_.find(place.address);
    own->second.erase(place.at);
    if (own->second.empty()) by_address_.erase(own);
    --silent_;
  }
  places_.erase(it);
}

}  // namespace akgen::serve
