// Two accesses that nothing orders: a barrier or a flag before the later one.
#include <fmt/core.h>

#include "judge/edits/propose.h"

namespace akgen::judge {
namespace {
bool OfCubeCore(const record::Place& place) { return place.pipe.starts_with("AIC"); }

// A cross-core flag is set by the pipe that does the work.
void PipesOfCrossCoreFlags(const std::string& pipe, const ProjectText& project, Proposals& out) {
  if (pipe.empty()) return;
  for (const SourceText& source : project.kernel)
    for (const TextCall& call : source.CallsIn({0, source.text().size()})) {
      if (call.name != "CrossCoreSetFlag" || call.templates.begin >= call.templates.end) continue;
      const std::string templates = source.Text(call.templates);
      const size_t at = templates.find("PIPE_");
      if (at == std::string::npos || templates.substr(at) == "PIPE_" + pipe) continue;
      out.Add({source.Replace({call.templates.begin + at, call.templates.end}, "PIPE_" + pipe)});
    }
}
}  // namespace

void ProposeOrder(const record::Finding& f, const ProjectText& project, Proposals& out) {
  const auto spots = SpotsOf(f, project);
  const SourceText* source = project.Of(f.place.file);
  const auto later = source ? source->StatementAt(f.place.line) : std::nullopt;
  if (!f.other || !later) return;
  const std::string first = PipeOf(*f.other), second = PipeOf(f.place);
  const bool one_core =
      f.place.block == f.other->block && OfCubeCore(f.place) == OfCubeCore(*f.other);
  if (!one_core || f.memory.starts_with("GM")) PipesOfCrossCoreFlags(first, project, out);
  if (first.empty() || second.empty()) return;
  if (!one_core) {
    out.Add({source->Before(later->begin, "SyncAll();")});
    return;
  }
  if (first == second) {
    if (first != "S")
      out.Add({source->Before(later->begin, fmt::format("PipeBarrier<PIPE_{}>();", first))});
  } else {
    const std::string pair = first + "_" + second;
    out.Add({source->Before(
        later->begin,
        fmt::format("{{ const event_t handed = static_cast<event_t>(GetTPipePtr()->AllocEventID<"
                    "HardEvent::{0}>()); SetFlag<HardEvent::{0}>(handed); "
                    "WaitFlag<HardEvent::{0}>(handed); "
                    "GetTPipePtr()->ReleaseEventID<HardEvent::{0}>(handed); }}",
                    pair))});
  }
  out.Add({source->Before(later->begin, "PipeBarrier<PIPE_ALL>();")});
}

}  // namespace akgen::judge
