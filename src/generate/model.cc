#include "generate/model.h"

#include "generate/endpoint.h"
#include "generate/local_model.h"
#include "generate/script_model.h"

namespace akgen::generate {
using base::Error;
using base::Json;
using base::Result;

Json ToJson(const Answer& a) {
  Json j{{"text", a.text},
         {"reasoning", a.reasoning},
         {"finish", a.finish},
         {"prompt_tokens", a.prompt_tokens},
         {"completion_tokens", a.completion_tokens}};
  if (!a.logprobs.is_null()) j["logprobs"] = a.logprobs;
  return j;
}

Answer AnswerFromJson(const Json& j) {
  Answer a;
  a.text = j.value("text", "");
  a.reasoning = j.value("reasoning", "");
  a.finish = j.value("finish", "");
  a.prompt_tokens = j.value("prompt_tokens", int64_t{0});
  a.completion_tokens = j.value("completion_tokens", int64_t{0});
  if (j.contains("logprobs")) a.logprobs = j["logprobs"];
  return a;
}

void SplitReasoning(std::string& text, std::string& reasoning) {
  static const std::string kOpen = "<think>", kClose = "</think>";
  for (;;) {
    size_t open = text.find(kOpen), close = text.find(kClose);
    if (close != std::string::npos &&
        (open == std::string::npos || close < open)) {  // the opening tag was in the prompt
      reasoning += text.substr(0, close);
      text.erase(0, close + kClose.size());
    } else if (open != std::string::npos && close != std::string::npos) {
      reasoning += text.substr(open + kOpen.size(), close - open - kOpen.size());
      text.erase(open, close + kClose.size() - open);
    } else if (open != std::string::npos) {
      reasoning += text.substr(open + kOpen.size());
      text.erase(open);
    } else {
      return;
    }
  }
}

bool IsLocal(const std::string& url) {
  return std::filesystem::exists(std::filesystem::path(url) / "config.json");
}

Result<std::unique_ptr<Model>> MakeModel(const ModelSettings& s, const std::atomic<bool>* stop) {
  static const std::string kScript = "script:";
  if (s.url.starts_with(kScript))
    return ScriptModel::Load(s.url.substr(kScript.size()), s.transcript);
  if (IsLocal(s.url)) return LocalModel::Load(s, stop);
  if (!s.url.starts_with("http://") && !s.url.starts_with("https://"))
    return Error{
        "AK0708", "a model is an address, a folder with weights, or a file of answers", s.url,
        "--model http://127.0.0.1:8000/v1, --model models/NAME, or --model script:answers.jsonl"};
  size_t host = s.url.find("://") + 3;
  if (s.url.substr(host, s.url.find('/', host) - host).find('@') != std::string::npos ||
      s.url.find('?') != std::string::npos)
    return Error{
        "AK0708",
        "the address of a model may hold no user, password or query: it stands in every record",
        "--model", "put the key into $AKGEN_API_KEY"};
  if (s.api != "chat" && s.api != "completions")
    return Error{"AK0708", "there is no interface " + s.api, "--api", "chat or completions"};
  return std::unique_ptr<Model>(std::make_unique<Endpoint>(s, stop));
}

}  // namespace akgen::generate
