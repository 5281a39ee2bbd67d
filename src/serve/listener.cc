#include "serve/listener.h"

#include <fmt/core.h>
#include <sys/resource.h>

#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <condition_variable>
#include <deque>
#include <set>
#include <sstream>
#include <thread>

#include "serve/sessions.h"

namespace akgen::serve {
namespace {
constexpr size_t kMaxRequestId = 128;

// What a client calls its request is said in the reply, as long as it cannot be anything else than
// a name.
bool IsRequestId(const std::string& id) {
  return !id.empty() && id.size() <= kMaxRequestId &&
         std::all_of(id.begin(), id.end(),
                     [](unsigned char c) { return std::isgraph(c) && c < 0x80; });
}

// One chunk of a body whose length is not said.
std::string ChunkOf(std::string_view text) {
  return fmt::format("{:x}\r\n{}\r\n", text.size(), text);
}

// How a reply goes out: whether another request may follow on the connection, whether its body is
// in parts, and whether it comes without a length.
struct Framing {
  bool keep = true, chunked = true, open = false;
};
std::string HeadOf(const Response& r, const Request& of, const Framing& f) {
  http::response<http::empty_body> head{static_cast<http::status>(r.status), 11};
  head.set(http::field::server, "akgen");
  if (!r.type.empty()) head.set(http::field::content_type, r.type);
  for (const auto& [name, value] : r.headers) head.set(name, value);
  if (const std::string id = of.Header("x-request-id"); IsRequestId(id))
    head.set("X-Request-Id", id);
  head.keep_alive(f.keep);
  if (f.open && f.chunked) head.chunked(true);
  if (!f.open && r.status != 204 && r.status != 304) head.content_length(r.body.size());
  std::ostringstream text;
  text << head.base();
  return text.str();
}

// A request that was answered, as an event of the log.
base::Json LogEvent(const Request& of, const std::string& address, const std::string& route,
                    const Response& r, std::chrono::steady_clock::time_point began) {
  const double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
  return {{"event", "request"},
          {"method", of.method.substr(0, 16)},
          {"route", route},
          {"status", r.status},
          {"principal", of.caller.principal.empty() ? address : of.caller.principal},
          {"client", of.caller.name},
          {"bytes_in", of.body.size()},
          {"bytes_out", r.body.size()},
          {"ms", ms}};
}

// Drops a session that takes too long.
class Deadline {
 public:
  explicit Deadline(asio::io_context& io) : timer_(io) {}
  void Set(std::chrono::seconds from_now, std::shared_ptr<Session> session) {
    timer_.expires_after(from_now);
    timer_.async_wait([session = std::move(session)](error_code ec) {
      if (!ec) session->Drop();
    });
  }
  // No deadline: it only keeps the session.
  void Hold(std::shared_ptr<Session> session) {
    timer_.expires_at(std::chrono::steady_clock::time_point::max());
    timer_.async_wait([session = std::move(session)](error_code) {});
  }
  void Cancel() { timer_.cancel(); }

 private:
  asio::steady_timer timer_;
};

class Connection final : public Session, public std::enable_shared_from_this<Connection> {
 public:
  Connection(Shared& shared, tcp::socket socket, std::string address)
      : Session(shared),
        socket_(std::move(socket)),
        deadline_(shared.io),
        blanks_(shared.io),
        address_(std::move(address)) {}

  void Start() {
    for (Session* other : shared_.limits.Enter(this, address_)) other->Drop();
    ReadHead(shared_.options.head);
  }
  void EndIfIdle() override {
    if (idle_) Drop();
  }
  void Drop() override {
    flow_->closed = true;
    deadline_.Cancel(), blanks_.cancel();
    error_code ignored;
    socket_.close(ignored);
    if (presence_) presence_->Leave();
  }

 private:
  class Parts final : public Stream, public std::enable_shared_from_this<Parts> {
   public:
    Parts(const std::shared_ptr<Connection>& c, bool chunked)
        : connection_(c), flow_(c->flow_), io_(c->shared_.io), chunked_(chunked) {}
    bool Write(std::string_view part) override {
      if (part.empty()) return true;
      return Push(chunked_ ? ChunkOf(part) : std::string(part), false);
    }
    void End() override { Push(chunked_ ? "0\r\n\r\n" : "", true); }

