#include "record/completion.h"

#include "base/error_json.h"

namespace akgen::record {
using base::Json;

Json ToJson(const CompletionRequest& r) {
  Json out{{"seeds", r.seeds}, {"temperature", r.temperature}, {"top_p", r.top_p}};
  if (r.messages.is_null())
    out["prompt"] = r.prompt;
  else
    out["messages"] = r.messages;
  for (const CompletionPrefix& p : r.prefixes)
    out["prefixes"].push_back(p.bytes ? Json{{"text", p.text}, {"bytes", p.bytes}} : Json());
  if (r.max_tokens > 0) out["max_tokens"] = r.max_tokens;
  if (!r.grammar.empty()) out["grammar"] = r.grammar;
  if (!r.stop.empty()) out["stop"] = r.stop;
  return out;
}

Json IdOfRequest(const Json& request) {
  return request.is_object() ? request.value("id", Json()) : Json();
}

Json ToJson(const CompletionReply& r) {
  if (r.error) return {{"error", base::ToJson(*r.error)}};
  Json choices = Json::array();
  for (const CompletionChoice& c : r.choices)
    choices.push_back(
        {{"text", c.text}, {"finish", c.finish}, {"tokens", c.tokens}, {"log_p", c.log_p}});
  Json out{{"choices", choices},
           {"prompt_tokens", r.prompt_tokens},
           {"tokens", r.tokens},
           {"read_s", r.read_s},
           {"write_s", r.write_s}};
  if (!r.id.is_null()) out["id"] = r.id;
  return out;
}

CompletionReply CompletionReplyFromJson(const Json& j) {
  CompletionReply r;
  if (j.contains("error")) {
    r.error = base::ErrorFromJson(j["error"], "AK0703");
    return r;
  }
  for (const Json& c : j.value("choices", Json::array()))
    r.choices.push_back({c.value("text", ""), c.value("finish", ""), c.value("tokens", int64_t{0}),
                         c.value("log_p", 0.0)});
  r.prompt_tokens = j.value("prompt_tokens", int64_t{0}), r.tokens = j.value("tokens", int64_t{0});
  r.read_s = j.value("read_s", 0.0), r.write_s = j.value("write_s", 0.0);
  return r;
}

Json ToJson(const LoadModelRequest& r) { return {{"load", r.folder}}; }

std::optional<LoadModelRequest> LoadModelRequestFromJson(const Json& message) {
  if (!message.is_object() || !message.contains("load")) return std::nullopt;
  return LoadModelRequest{message.value("load", "")};
}

std::string RewardedText::SourceId() const {
  return source.is_object() ? source.value("id", "") : "";
}

Json RolloutsToJson(const std::vector<RewardedText>& rollouts) {
  Json list = Json::array();
  for (const RewardedText& r : rollouts)
    list.push_back({{"source", r.source}, {"text", r.text}, {"finish", r.finish}});
  return {{"rollouts", list}};
}

std::optional<std::vector<RewardedText>> RolloutsFromJson(const Json& line) {
  if (!line.is_object() || !line.contains("rollouts")) return std::nullopt;
  std::vector<RewardedText> out;
  for (const Json& r : line["rollouts"])
    out.push_back({r.value("source", Json()), r.value("text", ""), r.value("finish", "")});
  return out;
}

Json RewardsToJson(const std::vector<std::optional<double>>& rewards) {
  Json list = Json::array();
  for (const std::optional<double>& r : rewards) list.push_back(r ? Json(*r) : Json());
  return {{"rewards", list}};
}

std::optional<std::vector<std::optional<double>>> RewardsFromJson(const Json& line) {
  if (!line.is_object() || !line.contains("rewards") || !line["rewards"].is_array())
    return std::nullopt;
  std::vector<std::optional<double>> out;
  for (const Json& r : line["rewards"])
    out.push_back(r.is_number() ? std::optional<double>(r.get<double>()) : std::nullopt);
  return out;
}

}  // namespace akgen::record
