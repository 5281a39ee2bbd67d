#include "base/json.h"

#include <cmath>

namespace nlohmann {
template class basic_json<>;
namespace detail {
template class serializer<json>;
template class json_sax_dom_parser<json>;
template class parser<json, iterator_input_adapter<std::string::const_iterator>>;
template class lexer<json, iterator_input_adapter<std::string::const_iterator>>;
}  // namespace detail
}  // namespace nlohmann

namespace akgen::base {
void ThrowJsonShape(const char* what) {
  throw Json::out_of_range::create(403, what, static_cast<Json*>(nullptr));
}
namespace {
// Deeper ones would exhaust the stack of whoever walks over the value, dump() first.
constexpr int kDeepest = 256;

bool TooDeep(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\';
    } else if (text[i] == '{' || text[i] == '[') {
      if (++depth > kDeepest) return true;
    } else if (text[i] == '}' || text[i] == ']') {
      --depth;
    }
  }
  return false;
}
}  // namespace

Json Parse(std::string_view text) {
  return TooDeep(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

Json WholeOrReal(double number) {
  constexpr double kExact = 1ll << 53;
  return std::abs(number) <= kExact && number == std::trunc(number) ? Json(int64_t(number))
                                                                    : Json(number);
}

std::string Dump(const Json& j, int indent) {
  return j.dump(indent, ' ', false, Json::error_handler_t::replace);
}
std::string DumpInOrder(const nlohmann::ordered_json& j, int indent) {
  return j.dump(indent, ' ', false, Json::error_handler_t::replace);
}
}  // namespace akgen::base
