// Values over axes to the text of one kernel.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "craft/plan/nest_layout.h"

namespace akgen::craft {
namespace {
class NestWriter : NestLayout {
 public:
  NestWriter(const PlanTask& t, const NestGraph& g, size_t column) : NestLayout(g), task_(t), column_(column) {}

  NestText Run() {
    LayOut();
    Body();
    return std::move(out_);
  }

 private:
  // ---- text ----
  std::string At(int a) const { return a == lane_ ? "c" : fmt::format("i{}", Position(a)); }
  std::string Offset(const craft::Run& r, int except = kNone) const {
    std::string out;
    for (size_t i = 0; i < r.size(); ++i) {
      if (r[i] == except) continue;
      out += (out.empty() ? "" : " + ") + Times(At(r[i]), craft::Run(r.begin() + static_cast<long>(i) + 1, r.end()));
    }
    return out.empty() ? "0" : out;
  }
  std::string Times(const std::string& index, const craft::Run& after) const {
    bool simple = index.find_first_of(" +-") == std::string::npos;
    return after.empty() ? index : fmt::format("{} * {}", simple ? index : "(" + index + ")", Product(after));
  }
  // Where a leaf's tile begins in its input, and how far apart its elements lie ("" unless the lane walks it).
  std::string LeafOffset(int n, std::string& step) const {
    const craft::Run& r = input_.at(g_.nodes[n].input);
    std::string out;
    for (size_t i = 0; i < r.size(); ++i) {
      craft::Run after(r.begin() + static_cast<long>(i) + 1, r.end());
      auto role = roles_[n].find(r[i]);
      std::string index = At(r[i]), by;
      int walk = r[i];
      if (role != roles_[n].end() && role->second.fixed) {
        index = Marks(role->second.index), walk = kNone;
      } else if (role != roles_[n].end()) {
        walk = role->second.walk;
        by = role->second.step;
        index = by == "1" ? At(walk) : fmt::format("{} * {}", At(walk), by);
        if (!role->second.by.empty()) {
          if (walk == lane_) throw Unplanned{"elements side by side that other elements point to"};
          index = fmt::format("item({}[{}])", role->second.by, At(walk));
        }
        if (role->second.start != "0") index = fmt::format("{} + {}", Marks(role->second.start), index);
      } else if (!Has(run_[n], r[i])) {
        throw Unplanned{"a leaf that leaves out an axis"};
      }
      if (walk == lane_ && lane_ != kNone) {
        if (!step.empty()) throw Unplanned{"a diagonal"};
        step = after.empty() ? (by.empty() ? "1" : by) : (by.empty() || by == "1" ? "" : by + " * ") + Product(after);
      }
      if (index == "0") continue;
      out += (out.empty() ? "" : " + ") + Times(index, after);
    }
    return out.empty() ? "0" : out;
  }
  // Numbers stand where they are used; positions and single elements are named before the stage.
  std::string Name(int n) const {
    const NestNode& node = g_.nodes[n];
    if (node.kind == NestNode::kScalar) return Marks(node.text);
    bool number = (node.kind == NestNode::kLeaf || node.kind == NestNode::kIndex) && (lane_ == kNone || !Has(run_[n], lane_));
    return fmt::format("{}{}", number ? "q" : "v", n);
  }

  // Nodes to compute for `targets`, in order, up to reductions that are done.
  std::vector<int> Lines(const std::vector<int>& targets, const std::set<int>& done) const {
    std::set<int> out;
    std::function<void(int)> need = [&](int n) {
      if (!out.insert(n).second || (g_.nodes[n].kind == NestNode::kReduce && done.count(n))) return;
      if (g_.nodes[n].kind == NestNode::kReduce) throw Unplanned{"a reduction that is not there yet"};
      for (int a : g_.nodes[n].args) need(a);
    };
    for (int t : targets) need(t);
    return {out.begin(), out.end()};
  }

