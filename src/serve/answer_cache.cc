#include "serve/answer_cache.h"

#include "base/files.h"

namespace akgen::serve {
using base::Json;
using base::Result;

namespace {
constexpr const char* kOwner =
    "principal";  // who asked first; servers that share a folder know it by this
}  // namespace

Json ToJson(const Answer& a) {
  Json j{{"ending", NameOf(a.ending)},
         {"outcome", a.outcome},
         {"reason", a.reason},
         {"sealed", a.sealed},
         {"record", a.record},
         {"judged_ms", a.judged_ms},
         {"right_values", a.merit.right_values},
         {"bound_share", a.merit.bound_share}};
  if (a.error)
    j["error"] = {{"code", a.error->code},
                  {"message", a.error->message},
                  {"where", a.error->where},
                  {"fix", a.error->fix}};
  return j;
}

Result<Answer> AnswerFromJson(const Json& j) {
  return base::Checked("an answer that was kept", [&]() -> Result<Answer> {
    Answer a;
    const auto ending = j.at("ending").get<std::string>();
    for (auto e : {Ending::kDone, Ending::kInvalid, Ending::kConflict, Ending::kOverloaded,
                   Ending::kExpired, Ending::kCancelled, Ending::kStopping, Ending::kFault})
      if (NameOf(e) == ending) a.ending = e;
    a.outcome = j.at("outcome").get<std::string>(), a.reason = j.at("reason").get<std::string>();
    a.sealed = j.at("sealed").get<bool>();
    a.record = j.at("record");
    a.judged_ms = j.at("judged_ms").get<double>();
    a.merit = {j.value("right_values", false), j.value("bound_share", 0.0)};
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

std::optional<Answer> AnswerCache::Get(const std::string& hash, const std::string& principal) {
  std::string text;
  bool own = false;
  {
    std::lock_guard lock(mutex_);
    if (auto it = by_hash_.find(hash); it != by_hash_.end()) {
      latest_.splice(latest_.begin(), latest_, it->second);
      text = it->second->text;
      own = it->second->principals.contains(principal);
    }
  }
  if (text.empty() && !options_.folder.empty())
    if (auto read = base::ReadFile(PathOf(hash)); read.ok()) text = std::move(*read);
  if (text.empty()) return std::nullopt;
  const Json j = base::Parse(text);
  auto answer = j.is_discarded() ? Result<Answer>(base::Error{}) : AnswerFromJson(j);
  if (!answer.ok() || answer->ending != Ending::kDone) return std::nullopt;
  Remember(hash, std::move(text), principal);
  answer->cached = own || j.value(kOwner, "") == principal, answer->reused = true;
  return std::move(*answer);
}

void AnswerCache::Put(const std::string& hash, const Answer& answer, const std::string& principal) {
  Json j = ToJson(answer);
  j[kOwner] = principal;
  std::string text = base::Dump(j);
  if (!options_.folder.empty()) {
    std::error_code ec;
    std::filesystem::create_directories(PathOf(hash).parent_path(), ec);
    (void)base::WriteFileAtomic(PathOf(hash),
                                text);  // what cannot be kept costs time later, nothing else
  }
  Remember(hash, std::move(text), principal);
}

void AnswerCache::Remember(const std::string& hash, std::string text,
                           const std::string& principal) {
  std::lock_guard lock(mutex_);
  if (auto it = by_hash_.find(hash); it != by_hash_.end()) {
    if (it->second->principals.insert(principal).second) bytes_ += principal.size();
  } else if (text.size() <= options_.most_bytes) {
    latest_.push_front({hash, std::move(text), {principal}});
    by_hash_[hash] = latest_.begin();
    bytes_ += latest_.front().text.size() + principal.size();
  }
  while (bytes_ > options_.most_bytes) {
    bytes_ -= latest_.back().text.size();
    for (const std::string& p : latest_.back().principals) bytes_ -= p.size();
    by_hash_.erase(latest_.back().hash);
    latest_.pop_back();
  }
}

}  // namespace akgen::serve
