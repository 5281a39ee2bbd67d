// An endpoint as the client sees it: what is sent, what is asked again and when, what an error
// says, what is kept. The server is a thread of this process.
#include "generate/endpoint.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <thread>

#include "base/files.h"
#include "generate/together.h"
#include "replies.h"

namespace akgen::generate {
namespace {
using base::Json;
using Clock = std::chrono::steady_clock;

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Canned {
  int status = 200;
  std::string body, headers = "";
};

// Gives the replies of a list, one to a connection, the last one for ever.
class Server {
 public:
  explicit Server(std::vector<Canned> replies) : replies_(std::move(replies)) {
    fd_ = base::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in a{};
    a.sin_family = AF_INET, a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&a), sizeof a), 0);
    EXPECT_EQ(::listen(fd_.get(), 16), 0);
    socklen_t bytes = sizeof a;
    ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&a), &bytes);
    url = "http://127.0.0.1:" + std::to_string(ntohs(a.sin_port)) + "/v1";
    thread_ = std::thread([this] { Serve(); });
  }
  ~Server() {
    ::shutdown(fd_.get(), SHUT_RDWR);
    thread_.join();
  }
  std::string url;
  std::vector<std::string> asked;  // heads and bodies; read it when no request is under way

 private:
  void Serve() {
    for (;;) {
      base::Fd c(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!c.valid()) return;
      std::string text;
      char part[4096];
      size_t head, length = 0;
      while ((head = text.find("\r\n\r\n")) == std::string::npos ||
             text.size() < head + 4 + length) {
        const ssize_t n = ::recv(c.get(), part, sizeof part, 0);
        if (n <= 0) break;
        text.append(part, size_t(n));
        if (const size_t at = text.find("Content-Length: "); at != std::string::npos)
          length = size_t(std::atol(text.c_str() + at + 16));
      }
      asked.push_back(text);
      const Canned& r = replies_[std::min(asked.size(), replies_.size()) - 1];
      const std::string out = "HTTP/1.1 " + std::to_string(r.status) + " x\r\n" + r.headers +
                              "Content-Length: " + std::to_string(r.body.size()) +
                              "\r\nConnection: close\r\n\r\n" + r.body;
      (void)!::send(c.get(), out.data(), out.size(), MSG_NOSIGNAL);
    }
  }
  std::vector<Canned> replies_;
  base::Fd fd_;
  std::thread thread_;
};

Canned Right(const std::string& text = "x") {
  return {200, Json{{"choices", {{{"message", {{"content", text}}}, {"finish_reason", "stop"}}}},
                    {"usage", {{"prompt_tokens", 4}, {"completion_tokens", 2}}}}
                   .dump()};
}

class EndpointTest : public ::testing::Test {
 protected:
  EndpointTest() : dir_(std::move(base::TempDir::Create().value())) {
    if (const char* cache = std::getenv("AKGEN_CACHE")) cache_before_ = cache;
    ::setenv("AKGEN_CACHE", dir_.path().c_str(), 1);
    ::setenv("no_proxy", "127.0.0.1", 1);
    ::unsetenv("OPENAI_API_KEY");
    ::setenv("AKGEN_API_KEY", "secret", 1);
    s_.stream = false, s_.retries = 2, s_.backoff_s = 0.001, s_.cache = false;
    s_.transcript = dir_.path() / "t.jsonl";
  }
  ~EndpointTest() override {
    ::unsetenv("AKGEN_API_KEY");
    if (cache_before_.empty())
      ::unsetenv("AKGEN_CACHE");
    else
      ::setenv("AKGEN_CACHE", cache_before_.c_str(), 1);
  }
  base::Result<std::vector<Answer>> Ask(const Server& server, uint64_t seed = 1) {
    s_.url = server.url;
    return Endpoint(s_, stop_).Ask({{{"user", "hi"}}, 1, seed, {{"task", "T"}}});
  }
  std::vector<Json> Transcript() const {
    std::vector<Json> out;
    std::istringstream in(*base::ReadFile(s_.transcript));
    for (std::string line; std::getline(in, line);) out.push_back(base::Parse(line));
    return out;
  }
  base::TempDir dir_;
  std::string cache_before_;
  ModelSettings s_;
  const std::atomic<bool>* stop_ = nullptr;
};