  struct Stage {
    std::string lets, loads, compute;
    std::set<int> vectors;               // nodes whose value spans the lane
  };
  // What it takes to have `targets` at this place; `in` is the depth.
  Stage Prepare(const std::vector<int>& targets, const std::set<int>& here, const std::string& in) {
    Stage s;
    std::set<int> done = here;
    for (int r : stored_) done.insert(r);
    for (int n : Lines(targets, done)) {
      const NestNode& node = g_.nodes[n];
      bool spans = lane_ != kNone && Has(run_[n], lane_);
      if (node.kind == NestNode::kReduce) {
        if (here.count(n)) s.compute += fmt::format("{}    {} = r{}\n", in, Name(n), n);
        else LoadStored(n, spans, s, in);
        if (spans) s.vectors.insert(n);
      } else if (node.kind == NestNode::kLeaf) {
        Leaf(n, spans, s, in);
      } else if (node.kind == NestNode::kIndex) {
        Index(n, s, in);
      } else if (node.kind == NestNode::kElement) {
        std::string text = Marks(node.text);
        // Numbers alone give no tile: the first one becomes one.
        bool tile = false;
        for (int a : node.args) tile |= Name(a)[0] == 'v' || Name(a).rfind("(full", 0) == 0;
        for (size_t i = 0; i < node.args.size(); ++i) {
          std::string mark = fmt::format("@{}@", i);
          for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) text.replace(at, mark.size(), tile || i ? Name(node.args[i]) : fmt::format("full(1, 1, {})", Name(node.args[i])));
          if (s.vectors.count(node.args[i])) s.vectors.insert(n);
        }
        s.compute += fmt::format("{}    {} = {}\n", in, Name(n), text);
      }
    }
    return s;
  }
  void Leaf(int n, bool spans, Stage& s, const std::string& in) {
    std::string step, id = g_.nodes[n].input, at = LeafOffset(n, step);
    Use(id);
    if (!spans) {
      s.lets += fmt::format("{}{} = item({}[{}])\n", in, Name(n), id, at);
      return;
    }
    std::string buffer = fmt::format("{}_{}", id, n);
    buffers_.insert(fmt::format("    {} = ub(tile, dtype={}.dtype)\n", buffer, id));
    if (step != "1") {
      packed_.insert(n);
      s.lets += fmt::format("{}p{} = {}\n", in, n, Offset(Sorted(AxesOf(n))));
      s.loads += fmt::format("{0}    load({1}, w{2}[p{2} : p{2} + m, 0])\n", in, buffer, n);
    } else {
      s.lets += fmt::format("{}p{} = {}\n", in, n, at);
      s.loads += fmt::format("{0}    load({1}, {2}[p{3} : p{3} + m])\n", in, buffer, id, n);
    }
    s.compute += fmt::format("{}    {} = {}\n", in, Name(n), buffer);
    s.vectors.insert(n);
  }
  void LoadStored(int r, bool spans, Stage& s, const std::string& in) {
    std::string buffer = fmt::format("w{}_ub{}", r, spans ? "" : "1"), w = fmt::format("w{}", r);
    buffers_.insert(fmt::format("    {} = ub({}, dtype=f32)\n", buffer, spans ? "tile" : "1"));
    Workspace(r);
    s.lets += fmt::format("{}p{} = {}\n", in, r, Offset(Sorted(AxesOf(r))));
    s.loads += fmt::format("{0}    load({1}, {2}[p{3} : p{3} + {4}])\n", in, buffer, w, r, spans ? "m" : "1");
    s.compute += fmt::format("{}    {} = {}\n", in, Name(r), buffer);
  }
  void Index(int n, Stage& s, const std::string& in) {
    const craft::Run& r = run_[n];
    if (lane_ == kNone || !Has(r, lane_)) {
      s.lets += fmt::format("{}{} = {}\n", in, Name(n), Offset(r));
      return;
    }
    if (r.back() != lane_) throw Unplanned{"positions that do not follow the lane"};
    s.compute += fmt::format("{}    {} = iota({}, m)\n", in, Name(n), Offset(r));
    s.vectors.insert(n);
  }
  void Use(const std::string& tensor) {
    if (!std::count(out_.tensors.begin(), out_.tensors.end(), tensor)) out_.tensors.push_back(tensor);
  }
  void Workspace(int r) { workspaces_.insert(r); }
  craft::Run Sorted(const Set& s) const {
    craft::Run out;
    for (int a : order_)
      if (s.count(a)) out.push_back(a);
    return out;
  }

