// What is understood of a request for completions, and how answers are told: rows beside
// golden/completions.txt, each limit with the value beyond it. No model answers here;
// models_test.py asks one.
#include "serve/completions.h"

#include <gtest/gtest.h>

#include "../golden.h"

namespace akgen::serve {
namespace {
using base::Json;

std::string Understood(const Json& body, bool chat) {
  std::string out = (chat ? "chat " : "text ") + base::Dump(body).substr(0, 200) + "\n  ";
  const auto asked = ReadCompletion(body, chat);
  if (!asked.ok())
    return out + asked.error().code + " " + asked.error().where + ": " + asked.error().message +
           "\n";
  const bool seeded = body.contains("seed") && !body["seed"].is_null();
  out += std::string(asked->chat ? "chat" : "text") + (asked->stream ? " stream" : "") +
         (asked->usage ? " usage" : "") + ", " + std::to_string(asked->requests.size()) + ":";
  for (const generate::Request& r : asked->requests) {
    if (&r == &asked->requests[2]) break;
    const generate::Sampling& s = *r.sampling;
    out += " n " + std::to_string(r.n) + (seeded ? " seed " + std::to_string(r.seed) : "") + " t " +
           std::to_string(s.temperature) + " p " + std::to_string(s.top_p) + " most " +
           std::to_string(s.max_tokens) + " grammar `" + s.grammar + "` stop " +
           std::to_string(s.stop.size());
    for (const std::string& stop : s.stop) out += " `" + stop + "`";
    for (const generate::Message& m : r.messages) out += " " + m.role + " `" + m.content + "`";
    out += " `" + r.prompt + "`;";
  }
  return out + "\n";
}

TEST(Completions, WhatIsUnderstood) {
  const Json text{{"prompt", "a"}}, chat{{"messages", {{{"role", "user"}, {"content", "hello"}}}}};
  std::string out = Understood(text, false) + Understood(chat, true) + Understood(3, true) +
                    Understood(Json::object(), true) + Understood(Json::object(), false);
  // Members with values in turn; those beyond a limit beside the last within it.
  const std::pair<const char*, std::vector<Json>> members[] = {
      {"temperature", {0, 10, 10.001, -0.001, nullptr, "x"}},
      {"top_p", {0.001, 1, 1.001, 0, nullptr}},
      {"max_tokens", {1, 0, 1 << 20, (1 << 20) + 1, nullptr}},
      {"max_completion_tokens", {7}},
      {"n", {1, 64, 65, 0, nullptr}},
      {"seed", {0, 1, 7, INT64_MAX, nullptr}},
      {"stop",
       {"x", Json::array({"x", "y"}), std::vector<std::string>(16, "s"),
        std::vector<std::string>(17, "s"), nullptr}},
      {"grammar", {"root ::= \"a\"", nullptr}},
      {"stream", {true, false, nullptr}},
      {"stream_options", {{{"include_usage", true}}, {{"include_usage", false}}, nullptr}},
      {"tools", {Json::array(), Json::array({1}), nullptr}},
      {"functions", {Json::array({1})}},
      {"logit_bias", {{{"1", 2}}}},
      {"suffix", {"x"}},
      {"best_of", {1, 2}},
      {"audio", {Json::object()}},
      {"logprobs", {false, true, 1}},
      {"echo", {false, true}},
      {"frequency_penalty", {0, 0.5}},
      {"presence_penalty", {0, 0.5}},
      {"response_format", {{{"type", "text"}}, {{"type", "json_object"}}, Json::object()}},
      {"prompt",
       {Json::array({"a", "b"}), Json::array(), std::vector<std::string>(64, "a"),
        std::vector<std::string>(65, "a"), 3}}};
  for (const auto& [member, values] : members)
    for (const Json& value : values) {
      Json body = text;
      body[member] = value;
      out += Understood(body, false);
    }
  const Json part{{"type", "text"}, {"text", "p"}};
  for (const char* role : {"system", "developer", "user", "assistant", "tool"})
    for (const Json& content :
         std::vector<Json>{"x", Json::array({part, part}), Json::array({{{"type", "image"}}}), 3})
      out += Understood({{"messages", {{{"role", role}, {"content", content}}}}}, true);
  out += Understood({{"messages", Json::array()}}, true) + Understood({{"messages", "x"}}, true) +
         Understood({{"messages", {{{"content", "x"}}}}}, true);
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "completions.txt", out);
}

TEST(Completions, HowAnswersAreTold) {
  generate::Answer first, second;
  first.finish = "stop", first.prompt_tokens = 5, first.completion_tokens = 7;
  // Pieces of 24 bytes, which do not end within a letter: é and 字 stand across the ends.
  first.text = std::string(23, 'a') + "é" + std::string(22, 'b') + "字" + std::string(24, 'c');
  second.text = std::string(24, 'd'), second.reasoning = "because", second.finish = "length";
  second.prompt_tokens = 1, second.completion_tokens = 2;
  const CompletionName name{"id-1", "little", 1234};
  std::string out;
  for (const bool chat : {true, false}) {
    out += base::Dump(CompletionJson(name, chat, {first, second})) + "\n";
    for (const bool usage : {true, false}) {
      Completion asked;
      asked.chat = chat, asked.usage = usage;
      for (const std::string& event : CompletionEvents(name, asked, {first, second})) out += event;
    }
  }
  for (int status : {400, 404, 429, 499, 500, 503})
    for (const char* where : {"", "stop"}) {
      const Response r =
          CompletionError(status, {"AK0902", "wrong", where, *where ? "repair it" : ""});
      out += std::to_string(r.status) + " " + r.body;
      for (const auto& [header, value] : r.headers) out += " " + header + ": " + value;
      out += "\n";
    }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "completion_answers.txt", out);
}
}  // namespace
}  // namespace akgen::serve
