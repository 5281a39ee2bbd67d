#include "report/explained.h"

#include "base/json.h"

namespace akgen::report {

// A record has cases; what `akgen run kernel.cpp` and `exec` write has the findings of its one launch.
base::Result<Explained> ReadExplained(const std::string& text, const std::string& file, bool warnings) {
  const base::Error unreadable{"AK0014", "no record of a judgement or run in " + file, file,
                               "give a file that --json wrote"};
  const base::Json record = base::Parse(text);
  if (!record.is_object()) return unreadable;
  try {
    Explained read{record.value("project", record.value("kernel", "")), record.value("verdict", ""), {}};
    auto add = [&](const std::string& id, const base::Json& list) {
      std::vector<record::Finding> findings;
      for (const auto& f : list)
        if (auto finding = record::FindingFromJson(f); warnings || !finding.warning) findings.push_back(finding);
      read.findings.Add(id, findings);
    };
    const base::Json none = base::Json::array();
    const base::Json cases = record.value("cases", none);
    for (const auto& c : cases) add(c.value("id", ""), c.value("findings", none));
    if (cases.empty()) add("", record.value("findings", none));
    return read;
  } catch (const base::Json::exception&) {  // a member of another type
    return unreadable;
  }
}

}  // namespace akgen::report
