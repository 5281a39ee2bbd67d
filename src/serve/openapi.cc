// GET /openapi.json: OpenAPI 3.1, made from the routes that there are and the schemas of
// docs/schema.
#include <algorithm>

#include "base/version.h"
#include "serve/handlers.h"
#include "serve/schemas.h"

namespace akgen::serve {
using base::Json;

namespace {
// The references of a schema that becomes a part of a larger document.
void Rebase(Json& schema, const std::string& to) {
  if (schema.is_object())
    for (auto& [name, value] : schema.items()) {
      if (name == "$ref" && value.is_string() &&
          value.get_ref<const std::string&>().starts_with("#"))
        value = to + value.get<std::string>().substr(1);
      else
        Rebase(value, to);
    }
  else if (schema.is_array())
    for (Json& value : schema) Rebase(value, to);
}

Json ErrorSchema() {
  Json error{{"type", "object"},
             {"required", Json::array({"code", "message", "where", "fix", "retryable"})},
             {"properties", {{"retryable", Typed("boolean")}}}};
  for (const char* name : {"code", "message", "where", "fix"})
    error["properties"][name] = Typed("string");
  return {
      {"type", "object"}, {"required", Json::array({"error"})}, {"properties", {{"error", error}}}};
}

Json Content(const char* schema) {
  return {{"application/json",
           {{"schema", {{"$ref", std::string("#/components/schemas/") + schema}}}}}};
}

Json Operation(const std::string& method, const std::string& path) {
  Json op{{"operationId", method + path},
          {"responses",
           {{"default", {{"description", "what went wrong"}, {"content", Content("Error")}}}}}};
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
  for (auto& [name, schema] : schemas.items()) Rebase(schema, "#/components/schemas/" + name);
  schemas["Submission"] = SubmissionSchema(), schemas["Answer"] = AnswerSchema(),
  schemas["Error"] = ErrorSchema();
  return {{"openapi", "3.1.0"},
          {"info",
           {{"title", "akgen"},
            {"version", "1.0.0"},
            {"summary", std::string("akgen ") + base::kVersion}}},
          {"paths", paths},
          {"components",
           {{"schemas", schemas},
            {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
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
