// Cases to kernels of loops, and the extents of their axes to expressions of the host.
#include "craft/plan/nest_planner.h"

namespace akgen::craft {

std::string NestPlanner::Run() {
  Read();
  for (const auto& [body, cases] : order_) {
    std::vector<size_t> open;
    for (size_t c : cases)
      if (!placed_[c]) open.push_back(c);
    if (open.empty()) continue;
    NestVariant v{InRows(open), open, {}};
    Extents(v, open[0]);
    for (size_t c : open) placed_[c] = true;
    for (size_t c = 0; c < task_.cases.size(); ++c)
      if (!placed_[c] && Explains(v, open[0], c)) placed_[c] = true, v.cases.push_back(c);
    variants_.push_back(std::move(v));
  }
  for (size_t c = 0; c < task_.cases.size(); ++c)
    if (!placed_[c]) throw Unplanned{why_[c]};
  return Program();
}

void NestPlanner::Read() {
  texts_.resize(task_.cases.size());
  why_.resize(task_.cases.size());
  placed_.assign(task_.cases.size(), false);
  std::map<std::string, std::vector<size_t>> by_body;
  for (size_t c = 0; c < task_.cases.size(); ++c) {
    structures_.push_back(craft::Structure(task_, task_.cases[c]));
    try {
      texts_[c] = WriteNest(task_, ReadNest(task_, task_.cases[c]), task_.cases[c].column, false);
      by_body[texts_[c]->body].push_back(c);
    } catch (const Unplanned& u) {
      why_[c] = u.why;
    } catch (const std::exception& e) {
      why_[c] = std::string("an operation with unusual operands: ") + e.what();
    }
  }
  order_.assign(by_body.begin(), by_body.end());
  // Those with most axes first: fewer axes come from extents of one.
  std::stable_sort(order_.begin(), order_.end(), [&](const auto& a, const auto& b) {
    size_t x = texts_[a.second[0]]->extents.size(), y = texts_[b.second[0]]->extents.size();
    return x != y ? x > y : a.second.size() > b.second.size();
  });
}

NestText NestPlanner::InRows(const std::vector<size_t>& cases) const {
  std::map<std::string, std::pair<int, size_t>> wanted;  // by text: how many, one of them
  for (size_t c : cases) {
    if (!rows_ || (!meant_.empty() && !meant_.count(c))) continue;
    NestText text = WriteNest(task_, ReadNest(task_, task_.cases[c]), task_.cases[c].column, true);
    if (!text.sizes.empty()) ++wanted.insert({text.body, {0, c}}).first->second.first;
  }
  auto best = std::max_element(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) {
    return a.second.first < b.second.first;
  });
  if (best == wanted.end()) return *texts_[cases[0]];
  size_t like = best->second.second;
  return WriteNest(task_, ReadNest(task_, task_.cases[like]), task_.cases[like].column, true);
}

bool NestPlanner::Fits(const Candidate& e, const NestVariant& v, size_t k) const {
  for (size_t c : v.cases) {
    auto value = e.value(task_.cases[c]);
    if (!value || *value != texts_[c]->extents[k]) return false;
  }
  return true;
}

void NestPlanner::Extents(NestVariant& v, size_t like) const {
  std::vector<std::vector<Candidate>> choices;
  for (size_t k = 0; k < v.text.extents.size(); ++k) choices.push_back(Choices(v, k));
  for (const auto& c : choices) v.extents.push_back(c[0]);
  size_t all = 1;
  for (const auto& c : choices) all = std::min<size_t>(all * c.size(), kMaxTries);
  NestVariant tried = v;
  int64_t best = Served(v, like);
  for (size_t n = 1; n < all; ++n) {
    size_t rest = n;
    for (size_t k = choices.size(); k-- > 0; rest /= choices[k].size())
      tried.extents[k] = choices[k][rest % choices[k].size()];
    int64_t served = Served(tried, like);
    if (served <= best) continue;
    best = served;
    v.extents = tried.extents;
  }
}

int64_t NestPlanner::Served(const NestVariant& v, size_t like) const {
  constexpr int64_t kCase = 1000;
  int64_t n = 0;
  for (size_t c = 0; c < task_.cases.size(); ++c)
    if (Structure(like) == Structure(c))
      n += (!placed_[c] && Explains(v, like, c) ? kCase : 0) - Strangers(v, c);
  return n;
}

int64_t NestPlanner::Strangers(const NestVariant& v, size_t c) const {
  int64_t n = 0;
  for (const auto& [id, run] : v.text.inputs) {
    auto it = task_.cases[c].shapes.find(id);
    if (it == task_.cases[c].shapes.end()) continue;
    std::set<int64_t> borders = {1};
    int64_t at = 1;
    for (int64_t d : it->second) borders.insert(at *= d);
    at = 1;
    for (int k : run)
      n +=
          !borders.count(at *= v.extents[static_cast<size_t>(k)].value(task_.cases[c]).value_or(0));
  }
  return n;
}

std::vector<std::pair<int64_t, int64_t>> NestPlanner::Parts(const NestText& t,
                                                            const std::vector<int>& run,
                                                            const std::vector<int64_t>& extents) {
  std::vector<std::pair<int64_t, int64_t>> out;
  int64_t after = 1;
  for (auto k = run.rbegin(); k != run.rend(); ++k) {
    const int64_t n = extents[static_cast<size_t>(*k)];
    if (t.constant[static_cast<size_t>(*k)] && n > 1) out.emplace_back(n, after);
    after *= n;
  }
  return out;
}

int64_t NestPlanner::LongestLane(const NestText& t) {
  int64_t most = 1;
  for (int k : t.lanes) most = std::max(most, t.extents[static_cast<size_t>(k)]);
  return most;
}

std::pair<size_t, bool> NestPlanner::ShapeSource(size_t o) const {
  size_t best = 0, most = 0;
  for (size_t v = 0; v < variants_.size(); ++v) {
    size_t right = 0;
    for (const PlanCase& c : task_.cases)
      right += ElementsOfOutput(variants_[v], o, c) == ElementsOf(c, o);
    if (right > most) most = right, best = v;
  }
  return {best, most == task_.cases.size()};
}

std::optional<int64_t> NestPlanner::ElementsOfOutput(const NestVariant& v, size_t o,
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

std::optional<int64_t> NestPlanner::ElementsOf(const PlanCase& c, size_t o) {
  const std::string& id = c.graph.outputs.at(o);
  for (const record::GraphNode& n : c.graph.nodes)
    for (const record::GraphValue& out : n.out)
      if (out.id == id) return Product(out.shape, 0, kEnd);
  auto it = c.shapes.find(id);
  return it == c.shapes.end() ? std::nullopt : std::optional(Product(it->second, 0, kEnd));
}

std::string NestPlanner::OnHost(const std::string& text, const NestVariant& v,
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

std::string NestPlanner::Program() {
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

std::string NestPlanner::Call(size_t v, const std::string& in,
                              const std::map<std::string, std::string>& alias,
                              const std::string& computed) {
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

base::Result<std::string> PlanNest(const PlanTask& task, bool rows, const std::set<size_t>& meant) {
  try {
    try {
      return NestPlanner(task, true, rows, meant).Run();
    } catch (const Unplanned&) {
      return NestPlanner(task, false, rows, meant).Run();
    }
  } catch (const Unplanned& u) {
    return NoRule(u.why);
  } catch (const std::exception& e) {
    return NoRule(std::string("an operation with unusual operands: ") + e.what());
  }
}

}  // namespace akgen::craft
