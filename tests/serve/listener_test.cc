// The port by itself, with handlers that answer from threads of their own.
#include "serve/listener.h"

#include <gtest/gtest.h>

#include <boost/asio.hpp>
#include <functional>
#include <future>
#include <thread>

using namespace akgen::serve;
using boost::asio::ip::tcp;

namespace {
// A client that writes what it is told, reads until the other side closes or it has so many bytes,
// and leaves.
std::string Ask(int port, const std::string& text, size_t bytes = SIZE_MAX) {
  boost::asio::io_context io;
  tcp::socket socket(io);
  socket.connect({boost::asio::ip::address_v4::loopback(), static_cast<uint16_t>(port)});
  boost::asio::write(socket, boost::asio::buffer(text));
  std::string got;
  boost::system::error_code ec;
  boost::asio::read(socket, boost::asio::dynamic_buffer(got, bytes), ec);
  return got;
}

// A listener with a route /stream that a thread of its own writes, and a plain one, /next.
struct Streams {
  explicit Streams(std::function<void(Stream&)> write) {
    router.On("GET", "/stream", [this, write](const Request&, const Reply& reply) {
      Response r;
      r.type = "text/plain";
      r.stream = [this, write](std::shared_ptr<Stream> stream) {
        writers.push_back(std::async(std::launch::async,
                                     [stream = std::move(stream), write] { write(*stream); }));
      };
      reply(std::move(r));
    });
    router.OnPlain("GET", "/next", [](const Request&) {
      return Response{.body = "the next one", .type = "text/plain"};
    });
    listener = std::move(*Listener::Open({}, router, metrics));
  }
  Router router;
  Metrics metrics;
  std::unique_ptr<Listener> listener;
  std::vector<std::future<void>>
      writers;  // the listener's thread adds to them; they end before it does
};

constexpr char kHost[] = " HTTP/1.1\r\nHost: localhost\r\n";
}  // namespace

// A connection belongs to the listener's thread, its end too, while parts of a stream come from
// another one until the client leaves. What this looks for is seen by ThreadSanitizer.
TEST(Listener, ClientsLeaveWhileOtherThreadsWrite) {
  Streams served([](Stream& stream) {
    while (stream.Write("a part")) std::this_thread::yield();
  });
  std::vector<std::future<void>> clients;
  for (int c = 0; c < 4; ++c)
    clients.push_back(std::async(std::launch::async, [&] {
      for (int i = 0; i < 40; ++i) {
        const auto got =
            Ask(served.listener->port(), std::string("GET /stream") + kHost + "\r\n", 200);
        EXPECT_NE(got.find("a part"), std::string::npos);
      }
    }));
  for (auto& c : clients) c.get();
  served.listener->Stop(std::chrono::seconds(5));
  EXPECT_EQ(served.writers.size(), 160u);  // each of them was told, or this would not end
}

// Nothing is read while a stream is written, so nothing that waits for the other side holds the
// connection.
TEST(Listener, TheNextRequestMayComeBeforeAStreamIsWritten) {
  Streams served([](Stream& stream) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stream.Write("all ");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stream.Write("of it");
    stream.End();
  });
  const std::string first = std::string("GET /stream") + kHost + "\r\n";
  const std::string next = std::string("GET /next") + kHost + "Connection: close\r\n\r\n";
  const auto got = Ask(served.listener->port(), first + next);
  EXPECT_NE(got.find("4\r\nall \r\n5\r\nof it\r\n0\r\n\r\n"), std::string::npos) << got;
  EXPECT_NE(got.find("the next one"), std::string::npos) << got;
}

// The first part is written on the listener's thread, the next by another one before the handler
// returns.
TEST(Listener, PartsKeepTheirOrderWhoeverWritesThem) {
  Router router;
  router.On("GET", "/stream", [](const Request&, const Reply& reply) {
    Response r;
    r.stream = [](const std::shared_ptr<Stream>& stream) {
      stream->Write("first");
      std::async(std::launch::async, [&] { stream->Write("second"), stream->End(); }).get();
    };
    reply(std::move(r));
  });
  Metrics metrics;
  const auto listener = std::move(*Listener::Open({}, router, metrics));
  const auto got =
      Ask(listener->port(), std::string("GET /stream") + kHost + "Connection: close\r\n\r\n");
  EXPECT_NE(got.find("5\r\nfirst\r\n6\r\nsecond\r\n0\r\n"), std::string::npos) << got;
}

// What a client calls its request comes back, unless it is longer than 128 characters or no plain
// name.
TEST(Listener, ARequestKeepsItsId) {
  Streams served([](Stream& stream) { stream.End(); });
  const struct {
    std::string id;
    bool kept;
  } rows[] = {{"r-1", true}, {std::string(128, 'a'), true}, {std::string(129, 'a'), false},
              {"!~", true},  {"two words", false},          {"caf\xc3\xa9", false},
              {"", false}};
  for (const auto& row : rows) {
    const auto got =
        Ask(served.listener->port(), std::string("GET /next") + kHost + "X-Request-Id: " + row.id +
                                         "\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(got.find("X-Request-Id: " + row.id + "\r\n") != std::string::npos, row.kept)
        << row.id << "\n"
        << got;
    EXPECT_NE(got.find("the next one"), std::string::npos) << got;
  }
}

// Whether another request may follow is said in the reply, and so it is.
TEST(Listener, TheReplySaysWhetherTheConnectionStays) {
  Streams served([](Stream& stream) { stream.End(); });
  const auto got = [&](const std::string& head) { return Ask(served.listener->port(), head); };
  const auto times = [](const std::string& text, const std::string& what) {
    int n = 0;
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
    return n;
  };
  const std::string next = std::string("GET /next") + kHost;
  for (const std::string path : {"/next", "/stream"}) {
    const std::string closed =
        got("GET " + path + kHost + "Connection: close\r\n\r\n" + next + "\r\n");
    EXPECT_EQ(times(closed, "Connection: close\r\n"), 1) << closed;
    EXPECT_EQ(times(closed, "HTTP/1.1 200"), 1) << closed;
    const std::string kept =
        got("GET " + path + kHost + "\r\n" + next + "Connection: close\r\n\r\n");
    EXPECT_EQ(times(kept, "HTTP/1.1 200"), 2) << kept;
    EXPECT_GT(kept.find("Connection: close"), kept.rfind("HTTP/1.1 200")) << kept;
  }
  const std::string old = got("GET /next HTTP/1.0\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(times(old, "Connection: close\r\n"), 1) << old;
}
