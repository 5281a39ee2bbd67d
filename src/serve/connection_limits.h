// Which connections a listener keeps when there are many. Those without a first request cost
// nothing to make, and nobody knows whose they are: the newest are kept, of each address and of
// all. The others are limited by number, and one that is idle makes room for one that asks.
#pragma once
#include <cstddef>
#include <list>
#include <map>
#include <string>
#include <vector>

namespace akgen::serve {

class Session;  // serve/sessions.h; here only a name

class ConnectionLimits {
 public:
  struct Limits {
    size_t known = 1024;          // that have asked at least once
    size_t silent = 2048;         // that have not
    size_t silent_of_one = 1024;  // of one address
  };
  explicit ConnectionLimits(Limits limits) : limits_(limits) {}

  // A new one. Those to be closed for it; they have left.
  std::vector<Session*> Enter(Session* session, const std::string& address);
  struct Admission {
    bool admitted = true;      // false: there are too many; it may be told so, and is closed then
    Session* close = nullptr;  // an idle one that made room; it has left
  };
  // The head of a request is there, its first one or the next.
  Admission Ask(Session* session);
  // A further one that asks already, without a limit: a connection that became a WebSocket.
  void EnterKnown(Session* session) { places_[session].known = true, ++known_; }
  void Rest(Session* session);  // its reply is complete, and it stays
  // The one to be closed where the system has no descriptors left; nullptr: none is silent.
  Session* OldestSilent();
  void Leave(Session* session);  // gone, or never here
  size_t known() const { return known_; }
  size_t silent() const { return silent_; }

 private:
  struct Place {
    bool known = false, idle = false;
    std::string address;                 // of a silent one
    std::list<Session*>::iterator at{};  // in its address' list, or in idle_
  };
  Session* TakeOldestOf(const std::string& address);

  Limits limits_;
  std::map<Session*, Place> places_;
  std::map<std::string, std::list<Session*>> by_address_;  // silent ones, the oldest first
  std::list<Session*> idle_;                               // the one that rests longest first
  size_t known_ = 0, silent_ = 0;
};

}  // namespace akgen::serve
