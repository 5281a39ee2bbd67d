// Buffers that are too small, or too many for the Unified Buffer.
#include <fmt/core.h>

#include "base/regex.h"
#include "judge/edits/propose.h"

namespace akgen::judge {
namespace {
// `InitBuffer(buffer, length)` or `(queue, count, length)`: longer, or fewer.
void BufferLengths(const record::Finding& f, const ProjectText& project, Proposals& out) {
  static const base::Regex kHalf(R"(\(?(.+?)\)?\s*/\s*2)");
  std::vector<Proposal> doubled;
  for (const SourceText& source : project.kernel)
    for (const TextSpan& statement : source.statements())
      for (const TextCall& call : source.CallsIn(statement)) {
        if (call.name != "InitBuffer" || call.arguments.size() < 2) continue;
        const TextSpan last = call.arguments.back(), count = call.arguments[1];
        const std::string length = source.Text(last), number = source.Text(count);
        if (const auto m = kHalf.Whole(length); m && f.code != "AK1401")
          out.Add({source.Replace(last, (*m)[1].text)});
        if (f.code != "AK1401") doubled.push_back({source.Replace(last, "(" + length + ") * 2")});
        if (f.code == "AK1401" && call.arguments.size() == 3 && number != "1")
          out.Add({source.Replace(count, "1")});
        if (f.code == "AK1403" && call.arguments.size() == 3 && number == "1")
          doubled.push_back({source.Replace(count, "2")});
      }
  for (Proposal& p : doubled) out.Add(std::move(p));
}

// The number of buffers that the tiling divides the Unified Buffer by.
void SharesOfUb(const ProjectText& project, Proposals& out) {
  static const base::Regex kDivisor(R"(/\s*(\w+))"), kNumber(R"(\d+)");
  for (const SourceText& source : project.host) {
    std::string size;  // the variable that GetCoreMemSize fills
    for (const TextCall& call : source.CallsIn({0, source.text().size()}))
      if (call.name == "GetCoreMemSize" && call.arguments.size() == 2)
        size = source.Text(call.arguments[1]);
    if (size.empty()) continue;
    for (const TextSpan& s : source.statements()) {
      if (!source.Mentions(s, size)) continue;
      const std::string text = source.Text(s);
      for (const base::Match& m : kDivisor.All(text))
        for (int times : {2, 3, 4, 8})
          out.Add({source.Replace({s.begin + m[1].begin, s.begin + m[1].end},
                                  fmt::format("({} * {})", m[1].text, times))});
    }
  }
}
}  // namespace

void ProposeBuffers(const record::Finding& finding, const ProjectText& project, Proposals& out) {
  if (finding.code == "AK1401") SharesOfUb(project, out);
  BufferLengths(finding, project, out);
}

}  // namespace akgen::judge
