// Calls of queues that are missing or come too early: EnQue and FreeTensor of a tensor that its
// queue gave.
#include <fmt/core.h>

#include <algorithm>

#include "judge/edits/propose.h"

namespace akgen::judge {
namespace {
// `tensor = queue.AllocTensor<T>()`, or DeQue
struct Taken {
  const SourceText* source;
  std::string queue, tensor;
  TextSpan statement, body;
};

std::vector<Taken> TakenBy(std::string_view call_name, const ProjectText& project) {
  std::vector<Taken> out;
  for (const SourceText& source : project.kernel)
    for (const TextSpan& statement : source.statements())
      for (const TextCall& call : source.CallsIn(statement)) {
        if (call.name != call_name || call.object.empty()) continue;
        // `LocalTensor<T> tensor = ` lies before it.
        const std::string before = source.Text({statement.begin, call.whole.begin});
        size_t end = before.find_last_not_of(" =\n\t");
        if (end == std::string::npos || before.find('=', end) == std::string::npos) continue;
        size_t begin = before.find_last_of(" *&,\n\t", end);
        begin = begin == std::string::npos ? 0 : begin + 1;
        if (const auto body = source.BodyAround(statement.begin))
          out.push_back(
              {&source, call.object, before.substr(begin, end + 1 - begin), statement, *body});
      }
  return out;
}

bool Calls(const Taken& t, std::string_view name, TextSpan span) {
  for (const TextCall& call : t.source->CallsIn(span))
    if (call.name == name && call.object == t.queue && call.arguments.size() == 1 &&
        t.source->Text(call.arguments[0]) == t.tensor)
      return true;
  return false;
}

// Statements of the function behind the one that takes the tensor, which use it; the last one
// first.
std::vector<TextSpan> UsesOf(const Taken& t) {
  std::vector<TextSpan> out;
  for (const TextSpan& s : t.source->StatementsIn({t.statement.end, t.body.end}))
    if (t.source->Mentions(s, t.tensor)) out.insert(out.begin(), s);
  return out;
}

// `call` on the tensor, behind its last uses.
void AddCall(const Taken& t, std::string_view call, size_t most, Proposals& out) {
  const auto uses = UsesOf(t);
  for (size_t i = 0; i < std::min(uses.size(), most); ++i)
    if (!Calls(t, "FreeTensor", uses[i]))
      out.Add({t.source->Behind(uses[i].end, fmt::format("{}.{}({});", t.queue, call, t.tensor))});
}

// FreeTensor that has uses behind it, moved behind the last of them.
void FreeLater(const Taken& t, Proposals& out) {
  const auto uses = UsesOf(t);
  for (size_t i = 1; i < uses.size(); ++i)
    if (Calls(t, "FreeTensor", uses[i]) && !Calls(t, "EnQue", uses[0])) {
      out.Add({t.source->Without(uses[i]), t.source->Behind(uses[0].end, t.source->Text(uses[i]))});
      return;
    }
}
}  // namespace

void ProposeQueues(const record::Finding& finding, const ProjectText& project, Proposals& out) {
  const auto spots = SpotsOf(finding, project);
  auto spoken_of = [&](const Taken& t) {
    return spots.empty() || std::any_of(spots.begin(), spots.end(), [&](const Spot& s) {
             return s.source == t.source &&
                    (s.source->Mentions(s.statement, t.queue) || t.body.Holds(s.statement.begin));
           });
  };
  const auto allocated = TakenBy("AllocTensor", project), dequeued = TakenBy("DeQue", project);
  for (const auto* all : {&dequeued, &allocated})
    for (const Taken& t : *all)
      if (spoken_of(t)) FreeLater(t, out);
  for (const Taken& t : allocated) {
    const bool comes_back = std::any_of(dequeued.begin(), dequeued.end(),
                                        [&](const Taken& d) { return d.queue == t.queue; });
    if (comes_back && !Calls(t, "EnQue", t.body)) AddCall(t, "EnQue", 3, out);
    if (!comes_back && !Calls(t, "FreeTensor", t.body)) AddCall(t, "FreeTensor", 2, out);
  }
  for (const Taken& t : dequeued)
    if (!Calls(t, "FreeTensor", t.body)) AddCall(t, "FreeTensor", 2, out);
}

}  // namespace akgen::judge
