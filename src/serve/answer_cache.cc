#include "serve/answer_cache.h"

#include "base/files.h"

namespace akgen::serve {
using base::Json;
using base::Result;

Json ToJson(const Answer& a) {
  Json j{{"ending", NameOf(a.ending)}, {"outcome", a.outcome}, {"reason", a.reason},
         {"sealed", a.sealed},         {"record", a.record},   {"judged_ms", a.judged_ms}};
  if (a.error)
    j["error"] = {
        {"code", a.error->code}, {"message", a.error->message}, {"where", a.error->where}, {"fix", a.error->fix}};
  return j;
}

Result<Answer> AnswerFromJson(const Json& j) {
  return base::Checked("an answer that was kept", [&]() -> Result<Answer> {
    Answer a;
    const auto ending = j.at("ending").get<std::string>();
    for (auto e : {Ending::kDone, Ending::kInvalid, Ending::kConflict, Ending::kOverloaded, Ending::kExpired,
                   Ending::kCancelled, Ending::kStopping, Ending::kFault})
      if (NameOf(e) == ending) a.ending = e;
    a.outcome = j.at("outcome").get<std::string>(), a.reason = j.at("reason").get<std::string>();
    a.sealed = j.at("sealed").get<bool>();
    a.record = j.at("record");
    a.judged_ms = j.at("judged_ms").get<double>();
    if (j.contains("error")) {
      const Json& e = j["error"];
      a.error = base::Error{e.at("code").get<std::string>(), e.at("message").get<std::string>(),
                            e.at("where").get<std::string>(), e.at("fix").get<std::string>()};
    }
    return a;
  });
}

std::filesystem::path AnswerCache::PathOf(const std::string& hash) const {
  return options_.folder / hash.substr(0, 2) / (hash + ".json");
}

std::optional<Answer> AnswerCache::Get(const std::string& hash) {
  std::string text;
  {
    std::lock_guard lock(mutex_);
    if (auto it = by_hash_.find(hash); it != by_hash_.end()) {
      latest_.splice(latest_.begin(), latest_, it->second);
      text = it->second->second;
    }
  }
  const bool in_memory = !text.empty();
  if (!in_memory && !options_.folder.empty())
    if (auto read = base::ReadFile(PathOf(hash)); read.ok()) text = std::move(*read);
  if (text.empty()) return std::nullopt;
  const Json j = base::Parse(text);
  auto answer = j.is_discarded() ? Result<Answer>(base::Error{}) : AnswerFromJson(j);
  if (!answer.ok() || answer->ending != Ending::kDone) return std::nullopt;
  if (!in_memory) Remember(hash, std::move(text));
  answer->cached = true;
  return std::move(*answer);
}

void AnswerCache::Put(const std::string& hash, const Answer& answer) {
  std::string text = base::Dump(ToJson(answer));
  if (!options_.folder.empty()) {
    std::error_code ec;
    std::filesystem::create_directories(PathOf(hash).parent_path(), ec);
    (void)base::WriteFileAtomic(PathOf(hash), text);  // what cannot be kept costs time later, nothing else
  }
  Remember(hash, std::move(text));
}

void AnswerCache::Remember(const std::string& hash, std::string text) {
  std::lock_guard lock(mutex_);
  if (by_hash_.contains(hash) || text.size() > options_.most_bytes) return;
  bytes_ += text.size();
  latest_.emplace_front(hash, std::move(text));
  by_hash_[hash] = latest_.begin();
  while (bytes_ > options_.most_bytes) {
    bytes_ -= latest_.back().second.size();
    by_hash_.erase(latest_.back().first);
    latest_.pop_back();
  }
}

}  // namespace akgen::serve