  // Loops over `axes`, the lane last; the text of the innermost place comes from `inner`.
  std::string Loops(const Set& axes, const std::string& in, const std::function<std::string(const std::string&)>& inner) {
    std::string out, deep = in;
    for (int a : order_) {
      if (!axes.count(a) || a == lane_) continue;
      out += fmt::format("{}for {} in range({}):\n", deep, At(a), Extent(a));
      deep += "    ";
    }
    if (lane_ != kNone && axes.count(lane_)) {
      out += fmt::format("{}for c, m in tiles(0, {}, tile):\n", deep, Extent(lane_));
      deep += "    ";
    }
    return out + inner(deep);
  }
  std::string Stages(const Stage& s, const std::string& in) const {
    return s.lets + (s.loads.empty() ? "" : in + "with copyin:\n" + s.loads) + (s.compute.empty() ? "" : in + "with compute:\n" + s.compute);
  }

  void Body() {
    std::string body;
    for (size_t s = 0; s < segments_.size(); ++s) {
      if (s) body += "    sync_all()\n";
      body += SegmentText(static_cast<int>(s));
    }
    CheckInplace();
    std::string before;
    for (int n : packed_) before += Pack(n);
    if (!before.empty()) body = before + "    sync_all()\n" + body;
    std::string after;
    for (const auto& [o, p] : scattered_) after += Scatter(o, p);
    if (!after.empty()) body += "    sync_all()\n" + after;
    std::string args, lists;
    std::vector<std::string> tensors;
    for (const PlanParam& p : task_.params)
      if (!p.is_attr && (g_.items.count(p.id) || std::count(out_.tensors.begin(), out_.tensors.end(), p.id))) tensors.push_back(p.id);
    for (const std::string& t : tensors) args += fmt::format("{}: gm[{}], ", t, Product(input_[t]));
    for (size_t o = 0; o < g_.outputs.size(); ++o) {
      tensors.push_back(fmt::format("y{}", o));
      args += fmt::format("y{}: gm[{}], ", o, Product(out_run_[o]));
      craft::Run shape = out_run_[o];
      if (g_.outputs[o].pair) std::erase(shape, out_part_[o]);
      out_.output_shape.push_back(Product(shape));
    }
    for (int r : workspaces_) {
      tensors.push_back(fmt::format("w{}", r));
      args += fmt::format("w{}: gm[{}], ", r, Product(Sorted(AxesOf(r))));
      out_.workspaces.push_back({Product(Sorted(AxesOf(r))), "f32"});
    }
    auto column = [&](const std::string& name, const std::string& size, const std::string& dtype) {
      tensors.push_back(name);
      args += fmt::format("{}: gm[{}, 1], ", name, size);
      out_.workspaces.push_back({size, dtype});
    };
    for (int n : packed_) column(fmt::format("w{}", n), Product(Sorted(AxesOf(n))), Complex(ParamDtypes(g_.nodes[n].input)) ? "f32" : g_.nodes[n].input + ".dtype");
    for (const auto& [o, p] : scattered_) {
      const auto& dtypes = task_.outputs[o].dtypes;
      column(fmt::format("w{}_{}", o, p + 1), Product(Sorted(OutAxes(o))), Complex(dtypes) ? "f32" : fmt::format("column({})", DtypeList(dtypes)));
    }
    out_.tensors = tensors;
    for (size_t i = 0; i < order_.size(); ++i) args += fmt::format("e{}, ", i);
    for (const auto& [name, text] : g_.numbers) out_.scalars.push_back(text), args += name + ", ";
    std::set<std::string> named;
    for (const std::string& b : buffers_) named.insert(Labelled(b, g_));
    std::string all;
    for (const std::string& b : named) all += b;
    out_.body = Labelled(fmt::format("@kernel\ndef main_kernel({}tile):\n", args), g_) + all + Labelled(body, g_);
    Longest();
  }
  // Complex tensors are seen as their parts, in f32.
  bool Complex(const std::vector<base::Dtype>& dtypes) const { return dtypes.at(column_) == base::Dtype::kComplex64; }
  const std::vector<base::Dtype>& ParamDtypes(const std::string& id) const {
    for (const PlanParam& p : task_.params)
      if (p.id == id) return p.dtypes;
    throw Unplanned{"a constant tensor"};
  }
  void Longest() {
    std::set<std::string> lanes;
    for (const Segment& s : segments_)
      if (s.lane != kNone) lanes.insert(Extent(s.lane)), out_.lanes.insert(Position(s.lane));
    for (const std::string& l : lanes) out_.longest = out_.longest.empty() ? l : fmt::format("max({}, {})", out_.longest, l);
    if (out_.longest.empty()) out_.longest = "64";
  }

