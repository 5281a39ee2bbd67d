// Answers by the hash of everything they depend on: the latest in memory, all of them in a folder where there is one,
// which several servers may share.
#pragma once
#include <filesystem>
#include <list>
#include <map>
#include <mutex>
#include <optional>
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
  std::optional<Answer> Get(const std::string& hash);
  void Put(const std::string& hash, const Answer& answer);

 private:
  std::filesystem::path PathOf(const std::string& hash) const;
  void Remember(const std::string& hash, std::string text);
  Options options_;
  std::mutex mutex_;
  std::list<std::pair<std::string, std::string>> latest_;  // hash, text; the latest first
  std::map<std::string, decltype(latest_)::iterator> by_hash_;
  size_t bytes_ = 0;
};

}  // namespace akgen::serve
