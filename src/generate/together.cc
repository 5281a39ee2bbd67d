// Who comes first asks; the others wait and take theirs.
#include "generate/together.h"

namespace akgen::generate {

base::Result<std::vector<Answer>> Together::Ask(const Request& request) {
  const int sample = request.first_answer;
  if (sample < 0 || sample >= n_) return model_.Ask(request);
  Asked* asked = nullptr;
  {
    const std::lock_guard lock(mutex_);
    asked = &asked_[base::Dump(ToJson(request.messages))];
  }
  const std::lock_guard lock(asked->mutex);
  if (!asked->reply) {
    Request all = request;
    all.n = n_;
    all.seed -= uint64_t(sample);  // of sample 0: the same request whoever asks
    asked->reply = model_.Ask(all);
  }
  if (!asked->reply->ok()) return asked->reply->error();
  const std::vector<Answer>& answers = **asked->reply;
  if (size_t(sample) >= answers.size()) return model_.Ask(request);
  return std::vector<Answer>{answers[size_t(sample)]};
}

}  // namespace akgen::generate