   private:
    bool Push(std::string text, bool last) {
      if (!flow_->Takes()) return false;
      flow_->unread += text.size();
      asio::post(io_, [to = connection_, text = std::move(text), last]() mutable {
        if (auto c = to.lock()) c->Queue(std::move(text), last);
      });
      return true;
    }
    std::weak_ptr<Connection> connection_;  // to be locked on the listener's thread
    std::shared_ptr<Flow> flow_;
    asio::io_context& io_;
    bool chunked_;
  };

  void ReadHead(std::chrono::seconds time) {
    if (shared_.stopping) return Drop();
    request_ = Request();
    parser_.emplace();
    parser_->header_limit(kMaxHead);
    parser_->body_limit(shared_.options.most_body);
    idle_ = buffer_.size() == 0;
    deadline_.Set(time, shared_from_this());
    http::async_read_header(socket_, buffer_, *parser_,
                            [self = shared_from_this()](error_code ec, size_t) {
                              self->idle_ = false;
                              self->OnHead(ec);
                            });
  }
  void OnHead(error_code ec) {
    if (ec == http::error::end_of_stream || ec == asio::error::operation_aborted ||
        ec == asio::error::connection_reset)
      return Drop();
    began_ = std::chrono::steady_clock::now();
    if (ec) return Bad(ec);
    bool good = true;
    request_ = RequestOf(parser_->get(), good);
    keep_ = parser_->get().keep_alive();
    if (!good) return Bad(http::error::bad_target);
    if (!Admitted()) return;
    if (auto refused = CheckAccess(shared_.options.access, address_, request_)) {
      keep_ = keep_ && parser_->is_done();  // what follows is not read
      return Send(*refused);
    }
    if (websocket::is_upgrade(parser_->get()))
      if (const Router::Open* open = shared_.router.SocketAt(request_.path)) return Upgrade(*open);
    if (parser_->get()[http::field::expect] == "100-continue") return Continue();
    ReadBody();
  }
  // False: there are too many, and this one was told so. Health is always said.
  bool Admitted() {
    const auto admission = shared_.limits.Ask(this);
    if (admission.close) admission.close->Drop();
    if (admission.admitted) return true;
    keep_ = false;
    if (IsOpenPath(request_.path)) return true;
    Response full =
        ErrorReply(503, {"AK0903", "there are too many connections", "", "ask again later"}, true);
    full.headers.emplace_back("Retry-After", "1");
    Send(full);
    return false;
  }
  void Upgrade(const Router::Open& open) {
    deadline_.Cancel();
    shared_.metrics.Count("akgen_http_requests_total",
                          {{"route", request_.path}, {"status", "101"}});
    auto socket = std::make_shared<WebSocket>(shared_, std::move(socket_));
    socket->Accept(parser_->get(), open, std::move(request_));
  }
  void Continue() {
    static const std::string kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(socket_, asio::buffer(kContinue),
                      [self = shared_from_this()](error_code ec, size_t) {
                        if (ec)
                          self->Drop();
                        else
                          self->ReadBody();
                      });
  }
  void ReadBody() {
    deadline_.Set(shared_.options.body, shared_from_this());
    http::async_read(
        socket_, buffer_, *parser_, [self = shared_from_this()](error_code ec, size_t) {
          if (ec == http::error::partial_message || ec == asio::error::operation_aborted ||
              ec == asio::error::connection_reset)
            return self->Drop();
          if (ec) return self->Bad(ec);
          self->Dispatch();
        });
  }
  void Bad(error_code ec) {
    keep_ = false;
    int status = 400;
    if (ec == http::error::body_limit) status = 413;
    if (ec == http::error::header_limit) status = 431;
    Send(ErrorReply(status, {"AK0902", "the request is malformed: " + ec.message(), "",
                             "is it HTTP/1.1, and within the limits?"}));
  }

