// The port: HTTP/1.1 and WebSocket, one thread for all connections. Handlers run on it and must be
// quick; what takes time replies later, from any thread.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "serve/access.h"
#include "serve/metrics.h"
#include "serve/router.h"

namespace akgen::serve {

class Listener {
 public:
  struct Options {
    std::string address = "127.0.0.1";
    int port = 0;  // 0: any that is free
    AccessRules access;
    size_t most_body = 8u << 20;  // bytes of a request's body, and of a message of a WebSocket
    size_t most_connections =
        1024;                   // that have asked; further ones are told 503, but at IsOpenPath()
    size_t most_silent = 2048;  // that have not asked yet, the newest ones
    size_t most_silent_of_one = 1024;            // of one address
    std::chrono::seconds head{15};               // until a request's head is there
    std::chrono::seconds body{60};               // and its body
    std::chrono::seconds idle{75};               // between requests
    std::chrono::seconds write{60};              // for a reply that the other side does not read
    std::chrono::milliseconds blank{4000};       // between the blanks of Router::OnPatient
    std::function<void(const base::Json&)> log;  // one event each
  };
  // AK0906: the address cannot be listened on. `router` and `metrics` outlive it.
  static base::Result<std::unique_ptr<Listener>> Open(Options options, const Router& router,
                                                      Metrics& metrics);
  virtual ~Listener() = default;  // ends all connections
  virtual int port() const = 0;
  // No further connections or requests; returns when those under way are answered, at the latest
  // after `grace`. From then on no handler is called, and replies go nowhere.
  virtual void Stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace akgen::serve
