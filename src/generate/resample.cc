#include "generate/resample.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace akgen::generate {
namespace {
constexpr uint64_t kOtherSeed = uint64_t{1} << 32;  // far from those of other samples
constexpr double kHotter =
    1.5;  // at the usual temperature the refused lines would mostly come again

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

std::string_view LineAt(std::string_view text, size_t at) {
  return text.substr(at, text.find('\n', at) - at);
}
size_t Indent(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// The text in front of a line that uses a name nobody has assigned, and the beginning of its
// assignment. Stages that copy hold nothing else: it then stands in front of them. Empty where no
// assignment can stand.
std::string Assigning(const std::string& text, size_t line, const std::string& name) {
  size_t at = BytesBefore(text, line);
  std::string_view here = LineAt(text, at);
  if (name.empty() || here.find(name) == here.npos) return {};
  for (size_t above = line, indent = Indent(here); indent > 0 && above > 1;) {
    const size_t start = BytesBefore(text, --above);
    const std::string_view head = LineAt(text, start);
    if (Indent(head) >= indent) continue;
    indent = Indent(head);
    if (head.substr(indent).starts_with("with copy")) at = start, here = head;
  }
  const size_t indent = Indent(here);
  if (indent == 0 || here.substr(indent).starts_with("elif ")) return {};
  return text.substr(0, at + indent) + name + " =";
}
}  // namespace

base::Result<Resampled> Resample(Model& model, Request request,
                                 const std::function<Made(const Answer&)>& make, int most) {
  Resampled out;
  std::set<std::pair<size_t, std::string>> assigned;
  for (size_t furthest = 0, back = 0;; ++out.attempts) {
    auto answers = model.Ask(request);
    const bool off_grammar = !answers.ok() && answers.error().code == "AK1932" &&
                             out.attempts > 0;  // no assignment can stand there
    if (!answers.ok() && !off_grammar) return answers.error();
    if (!off_grammar) {
      const int64_t prompt = out.answer.prompt_tokens, completion = out.answer.completion_tokens;
      out.answer = answers->front();
      out.answer.prompt_tokens += prompt, out.answer.completion_tokens += completion;
      out.made = make(out.answer);
    }
    const size_t line = out.made.line;
    if (line == 0 || out.attempts == most || out.answer.finish == "length") return out;
    request.seed += kOtherSeed;
    request.temperature_scale = 1;
    const std::string& text = out.answer.text;
    if (std::string prefix = Assigning(text, line, out.made.missing);
        !prefix.empty() && assigned.emplace(line, out.made.missing).second) {
      request.prefix_bytes = prefix.size();
      request.prefix = prefix + " 0";
      continue;
    }
    back = line > furthest ? 0 : std::max<size_t>(1, 2 * back);
    furthest = std::max(furthest, line);
    request.prefix = text;
    request.prefix_bytes = BytesBefore(text, line > back ? line - back : 1);
    if (back) request.temperature_scale = kHotter;
  }
}

}  // namespace akgen::generate
