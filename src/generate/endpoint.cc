#include "generate/endpoint.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "base/files.h"
#include "generate/reply.h"

namespace akgen::generate {
using base::Error;
using base::Json;
using base::Result;
using Clock = std::chrono::steady_clock;

namespace {
constexpr double kMaxWait = 3600;  // seconds: a server that asks for more will not answer this run

std::string KeyFromEnvironment() {
  for (const char* name : {"AKGEN_API_KEY", "OPENAI_API_KEY"})
    if (const char* key = std::getenv(name); key && *key) return key;
  return "";
}

// One text for a model that knows no roles.
std::string Joined(const std::vector<Message>& messages) {
  std::string out;
  for (const Message& m : messages)
    out += (m.role == "assistant" ? "### Answer\n"
            : m.role == "user"    ? "### Request\n"
                                  : "") +
           m.content + "\n\n";
  return out + "### Answer\n";
}

bool WorthAnother(long status) {
  return status == 0 || status == 200 || status == 408 || status == 409 || status == 425 ||
         status == 429 || status >= 500;
}
}  // namespace

Endpoint::Endpoint(const ModelSettings& settings, const std::atomic<bool>* stop)
    : s_(settings),
      stop_(stop),
      key_(KeyFromEnvironment()),
      rate_(settings.requests_per_minute),
      budget_(settings),
      transcript_(settings.transcript) {
  while (s_.url.ends_with("/")) s_.url.pop_back();
  url_ = s_.url + (s_.api == "chat" ? "/chat/completions" : "/completions");
}

Json Endpoint::Body(const Request& r) const {
  Json j{{"model", s_.name},  {"n", r.n},       {"temperature", s_.temperature},
         {"top_p", s_.top_p}, {"seed", r.seed}, {"stream", s_.stream}};
  if (s_.api == "chat")
    j["messages"] = ToJson(r.messages);
  else
    j["prompt"] = Joined(r.messages);
  if (s_.max_tokens > 0) j["max_tokens"] = s_.max_tokens;
  if (s_.stream) j["stream_options"] = {{"include_usage", true}};
  if (!s_.grammar.empty()) {  // llama.cpp's name for it, and vLLM's
    j["grammar"] = s_.grammar;
    j["structured_outputs"] = {{"grammar", s_.grammar}};
  }
  if (s_.logprobs) j["logprobs"] = s_.api == "chat" ? Json(true) : Json(1);
  return j;
}

// The key may come back in what an endpoint says.
std::string Endpoint::Clean(std::string text) const {
  if (key_.size() < 4) return text;
  for (size_t at; (at = text.find(key_)) != std::string::npos;)
    text.replace(at, key_.size(), "(key)");
  return text;
}

bool Endpoint::Sleep(double seconds) const {
  auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    if (stop_ && stop_->load()) return false;
    std::this_thread::sleep_for(
        std::min<std::chrono::duration<double>>(end - Clock::now(), std::chrono::milliseconds(50)));
  }
  return !(stop_ && stop_->load());
}

Endpoint::Attempt Endpoint::Try(const std::string& body) const {
  Attempt out;
  ReplyReader reader(s_.stream, s_.max_answer_bytes);
  HttpRequest h;
  h.url = url_;
  h.body = body;
  h.headers = {"Content-Type: application/json"};
  if (!key_.empty()) h.headers.push_back("Authorization: Bearer " + key_);
  h.timeout_s = s_.timeout_s;
  h.idle_s = s_.idle_s;
  h.stop = stop_;
  h.on_data = [&](std::string_view data) { return reader.Add(data); };
  HttpReply reply = Post(h);
  out.wait_s = reply.retry_after_s;
  out.again = WorthAnother(reply.status);
  if (stop_ && stop_->load()) {
    out.error = {"AK0709", "stopped", "", "the same command goes on"};
    out.again = false;
  } else if (!reply.failure.empty()) {
    out.error = {
        "AK0701",
        reply.status ? "the connection broke: " + reply.failure : "no answer: " + reply.failure,
        url_, "see that the endpoint runs and can be reached"};
  } else if (reply.status != 200) {
    out.error = {"AK0702",
                 "status " + std::to_string(reply.status) + ": " + Clean(reply.error_body), url_,
                 reply.status == 401 || reply.status == 403 ? "put a valid key into $AKGEN_API_KEY"
                                                            : "see what the endpoint asks for"};
  } else {
    std::string problem;
    out.answers = reader.Finish(problem);
    if (out.answers.empty())
      out.error = {"AK0703", Clean(problem), url_,
                   "see that the address is an OpenAI-compatible endpoint, with /v1 at its end"};
  }
  return out;
}

Result<std::vector<Answer>> Endpoint::Insist(const std::string& body, Json& trouble) {
  for (int attempt = 0;; ++attempt) {
    if (auto s = budget_.Check(); !s.ok()) return s.error();
    if (!Sleep(rate_.Next())) return Error{"AK0709", "stopped", "", "the same command goes on"};
    Attempt a = Try(body);
    if (!a.answers.empty()) {
      for (Answer& x : a.answers)
        x.text = Clean(x.text), x.reasoning = Clean(x.reasoning), x.attempts = attempt + 1;
      budget_.Spend(a.answers[0].prompt_tokens, a.answers[0].completion_tokens);
      return std::move(a.answers);
    }
    double wait = std::min(s_.backoff_most_s, s_.backoff_s * std::pow(2.0, attempt));
    wait = std::max(wait, a.wait_s);
    trouble.push_back({{"code", a.error.code},
                       {"message", a.error.message},
                       {"wait_s", a.again && attempt < s_.retries ? wait : 0}});
    if (!a.again || attempt >= s_.retries || a.wait_s > kMaxWait) return a.error;
    if (!Sleep(wait)) return Error{"AK0709", "stopped", "", "the same command goes on"};
  }
}

std::filesystem::path Endpoint::CachePath(const Json& body) const {
  std::string key = base::ContentHash(url_ + "\n" + std::to_string(s_.max_answer_bytes) + "\n" +
                                      base::Dump(body));
  return base::CacheDir() / "answers" / key.substr(0, 2) / (key + ".json");
}

Result<std::vector<Answer>> Endpoint::Ask(const Request& request) {
  auto start = Clock::now();
  Json body = Body(request), trouble = Json::array();
  std::filesystem::path path = s_.cache ? CachePath(body) : "";
  std::vector<Answer> out;
  if (auto text = s_.cache ? base::ReadFile(path) : Result<std::string>(Error{}); text.ok()) {
    Json j = base::Parse(*text);
    if (j.is_array())
      for (const Json& a : j) out.push_back(AnswerFromJson(a));
    for (Answer& a : out) a.cached = true;
  }
  if (out.empty()) {
    auto fresh = Insist(base::Dump(body), trouble);
    if (!fresh.ok()) {
      transcript_.Add(request, {}, trouble);
      return fresh.error();
    }
    out = std::move(*fresh);
    Json j = Json::array();
    for (const Answer& a : out) j.push_back(ToJson(a));
    std::error_code ec;
    if (s_.cache) std::filesystem::create_directories(path.parent_path(), ec);
    // An answer that cannot be kept is asked for again, nothing else.
    if (s_.cache) (void)base::WriteFileAtomic(path, base::Dump(j));
  }
  for (Answer& a : out)
    a.ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  transcript_.Add(request, out, trouble);
  return out;
}

}  // namespace akgen::generate
