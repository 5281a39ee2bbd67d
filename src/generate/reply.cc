#include "generate/reply.h"

#include <algorithm>

namespace akgen::generate {
using base::Json;

namespace {
constexpr size_t kMaxChoices = 256;
constexpr size_t kMaxEventBytes =
    size_t{1} << 30;  // of events around the answers, which are counted on their own

// Text may be a string, null, or a list of parts.
std::string TextOf(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return "";
  const Json& v = object[key];
  if (v.is_string()) return v.get<std::string>();
  std::string out;
  if (v.is_array())
    for (const Json& part : v)
      if (part.is_object() && part.contains("text") && part["text"].is_string())
        out += part["text"].get<std::string>();
  return out;
}

int64_t Count(const Json& usage, const char* key) {
  constexpr double kLimit = 1e12;  // what is not a count counts as none
  const double n = usage.is_object() && usage.contains(key) && usage[key].is_number()
                       ? usage[key].get<double>()
                       : 0;
  return n > 0 && n < kLimit ? int64_t(n) : 0;
}

std::string ErrorOf(const Json& j) {
  if (!j.is_object() || !j.contains("error") || j["error"].is_null()) return "";
  const Json& e = j["error"];
  return e.is_string() ? e.get<std::string>()
         : e.is_object() && e.contains("message") && e["message"].is_string()
             ? e["message"].get<std::string>()
             : base::Dump(e);
}

// Tokens with their log-probabilities follow each other in a stream.
void AddLogprobs(Json& all, const Json& more) {
  if (more.is_null()) return;
  if (!all.is_object() || !more.is_object()) {
    all = more;
    return;
  }
  for (const auto& [key, value] : more.items()) {
    if (value.is_array() && all.contains(key) && all[key].is_array())
      all[key].insert(all[key].end(), value.begin(), value.end());
    else
      all[key] = value;
  }
}
}  // namespace

bool ReplyReader::Add(std::string_view data) {
  bytes_ += data.size();
  buffer_.append(data);
  // Some endpoints stream, or do not, whatever they are asked.
  size_t first = buffer_.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && bytes_ == buffer_.size() && buffer_[first] == '{')
    stream_ = false;
  else if (first != std::string::npos && bytes_ == buffer_.size() &&
           buffer_.compare(first, 5, "data:") == 0)
    stream_ = true;
  if (!stream_) {
    too_long_ = bytes_ > 2 * most_ + (size_t{1} << 16);
    return !too_long_;
  }
  size_t from = 0;
  for (size_t end; (end = buffer_.find('\n', from)) != std::string::npos; from = end + 1)
    if (!Line(std::string_view(buffer_).substr(from, end - from))) return false;
  buffer_.erase(0, from);
  too_long_ = buffer_.size() > 2 * most_ + (size_t{1} << 16) || bytes_ > kMaxEventBytes;
  return !too_long_;
}

Answer& ReplyReader::At(size_t index) {
  if (answers_.size() <= index) answers_.resize(index + 1);
  return answers_[index];
}

bool ReplyReader::Choice(const Json& choice, const char* part) {
  size_t index = choice.contains("index") && choice["index"].is_number_unsigned()
                     ? choice["index"].get<size_t>()
                     : 0;
  if (index >= kMaxChoices) return true;
  Answer& a = At(index);
  Json none = Json::object();
  const Json& message = choice.contains(part) ? choice[part] : none;
  a.text += TextOf(message, "content") + TextOf(choice, "text");
  a.reasoning += TextOf(message, "reasoning_content");
  if (!message.contains("reasoning_content")) a.reasoning += TextOf(message, "reasoning");
  if (std::string f = TextOf(choice, "finish_reason"); !f.empty()) a.finish = f;
  if (choice.contains("logprobs")) AddLogprobs(a.logprobs, choice["logprobs"]);
  size_t all = 0;
  for (const Answer& x : answers_) all += x.text.size() + x.reasoning.size();
  if (a.text.size() + a.reasoning.size() <= most_ && all <= most_ * kMaxChoices) return true;
  a.text.resize(std::min(a.text.size(), most_));
  a.reasoning.resize(std::min(a.reasoning.size(), most_));
  a.finish = "too_long";
  too_long_ = true;
  return false;
}

// One line of an event stream; false: too long.
bool ReplyReader::Line(std::string_view line) {
  if (!line.starts_with("data:")) return true;  // event names, ids and comments
  line.remove_prefix(5);
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (line == "[DONE]") {
    done_ = true;
    return true;
  }
  Json j = base::Parse(line);
  if (!j.is_object()) {
    broken_ = true;
    return true;
  }
  if (std::string e = ErrorOf(j); !e.empty()) error_ = e;
  if (j.contains("usage") && j["usage"].is_object()) {
    prompt_tokens_ = Count(j["usage"], "prompt_tokens");
    completion_tokens_ = Count(j["usage"], "completion_tokens");
  }
  if (!j.contains("choices") || !j["choices"].is_array()) return true;
  for (const Json& c : j["choices"])
    if (c.is_object() && !Choice(c, "delta")) return false;
  return true;
}

std::vector<Answer> ReplyReader::Whole(std::string& problem) {
  if (too_long_) {
    At(0).finish = "too_long";
    return answers_;
  }
  Json j = base::Parse(buffer_);
  if (j.is_discarded())
    problem = buffer_.empty() ? "the reply is empty" : "the reply is not JSON";
  else if (std::string e = ErrorOf(j); !e.empty())
    problem = "the endpoint reports: " + e;
  else if (!j.is_object() || !j.contains("choices") || !j["choices"].is_array() ||
           j["choices"].empty())
    problem = "the reply holds no choices";
  if (!problem.empty()) return {};
  for (const Json& c : j["choices"])
    if (c.is_object() && !Choice(c, "message")) break;
  if (j.contains("usage"))
    prompt_tokens_ = Count(j["usage"], "prompt_tokens"),
    completion_tokens_ = Count(j["usage"], "completion_tokens");
  if (answers_.empty()) problem = "the reply holds no choices";
  return answers_;
}

std::vector<Answer> ReplyReader::Finish(std::string& problem) {
  std::vector<Answer> out;
  if (!stream_) {
    out = Whole(problem);
  } else {
    Line(buffer_);
    bool finished =
        !answers_.empty() && std::all_of(answers_.begin(), answers_.end(),
                                         [](const Answer& a) { return !a.finish.empty(); });
    if (!error_.empty())
      problem = "the endpoint reports: " + error_;
    else if (too_long_)
      At(0).finish = "too_long";
    else if (broken_)
      problem = "an event of the stream is not JSON";
    else if (!done_ && !finished)
      problem = "the stream ended before the answer did";
    else if (answers_.empty())
      problem = "the reply holds no choices";
    if (problem.empty()) out = std::move(answers_);
  }
  for (Answer& a : out) SplitReasoning(a.text, a.reasoning);
  if (!out.empty())
    out[0].prompt_tokens = prompt_tokens_, out[0].completion_tokens = completion_tokens_;
  return out;
}

}  // namespace akgen::generate
