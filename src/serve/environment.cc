#include "serve/environment.h"

#include <algorithm>

#include "base/seed.h"
#include "generate/extract.h"
#include "serve/adapters.h"
#include "serve/schemas.h"
#include "task/describe.h"

namespace akgen::serve {
using base::Error;
using base::Json;
using base::Result;

namespace {
constexpr int kMaxTurns = 1000;
constexpr size_t kMaxEpisodeId = 255;

Error BadEpisode(const std::string& what, const std::string& member) {
  return {"AK0902", what, member,
          "GET /schema describes actions, docs/serve.md the options of reset"};
}
}  // namespace

Json ToJson(const SplitTask& t) {
  return {{"task", t.task}, {"level", t.level}, {"category", t.category}};
}

Json TaskSplits::List() const {
  Json out = Json::array();
  for (const TaskSplit& s : service_.Splits()) out.push_back({{"name", s.name}, {"type", s.type}});
  return out;
}

Result<std::vector<SplitTask>> TaskSplits::Of(const std::string& split) const {
  const auto& all = service_.Splits();
  auto it =
      std::find_if(all.begin(), all.end(), [&](const TaskSplit& s) { return s.name == split; });
  if (it == all.end())
    return Error{"AK0901", "there is no such split", split.substr(0, 100),
                 "GET /akgen/splits lists them"};
  std::vector<SplitTask> out;
  for (size_t i : it->tasks) {
    const task::TaskInfo& t = service_.Tasks()[i];
    out.push_back({t.name, t.level, t.category});
  }
  return out;
}

Result<EpisodeOptions> EpisodeOptionsFromJson(const Json& j) {
  EpisodeOptions o;
  for (const char* member : {"task", "problem_id"})
    if (j.contains(member) && !j[member].is_null()) o.task = j[member].get<std::string>();
  if (const Json seed = j.value("seed", Json()); !seed.is_null()) {
    if (!seed.is_number_integer() || (!seed.is_number_unsigned() && seed < 0))
      return BadEpisode("a seed is 0 or more", "seed");
    o.seed = seed.get<uint64_t>();
  }
  if (j.contains("index"))
    o.split = j.value("split", o.split), o.index = j["index"].get<uint64_t>();
  o.max_turns = j.value("max_turns", o.max_turns);
  if (o.max_turns < 1 || o.max_turns > kMaxTurns)
    return BadEpisode("max_turns makes no sense", "max_turns");
  if (j.contains("episode_id") && j["episode_id"].is_string())
    o.id = j["episode_id"].get<std::string>();
  if (o.id.size() > kMaxEpisodeId) return BadEpisode("the id is too long", "episode_id");
  return o;
}

Result<KernelAction> KernelActionFromJson(const Json& j) {
  if (!j.is_object() || !j.contains("code") || !j["code"].is_string())
    return BadEpisode("an action is {\"code\": TEXT}", "code");
  for (const auto& [name, value] : j.items())
    if (name != "code" && name != "metadata")
      return BadEpisode("an action has no such member", name.substr(0, 100));
  return KernelAction{j["code"].get<std::string>()};
}

Result<Json> Episode::Reset(const Json& options) {
  const auto& all = service_->Tasks();
  if (all.empty()) return Error{"AK0101", "there are no tasks", "", ""};
  auto asked = EpisodeOptionsFromJson(options);
  if (!asked.ok()) return asked.error();
  std::string name = asked->task;
  if (asked->index) {
    const auto split = TaskSplits(*service_).Of(asked->split);
    if (!split.ok()) return split.error();
    if (*asked->index >= split->size()) return BadEpisode("Invalid task index", "index");
    name = (*split)[*asked->index].task;
  }
  const uint64_t number = asked->seed ? base::DerivedSeed(*asked->seed, 0) : base::DrawSeed();
  if (name.empty()) name = all[number % all.size()].name;
  auto task = service_->Task(name);
  if (!task.ok()) return task.error();
  *this = Episode(*service_, std::move(asked->id), *task, asked->max_turns);
  return Observation();
}

Episode::Episode(const Service& service, std::string id, const task::TaskSpec& task, int turns)
    : service_(&service),
      episode_id_(std::move(id)),
      task_(task.name),
      description_(task::Describe(task)),
      reference_(task.reference),
      max_turns_(turns) {}

Json Episode::Observation() const {
  return {{"task", task_},
          {"problem_id", task_},
          {"problem_description", description_},
          {"reference_code", reference_},
          {"gpu_info", std::string(chip::kDefaultChip) + ", simulated"},
          {"turn", turn_},
          {"max_turns", max_turns_},
          {"feedback", ""},
          {"compilation_success", false},
          {"correctness_pass", nullptr},
          {"answer_format", generate::AnswerFormat()},
          {"metadata", episode_id_.empty() ? Json::object() : Json{{"episode_id", episode_id_}}}};
}

Result<Submission> Episode::Begin(const Json& action, const Caller& caller) {
  if (task_.empty()) return BadEpisode("there is no episode", "reset comes first");
  if (done_) return BadEpisode("the episode is over", "reset begins the next one");
  auto asked = KernelActionFromJson(action);
  if (!asked.ok()) return asked.error();
  return TextSubmission(task_, std::move(asked->code), caller);
}

Episode::Outcome Episode::End(const Answer& a) {
  ++turn_;
  const double reward = *a.Reward();
  Outcome o;
  o.reward = std::max(0.0, reward - best_);
  best_ = std::max(best_, reward);
  solved_ = solved_ || Correct(a);
  done_ = o.done = solved_ || turn_ >= max_turns_;
  o.observation = Observation();
  o.observation["verdict"] = a.outcome;
  o.observation["feedback"] = FeedbackOf(a);
  o.observation["compilation_success"] = Compiled(a);
  o.observation["compilation_error"] = Compiled(a) ? Json() : Json(FeedbackOf(a));
  o.observation["correctness_pass"] = Compiled(a) ? Json(Correct(a)) : Json();
  o.observation["metadata"] = {{"verdict", a.outcome},
                               {"reward", reward},
                               {"reward_version", record::kRewardVersion},
                               {"best_reward", best_},
                               {"cached", a.cached},
                               {"queued_ms", a.queued_ms},
                               {"judged_ms", a.judged_ms},
                               {"episode_id", episode_id_.empty() ? Json() : Json(episode_id_)}};
  return o;
}

Json Episode::State() const {
  return {{"episode_id", episode_id_.empty() ? Json() : Json(episode_id_)},
          {"step_count", turn_},
          {"problem_id", task_.empty() ? Json() : Json(task_)},
          {"turn", turn_},
          {"max_turns", max_turns_},
          {"best_reward", best_},
          {"best_speedup", 0.0},
          {"solved", solved_}};
}

Json Episode::Schemas() {
  const Json action{{"type", "object"},
                    {"title", "KernelAction"},
                    {"properties",
                     {{"code", Typed("string",
                                     "The kernel: Ascend C, or a program of the kernel language; "
                                     "fences and prose around it are fine")}}},
                    {"required", Json::array({"code"})},
                    {"additionalProperties", false}};
  Json seen = Json::object();
  for (const char* name : {"task", "problem_id", "problem_description", "answer_format",
                           "reference_code", "gpu_info", "feedback", "verdict"})
    seen[name] = {{"type", "string"}};
  for (const char* name : {"turn", "max_turns"}) seen[name] = {{"type", "integer"}};
  seen["compilation_success"] = {{"type", "boolean"}};
  seen["correctness_pass"] = {{"type", Json::array({"boolean", "null"})}};
  seen["compilation_error"] = {{"type", Json::array({"string", "null"})}};
  seen["metadata"] = {{"type", "object"}};
  Json state = {{"episode_id", {{"type", Json::array({"string", "null"})}}},
                {"step_count", {{"type", "integer"}}},
                {"solved", {{"type", "boolean"}}},
                {"best_reward", {{"type", "number"}}}};
  return {
      {"action", action},
      {"observation", {{"type", "object"}, {"title", "KernelObservation"}, {"properties", seen}}},
      {"state", {{"type", "object"}, {"title", "KernelState"}, {"properties", state}}}};
}

}  // namespace akgen::serve