  // Elements that lie apart are brought side by side, or back: a column of single elements at a time.
  std::string Move(const std::string& id, const craft::Run& run, const std::function<std::string(const std::string&)>& inner) {
    lane_ = run.back();
    std::string out = fmt::format("    parts_{0} = ceil_div({1}, 512)\n    jobs_{0} = {2} * parts_{0}\n    for j in range(core(), jobs_{0}, cores()):\n", id, Extent(lane_),
                                  Product(craft::Run(run.begin(), run.end() - 1)));
    std::string in = "        ";
    for (size_t i = 0; i + 1 < run.size(); ++i)
      out += fmt::format("{}{} = (j // ({} * parts_{})){}\n", in, At(run[i]), Product(craft::Run(run.begin() + static_cast<long>(i) + 1, run.end() - 1)), id, i ? " % " + Extent(run[i]) : "");
    out += fmt::format("{0}from_{1} = (j % parts_{1}) * 512\n{0}for c, m in tiles(from_{1}, min(from_{1} + 512, {2}), 512):\n", in, id, Extent(lane_));
    return out + inner(in + "    ");
  }
  std::string Pack(int n) {
    std::string id = std::to_string(n), input = g_.nodes[n].input;
    craft::Run run = Sorted(AxesOf(n));
    auto pointed = [&](int a) { return std::any_of(roles_[n].begin(), roles_[n].end(), [&](const auto& r) { return r.second.walk == a && !r.second.by.empty(); }); };
    if (pointed(run.back())) throw Unplanned{"elements that lie apart and are pointed to"};
    buffers_.insert(fmt::format("    {0}_m = ub(512, 1, dtype={0}.dtype)\n", input));
    return Move(id, run, [&](const std::string& in) {
      std::string step, at = LeafOffset(n, step);
      return fmt::format("{0}p{1} = {2}\n{0}q{1} = {3}\n{0}with copyin:\n{0}    load({4}_m, {4}[p{1} : p{1} + m * ({5}) : {5}])\n{0}with copyout:\n{0}    store(w{1}[q{1} : q{1} + m, :], {4}_m)\n", in, id, at,
                         Offset(run), input, step);
    });
  }
  std::string Scatter(size_t o, int p) {
    std::string id = fmt::format("{}_{}", o, p + 1), step;
    craft::Run run = Sorted(OutAxes(o));
    buffers_.insert(fmt::format("    y{0}_m = ub(512, 1, dtype=y{0}.dtype)\n", o));
    return Move(id, run, [&](const std::string& in) {
      std::string at = OutOffset(o, p, step);
      return fmt::format("{0}p{1} = {2}\n{0}q{1} = {3}\n{0}with copyin:\n{0}    load(y{4}_m, w{1}[q{1} : q{1} + m, :])\n{0}with copyout:\n{0}    store(y{4}[p{1} : p{1} + m * ({5}) : {5}], y{4}_m)\n", in, id, at,
                         Offset(run), o, step);
    });
  }
  // Where an output's tile begins; `step`: how far apart its elements lie.
  std::string OutOffset(size_t o, int p, std::string& step) const {
    const craft::Run& r = out_run_[o];
    std::string at;
    for (size_t i = 0; i < r.size(); ++i) {
      craft::Run after(r.begin() + static_cast<long>(i) + 1, r.end());
      if (r[i] == lane_) step = Product(after);
      std::string index = r[i] == out_part_[o] ? std::to_string(p) : At(r[i]);
      if (index != "0") at += (at.empty() ? "" : " + ") + Times(index, after);
    }
    return at.empty() ? "0" : at;
  }

