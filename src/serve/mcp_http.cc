// POST /mcp, and the WebSocket /mcp of OpenEnv's clients. Replies are JSON; server-sent events
// where progress was asked for. Closing the connection cancels.
#include "serve/handlers.h"
#include "serve/mcp.h"

namespace akgen::serve {
using base::Json;

namespace {
constexpr int kHeaderMismatch = -32020, kNoJson = -32700, kNoVersion = -32602;

// The headers of a request of today repeat what its body says, so that a proxy need not read it.
std::optional<McpReply> CheckMcpHeaders(const Request& request, const Json& message) {
  auto differs = [&](const char* header, const Json& said) -> std::optional<McpReply> {
    const std::string given = request.Header(header);
    if (said.is_string() && given == said.get_ref<const std::string&>()) return std::nullopt;
    return Mcp::ErrorOf(message.value("id", Json()), kHeaderMismatch,
                        std::string("the header ") + header + " does not say what the body says",
                        400);
  };
  const Json& params = message["params"];
  if (auto d = differs("mcp-protocol-version",
                       params["_meta"]["io.modelcontextprotocol/protocolVersion"]))
    return d;
  if (auto d = differs("mcp-method", message.value("method", Json()))) return d;
  const Json method = message.value("method", Json());
  if (method == "tools/call" || method == "prompts/get")
    return differs("mcp-name", params.value("name", Json()));
  if (method == "resources/read") return differs("mcp-name", params.value("uri", Json()));
  return std::nullopt;
}

Response McpResponse(const McpReply& reply) {
  if (reply.message) return JsonReply(*reply.message, reply.status);
  Response r;
  r.status = reply.status, r.type = "";
  return r;
}

std::string EventOf(const Json& message) {
  return "event: message\ndata: " + base::Dump(message) + "\n\n";
}

bool WantsEvents(const Request& request, const Json& message) {
  if (request.Header("accept").find("text/event-stream") == std::string::npos ||
      !message.is_object())
    return false;
  const Json params = message.value("params", Json());
  const Json meta = params.is_object() ? params.value("_meta", Json()) : Json();
  return meta.is_object() && meta.contains("progressToken");
}

// The calls of one WebSocket, which end with it.
class SocketCalls {
 public:
  std::shared_ptr<Presence> Begin() {
    auto presence = std::make_shared<Presence>();
    std::lock_guard lock(mutex_);
    std::erase_if(calls_, [](const auto& call) { return call.expired(); });
    calls_.push_back(presence);
    return presence;
  }
  void LeaveAll() {
    std::vector<std::weak_ptr<Presence>> calls;
    {
      std::lock_guard lock(mutex_);
      calls.swap(calls_);
    }
    for (const auto& call : calls)
      if (auto presence = call.lock()) presence->Leave();
  }

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<Presence>> calls_;
};

// Ids of requests are unique within a session; without one they are the client's.
std::string ConnectionOf(const Request& request) {
  return request.caller.principal + "\n" + request.caller.name + "\n" +
         request.Header("mcp-session-id");
}

Response Streamed(const std::shared_ptr<Mcp>& mcp, const Json& message, McpExchange exchange) {
  Response r;
  r.type = "text/event-stream";
  r.headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
  r.stream = [mcp, message,
              exchange = std::move(exchange)](const std::shared_ptr<Stream>& stream) mutable {
    exchange.notify = [stream](const Json& note) { stream->Write(EventOf(note)); };
    exchange.reply = [stream](const McpReply& reply) {
      if (reply.message) stream->Write(EventOf(*reply.message));
      stream->End();
    };
    mcp->Hear(message, std::move(exchange));
  };
  return r;
}

void Post(const std::shared_ptr<Mcp>& mcp, const Request& request, const Reply& reply) {
  const Json message = base::Parse(request.body);
  if (message.is_discarded())
    return reply(
        McpResponse(Mcp::ErrorOf(nullptr, kNoJson, "the body is no JSON, or nests too deep", 400)));
  const bool modern = Mcp::IsModern(message);
  if (!modern && request.Header("mcp-protocol-version") == kMcpModern)
    return reply(McpResponse(
        Mcp::ErrorOf(nullptr, kNoVersion, "_meta does not say the version of the protocol", 400)));
  if (modern)
    if (auto wrong = CheckMcpHeaders(request, message)) return reply(McpResponse(*wrong));
  McpExchange exchange;
  exchange.caller = request.caller, exchange.presence = request.presence;
  if (!modern) exchange.connection = ConnectionOf(request);
  if (WantsEvents(request, message)) return reply(Streamed(mcp, message, std::move(exchange)));
  const bool begins = message.is_object() && message.value("method", Json()) == "initialize";
  exchange.reply = [reply, begins](const McpReply& r) {
    Response response = McpResponse(r);
    // Nothing is kept of a session: its name only keeps apart the requests of clients that count
    // alike.
    if (begins && r.message) response.headers.emplace_back("Mcp-Session-Id", Mcp::NewSession());
    reply(std::move(response));
  };
  mcp->Hear(message, std::move(exchange));
}

SocketHandler OpenMcpSocket(const std::shared_ptr<Mcp>& mcp, const Request& request,
                            const std::shared_ptr<Socket>& socket) {
  const std::string connection = "socket\n" + Mcp::NewSession();
  const Caller caller = request.caller;
  auto calls = std::make_shared<SocketCalls>();
  auto hear = [mcp, socket, connection, caller, calls](const std::string& text) {
    const Json message = base::Parse(text);
    auto say = [socket](const McpReply& r) {
      if (r.message) socket->Send(base::Dump(*r.message));
    };
    if (message.is_discarded())
      return say(Mcp::ErrorOf(nullptr, kNoJson, "the message is no JSON", 400));
    auto tell = [socket](const Json& note) { socket->Send(base::Dump(note)); };
    mcp->Hear(message, {caller, connection, calls->Begin(), tell, say});
  };
  return {hear, [calls] { calls->LeaveAll(); }};
}
}  // namespace

void AddMcp(Router& router, Service& service) {
  auto mcp = std::make_shared<Mcp>(service, false);
  router.On("POST", "/mcp",
            [mcp](const Request& request, const Reply& reply) { Post(mcp, request, reply); });
  router.OnSocket("/mcp", [mcp](const Request& request, const std::shared_ptr<Socket>& socket) {
    return OpenMcpSocket(mcp, request, socket);
  });
}

}  // namespace akgen::serve
