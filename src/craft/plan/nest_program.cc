// Kernels of loops and the host function that calls them, as text.
#include "craft/plan/nest_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace akgen::craft {

bool NestProgram::Mentions(const NestVariant& v, const std::string& text) {
  for (const auto& [k, split] : v.text.runtime_extents) {
    std::string e = fmt::format("e{}", k);
    for (size_t at = text.find(e); at != std::string::npos; at = text.find(e, at + 1))
      if (at + e.size() == text.size() ||
          !std::isdigit(static_cast<unsigned char>(text[at + e.size()])))
        return true;
  }
  return false;
}

std::string NestProgram::Computing(const NestVariant& v, std::string body, std::string& given,
                                   std::string& needs) const {
  if (v.text.runtime_extents.empty()) return body;
  size_t end = body.find("):\n"), begin = body.find('(');
  std::string signature = body.substr(begin + 1, end - begin - 1), out, extra, lines;
  for (size_t at = 0; at < signature.size();) {
    size_t comma = std::min(signature.find(", ", at), signature.size());
    std::string arg = signature.substr(at, comma - at), name = arg.substr(0, arg.find(':'));
    at = comma + 2;
    if (name != arg && Mentions(v, arg.substr(name.size()))) {
      arg = fmt::format("{0}: gm[{0}_n]", name);
      extra += name + "_n, ";
      given += name + ".numel, ";
    }
    bool computed = name == arg && name != "tile" && Mentions(v, name);
    if (!computed)
      out += (name == "tile" ? extra + "\x01" : "") + arg + (name == "tile" ? "" : ", ");
  }
  std::set<std::string> seen;
  std::string dims;
  for (const auto& [k, split] : v.text.runtime_extents) {
    size_t most = 0;
    for (const PlanCase& c : task_.cases)
      if (c.shapes.count(split.input)) most = std::max(most, c.shapes.at(split.input).size());
    std::string at = split.input + "_at", text;
    if (seen.insert(split.input).second) {
      lines += fmt::format(
          "    {0}_named = {1}\n    {0}_at = {0}_named if {0}_named >= 0 else {0}_named + "
          "{0}_rank\n",
          split.input, split.dim);
      dims += split.input + "_rank, ";
      given += fmt::format("len({}.shape), ", split.input);
      needs +=
          (needs.empty() ? "" : " and ") + fmt::format("len({}.shape) <= {}", split.input, most);
      for (size_t d = 0; d < most; ++d) {
        dims += fmt::format("{}_d{}, ", split.input, d);
        given += fmt::format("{0}.shape[{1}] if len({0}.shape) > {1} else 1, ", split.input, d);
      }
    }
    for (size_t d = 0; d < most; ++d)
      text += fmt::format("{}({}_d{} if {} {} {} else 1)", d ? " * " : "", split.input, d, d,
                          split.part == 0   ? "<"
                          : split.part == 1 ? "=="
                                            : ">",
                          at);
    lines += fmt::format("    e{} = {}\n", k, text);
  }
  out.replace(out.find('\x01'), 1, dims);
  return body.substr(0, begin + 1) + out + "):\n" + lines + body.substr(end + 3);
}

std::pair<size_t, bool> NestProgram::ShapeSource(size_t o) const {
  size_t best = 0, most = 0;
  for (size_t v = 0; v < variants_.size(); ++v) {
    size_t right = 0;
    for (const PlanCase& c : task_.cases)
      right += ElementsOfOutput(variants_[v], o, c) == ElementsOf(c, o);
    if (right > most) most = right, best = v;
  }
  return {best, most == task_.cases.size()};
}

std::optional<int64_t> NestProgram::ElementsOfOutput(const NestVariant& v, size_t o,
                                                     const PlanCase& c) {
  int64_t n = 1;
  std::istringstream words(v.text.output_shape[o]);
  for (std::string w; words >> w;) {
    if (w == "*") continue;
    const bool numbered =
        w.size() > 1 && w[0] == 'e' &&
        std::all_of(w.begin() + 1, w.end(), [](unsigned char ch) { return std::isdigit(ch); });
    auto value =
        numbered ? v.extents[std::stoul(w.substr(1))].value(c)
        : std::all_of(w.begin(), w.end(), [](unsigned char ch) { return std::isdigit(ch); })
            ? std::optional<int64_t>(std::stoll(w))
            : std::nullopt;
    if (!value) return std::nullopt;
    n *= *value;
  }
  return n;
}

std::optional<int64_t> NestProgram::ElementsOf(const PlanCase& c, size_t o) {
  const std::string& id = c.graph.outputs.at(o);
  for (const record::GraphNode& n : c.graph.nodes)
    for (const record::GraphValue& out : n.out)
      if (out.id == id) return Product(out.shape, 0, kEnd);
  auto it = c.shapes.find(id);
  return it == c.shapes.end() ? std::nullopt : std::optional(Product(it->second, 0, kEnd));
}

std::string NestProgram::OnHost(const std::string& text, const NestVariant& v,
                                const std::map<std::string, std::string>& names) {
  std::string out;
  auto word = [](char ch) {
    return std::isalnum(static_cast<unsigned char>(ch)) || ch == '_' || ch == '.';
  };
  for (size_t i = 0; i < text.size();) {
    size_t n = i;
    while (n < text.size() && word(text[n])) ++n;
    if (n == i) {
      out += text[i++];
      continue;
    }
    std::string w = text.substr(i, n - i);
    bool numbered = w.size() > 1 && std::all_of(w.begin() + 1, w.end(),
                                                [](unsigned char ch) { return std::isdigit(ch); });
    auto named = names.find(w);
    if (named != names.end())
      out += named->second;
    else if (numbered && w[0] == 'e')
      out += "(" + v.extents[std::stoul(w.substr(1))].text + ")";
    else
      out += w;
    i = n;
  }
  return out;
}