  void Dispatch() {
    deadline_.Cancel();
    request_.body = std::move(parser_->get().body());
    presence_ = request_.presence;
    auto once = std::make_shared<Once>([self = shared_from_this()](Response r) mutable {
      auto& io = self->shared_.io;
      asio::post(io, [self = std::move(self), r = std::move(r)] { self->Send(r); });
    });
    Watch();
    if (parser_->get().version() >= 11 && shared_.router.IsPatient(request_.method, request_.path))
      AwaitReply();
    shared_.router.Handle(request_, [once](Response r) { (*once)(std::move(r)); });
  }
  void AwaitReply() {
    blanks_.expires_after(shared_.options.blank);
    blanks_.async_wait([self = shared_from_this()](error_code ec) {
      if (ec || !self->socket_.is_open()) return;
      if (!std::exchange(self->begun_, true))
        self->Queue(HeadOf(Response(), self->request_, {self->keep_, self->Chunked(), true}),
                    false);
      self->Queue(ChunkOf("\n"), false);
      self->AwaitReply();
    });
  }
  // The other side has nothing to say now; if it does, it left, or sent its next request early.
  void Watch() {
    if (watching_ || buffer_.size() > 0) return;
    watching_ = true;
    socket_.async_read_some(buffer_.prepare(kWatchBytes),
                            [self = shared_from_this()](error_code ec, size_t bytes) {
                              self->watching_ = false;
                              if (ec) return self->Drop();
                              self->buffer_.commit(bytes);
                              if (!std::exchange(self->next_, false)) return;
                              if (self->discard_)
                                self->Discard();
                              else
                                self->ReadHead(self->shared_.options.head);
                            });
  }

  bool Chunked() const { return parser_ ? parser_->get().version() >= 11 : true; }
  void Send(const Response& r) {
    if (!socket_.is_open()) return;
    blanks_.cancel();
    const std::string route = shared_.router.RouteOf(request_.method, request_.path);
    shared_.metrics.Count("akgen_http_requests_total",
                          {{"route", route}, {"status", std::to_string(r.status)}});
    if (shared_.options.log) shared_.options.log(LogEvent(request_, address_, route, r, began_));
    if (std::exchange(begun_, false)) {  // blanks have been sent
      keep_ = keep_ && !shared_.stopping;
      return Queue(ChunkOf(r.body) + "0\r\n\r\n", true);
    }
    keep_ = keep_ && !shared_.stopping && r.status != 499 && (!r.stream || Chunked());
    const bool body = request_.method != "HEAD", stream = body && r.stream;
    const Framing framing{keep_, Chunked(), static_cast<bool>(r.stream)};
    Queue(HeadOf(r, request_, framing) + (body && !r.stream ? r.body : ""), !stream);
    if (stream) r.stream(std::make_shared<Parts>(shared_from_this(), Chunked()));
  }
  void Queue(std::string text, bool last) {
    if (!socket_.is_open()) return;
    out_.push_back(std::move(text));
    last_ = last_ || last;
    if (out_.size() == 1) Write();
  }
  void Write() {
    deadline_.Set(shared_.options.write, shared_from_this());
    asio::async_write(socket_, asio::buffer(out_.front()),
                      [self = shared_from_this()](error_code ec, size_t bytes) {
                        if (ec) return self->Drop();
                        self->deadline_.Cancel();
                        self->flow_->unread -= std::min<size_t>(bytes, self->flow_->unread);
                        self->out_.pop_front();
                        if (!self->out_.empty()) return self->Write();
                        if (self->last_)
                          self->Next();
                        else if (!self->watching_)
                          self->deadline_.Hold(self);  // whoever writes the parts does not
                      });
  }
  void Next() {
    if (presence_) presence_->Forget();
    presence_.reset();
    last_ = false;
    if (!keep_ || shared_.stopping) return Linger();
    shared_.limits.Rest(this);
    next_ = idle_ = watching_;
    // What it waits for is the next request.
    if (watching_) return deadline_.Set(shared_.options.idle, shared_from_this());
    ReadHead(shared_.options.idle);
  }
  // What is still on its way would reset the connection, and the reply with it.
  void Linger() {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    deadline_.Set(kLinger, shared_from_this());
    if (watching_)
      next_ = discard_ = true;
    else
      Discard();
  }
  void Discard() {
    buffer_.consume(buffer_.size());
    socket_.async_read_some(buffer_.prepare(64u << 10),
                            [self = shared_from_this()](error_code ec, size_t) {
                              if (ec)
                                self->Drop();
                              else
                                self->Discard();
                            });
  }

