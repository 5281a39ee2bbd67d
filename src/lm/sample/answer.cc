// Requests as JSON: {"messages": […]} or {"prompt": text}, with n, temperature, top_p, max_tokens,
// seed (or seeds, one for each completion), prefixes, grammar, stop.
#include "lm/sample/sampler.h"
#include "record/completion.h"

namespace akgen::lm {
using base::Error;
using base::Json;

namespace {
base::Result<SampleOptions> SampleOptionsFromJson(const Json& r) {
  SampleOptions o;
  try {
    if (r.contains("seeds")) o.seeds = r["seeds"].get<std::vector<uint64_t>>();
    o.n = o.seeds.empty() ? r.value("n", o.n) : int64_t(o.seeds.size()),
    o.max_tokens = r.value("max_tokens", o.max_tokens),
    o.temperature = r.value("temperature", o.temperature);
    o.top_p = r.value("top_p", o.top_p), o.seed = r.value("seed", o.seed),
    o.grammar = r.value("grammar", "");
    for (const Json& p : r.value("prefixes", Json::array()))
      o.prefixes.push_back(
          p.is_null() ? Prefix()
                      : Prefix{p.at("text").get<std::string>(), p.at("bytes").get<int64_t>()});
    if (r.contains("stop"))
      o.stop = r["stop"].is_string() ? std::vector<std::string>{r["stop"].get<std::string>()}
                                     : r["stop"].get<std::vector<std::string>>();
  } catch (const Json::exception& e) {
    return Error{"AK1932", std::string("a value has another type than expected: ") + e.what(),
                 "request", "docs/lm.md describes requests"};
  }
  if (o.n < 1 || o.n > 4096 || o.max_tokens < 1 || !(o.temperature >= 0) ||
      !(o.top_p > 0 && o.top_p <= 1))
    return Error{"AK1932",
                 "n is 1 to 4096, max_tokens at least 1, temperature not negative, top_p in (0, 1]",
                 "request", ""};
  if (!o.prefixes.empty() && int64_t(o.prefixes.size()) != o.n)
    return Error{"AK1932",
                 "there are " + std::to_string(o.prefixes.size()) + " prefixes for " +
                     std::to_string(o.n) + " completions",
                 "request", "one for each, or null"};
  return o;
}

base::Result<std::vector<int>> PromptFromJson(const Json& r, const Tokenizer& t) {
  if (r.contains("messages")) {
    auto messages = MessagesOf(r["messages"], "request");
    if (!messages.ok()) return messages.error();
    auto chat = RenderChat(t, *messages, true);
    if (!chat.ok()) return chat.error();
    return chat->ids;
  }
  if (r.contains("prompt") && r["prompt"].is_string())
    return t.Encode(r["prompt"].get<std::string>());
  return Error{"AK1932", "the request has neither messages nor a prompt", "request",
               "docs/lm.md describes requests"};
}

}  // namespace

Json ErrorJson(const Error& e) {
  record::CompletionReply reply;
  reply.error = e;
  return record::ToJson(reply);
}

Json LocalModel::Answer(const Json& request) {
  if (!request.is_object())
    return ErrorJson(
        {"AK1932", "the request is not a JSON object", "request", "docs/lm.md describes requests"});
  auto options = SampleOptionsFromJson(request);
  if (!options.ok()) return ErrorJson(options.error());
  auto prompt = PromptFromJson(request, tokenizer());
  if (!prompt.ok()) return ErrorJson(prompt.error());
  SampleTimes times;
  auto completions = Complete(*prompt, *options, &times);
  if (!completions.ok()) return ErrorJson(completions.error());
  record::CompletionReply reply;
  for (const Completion& c : *completions)
    reply.choices.push_back({c.text, c.finish, c.tokens, c.log_p});
  reply.prompt_tokens = times.prompt_tokens, reply.tokens = times.tokens;
  reply.read_s = times.read_s, reply.write_s = times.write_s;
  reply.id = record::IdOfRequest(request);
  return record::ToJson(reply);
}

}  // namespace akgen::lm
