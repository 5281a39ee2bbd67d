// Requests and replies as handlers see them, without sockets: a table from method and path to
// handler. The listener (listener.h) is one source of requests; tests are another.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "serve/service.h"

namespace akgen::serve {

// Whether the other side of a request is still there. Any thread.
class Presence {
 public:
  bool gone() const;
  // Calls `f` once when the other side leaves before its reply is complete; at once when it has
  // left already.
  void OnGone(std::function<void()> f);
  void Leave();   // for the listener: it left
  void Forget();  // for the listener: the reply is complete, nobody needs to know any more

 private:
  mutable std::mutex mutex_;
  bool gone_ = false;
  std::vector<std::function<void()>> then_;
};

struct Request {
  std::string method, path;                    // path without the query, percent-decoded
  std::map<std::string, std::string> query;    // decoded
  std::map<std::string, std::string> headers;  // names in lower case
  std::map<std::string, std::string> params;   // what stood for {name} in the route
  std::string body;
  Caller caller;
  std::shared_ptr<Presence> presence = std::make_shared<Presence>();
  std::string Header(const std::string& lower_case_name) const;  // "" when it is not there
  // What stood for {name}; the route must have one.
  const std::string& Part(const std::string& name) const { return params.at(name); }
};

// A reply that is sent in parts as they come. Any thread; nothing blocks.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual bool Write(
      std::string_view part) = 0;  // false: the other side has left, or does not read
  virtual void End() = 0;
};

struct Response {
  int status = 200;
  std::string body;
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;  // further ones
  // When set, the body is what this writes after the head was sent.
  std::function<void(std::shared_ptr<Stream>)> stream;
};
Response JsonReply(const base::Json& body, int status = 200);
// {"error": {"code", "message", "where", "fix", "retryable"}}
Response ErrorReply(int status, const base::Error& error, bool retryable = false);
// Status and body for an answer without a record: 422, 409, 429, 504, 499, 503, 500, with
// Retry-After where that helps.
Response EndingReply(const Answer& answer);

// Called once, by any thread. What comes later is lost.
using Reply = std::function<void(Response)>;

// One open WebSocket. Any thread; nothing blocks. Pings are answered by the listener.
class Socket {
 public:
  virtual ~Socket() = default;
  virtual bool Send(std::string text) = 0;  // false: closed, or the other side does not read
  virtual void Close() = 0;
};
struct SocketHandler {
  // One text message. The next one is read when this returns.
  std::function<void(const std::string&)> on_message;
  std::function<void()> on_close;  // once
};

class Router {
 public:
  using Handler = std::function<void(const Request&, Reply)>;
  // Answers at once; must be quick, as it keeps the listener's thread.
  using Plain = std::function<Response(const Request&)>;
  using Open = std::function<SocketHandler(const Request&, std::shared_ptr<Socket>)>;

  // `path` may hold {name} for one part of it. GET answers HEAD as well.
  void On(const std::string& method, const std::string& path, Handler handler);
  void OnPlain(const std::string& method, const std::string& path, Plain handler);
  // For clients that give up when nothing arrives for a while, however long their work has to wait:
  // the listener sends blanks, which JSON may begin with, until there is a reply. Status 200 is
  // sent with the first of them: what the reply's own status says, its body must say too.
  void OnPatient(const std::string& method, const std::string& path, Handler handler);
  bool IsPatient(const std::string& method, const std::string& path) const;
  void OnSocket(const std::string& path, Open open);
  // Fills in request.params. 404, or 405 with Allow, when there is no handler; 500 when it throws.
  void Handle(Request request, const Reply& reply) const;
  // nullptr: no socket there.
  const Open* SocketAt(const std::string& path) const;
  // Method and path of every handler, in order, as OpenAPI lists them.
  std::vector<std::pair<std::string, std::string>> Routes() const;
  // The route that takes this request, for metrics: never what a client made up.
  std::string RouteOf(const std::string& method, const std::string& path) const;

 private:
  struct Route {
    std::string method, path;
    std::vector<std::string> parts;
    Handler handler;
    bool patient = false;
  };
  const Route* Find(const std::string& method, const std::string& path,
                    std::map<std::string, std::string>* params, std::string* allow) const;
  std::vector<Route> routes_;
  std::map<std::string, Open> sockets_;
};

}  // namespace akgen::serve