  tcp::socket socket_;
  Deadline deadline_;
  asio::steady_timer blanks_;
  std::string address_;
  beast::flat_buffer buffer_;
  std::optional<Head> parser_;
  Request request_;
  std::shared_ptr<Presence> presence_;
  std::deque<std::string> out_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  bool keep_ = true, idle_ = false, watching_ = false, next_ = false, last_ = false,
       discard_ = false;
  bool begun_ = false;  // of a reply: its head and blanks
};

class BeastListener final : public Listener {
 public:
  BeastListener(Options options, const Router& router, Metrics& metrics)
      : shared_(std::move(options), router, metrics), acceptor_(shared_.io), pause_(shared_.io) {}
  ~BeastListener() override { Stop(std::chrono::milliseconds(0)); }

  base::Status Bind() {
    const auto& o = shared_.options;
    error_code ec;
    const auto address =
        asio::ip::make_address(o.address == "localhost" ? "127.0.0.1" : o.address, ec);
    tcp::endpoint place(address, static_cast<uint16_t>(o.port));
    if (!ec) acceptor_.open(place.protocol(), ec);
    if (!ec) acceptor_.set_option(asio::socket_base::reuse_address(true), ec);
    if (!ec) acceptor_.bind(place, ec);
    if (!ec) acceptor_.listen(1024, ec);
    if (ec)
      return base::Error{"AK0906", "cannot listen: " + ec.message(),
                         o.address + ":" + std::to_string(o.port),
                         "name an address of this machine and a port that is free"};
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
      files.rlim_cur = files.rlim_max;
      ::setrlimit(RLIMIT_NOFILE, &files);
    }
    port_ = acceptor_.local_endpoint().port();
    Accept();
    thread_ = std::thread([this] { shared_.io.run(); });
    return {};
  }
  int port() const override { return port_; }

  void Stop(std::chrono::milliseconds grace) override {
    asio::post(shared_.io, [this] {
      shared_.stopping = true;
      error_code ignored;
      acceptor_.close(ignored);
      const auto sessions = shared_.sessions;
      for (Session* s : sessions) s->EndIfIdle();
    });
    {
      std::unique_lock lock(shared_.mutex);
      shared_.changed.wait_for(lock, grace, [this] { return shared_.open == 0; });
    }
    shared_.io.stop();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void Accept() {
    acceptor_.async_accept([this](error_code ec, tcp::socket socket) {
      if (shared_.stopping || ec == asio::error::operation_aborted) return;
      if (Session* silent =
              ec ? shared_.limits.OldestSilent() : nullptr) {  // no descriptors left, mostly
        silent->Drop();
        return Accept();
      }
      if (ec) {
        pause_.expires_after(std::chrono::milliseconds(100));
        return pause_.async_wait([this](error_code) { Accept(); });
      }
      error_code gone;
      const auto from = socket.remote_endpoint(gone);
      if (!gone) {
        socket.set_option(tcp::no_delay(true), gone);
        std::make_shared<Connection>(shared_, std::move(socket), from.address().to_string())
            ->Start();
      }
      Accept();
    });
  }

  Shared shared_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  int port_ = 0;
  std::thread thread_;
};
}  // namespace

base::Result<std::unique_ptr<Listener>> Listener::Open(Options options, const Router& router,
                                                       Metrics& metrics) {
  metrics.Counter("akgen_http_requests_total", "Requests answered, by route and status");
  auto listener = std::make_unique<BeastListener>(std::move(options), router, metrics);
  if (auto bound = listener->Bind(); !bound.ok()) return bound.error();
  return std::unique_ptr<Listener>(std::move(listener));
}

}  // namespace akgen::serve
