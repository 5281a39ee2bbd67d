#include "generate/transcript.h"

#include <fcntl.h>
#include <unistd.h>

namespace akgen::generate {
using base::Json;

void Transcript::Add(const Request& request, const std::vector<Answer>& answers,
                     const Json& trouble) {
  if (file_.empty()) return;
  Json said = Json::array();
  for (const Answer& a : answers) said.push_back(ToJson(a));
  Json line{{"tags", request.tags},
            {"seed", request.seed},
            {"messages", ToJson(request.messages)},
            {"answers", said}};
  if (!trouble.empty()) line["trouble"] = trouble;
  if (!answers.empty()) line["cached"] = answers[0].cached, line["ms"] = answers[0].ms;
  std::string text = base::Dump(line) + "\n";
  std::lock_guard lock(mutex_);
  if (!fd_.valid())
    fd_ = base::Fd(::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  for (size_t done = 0; fd_.valid() && done < text.size();) {
    ssize_t n = ::write(fd_.get(), text.data() + done, text.size() - done);
    if (n <= 0) return;
    done += size_t(n);
  }
}

}  // namespace akgen::generate
