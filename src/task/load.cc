// task.toml, cases.json and reference.py into a TaskSpec. Unknown keys are errors: a typo must not
// pass as a default.
#include <algorithm>
#include <initializer_list>
#include <set>

#include "base/files.h"
#include "base/toml.h"
#include "task/dist_spec.h"
#include "task/fields.h"
#include "task/task.h"

namespace akgen::task {
namespace {
using base::Json;
using base::Result;
using base::Status;

Json ToJson(const toml::node& n) {
  if (auto t = n.as_table()) {
    Json out = Json::object();
    for (auto&& [k, v] : *t) out[std::string(k.str())] = ToJson(v);
    return out;
  }
  if (auto a = n.as_array()) {
    Json out = Json::array();
    for (auto&& v : *a) out.push_back(ToJson(v));
    return out;
  }
  if (auto s = n.as_string()) return s->get();
  if (auto i = n.as_integer()) return i->get();
  if (auto f = n.as_floating_point()) return f->get();
  if (auto b = n.as_boolean()) return b->get();
  return nullptr;
}

// A table being read, with the place for its errors.
struct Reader {
  const toml::table& table;
  std::string file;

  std::string Where() const { return file + ":" + std::to_string(table.source().begin.line); }
  std::string Where(const char* key) const {
    const toml::node* n = table.get(key);
    return n ? file + ":" + std::to_string(n->source().begin.line) : Where();
  }
  Status OnlyKeys(std::initializer_list<std::string_view> keys) const {
    for (auto&& [k, v] : table)
      if (std::find(keys.begin(), keys.end(), k.str()) == keys.end())
        return Malformed("unknown key '" + std::string(k.str()) + "'",
                         file + ":" + std::to_string(v.source().begin.line));
    return {};
  }
  Json Get(const char* key) const {
    const toml::node* n = table.get(key);
    return n ? ToJson(*n) : Json();
  }
  Status Text(const char* key, std::string& out, bool needed) const {
    Json v = Get(key);
    if (v.is_null() && !needed) return {};
    if (!v.is_string()) return Malformed(std::string("'") + key + "' must be a string", Where(key));
    out = v.get<std::string>();
    return {};
  }
  Status Flag(const char* key, bool& out) const {
    Json v = Get(key);
    if (v.is_null()) return {};
    if (!v.is_boolean())
      return Malformed(std::string("'") + key + "' must be true or false", Where(key));
    out = v.get<bool>();
    return {};
  }
};

#define AKGEN_TRY(expr)                                  \
  do {                                                   \
    if (Status s_ = (expr); !s_.ok()) return s_.error(); \
  } while (0)

const std::set<std::string> kKinds{"normal",   "uniform",     "int",      "bool",      "values",
                                   "index",    "ranges",      "constant", "ascending", "onto",
                                   "shuffled", "coordinates", "ring",     "heavy",     "wide",
                                   "ramp",     "level",       "lines"};

Status CheckDist(const Json& dist, const std::string& where) {
  if (!dist.is_object()) return Malformed("an input needs dist = { kind = … }", where);
  static const std::set<std::string> known{"kind",
                                           "mean",
                                           "std",
                                           "low",
                                           "high",
                                           "p",
                                           "values",
                                           "value",
                                           "abs",
                                           "copy_of",
                                           "copy_fraction",
                                           "specials",
                                           "special_fraction",
                                           "special_if",
                                           "integers",
                                           "bools",
                                           "count",
                                           "axis",
                                           "numbers",
                                           "at",
                                           "dims",
                                           "stride",
                                           "least",
                                           "most",
                                           "of",
                                           "first",
                                           "spike"};
  for (auto& [key, v] : dist.items())
    if (!known.contains(key)) return Malformed("unknown key '" + key + "' in dist", where);
  const auto spec = base::Checked(where, [&] { return Result<DistSpec>(DistSpecOf(dist)); });
  if (!spec.ok() || !kKinds.contains(spec->kind))
    return Malformed(
        "dist.kind is not one of normal, uniform, int, bool, values, constant, index, ranges, "
        "ascending, onto, "
        "shuffled, coordinates, ring, heavy, wide, ramp, level, lines",
        where);
  for (const char* nested : {"integers", "bools"})
    if (dist.contains(nested)) AKGEN_TRY(CheckDist(dist[nested], where));
  return {};
}

Status ReadDomain(const Reader& r, Domain& domain) {
  AKGEN_TRY(r.OnlyKeys({"low", "high", "nan", "source"}));
  domain.low = r.Get("low"), domain.high = r.Get("high");
  for (const Json* bound : {&domain.low, &domain.high})
    if (!bound->is_null() && !bound->is_number() && !IsColumn(*bound))
      return Malformed("a domain's low and high are numbers or \"$column\"", r.Where());
  AKGEN_TRY(r.Flag("nan", domain.nan));
  return r.Text("source", domain.source, true);
}

Status ReadIndex(const Reader& r, IndexSpec& index) {
  AKGEN_TRY(r.OnlyKeys({"of", "axis", "first", "stride", "key"}));
  AKGEN_TRY(r.Text("of", index.of, true));
  std::string key = "value";
  AKGEN_TRY(r.Text("key", key, false));
  if (key == "value")
    index.key = IndexKey::kValue;
  else if (key == "magnitude")
    index.key = IndexKey::kMagnitude;
  else if (key == "parts")
    index.key = IndexKey::kParts;
  else
    return Malformed("index.key must be value, magnitude or parts", r.Where("key"));
  index.axis = r.Get("axis");
  if (r.table.contains("first")) index.first = r.Get("first");
  if (r.table.contains("stride")) index.stride = r.Get("stride");
  return {};
}

Result<ParamSpec> ReadParam(const Reader& r, bool input) {
  ParamSpec p;
  if (input)
    AKGEN_TRY(r.OnlyKeys(
        {"name", "kind", "dtype", "shape", "optional", "present", "dist", "upstream", "domain"}));
  else
    AKGEN_TRY(r.OnlyKeys({"name", "kind", "dtype", "shape", "inplace_of", "in_signature",
                          "compared", "zeroed", "shape_of", "index"}));
  AKGEN_TRY(r.Text("name", p.name, true));
  std::string kind = "tensor";
  AKGEN_TRY(r.Text("kind", kind, false));
  if (kind == "tensor")
    p.kind = ParamKind::kTensor;
  else if (kind == "list")
    p.kind = ParamKind::kList;
  else if (kind == "scalar")
    p.kind = ParamKind::kScalar;
  else
    return Malformed("kind must be tensor, list or scalar", r.Where("kind"));
  p.dtype = r.Get("dtype");
  if (!p.dtype.is_string())
    return Malformed("'dtype' must be a name or \"$column\"", r.Where("dtype"));
  if (!IsColumn(p.dtype) && !base::DtypeFromName(p.dtype.get<std::string>()))
    return Malformed("unknown dtype " + base::Dump(p.dtype), r.Where("dtype"));
  p.shape = r.Get("shape");
  if (p.shape.is_null() && p.kind == ParamKind::kScalar) p.shape = Json::array({1});
  if (!p.shape.is_array() && !IsColumn(p.shape))
    return Malformed("'shape' must be a list or \"$column\"", r.Where("shape"));
  if (input) {
    AKGEN_TRY(r.Flag("optional", p.optional));
    p.present = r.table.contains("present") ? r.Get("present") : Json(true);
    p.dist = r.Get("dist");
    AKGEN_TRY(CheckDist(p.dist, r.Where("dist")));
    p.upstream = r.Get("upstream");
    if (!p.upstream.is_null()) AKGEN_TRY(CheckDist(p.upstream, r.Where("upstream")));
    if (const toml::node* domain = r.table.get("domain")) {
      if (!domain->as_table()) return Malformed("domain must be a table", r.Where("domain"));
      AKGEN_TRY(ReadDomain(Reader{*domain->as_table(), r.file}, p.domain));
    }
  } else {
    p.compared = r.table.contains("compared") ? r.Get("compared") : Json(true);
    AKGEN_TRY(r.Text("inplace_of", p.inplace_of, false));
    AKGEN_TRY(r.Flag("in_signature", p.in_signature));
    AKGEN_TRY(r.Flag("zeroed", p.zeroed));
    AKGEN_TRY(r.Text("shape_of", p.shape_of, false));
    if (const toml::node* index = r.table.get("index")) {
      if (!index->as_table()) return Malformed("index must be a table", r.Where("index"));
      AKGEN_TRY(ReadIndex(Reader{*index->as_table(), r.file}, p.index));
    }
    if (!p.in_signature && p.inplace_of.empty())
      return Malformed("an output outside the signature must say inplace_of", r.Where());
  }
  return p;
}

Result<AttrSpec> ReadAttr(const Reader& r) {
  AttrSpec a;
  AKGEN_TRY(r.OnlyKeys({"name", "type", "value", "other"}));
  AKGEN_TRY(r.Text("name", a.name, true));
  AKGEN_TRY(r.Text("type", a.type, true));
  static const std::set<std::string> types{"int",    "float",    "bool",
                                           "string", "list_int", "list_float"};
  if (!types.contains(a.type))
    return Malformed("unknown attribute type '" + a.type + "'", r.Where("type"));
  a.value = r.Get("value");
  if (a.value.is_null()) return Malformed("an attribute needs a value or \"$column\"", r.Where());
  a.other = r.Get("other");
  if (!a.other.is_null() && !a.other.is_array())
    return Malformed("'other' must be a list of values", r.Where("other"));
  return a;
}

Result<PrecisionSpec> ReadPrecision(const Reader& r) {
  PrecisionSpec p;
  AKGEN_TRY(r.OnlyKeys({"rule", "limit", "integers", "ulps", "k"}));
  AKGEN_TRY(r.Text("rule", p.rule, true));
  static const std::set<std::string> rules{"D", "C", "R", "R+i", "M", "Q"};
  if (!rules.contains(p.rule))
    return Malformed("rule must be D, C, R, R+i, M or Q", r.Where("rule"));
  p.limit = r.Get("limit");
  p.integers = r.Get("integers");
  p.ulps = r.Get("ulps");
  p.k = r.Get("k");
  if ((p.rule == "C" || p.rule == "Q") && p.limit.is_null())
    return Malformed("rule " + p.rule + " needs a limit", r.Where());
  if (p.rule == "M" && p.k.is_null()) return Malformed("rule M needs k", r.Where());
  if (!p.integers.is_null() && p.integers != "rule" && p.integers != "exact")
    return Malformed("integers must be \"rule\" or \"exact\"", r.Where("integers"));
  const auto steps = [](const Json& n) { return n.is_number_integer() && n >= 0 && n <= 1 << 20; };
  if (!p.ulps.is_null() &&
      !(p.ulps.is_object() && std::all_of(p.ulps.begin(), p.ulps.end(), steps)))
    return Malformed("ulps must be a table {dtype = n}", r.Where("ulps"));
  return p;
}

// Names under [hidden] must be columns of some case: a typo would leave a shape unguarded.
Status ReadHidden(const Reader& r, HiddenSpec& h) {
  AKGEN_TRY(r.OnlyKeys({"fixed", "multiple", "least", "most", "toggle"}));
  for (auto [key, out] : {std::pair{"fixed", &h.fixed}, {"toggle", &h.toggle}}) {
    Json list = r.Get(key);
    if (list.is_null()) continue;
    if (!list.is_array())
      return Malformed(std::string("hidden.") + key + " must be a list of columns", r.Where(key));
    for (const Json& name : list) {
      if (!name.is_string())
        return Malformed(std::string("hidden.") + key + " must be a list of columns", r.Where(key));
      out->push_back(name.get<std::string>());
    }
  }
  for (auto [key, out] :
       {std::pair{"multiple", &h.multiple}, {"least", &h.least}, {"most", &h.most}}) {
    Json table = r.Get(key);
    if (table.is_null()) continue;
    if (!table.is_object())
      return Malformed(std::string("hidden.") + key + " must be a table { column = number }",
                       r.Where(key));
    for (auto& [name, v] : table.items()) {
      if (IsColumn(v) && std::string_view(key) == "multiple") {
        h.multiple_of[name] = v.get<std::string>().substr(1);
        continue;
      }
      if (!v.is_number_integer() || v.get<int64_t>() < 1)
        return Malformed(std::string("hidden.") + key + ": a whole number from 1 on is needed",
                         r.Where(key));
      (*out)[name] = v.get<int64_t>();
    }
  }
  return {};
}

Status ReadLint(const Reader& r, std::vector<std::string>& right) {
  AKGEN_TRY(r.OnlyKeys({"right"}));
  Json list = r.Get("right");
  if (!list.is_array()) return Malformed("lint.right must be a list of answers", r.Where("right"));
  for (const Json& name : list) {
    if (!name.is_string())
      return Malformed("lint.right must be a list of answers", r.Where("right"));
    right.push_back(name.get<std::string>());
  }
  return {};
}

Status CheckHiddenNames(const TaskSpec& t, const std::string& file) {
  auto known = [&](const std::string& name) {
    std::string column = name.substr(0, name.find('/'));
    return std::any_of(t.cases.begin(), t.cases.end(),
                       [&](const CaseRow& c) { return c.columns.contains(column); });
  };
  std::vector<std::string> names = t.hidden.fixed;
  for (auto* table : {&t.hidden.multiple, &t.hidden.least, &t.hidden.most})
    for (auto& [name, v] : *table) names.push_back(name);
  names.insert(names.end(), t.hidden.toggle.begin(), t.hidden.toggle.end());
  for (auto& [name, of] : t.hidden.multiple_of) names.insert(names.end(), {name, of});
  for (const std::string& name : names)
    if (!known(name))
      return Malformed("[hidden] names '" + name + "', which is not a column of any case", file);
  return {};
}

// Every table of the array `key`, through `read`.
template <typename T, typename Read>
Status ReadTables(const Reader& top, const char* key, std::vector<T>& out, Read read) {
  const toml::node* n = top.table.get(key);
  if (!n) return {};
  const toml::array* array = n->as_array();
  if (!array)
    return Malformed(std::string("[[") + key + "]] must be an array of tables", top.Where(key));
  for (auto&& e : *array) {
    const toml::table* t = e.as_table();
    if (!t)
      return Malformed(std::string("[[") + key + "]] must be an array of tables", top.Where(key));
    auto r = read(Reader{*t, top.file});
    if (!r) return r.error();
    out.push_back(std::move(r.value()));
  }
  return {};
}

// A case as cases.json has it: its id and, beside it, the columns.
Result<CaseRow> PublishedRowFromJson(Json row, const std::string& where) {
  if (!row.is_object() || !row.contains("id"))
    return Malformed("a case must be an object with an id", where);
  const Json id = row["id"];
  if (!id.is_string() && !id.is_number_integer())
    return Malformed("id must be a string or a whole number", where);
  CaseRow c{id.is_string() ? id.get<std::string>() : std::to_string(id.get<int64_t>()),
            std::move(row)};
  for (const auto& [name, v] : c.columns.items())
    if (name.find_first_of("/~") != std::string::npos)
      return Malformed("the column '" + name + "' has / or ~ in its name", where);
  return c;
}

Status ReadCases(const std::filesystem::path& path, std::vector<CaseRow>& out) {
  auto text = base::ReadFile(path);
  if (!text) return text.error();
  Json rows = base::Parse(*text);
  try {
    if (rows.is_discarded()) (void)Json::parse(*text);  // to say where
  } catch (const Json::parse_error& e) {
    auto line = 1 + std::count(text->begin(), text->begin() + std::min(e.byte, text->size()), '\n');
    return Malformed("not JSON: " + std::string(e.what()),
                     path.string() + ":" + std::to_string(line));
  }
  if (!rows.is_array() || rows.empty())
    return Malformed("cases.json must be a list of at least one case", path.string());
  std::set<std::string> seen;
  for (size_t i = 0; i < rows.size(); ++i) {
    std::string where = path.string() + ": case number " + std::to_string(i + 1);
    auto row = PublishedRowFromJson(std::move(rows[i]), where);
    if (!row.ok()) return row.error();
    CaseRow& c = *row;
    if (!seen.insert(c.id).second) return Malformed("the id '" + c.id + "' appears twice", where);
    out.push_back(std::move(c));
  }
  return {};
}

Status CheckTogether(const TaskSpec& t, const Reader& r) {
  std::set<std::string> names;
  for (const ParamSpec& p : t.inputs)
    if (!names.insert(p.name).second)
      return Malformed("two inputs are called '" + p.name + "'", r.Where());
  if (t.outputs.empty()) return Malformed("a task needs at least one [[output]]", r.Where());
  for (const ParamSpec& p : t.outputs)
    if (!p.inplace_of.empty() && !names.contains(p.inplace_of))
      return Malformed("output '" + p.name + "': inplace_of names no input", r.Where());
    else if (names.contains(p.name) && p.inplace_of != p.name)
      return Malformed("an input and an output are both called '" + p.name + "'", r.Where());
    else if (!p.index.of.empty() && !names.contains(p.index.of))
      return Malformed("output '" + p.name + "': index.of names no input", r.Where());
  if (t.reference.find("def reference(") == std::string::npos)
    return Malformed("reference.py has no function 'reference'",
                     (t.folder / "reference.py").string());
  return {};
}

Status ReadHead(const Reader& r, TaskSpec& t) {
  AKGEN_TRY(r.OnlyKeys({"schema", "name", "level", "category", "entry", "description", "input",
                        "output", "attr", "precision", "reference", "hidden", "lint"}));
  if (r.Get("schema") != Json(1)) return Malformed("schema must be 1", r.Where("schema"));
  AKGEN_TRY(r.Text("name", t.name, true));
  AKGEN_TRY(r.Text("category", t.category, true));
  AKGEN_TRY(r.Text("entry", t.entry, true));
  AKGEN_TRY(r.Text("description", t.description, true));
  Json level = r.Get("level");
  if (!level.is_number_integer() || level < 0 || level > 9)
    return Malformed("'level' must be a whole number from 0 to 9", r.Where("level"));
  t.level = level.get<int>();
  if (const toml::node* n = r.table.get("reference")) {
    const toml::table* table = n->as_table();
    if (!table) return Malformed("[reference] must be a table", r.Where("reference"));
    Reader ref{*table, r.file};
    AKGEN_TRY(ref.OnlyKeys({"native"}));
    AKGEN_TRY(ref.Flag("native", t.native_reference));
  }
  return {};
}
}  // namespace

Result<TaskSpec> LoadTaskFolder(const std::filesystem::path& folder) {
  TaskSpec t;
  t.folder = folder;
  std::string file = (folder / "task.toml").string();
  auto text = base::ReadFile(file);
  if (!text) return text.error();
  toml::parse_result parsed = toml::parse(*text, file);
  if (!parsed)
    return Malformed("not TOML: " + std::string(parsed.error().description()),
                     file + ":" + std::to_string(parsed.error().source().begin.line));
  Reader top{parsed.table(), file};
  AKGEN_TRY(ReadHead(top, t));
  AKGEN_TRY(ReadTables(top, "input", t.inputs, [](const Reader& r) { return ReadParam(r, true); }));
  AKGEN_TRY(
      ReadTables(top, "output", t.outputs, [](const Reader& r) { return ReadParam(r, false); }));
  AKGEN_TRY(ReadTables(top, "attr", t.attrs, ReadAttr));
  const toml::node* precision = top.table.get("precision");
  if (!precision || !precision->as_table())
    return Malformed("a task needs a [precision] table", file);
  auto p = ReadPrecision(Reader{*precision->as_table(), file});
  if (!p) return p.error();
  t.precision = std::move(p.value());
  AKGEN_TRY(ReadCases(folder / "cases.json", t.cases));
  if (const toml::node* lint = top.table.get("lint")) {
    if (!lint->as_table()) return Malformed("[lint] must be a table", top.Where("lint"));
    AKGEN_TRY(ReadLint(Reader{*lint->as_table(), file}, t.lint_right));
  }
  if (const toml::node* hidden = top.table.get("hidden")) {
    if (!hidden->as_table()) return Malformed("[hidden] must be a table", top.Where("hidden"));
    AKGEN_TRY(ReadHidden(Reader{*hidden->as_table(), file}, t.hidden));
    AKGEN_TRY(CheckHiddenNames(t, file));
  }
  auto script = base::ReadFile(folder / "reference.py");
  if (!script) return script.error();
  t.reference = std::move(script.value());
  AKGEN_TRY(CheckTogether(t, top));
  for (const CaseRow& row : t.cases) AKGEN_TRY(CheckCase(t, row));
  return t;
}

}  // namespace akgen::task