TEST_F(EndpointTest, StatusesThatAreAskedAgainAndThoseThatAreNot) {
  for (const auto& [status, times] : std::vector<std::pair<int, size_t>>{
           {400, 1}, {401, 1}, {403, 1}, {404, 1}, {407, 1}, {408, 3}, {409, 3},
           {410, 1}, {424, 1}, {425, 3}, {426, 1}, {428, 1}, {429, 3}, {430, 1},
           {499, 1}, {500, 3}, {503, 3}, {599, 3}, {302, 1}, {201, 1}}) {
    Server server({{status, "no: secret of it"}});
    const auto got = Ask(server);
    ASSERT_FALSE(got.ok()) << status;
    EXPECT_EQ(server.asked.size(), times) << status;
    EXPECT_EQ(got.error().code, "AK0702");
    EXPECT_EQ(got.error().message, "status " + std::to_string(status) + ": no: (key) of it");
    EXPECT_EQ(got.error().where, server.url + "/chat/completions");
    EXPECT_EQ(got.error().fix, status == 401 || status == 403
                                   ? "put a valid key into $AKGEN_API_KEY"
                                   : "see what the endpoint asks for");
  }
}

TEST_F(EndpointTest, WhereNobodyAnswersItIsAskedAgain) {
  s_.url = "http://127.0.0.1:1/v1";
  ASSERT_FALSE(Endpoint(s_, nullptr).Ask({{{"user", "hi"}}, 1, 1, {}}).ok());
  const auto lines = Transcript();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["trouble"].size(), 3u) << lines[0];
}

TEST_F(EndpointTest, AReplyThatIsNoneIsAskedAgainAndNamed) {
  for (const auto& [body, said] : std::vector<std::pair<std::string, std::string>>{
           {"{}", "the reply holds no choices"},
           {"", "the reply is empty"},
           {"<html>", "the reply is not JSON"},
           {R"({"error": "secret"})", "the endpoint reports: (key)"}}) {
    Server server({{200, body}});
    const auto got = Ask(server);
    ASSERT_FALSE(got.ok()) << body;
    EXPECT_EQ(Said(got.error()), "AK0703|" + said + "|" + server.url +
                                     "/chat/completions|see that the address is an "
                                     "OpenAI-compatible endpoint, with /v1 at its end");
    EXPECT_EQ(server.asked.size(), 3u);
  }
  s_.url = "http://127.0.0.1:1/v1", s_.retries = 0;
  const auto none = Endpoint(s_, nullptr).Ask({{{"user", "hi"}}, 1, 1, {}});
  EXPECT_EQ(none.error().message.substr(0, 11), "no answer: ");
  EXPECT_EQ(none.error().where, "http://127.0.0.1:1/v1/chat/completions");
  EXPECT_EQ(none.error().fix, "see that the endpoint runs and can be reached");
}

TEST_F(EndpointTest, ErrorsAreClipped) {
  s_.retries = 0;
  for (size_t bytes : {4095, 4096, 4097, 20000}) {
    Server server({{400, std::string(bytes, 'e')}});
    EXPECT_EQ(Ask(server).error().message.size(), 12 + std::min<size_t>(bytes, 4096)) << bytes;
  }
}

TEST_F(EndpointTest, TheKeyOfTheEnvironmentAndWhereItIsTakenOut) {
  ::setenv("OPENAI_API_KEY", "other", 1);
  const auto said = [&](const char* key) {
    ::setenv("AKGEN_API_KEY", key, 1);
    Server server({Right("<think>abc abcd other</think>abc abcd other")});
    const auto got = Ask(server);
    const std::string& head = server.asked.at(0);
    const size_t at = head.find("Authorization: ");
    EXPECT_EQ(got->at(0).text, got->at(0).reasoning);
    return (at == std::string::npos ? "" : head.substr(at, head.find("\r\n", at) - at)) + " | " +
           got->at(0).text;
  };
  EXPECT_EQ(said("abcd"), "Authorization: Bearer abcd | abc (key) other");
  EXPECT_EQ(said("abc"), "Authorization: Bearer abc | abc abcd other") << "too short to tell";
  EXPECT_EQ(said(""), "Authorization: Bearer other | abc abcd (key)");
  ::unsetenv("OPENAI_API_KEY");
  EXPECT_EQ(said(""), " | abc abcd other");
}

