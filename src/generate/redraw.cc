#include "generate/redraw.h"

#include <algorithm>

namespace akgen::generate {
namespace {
constexpr uint64_t kOtherSeed = uint64_t{1} << 32;   // far from those of other samples
constexpr double kWarmer = 1.5;                      // what was refused at the usual temperature would mostly come again

// Bytes of the text in front of a line, which counts from 1.
size_t BytesBefore(const std::string& text, size_t line) {
  size_t at = 0;
  for (; line > 1; --line) {
    const size_t end = text.find('\n', at);
    if (end == std::string::npos) return text.size();
    at = end + 1;
  }
  return at;
}
}  // namespace

base::Result<Drawn> Draw(Model& model, Request request, const std::function<Made(const Answer&)>& make, int most) {
  Drawn out;
  for (size_t furthest = 0, back = 0;; ++out.redraws) {
    auto answers = model.Ask(request);
    if (!answers.ok()) return answers.error();
    const int64_t prompt = out.answer.prompt_tokens, completion = out.answer.completion_tokens;
    out.answer = answers->front();
    out.answer.prompt_tokens += prompt, out.answer.completion_tokens += completion;
    out.made = make(out.answer);
    const size_t line = out.made.line;
    if (line == 0 || out.redraws == most || out.answer.finish == "length") return out;
    back = line > furthest ? 0 : std::max<size_t>(1, 2 * back);
    furthest = std::max(furthest, line);
    request.begun = out.answer.text;
    request.keep = BytesBefore(out.answer.text, line > back ? line - back : 1);
    request.seed += kOtherSeed;
    request.warmth = back ? kWarmer : 1;
  }
}

}  // namespace akgen::generate
