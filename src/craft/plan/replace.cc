// Programs that replace a part of an input in its own memory by a part of another one, in one
// tensor or in every tensor of a list. Where the part begins and how long it is, numbers say that
// the kernel may have to read out of tensors; so do conditions: what was asked of an element is
// asked again by the kernel.
#include "craft/plan/replace.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "craft/plan/element.h"
#include "craft/plan/plan.h"

namespace akgen::craft {
namespace {
using record::GraphNode;
using record::GraphNumber;
using From = GraphNumber::From;

// A part along one dimension; none: the whole.
struct Cut {
  GraphNumber dim, start, length;
};
// A tensor, one entry of each of its first dimensions, and a part of that.
struct Part {
  std::string root;
  std::vector<GraphNumber> entries;
  std::optional<Cut> cut;
};
struct Replacement {
  Part to, from;
};

GraphNumber Valueless(GraphNumber n) {
  if (!n.IsConstant() && n.from != From::kComputed) n.value = {};
  for (GraphNumber& a : n.args) a = Valueless(a);
  return n;
}
std::string Base(const std::string& id) { return id.substr(0, id.find('.')); }

class Replacer {
 public:
  Replacer(const PlanTask& t, const PlanCase& c) : task_(t), case_(c) {}

  // What the case replaces; nothing: it leaves everything as it is.
  std::optional<Replacement> Read() {
    for (const GraphNode& n : case_.graph.nodes) One(n);
    if (case_.graph.outputs.size() != 1 || copy_.empty() || case_.graph.outputs[0] != copy_)
      throw Unplanned{"an output that is not a changed input"};
    if (task_.outputs[0].inplace_of != Base(origin_))
      throw Unplanned{"an input that is changed elsewhere"};
    return made_;
  }

 private:
  void One(const GraphNode& n) {
    const std::string &op = n.op, &id = n.id();
    const record::GraphArgs& a = n.args;
    if (op == "clone" && copy_.empty() && !parts_.count(a.at(0).tensor)) {
      copy_ = id;
      origin_ = a[0].tensor;
      parts_[id] = {id, {}, {}};
    } else if (op == "select") {
      Part p = Seen(a.at(0).tensor);
      if (p.cut || !a.at(1).Is(0) || p.root == copy_)
        throw Unplanned{"one entry of another dimension than the first"};
      p.entries.push_back(a.at(2).number);
      parts_[id] = p;
    } else if (op == "narrow") {
      Part p = Seen(a.at(0).tensor);
      if (p.cut) throw Unplanned{"a part that is cut once more"};
      p.cut = Cut{a.at(1).number, a.at(2).number, a.at(3).number};
      parts_[id] = p;
    } else if (op == "copy_" && !made_) {
      made_ = Replacement{Seen(a.at(0).tensor), Seen(a.at(1).tensor)};
      if (made_->to.root != copy_ || made_->from.root == copy_ || made_->from.root == origin_)
        throw Unplanned{"a value that is changed by itself"};
    } else {
      throw WithoutRule(op, " beside a part that is replaced");
    }
  }
  Part Seen(const std::string& id) const {
    auto it = parts_.find(id);
    return it != parts_.end() ? it->second : Part{id, {}, {}};
  }

  const PlanTask& task_;
  const PlanCase& case_;
  std::string copy_, origin_;
  std::map<std::string, Part> parts_;
  std::optional<Replacement> made_;
};

// One kernel, from a case that replaces something.
class Writer {
 public:
  Writer(const PlanTask& t, const PlanCase& c, const Replacement& r, int number)
      : task_(t), case_(c), r_(r), number_(number) {
    for (const PlanParam& p : task_.params)
      if (p.id == task_.outputs[0].inplace_of) list_ = p.is_list;
    if (!r.to.cut || (r.from.cut && r.from.cut->dim != r.to.cut->dim))
      throw Unplanned{"a part along another dimension"};
    // The extents are those of the tensor itself; of a list's tensors those of the one that takes
    // part.
    shape_ = list_ ? r.from.root : task_.outputs[0].inplace_of;
    skipped_ = list_ ? r.from.entries.size() : 0;
  }

