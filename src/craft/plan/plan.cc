// Cases to variants (one kernel each), variants to a program: the host function tells them apart by
// attributes and absent inputs.
#include "craft/plan/plan.h"
#include "craft/plan/whole.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/regex.h"
#include "craft/craft.h"
#include "craft/plan/nest.h"

namespace akgen::craft {
namespace {

struct Variant {
  KernelText kernel;
  Layout layout;
  std::vector<size_t> cases;
};

// Whether the case may use the kernel written for a larger one: every value has as many elements as
// its span says.
bool Agrees(const Layout& l, const PlanCase& c, const PlanTask& task) {
  std::map<std::string, int64_t> n;
  for (const PlanParam& p : task.params)
    if (c.shapes.count(p.id)) n[p.is_list ? p.id + ".0" : p.id] = Numel(c.shapes.at(p.id));
  for (const record::GraphNode& node : c.graph.nodes) n[node.id()] = Numel(node.out[0].shape);
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
bool TakeExtents(Variant& v, const PlanTask& task) {
  std::string row, full, column;
  for (const PlanParam& p : task.params) {
    if (p.is_attr || p.is_list || p.optional) continue;
    auto it = v.layout.span.find(p.id);
    if (it == v.layout.span.end()) continue;
    (it->second == Span::kRow ? row : it->second == Span::kFull ? full : column) = p.id;
  }
  if (full.empty() || v.layout.shape.at(full).size() < static_cast<size_t>(v.layout.trailing))
    return false;
  v.kernel.like = full;
  v.kernel.cols = !row.empty() ? row + ".numel"
                  : v.layout.trailing == 1
                      ? full + ".shape[-1]"
                      : fmt::format("prod({}.shape[-{}:])", full, v.layout.trailing);
  v.kernel.rows = full + ".numel // cols";
  return true;
}

// Columns of the case, from a value that spans all of them, or at least those of the kernel's first
// case.
int64_t LongestRow(const Variant& v, const PlanCase& c) {
  const auto& shape = c.shapes.at(v.kernel.like);
  int64_t cols = 1;
  for (size_t d =
           shape.size() - std::min<size_t>(shape.size(), static_cast<size_t>(v.layout.trailing));
       d < shape.size(); ++d)
    cols *= shape[d];
  return cols;
}

// Whether the host's expressions give every case the rows and columns its kernel iterates over.
bool HostExtentsMatch(const std::vector<Variant>& variants, const PlanTask& task) {
  for (const Variant& v : variants) {
    if (v.kernel.flat) continue;
    for (size_t i : v.cases) {
      const PlanCase& c = task.cases[i];
      const KernelText& k = variants[0].kernel;  // the host says it once
      std::string id = k.like;
      if (size_t dot = k.cols.find(".numel"); dot != std::string::npos) id = k.cols.substr(0, dot);
      const auto& shape = c.shapes.at(id);
      int64_t cols = 1, full = Numel(c.shapes.at(k.like));
      size_t last =
          id != k.like
              ? shape.size()
              : std::min<size_t>(shape.size(), static_cast<size_t>(variants[0].layout.trailing));
      for (size_t d = shape.size() - last; d < shape.size(); ++d) cols *= shape[d];
      // Where all values span everything, only what runs along a row knows how long it is: softmax
      // of a view.
      if (const auto own = PlaceValues(task, c); own.ok() && own->cols != cols) return false;
      std::map<std::string, int64_t> n;
      for (const PlanParam& p : task.params)
        if (c.shapes.count(p.id)) n[p.id] = Numel(c.shapes.at(p.id));
      for (const record::GraphNode& node : c.graph.nodes) n[node.id()] = Numel(node.out[0].shape);
      for (const auto& [value, span] : v.layout.span)
        if (n.count(value) && ((span == Span::kRow && n[value] != cols) ||
                               (span == Span::kColumn && n[value] * cols != full)))
          return false;
    }
  }
  return true;
}

std::vector<std::vector<size_t>> CasesOf(const std::vector<Variant>& variants) {
  std::vector<std::vector<size_t>> out;
  for (const Variant& v : variants) out.push_back(v.cases);
  return out;
}

std::string OutputShape(const Variant& v, const PlanTask& task, size_t i) {
  const std::string& id = task.cases[v.cases[0]].graph.outputs.at(i);
  Span s = v.layout.span.count(id) ? v.layout.span.at(id) : Span::kOne;
  if (s == Span::kOne) return "[1]";
  if (v.kernel.like.empty()) return "[1]";
  return s == Span::kFull ? v.kernel.like + ".shape" : s == Span::kRow ? "[cols]" : "[rows, 1]";
}

// What the kernel takes for granted: inputs that it sees as rows, columns or all have as many
// elements.
std::string ShapesAgree(const PlanTask& task, const Variant& v, const KernelText& said,
                        const std::string& in) {
  std::string out;
  auto demand = [&](const std::string& tensor, const std::string& extent) {
    if (tensor + ".numel" != extent)
      out += fmt::format("{}{}.numel == {}", out.empty() ? "" : " and ", tensor, extent);
  };
  const bool flat = v.kernel.flat;
  if (!flat && said.cols.ends_with(".numel")) demand(said.like, "rows * cols");
  for (const PlanParam& p : task.params) {
    auto span = v.layout.span.find(p.id);
    const bool seen = std::ranges::count(v.kernel.tensors, p.id) > 0;
    if (p.is_attr || p.is_list || !seen || span == v.layout.span.end() ||
        span->second == Span::kOne)
      continue;
    if (p.id == said.like) continue;
    if (span->second == Span::kFull)
      demand(p.id, said.like + ".numel");
    else if (span->second == Span::kRow && p.id + ".numel" != said.cols)
      demand(p.id, "cols");
    else if (span->second == Span::kColumn)
      demand(p.id, "rows");
  }
  return out.empty() ? "" : fmt::format("{}require({})\n", in, out);
}

// Where the host cannot tell variants apart, because elements decide, all kernels are launched and
// one of them acts.
bool AllGuarded(const PlanTask& task, std::vector<Variant>& variants) {
  for (Variant& v : variants) {
    const PlanCase& c = task.cases[v.cases[0]];
    if (c.graph.asked.empty() || !v.kernel.flat || v.kernel.workspaces > 0) return false;
    auto guarded = WriteKernel(task, c, v.layout, true);
    if (!guarded.ok()) return false;
    guarded->like = v.kernel.like, guarded->rows = v.kernel.rows, guarded->cols = v.kernel.cols;
    v.kernel = *guarded;
  }
  return true;
}

// The calls of a variant's kernels, from `cores`; an output that is an input in place goes by that
// input's name.
std::string Calls(const KernelText& k, size_t number, const std::string& list,
                  const std::string& in, const std::string& cores,
                  const std::map<std::string, std::string>& alias) {
  auto args = [&](const std::vector<std::string>& tensors, const std::vector<std::string>& scalars,
                  bool long_rows = false) {
    std::string out;
    for (const auto& t : tensors)
      out += (out.empty() ? "" : ", ") + (alias.count(t) ? alias.at(t) : t);
    for (const auto& s : scalars) {
      const bool part = long_rows && s == "tile";
      out += (out.empty() ? "" : ", ") + (part ? "part" : k.host.count(s) ? k.host.at(s) : s);
    }
    return out;
  };
  if (!k.each_body.empty())
    return fmt::format(
        "{0}slots = len({1}) * parts\n{0}if len({1}) < vector_cores():\n{0}    "
        "kernel{2}[{3}]({4})\n{0}else:\n{0}    kernel{2}_each[{3}]({4})\n",
        in, list, number, cores, args(k.tensors, k.scalars));
  if (!k.join_body.empty())
    return fmt::format("{0}kernel{1}[{2}]({3})\n{0}kernel{1}_join[{2}]({4})\n", in, number, cores,
                       args(k.tensors, k.scalars), args(k.join_tensors, k.join_scalars));
  if (k.long_body.empty())
    return fmt::format("{}kernel{}[{}]({})\n", in, number, cores, args(k.tensors, k.scalars));
  return fmt::format(
      "{0}if cols <= {1}:\n{0}    kernel{2}[{3}]({4})\n{0}else:\n{0}    part = fit(cols, "
      "64)\n{0}    kernel{2}_parts[{3}]({5})\n",
      in, k.longest, number, cores, args(k.tensors, k.scalars), args(k.tensors, k.scalars, true));
}

std::string HostText(const PlanTask& task, std::vector<Variant>& variants, const std::string& list,
                     bool guarded = false) {
  std::string out = Parameters(task), body;
  bool rows = std::any_of(variants.begin(), variants.end(),
                          [](const Variant& v) { return !v.kernel.flat; });
  const Variant& first = variants[0];
  if (list.empty() && !rows) body += fmt::format("    total = {}.numel\n", first.kernel.like);
  if (rows)
    body += fmt::format("    cols = {}\n    rows = {}\n", first.kernel.cols, first.kernel.rows);
  std::map<std::string, std::string> alias;
  for (size_t i = 0; i < task.outputs.size(); ++i) {
    const PlanOutput& o = task.outputs[i];
    std::string y = fmt::format("y{}", i);
    if (!o.inplace_of.empty() && !o.in_signature) {
      alias[y] = o.inplace_of;
    } else if (!o.inplace_of.empty()) {
      body += fmt::format("    {} = inplace({})\n", y, o.inplace_of);
    } else {
      const std::string shape = OutputShape(first, task, i);
      const bool same = std::ranges::all_of(
          variants, [&](const Variant& v) { return OutputShape(v, task, i) == shape; });
      body += fmt::format("    {} = empty({}, column({}))\n", y,
                          o.is_list                ? list
                          : same || !o.from_caller ? shape
                                                   : "given",
                          DtypeList(o.dtypes));
    }
  }
  int workspaces = 0;
  const bool each = std::any_of(variants.begin(), variants.end(),
                                [](const Variant& v) { return !v.kernel.each_body.empty(); });
  for (const Variant& v : variants) workspaces = std::max(workspaces, v.kernel.workspaces);
  for (int w = 0; w < workspaces; ++w)
    body += fmt::format("    w{} = workspace(vector_cores() * {}, f32)\n", w,
                        each   ? fmt::format("len({})", list)
                        : rows ? "align(cols, 8)"
                               : "8");
  for (size_t v = 0; v < variants.size(); ++v) {
    std::string in = "    ";
    if (variants.size() > 1 && !guarded) {
      in = "        ";
      body += v + 1 == variants.size() ? std::string("    else:\n")
                                       : fmt::format("    {} {}:\n", v ? "elif" : "if",
                                                     Condition(task, CasesOf(variants), v));
    }
    const KernelText& k = variants[v].kernel;
    std::string cores = "best_cores()";
    if (guarded && v > 0 && list.empty()) {
      body += "    tile = fit(per_core, 64)\n", cores = "parts";
    } else if (list.empty()) {
      if (!first.kernel.like.empty()) body += ShapesAgree(task, variants[v], first.kernel, in);
      std::string extent = k.flat ? "total" : "rows";
      body += fmt::format(
          "{}per_core = {}\n", in,
          k.flat ? "align(ceil_div(total, best_cores()), 64)" : "ceil_div(rows, best_cores())");
      body += fmt::format("{}parts = ceil_div({}, per_core)\n", in, extent);
      body += fmt::format("{}tile = fit(per_core{})\n", in, k.flat ? ", 64" : "");
      cores = "parts";
    } else {
      if (std::count(k.scalars.begin(), k.scalars.end(), "parts"))
        body += in + "parts = best_cores()\n";
      body += fmt::format("{}tile = fit(65536, 64)\n", in);
    }
    if (guarded) {
      variants[v].kernel.host["tile"] = fmt::format("tile{}", v);
      body.insert(body.rfind("tile = ") + 4, std::to_string(v));
    }
    body += Calls(k, v, list, in, cores, alias);
  }
  return out + body;
}
}  // namespace

std::string Parameters(const PlanTask& task) {
  std::string out = "@host\ndef op(";
  for (size_t i = 0; i < task.params.size(); ++i) {
    const PlanParam& p = task.params[i];
    out +=
        (i ? ", " : "") + p.id + ": " +
        (p.is_attr ? ir::AttributeWord(p.type)
                   : fmt::format("{}({})", p.is_list ? "tensors" : "tensor", DtypeList(p.dtypes)));
    if (p.optional) out += " = None";
  }
  return out + "):\n";
}

std::string DtypeList(const std::vector<base::Dtype>& dtypes) {
  std::string out;
  for (base::Dtype d : dtypes) out += (out.empty() ? "" : ", ") + std::string(ir::ShortName(d));
  return out;
}

// UB bytes for one row of `cols` columns on so many cores.
int64_t Bytes(const ir::S& s, int64_t cols, int64_t cores) {
  if (const ir::Scalar* c = ir::AsConst(s)) return c->i;
  if (s->kind == ir::SKind::kVar) return s->text == "cols" ? cols : s->text == "parts" ? cores : 1;
  int64_t a = Bytes(s->args[0], cols, cores),
          b = s->args.size() > 1 ? Bytes(s->args[1], cols, cores) : 1;
  if (s->text == "+") return a + b;
  if (s->text == "*") return a * b;
  return s->text == "ceil_div" ? (a + b - 1) / b : s->text == "-" ? a - b : std::max(a, b);
}

// The most columns for which one row fits, in every column of dtypes; found by lowering the program
// with no limit.
void LongestRows(const Target& target, std::vector<Variant>& variants, const std::string& program) {
  constexpr int64_t kLimit = 1 << 16;
  const int64_t room = RoomForRows(target), many = target.cores / 2;
  Compiled c = Compile(program, target);
  for (size_t v = 0; v < variants.size(); ++v) {
    int64_t longest = kLimit;
    for (const LoweredProgram& p : c.lowered)
      for (const LoweredKernel& k : p.kernels)
        if (k.kernel.name == fmt::format("kernel{}", v))
          while (longest > 64 &&
                 std::min(Bytes(k.ub_bytes, longest, 1), Bytes(k.ub_bytes, longest, many)) > room)
            longest -= 64;
    variants[v].kernel.longest = longest;
  }
}

namespace {
// A program's kernels, and its host function's lines: those that make tensors and say extents, and
// the others.
struct Parts {
  std::string kernels, head, rest;
};
Parts Apart(const std::string& program, const std::string& signature) {
  static const base::Regex kHead(R"(    (cols|rows|total|y\d+|w\d+(_\d+)?) = .*)");
  size_t host = program.find(signature), at = host + signature.size();
  Parts out{program.substr(0, host), "", ""};
  while (at < program.size()) {
    size_t end = std::min(program.find('\n', at), program.size());
    std::string line = program.substr(at, end - at);
    at = end + 1;
    if (out.rest.empty() && kHead.Whole(line))
      out.head += line + "\n";
    else
      out.rest += "    " + line + "\n";
  }
  return out;
}

// Rows up to a length by the kernels for rows, longer ones by nests of loops.
PlanResult<std::string> OrNest(const PlanTask& task, const std::string& rows, int64_t longest,
                               const std::set<size_t>& longer) {
  auto nest = PlanNest(task, true, longer);
  if (!nest) return nest;
  std::string signature = Parameters(task);
  Parts a = Apart(rows, signature),
        b = Apart(base::Regex(R"(\bkernel(?=\d))").Replace(*nest, "nest"), signature);
  std::string rooms;  // outputs are those of the rows
  for (size_t at = 0; at < b.head.size(); at = b.head.find('\n', at) + 1)
    if (b.head.compare(at, 5, "    w") == 0)
      rooms += b.head.substr(at, b.head.find('\n', at) + 1 - at);
  return a.kernels + b.kernels + signature + a.head + rooms +
         fmt::format("    if cols <= {}:\n", longest) + a.rest + "    else:\n" + b.rest;
}

PlanResult<std::string> RowsProgram(const PlanTask& task, const Target& target,
                                    std::vector<Variant>& variants) {
  std::string list;
  for (const PlanParam& p : task.params)
    if (p.is_list) list = p.id;
  std::string out;
  bool guarded = false;
  for (size_t v = 0; v < variants.size(); ++v) {
    if (list.empty() && !TakeExtents(variants[v], task))
      return Unplanned{"no input spans the whole iteration space"};
    if (!guarded && v + 1 < variants.size() && Condition(task, CasesOf(variants), v).empty()) {
      if (v > 0 || !AllGuarded(task, variants))
        return Unplanned{"cases that differ in nothing the host can see"};
      guarded = true;
    }
    std::string body = variants[v].kernel.body;
    body.replace(body.find("main_kernel"), 11, fmt::format("kernel{}", v));
    out += body + "\n\n";
    for (const auto& [other, name] : {std::pair(variants[v].kernel.join_body, "join"),
                                      std::pair(variants[v].kernel.long_body, "parts"),
                                      std::pair(variants[v].kernel.each_body, "each")}) {
      if (other.empty()) continue;
      std::string text = other;
      const size_t at = text.find("main_kernel");
      text.replace(at, text.find('(', at) - at, fmt::format("kernel{}_{}", v, name));
      out += text + "\n\n";
    }
  }
  if (!HostExtentsMatch(variants, task)) return Unplanned{"rows whose length the host cannot tell"};
  if (list.empty() && std::any_of(variants.begin(), variants.end(),
                                  [](const Variant& v) { return !v.kernel.flat; })) {
    LongestRows(target, variants, out + HostText(task, variants, list));
    int64_t longest = 0;  // what all kernels can take
    std::set<size_t> longer, fits;
    for (const Variant& v : variants) {
      if (v.kernel.flat || !v.kernel.long_body.empty() || !v.layout.shape.count(v.kernel.like))
        continue;
      longest = longest ? std::min(longest, v.kernel.longest) : v.kernel.longest;
      for (size_t c : v.cases)
        (LongestRow(v, task.cases[c]) > v.kernel.longest ? longer : fits).insert(c);
    }
    if (!longer.empty() && fits.empty()) return Unplanned{"rows that do not fit in UB"};
    const std::string rows = out + HostText(task, variants, list);
    if (!longer.empty()) return OrNest(task, rows, longest, longer);
    if (!fits.empty() && !task.only_cases)  // no case has such rows, callers may
      if (auto both = OrNest(task, rows, longest, fits);
          both.ok() && Compile(*both, target).diagnostics.list().empty())
        return both;
  }
  return out + HostText(task, variants, list, guarded);
}
}  // namespace

PlanResult<std::string> PlanRows(const PlanTask& task, const Target& target) {
  for (const PlanParam& p : task.params)
    for (base::Dtype d : p.dtypes)
      if (d == base::Dtype::kComplex64) return Unplanned{"complex numbers"};
  const bool lists = std::ranges::any_of(task.params, [](const PlanParam& p) { return p.is_list; });
  for (const PlanCase& c : task.cases)
    if (!lists && ReducesWhole(task, c.graph)) return Unplanned{"sums and extremes of integers"};
  std::vector<size_t> order(task.cases.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  auto size = [&](size_t i) {
    int64_t n = 0;
    for (const auto& [id, s] : task.cases[i].shapes) n += Numel(s);
    return n;
  };
  // Large cases first: they tell a number from a tensor that happens to have one element.
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return size(a) > size(b); });
  std::vector<Variant> variants;
  std::map<std::string, std::vector<size_t>> by_structure;
  for (size_t i : order) {
    std::string structure = Structure(task, task.cases[i]);
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
    auto same = std::find_if(variants.begin(), variants.end(),
                             [&](const Variant& v) { return v.kernel.body == kernel->body; });
    if (same != variants.end()) {
      same->cases.push_back(i);
      by_structure[structure].push_back(same - variants.begin());
      continue;
    }
    by_structure[structure].push_back(variants.size());
    variants.push_back({*kernel, *layout, {i}});
  }
  return RowsProgram(task, target, variants);
}

}  // namespace akgen::craft
