// Pieces of an endpoint's replies, and errors in full.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "generate/reply.h"

namespace akgen::generate {

inline std::string Said(const base::Error& e) {
  return e.code + "|" + e.message + "|" + e.where + "|" + e.fix;
}

inline std::string Event(const base::Json& j) { return "data: " + j.dump() + "\n\n"; }
inline base::Json Delta(const std::string& text, const char* key = "content") {
  return {{"choices", {{{"index", 0}, {"delta", {{key, text}}}}}}};
}
inline base::Json End() {
  return {
      {"choices", {{{"index", 0}, {"delta", base::Json::object()}, {"finish_reason", "stop"}}}}};
}

inline std::vector<Answer> Read(const std::string& body, bool stream, std::string& problem,
                                size_t piece = 1, size_t most = 1000) {
  ReplyReader r(stream, most);
  for (size_t i = 0; i < body.size(); i += piece)
    if (!r.Add(std::string_view(body).substr(i, piece))) break;
  return r.Finish(problem);
}

}  // namespace akgen::generate
