// Who is next: principals take turns, within one the names it uses, within one of those the
// priorities and then the order of arrival. So nobody waits longer for another one's flood than for
// one job of everybody else.
#pragma once
#include <array>
#include <list>
#include <map>
#include <optional>
#include <string>

#include "serve/service.h"

namespace akgen::serve {

class FairQueue {
 public:
  struct Limits {
    size_t most = 16384;             // jobs in all
    size_t most_of_one = 12288;      // of one principal
    size_t most_bytes = 512u << 20;  // of all
  };
  explicit FairQueue(Limits limits) : limits_(limits) {}

  bool HasRoom(const Caller& caller, size_t bytes) const;
  // Ids are unique. No check of room: what a journal brings back has been accepted.
  void Add(const std::string& id, const Caller& caller, Priority priority, size_t bytes);
  std::optional<std::string> Next();
  bool Remove(const std::string& id);         // false: not in the queue
  size_t Ahead(const std::string& id) const;  // jobs before it under the same name
  size_t size() const { return places_.size(); }
  bool empty() const { return places_.empty(); }

 private:
  struct Line {
    std::array<std::list<std::string>, 3> jobs;  // by priority
    bool empty() const { return jobs[0].empty() && jobs[1].empty() && jobs[2].empty(); }
  };
  struct Principal {
    std::map<std::string, Line> lines;
    std::list<std::string> turns;  // names with jobs, the next one first
    size_t size = 0;
  };
  struct Place {
    Caller caller;
    Priority priority;
    size_t bytes;
    std::list<std::string>::iterator at;
  };
  void Forget(const std::string& id, const Place& place);

  Limits limits_;
  std::map<std::string, Principal> principals_;
  std::list<std::string> turns_;  // principals with jobs, the next one first
  std::map<std::string, Place> places_;
  size_t bytes_ = 0;
};

}  // namespace akgen::serve
