// Lines of the journal of a generation run (docs/generate.md): its header, prompts, turns, the ends
// of samples, and troubles. Turns of one task and sample, in order, are a trajectory;
// docs/schema/turn.schema.json.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "record/judgement.h"

namespace akgen::record {

struct Message {
  std::string role;  // system, user, assistant
  std::string content;
};
base::Json ToJson(const std::vector<Message>& messages);
std::vector<Message> MessagesFromJson(const base::Json& messages);

inline constexpr int kJournalSchema = 1;

struct RunHeader {
  int schema = kJournalSchema;
  std::string version;                       // of the program
  base::Json config = base::Json::object();  // what decides the content
  std::string generator() const;             // direct, craft, plan
  std::optional<uint64_t> inputs_seed() const;
};

struct PromptLine {
  std::string hash, task;
  std::vector<Message> messages;
};

struct TurnCase {
  std::string id, verdict, reason;
  Modelled modelled;
};

// How the model was asked, and what it gave beside the answer.
struct TurnRequest {
  uint64_t seed = 0;
  std::string reasoning, finish;
  int64_t prompt_tokens = 0, completion_tokens = 0;
  bool cached = false;
  int attempts = 0;
  std::optional<int> resampled;  // attempts of compiler-guided resampling
  base::Json logprobs;           // as the model gave them; null: none
};

// One answer and what became of it.
struct Turn {
  std::string task;
  int sample = 0, turn = 0;
  std::string prompt;                 // hash of the messages
  std::optional<std::string> answer;  // nothing: no model was asked
  std::optional<TurnRequest> request;
  double model_ms = 0, judge_ms = 0;
  std::optional<double> plan_ms;
  std::string verdict;  // the name of an outcome (record/verdict.h)
  bool sealed = false;
  std::optional<Backend> backend;  // nothing: nothing ran
  std::string reason, feedback, advice;
  base::Json files = base::Json::object();  // path: text
  std::vector<TurnCase> cases;
  std::vector<std::string> codes;  // of the findings
  double modelled_us = 0;          // of all cases; 0: not known
  std::optional<Provenance> provenance;
  bool Passes() const { return verdict == NameOf(Verdict::kPass); }
};

// How a sample ended: its best turn.
struct SampleEnd {
  std::string task, verdict, reason;
  int sample = 0;
  size_t turns = 0, best_turn = 0;
  double modelled_us = 0;
  bool project = false;  // there are files
  double own_ms = 0;
};

struct TroubleLine {
  std::string task, code, message;
  int sample = 0, turn = 0;
};

// monostate: a line of another kind.
using JournalLine =
    std::variant<std::monostate, RunHeader, PromptLine, Turn, SampleEnd, TroubleLine>;

base::Json ToJson(const RunHeader& header);
base::Json ToJson(const PromptLine& prompt);
base::Json ToJson(const Turn& turn);
base::Json ToJson(const SampleEnd& end);
base::Json ToJson(const TroubleLine& trouble);
// Lines of older versions lack members. Throws base::Json::exception for members of another type.
JournalLine JournalLineFromJson(const base::Json& line);
// Of any kind, also one that this version does not know.
bool IsJournalLine(const base::Json& line);

// Which of two attempts at a task is better: by the one order of outcomes, then by the cases that
// are right, then by modelled time. Equal ones are as good as each other.
struct Standing {
  int rank = 0;
  size_t right = 0;
  double speed = 0;  // 1 / microseconds; 0: not known
  auto operator<=>(const Standing&) const = default;
};
Standing StandingOf(std::string_view outcome, double modelled_us = 0, size_t right = 0);
Standing StandingOf(const Turn& turn);
// Of the trajectory: the first of the best.
size_t BestOf(const std::vector<Turn>& turns);
// Of its cases, skipped ones aside; not known when that of one of them is not.
Modelled SumOfCases(const Turn& turn);

}  // namespace akgen::record
