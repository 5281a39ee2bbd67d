#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/regex.h"

#include <pcre2.h>

#include <stdexcept>

namespace akgen::base {
namespace {
PCRE2_SPTR Bytes(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }
}  // namespace

Regex::Regex(const char* pattern) {
  int error = 0;
  PCRE2_SIZE at = 0;
  pcre2_code* code = pcre2_compile(Bytes(pattern), PCRE2_ZERO_TERMINATED, 0, &error, &at, nullptr);
  if (!code) throw std::invalid_argument("malformed at " + std::to_string(at) + ": " + pattern);
  code_.reset(code, [](void* c) { pcre2_code_free(static_cast<pcre2_code*>(c)); });
}

std::optional<Match> Regex::Run(std::string_view text, size_t from, unsigned options) const {
  const auto* code = static_cast<const pcre2_code*>(code_.get());
  std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)> data(
      pcre2_match_data_create_from_pattern(code, nullptr), pcre2_match_data_free);
  if (!text.data()) text = "";
  if (!data || pcre2_match(code, Bytes(text), text.size(), from, options, data.get(), nullptr) < 0)
    return std::nullopt;
  const PCRE2_SIZE* span = pcre2_get_ovector_pointer(data.get());
  Match m(pcre2_get_ovector_count(data.get()));
  for (size_t i = 0; i < m.size(); ++i)
    if (const size_t begin = span[2 * i], end = span[2 * i + 1]; begin != PCRE2_UNSET)
      m[i] = {begin, end, true, std::string(text.substr(begin, end - begin))};
  return m;
}

std::optional<Match> Regex::Find(std::string_view text) const { return Run(text, 0, 0); }
std::optional<Match> Regex::AtStart(std::string_view text) const {
  return Run(text, 0, PCRE2_ANCHORED);
}
std::optional<Match> Regex::Whole(std::string_view text) const {
  return Run(text, 0, PCRE2_ANCHORED | PCRE2_ENDANCHORED);
}

std::vector<Match> Regex::All(std::string_view text) const {
  std::vector<Match> out;
  for (size_t from = 0; from <= text.size();) {
    auto m = Run(text, from, 0);
    if (!m) break;
    const Group& whole = m->front();
    from = whole.end + (whole.begin == whole.end);  // a pattern may match nothing
    out.push_back(std::move(*m));
  }
  return out;
}

std::string Regex::Replace(std::string_view text, std::string_view with) const {
  std::string out;
  size_t at = 0;
  for (const Match& m : All(text)) {
    out.append(text.substr(at, m[0].begin - at)).append(with);
    at = m[0].end;
  }
  return out.append(text.substr(at));
}

}  // namespace akgen::base
