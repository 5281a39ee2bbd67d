#include "judge/project_text.h"

#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "base/files.h"
#include "judge/lone.h"
#include "judge/project_run.h"

namespace akgen::judge {
using base::Json;

base::Error BadCase(const std::string& what, const std::string& where) {
  return {"AK0403", what, where,
          "write e.g. x=f16[8,64], x=f16[8,64]~normal(0,1), axis=i64[2]:0,1 or x=f16[8,64]@x.bin"};
}

namespace {
std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> out(1);
  for (char c : text)
    if (c == at) out.emplace_back();
    else out.back() += c;
  if (out.size() == 1 && out[0].empty()) out.clear();
  return out;
}

std::optional<double> NumberOf(const std::string& text) {
  char* end = nullptr;
  const double v = std::strtod(text.c_str(), &end);
  return text.empty() || *end ? std::nullopt : std::optional(v);
}

base::Result<Json> DistOf(const std::string& text) {
  const size_t open = text.find('(');
  if (open == std::string::npos || text.back() != ')') return BadCase("no distribution: " + text, text);
  const std::string kind = text.substr(0, open);
  std::vector<double> numbers;
  for (const auto& word : Split(text.substr(open + 1, text.size() - open - 2), ',')) {
    auto v = NumberOf(word);
    if (!v) return BadCase("no number: " + word, text);
    numbers.push_back(*v);
  }
  static const std::map<std::string, std::vector<const char*>> kKinds = {{"normal", {"mean", "std"}},
                                                                         {"uniform", {"low", "high"}},
                                                                         {"int", {"low", "high"}},
                                                                         {"constant", {"value"}},
                                                                         {"index", {"high"}}};
  auto known = kKinds.find(kind);
  if (known == kKinds.end() || known->second.size() != numbers.size()) return BadCase("no distribution: " + text, text);
  Json out{{"kind", kind}};
  for (size_t i = 0; i < numbers.size(); ++i) {
    const bool whole = numbers[i] == double(int64_t(numbers[i]));
    out[known->second[i]] = whole ? Json(int64_t(numbers[i])) : Json(numbers[i]);
  }
  return out;
}

}  // namespace

base::Result<TensorText> ParseTensor(const std::string& text) {
  TensorText out;
  std::string shapes = text;
  if (size_t at = text.find_first_of(":~@"); at != std::string::npos) {
    const std::string rest = text.substr(at + 1);
    shapes = text.substr(0, at);
    if (text[at] == '@') out.file = rest;
    if (text[at] == '~') {
      auto dist = DistOf(rest);
      if (!dist.ok()) return dist.error();
      out.dist = *dist;
    }
    if (text[at] == ':') {
      Json list = Json::array();
      for (const auto& word : Split(rest, ',')) {
        auto v = NumberOf(word);
        if (!v) return BadCase("no number: " + word, text);
        list.push_back(*v == double(int64_t(*v)) ? Json(int64_t(*v)) : Json(*v));
      }
      out.dist = {{"kind", "values"}, {"values", list}};
    }
  }
  for (const auto& one : Split(shapes, ';')) {
    const size_t open = one.find('[');
    if (open == std::string::npos || one.back() != ']') return BadCase("no DTYPE[SHAPE]: " + one, text);
    auto dtype = DtypeOfName(one.substr(0, open));
    if (!dtype) return BadCase("unknown dtype: " + one.substr(0, open), text);
    out.dtype = *dtype;
    std::vector<int64_t> shape;
    for (const auto& word : Split(one.substr(open + 1, one.size() - open - 2), ',')) {
      auto v = NumberOf(word);
      if (!v || *v < 0 || *v > 1e12) return BadCase("no dimension: " + word, text);
      shape.push_back(int64_t(*v));
    }
    out.shapes.push_back(std::move(shape));
  }
  if (out.shapes.empty()) return BadCase("an empty parameter", text);
  return out;
}

Json UsualValues(base::Dtype d) {
  if (base::IsFloating(d) || d == base::Dtype::kComplex64) return {{"kind", "normal"}, {"mean", 0}, {"std", 1}};
  if (d == base::Dtype::kBool) return {{"kind", "bool"}, {"p", 0.5}};
  return {{"kind", "int"}, {"low", 0}, {"high", 3}};
}

base::Result<std::vector<ProjectCase>> ReadProjectCases(const std::string& file) {
  auto text = base::ReadFile(file);
  if (!text.ok()) return text.error();
  toml::parse_result parsed = toml::parse(*text, file);
  if (!parsed) return BadCase(std::string(parsed.error().description()), file);
  const toml::array* rows = parsed.table()["case"].as_array();
  if (!rows) return BadCase("no [[case]]", file);
  std::vector<ProjectCase> out;
  for (const auto& row : *rows) {
    const toml::table* t = row.as_table();
    if (!t) return BadCase("a case is a table", file);
    ProjectCase c;
    c.id = (*t)["id"].value_or(std::to_string(out.size()));
    for (auto [key, into] : {std::pair{"inputs", &c.inputs}, {"outputs", &c.outputs}})
      if (const toml::table* list = (*t)[key].as_table())
        for (auto&& [name, value] : *list) into->emplace_back(std::string(name.str()), value.value_or(std::string()));
    if (const toml::table* attrs = (*t)["attrs"].as_table()) {
      std::ostringstream json;
      json << toml::json_formatter{*attrs};
      c.attrs = base::Parse(json.str());
    }
    out.push_back(std::move(c));
  }
  return out;
}

}  // namespace akgen::judge
