#include "serve/schemas.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"

namespace akgen::serve {
using base::Error;
using base::Json;
using base::Status;

namespace {
Error NotAllowed(const std::string& where, const std::string& why) {
  return {"AK0902", "an argument is not what it should be: " + why, where.substr(0, 200),
          "the schema describes them"};
}

bool HasType(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == "null" && value.is_null();
}

std::string WordsOfEnum(const Json& words) {
  std::string out;
  for (const Json& w : words)
    out += (out.empty() ? "" : ", ") + (w.is_string() ? w.get<std::string>() : base::Dump(w));
  return out;
}

Status CheckMembers(const Json& schema, const Json& value, const std::string& where) {
  const std::string at = where.empty() ? "" : where + ".";
  for (const Json& name : schema.value("required", Json::array()))
    if (!value.contains(name.get<std::string>()))
      return NotAllowed(at + name.get<std::string>(), "it is required, and missing");
  const Json properties = schema.value("properties", Json::object());
  const Json further = schema.value("additionalProperties", Json(true));
  for (const auto& [name, member] : value.items()) {
    const Json* allowed = properties.contains(name) ? &properties[name]
                          : further.is_object()     ? &further
                                                    : nullptr;
    if (!allowed && further == false)
      return NotAllowed(
          at + name, "there is no such argument; there are " + [&] {
            Json names = Json::array();
            for (const auto& [known, unused] : properties.items()) names.push_back(known);
            return WordsOfEnum(names);
          }());
    if (!allowed) continue;
    if (auto checked = CheckBySchema(*allowed, member, at + name); !checked.ok()) return checked;
  }
  return {};
}
}  // namespace

Status CheckBySchema(const Json& schema, const Json& value, const std::string& where) {
  if (const auto type = schema.find("type"); type != schema.end() && type->is_string())
    if (!HasType(value, *type)) return NotAllowed(where, "its type is " + type->get<std::string>());
  if (const auto words = schema.find("enum"); words != schema.end())
    if (std::find(words->begin(), words->end(), value) == words->end())
      return NotAllowed(where, "it is one of " + WordsOfEnum(*words));
  if (value.is_number()) {
    if (schema.contains("minimum") && value < schema["minimum"])
      return NotAllowed(where, "it is at least " + base::Dump(schema["minimum"]));
    if (schema.contains("maximum") && value > schema["maximum"])
      return NotAllowed(where, "it is at most " + base::Dump(schema["maximum"]));
  }
  if (value.is_string() &&
      value.get_ref<const std::string&>().size() > schema.value("maxLength", SIZE_MAX))
    return NotAllowed(where, "it is too long");
  if (value.is_array() && schema.contains("items"))
    for (size_t i = 0; i < value.size(); ++i)
      if (auto checked =
              CheckBySchema(schema["items"], value[i], where + "[" + std::to_string(i) + "]");
          !checked.ok())
        return checked;
  return value.is_object() ? CheckMembers(schema, value, where) : Status();
}

Json Typed(const char* type, const char* description) {
  Json out{{"type", type}};
  if (*description) out["description"] = description;
  return out;
}

Json OneOf(std::initializer_list<const char*> words) {
  Json all = Json::array();
  for (const char* w : words) all.push_back(w);
  return {{"enum", all}};
}

Json ListOf(Json items, const char* description) {
  Json out = Typed("array", description);
  out["items"] = std::move(items);
  return out;
}

Json ObjectOf(Json properties, Json required) {
  Json out = OpenObject(std::move(properties), std::move(required));
  out["additionalProperties"] = false;
  return out;
}

Json OpenObject(Json properties, Json required) {
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

Json PropertiesOf(const Json& schema) { return schema.at("properties"); }

Json PartOf(Json schema, std::initializer_list<const char*> without, const Json& with) {
  for (const char* name : without) {
    schema["properties"].erase(name);
    Json& required = schema["required"];
    for (size_t i = required.size(); i-- > 0;)
      if (required[i] == name) required.erase(i);
  }
  schema["properties"].update(with);
  return schema;
}

Json Between(int least, int most, const char* description) {
  return {{"type", "integer"}, {"minimum", least}, {"maximum", most}, {"description", description}};
}

Json WithMaxLength(Json schema, size_t bytes) {
  schema["maxLength"] = bytes;
  return schema;
}

Json RecordSchemas() {
  Json out = Json::object();
  std::error_code ec;
  for (const auto& entry :
       std::filesystem::directory_iterator(base::HomeDir() / "docs/schema", ec)) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(".schema.json")) continue;
    auto text = base::ReadFile(entry.path());
    Json schema = text.ok() ? base::Parse(*text) : Json();
    if (schema.is_object())
      out[file.substr(0, file.size() - std::string(".schema.json").size())] = std::move(schema);
  }
  if (!out.contains("judgement")) out["judgement"] = {{"type", "object"}};
  return out;
}

