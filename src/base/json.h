#pragma once
#include <nlohmann/json.hpp>

// Compiled once, in json.cc: else every file that touches JSON would compile its own copy.
namespace nlohmann {
extern template class basic_json<>;
namespace detail {
extern template class serializer<json>;
extern template class json_sax_dom_parser<json>;
extern template class parser<json, iterator_input_adapter<std::string::const_iterator>>;
extern template class lexer<json, iterator_input_adapter<std::string::const_iterator>>;
}  // namespace detail
}  // namespace nlohmann

namespace akgen::base {
using Json = nlohmann::json;

// As text; bytes that are no UTF-8 become U+FFFD. dump() itself throws on them.
std::string Dump(const Json& j, int indent = -1);
}  // namespace akgen::base