  std::string SegmentText(int which) {
    Segment& s = segments_[which];
    lane_ = s.lane;
    bool cut = lane_ != kNone && s.kept.count(lane_);      // the lane's tiles are shared among the cores, too
    craft::Run jobs = Sorted(s.kept);
    std::erase(jobs, lane_);
    std::string out, in = "        ", id = std::to_string(which);
    if (cut) out += fmt::format("    parts{} = ceil_div({}, tile)\n", id, Extent(lane_));
    out += fmt::format("    jobs{} = {}{}\n    for j in range(core(), jobs{}, cores()):\n", id, Product(jobs), cut ? " * parts" + id : "", id);
    for (size_t i = 0; i < jobs.size(); ++i) {
      craft::Run after(jobs.begin() + static_cast<long>(i) + 1, jobs.end());
      std::string by = Product(after) + (cut ? " * parts" + id : ""), value = after.empty() && !cut ? "j" : fmt::format("(j // ({}))", by);
      out += fmt::format("{}{} = {}{}\n", in, At(jobs[i]), value, i ? " % " + Extent(jobs[i]) : "");
    }
    if (cut) {
      out += fmt::format("{0}from_{1} = (j % parts{1}) * tile\n{0}for c, m in tiles(from_{1}, min(from_{1} + tile, {2}), tile):\n", in, id, Extent(lane_));
      in += "    ";
    }
    std::set<int> here;
    out += Phases(s, in, cut, here);
    out += Outputs(s, in, cut, here);
    for (int r : s.reductions) stored_.insert(r);
    return out;
  }

  int Level(int r, const Segment& s) const {
    std::set<int> before;
    Reductions(r, before);
    int level = 0;
    for (int b : before)
      if (std::count(s.reductions.begin(), s.reductions.end(), b)) level = std::max(level, Level(b, s) + 1);
    return level;
  }
  std::string Phases(const Segment& s, const std::string& in, bool cut, std::set<int>& here) {
    std::map<std::pair<int, Set>, std::vector<int>> phases;
    for (int r : s.reductions) {
      Set walked = s.kept;
      for (int a : run_[g_.nodes[r].args[0]]) walked.insert(a);
      phases[{Level(r, s), walked}].push_back(r);
    }
    std::string out;
    for (const auto& [key, reductions] : phases) {
      std::string start;
      for (int r : reductions) start += StartOf(r, cut, in);
      out += in + "with compute:\n" + start;
      Set inner;
      for (int a : key.second)
        if (!s.kept.count(a)) inner.insert(a);
      out += Loops(inner, in, [&](const std::string& deep) {
        std::vector<int> targets;
        for (int r : reductions) targets.push_back(g_.nodes[r].args[0]);
        Stage stage = Prepare(targets, here, deep);
        for (int r : reductions) stage.compute += Accumulate(r, cut, inner.count(lane_) > 0, stage, deep);
        return Stages(stage, deep);
      });
      here.insert(reductions.begin(), reductions.end());
    }
    return out;
  }
  std::string StartOf(int r, bool cut, const std::string& in) {
    const std::string& what = g_.nodes[r].text;
    bool index = what.rfind("arg", 0) == 0;
    if (index && cut) throw Unplanned{"positions along another axis than the lane"};
    buffers_.insert(fmt::format("    r{} = ub({}, dtype={})\n", r, cut ? "tile" : "1", index ? "i32" : "f32"));
    std::string first = what == "sum" ? "0.0" : what == "prod" ? "1.0" : what == "min" || what == "argmin" ? "inf" : "(-inf)", size = cut ? "m" : "1";
    if (!index) return fmt::format("{}    r{}[:] = full(1, {}, {})\n", in, r, size, first);
    buffers_.insert(fmt::format("    b{} = ub(1, dtype=f32)\n", r));
    return fmt::format("{0}    r{1}[:] = full(1, 1, 0)\n{0}    b{1}[:] = full(1, 1, {2})\n", in, r, first);
  }
  std::string Accumulate(int r, bool cut, bool along, const Stage& stage, const std::string& in) const {
    const std::string& what = g_.nodes[r].text;
    int x = g_.nodes[r].args[0];
    bool wide = cut || along;
    std::string v = Name(x);
    if (wide && !stage.vectors.count(x)) v = fmt::format("({} + full(1, m, 0.0))", v);
    if (what.rfind("arg", 0) == 0) {
      if (!along) throw Unplanned{"positions along another axis than the lane"};
      bool most = what == "argmax";
      std::string t = fmt::format("t{}", r);
      return fmt::format("{0}    {1} = row_{2}({3})\n{0}    r{4}[:] = where({1} {5} b{4}, row_{6}({3}) + c, r{4})\n{0}    b{4}[:] = {7}(b{4}, {1})\n", in, t, most ? "max" : "min", v, r,
                         most ? ">" : "<", what, most ? "maximum" : "minimum");
    }
    if (along) v = fmt::format("row_{}(cast({}, f32))", what, v);
    if (what == "sum") return fmt::format("{0}    r{1}[:] = r{1} + {2}\n", in, r, v);
    if (what == "prod") return fmt::format("{0}    r{1}[:] = r{1} * {2}\n", in, r, v);
    return fmt::format("{0}    r{1}[:] = {2}(r{1}, {3})\n", in, r, what == "max" ? "maximum" : "minimum", v);
  }

