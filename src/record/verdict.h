// The verdict record: what a judgement says, versioned, as JSON.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "record/edit.h"

namespace akgen::record {

inline constexpr int kVerdictSchema = 1;

// unsupported (by akgen), undecided (inconclusive) and infra_error (internal error) never become a
// reward.
enum class Verdict {
  kPass,
  kWrongAnswer,
  kFinding,
  kRuntimeError,
  kTimeout,
  kBuildError,
  kRejected,
  kUnsupported,
  kUndecided,
  kInfraError
};
std::string_view NameOf(Verdict v);
std::optional<Verdict> VerdictFromName(std::string_view name);
// Its name; another one throws base::Json::exception.
void to_json(base::Json& j, Verdict v);
void from_json(const base::Json& j, Verdict& v);

// What became of an answer: a verdict's name, or `refused` (the kernel language's compiler refused
// the program), `no_code` (there was none to judge) or `too_long` (it was cut off). What follows is
// the only definition of what outcomes mean; a name that is none of these counts, builds and ranks
// as `infra_error` does.

// Whether a record (of a judgement, of a standalone kernel, a line of a journal) says of itself
// that nothing which ran the candidate's code could have written its verdict: its field "sealed".
// False for native execution, and for records that do not say.
bool Sealed(const base::Json& record);
inline constexpr std::string_view kUnsealed =
    "unsealed";  // what statistics call the others, whatever their verdict
// May it be a reward, a training sample, half of a preference pair, a try in a statistic? Not what
// is akgen's own (unsupported, undecided, infra_error), and nothing that is not sealed.
struct Outcome {
  std::string_view name;
  bool sealed = false;
};
bool Counts(const Outcome& outcome);
// Did the compiler and the rules of judging accept it?
bool Builds(Verdict v);
bool Builds(std::string_view outcome);
// The one order of outcomes by name, larger is better: pass 4, finding and wrong_answer 3 (which of
// them is better the values decide: record/reward.h), runtime_error and timeout 2, build_error and
// refused 1, rejected, no_code and too_long 0, what does not count -1.
inline constexpr int kRankOfPass = 4;
int Rank(Verdict v);
int Rank(std::string_view outcome);

// One side of a finding: an access or a call, as the kernel's source names it.
struct Place {
  std::string file;  // as compiled; empty when unknown
  int line = 0;
  std::string pipe;  // "PIPE_V" …
  std::string what;  // "DataCopy", "Add", "write of 32 bytes" …
  int block = -1;    // -1 unknown
};

// One fault: a rule of the chip or of its compiler that the kernel breaks.
struct Finding {
  std::string code;     // page in docs/diagnostics
  std::string check;    // "memcheck", "initcheck", "racecheck", "synccheck"; empty: none of them
  std::string message;  // one sentence
  std::string fix;      // a suggested fix
  Place place;
  std::optional<Place> other;
  int block = -1;      // block index, -1 unknown
  std::string memory;  // "UB", "GM:x", …
  std::string
      buffer;  // in UB: "buffer 2 (VECIN, bytes 4096 to 6143)"; empty: nobody's, or another memory
  int64_t address = 0;  // byte offset in that memory; negative: before its start
  uint64_t bytes = 0;
  uint64_t count = 1;      // times seen
  bool warning = false;    // reported, does not decide the verdict
  bool undecided = false;  // inconclusive: makes an otherwise clean run `undecided`
  // Applied together they make it go away, and bring no other: that was tried
  // (judge/edits/try_edits.h). Empty: none is known, or nobody asked.
  std::vector<Edit> edits;
};

// The same fault in several cases.
struct MergedFinding {
  Finding finding;                 // as the first of them has it; `count` is that of all
  std::vector<std::string> cases;  // ids
};
// Findings of cases in their order, those of one code at one place as one.
class FindingsOfCases {
 public:
  void Add(const std::string& case_id, const std::vector<Finding>& findings);
  const std::vector<MergedFinding>& all() const { return all_; }

 private:
  std::vector<MergedFinding> all_;
};

// A reason without the messages of findings that are told in full elsewhere: their codes stay.
std::string WithoutMessages(std::string reason, const std::vector<MergedFinding>& told);

base::Json ToJson(const Finding& finding);
base::Json ToJson(const MergedFinding& finding);
Finding FindingFromJson(const base::Json& json);
inline void to_json(base::Json& j, const Finding& f) { j = ToJson(f); }
inline void from_json(const base::Json& j, Finding& f) { f = FindingFromJson(j); }
inline void to_json(base::Json& j, const MergedFinding& f) { j = ToJson(f); }

}  // namespace akgen::record
