// A case that chip and device disagree on, as a small folder with all that reproduces it: both
// records, the candidate's sources, the task, and the command.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "report/on_device.h"

namespace akgen::report {

struct ParityCase {
  base::Json record;  // of the judgement on both
  DeviceRow row;
  std::string FolderName() const;
};
// Of records (RecordsIn) the cases with Agreement::kDiffers, in order.
std::vector<ParityCase> DisagreementsIn(const std::vector<base::Json>& records);

// Writes README.md, record.json, candidate/ and task/ below `folder`, which must not be there yet
// (AK0002). Sources are left out, and README.md says so, where the candidate's folder is no longer
// what was judged.
base::Status WriteParityCase(const ParityCase& one, const std::filesystem::path& task,
                             const std::filesystem::path& folder);

}  // namespace akgen::report