  bool StoredLater(int r) const {
    for (size_t s = 0; s < segments_.size(); ++s) {
      if (static_cast<int>(s) <= SegmentOf(r)) continue;
      std::vector<int> targets;
      for (int x : segments_[s].reductions) targets.push_back(x);
      for (const auto& [o, p] : segments_[s].outputs) targets.push_back(NodeOf(o, p));
      for (int t : targets) {
        std::set<int> reads;
        if (t == r) return true;
        Reductions(t, reads);
        if (reads.count(r)) return true;
      }
    }
    return false;
  }
  int NodeOf(size_t o, int part) const { return part == kNone ? g_.outputs[o].node : g_.outputs[o].parts[static_cast<size_t>(part)]; }

  std::string Outputs(const Segment& s, const std::string& in, bool cut, const std::set<int>& here) {
    std::map<Set, std::vector<std::pair<size_t, int>>> by_axes;
    for (const auto& o : s.outputs) by_axes[OutAxes(o.first)].push_back(o);
    std::string out;
    for (auto it = by_axes.rbegin(); it != by_axes.rend(); ++it) {
      Set inner;
      for (int a : it->first)
        if (!s.kept.count(a)) inner.insert(a);
      out += Loops(inner, in, [&](const std::string& deep) { return Store(it->second, cut || inner.count(lane_), here, deep); });
    }
    std::string keep, lets, stores;
    for (int r : s.reductions) {
      if (!StoredLater(r)) continue;
      Workspace(r);
      buffers_.insert(fmt::format("    k{} = ub({}, dtype=f32)\n", r, cut ? "tile" : "1"));
      keep += fmt::format("{0}    k{1}[:] = r{1}\n", in, r);
      lets += fmt::format("{}k{}_at = {}\n", in, r, Offset(Sorted(AxesOf(r))));
      stores += fmt::format("{0}    store(w{1}[k{1}_at : k{1}_at + {2}], k{1})\n", in, r, cut ? "m" : "1");
    }
    if (!keep.empty()) out += lets + in + "with compute:\n" + keep + in + "with copyout:\n" + stores;
    return out;
  }
  std::string Store(const std::vector<std::pair<size_t, int>>& outputs, bool wide, const std::set<int>& here, const std::string& in) {
    std::vector<int> targets;
    for (const auto& [o, p] : outputs) targets.push_back(NodeOf(o, p));
    Stage stage = Prepare(targets, here, in);
    std::string stores;
    for (const auto& [o, p] : outputs) {
      std::string buffer = p == kNone ? fmt::format("y{}_ub", o) : fmt::format("y{}_ub{}", o, p), at, size = wide ? "m" : "1";
      std::string step = "1";
      at = OutOffset(o, p, step);
      bool apart = wide && step != "1";
      if (apart) scattered_.insert({o, p}), at = Offset(Sorted(OutAxes(o)));
      buffers_.insert(fmt::format("    {} = ub({}, dtype=y{}.dtype)\n", buffer, wide ? "tile" : "1", o));
      stage.lets += fmt::format("{}{}_at = {}\n", in, buffer, at);
      std::string v = Name(NodeOf(o, p));
      stage.compute += fmt::format("{}    {}[:] = {}\n", in, buffer, Converted(o, wide && !stage.vectors.count(NodeOf(o, p)) ? Filled(NodeOf(o, p), v) : v));
      if (apart) stores += fmt::format("{0}    store(w{1}_{2}[{3}_at : {3}_at + m, 0], {3})\n", in, o, p + 1, buffer);
      else stores += fmt::format("{0}    store(y{1}[{2}_at : {2}_at + {3}], {2})\n", in, o, buffer, size);
    }
    return Stages(stage, in) + in + "with copyout:\n" + stores;
  }
  static std::string Filled(int, const std::string& v) { return fmt::format(fmt::runtime(v[0] == 'v' ? "{} + full(1, m, 0)" : "full(1, m, {})"), v); }
  // Where an integer output may get a float, the conversion is said; it cuts towards zero.
  std::string Converted(size_t o, const std::string& v) const {
    bool whole = false, truth = true;
    for (base::Dtype d : task_.outputs[o].dtypes) {
      truth &= d == base::Dtype::kBool;
      whole |= !base::IsFloating(d);
    }
    return whole && !truth ? fmt::format("cast({}, y{}.dtype)", v, o) : v;
  }
  // An output in an input's memory: nobody may read the input after it was overwritten.
  void CheckInplace() const {
    for (size_t o = 0; o < task_.outputs.size(); ++o) {
      const std::string& x = task_.outputs[o].inplace_of;
      if (x.empty() || !used_.count(x)) continue;
      int writes = static_cast<int>(segments_.size());
      for (size_t s = 0; s < segments_.size(); ++s)
        for (const auto& [out, p] : segments_[s].outputs)
          if (out == o) writes = std::min(writes, static_cast<int>(s));
      for (size_t s = 0; s < segments_.size(); ++s) {
        std::vector<int> targets;
        for (int r : segments_[s].reductions) targets.push_back(g_.nodes[r].args[0]);
        for (const auto& [out, p] : segments_[s].outputs) targets.push_back(NodeOf(out, p));
        std::set<int> done(segments_[s].reductions.begin(), segments_[s].reductions.end());
        for (int r : stored_) done.insert(r);
        for (int n : Lines(targets, done)) {
          if (g_.nodes[n].kind != NestNode::kLeaf || g_.nodes[n].input != x) continue;
          bool own = Within(segments_[s].kept, AxesOf(n)) && roles_[n].empty();
          if (static_cast<int>(s) > writes || (static_cast<int>(s) == writes && !own)) throw Unplanned{"an input that is overwritten before it was read"};
        }
      }
    }
  }

  const PlanTask& task_;
  size_t column_;
  int lane_ = kNone;
  std::set<int> stored_, workspaces_, packed_;
  std::set<std::pair<size_t, int>> scattered_;
  std::set<std::string> buffers_;
};
}  // namespace

NestText WriteNest(const PlanTask& task, const NestGraph& graph, size_t column) { return NestWriter(task, graph, column).Run(); }

}  // namespace akgen::craft
