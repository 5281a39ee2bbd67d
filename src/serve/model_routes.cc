// /v1/models, /v1/chat/completions, /v1/completions: local models for clients of OpenAI's
// interface.
#include <chrono>

#include "serve/completions.h"
#include "serve/handlers.h"
#include "serve/mcp.h"
#include "serve/model_host.h"

namespace akgen::serve {
using base::Json;

namespace {
Json ModelCard(const std::string& name) {
  return {{"id", name}, {"object", "model"}, {"created", 0}, {"owned_by", "local"}};
}

int StatusOfModel(const std::string& code) {
  if (code == "AK0901") return 404;
  if (code == "AK1930" || code == "AK1931" || code == "AK1932" || code == "AK0902" ||
      code == "AK0014")
    return 400;
  return code == "AK0905" ? 499 : 503;
}

Response CompletionReply(const CompletionName& name, const Completion& asked,
                         const std::vector<generate::Answer>& answers) {
  if (!asked.stream) return JsonReply(CompletionJson(name, asked.chat, answers));
  Response r;
  r.type = "text/event-stream";
  r.headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
  r.stream = [events =
                  CompletionEvents(name, asked, answers)](const std::shared_ptr<Stream>& stream) {
    for (const std::string& event : events) stream->Write(event);
    stream->End();
  };
  return r;
}

void Complete(ModelHost& host, bool chat, const Request& request, const Reply& reply) {
  const Json body = base::Parse(request.body);
  if (body.is_discarded())
    return reply(CompletionError(400, {"AK0902", "the body is no JSON", "", ""}));
  auto asked = ReadCompletion(body, chat);
  if (!asked.ok()) return reply(CompletionError(400, asked.error()));
  // Whoever names none means the only one.
  const auto names = host.Names();
  const Json wanted = body.value("model", Json());
  const std::string model =
      wanted.is_string() && wanted != "" ? wanted.get<std::string>() : names.front();
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  CompletionName name{(chat ? "chatcmpl-" : "cmpl-") + Mcp::NewSession(), model,
                      std::chrono::duration_cast<std::chrono::seconds>(now).count()};
  auto requests = asked->requests;
  const bool taken = host.Ask(
      model, std::move(requests), request.presence,
      [reply, name, asked = std::move(*asked)](const ModelHost::Answers& answers) {
        reply(answers.ok() ? CompletionReply(name, asked, *answers)
                           : CompletionError(StatusOfModel(answers.error().code), answers.error()));
      });
  if (!taken)
    reply(CompletionError(429,
                          {"AK0903", "too many requests wait for a model", "", "ask again later"}));
}
}  // namespace

void AddModels(Router& router, ModelHost& host) {
  router.OnPlain("GET", "/v1/models", [&host](const Request&) {
    Json data = Json::array();
    for (const auto& name : host.Names()) data.push_back(ModelCard(name));
    return JsonReply({{"object", "list"}, {"data", data}});
  });
  router.OnPlain("GET", "/v1/models/{name}", [&host](const Request& request) {
    const std::string& name = request.Part("name");
    for (const auto& known : host.Names())
      if (known == name) return JsonReply(ModelCard(name));
    return CompletionError(404, {"AK0901", "there is no such model", name.substr(0, 100),
                                 "GET /v1/models lists them"});
  });
  for (const bool chat : {true, false})
    router.On("POST", chat ? "/v1/chat/completions" : "/v1/completions",
              [&host, chat](const Request& request, const Reply& reply) {
                Complete(host, chat, request, reply);
              });
}

}  // namespace akgen::serve
