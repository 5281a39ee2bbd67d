#include "judge/session/project_text.h"

#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>

#include "base/files.h"
#include "base/toml.h"
#include "judge/host/blocked.h"
#include "judge/run/lone.h"
#include "judge/session/project_run.h"

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
    if (c == at)
      out.emplace_back();
    else
      out.back() += c;
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
  if (open == std::string::npos || text.back() != ')')
    return BadCase("no distribution: " + text, text);
  const std::string kind = text.substr(0, open);
  std::vector<double> numbers;
  for (const auto& word : Split(text.substr(open + 1, text.size() - open - 2), ',')) {
    auto v = NumberOf(word);
    if (!v) return BadCase("no number: " + word, text);
    numbers.push_back(*v);
  }
  static const std::map<std::string, std::vector<const char*>> kKinds = {
      {"normal", {"mean", "std"}},
      {"uniform", {"low", "high"}},
      {"int", {"low", "high"}},
      {"constant", {"value"}},
      {"index", {"high"}}};
  auto known = kKinds.find(kind);
  if (known == kKinds.end() || known->second.size() != numbers.size())
    return BadCase("no distribution: " + text, text);
  Json out{{"kind", kind}};
  for (size_t i = 0; i < numbers.size(); ++i) out[known->second[i]] = base::WholeOrReal(numbers[i]);
  return out;
}

constexpr std::string_view kAs = " as ", kOf = " of ";

// NAME[SHAPE]
base::Result<std::pair<std::string, std::vector<int64_t>>> ShapeOf(const std::string& one,
                                                                   const std::string& text) {
  const size_t open = one.find('[');
  if (open == std::string::npos || one.back() != ']')
    return BadCase("no DTYPE[SHAPE]: " + one, text);
  std::vector<int64_t> shape;
  for (const auto& word : Split(one.substr(open + 1, one.size() - open - 2), ',')) {
    auto v = NumberOf(word);
    if (!v || !(*v >= 0 && *v <= 1e12) || *v != std::floor(*v))
      return BadCase("no dimension: " + word, text);
    shape.push_back(int64_t(*v));
  }
  return std::pair{one.substr(0, open), std::move(shape)};
}
}  // namespace

base::Result<TensorText> PairsOf(const std::vector<int64_t>& shape) {
  if (shape.empty() || shape.back() % 2)
    return BadCase("int4 with an odd last dimension: two are in a byte", "int4");
  TensorText out;
  out.dtype = base::Dtype::kInt8;
  out.declared = {task::kInt4, task::kFormatNd, task::kFormatNd, shape, shape};
  out.shapes = {shape};
  out.shapes[0].back() /= 2;
  return out;
}

namespace {
// FORMAT of ORIGIN[SHAPE], what a tensor that is given by its blocks holds.
base::Result<TensorText> Declare(TensorText tensor, const std::string& words,
                                 const std::string& text) {
  if (tensor.shapes.size() > 1) return BadCase("a format is that of one tensor", text);
  const size_t of = words.find(kOf);
  if (of == std::string::npos) return BadCase("no FORMAT of ORIGIN[SHAPE]: " + words, text);
  auto origin = ShapeOf(words.substr(of + kOf.size()), text);
  if (!origin.ok()) return origin.error();
  const std::string name = words.substr(0, of);
  const auto format = FormatOfName(name), origin_format = FormatOfName(origin->first);
  if (!format) return BadCase("no format: " + name, text);
  if (!origin_format) return BadCase("no format: " + origin->first, text);
  if (const size_t axes = AxesOf(*origin_format).size(); axes && axes != origin->second.size())
    return BadCase("a format has a letter for each dimension: " + words, text);
  const std::vector<int64_t> storage =
      tensor.declared ? tensor.declared->storage : tensor.shapes[0];
  tensor.declared = {tensor.DeclaredDtype(), *format, *origin_format, origin->second, storage};
  return tensor;
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
        list.push_back(base::WholeOrReal(*v));
      }
      if (list.empty()) return BadCase("no numbers", text);
      out.dist = {{"kind", "values"}, {"values", list}};
    }
  }
  const size_t as = shapes.find(kAs);
  const std::string format = as == std::string::npos ? "" : shapes.substr(as + kAs.size());
  for (const auto& one : Split(shapes.substr(0, as), ';')) {
    auto named = ShapeOf(one, text);
    if (!named.ok()) return named.error();
    if (named->first == "i4" || named->first == "int4") {
      auto pairs = PairsOf(named->second);
      if (!pairs.ok()) return pairs.error();
      out.dtype = pairs->dtype, out.declared = pairs->declared;
      out.shapes.push_back(pairs->shapes[0]);
      continue;
    }
    auto dtype = DtypeOfName(named->first);
    if (!dtype) return BadCase("unknown dtype: " + named->first, text);
    out.dtype = *dtype;
    out.shapes.push_back(std::move(named->second));
  }
  if (out.shapes.empty()) return BadCase("an empty parameter", text);
  if (out.declared && out.shapes.size() > 1) return BadCase("a list of int4", text);
  return as == std::string::npos ? out : Declare(std::move(out), format, text);
}

Json UsualValues(base::Dtype d) {
  if (base::IsFloating(d) || d == base::Dtype::kComplex64)
    return {{"kind", "normal"}, {"mean", 0}, {"std", 1}};
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
        for (auto&& [name, value] : *list)
          into->emplace_back(std::string(name.str()), value.value_or(std::string()));
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
