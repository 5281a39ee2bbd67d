#include "serve/history.h"

#include "serve/judging.h"

namespace akgen::serve {
using base::Json;

void History::Add(const Caller& caller, const Work& work, const Answer& answer) {
  Kept kept;
  kept.seen.answer = answer;
  kept.seen.answer.record = nullptr;
  kept.seen.subject = SubjectOf(work), kept.seen.client = caller.name;
  kept.seen.when = std::chrono::system_clock::now();
  kept.record = base::Dump(answer.record), kept.work = work, kept.principal = caller.principal;
  kept.bytes = kept.record.size() + BytesOf(work);
  std::lock_guard lock(mutex_);
  bytes_ += kept.bytes;
  kept_.push_back(std::move(kept));
  while (!kept_.empty() && (kept_.size() > limits_.most || bytes_ > limits_.bytes)) {
    bytes_ -= kept_.front().bytes;
    kept_.pop_front();
  }
}

std::vector<Seen> History::Recent(const Caller& caller, size_t most) const {
  std::vector<Seen> out;
  std::lock_guard lock(mutex_);
  for (auto it = kept_.rbegin(); it != kept_.rend() && out.size() < most; ++it)
    if (it->principal == caller.principal) out.push_back(it->seen);
  return out;
}

std::optional<Seen> History::Find(const std::string& id, const Caller& caller) const {
  std::lock_guard lock(mutex_);
  for (const Kept& k : kept_)
    if (k.seen.answer.id == id && k.principal == caller.principal) {
      Seen out = k.seen;
      out.answer.record = base::Parse(k.record);
      out.work = k.work;
      return out;
    }
  return std::nullopt;
}

}  // namespace akgen::serve
