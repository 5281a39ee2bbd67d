#include "report/explained.h"

#include "base/json.h"
#include "record/launch_record.h"

namespace akgen::report {
namespace {
Explained ExplainedOf(const record::AnyRecord& any, bool warnings) {
  const auto shown = [&](std::vector<record::Finding> findings) {
    if (!warnings) std::erase_if(findings, [](const record::Finding& f) { return f.warning; });
    return findings;
  };
  Explained out;
  if (const auto* judgement = std::get_if<record::Judgement>(&any)) {
    out.project = judgement->project, out.verdict = record::NameOf(judgement->verdict);
    for (const auto& c : judgement->cases) out.findings.Add(c.id, shown(c.findings));
  } else {
    const auto& launch = std::get<record::LaunchRecord>(any);
    out.project = launch.file, out.verdict = record::NameOf(launch.verdict);
    out.findings.Add("", shown(launch.findings));
  }
  return out;
}
}  // namespace

base::Result<std::vector<Explained>> ReadExplained(const std::string& text, const std::string& file,
                                                   bool warnings) {
  const base::Error unreadable{"AK0014", "no record of a judgement or run in " + file, file,
                               "give a file that --json wrote"};
  base::Json records = base::Parse(text);
  if (records.is_object()) records = base::Json::array({std::move(records)});
  if (!records.is_array() || records.empty()) return unreadable;
  std::vector<Explained> out;
  for (const base::Json& one : records) {
    const auto record = record::AnyRecordFromJson(one);
    if (!record.ok()) return unreadable;
    out.push_back(ExplainedOf(*record, warnings));
  }
  return out;
}

}  // namespace akgen::report
