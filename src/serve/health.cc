// What /healthz, /readyz and /metrics say.
#include "base/version.h"
#include "serve/handlers.h"

namespace akgen::serve {
using base::Json;

void AddHealth(Router& router, Service& service, Metrics& metrics) {
  router.OnPlain("GET", "/healthz", [](const Request&) {
    return JsonReply({{"status", "ok"}, {"version", base::kVersion}});
  });
  router.OnPlain("GET", "/readyz", [&service](const Request&) {
    const bool ready = service.Ready();
    return JsonReply({{"status", ready ? "ready" : "not ready"}}, ready ? 200 : 503);
  });
  router.OnPlain("GET", "/metrics", [&metrics](const Request&) {
    Response r;
    r.body = metrics.Text();
    r.type = "text/plain; version=0.0.4; charset=utf-8";
    return r;
  });
}

}  // namespace akgen::serve
