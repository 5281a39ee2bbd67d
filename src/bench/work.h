// Judges one candidate at a time, public part first, then the hidden one.
#pragma once
#include <optional>
#include <vector>

#include "bench/candidates.h"
#include "bench/config.h"
#include "judge/pool/pool.h"
#include "store/store.h"

namespace akgen::bench {

// A unit's task, loaded, with the cases of the profile.
struct LoadedUnit {
  Unit unit;
  task::TaskSpec spec;
  std::string hash;
  std::filesystem::path
      host;  // kernel-only mode: the project whose op_host/ is the host side, empty: the task's own
  std::string host_hash;
  std::vector<task::CaseRow> cases;
};

class Worker {
 public:
  Worker(const Config& config, bool cache, judge::Pool& pool)
      : config_(config), cache_(cache), pool_(pool) {}
  // The verdicts of the candidate, hidden part included. AK0511 when its folder is not what `hash`
  // says.
  base::Result<std::vector<store::VerdictRow>> Judge(const LoadedUnit& unit,
                                                     const Candidate& candidate,
                                                     const std::string& hash);

 private:
  base::Result<store::VerdictRow> Part(const LoadedUnit& unit, const Candidate& candidate,
                                       const std::string& hash, const std::string& part,
                                       const std::vector<task::CaseRow>& cases);
  judge::Options OptionsFor(const LoadedUnit& unit, const std::vector<task::CaseRow>& cases,
                            uint64_t seed) const;
  base::Status JudgeFresh(const LoadedUnit& unit, const Candidate& candidate,
                          const judge::Options& options, store::VerdictRow& v, bool* keep);
  // Cases with shapes of their own, made by task::HiddenCases.
  base::Result<std::vector<task::CaseRow>> Drawn(const LoadedUnit& unit, uint64_t seed, int count,
                                                 const std::string& prefix);
  base::Result<std::vector<task::CaseRow>> Hidden(const LoadedUnit& unit);
  base::Status Start();
  const Config& config_;
  bool cache_;
  judge::Pool& pool_;
  std::optional<judge::Pool::Lease> judge_;  // once something was to be judged, until this goes
};

}  // namespace akgen::bench
