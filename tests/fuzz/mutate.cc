#include <cmath>
#include <random>

#include "base/text.h"
#include "fuzz.h"

namespace akgen::fuzz {
using base::Json;

namespace {
using Rng = std::mt19937_64;

size_t Below(Rng& rng, size_t n) { return n ? size_t(rng() % n) : 0; }

Json Nested(size_t depth) {
  Json out = 1;
  for (size_t i = 0; i < depth; ++i)
    out = i % 2 ? Json{{"a", std::move(out)}} : Json::array({std::move(out)});
  return out;
}

// Values that a reader does not expect: other types, extremes, text that is no UTF-8 or another
// program's.
Json Odd(Rng& rng) {
  switch (Below(rng, 28)) {
    case 0: return nullptr;
    case 1: return true;
    case 2: return Json::array();
    case 3: return Json::object();
    case 4: return "";
    case 5: return -1;
    case 6: return 0;
    case 7: return UINT64_MAX;
    case 8: return INT64_MIN;
    case 9: return 1e308;
    case 10: return -0.5;
    case 11: return std::string("\xff\xfe\x80 no UTF-8 \xc1");
    case 12: return std::string(size_t{1} << Below(rng, 14), 'x');
    case 13: return "../../../../etc/passwd";
    case 14: return "pass";
    case 15: return Json::array({nullptr, 1, "x", Json::object()});
    case 16: return Json{{"", 1}, {"\xff", 2}};
    case 17: return Nested(Below(rng, 200));
    case 18: return "{}%s%n{0:>999999}";
    case 19: return std::string("a\0b", 3);
    case 20: return Json::array({Json::array({Json::array()})});
    case 21: return 1e300;
    case 22: return int64_t{1} << (30 + Below(rng, 34));
    case 23: return -(int64_t{1} << (30 + Below(rng, 33)));
    case 24: return INT32_MAX;
    case 25: return INT32_MIN;
    case 26: return INT64_MAX;
    default: return int64_t(rng());
  }
}

size_t CountNodes(const Json& j) {
  size_t n = 1;
  if (j.is_structured())
    for (const Json& e : j) n += CountNodes(e);
  return n;
}

Json* NodeAt(Json& j, size_t& index) {
  if (index == 0) return &j;
  --index;
  if (j.is_structured())
    for (Json& e : j)
      if (Json* found = NodeAt(e, index)) return found;
  return nullptr;
}

void Disturb(Json& j, Rng& rng) {
  size_t index = Below(rng, CountNodes(j));
  Json* node = NodeAt(j, index);
  if (!node) return;
  if (node->is_object() && !node->empty() && Below(rng, 3)) {
    auto it = node->begin();
    std::advance(it, Below(rng, node->size()));
    const std::string key = it.key();
    switch (Below(rng, 4)) {
      case 0: node->erase(key); return;
      case 1: (*node)[key + "x"] = (*node)[key], node->erase(key); return;
      case 2: (*node)[std::string("new ") + char(rng())] = Odd(rng); return;
      default: (*node)[key] = Odd(rng); return;
    }
  }
  if (node->is_array() && !node->empty() && Below(rng, 3)) {
    const size_t at = Below(rng, node->size());
    switch (Below(rng, 4)) {
      case 0: node->erase(at); return;
      case 1: node->push_back(Json((*node)[at])); return;
      case 2: node->clear(); return;
      default: (*node)[at] = Odd(rng); return;
    }
  }
  if (node->is_number() && Below(rng, 2)) {
    *node = node->get<double>() * (Below(rng, 2) ? -1 : 1e9) + double(Below(rng, 3));
    return;
  }
  *node = Odd(rng);
}

std::string ChangedBytes(std::string text, Rng& rng) {
  for (size_t n = 1 + Below(rng, 4); n-- && !text.empty();) {
    const size_t at = Below(rng, text.size());
    switch (Below(rng, 5)) {
      case 0: text[at] = char(rng()); break;
      case 1: text.erase(at, 1 + Below(rng, 16)); break;
      case 2: text.insert(at, text.substr(Below(rng, text.size()), Below(rng, 64))); break;
      case 3: text.resize(at); break;
      default:
        text.insert(at, std::string(1 + Below(rng, 8), "[]{}\",:\\\xff\n(\t0"[Below(rng, 14)]));
        break;
    }
  }
  return text;
}
// For a language: a word, number or string gives its place to another of the same text, or a line
// is taken away, doubled or moved. Most results are still sentences.
std::string ChangedWords(const std::string& text, Rng& rng) {
  std::vector<std::pair<size_t, size_t>> words, lines;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && (base::IsWord(text[end]) || text[end] == '.')) ++end;
    if (end > i) words.push_back({i, end - i});
    i = std::max(end, i + 1);
  }
  for (size_t i = 0; i < text.size();) {
    const size_t end = std::min(text.find('\n', i), text.size() - 1) + 1;
    lines.push_back({i, end - i}), i = end;
  }
  if (words.empty()) return ChangedBytes(text, rng);
  std::string out = text;
  const auto [at, length] = words[Below(rng, words.size())];
  const auto [line, size] = lines[Below(rng, lines.size())];
  static const char* const kNumbers[] = {"0",
                                         "-1",
                                         "1e309",
                                         "1e300",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "2147483647",
                                         "4294967296",
                                         "3.5",
                                         "7",
                                         "65536"};
  switch (Below(rng, 6)) {
    case 0: return out.erase(line, size);
    case 1: return out.insert(line, text.substr(line, size));
    case 2: {
      const auto [from, n] = lines[Below(rng, lines.size())];
      return out.insert(line, text.substr(from, n));
    }
    case 3: return out.replace(at, length, kNumbers[Below(rng, std::size(kNumbers))]);
    default: {
      const auto [from, n] = words[Below(rng, words.size())];
      return out.replace(at, length, text.substr(from, n));
    }
  }
}
}  // namespace

std::string Mutated(const std::string& text, uint64_t seed) {
  Rng rng(seed);
  if (Below(rng, 5) == 0) return ChangedBytes(text, rng);
  // The whole text, or one of its lines.
  size_t from = 0, to = text.size();
  Json j = base::Parse(text);
  if (j.is_discarded() || !j.is_structured()) {
    std::vector<size_t> starts;  // of an object in a line, also of "data: {…}" in a stream
    for (size_t i = 0; i < text.size(); i = std::min(text.find('\n', i), text.size() - 1) + 1)
      if (size_t open = text.find('{', i); open < text.find('\n', i)) starts.push_back(open);
    if (starts.empty()) return ChangedWords(text, rng);
    from = starts[Below(rng, starts.size())];
    to = std::min(text.find('\n', from), text.size());
    j = base::Parse(std::string_view(text).substr(from, to - from));
    if (j.is_discarded() || !j.is_structured()) return ChangedWords(text, rng);
  }
  for (size_t n = 1 + Below(rng, 3); n--;) Disturb(j, rng);
  return text.substr(0, from) + base::Dump(j) + text.substr(to);
}

}  // namespace akgen::fuzz
