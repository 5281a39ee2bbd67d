// What memory holds: sums that nothing starts, writes of many blocks to one place, lines of the
// data cache; and the definition of an operator.
#include <fmt/core.h>

#include "base/regex.h"
#include "judge/edits/propose.h"

namespace akgen::judge {
namespace {
// A tensor is filled with zeros where it is taken.
void StartAtZero(const ProjectText& project, Proposals& out) {
  static const base::Regex kTaken(
      R"(LocalTensor<\s*(\w+)\s*>\s*(\w+)\s*=[^,]*(AllocTensor|Get)\s*<[^,]*)");
  for (const SourceText& source : project.kernel)
    for (const TextSpan& s : source.statements()) {
      if (const auto m = kTaken.Whole(source.Text(s)))
        out.Add(
            {source.Behind(s.end, fmt::format("Duplicate({0}, static_cast<{1}>(0), {0}.GetSize());",
                                              (*m)[2].text, (*m)[1].text))});
    }
}

// `tensor` of `tensor[offset]`
std::string NameIn(const SourceText& source, TextSpan operand) {
  const std::string text = source.Text(operand);
  return text.substr(0, text.find('['));
}

void AddAtomically(const std::vector<Spot>& spots, Proposals& out) {
  for (const Spot& spot : spots)
    for (const TextCall& call : spot.source->CallsIn(spot.statement)) {
      if (!call.name.starts_with("DataCopy") || call.arguments.empty()) continue;
      const std::string type =
          spot.source->ElementOf("GlobalTensor", NameIn(*spot.source, call.arguments[0]));
      if (!type.empty())
        out.Add(
            {spot.source->Before(spot.statement.begin, fmt::format("SetAtomicAdd<{}>();", type)),
             spot.source->Behind(spot.statement.end, "SetAtomicNone();")});
    }
}

// The line of an element that the scalar unit writes is written back, the line of one that it reads
// is dropped.
void CleanLines(const std::vector<Spot>& spots, Proposals& out) {
  for (const Spot& spot : spots)
    for (const TextCall& call : spot.source->CallsIn(spot.statement)) {
      const bool set = call.name == "SetValue";
      if ((!set && call.name != "GetValue") || call.object.empty() || call.arguments.empty())
        continue;
      const std::string type = spot.source->ElementOf("GlobalTensor", call.object);
      if (type.empty()) continue;
      const std::string clean = fmt::format(
          "DataCacheCleanAndInvalid<{}, CacheLine::SINGLE_CACHE_LINE, "
          "DcciDst::CACHELINE_OUT>({}[{}]);",
          type, call.object, spot.source->Text(call.arguments[0]));
      out.Add({set ? spot.source->Behind(spot.statement.end, clean)
                   : spot.source->Before(spot.statement.begin, clean)});
    }
}

// A mode is switched off at the end of the function that switches it on.
void SwitchOff(const ProjectText& project, Proposals& out) {
  for (const SourceText& source : project.kernel)
    for (const TextSpan& s : source.statements())
      for (const TextCall& call : source.CallsIn(s)) {
        const bool atomic = call.name.starts_with("SetAtomic") && call.name != "SetAtomicNone";
        if (!atomic && call.name != "SetMaskCount") continue;
        const auto body = source.BodyAround(s.begin);
        const auto all = body ? source.StatementsIn(*body) : std::vector<TextSpan>{};
        if (!all.empty())
          out.Add({source.Behind(all.back().end, atomic ? "SetAtomicNone();" : "SetMaskNorm();")});
      }
}
}  // namespace

void ProposeContents(const record::Finding& f, const ProjectText& project, Proposals& out) {
  const auto spots = SpotsOf(f, project);
  if (f.code == "AK1210") AddAtomically(spots, out);
  if (f.code == "AK1306") SwitchOff(project, out);
  if (f.code == "AK1211" || f.code == "AK1212" || f.code == "AK1213") CleanLines(spots, out);
  if (f.code != "AK1101" && f.code != "AK1102") return;
  StartAtZero(project, out);
}

// The first product of a sum replaces what L0C held: the one at which a count of the function is
// zero.
void ProposeSums(const record::Finding&, const ProjectText& project, Proposals& out) {
  static const base::Regex kInit(R"(\w+\.cmatrixInitVal\s*=\s*(false|true|0|1);)"),
      kCount(R"(u?int(32|64)_t (\w+))");
  for (const SourceText& source : project.kernel)
    for (const TextSpan& s : source.statements()) {
      const auto body = source.BodyAround(s.begin);
      const auto m = kInit.Whole(source.Text(s));
      if (!body || !m) continue;
      const size_t from = source.text().rfind('\n', body->begin - 1) + 1;  // with the parameters
      const std::string head = source.Text({from, s.begin});
      for (const base::Match& count : kCount.All(head))
        out.Add({source.Replace({s.begin + (*m)[1].begin, s.end - 1}, count[2].text + " == 0")});
    }
}

// AK3014 says in its fix which AddConfig is missing.
void ProposeDefinition(const record::Finding& f, const ProjectText& project, Proposals& out) {
  const size_t at = f.fix.find(".AddConfig(");
  if (at == std::string::npos) return;
  for (const SourceText& source : project.host)
    for (const TextCall& call : source.CallsIn({0, source.text().size()}))
      if (call.name == "AICore")
        out.Add({source.Replace({call.whole.end, call.whole.end}, f.fix.substr(at))});
}

}  // namespace akgen::judge
