#include "serve/completions.h"

#include <algorithm>

#include "base/seed.h"

namespace akgen::serve {
using base::Error;
using base::Json;
using base::Result;

namespace {
constexpr int kMaxAnswers = 64, kMaxTokens = 1 << 20;
constexpr size_t kMaxStops = 16, kMaxPrompts = 64, kPieceBytes = 24;

Error BadCompletion(const std::string& what, const std::string& member) {
  return {"AK0902", what, member, "docs/serve.md lists what is understood"};
}

bool Given(const Json& body, const char* name) {
  return body.contains(name) && !body[name].is_null();
}

// A message's content is a text, or a list of parts that are texts.
Result<std::string> ContentOf(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string out;
  if (!content.is_array())
    return BadCompletion("a message's content is a text, or a list of texts", "messages");
  for (const Json& part : content) {
    if (part.value("type", "") != "text")
      return BadCompletion("only texts are understood", "messages");
    out += part.at("text").get<std::string>();
  }
  return out;
}

Result<std::vector<generate::Message>> MessagesFrom(const Json& list) {
  std::vector<generate::Message> out;
  if (!list.is_array() || list.empty())
    return BadCompletion("messages is a list with something in it", "messages");
  for (const Json& m : list) {
    auto role = m.at("role").get<std::string>();
    if (role == "developer") role = "system";
    if (role != "system" && role != "user" && role != "assistant")
      return BadCompletion("roles are system, user and assistant", "messages");
    auto content = ContentOf(m.value("content", Json()));
    if (!content.ok()) return content.error();
    out.push_back({role, std::move(*content)});
  }
  return out;
}

std::vector<std::string> TextsOf(const Json& value) {
  if (value.is_string()) return {value.get<std::string>()};
  return value.get<std::vector<std::string>>();
}

Result<generate::Sampling> SamplingOf(const Json& body) {
  generate::Sampling s;
  if (Given(body, "temperature")) s.temperature = body["temperature"].get<double>();
  if (Given(body, "top_p")) s.top_p = body["top_p"].get<double>();
  for (const char* name : {"max_tokens", "max_completion_tokens"})
    if (Given(body, name)) s.max_tokens = body[name].get<int>();
  if (Given(body, "stop")) s.stop = TextsOf(body["stop"]);
  if (Given(body, "grammar")) s.grammar = body["grammar"].get<std::string>();
  if (!(s.temperature >= 0 && s.temperature <= 10))
    return BadCompletion("it is 0 to 10", "temperature");
  if (!(s.top_p > 0 && s.top_p <= 1)) return BadCompletion("it is above 0, at most 1", "top_p");
  if (s.max_tokens < 1 || s.max_tokens > kMaxTokens)
    return BadCompletion("it makes no sense", "max_tokens");
  if (s.stop.size() > kMaxStops) return BadCompletion("there are too many", "stop");
  return s;
}

// What would change the answer, and is not there: better refused than left out silently.
base::Status CheckUnderstood(const Json& body) {
  for (const char* name : {"tools", "functions", "logit_bias", "suffix", "best_of", "audio"})
    if (Given(body, name) && !(body[name].is_array() && body[name].empty()) && body[name] != 1)
      return BadCompletion("this is not understood", name);
  for (const char* name : {"logprobs", "echo"})
    if (Given(body, name) && body[name] != false)
      return BadCompletion("this is not understood", name);
  for (const char* name : {"frequency_penalty", "presence_penalty"})
    if (Given(body, name) && body[name] != 0) return BadCompletion("this is not understood", name);
  if (Given(body, "response_format") && body["response_format"].value("type", "text") != "text")
    return BadCompletion("a grammar holds an answer to a form: give `grammar`", "response_format");
  return {};
}

Result<Completion> CompletionFrom(const Json& body, bool chat) {
  if (auto understood = CheckUnderstood(body); !understood.ok()) return understood.error();
  Completion out;
  out.chat = chat;
  generate::Request request;
  auto sampling = SamplingOf(body);
  if (!sampling.ok()) return sampling.error();
  request.sampling = std::move(*sampling);
  request.n = Given(body, "n") ? body["n"].get<int>() : 1;
  if (request.n < 1 || request.n > kMaxAnswers) return BadCompletion("it is 1 to 64", "n");
  // Seeds of several answers follow each other, so one that is given stays below the last numbers
  // that there are.
  request.seed = Given(body, "seed") ? static_cast<uint64_t>(body["seed"].get<int64_t>()) >> 1
                                     : base::DrawSeed() >> 1;
  if (chat) {
    auto messages = MessagesFrom(body.at("messages"));
    if (!messages.ok()) return messages.error();
    request.messages = std::move(*messages);
    out.requests.push_back(request);
  } else {
    const auto prompts = TextsOf(body.at("prompt"));
    if (prompts.empty() || prompts.size() > kMaxPrompts)
      return BadCompletion("1 to 64 prompts", "prompt");
    for (const std::string& prompt : prompts) {
      request.prompt = prompt;
      out.requests.push_back(request);
    }
  }
  out.stream = Given(body, "stream") && body["stream"].get<bool>();
  if (Given(body, "stream_options"))
    out.usage = body["stream_options"].value("include_usage", false);
  return out;
}

Json UsageOf(const std::vector<generate::Answer>& answers) {
  int64_t prompt = 0, completion = 0;
  for (const auto& a : answers) prompt += a.prompt_tokens, completion += a.completion_tokens;
  return {{"prompt_tokens", prompt},
          {"completion_tokens", completion},
          {"total_tokens", prompt + completion}};
}

Json Envelope(const CompletionName& name, const char* object) {
  return {{"id", name.id}, {"object", object}, {"created", name.created}, {"model", name.model}};
}

// A text in pieces that are each UTF-8.
std::vector<std::string> PiecesOf(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(at + kPieceBytes, text.size());
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}
}  // namespace

Result<Completion> ReadCompletion(const Json& body, bool chat) {
  if (!body.is_object()) return BadCompletion("the body is no JSON object", "");
  return base::Checked("the request", [&] { return CompletionFrom(body, chat); });
}

Json CompletionJson(const CompletionName& name, bool chat,
                    const std::vector<generate::Answer>& answers) {
  Json out = Envelope(name, chat ? "chat.completion" : "text_completion");
  out["choices"] = Json::array();
  for (size_t i = 0; i < answers.size(); ++i) {
    Json choice{{"index", i}, {"finish_reason", answers[i].finish}, {"logprobs", nullptr}};
    if (chat)
      choice["message"] = {{"role", "assistant"}, {"content", answers[i].text}};
    else
      choice["text"] = answers[i].text;
    if (chat && !answers[i].reasoning.empty())
      choice["message"]["reasoning_content"] = answers[i].reasoning;
    out["choices"].push_back(std::move(choice));
  }
  out["usage"] = UsageOf(answers);
  return out;
}

std::vector<std::string> CompletionEvents(const CompletionName& name, const Completion& asked,
                                          const std::vector<generate::Answer>& answers) {
  std::vector<std::string> out;
  const Json envelope = Envelope(name, asked.chat ? "chat.completion.chunk" : "text_completion");
  auto add = [&](Json choices, Json usage = nullptr) {
    Json chunk = envelope;
    chunk["choices"] = std::move(choices);
    if (asked.usage) chunk["usage"] = std::move(usage);
    out.push_back("data: " + base::Dump(chunk) + "\n\n");
  };
  auto choice = [&](size_t index, const char* member, const std::string& text,
                    Json finish = nullptr) {
    Json c{{"index", index}, {"finish_reason", std::move(finish)}, {"logprobs", nullptr}};
    if (asked.chat)
      c["delta"] = text.empty() ? Json::object() : Json{{member, text}};
    else
      c["text"] = text;
    return Json::array({c});
  };
  for (size_t i = 0; i < answers.size(); ++i) {
    if (asked.chat) add(choice(i, "role", "assistant"));
    for (const auto& piece : PiecesOf(asked.chat ? answers[i].reasoning : ""))
      add(choice(i, "reasoning_content", piece));
    for (const auto& piece : PiecesOf(answers[i].text)) add(choice(i, "content", piece));
    add(choice(i, "content", "", answers[i].finish));
  }
  if (asked.usage) add(Json::array(), UsageOf(answers));
  out.push_back("data: [DONE]\n\n");
  return out;
}

Response CompletionError(int status, const Error& e) {
  const char* type = status == 429 || status >= 500 ? "server_error" : "invalid_request_error";
  Response r = JsonReply({{"error",
                           {{"message", e.message + (e.fix.empty() ? "" : "; " + e.fix)},
                            {"type", type},
                            {"param", e.where.empty() ? Json() : Json(e.where)},
                            {"code", e.code}}}},
                         status);
  if (status == 429 || status == 503) r.headers.emplace_back("Retry-After", "1");
  return r;
}

}  // namespace akgen::serve