std::string NestProgram::Text() const {
  std::vector<std::vector<size_t>> groups;
  for (const NestVariant& v : variants_) groups.push_back(v.cases);
  std::string kernels, host = Parameters(task_);
  std::map<std::string, std::string> alias;
  std::string given;  // extents of outputs that the caller decides
  for (const NestVariant& v : variants_)
    for (const Candidate& e : v.extents) given += e.text + " ";
  for (size_t o = 0; o < task_.outputs.size(); ++o) {
    const PlanOutput& out = task_.outputs[o];
    std::string y = fmt::format("y{}", o);
    if (!out.inplace_of.empty() && !out.in_signature)
      alias[y] = out.inplace_of;
    else if (!out.inplace_of.empty())
      host += fmt::format("    {} = inplace({})\n", y, out.inplace_of);
    else if (const auto& [source, always] = ShapeSource(o);
             out.from_caller &&
             (!always || given.find(y + ".") != std::string::npos ||
              Mentions(variants_[source], variants_[source].text.output_shape[o])))
      host += fmt::format("    {} = empty(given, column({}))\n", y, DtypeList(out.dtypes));
    else
      host += fmt::format("    {} = empty([{}], column({}))\n", y,
                          OnHost(variants_[source].text.output_shape[o], variants_[source]),
                          DtypeList(out.dtypes));
  }
  for (const NestVariant& v : variants_)
    for (const NestText::Room& w : v.text.workspaces)
      if (Mentions(v, w.size)) throw Unplanned{"a workspace whose size the host cannot tell"};
  for (size_t v = 0; v < variants_.size(); ++v)
    for (size_t w = 0; w < variants_[v].text.workspaces.size(); ++w)
      host += fmt::format("    w{}_{} = workspace({}, {})\n", v, w,
                          OnHost(variants_[v].text.workspaces[w].size, variants_[v]),
                          variants_[v].text.workspaces[w].dtype);
  for (size_t v = 0; v < variants_.size(); ++v) {
    const NestVariant& n = variants_[v];
    std::string body = n.text.body, in = variants_.size() > 1 ? "        " : "    ";
    std::string computed, needs;
    body = Computing(n, body, computed, needs);
    body.replace(body.find("main_kernel"), 11, fmt::format("kernel{}", v));
    kernels += body + "\n\n";
    if (variants_.size() > 1) {
      std::string condition = v + 1 < variants_.size() ? Condition(task_, groups, v, wide_) : "";
      if (v + 1 < variants_.size() && condition.empty())
        throw Unplanned{fmt::format("cases that differ in nothing the host can see ({} and {})",
                                    task_.cases[groups[v][0]].shapes.begin()->second.size(),
                                    groups[v].size())};
      host += v + 1 == variants_.size() ? std::string("    else:\n")
                                        : fmt::format("    {} {}:\n", v ? "elif" : "if", condition);
    }
    if (!needs.empty()) host += fmt::format("{}require({})\n", in, needs);
    for (const std::string& r : n.text.requires_)
      host += fmt::format("{}require({})\n", in, OnHost(r, n));
    host += Call(v, in, alias, computed);
  }
  return kernels + host;
}

std::string NestProgram::Call(size_t v, const std::string& in,
                              const std::map<std::string, std::string>& alias,
                              const std::string& computed) const {
  const NestVariant& n = variants_[v];
  std::string host, args;
  for (const std::string& t : n.text.tensors) {
    const std::string& tensor = n.text.views.count(t) ? n.text.views.at(t) : t;
    std::string of = tensor;
    for (size_t w = 0; w < n.text.workspaces.size(); ++w)
      if (n.text.workspaces[w].name == tensor) of = fmt::format("w{}_{}", v, w);
    args += (alias.count(of) ? alias.at(of) : of) + ", ";
  }
  std::map<std::string, std::string> names;  // what this kernel's sizes are called here
  for (size_t k = 0; k < n.extents.size(); ++k) {
    if (n.text.runtime_extents.count(static_cast<int>(k))) continue;
    std::string& own = names[fmt::format("e{}", k)] = fmt::format("e{}_{}", v, k);
    host += fmt::format("{}{} = {}\n", in, own, n.extents[k].text);
    args += own + ", ";
  }
  for (const std::string& s : n.text.scalars) args += s + ", ";
  args += computed;
  auto size = [&](const std::string& name, const std::string& text) {
    std::string own = fmt::format(
        "{}{}{}", name, std::isdigit(static_cast<unsigned char>(name.back())) ? "_" : "", v);
    host += fmt::format("{}{} = {}\n", in, own, text);
    return names[name] = own;
  };
  const std::string tile =
      size("tile", fmt::format("fit({}, 64)", Mentions(n, n.text.longest)
                                                  ? "y0.numel"
                                                  : OnHost(n.text.longest, n, names)));
  if (n.text.sizes.empty()) args += tile + ", ";
  for (const auto& [name, text] : n.text.sizes) {
    args += size(name, OnHost(text, n, names)) + ", ";
    if (name.rfind("lane", 0) == 0) names["lane"] = names[name];
  }
  args.resize(args.size() - 2);
  return host + fmt::format("{}kernel{}[best_cores()]({})\n", in, v, args);
}

}  // namespace akgen::craft