TEST_F(EndpointTest, WaitsAreDoubledUpToALimitAndAreWrittenDown) {
  s_.retries = 4, s_.backoff_s = 0.002, s_.backoff_most_s = 0.005;
  Server server({{500, "a"}, {500, "b"}, {429, "c", "Retry-After: 0.02\r\n"}, {500, "d"}, Right()});
  const auto got = Ask(server);
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->at(0).attempts, 5);
  EXPECT_FALSE(got->at(0).cached);
  EXPECT_GE(got->at(0).ms, 31);
  EXPECT_EQ(got->at(0).text + got->at(0).finish, "xstop");
  EXPECT_EQ(got->at(0).prompt_tokens, 4);
  EXPECT_EQ(got->at(0).completion_tokens, 2);
  Server refusing({{500, "a"}});
  s_.retries = 1;
  EXPECT_FALSE(Ask(refusing).ok());
  const auto lines = Transcript();
  ASSERT_EQ(lines.size(), 2u);
  const auto trouble = [](const char* message, double wait) {
    return Json{{"code", "AK0702"}, {"message", message}, {"wait_s", wait}};
  };
  EXPECT_EQ(lines[0]["trouble"],
            Json::array({trouble("status 500: a", 0.002), trouble("status 500: b", 0.004),
                         trouble("status 429: c", 0.02), trouble("status 500: d", 0.005)}));
  EXPECT_EQ(lines[0]["ms"].get<double>(), got->at(0).ms);
  EXPECT_EQ(lines[0]["cached"], false);
  EXPECT_EQ(lines[0]["seed"], 1);
  EXPECT_EQ(lines[0]["tags"], Json({{"task", "T"}}));
  EXPECT_EQ(lines[0]["messages"], Json::array({{{"role", "user"}, {"content", "hi"}}}));
  EXPECT_EQ(lines[0]["answers"][0]["text"], "x");
  EXPECT_EQ(lines[1]["trouble"],
            Json::array({trouble("status 500: a", 0.002), trouble("status 500: a", 0)}));
  EXPECT_EQ(lines[1]["answers"], Json::array());
  EXPECT_FALSE(lines[1].contains("ms") || lines[1].contains("cached"));
}

TEST_F(EndpointTest, AServerThatAsksForTooMuchIsGivenUp) {
  Server server({{429, "later", "Retry-After: 3601\r\n"}});
  EXPECT_EQ(Ask(server).error().message, "status 429: later");
  EXPECT_EQ(server.asked.size(), 1u);
}

// Whatever is waited for: a wait is looked into many times a second.
TEST_F(EndpointTest, WaitsEndWhenTheRunIsStopped) {
  const std::string stopped = "AK0709|stopped||the same command goes on";
  std::atomic<bool> stop{false};
  stop_ = &stop;
  Server server({{429, "later", "Retry-After: 30\r\n"}});
  auto start = Clock::now();
  std::thread stopping([&] { ::usleep(100000), stop = true; });
  EXPECT_EQ(Said(Ask(server).error()), stopped);
  stopping.join();
  EXPECT_LT(Since(start), 20);
  EXPECT_EQ(server.asked.size(), 1u);

  stop = false;
  Server right({Right()});
  s_.url = right.url, s_.requests_per_minute = 2;
  Endpoint slow(s_, &stop);
  ASSERT_TRUE(slow.Ask({{{"user", "hi"}}, 1, 1, {}}).ok());
  start = Clock::now();
  std::thread again([&] { ::usleep(100000), stop = true; });
  EXPECT_EQ(Said(slow.Ask({{{"user", "hi"}}, 1, 2, {}}).error()), stopped);
  again.join();
  EXPECT_LT(Since(start), 20);
  EXPECT_EQ(right.asked.size(), 1u);
}

TEST_F(EndpointTest, AnAnswerIsKeptForTheSameRequestAlone) {
  s_.cache = true;
  Server server({Right("one"), Right("two"), Right("three"), {500, "none left"}});
  EXPECT_FALSE(Ask(server, 1)->at(0).cached);
  const auto same = Ask(server, 1);
  EXPECT_TRUE(same->at(0).cached);
  EXPECT_EQ(same->at(0).text, "one");
  EXPECT_EQ(same->at(0).prompt_tokens, 4);
  EXPECT_EQ(same->at(0).completion_tokens, 2);
  EXPECT_EQ(same->at(0).attempts, 0);
  EXPECT_EQ(server.asked.size(), 1u);
  EXPECT_EQ(Ask(server, 2)->at(0).text, "two");
  size_t kept = 0;
  for (const auto& e : std::filesystem::recursive_directory_iterator(dir_.path() / "answers"))
    if (e.is_regular_file()) {
      ++kept;
      EXPECT_EQ(e.path().parent_path().filename(), e.path().stem().string().substr(0, 2));
      EXPECT_EQ(e.path().extension(), ".json");
    }
  EXPECT_EQ(kept, 2u);
  s_.max_answer_bytes = 4;
  EXPECT_EQ(Ask(server, 1)->at(0).text, "thre");
  s_.cache = false;
  EXPECT_FALSE(Ask(server, 1).ok()) << "not looked for";
}

