#include "record/edit.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace akgen::record {
using base::Json;

Json ToJson(const Edit& e) {
  return {{"file", e.file},
          {"line", e.line},
          {"column", e.column},
          {"end_line", e.end_line},
          {"end_column", e.end_column},
          {"text", e.text}};
}

Json ToJson(const std::vector<Edit>& edits) {
  Json list = Json::array();
  for (const Edit& e : edits) list.push_back(ToJson(e));
  return list;
}

std::vector<Edit> EditsFromJson(const Json& json) {
  std::vector<Edit> edits;
  for (const Json& j : json)
    edits.push_back({j.at("file"), j.at("line"), j.at("column"), j.at("end_line"),
                     j.at("end_column"), j.at("text")});
  return edits;
}

namespace {
struct Span {
  size_t begin, end;
};

std::optional<size_t> OffsetOf(std::string_view source, int line, int column) {
  size_t at = 0;
  for (int i = 1; i < line; ++i) {
    at = source.find('\n', at);
    if (at == std::string_view::npos) return std::nullopt;
    ++at;
  }
  const size_t end = std::min(source.find('\n', at), source.size());
  if (line < 1 || column < 1 || size_t(column) - 1 > end - at) return std::nullopt;
  return at + size_t(column) - 1;
}
}  // namespace

base::Result<std::string> Edited(std::string_view source, std::string_view file,
                                 const std::vector<Edit>& edits) {
  std::vector<std::pair<Span, const Edit*>> places;
  for (const Edit& e : edits) {
    if (e.file != file) continue;
    const auto begin = OffsetOf(source, e.line, e.column),
               end = OffsetOf(source, e.end_line, e.end_column);
    if (!begin || !end || *end < *begin)
      return base::Error{"AK0016", "an edit names a place that the file does not have",
                         e.file + ":" + std::to_string(e.line),
                         "apply it to the source that was judged"};
    places.push_back({{*begin, *end}, &e});
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
  std::string out;
  size_t at = 0;
  for (const auto& [span, edit] : places) {
    if (span.begin < at)
      return base::Error{"AK0016", "two edits change the same place",
                         edit->file + ":" + std::to_string(edit->line),
                         "apply the edits of one finding at a time"};
    out += source.substr(at, span.begin - at);
    out += edit->text;
    at = span.end;
  }
  return out + std::string(source.substr(at));
}

}  // namespace akgen::record
