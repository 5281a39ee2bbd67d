// What the connections of a listener share, and its WebSockets. For listener.cc alone.
#pragma once
#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <condition_variable>
#include <deque>
#include <set>
#include <sstream>

#include "serve/connection_limits.h"
#include "serve/listener.h"

namespace akgen::serve {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using beast::error_code;

constexpr size_t kMaxHead = 32u << 10, kWatchBytes = 4096, kMaxUnread = 16u << 20;
constexpr std::chrono::seconds kLinger{2};

using Head = http::request_parser<http::string_body>;

inline Request RequestOf(http::request<http::string_body>& from, bool& good) {
  Request r;
  r.method = std::string(from.method_string());
  good = ParseTarget(std::string(from.target()), r.path, r.query);
  for (const auto& field : from) {
    std::string name(field.name_string());
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    r.headers[name] = std::string(field.value());
  }
  r.body = std::move(from.body());
  return r;
}

class Session;  // an HTTP connection, or a WebSocket

// What all connections share; all of it on the one thread, unless it says otherwise.
struct Shared {
  Shared(Listener::Options o, const Router& r, Metrics& m)
      : options(std::move(o)),
        router(r),
        metrics(m),
        limits({options.most_connections, options.most_silent, options.most_silent_of_one}) {}
  Listener::Options options;
  const Router& router;
  Metrics& metrics;
  std::set<Session*> sessions;
  ConnectionLimits limits;
  bool stopping = false;
  std::mutex mutex;  // of `open`
  std::condition_variable changed;
  size_t open = 0;
  // Last: what waits in it holds sessions. One thread runs it, yet it is not told so: with a hint
  // of one, what that thread posts itself waits in a queue of its own and is overtaken by what
  // another thread posts later, so the parts of a stream would come out of order.
  asio::io_context io;
};

// What a connection tells those that write to it from other threads. They never hold the connection
// itself: whoever lets go of it last destroys it, and that is the listener's thread.
struct Flow {
  std::atomic<size_t> unread{0};  // bytes on their way
  std::atomic<bool> closed{false};
  bool Takes() const { return !closed && unread <= kMaxUnread; }
};

class Session {
 public:
  explicit Session(Shared& shared) : shared_(shared) {
    shared_.sessions.insert(this);
    std::lock_guard lock(shared_.mutex);
    shared_.open = shared_.sessions.size();
  }
  virtual ~Session() {
    flow_->closed = true;
    shared_.limits.Leave(this);
    shared_.sessions.erase(this);
    std::lock_guard lock(shared_.mutex);
    shared_.open = shared_.sessions.size();
    shared_.changed.notify_all();
  }
  virtual void EndIfIdle() = 0;
  virtual void Drop() = 0;  // another one needs its place

 protected:
  Shared& shared_;
  const std::shared_ptr<Flow> flow_ = std::make_shared<Flow>();
};

// Replies once; and when a handler loses it without having replied, says so.
class Once {
 public:
  explicit Once(std::function<void(Response)> send) : send_(std::move(send)) {}
  ~Once() {
    if (!sent_.exchange(true))
      send_(ErrorReply(500, {"AK0904", "the request was lost", "", ""}, true));
  }
  void operator()(Response r) {
    if (!sent_.exchange(true)) send_(std::move(r));
  }

 private:
  std::function<void(Response)> send_;
  std::atomic<bool> sent_{false};
};

class WebSocket final : public Session, public std::enable_shared_from_this<WebSocket> {
 public:
  WebSocket(Shared& shared, tcp::socket socket) : Session(shared), stream_(std::move(socket)) {
    stream_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    stream_.read_message_max(shared.options.most_body);
    shared.limits.EnterKnown(this);
  }

  void Accept(const http::request<http::string_body>& head, const Router::Open& open,
              Request request) {
    presence_ = request.presence;
    stream_.async_accept(head, [self = shared_from_this(), open,
                                request = std::move(request)](error_code ec) mutable {
      if (ec) return;
      // The handler's side lives as long as the handler keeps it; the connection lives as long as
      // it is read.
      auto handle = std::make_shared<Handle>(self);
      self->handler_ = open(request, handle);
      self->Read();
    });
  }
  void EndIfIdle() override { Close(); }
  void Drop() override { Close(); }

 private:
  class Handle final : public Socket {
   public:
    explicit Handle(const std::shared_ptr<WebSocket>& socket)
        : socket_(socket), flow_(socket->flow_), io_(socket->shared_.io) {}
    bool Send(std::string text) override {
      if (!flow_->Takes()) return false;
      flow_->unread += text.size();
      asio::post(io_, [to = socket_, text = std::move(text)]() mutable {
        if (auto socket = to.lock()) socket->Queue(std::move(text));
      });
      return true;
    }
    void Close() override {
      if (flow_->closed) return;
      asio::post(io_, [to = socket_] {
        if (auto socket = to.lock()) socket->Close();
      });
    }

   private:
    std::weak_ptr<WebSocket> socket_;  // to be locked on the listener's thread
    std::shared_ptr<Flow> flow_;
    asio::io_context& io_;
  };

  void Read() {
    stream_.async_read(buffer_, [self = shared_from_this()](error_code ec, size_t) {
      if (ec) return self->Gone();
      const std::string text = beast::buffers_to_string(self->buffer_.data());
      self->buffer_.consume(self->buffer_.size());
      if (self->handler_.on_message) self->handler_.on_message(text);
      self->Read();
    });
  }
  void Queue(std::string text) {
    if (flow_->closed) return;
    out_.push_back(std::move(text));
    if (out_.size() == 1) Write();
  }
  void Write() {
    stream_.text(true);
    stream_.async_write(asio::buffer(out_.front()),
                        [self = shared_from_this()](error_code ec, size_t bytes) {
                          if (ec) return;  // the read ends as well
                          self->flow_->unread -= bytes;
                          self->out_.pop_front();
                          if (!self->out_.empty())
                            self->Write();
                          else if (self->close_)
                            self->Close();
                        });
  }
  void Close() {
    close_ = true;
    if (!out_.empty() || flow_->closed) return;  // what was said goes first
    flow_->closed = true;
    stream_.async_close(websocket::close_code::normal, [self = shared_from_this()](error_code) {});
  }
  void Gone() {
    flow_->closed = true;
    if (handler_.on_close) handler_.on_close();
    handler_ = {};
    presence_->Leave();
  }

  websocket::stream<tcp::socket> stream_;
  beast::flat_buffer buffer_;
  SocketHandler handler_;
  std::shared_ptr<Presence> presence_;
  std::deque<std::string> out_;
  bool close_ = false;
};

}  // namespace akgen::serve
