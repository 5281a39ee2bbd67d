#include "serve/router.h"

#include <algorithm>

namespace akgen::serve {
using base::Error;
using base::Json;

bool Presence::gone() const {
  std::lock_guard lock(mutex_);
  return gone_;
}

void Presence::OnGone(std::function<void()> f) {
  {
    std::lock_guard lock(mutex_);
    if (!gone_) {
      then_.push_back(std::move(f));
      return;
    }
  }
  f();
}

void Presence::Leave() {
  std::vector<std::function<void()>> then;
  {
    std::lock_guard lock(mutex_);
    if (gone_) return;
    gone_ = true;
    then.swap(then_);
  }
  for (const auto& f : then) f();
}

void Presence::Forget() {
  std::vector<std::function<void()>> then;  // their captures end outside of the lock
  std::lock_guard lock(mutex_);
  then.swap(then_);
}

std::string Request::Header(const std::string& name) const {
  auto it = headers.find(name);
  return it == headers.end() ? "" : it->second;
}

Response JsonReply(const Json& body, int status) {
  Response r;
  r.status = status;
  r.body = base::Dump(body) + "\n";
  return r;
}

Response ErrorReply(int status, const Error& e, bool retryable) {
  return JsonReply({{"error",
                     {{"code", e.code},
                      {"message", e.message},
                      {"where", e.where},
                      {"fix", e.fix},
                      {"retryable", retryable}}}},
                   status);
}

Response EndingReply(const Answer& a) {
  int status = 500;
  switch (a.ending) {
    case Ending::kDone: status = 503; break;  // done, but nothing that this protocol may say
    case Ending::kInvalid: status = 422; break;
    case Ending::kConflict: status = 409; break;
    case Ending::kOverloaded: status = 429; break;
    case Ending::kExpired: status = 504; break;
    case Ending::kCancelled: status = 499; break;
    case Ending::kStopping: status = 503; break;
    case Ending::kFault: status = 500; break;
  }
  if (a.error && a.error->code == "AK0101") status = 404;
  Response r =
      ErrorReply(status, a.error.value_or(Error{"AK0516", a.reason, "", ""}), a.Retryable());
  if (a.Retryable() && (status == 429 || status == 503 || status == 504))
    r.headers.emplace_back("Retry-After", "1");
  return r;
}

namespace {
std::vector<std::string> PartsOf(std::string_view path) {
  std::vector<std::string> out;
  for (size_t at = 0; at <= path.size();) {
    size_t end = std::min(path.find('/', at), path.size());
    out.emplace_back(path.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

bool Matches(const std::vector<std::string>& route, const std::vector<std::string>& path,
             std::map<std::string, std::string>& params) {
  if (route.size() != path.size()) return false;
  for (size_t i = 0; i < route.size(); ++i) {
    const std::string& part = route[i];
    if (part.starts_with('{')) {
      if (path[i].empty()) return false;
      params[part.substr(1, part.size() - 2)] = path[i];
    } else if (part != path[i]) {
      return false;
    }
  }
  return true;
}
}  // namespace

void Router::On(const std::string& method, const std::string& path, Handler handler) {
  routes_.push_back({method, path, PartsOf(path), std::move(handler)});
}

void Router::OnPatient(const std::string& method, const std::string& path, Handler handler) {
  On(method, path, std::move(handler));
  routes_.back().patient = true;
}

bool Router::IsPatient(const std::string& method, const std::string& path) const {
  std::map<std::string, std::string> params;
  std::string allow;
  const Route* route = Find(method, path, &params, &allow);
  return route && route->patient;
}

void Router::OnPlain(const std::string& method, const std::string& path, Plain handler) {
  On(method, path, [handler = std::move(handler)](const Request& request, const Reply& reply) {
    reply(handler(request));
  });
}

void Router::OnSocket(const std::string& path, Open open) { sockets_[path] = std::move(open); }

const Router::Open* Router::SocketAt(const std::string& path) const {
  auto it = sockets_.find(path);
  return it == sockets_.end() ? nullptr : &it->second;
}

// Routes without {name} go first, whatever the order they came in.
const Router::Route* Router::Find(const std::string& method, const std::string& path,
                                  std::map<std::string, std::string>* params,
                                  std::string* allow) const {
  const std::vector<std::string> parts = PartsOf(path);
  const std::string wanted = method == "HEAD" ? "GET" : method;
  const Route* found = nullptr;
  size_t fewest = 0;
  for (const Route& r : routes_) {
    std::map<std::string, std::string> here;
    if (!Matches(r.parts, parts, here)) continue;
    if (r.method != wanted) {
      *allow += (allow->empty() ? "" : ", ") + r.method;
    } else if (!found || here.size() < fewest) {
      found = &r, fewest = here.size();
      *params = std::move(here);
    }
  }
  return found;
}

void Router::Handle(Request request, const Reply& reply) const {
  std::string allow;
  const Route* route = Find(request.method, request.path, &request.params, &allow);
  if (!route) {
    Response r =
        allow.empty()
            ? ErrorReply(404, {"AK0901", "there is nothing here", request.path,
                               "GET /openapi.json lists what there is"})
            : ErrorReply(405, {"AK0901", "the method is not one of " + allow, request.path, ""});
    if (!allow.empty()) r.headers.emplace_back("Allow", allow);
    return reply(std::move(r));
  }
  try {
    route->handler(request, reply);
  } catch (const Json::exception& e) {
    reply(ErrorReply(422, {"AK0014", std::string("unexpected content: ") + e.what(), request.path,
                           "GET /openapi.json says what is expected"}));
  } catch (const std::exception& e) {
    reply(ErrorReply(
        500,
        {"AK0904", std::string("the request could not be handled: ") + e.what(), request.path, ""},
        true));
  }
}

std::vector<std::pair<std::string, std::string>> Router::Routes() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const Route& r : routes_) out.emplace_back(r.method, r.path);
  std::sort(out.begin(), out.end());
  return out;
}

std::string Router::RouteOf(const std::string& method, const std::string& path) const {
  std::map<std::string, std::string> params;
  std::string allow;
  const Route* route = Find(method, path, &params, &allow);
  return route ? route->path : "none";
}

}  // namespace akgen::serve
