#define PCRE2_CODE_UNIT_WIDTH 8
#include "lm/tokenizer/splitter.h"

#include <pcre2.h>

namespace akgen::lm {

base::Result<std::shared_ptr<const Splitter>> Splitter::Compile(const std::string& pattern) {
  int code = 0;
  PCRE2_SIZE at = 0;
  pcre2_code* compiled =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF, &code, &at, nullptr);
  if (!compiled) {
    unsigned char text[256] = {};
    pcre2_get_error_message(code, text, sizeof text);
    return base::Error{"AK1910",
                       "the pattern of the pre-tokenizer is malformed: " +
                           std::string(reinterpret_cast<char*>(text)),
                       "offset " + std::to_string(at) + " of " + pattern, ""};
  }
  pcre2_jit_compile(
      compiled, PCRE2_JIT_COMPLETE);  // where there is no such compiler, matching is only slower
  std::shared_ptr<Splitter> s(new Splitter);
  s->code_ = compiled;
  return std::shared_ptr<const Splitter>(s);
}

Splitter::~Splitter() { pcre2_code_free(static_cast<pcre2_code*>(code_)); }

void Splitter::Split(std::string_view text,
                     const std::function<void(std::string_view)>& piece) const {
  const auto* code = static_cast<const pcre2_code*>(code_);
  pcre2_match_data* match = pcre2_match_data_create_from_pattern(code, nullptr);
  const PCRE2_SIZE* span = pcre2_get_ovector_pointer(match);
  size_t at = 0, from = 0;  // pieces up to `at` are out; the next match is looked for from `from`
  while (from < text.size() && pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()),
                                           text.size(), from, 0, match, nullptr) > 0) {
    if (span[1] <= span[0]) {  // a pattern may match nothing
      ++from;
      continue;
    }
    if (span[0] > at) piece(text.substr(at, span[0] - at));
    piece(text.substr(span[0], span[1] - span[0]));
    at = from = span[1];
  }
  if (at < text.size()) piece(text.substr(at));
  pcre2_match_data_free(match);
}

}  // namespace akgen::lm
