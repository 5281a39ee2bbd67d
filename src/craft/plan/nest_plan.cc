// Cases to kernels of loops, and the extents of their axes to expressions of the host.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "craft/plan/nest.h"
#include "craft/plan/nest_candidates.h"

namespace akgen::craft {
namespace {
using Shape = std::vector<int64_t>;

struct NestVariant {
  NestText text;
  std::vector<size_t> cases;
  std::vector<Candidate> extents;
};

constexpr size_t kMostTries = 5000;

class Planner {
 public:
  // `wide`: no kernel serves cases for which its tiles would be single elements.
  // `rows`: tiles may have several rows.
  Planner(const PlanTask& t, bool wide, bool rows, const std::set<size_t>& meant)
      : task_(t), wide_(wide), rows_(rows), meant_(meant), simple_(Candidates(t)) {}

  std::string Run() {
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

 private:
  void Read() {
    texts_.resize(task_.cases.size());
    why_.resize(task_.cases.size());
    placed_.assign(task_.cases.size(), false);
    std::map<std::string, std::vector<size_t>> by_body;
    for (size_t c = 0; c < task_.cases.size(); ++c) {
      structures_.push_back(craft::Structure(task_, task_.cases[c]));
      try {
        texts_[c] = WriteNest(task_, ReadNest(task_, task_.cases[c]), task_.cases[c].column, false);
        by_body[texts_[c]->body].push_back(c);
      } catch (const Unplanned& u) { why_[c] = u.why; } catch (const std::exception& e) {
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

  // Cases of one kernel may want different axes as rows of its tiles: those that most of them want.
  NestText InRows(const std::vector<size_t>& cases) const {
    std::map<std::string, std::pair<int, size_t>> wanted;  // by text: how many, one of them
    for (size_t c : cases) {
      if (!rows_ || (!meant_.empty() && !meant_.count(c))) continue;
      NestText text = WriteNest(task_, ReadNest(task_, task_.cases[c]), task_.cases[c].column, true);
      if (!text.sizes.empty()) ++wanted.insert({text.body, {0, c}}).first->second.first;
    }
    auto best = std::max_element(wanted.begin(), wanted.end(),
                                 [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
    if (best == wanted.end()) return *texts_[cases[0]];
    size_t like = best->second.second;
    return WriteNest(task_, ReadNest(task_, task_.cases[like]), task_.cases[like].column, true);
  }

  bool Fits(const Candidate& e, const NestVariant& v, size_t k) const {
    for (size_t c : v.cases) {
      auto value = e.value(task_.cases[c]);
      if (!value || *value != texts_[c]->extents[k]) return false;
    }
    return true;
  }
  // An expression for each axis. Where several fit the cases the kernel was made for, those that make it serve most of
  // the others: extents that happen to be equal in one case tell nothing.
  void Extents(NestVariant& v, size_t like) const {
    std::vector<std::vector<Candidate>> choices;
    for (size_t k = 0; k < v.text.extents.size(); ++k) choices.push_back(Choices(v, k));
    for (const auto& c : choices) v.extents.push_back(c[0]);
    size_t all = 1;
    for (const auto& c : choices) all = std::min<size_t>(all * c.size(), kMostTries);
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
  // How many open cases the kernel would serve; then, how well its axes keep to the inputs' dimensions.
  int64_t Served(const NestVariant& v, size_t like) const {
    constexpr int64_t kCase = 1000;
    int64_t n = 0;
    for (size_t c = 0; c < task_.cases.size(); ++c)
      if (Structure(like) == Structure(c)) n += (!placed_[c] && Explains(v, like, c) ? kCase : 0) - Strangers(v, c);
    return n;
  }
  // Places where an input would be cut that are no border of its dimensions.
  int64_t Strangers(const NestVariant& v, size_t c) const {
    int64_t n = 0;
    for (const auto& [id, run] : v.text.inputs) {
      auto it = task_.cases[c].shapes.find(id);
      if (it == task_.cases[c].shapes.end()) continue;
      std::set<int64_t> borders = {1};
      int64_t at = 1;
      for (int64_t d : it->second) borders.insert(at *= d);
      at = 1;
      for (int k : run) n += !borders.count(at *= v.extents[static_cast<size_t>(k)].value(task_.cases[c]).value_or(0));
    }
    return n;
  }
  const std::string& Structure(size_t c) const { return structures_[c]; }
  // What an axis is by its place in an input: dimensions, or dimensions cut by constants. Where there is one case only,
  // equal numbers elsewhere tell nothing.
  std::vector<Candidate> ByPlace(const NestVariant& v, size_t k) const {
    std::vector<Candidate> out;
    for (const auto& [id, run] : v.text.inputs) {
      auto it = task_.cases[0].shapes.find(id);
      auto at = std::find(run.begin(), run.end(), static_cast<int>(k));
      if (it == task_.cases[0].shapes.end() || at == run.end()) continue;
      const Shape& shape = it->second;
      int64_t rank = static_cast<int64_t>(shape.size()), after = 1, cut = 1;
      auto extent = [&](int axis) { return v.text.extents[static_cast<size_t>(axis)]; };
      auto constant = [&](int axis) { return v.text.constant[static_cast<size_t>(axis)]; };
      auto border = [&](int64_t n, int64_t from) {  // the dimension from `from` on behind which n elements lie
        for (int64_t d = from; d >= 0; --d)
          if (Product(shape, d, kEnd) == n) return d;
        return int64_t{-1};
      };
      for (auto a = at + 1; a != run.end(); ++a) after *= extent(*a);
      int64_t whole = after * extent(*at);
      for (auto a = at + 1; border(after, rank) < 0 && a != run.end() && constant(*a); ++a)
        after /= extent(*a), cut *= extent(*a);
      for (auto a = at; border(whole, rank) < 0 && a != run.begin() && constant(*(a - 1)); --a)
        whole *= extent(*(a - 1)), cut *= extent(*(a - 1));
      int64_t to = border(after, rank), from = to < 0 ? -1 : border(whole, to - 1);
      if (from < 0) continue;
      while (to - 1 > from && shape[static_cast<size_t>(to) - 1] == 1) --to;
      Candidate c = to == from + 1 ? OneDim(id, from) : Stretch(id, from, to == rank ? kEnd : to);
      if (cut > 1)
        c = {fmt::format("{} // {}", c.text, cut), [inner = c.value, cut](const PlanCase& x) -> std::optional<int64_t> {
               auto n = inner(x);
               return n && *n % cut == 0 ? std::optional(*n / cut) : std::nullopt;
             }};
      out.push_back(c);
    }
    return out;
  }
  std::vector<Candidate> Choices(const NestVariant& v, size_t k) const {
    constexpr size_t kMost = 12;
    std::vector<Candidate> out;
    int64_t here = v.text.extents[k];
    if (auto extent = v.text.runtime_extents.find(static_cast<int>(k)); extent != v.text.runtime_extents.end())
      return {InKernel(extent->second, k)};
    if (v.text.constant[k]) return {{std::to_string(here), [here](const PlanCase&) { return std::optional(here); }}};
    std::set<std::vector<int64_t>> seen;  // expressions that never differ are one
    if (task_.cases.size() == 1)
      for (const Candidate& e : ByPlace(v, k))
        if (Fits(e, v, k)) return {e};
    for (const Candidate& e : simple_) {
      if (out.size() == kMost || !Fits(e, v, k)) continue;
      std::vector<int64_t> values;
      for (const PlanCase& c : task_.cases) values.push_back(e.value(c).value_or(-1));
      if (seen.insert(values).second) out.push_back(e);
    }
    // What another kernel's axis is said by is more likely right than a new expression.
    std::set<std::string> used;
    for (const NestVariant& o : variants_)
      for (const Candidate& e : o.extents) used.insert(e.text);
    std::stable_partition(out.begin(), out.end(), [&](const Candidate& e) { return used.count(e.text) > 0; });
    if (out.empty()) out.push_back(Compound(v, k));
    return out;
  }
  // The kernel computes it: the host does not see which dimension an element names.
  static Candidate InKernel(const Split& s, size_t k) {
    return {fmt::format("e{}", k), [s](const PlanCase& c) -> std::optional<int64_t> {
              auto it = c.shapes.find(s.input);
              if (it == c.shapes.end()) return std::nullopt;
              for (const record::GraphNode& n : c.graph.nodes)
                if (n.op == "split_at" && n.args.at(0).tensor == s.input)
                  return n.out.at(0).shape.at(static_cast<size_t>(s.part));
              return std::nullopt;
            }};
  }
  static bool Mentions(const NestVariant& v, const std::string& text) {
    for (const auto& [k, split] : v.text.runtime_extents) {
      std::string e = fmt::format("e{}", k);
      for (size_t at = text.find(e); at != std::string::npos; at = text.find(e, at + 1))
        if (at + e.size() == text.size() || !std::isdigit(static_cast<unsigned char>(text[at + e.size()]))) return true;
    }
    return false;
  }
  // The kernel with those extents computed in its first lines, and what it is given for that.
  std::string Computing(const NestVariant& v, std::string body, std::string& given, std::string& needs) const {
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
      if (!computed) out += (name == "tile" ? extra + "\x01" : "") + arg + (name == "tile" ? "" : ", ");
    }
    std::set<std::string> seen;
    std::string dims;
    for (const auto& [k, split] : v.text.runtime_extents) {
      size_t most = 0;
      for (const PlanCase& c : task_.cases)
        if (c.shapes.count(split.input)) most = std::max(most, c.shapes.at(split.input).size());
      std::string at = split.input + "_at", text;
      if (seen.insert(split.input).second) {
        lines +=
            fmt::format("    {0}_named = {1}\n    {0}_at = {0}_named if {0}_named >= 0 else {0}_named + {0}_rank\n",
                        split.input, split.dim);
        dims += split.input + "_rank, ";
        given += fmt::format("len({}.shape), ", split.input);
        needs += (needs.empty() ? "" : " and ") + fmt::format("len({}.shape) <= {}", split.input, most);
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
  Candidate Compound(const NestVariant& v, size_t k) const {
    // Quotients and products of two; constants are cut off last.
    std::vector<Candidate> by = simple_;
    for (int64_t n : {2, 3, 4}) by.push_back({std::to_string(n), [n](const PlanCase&) { return std::optional(n); }});
    for (bool product : {false, true})
      for (const Candidate& a : simple_)
        for (const Candidate& b : by) {
          auto x = a.value, y = b.value;
          Candidate e{fmt::format("{} {} {}", a.text, product ? "*" : "//", b.text),
                      [=](const PlanCase& c) -> std::optional<int64_t> {
                        auto p = x(c), q = y(c);
                        if (!p || !q || (!product && (*q <= 0 || *p % *q))) return std::nullopt;
                        return product ? *p * *q : *p / *q;
                      }};
          if (Fits(e, v, k)) return e;
        }
    throw Unplanned{"an extent the host cannot tell"};
  }
  // The kernel serves another case when every value has the extents it walks there.
  bool Explains(const NestVariant& v, size_t like, size_t c) const {
    if (!texts_[c] || Structure(like) != Structure(c)) return false;
    const NestText &mine = v.text, &other = *texts_[c];
    if (mine.node_dims.size() != other.node_dims.size()) return false;
    std::vector<int64_t> e;
    for (const Candidate& x : v.extents) {
      auto value = x.value(task_.cases[c]);
      if (!value) return false;
      e.push_back(*value);
    }
    for (int k : mine.lanes)
      if (wide_ && e[static_cast<size_t>(k)] == 1 && c != like && LongestLane(other) > 1) return false;
    for (const auto& [id, run] : mine.inputs) {
      auto it = task_.cases[c].shapes.find(id);
      int64_t n = 1;
      for (int k : run) n *= e[static_cast<size_t>(k)];
      if (it != task_.cases[c].shapes.end() && structures_[c].find(id + " complex") == std::string::npos &&
          n != Product(it->second, 0, kEnd))
        return false;
      if (auto own = other.inputs.find(id);
          own != other.inputs.end() && Parts(mine, run, e) != Parts(other, own->second, other.extents))
        return false;
    }
    for (size_t n = 0; n < mine.node_dims.size(); ++n) {
      int64_t a = 1, b = 1;
      for (int k : mine.node_dims[n][0]) a *= e[static_cast<size_t>(k)];
      for (int k : other.node_dims[n][0]) b *= other.extents[static_cast<size_t>(k)];
      if (a != b) return false;
    }
    return true;
  }

  // Where an input is cut into a fixed number of parts: how many, and how far they lie from each other.
  static std::vector<std::pair<int64_t, int64_t>> Parts(const NestText& t, const std::vector<int>& run,
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

  static int64_t LongestLane(const NestText& t) {
    int64_t most = 1;
    for (int k : t.lanes) most = std::max(most, t.extents[static_cast<size_t>(k)]);
    return most;
  }

  // The kernel whose extents determine an output's size in most of the cases.
  size_t ShapeSource(size_t o) const {
    size_t best = 0, most = 0;
    for (size_t v = 0; v < variants_.size(); ++v) {
      size_t right = 0;
      for (const PlanCase& c : task_.cases) right += ElementsOfOutput(variants_[v], o, c) == ElementsOf(c, o);
      if (right > most) most = right, best = v;
    }
    return best;
  }
  // Elements of output `o` in a case: its shape is a product of extents and numbers.
  static std::optional<int64_t> ElementsOfOutput(const NestVariant& v, size_t o, const PlanCase& c) {
    int64_t n = 1;
    std::istringstream words(v.text.output_shape[o]);
    for (std::string w; words >> w;) {
      if (w == "*") continue;
      const bool numbered = w.size() > 1 && w[0] == 'e' &&
                            std::all_of(w.begin() + 1, w.end(), [](unsigned char ch) { return std::isdigit(ch); });
      auto value = numbered ? v.extents[std::stoul(w.substr(1))].value(c)
                   : std::all_of(w.begin(), w.end(), [](unsigned char ch) { return std::isdigit(ch); })
                       ? std::optional<int64_t>(std::stoll(w))
                       : std::nullopt;
      if (!value) return std::nullopt;
      n *= *value;
    }
    return n;
  }
  static std::optional<int64_t> ElementsOf(const PlanCase& c, size_t o) {
    const std::string& id = c.graph.outputs.at(o);
    for (const record::GraphNode& n : c.graph.nodes)
      for (const record::GraphValue& out : n.out)
        if (out.id == id) return Product(out.shape, 0, kEnd);
    auto it = c.shapes.find(id);
    return it == c.shapes.end() ? std::nullopt : std::optional(Product(it->second, 0, kEnd));
  }

  // A text in extents of the kernel as one of the host.
  static std::string OnHost(const std::string& text, const NestVariant& v,
                            const std::map<std::string, std::string>& names = {}) {
    std::string out;
    auto word = [](char ch) { return std::isalnum(static_cast<unsigned char>(ch)) || ch == '_' || ch == '.'; };
    for (size_t i = 0; i < text.size();) {
      size_t n = i;
      while (n < text.size() && word(text[n])) ++n;
      if (n == i) {
        out += text[i++];
        continue;
      }
      std::string w = text.substr(i, n - i);
      bool numbered =
          w.size() > 1 && std::all_of(w.begin() + 1, w.end(), [](unsigned char ch) { return std::isdigit(ch); });
      auto named = names.find(w);
      if (named != names.end()) out += named->second;
      else if (numbered && w[0] == 'e') out += "(" + v.extents[std::stoul(w.substr(1))].text + ")";
      else out += w;
      i = n;
    }
    return out;
  }

  std::string Program() {
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
      if (!out.inplace_of.empty() && !out.in_signature) alias[y] = out.inplace_of;
      else if (!out.inplace_of.empty()) host += fmt::format("    {} = inplace({})\n", y, out.inplace_of);
      else if (const NestVariant& v = variants_[ShapeSource(o)];
               given.find(y + ".") != std::string::npos || Mentions(v, v.text.output_shape[o]))
        host += fmt::format("    {} = empty(given, column({}))\n", y, DtypeList(out.dtypes));
      else
        host += fmt::format("    {} = empty([{}], column({}))\n", y, OnHost(v.text.output_shape[o], v),
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
                                      task_.cases[groups[v][0]].shapes.begin()->second.size(), groups[v].size())};
        host += v + 1 == variants_.size() ? std::string("    else:\n")
                                          : fmt::format("    {} {}:\n", v ? "elif" : "if", condition);
      }
      if (!needs.empty()) host += fmt::format("{}require({})\n", in, needs);
      for (const std::string& r : n.text.requires_) host += fmt::format("{}require({})\n", in, OnHost(r, n));
      std::string args;
      for (const std::string& t : n.text.tensors) {
        const std::string& tensor = n.text.views.count(t) ? n.text.views.at(t) : t;
        std::string of = tensor;
        for (size_t w = 0; w < n.text.workspaces.size(); ++w)
          if (n.text.workspaces[w].name == tensor) of = fmt::format("w{}_{}", v, w);
        args += (alias.count(of) ? alias[of] : of) + ", ";
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
        std::string own =
            fmt::format("{}{}{}", name, std::isdigit(static_cast<unsigned char>(name.back())) ? "_" : "", v);
        host += fmt::format("{}{} = {}\n", in, own, text);
        return names[name] = own;
      };
      size("tile",
           fmt::format("fit({}, 64)", Mentions(n, n.text.longest) ? "y0.numel" : OnHost(n.text.longest, n, names)));
      if (n.text.sizes.empty()) args += names["tile"] + ", ";
      for (const auto& [name, text] : n.text.sizes) {
        args += size(name, OnHost(text, n, names)) + ", ";
        if (name.rfind("lane", 0) == 0) names["lane"] = names[name];
      }
      args.resize(args.size() - 2);
      host += fmt::format("{}kernel{}[best_cores()]({})\n", in, v, args);
    }
    return kernels + host;
  }

  const PlanTask& task_;
  bool wide_, rows_;
  const std::set<size_t>& meant_;
  std::vector<Candidate> simple_;
  std::vector<std::optional<NestText>> texts_;
  std::vector<std::string> why_, structures_;
  std::vector<bool> placed_;
  std::vector<std::pair<std::string, std::vector<size_t>>> order_;
  std::vector<NestVariant> variants_;
};
}  // namespace

base::Result<std::string> PlanNest(const PlanTask& task, bool rows, const std::set<size_t>& meant) {
  try {
    try {
      return Planner(task, true, rows, meant).Run();
    } catch (const Unplanned&) { return Planner(task, false, rows, meant).Run(); }
  } catch (const Unplanned& u) { return NoRule(u.why); } catch (const std::exception& e) {
    return NoRule(std::string("an operation with unusual operands: ") + e.what());
  }
}

}  // namespace akgen::craft
