// The Model Context Protocol without its transports: JSON-RPC messages in, replies out. Both eras:
// 2026-07-28, where every request says its version in `_meta` and nothing is remembered, and the
// earlier ones that begin with `initialize`. What has neither is answered like the earlier ones:
// OpenEnv's clients speak so.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "serve/tools.h"

namespace akgen::serve {

inline constexpr const char* kMcpModern = "2026-07-28";

// A reply to one message, with the status that it has over HTTP. Nothing is replied to a
// notification.
struct McpReply {
  std::optional<base::Json> message;
  int status = 200;
};

// Of one message. Any thread may call `reply` (once) and, before that, `notify`.
struct McpExchange {
  Caller caller;
  std::string connection;  // ids of requests are unique within it; empty: cannot be cancelled
  std::shared_ptr<Presence> presence;             // of who asks
  std::function<void(const base::Json&)> notify;  // a notification; empty: progress is not told
  std::function<void(McpReply)> reply;
};

class Mcp {
 public:
  Mcp(Service& service, bool local);
  void Hear(const base::Json& message, McpExchange exchange);
  static bool IsModern(const base::Json& message);  // says its version in `_meta`
  static std::string NewSession();                  // a name that nobody else has
  // Of an error that a transport finds; `id` null: unknown.
  static McpReply ErrorOf(const base::Json& id, int code, const std::string& message, int status,
                          base::Json data = nullptr);

 private:
  struct Asked;
  void Answer(const std::shared_ptr<Asked>& asked);
  void CallTool(const std::shared_ptr<Asked>& asked);
  void Cancelled(const base::Json& params, const std::string& connection);
  base::Json ToolList(bool modern) const;
  bool Read(const std::shared_ptr<Asked>& asked);
  void ReadText(Asked& asked);  // both throw base::Json::exception
  void ReadPrompt(Asked& asked);

  Service& service_;
  std::vector<Tool> tools_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Presence>> under_way_;  // by connection and id
};

}  // namespace akgen::serve
