// What a reader wants to see of an answer: findings without repetition, cases by verdict, what
// limits the kernel.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "judge/time/profile.h"
#include "record/launch_record.h"
#include "serve/service.h"

namespace akgen::serve {

// What is shown of a record, of a judgement or of a launch; nothing of what is neither (no record,
// planted faults).
struct Shown {
  std::string chip;              // empty: the record names none
  std::optional<uint64_t> seed;  // of the inputs
  std::vector<record::CaseRecord> cases;
  std::vector<record::MergedFinding> findings;  // without cases: of a launch
  std::vector<record::BuildDiagnostic> diagnostics;
  base::Json modelled;  // of a launch
};
Shown ShownOf(const base::Json& record);

// Of a case that was profiled (JudgeWork::advise); a launch has no id.
struct CaseProfile {
  std::string case_id;
  judge::Profile profile;
};
// `chip`: of a record that names none.
std::vector<CaseProfile> ProfilesOf(const Shown& shown,
                                    const std::string& chip = std::string(chip::kDefaultChip));
// [{"case", "bottleneck", "why", "modelled_us", "advice"}…]
base::Json ToJson(const std::vector<CaseProfile>& profiles);

// {"verdict", "reason", "reward", "retryable", "cached", "cases": {"judged", "passed", "failed":
// [ids]}, "findings", "diagnostics"}: of a judgement or a standalone kernel's run.
base::Json SummaryOf(const Answer& answer);

}  // namespace akgen::serve