  std::string Kernel() {
    const Cut& to = *r_.to.cut;
    std::string in = list_ ? "        " : "    ",
                out = list_ ? "    for t in range(len(y0)):\n" : "", asked = Asked();
    if (!asked.empty()) out += fmt::format("{}if {}:\n", in, asked), in += "    ";
    out += fmt::format(
        "{0}to = {1}\n{0}first = to if to >= 0 else to + at\n{0}length = {2} * behind\n", in,
        Number(to.start), Number(to.length));
    std::string from = "0", entry;
    if (r_.from.cut) {
      if (Valueless(r_.from.cut->length) != Valueless(to.length))
        throw Unplanned{"parts of different length"};
      from = Number(r_.from.cut->start);
      if (!r_.from.cut->start.Is(0))
        out += fmt::format("{0}from = {1}\n", in, from),
            from = "(from if from >= 0 else from + its)";
    }
    if (r_.from.entries.size() > 1) throw Unplanned{"an entry of several dimensions"};
    if (!r_.from.entries.empty()) entry = Number(r_.from.entries[0]);
    std::string row = entry.empty() ? "i0" : fmt::format("({} * before + i0)", entry);
    out += fmt::format(
        "{0}parts = ceil_div(length, tile)\n{0}for j in range(core(), before * parts, "
        "cores()):\n{0}    i0 = j // "
        "parts\n{0}    begin = (j % parts) * tile\n"
        "{0}    for c, m in tiles(begin, min(begin + tile, length), tile):\n",
        in);
    in += "        ";
    std::string its = r_.from.cut ? "its" : Number(to.length), into = list_ ? "y0[t]" : "y0";
    std::string source = from == "0" ? fmt::format("{} * {}", row, its)
                                     : fmt::format("({} * {} + {})", row, its, from);
    out +=
        fmt::format("{0}p = {1} * behind + c\n{0}q = (i0 * at + first) * behind + c\n", in, source);
    out += fmt::format(
        "{0}with copyin:\n{0}    load(part, {1}[p : p + m])\n{0}with copyout:\n{0}    store({2}[q "
        ": q + m], part)\n",
        in, r_.from.root, into);
    return Head() + out;
  }
  std::string Launch(const std::string& in) {
    const std::string of = shape_ + ".shape",
                      rank = skipped_ ? fmt::format("len({}) - {}", of, skipped_)
                                      : fmt::format("len({})", of),
                      v = std::to_string(number_);
    const GraphNumber& dim = r_.to.cut->dim;
    std::string d = dim.IsConstant() ? std::to_string(dim.Int()) : HostNumber(dim).value_or("");
    if (d.empty()) throw Unplanned{"a dimension that an element names"};
    std::string out = fmt::format("{0}d{1} = {2} if {2} >= 0 else {2} + {3}\n", in, v, d, rank),
                at = skipped_ ? fmt::format("d{} + {}", v, skipped_) : "d" + v;
    out += fmt::format(
        "{0}before{1} = prod({2}[{3}:{4}])\n{0}at{1} = {2}[{4}]\n{0}behind{1} = prod({2}[{4} + "
        "1:])\n",
        in, v, of, skipped_ ? std::to_string(skipped_) : "", at);
    std::string own =
        r_.from.entries.empty() ? "d" + v : fmt::format("d{} + {}", v, r_.from.entries.size());
    out += fmt::format("{0}its{1} = {2}.shape[{3}]\n{0}tile{1} = fit(at{1} * behind{1}, 64)\n", in,
                       v, r_.from.root, own);
    std::string args;
    for (const std::string& t : tensors_) args += t + ", ";
    for (const char* s : {"before", "at", "behind", "its"}) args += s + v + ", ";
    for (const auto& [name, text] : numbers_) args += text + ", ";
    for (const std::string& t : tensors_)
      if (t != "y0" || !list_) args += t + ".numel, ";
    return out + fmt::format("{0}kernel{1}[best_cores()]({2}tile{1})\n", in, v, args);
  }

 private:
  std::string Head() {
    std::string args, numbers;
    for (const PlanParam& p : task_.params)
      if (p.id == r_.from.root || items_.count(p.id)) tensors_.push_back(p.id);
    tensors_.push_back("y0");
    for (const std::string& t : tensors_) {
      bool list = t == "y0" && list_;
      args += list ? "y0: gms, " : fmt::format("{0}: gm[{0}_n], ", t);
      if (!list) numbers += t + "_n, ";
    }
    args += "before, at, behind, its, ";
    for (const auto& [name, text] : numbers_) args += name + ", ";
    return fmt::format("@kernel\ndef kernel{}({}{}tile):\n    part = ub(tile, dtype={}.dtype)\n",
                       number_, args, numbers, r_.from.root);
  }
  // What has to be so for this to be done.
  std::string Asked() {
    std::string out;
    for (const GraphNumber& q : case_.graph.asked) {
      std::string want = !q.HasBool()    ? "== " + base::Dump(record::ToJson(q.value))
                         : q.Real() != 0 ? "!= 0"
                                         : "== 0";
      out += (out.empty() ? "" : " and ") + fmt::format("{} {}", Number(q), want);
    }
    return out;
  }
  std::string Number(const GraphNumber& n) {
    if (n.IsConstant() && !n.HasInt() && !n.HasBool())
      throw Unplanned{"a number of an unknown kind"};
    if (n.from == From::kTurn && list_) return "t";
    if (n.IsConstant() || n.from == From::kTurn) return ConstantOf(n);
    if (n.from == From::kElement) {
      std::string id = Base(n.name);
      items_.insert(id);
      return fmt::format("item({}[{}])", id, n.args.empty() ? "0" : Number(n.args[0]));
    }
    if (auto host = HostNumber(n)) {
      for (const auto& [name, text] : numbers_)
        if (text == *host) return name;
      numbers_.push_back({fmt::format("h{}", numbers_.size()), *host});
      return numbers_.back().first;
    }
    if (n.from != From::kOperation) throw Unplanned{"a number of an unknown kind"};
    std::vector<std::string> a;
    for (const GraphNumber& x : n.args) a.push_back(Number(x));
    return n.name == "Bool" && a.size() == 1 ? a[0] : NumberText(n.name, a);
  }

