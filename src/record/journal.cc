#include "record/journal.h"

#include <algorithm>

#include "record/take.h"

namespace akgen::record {
using base::Json;

Json ToJson(const std::vector<Message>& messages) {
  Json out = Json::array();
  for (const Message& m : messages) out.push_back({{"role", m.role}, {"content", m.content}});
  return out;
}
std::vector<Message> MessagesFromJson(const Json& messages) {
  std::vector<Message> out;
  for (const Json& m : messages) out.push_back({m.value("role", ""), m.value("content", "")});
  return out;
}

std::string RunHeader::generator() const { return config.value("generator", ""); }
std::optional<uint64_t> RunHeader::inputs_seed() const {
  const auto seed = config.find("inputs_seed");
  return seed != config.end() && seed->is_number_unsigned() ? std::optional(seed->get<uint64_t>())
                                                            : std::nullopt;
}

Json ToJson(const RunHeader& h) {
  return {{"kind", "run"}, {"schema", h.schema}, {"version", h.version}, {"config", h.config}};
}
Json ToJson(const PromptLine& p) {
  return {{"kind", "prompt"}, {"hash", p.hash}, {"task", p.task}, {"messages", ToJson(p.messages)}};
}
Json ToJson(const SampleEnd& s) {
  return {{"kind", "sample"},         {"task", s.task},
          {"sample", s.sample},       {"verdict", s.verdict},
          {"reason", s.reason},       {"turns", s.turns},
          {"best_turn", s.best_turn}, {"modelled_us", s.modelled_us},
          {"project", s.project},     {"own_ms", s.own_ms}};
}
Json ToJson(const TroubleLine& t) {
  return {{"kind", "trouble"}, {"task", t.task}, {"sample", t.sample},
          {"turn", t.turn},    {"code", t.code}, {"message", t.message}};
}

namespace {
Json ToJson(const TurnCase& c) {
  Json j{{"id", c.id}, {"verdict", c.verdict}, {"reason", c.reason}};
  if (c.modelled.known())
    j.update(
        {{"modelled_us", c.modelled.us}, {"modelled_range_us", {c.modelled.low, c.modelled.high}}});
  return j;
}
TurnCase TurnCaseFromJson(const Json& j) {
  TurnCase c;
  Take(j, "id", c.id), Take(j, "verdict", c.verdict), Take(j, "reason", c.reason);
  c.modelled = ModelledOf(j, "modelled_");
  return c;
}
void Add(const TurnRequest& r, Json& j) {
  j.update({{"seed", r.seed},
            {"reasoning", r.reasoning},
            {"finish", r.finish},
            {"prompt_tokens", r.prompt_tokens},
            {"completion_tokens", r.completion_tokens},
            {"cached", r.cached},
            {"attempts", r.attempts}});
  if (!r.logprobs.is_null()) j["logprobs"] = r.logprobs;
  if (r.resampled) j["redraws"] = *r.resampled;
}
TurnRequest RequestFromJson(const Json& j) {
  TurnRequest r;
  Take(j, "seed", r.seed), Take(j, "reasoning", r.reasoning), Take(j, "finish", r.finish);
  Take(j, "prompt_tokens", r.prompt_tokens), Take(j, "completion_tokens", r.completion_tokens);
  // Sums of any lines fit.
  for (int64_t* tokens : {&r.prompt_tokens, &r.completion_tokens})
    *tokens = std::clamp<int64_t>(*tokens, 0, int64_t{1} << 40);
  Take(j, "cached", r.cached), Take(j, "attempts", r.attempts), Take(j, "logprobs", r.logprobs);
  if (j.contains("redraws")) r.resampled = j["redraws"].get<int>();
  return r;
}
}  // namespace

Json ToJson(const Turn& t) {
  Json j{{"kind", "turn"},     {"task", t.task},         {"sample", t.sample},
         {"turn", t.turn},     {"model_ms", t.model_ms}, {"verdict", t.verdict},
         {"sealed", t.sealed}, {"reason", t.reason},     {"feedback", t.feedback},
         {"files", t.files}};
  if (!t.prompt.empty()) j["prompt"] = t.prompt;
  if (t.answer) j["answer"] = *t.answer;
  if (t.request) Add(*t.request, j);
  if (t.plan_ms) j["plan_ms"] = *t.plan_ms;
  if (!t.advice.empty()) j["advice"] = t.advice;
  if (!t.backend) return j;  // nothing ran
  Json cases = Json::array();
  for (const TurnCase& c : t.cases) cases.push_back(ToJson(c));
  j.update({{"backend", NameOf(*t.backend)},
            {"cases", cases},
            {"codes", t.codes},
            {"judge_ms", t.judge_ms}});
  if (t.modelled_us > 0) j["modelled_us"] = t.modelled_us;
  if (t.provenance) j["provenance"] = ToJson(*t.provenance);
  return j;
}

namespace {
Turn TurnFromJson(const Json& j) {
  Turn t;
  Take(j, "task", t.task), Take(j, "sample", t.sample), Take(j, "turn", t.turn),
      Take(j, "prompt", t.prompt);
  if (j.contains("answer")) t.answer = j["answer"].get<std::string>();
  if (j.contains("finish") || j.contains("prompt_tokens")) t.request = RequestFromJson(j);
  Take(j, "model_ms", t.model_ms), Take(j, "judge_ms", t.judge_ms);
  if (j.contains("plan_ms")) t.plan_ms = j["plan_ms"].get<double>();
  Take(j, "verdict", t.verdict), Take(j, "reason", t.reason);
  t.sealed = Sealed(j);
  if (j.contains("backend"))
    t.backend = BackendFromName(j["backend"].get_ref<const std::string&>());
  Take(j, "feedback", t.feedback), Take(j, "advice", t.advice), Take(j, "files", t.files);
  if (const auto cases = j.find("cases"); cases != j.end())
    for (const Json& c : *cases) t.cases.push_back(TurnCaseFromJson(c));
  Take(j, "codes", t.codes), Take(j, "modelled_us", t.modelled_us);
  if (j.contains("provenance")) t.provenance = ProvenanceFromJson(j["provenance"]);
  return t;
}
SampleEnd SampleEndFromJson(const Json& j) {
  SampleEnd s;
  Take(j, "task", s.task), Take(j, "verdict", s.verdict), Take(j, "reason", s.reason),
      Take(j, "sample", s.sample);
  Take(j, "turns", s.turns), Take(j, "best_turn", s.best_turn),
      Take(j, "modelled_us", s.modelled_us);
  Take(j, "project", s.project), Take(j, "own_ms", s.own_ms);
  return s;
}
}  // namespace

bool IsJournalLine(const Json& line) { return line.is_object() && line.contains("kind"); }

JournalLine JournalLineFromJson(const Json& j) {
  const std::string kind = j.value("kind", "");
  if (kind == "turn") return TurnFromJson(j);
  if (kind == "sample") return SampleEndFromJson(j);
  if (kind == "run" && j.contains("config")) {
    RunHeader h;
    Take(j, "schema", h.schema), Take(j, "version", h.version), Take(j, "config", h.config);
    if (!h.config.is_object()) base::ThrowJsonShape("the settings of a run are an object");
    return h;
  }
  if (kind == "prompt") {
    PromptLine p;
    Take(j, "hash", p.hash), Take(j, "task", p.task);
    p.messages = MessagesFromJson(j.value("messages", Json::array()));
    return p;
  }
  if (kind == "trouble") {
    TroubleLine t;
    Take(j, "task", t.task), Take(j, "code", t.code), Take(j, "message", t.message);
    Take(j, "sample", t.sample), Take(j, "turn", t.turn);
    return t;
  }
  return {};
}

Standing StandingOf(std::string_view outcome, double modelled_us, size_t right) {
  return {Rank(outcome), right, modelled_us > 0 ? 1 / modelled_us : 0};
}
Standing StandingOf(const Turn& t) {
  const auto right = std::count_if(t.cases.begin(), t.cases.end(), [](const TurnCase& c) {
    return c.verdict == NameOf(Verdict::kPass);
  });
  return StandingOf(t.verdict, t.modelled_us, static_cast<size_t>(right));
}
size_t BestOf(const std::vector<Turn>& turns) {
  size_t best = 0;
  for (size_t i = 1; i < turns.size(); ++i)
    if (StandingOf(turns[i]) > StandingOf(turns[best])) best = i;
  return best;
}

Modelled SumOfCases(const Turn& turn) {
  Modelled sum;
  for (const TurnCase& c : turn.cases) {
    if (c.verdict == "skipped") continue;
    if (!c.modelled.known()) return {};
    sum = sum + c.modelled;
  }
  return sum;
}

}  // namespace akgen::record
