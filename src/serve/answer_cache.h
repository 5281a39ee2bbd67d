// Answers by the hash of everything they depend on: the latest in memory, all of them in a folder
// where there is one, which several servers may share.
#pragma once
#include <filesystem>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "serve/service.h"

namespace akgen::serve {

base::Json ToJson(const Answer& answer);                      // for caches and journals
base::Result<Answer> AnswerFromJson(const base::Json& json);  // AK0014

class AnswerCache {
 public:
  struct Options {
    size_t most_bytes = 64u << 20;  // in memory, counted as JSON text; 0: nothing is kept
    std::filesystem::path folder;   // empty: memory alone
  };
  explicit AnswerCache(Options options) : options_(std::move(options)) {}
  // `cached` is set where this principal put or got it before; one does not learn what others ask
  // for.
  std::optional<Answer> Get(const std::string& hash, const std::string& principal);
  void Put(const std::string& hash, const Answer& answer, const std::string& principal);

 private:
  std::filesystem::path PathOf(const std::string& hash) const;
  struct Kept {
    std::string hash, text;
    std::set<std::string> principals;  // that put or got it
  };
  void Remember(const std::string& hash, std::string text, const std::string& principal);
  Options options_;
  std::mutex mutex_;
  std::list<Kept> latest_;  // the latest first
  std::map<std::string, decltype(latest_)::iterator> by_hash_;
  size_t bytes_ = 0;
};

}  // namespace akgen::serve