TEST_F(EndpointTest, WhatIsSpentIsCounted) {
  Server server({Right()});
  s_.url = server.url, s_.most_tokens = 13;
  Endpoint e(s_, nullptr);
  const auto ask = [&] { return e.Ask({{{"user", "hi"}}, 1, 1, {}}); };
  EXPECT_TRUE(ask().ok() && ask().ok());
  e.Spent(1, 0);
  EXPECT_EQ(Said(ask().error()),
            "AK0704|the budget is spent: 13 of 13 tokens||raise --max-total-tokens and start the "
            "same command again");
  EXPECT_EQ(server.asked.size(), 2u);
  ModelSettings s;
  s.most_cost = 0.5, s.price_in = 1, s.price_out = 10;
  Budget b(s);
  b.Spend(99999, 40000);
  EXPECT_TRUE(b.Check().ok());
  b.Spend(1, 0);
  EXPECT_EQ(Said(b.Check().error()),
            "AK0704|the budget is spent: 0.5000 of 0.5000||raise --max-cost and start the same "
            "command again");
}

TEST_F(EndpointTest, EverythingThatIsSent) {
  s_.url = "http://h/v1//", s_.name = "m", s_.temperature = 0.25, s_.top_p = 0.5;
  const Request r{{{"system", "s"}, {"user", "u"}, {"assistant", "a"}, {"user", "v"}}, 2, 7, {}};
  Json chat{{"model", "m"}, {"n", 2},          {"temperature", 0.25}, {"top_p", 0.5},
            {"seed", 7},    {"stream", false}, {"max_tokens", 16384}};
  chat["messages"] = Json::array({{{"role", "system"}, {"content", "s"}},
                                  {{"role", "user"}, {"content", "u"}},
                                  {{"role", "assistant"}, {"content", "a"}},
                                  {{"role", "user"}, {"content", "v"}}});
  EXPECT_EQ(Endpoint(s_, nullptr).Body(r), chat);
  s_.api = "completions", s_.stream = true, s_.max_tokens = 1;
  Json text = chat;
  text.erase("messages");
  text["prompt"] = "s\n\n### Request\nu\n\n### Answer\na\n\n### Request\nv\n\n### Answer\n";
  text["stream"] = true, text["stream_options"] = {{"include_usage", true}};
  text["max_tokens"] = 1;
  EXPECT_EQ(Endpoint(s_, nullptr).Body(r), text);
  s_.max_tokens = 0;
  text.erase("max_tokens");
  EXPECT_EQ(Endpoint(s_, nullptr).Body(r), text);
}

// Keeps what it was asked, and gives so many answers.
class Counting : public Model {
 public:
  explicit Counting(size_t most) : most_(most) {}
  base::Result<std::vector<Answer>> Ask(const Request& r) override {
    asked.push_back(r);
    if (most_ == 0) return base::Error{"AK0701", "none", "", ""};
    std::vector<Answer> out(std::min(most_, size_t(r.n)));
    for (size_t i = 0; i < out.size(); ++i)
      out[i].text = std::to_string(asked.size()) + "/" + std::to_string(i);
    return out;
  }
  void Spent(int64_t in, int64_t out) override { spent = {in, out}; }
  std::vector<Request> asked;
  std::pair<int64_t, int64_t> spent;

 private:
  size_t most_;
};

TEST(Together, FirstAnswersAreOneRequest) {
  Counting model(2);
  Together t(model, 3);
  t.Spent(5, 6);
  EXPECT_EQ(model.spent, std::pair(int64_t{5}, int64_t{6}));
  const auto ask = [&](int sample, const char* text = "p") {
    Request r{{{"user", text}}, 1, 10 + uint64_t(sample), {}};
    r.first_answer = sample;
    return t.Ask(r)->at(0).text;
  };
  EXPECT_EQ(ask(1), "1/1");
  EXPECT_EQ(ask(0), "1/0");
  EXPECT_EQ(model.asked.size(), 1u);
  EXPECT_EQ(model.asked[0].n, 3);
  EXPECT_EQ(model.asked[0].seed, 10u);
  EXPECT_EQ(ask(2), "2/0") << "the model gave two";
  EXPECT_EQ(model.asked[1].seed, 12u);
  EXPECT_EQ(ask(3), "3/0") << "beyond those that are asked together";
  EXPECT_EQ(ask(-1), "4/0") << "no first answer";
  EXPECT_EQ(model.asked[3].n, 1);
  EXPECT_EQ(ask(0, "q"), "5/0");
  EXPECT_EQ(model.asked[4].n, 3);
  Counting broken(0);
  Together none(broken, 2);
  Request r{{{"user", "p"}}, 1, 1, {}};
  r.first_answer = 1;
  EXPECT_EQ(none.Ask(r).error().code, "AK0701");
  EXPECT_EQ(none.Ask(r).error().code, "AK0701");
  EXPECT_EQ(broken.asked.size(), 1u);
}
}  // namespace
}  // namespace akgen::generate
