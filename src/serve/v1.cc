// The server's own protocol. Everything that it can do can be asked for here.
#include "serve/adapters.h"
#include "serve/handlers.h"
#include "serve/submission.h"

namespace akgen::serve {
using base::Json;

namespace {
void Judge(Service& service, const Request& request, const Reply& reply) {
  auto submission = ReadSubmission(request);
  if (!submission.ok()) return reply(ErrorReply(422, submission.error()));
  const std::string id =
      service.Submit(std::move(*submission), [reply](const Answer& a) { reply(ReplyOf(a)); });
  request.presence->OnGone([&service, id] { service.Cancel(id); });
}

Response ListTasks(const Service& service) {
  Json tasks = Json::array();
  for (const auto& t : service.Tasks()) tasks.push_back(ToJson(t));
  return JsonReply({{"tasks", tasks}});
}

Response ShowTask(const Service& service, const std::string& name) {
  auto task = service.Task(name);
  if (!task.ok()) return ErrorReply(404, task.error());
  return JsonReply(ToJson(*task));
}
}  // namespace

void AddV1(Router& router, Service& service) {
  router.On("POST", "/v1/judge", [&service](const Request& request, const Reply& reply) {
    Judge(service, request, reply);
  });
  router.OnPlain("GET", "/v1/tasks", [&service](const Request&) { return ListTasks(service); });
  router.OnPlain("GET", "/v1/tasks/{name}", [&service](const Request& request) {
    return ShowTask(service, request.Part("name"));
  });
}

}  // namespace akgen::serve
