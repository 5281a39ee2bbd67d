#include "base/json.h"

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
std::string Dump(const Json& j, int indent) { return j.dump(indent, ' ', false, Json::error_handler_t::replace); }
}  // namespace akgen::base
