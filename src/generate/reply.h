// What an OpenAI-compatible endpoint sends back, read as it arrives: one JSON object, or
// server-sent events.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "generate/model.h"

namespace akgen::generate {

class ReplyReader {
 public:
  ReplyReader(bool stream, size_t max_answer_bytes) : stream_(stream), most_(max_answer_bytes) {}
  // The next bytes of the body. False: more than one answer may have; what came so far is kept.
  bool Add(std::string_view data);
  // The answers, by index, reasoning taken out. Empty: `problem` says why (cut off, no JSON, no
  // choices).
  std::vector<Answer> Finish(std::string& problem);

 private:
  bool Line(std::string_view line);
  bool Choice(const base::Json& choice, const char* part);
  std::vector<Answer> Whole(std::string& problem);
  Answer& At(size_t index);

  bool stream_, done_ = false, too_long_ = false, broken_ = false;
  size_t most_, bytes_ = 0;
  std::string buffer_;  // of events: the line that is not yet whole
  std::vector<Answer> answers_;
  int64_t prompt_tokens_ = 0, completion_tokens_ = 0;
  std::string error_;
};

}  // namespace akgen::generate