Json SubmissionSchema() {
  return {
      {"type", "object"},
      {"required", Json::array({"task"})},
      {"additionalProperties", false},
      {"properties",
       {{"task", Typed("string", "a name of GET /v1/tasks")},
        {"files",
         {{"type", "object"},
          {"additionalProperties", Typed("string")},
          {"description", "path below the project to content"}}},
        {"text", Typed("string", "in place of files: an answer that code is taken out of")},
        {"form", OneOf({"project", "kernel", "program", "auto"})},
        {"cases", ListOf(Typed("string"))},
        {"chip", Typed("string")},
        {"precision", OneOf({"strict", "upstream"})},
        {"inputs", OneOf({"wide", "upstream"})},
        {"seed",
         {{"anyOf",
           Json::array({Json{{"type", "integer"}, {"minimum", 0}}, Json{{"const", "fresh"}}})}}},
        {"hidden", Between(0, 64,
                           "hidden cases that a pass takes as well; default: the server's number, "
                           "0 with `cases`")},
        {"time", Typed("boolean",
                       "model the time; the reward of a pass grows with its share of the bound")},
        {"timeline", Typed("boolean")},
        {"profile", Typed("boolean", "what limits the kernel, and what changes would gain")},
        {"edits",
         Typed("boolean", "look for edits that make findings go away; several times as long")},
        {"project", Typed("string")},
        {"priority", OneOf({"high", "normal", "low"})},
        {"deadline_ms", {{"type", "number"}, {"exclusiveMinimum", 0}}},
        {"cache", Typed("boolean")}}}};
}

Json AnswerSchema() {
  return {
      {"type", "object"},
      {"required",
       Json::array({"id", "verdict", "reason", "reward", "reward_version", "sealed", "cached",
                    "queued_ms", "judged_ms", "retryable", "feedback", "record"})},
      {"properties",
       {{"id", Typed("string")},
        {"verdict", Typed("string", "of the record; or `no_code`, `refused`")},
        {"reason", Typed("string")},
        {"reward",
         {{"type", Json::array({"number", "null"})},
          {"description", "null: leave this sample out"}}},
        {"reward_version", Typed("integer", "of the table of rewards, docs/reward.md")},
        {"right_values",
         Typed("boolean", "every output of every case agrees with the reference, findings aside")},
        {"bound_share",
         {{"type", Json::array({"number", "null"})},
          {"description", "of the least time that the chip allows; null: not timed"}}},
        {"sealed", Typed("boolean")},
        {"cached", Typed("boolean")},
        {"queued_ms", Typed("number")},
        {"judged_ms", Typed("number")},
        {"retryable", Typed("boolean")},
        {"feedback", Typed("string", "what a model may read; no value that it is compared with")},
        {"profiles", ListOf(Typed("object"), "by case, where `profile` was asked for")},
        {"record",
         {{"anyOf",
           Json::array({Json{{"$ref", "#/components/schemas/judgement"}}, Typed("null")})}}}}}};
}

Json SummarySchema() {
  const Json of_records = RecordSchemas()["judgement"].value("$defs", Json::object());
  Json defs = Json::object();
  for (const char* name : {"merged_finding", "edit", "place", "diagnostic"})
    if (of_records.contains(name)) defs[name] = of_records[name];
  // A standalone kernel has findings, and no cases.
  if (defs.contains("merged_finding"))
    defs["merged_finding"]["properties"]["cases"].erase("minItems");
  auto refer = [&](const char* name) {
    return defs.contains(name) ? Json{{"$ref", std::string("#/$defs/") + name}} : Typed("object");
  };
  const Json ids = ListOf(Typed("string"));
  Json out{{"type", "object"},
           {"required",
            Json::array({"verdict", "reason", "reward", "retryable", "findings", "diagnostics"})},
           {"properties",
            {{"verdict",
              Typed("string", "pass, finding, wrong_answer, build_error, …; no_code, refused")},
             {"reason", Typed("string")},
             {"reward",
              {{"type", Json::array({"number", "null"})},
               {"description", "null: no judgement of the code"}}},
             {"reward_version", Typed("integer", "of the table of rewards, docs/reward.md")},
             {"retryable", Typed("boolean")},
             {"cached", Typed("boolean")},
             {"cases",
              {{"type", "object"},
               {"properties",
                {{"judged", Typed("integer")}, {"passed", Typed("integer")}, {"failed", ids}}}}},
             {"findings", ListOf(refer("merged_finding"),
                                 "rules of the hardware that the kernel breaks, with the lines, "
                                 "the fix, and edits where known")},
             {"diagnostics", ListOf(refer("diagnostic"), "of the builds")}}}};
  if (!defs.empty()) out["$defs"] = std::move(defs);
  return out;
}

}  // namespace akgen::serve