  const PlanTask& task_;
  const PlanCase& case_;
  const Replacement& r_;
  int number_;
  bool list_ = false;
  std::string shape_;
  size_t skipped_ = 0;
  std::set<std::string> items_;
  std::vector<std::pair<std::string, std::string>> numbers_;  // the kernel's name, the host's text
  std::vector<std::string> tensors_;
};

// Cases that do the same, and those that do nothing because what was asked of elements was answered
// otherwise.
struct Alike {
  std::string structure;
  std::vector<GraphNumber> asked;
  Replacement replacement;
  std::vector<size_t> cases;
};

std::vector<GraphNumber> AskedOf(const PlanCase& c) {
  std::vector<GraphNumber> out;
  for (const GraphNumber& a : c.graph.asked) out.push_back(Valueless(a));
  return out;
}

const PlanParam& ParamOf(const PlanTask& task, const std::string& id) {
  for (const PlanParam& p : task.params)
    if (p.id == id) return p;
  throw Unplanned{"a constant tensor"};
}

// Of a list's tensors the kernel knows the shape from what takes part only: it must be theirs.
void CheckShapes(const PlanTask& task, const Alike& g) {
  const std::string to = task.outputs[0].inplace_of, &from = g.replacement.from.root;
  const PlanParam &x = ParamOf(task, to), &y = ParamOf(task, from);
  if (y.is_list || y.optional || x.dtypes != y.dtypes) throw Unplanned{"a part of another dtype"};
  for (size_t c : g.cases) {
    std::vector<int64_t> its = task.cases[c].shapes.at(from), own = task.cases[c].shapes.at(to);
    its.erase(its.begin(), its.begin() + static_cast<long>(std::min(
                                             its.size(), g.replacement.from.entries.size())));
    if (x.is_list ? its != own : its.size() != own.size())
      throw Unplanned{"tensors of different shapes"};
    const GraphNumber dim = g.replacement.to.cut ? g.replacement.to.cut->dim : GraphNumber();
    int64_t d =
        dim.IsConstant()
            ? (dim.HasInt() ? dim.Int() : 0)
            : task.cases[c].attrs.at(dim.from == From::kAttribute ? dim.name : "").get<int64_t>();
    d = d < 0 ? d + static_cast<int64_t>(own.size()) : d;
    for (size_t i = 0; i < own.size(); ++i)
      if (its[i] != own[i] && static_cast<int64_t>(i) != d)
        throw Unplanned{"tensors of different shapes"};
  }
}

std::string Program(const PlanTask& task) {
  if (task.outputs.size() != 1 || task.outputs[0].inplace_of.empty() ||
      !task.outputs[0].in_signature)
    throw Unplanned{"an output in memory of its own"};
  std::vector<Alike> groups;
  std::vector<size_t> idle;
  for (size_t c = 0; c < task.cases.size(); ++c) {
    auto r = Replacer(task, task.cases[c]).Read();
    std::string structure = Structure(task, task.cases[c]);
    auto known = std::find_if(groups.begin(), groups.end(),
                              [&](const Alike& g) { return g.structure == structure; });
    if (!r)
      idle.push_back(c);
    else if (known != groups.end())
      known->cases.push_back(c);
    else
      groups.push_back({structure, AskedOf(task.cases[c]), *r, {c}});
  }
  if (groups.empty()) throw Unplanned{"nothing is replaced"};
  for (size_t c : idle) {
    auto same = std::find_if(groups.begin(), groups.end(), [&](const Alike& g) {
      return !g.asked.empty() && g.asked == AskedOf(task.cases[c]);
    });
    if (same == groups.end()) throw Unplanned{"cases that do nothing"};
    same->cases.push_back(c);
  }
  std::vector<std::vector<size_t>> cases;
  for (const Alike& g : groups) cases.push_back(g.cases);
  std::string kernels,
      host = Parameters(task) + fmt::format("    y0 = inplace({})\n", task.outputs[0].inplace_of);
  for (size_t v = 0; v < groups.size(); ++v) {
    CheckShapes(task, groups[v]);
    Writer w(task, task.cases[groups[v].cases[0]], groups[v].replacement, static_cast<int>(v));
    kernels += w.Kernel() + "\n\n";
    std::string condition = v + 1 < groups.size() ? Condition(task, cases, v) : "";
    if (v + 1 < groups.size() && condition.empty())
      throw Unplanned{"cases that differ in nothing the host can see"};
    if (groups.size() > 1)
      host += v + 1 == groups.size() ? std::string("    else:\n")
                                     : fmt::format("    {} {}:\n", v ? "elif" : "if", condition);
    host += w.Launch(groups.size() > 1 ? "        " : "    ");
  }
  return kernels + host;
}
}  // namespace

PlanResult<std::string> PlanReplace(const PlanTask& task) {
  return Tried([&] { return Program(task); });
}

}  // namespace akgen::craft
