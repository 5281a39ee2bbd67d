#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/status.h"

namespace akgen::base {
[[noreturn]] void ThrowJsonShape(const char* what);
}  // namespace akgen::base
// A member that is not there, looked up in a const object, is an exception like every other wrong
// shape; by default it is undefined behaviour in a release build.
#define JSON_ASSERT(x) \
  (static_cast<bool>(x) ? void(0) : ::akgen::base::ThrowJsonShape("a member is missing (" #x ")"))
#include <nlohmann/json.hpp>

// So is a number beyond the integer that it is read as.
template <typename T>
struct nlohmann::adl_serializer<
    T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
  template <typename J>
  static void to_json(J& j, T value) {
    nlohmann::to_json(j, value);
  }
  template <typename J>
  static void from_json(const J& j, T& value) {
    if (const auto* number = j.template get_ptr<const typename J::number_float_t*>()) {
      const double limit = std::ldexp(1.0, std::numeric_limits<T>::digits);
      const double least = std::is_signed_v<T> ? -limit : 0.0;
      if (!(*number >= least && *number < limit))
        akgen::base::ThrowJsonShape("a number is no integer of its range");
    }
    nlohmann::from_json(j, value);
  }
};

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

// The value that a text from elsewhere says; discarded (is_discarded()) when it is no JSON, or
// nests deeper than 256.
Json Parse(std::string_view text);

// An integer where the number is one, and a double holds it exactly.
Json WholeOrReal(double number);

// As text; bytes that are no UTF-8 become U+FFFD. dump() itself throws on them.
std::string Dump(const Json& j, int indent = -1);
std::string DumpInOrder(const nlohmann::ordered_json& j,
                        int indent = -1);  // keys as they were put in

// Entry point for untrusted JSON (candidates, models, journals, stores, files from elsewhere):
// `read` takes it apart as it likes, and a shape that it does not expect becomes AK0014 at `where`,
// which names the file or who sent it. `read` returns a Status or a Result.
template <class F>
auto Checked(const std::string& where, F&& read) -> decltype(read()) {
  try {
    return read();
  } catch (const Json::exception& e) {
    return Error{"AK0014", std::string("unexpected content: ") + e.what(), where,
                 "was it made by akgen, and by which version?"};
  }
}
}  // namespace akgen::base
