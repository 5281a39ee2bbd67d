// Cases to variants (one kernel each), variants to a program: the host function tells them apart by attributes and
// absent inputs.
#include "craft/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "craft/craft.h"

namespace akgen::craft {
namespace {
using base::Json;

struct Variant {
  KernelText kernel;
  Layout layout;
  std::vector<size_t> cases;
};

// Operations and how they are connected, shapes aside.
std::string Structure(const Json& graph) {
  std::string out;
  for (const Json& n : graph["nodes"]) {
    out += n["op"].get<std::string>() + "(";
    for (Json a : n["args"]) {
      if (a.is_object() && a.contains("s") && a["s"].is_object()) a["s"].erase("value");
      out += a.is_object() && a.contains("l") ? "list" : a.dump();
      out += ",";
    }
    out += ")";
  }
  return out + graph["outputs"].dump();
}

int64_t Numel(const std::vector<int64_t>& s) {
  int64_t n = 1;
  for (int64_t d : s) n *= d;
  return n;
}

// Whether the case may use the kernel written for a larger one: every value has as many elements as its span says.
bool Agrees(const Layout& l, const PlanCase& c, const PlanTask& task) {
  std::map<std::string, int64_t> n;
  for (const PlanParam& p : task.params)
    if (c.shapes.count(p.id)) n[p.is_list ? p.id + ".0" : p.id] = Numel(c.shapes.at(p.id));
  for (const Json& node : c.graph["nodes"]) n[node["out"][0]["id"]] = Numel(node["out"][0]["shape"].get<std::vector<int64_t>>());
  int64_t full = 1, cols = 1;
  for (const auto& [id, span] : l.span) {
    if (!n.count(id)) return false;
    if (span == Span::kFull) full = std::max(full, n[id]);
    if (span == Span::kRow) cols = std::max(cols, n[id]);
  }
  for (const auto& [id, span] : l.span) {
    if (span == Span::kFull && n[id] != full) return false;
    if (span == Span::kOne && n[id] != 1) return false;
    if (span == Span::kRow && n[id] != cols) return false;
  }
  return true;
}

// The host's expressions for rows and cols.
bool Extents(Variant& v, const PlanTask& task) {
  std::string row, full, column;
  for (const PlanParam& p : task.params) {
    if (p.is_attr || p.is_list || p.optional) continue;
    auto it = v.layout.span.find(p.id);
    if (it == v.layout.span.end()) continue;
    (it->second == Span::kRow ? row : it->second == Span::kFull ? full : it->second == Span::kColumn ? column : column) = p.id;
  }
  if (full.empty() || v.layout.shape.at(full).size() < static_cast<size_t>(v.layout.trailing)) return false;
  v.kernel.like = full;
  v.kernel.cols = !row.empty() ? row + ".numel" : v.layout.trailing == 1 ? full + ".shape[-1]" : fmt::format("prod({}.shape[-{}:])", full, v.layout.trailing);
  v.kernel.rows = full + ".numel // cols";
  return true;
}

std::string Literal(const Json& v) { return v.is_string() ? v.dump() : v.is_boolean() ? (v.get<bool>() ? "True" : "False") : v.dump(); }

// What holds in the cases of this variant and in no case of the others.
std::string Condition(const PlanTask& task, const std::vector<Variant>& variants, size_t which) {
  std::string out;
  for (const PlanParam& p : task.params) {
    std::set<std::string> mine, others;
    std::vector<Json> values;
    for (size_t v = 0; v < variants.size(); ++v)
      for (size_t c : variants[v].cases) {
        const PlanCase& k = task.cases[c];
        Json value = p.is_attr ? (p.type == "int" || p.type == "bool" || p.type == "string" ? k.attrs.at(p.id) : Json()) : p.optional ? Json(k.shapes.count(p.id) > 0) : Json();
        bool fresh = (v == which ? mine : others).insert(value.dump()).second;
        if (v == which && fresh) values.push_back(value);
      }
    bool differs = mine.size() != others.size() || mine != others;
    if (!differs || values.empty() || values[0].is_null() || values.size() > 8) continue;
    std::string any;
    for (const Json& value : values) {
      std::string one = p.is_attr ? fmt::format("{} == {}", p.id, Literal(value)) : value.get<bool>() ? fmt::format("present({})", p.id) : fmt::format("not present({})", p.id);
      any += (any.empty() ? "" : " or ") + one;
    }
    out += (out.empty() ? "(" : " and (") + any + ")";
  }
  return out;
}

std::string OutputShape(const Variant& v, const PlanTask& task, size_t i) {
  const std::string id = task.cases[v.cases[0]].graph["outputs"][i];
  Span s = v.layout.span.count(id) ? v.layout.span.at(id) : Span::kOne;
  if (s == Span::kOne) return "[1]";
  if (v.kernel.like.empty()) return "[1]";
  return s == Span::kFull ? v.kernel.like + ".shape" : s == Span::kRow ? "[cols]" : "[rows, 1]";
}

std::string HostText(const PlanTask& task, std::vector<Variant>& variants, const std::string& list) {
  std::string out = "@host\ndef op(", body;
  for (size_t i = 0; i < task.params.size(); ++i) {
    const PlanParam& p = task.params[i];
    std::string type = p.type == "string" ? "str" : p.type == "list_int" ? "ints" : p.type;
    out += (i ? ", " : "") + p.id + ": " + (p.is_attr ? type : fmt::format("{}({})", p.is_list ? "tensors" : "tensor", DtypeList(p.dtypes)));
    if (p.optional) out += " = None";
  }
  out += "):\n";
  bool rows = std::any_of(variants.begin(), variants.end(), [](const Variant& v) { return !v.kernel.flat; });
  const Variant& first = variants[0];
  if (list.empty() && !rows) body += fmt::format("    total = {}.numel\n", first.kernel.like);
  if (rows) body += fmt::format("    cols = {}\n    rows = {}\n", first.kernel.cols, first.kernel.rows);
  std::map<std::string, std::string> alias;
  for (size_t i = 0; i < task.outputs.size(); ++i) {
    const PlanOutput& o = task.outputs[i];
    std::string y = fmt::format("y{}", i);
    if (!o.inplace_of.empty() && !o.in_signature) {
      alias[y] = o.inplace_of;
    } else if (!o.inplace_of.empty()) {
      body += fmt::format("    {} = inplace({})\n", y, o.inplace_of);
    } else {
      body += fmt::format("    {} = empty({}, column({}))\n", y, o.is_list ? list : OutputShape(first, task, i), DtypeList(o.dtypes));
    }
  }
  int workspaces = 0;
  for (const Variant& v : variants) workspaces = std::max(workspaces, v.kernel.workspaces);
  for (int w = 0; w < workspaces; ++w) body += fmt::format("    w{} = workspace(vector_cores() * {}, f32)\n", w, rows ? "align(cols, 8)" : "8");
  for (size_t v = 0; v < variants.size(); ++v) {
    std::string in = "    ";
    if (variants.size() > 1) {
      in = "        ";
      body += v + 1 == variants.size() ? std::string("    else:\n") : fmt::format("    {} {}:\n", v ? "elif" : "if", Condition(task, variants, v));
    }
    const KernelText& k = variants[v].kernel;
    std::string cores = "vector_cores()", args;
    if (list.empty()) {
      std::string extent = k.flat ? "total" : "rows";
      body += fmt::format("{}per_core = {}\n", in, k.flat ? "align(ceil_div(total, vector_cores()), 64)" : "ceil_div(rows, vector_cores())");
      body += fmt::format("{}parts = ceil_div({}, per_core)\n", in, extent);
      body += fmt::format("{}tile = fit(per_core{})\n", in, k.flat ? ", 64" : "");
      cores = "parts";
    } else {
      body += fmt::format("{}tile = fit(65536, 64)\n", in);
    }
    for (const auto& t : k.tensors) args += (args.empty() ? "" : ", ") + (alias.count(t) ? alias[t] : t);
    for (const auto& s : k.scalars) args += (args.empty() ? "" : ", ") + s;
    if (k.long_body.empty()) {
      body += fmt::format("{}kernel{}[{}]({})\n", in, v, cores, args);
    } else {
      std::string long_args;
      for (const auto& t : k.tensors) long_args += (long_args.empty() ? "" : ", ") + (alias.count(t) ? alias[t] : t);
      for (const auto& s : k.scalars) long_args += (long_args.empty() ? "" : ", ") + (s == "tile" ? std::string("part") : s);
      body += fmt::format("{0}if cols <= {1}:\n{0}    kernel{2}[{3}]({4})\n{0}else:\n{0}    part = fit(cols, 64)\n{0}    kernel{2}_parts[{3}]({5})\n", in, k.longest, v, cores, args, long_args);
    }
  }
  return out + body;
}
}  // namespace

std::string DtypeList(const std::vector<base::Dtype>& dtypes) {
  std::string out;
  for (base::Dtype d : dtypes) out += (out.empty() ? "" : ", ") + std::string(ir::ShortName(d));
  return out;
}

// UB bytes for one row of `cols` columns.
int64_t Bytes(const ir::S& s, int64_t cols) {
  if (const ir::Scalar* c = ir::AsConst(s)) return c->i;
  if (s->kind == ir::SKind::kVar) return s->text == "cols" ? cols : 1;
  int64_t a = Bytes(s->args[0], cols), b = s->args.size() > 1 ? Bytes(s->args[1], cols) : 1;
  if (s->text == "+") return a + b;
  if (s->text == "*") return a * b;
  return s->text == "ceil_div" ? (a + b - 1) / b : s->text == "-" ? a - b : std::max(a, b);
}

// The most columns for which one row fits, in every column of dtypes; found by lowering the program with no limit.
void LongestRows(const PlanTask& task, std::vector<Variant>& variants, const std::string& program) {
  constexpr int64_t kUb = 180 * 1024, kMost = 1 << 16;
  Compiled c = Compile(program);
  for (size_t v = 0; v < variants.size(); ++v) {
    int64_t longest = kMost;
    for (const LoweredProgram& p : c.lowered)
      for (const LoweredKernel& k : p.kernels)
        if (k.kernel.name == fmt::format("kernel{}", v))
          while (longest > 64 && Bytes(k.ub_bytes, longest) > kUb) longest -= 64;
    variants[v].kernel.longest = longest;
  }
}

base::Result<std::string> Plan(const PlanTask& task) {
  std::vector<size_t> order(task.cases.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  auto size = [&](size_t i) {
    int64_t n = 0;
    for (const auto& [id, s] : task.cases[i].shapes) n += Numel(s);
    return n;
  };
  // Large cases first: they tell a number from a tensor that happens to have one element.
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return size(a) > size(b); });
  std::vector<Variant> variants;
  std::map<std::string, std::vector<size_t>> by_structure;
  for (size_t i : order) {
    std::string structure = Structure(task.cases[i].graph);
    bool known = false;
    for (size_t v : by_structure[structure])
      if (Agrees(variants[v].layout, task.cases[i], task)) {
        variants[v].cases.push_back(i);
        known = true;
        break;
      }
    if (known) continue;
    auto layout = PlaceValues(task, task.cases[i]);
    if (!layout) return layout.error();
    auto kernel = WriteKernel(task, task.cases[i], *layout);
    if (!kernel) return kernel.error();
    auto same = std::find_if(variants.begin(), variants.end(), [&](const Variant& v) { return v.kernel.body == kernel->body; });
    if (same != variants.end()) {
      same->cases.push_back(i);
      by_structure[structure].push_back(same - variants.begin());
      continue;
    }
    by_structure[structure].push_back(variants.size());
    variants.push_back({*kernel, *layout, {i}});
  }
  std::string list;
  for (const PlanParam& p : task.params)
    if (p.is_list) list = p.id;
  std::string out;
  bool long_rows = false;
  for (size_t v = 0; v < variants.size(); ++v) {
    long_rows |= !variants[v].kernel.long_body.empty();
    if (list.empty() && !Extents(variants[v], task)) return NoRule("no input spans the whole iteration space");
    if (variants.size() > 1 && v + 1 < variants.size() && Condition(task, variants, v).empty()) return NoRule("cases that differ in nothing the host can see");
    std::string body = variants[v].kernel.body;
    body.replace(body.find("main_kernel"), 11, fmt::format("kernel{}", v));
    out += body + "\n\n";
    if (variants[v].kernel.long_body.empty()) continue;
    std::string parts = variants[v].kernel.long_body;
    parts.replace(parts.find("main_kernel"), 11, fmt::format("kernel{}_parts", v));
    out += parts + "\n\n";
  }
  if (long_rows) LongestRows(task, variants, out + HostText(task, variants, list));
  return out + HostText(task, variants, list);
}

}  // namespace akgen::craft
