// GET /openapi.json: OpenAPI 3.1, made from the routes that there are and the schemas of docs/schema.
#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/version.h"
#include "serve/handlers.h"

namespace akgen::serve {
using base::Json;

namespace {
// The references of a schema that becomes a part of a larger document.
void Rebase(Json& schema, const std::string& to) {
  if (schema.is_object())
    for (auto& [name, value] : schema.items()) {
      if (name == "$ref" && value.is_string() && value.get_ref<const std::string&>().starts_with("#"))
        value = to + value.get<std::string>().substr(1);
      else Rebase(value, to);
    }
  else if (schema.is_array())
    for (Json& value : schema) Rebase(value, to);
}

// Schemas of records by the name of their file. Without the files anything goes.
Json RecordSchemas() {
  Json out = Json::object();
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator(base::HomeDir() / "docs/schema", ec)) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(".schema.json")) continue;
    const std::string name = file.substr(0, file.size() - std::string(".schema.json").size());
    auto text = base::ReadFile(entry.path());
    Json schema = text.ok() ? base::Parse(*text) : Json();
    if (!schema.is_object()) continue;
    Rebase(schema, "#/components/schemas/" + name);
    out[name] = std::move(schema);
  }
  if (!out.contains("judgement")) out["judgement"] = {{"type", "object"}};
  return out;
}

Json Typed(const char* type) { return {{"type", type}}; }
Json OneOf(std::initializer_list<const char*> words) {
  Json all = Json::array();
  for (const char* w : words) all.push_back(w);
  return {{"enum", all}};
}

Json SubmissionSchema() {
  return {{"type", "object"},
          {"required", Json::array({"task"})},
          {"additionalProperties", false},
          {"properties",
           {{"task", {{"type", "string"}, {"description", "a name of GET /v1/tasks"}}},
            {"files",
             {{"type", "object"},
              {"additionalProperties", Typed("string")},
              {"description", "path below the project to content"}}},
            {"text", {{"type", "string"}, {"description", "in place of files: an answer that code is taken out of"}}},
            {"form", OneOf({"project", "kernel", "program", "auto"})},
            {"cases", {{"type", "array"}, {"items", Typed("string")}}},
            {"chip", Typed("string")},
            {"precision", OneOf({"strict", "upstream"})},
            {"seed", {{"anyOf", Json::array({Json{{"type", "integer"}, {"minimum", 0}}, Json{{"const", "fresh"}}})}}},
            {"time", Typed("boolean")},
            {"timeline", Typed("boolean")},
            {"project", Typed("string")},
            {"priority", OneOf({"high", "normal", "low"})},
            {"deadline_ms", {{"type", "number"}, {"exclusiveMinimum", 0}}},
            {"cache", Typed("boolean")}}}};
}

Json AnswerSchema() {
  return {
      {"type", "object"},
      {"required", Json::array({"id", "verdict", "reason", "reward", "sealed", "cached", "queued_ms", "judged_ms",
                                "retryable", "feedback", "record"})},
      {"properties",
       {{"id", Typed("string")},
        {"verdict", {{"type", "string"}, {"description", "of the record; or `no_code`, `refused`"}}},
        {"reason", Typed("string")},
        {"reward", {{"type", Json::array({"number", "null"})}, {"description", "null: leave this sample out"}}},
        {"sealed", Typed("boolean")},
        {"cached", Typed("boolean")},
        {"queued_ms", Typed("number")},
        {"judged_ms", Typed("number")},
        {"retryable", Typed("boolean")},
        {"feedback", {{"type", "string"}, {"description", "what a model may read; no value that it is compared with"}}},
        {"record", {{"anyOf", Json::array({Json{{"$ref", "#/components/schemas/judgement"}}, Typed("null")})}}}}}};
}

Json ErrorSchema() {
  Json error{{"type", "object"},
             {"required", Json::array({"code", "message", "where", "fix", "retryable"})},
             {"properties", {{"retryable", Typed("boolean")}}}};
  for (const char* name : {"code", "message", "where", "fix"}) error["properties"][name] = Typed("string");
  return {{"type", "object"}, {"required", Json::array({"error"})}, {"properties", {{"error", error}}}};
}

Json Content(const char* schema) {
  return {{"application/json", {{"schema", {{"$ref", std::string("#/components/schemas/") + schema}}}}}};
}

Json Operation(const std::string& method, const std::string& path) {
  Json op{{"operationId", method + path},
          {"responses", {{"default", {{"description", "what went wrong"}, {"content", Content("Error")}}}}}};
  op["responses"]["200"] = {{"description", "done"}};
  for (size_t at = path.find('{'); at != std::string::npos; at = path.find('{', at + 1))
    op["parameters"].push_back({{"name", path.substr(at + 1, path.find('}', at) - at - 1)},
                                {"in", "path"},
                                {"required", true},
                                {"schema", Typed("string")}});
  if (method == "post" && (path == "/v1/judge" || path == "/v1/jobs"))
    op["requestBody"] = {{"required", true}, {"content", Content("Submission")}};
  if (path == "/v1/judge") op["responses"]["200"]["content"] = Content("Answer");
  return op;
}

Json Document(const Router& router) {
  Json paths = Json::object();
  for (auto [method, path] : router.Routes()) {
    std::transform(method.begin(), method.end(), method.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    paths[path][method] = Operation(method, path);
  }
  Json schemas = RecordSchemas();
  schemas["Submission"] = SubmissionSchema(), schemas["Answer"] = AnswerSchema(), schemas["Error"] = ErrorSchema();
  return {{"openapi", "3.1.0"},
          {"info", {{"title", "akgen"}, {"version", "1.0.0"}, {"summary", std::string("akgen ") + base::kVersion}}},
          {"paths", paths},
          {"components",
           {{"schemas", schemas}, {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}
}  // namespace

void AddOpenApi(Router& router) {
  auto text = std::make_shared<std::string>();
  router.OnPlain("GET", "/openapi.json", [&router, text](const Request&) {
    if (text->empty()) *text = base::Dump(Document(router), 1) + "\n";
    Response r;
    r.body = *text;
    return r;
  });
}

}  // namespace akgen::serve
