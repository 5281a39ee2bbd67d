// Values over axes to the text of one kernel.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "craft/plan/nest_tiles.h"

namespace akgen::craft {
namespace {
class NestWriter : NestTiles {
 public:
  NestWriter(const PlanTask& t, const NestGraph& g, size_t column, bool rows)
      : NestTiles(g, rows), task_(t), column_(column) {}

  NestText Run() {
    LayOut();
    Body();
    return std::move(out_);
  }

 private:
  // ---- text ----
  std::string Offset(const craft::Run& r) const { return Linear(r, Plain(r), 0, r.size()); }
  // Numbers stand where they are used; positions and single elements are named before the stage.
  std::string Name(int n) const {
    const NestNode& node = g_.nodes[n];
    if (node.kind == NestNode::kScalar) return Marks(node.text);
    bool number = (node.kind == NestNode::kLeaf || node.kind == NestNode::kIndex) && !Of(run_[n]).any();
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
    std::map<int, Extent2> spans;              // of nodes whose values differ within a tile
    std::map<std::string, std::string> pairs;  // buffers of elements that lie in pairs, by input and place
    Extent2 Of(int n) const { return spans.count(n) ? spans.at(n) : Extent2{}; }
  };
  // What it takes to have `targets` at this place; `in` is the depth.
  Stage Prepare(const std::vector<int>& targets, const std::set<int>& here, const std::string& in) {
    Stage s;
    std::set<int> done = here;
    for (int r : stored_) done.insert(r);
    for (int n : Lines(targets, done)) {
      const NestNode& node = g_.nodes[n];
      if (node.kind == NestNode::kReduce) {
        if (here.count(n)) s.compute += fmt::format("{}    {} = {}\n", in, Name(n), Result(n));
        else LoadStored(n, s, in);
        s.spans[n] = Of(run_[n]);
      } else if (node.kind == NestNode::kLeaf) {
        Leaf(n, s, in);
      } else if (node.kind == NestNode::kIndex) {
        Index(n, s, in);
      } else if (node.kind == NestNode::kElement) {
        std::string text = Marks(node.text);
        // Numbers alone give no tile: the first one becomes one.
        bool tile = false;
        for (int a : node.args) tile |= Name(a)[0] == 'v' || Name(a).rfind("(full", 0) == 0;
        for (size_t i = 0; i < node.args.size(); ++i) {
          std::string mark = fmt::format("@{}@", i);
          for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
            text.replace(at, mark.size(),
                         tile || i ? Name(node.args[i]) : fmt::format("full(1, 1, {})", Name(node.args[i])));
          s.spans[n] = s.Of(n).With(s.Of(node.args[i]));
        }
        s.compute += fmt::format("{}    {} = {}\n", in, Name(n), text);
      }
    }
    return s;
  }
  Extent2 Of(const craft::Run& r) const { return {row_ != kNone && Has(r, row_), lane_ != kNone && Has(r, lane_)}; }
  // A buffer of this group of sizes; `name` says what is in it.
  std::string Buffer(const std::string& name, Extent2 of, const std::string& dtype) {
    std::string own = Own(name);
    buffers_.insert(fmt::format("    {} = ub({}, dtype={})\n", own, Size(of), dtype));
    return own;
  }
  std::string Own(const std::string& name) const { return group_ ? fmt::format("{}_g{}", name, group_) : name; }
  void Leaf(int n, Stage& s, const std::string& in) {
    std::string id = g_.nodes[n].input, name = fmt::format("p{}", n);
    std::vector<Walk> walks = LeafWalks(n);
    const craft::Run& r = input_.at(id);
    Extent2 of = Of(run_[n]);
    if (!of.any()) {
      flat_.insert(id);
      s.lets += fmt::format("{}{} = item({}[{}])\n", in, Name(n), id, Linear(r, walks, 0, r.size()));
      return;
    }
    if (of.lane && InPairs(r, walks)) return OneOfPairs(n, walks, s, in);
    Window w;
    if (of.lane && StepOf(r, walks, lane_) != "1") {
      if (row_ != kNone) throw Unplanned{"rows of elements that lie apart"};
      flat_.insert(id);
      packed_.insert(n);
      w = {id, fmt::format("{}p{} = {}\n", in, n, Offset(Sorted(AxesOf(n)))),
           fmt::format("w{0}[p{0} : p{0} + m, 0]", n)};
    } else {
      w = WindowOf(id, r, walks, of, name, in);
    }
    std::string buffer = Buffer(fmt::format("{}_{}{}", id, n, of.lane ? "" : "_col"), of, w.tensor + ".dtype");
    s.lets += w.lets;
    s.loads += fmt::format("{}    load({}, {})\n", in, buffer, w.text);
    s.compute += fmt::format("{}    {} = {}\n", in, Name(n), buffer);
    s.spans[n] = of;
  }
  // Both elements are loaded as they lie, once.
  void OneOfPairs(int n, std::vector<Walk> walks, Stage& s, const std::string& in) {
    const std::string& id = g_.nodes[n].input;
    const std::string which = walks.back().index;
    walks.back().index = "0";
    const std::string at = Linear(input_.at(id), walks, 0, walks.size());
    auto [pairs, fresh] = s.pairs.insert({fmt::format("{}[{}]", id, at), Own(fmt::format("{}_{}_pairs", id, n))});
    if (fresh) {
      flat_.insert(id);
      buffers_.insert(fmt::format("    {} = ub({} * 2, dtype={}.dtype)\n", pairs->second, Lane(), id));
      s.lets += fmt::format("{}p{} = {}\n", in, n, at);
      s.loads += fmt::format("{0}    load({1}, {2}[p{3} : p{3} + m * 2])\n", in, pairs->second, id, n);
    }
    s.compute += fmt::format("{}    {} = row_gather({}, iota(0, m) * 2{})\n", in, Name(n), pairs->second,
                             which == "0" ? "" : " + " + which);
    s.spans[n] = {false, true};
  }
  void LoadStored(int r, Stage& s, const std::string& in) {
    craft::Run run = Sorted(AxesOf(r));
    Extent2 of = Of(run);
    Workspace(r);
    Window w = WindowOf(fmt::format("w{}", r), run, Plain(run), of, fmt::format("p{}", r), in);
    std::string buffer = Buffer(fmt::format("w{}_ub{}{}", r, of.lane ? "" : "1", of.rows ? "n" : ""), of, "f32");
    s.lets += w.lets;
    s.loads += fmt::format("{}    load({}, {})\n", in, buffer, w.text);
    s.compute += fmt::format("{}    {} = {}\n", in, Name(r), buffer);
  }
  void Index(int n, Stage& s, const std::string& in) {
    const craft::Run& r = run_[n];
    if (row_ != kNone && Has(r, row_)) throw Unplanned{"positions that follow the rows"};
    if (lane_ == kNone || !Has(r, lane_)) {
      s.lets += fmt::format("{}{} = {}\n", in, Name(n), Offset(r));
      return;
    }
    if (r.back() != lane_) throw Unplanned{"positions that do not follow the lane"};
    s.compute += fmt::format("{}    {} = iota({}, m)\n", in, Name(n), Offset(r));
    s.spans[n] = {false, true};
  }
  void Workspace(int r) { workspaces_.insert(r); }

  std::string Stages(const Stage& s, const std::string& in) const {
    return s.lets + (s.loads.empty() ? "" : in + "with copyin:\n" + s.loads) +
           (s.compute.empty() ? "" : in + "with compute:\n" + s.compute);
  }

  void Body() {
    std::string body;
    int together = 0;  // the first segment since the last barrier
    for (size_t s = 0; s < segments_.size(); ++s) {
      if (s && Waits(static_cast<int>(s), together)) {
        body += "    sync_all()\n";
        together = static_cast<int>(s);
      }
      ChooseRows(static_cast<int>(s));
      body += SegmentText(static_cast<int>(s));
    }
    CheckInplace();
    std::string before;
    for (int n : packed_) before += Pack(n);
    if (!before.empty()) body = before + "    sync_all()\n" + body;
    std::string after;
    for (const auto& [o, p] : scattered_) after += Scatter(o, p);
    if (!after.empty()) body += "    sync_all()\n" + after;
    std::string args;
    std::vector<std::string> tensors;
    auto tensor = [&](const std::string& name, const craft::Run& run) {
      if (flat_.count(name)) tensors.push_back(name), args += fmt::format("{}: gm[{}], ", name, Product(run));
      for (const auto& [view, of] : views_)
        if (of.first == name)
          tensors.push_back(view), out_.views[view] = name, args += fmt::format("{}: gm[{}], ", view, of.second);
    };
    for (const std::string& id : g_.items) flat_.insert(id);
    for (const PlanParam& p : task_.params)
      if (!p.is_attr) tensor(p.id, input_[p.id]);
    for (size_t o = 0; o < g_.outputs.size(); ++o) {
      tensor(fmt::format("y{}", o), out_run_[o]);
      craft::Run shape = out_run_[o];
      if (g_.outputs[o].pair) std::erase(shape, out_part_[o]);
      out_.output_shape.push_back(Product(shape));
    }
    for (int r : workspaces_) {
      std::string name = fmt::format("w{}", r);
      craft::Run run = Sorted(AxesOf(r));
      tensor(name, run);
      out_.workspaces.push_back({name, Product(run), "f32"});
    }
    auto column = [&](const std::string& name, const std::string& size, const std::string& dtype) {
      tensors.push_back(name);
      args += fmt::format("{}: gm[{}, 1], ", name, size);
      out_.workspaces.push_back({name, size, dtype});
    };
    for (int n : packed_)
      column(fmt::format("w{}", n), Product(Sorted(AxesOf(n))),
             Complex(ParamDtypes(g_.nodes[n].input)) ? "f32" : g_.nodes[n].input + ".dtype");
    for (const auto& [o, p] : scattered_) {
      const auto& dtypes = task_.outputs[o].dtypes;
      column(fmt::format("w{}_{}", o, p + 1), Product(Sorted(OutAxes(o))),
             Complex(dtypes) ? "f32" : fmt::format("column({})", DtypeList(dtypes)));
    }
    out_.tensors = tensors;
    for (size_t i = 0; i < order_.size(); ++i) args += fmt::format("e{}, ", i);
    for (const auto& [name, text] : g_.numbers) out_.scalars.push_back(text), args += name + ", ";
    for (size_t i = 0; i < groups_.size(); ++i) {
      const Sizes& g = groups_[i];
      out_.sizes.push_back({fmt::format("lane{}", i), g.lane});
      if (g.rows != "1") out_.sizes.push_back({fmt::format("rows{}", i), g.rows});
    }
    for (const auto& [name, text] : out_.sizes) args += name + ", ";
    if (out_.sizes.empty()) args += "tile, ";
    args.resize(args.size() - 2);
    std::set<std::string> named;
    for (const std::string& b : buffers_) named.insert(Labelled(b, g_));
    std::string all;
    for (const std::string& b : named) all += b;
    out_.body = Labelled(fmt::format("@kernel\ndef main_kernel({}):\n", args), g_) + all + Labelled(body, g_);
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
    if (!groups_.empty()) lanes.clear();
    for (const Sizes& g : groups_) lanes.insert(g.area);
    for (const std::string& l : lanes)
      out_.longest = out_.longest.empty() ? l : fmt::format("max({}, {})", out_.longest, l);
    if (out_.longest.empty()) out_.longest = "64";
  }

  // Elements that lie apart are brought side by side, or back: a column of single elements at a time.
  std::string Move(const std::string& id, const craft::Run& run,
                   const std::function<std::string(const std::string&)>& inner) {
    lane_ = run.back(), row_ = kNone;
    std::string out = fmt::format(
        "    parts_{0} = ceil_div({1}, 512)\n    jobs_{0} = {2} * parts_{0}\n    for j in range(core(), jobs_{0}, "
        "cores()):\n",
        id, Extent(lane_), Product(craft::Run(run.begin(), run.end() - 1)));
    std::string in = "        ";
    for (size_t i = 0; i + 1 < run.size(); ++i)
      out += fmt::format("{}{} = (j // ({} * parts_{})){}\n", in, At(run[i]),
                         Product(craft::Run(run.begin() + static_cast<long>(i) + 1, run.end() - 1)), id,
                         i ? " % " + Extent(run[i]) : "");
    out += fmt::format(
        "{0}from_{1} = (j % parts_{1}) * 512\n{0}for c, m in tiles(from_{1}, min(from_{1} + 512, {2}), 512):\n", in, id,
        Extent(lane_));
    return out + inner(in + "    ");
  }
  std::string Pack(int n) {
    std::string id = std::to_string(n), input = g_.nodes[n].input;
    craft::Run run = Sorted(AxesOf(n));
    auto pointed = [&](int a) {
      return std::any_of(roles_[n].begin(), roles_[n].end(),
                         [&](const auto& r) { return r.second.walk == a && !r.second.by.empty(); });
    };
    if (pointed(run.back())) throw Unplanned{"elements that lie apart and are pointed to"};
    buffers_.insert(fmt::format("    {0}_m = ub(512, 1, dtype={0}.dtype)\n", input));
    return Move(id, run, [&](const std::string& in) {
      std::vector<Walk> walks = LeafWalks(n);
      std::string at = Linear(input_.at(input), walks, 0, walks.size()), step = StepOf(input_.at(input), walks, lane_);
      return fmt::format(
          "{0}p{1} = {2}\n{0}q{1} = {3}\n{0}with copyin:\n{0}    load({4}_m, {4}[p{1} : p{1} + m * ({5}) : "
          "{5}])\n{0}with copyout:\n{0}    store(w{1}[q{1} : q{1} + m, :], {4}_m)\n",
          in, id, at, Offset(run), input, step);
    });
  }
  std::string Scatter(size_t o, int p) {
    std::string id = fmt::format("{}_{}", o, p + 1);
    craft::Run run = Sorted(OutAxes(o));
    buffers_.insert(fmt::format("    y{0}_m = ub(512, 1, dtype=y{0}.dtype)\n", o));
    return Move(id, run, [&](const std::string& in) {
      std::vector<Walk> walks = OutWalks(o, p);
      std::string at = Linear(out_run_[o], walks, 0, walks.size()), step = StepOf(out_run_[o], walks, lane_);
      return fmt::format(
          "{0}p{1} = {2}\n{0}q{1} = {3}\n{0}with copyin:\n{0}    load(y{4}_m, w{1}[q{1} : q{1} + m, :])\n{0}with "
          "copyout:\n{0}    store(y{4}[p{1} : p{1} + m * ({5}) : {5}], y{4}_m)\n",
          in, id, at, Offset(run), o, step);
    });
  }

  // The axis that makes for the fewest turns and lies in every tensor such that tiles can be loaded and stored.
  void ChooseRows(int which) {
    Segment& s = segments_[which];
    for (int a : RowAxes(s)) {
      try {
        NestWriter trial(*this);
        trial.segments_[which].row = a;
        trial.SegmentText(which);
        s.row = a;
        return;
      } catch (const Unplanned&) { continue; }
    }
  }
  std::string SegmentText(int which) {
    Segment& s = segments_[which];
    lane_ = s.lane, row_ = s.row;
    Group(s);
    bool cut = lane_ != kNone && s.kept.count(lane_);     // the lane's tiles are shared among the cores, too
    bool cut_rows = row_ != kNone && s.kept.count(row_);  // and so are its rows
    craft::Run jobs = Sorted(s.kept);
    std::erase(jobs, lane_);
    std::erase(jobs, row_);
    std::string out, in = "        ", id = std::to_string(which), parts;
    if (cut_rows)
      out += fmt::format("    blocks{} = ceil_div({}, {})\n", id, Extent(row_), Rows()), parts += " * blocks" + id;
    if (cut)
      out += fmt::format("    parts{} = ceil_div({}, {})\n", id, Extent(lane_), Lane()), parts += " * parts" + id;
    auto shared = [&](const craft::Run& r) {
      return r.empty() && !parts.empty() ? parts.substr(3) : Product(r) + parts;
    };
    out += fmt::format("    jobs{} = {}\n    for j in range(core(), jobs{}, cores()):\n", id, shared(jobs), id);
    for (size_t i = 0; i < jobs.size(); ++i) {
      craft::Run after(jobs.begin() + static_cast<long>(i) + 1, jobs.end());
      std::string by = shared(after), value = after.empty() && parts.empty()
                                                  ? "j"
                                                  : "j // " + (by.find(' ') == std::string::npos ? by : "(" + by + ")");
      out += fmt::format("{}{} = {}{}\n", in, At(jobs[i]), value, i ? " % " + Extent(jobs[i]) : "");
    }
    if (cut_rows) {
      out += fmt::format(
          "{0}block_{1} = ({2} % blocks{1}) * {3}\n{0}for d, n in tiles(block_{1}, min(block_{1} + {3}, {4}), {3}):\n",
          in, id, cut ? "j // parts" + id : "j", Rows(), Extent(row_));
      in += "    ";
    }
    if (cut) {
      out += fmt::format(
          "{0}from_{1} = (j % parts{1}) * {2}\n{0}for c, m in tiles(from_{1}, min(from_{1} + {2}, {3}), {2}):\n", in,
          id, Lane(), Extent(lane_));
      in += "    ";
    }
    std::set<int> here;
    out += Phases(s, in, here);
    out += Outputs(s, in, here);
    for (int r : s.reductions) stored_.insert(r);
    return out;
  }
  // What of a tile there is where these axes are walked.
  Extent2 Walked(const Set& axes) const {
    return {row_ != kNone && axes.count(row_) > 0, lane_ != kNone && axes.count(lane_) > 0};
  }

  int Level(int r, const Segment& s) const {
    std::set<int> before;
    Reductions(r, before);
    int level = 0;
    for (int b : before)
      if (std::count(s.reductions.begin(), s.reductions.end(), b)) level = std::max(level, Level(b, s) + 1);
    return level;
  }
  std::string Phases(const Segment& s, const std::string& in, std::set<int>& here) {
    std::map<std::pair<int, Set>, std::vector<int>> phases;
    for (int r : s.reductions) {
      Set walked = s.kept;
      for (int a : run_[g_.nodes[r].args[0]]) walked.insert(a);
      phases[{Level(r, s), walked}].push_back(r);
    }
    std::string out;
    for (const auto& [key, reductions] : phases) {
      std::string start;
      for (int r : reductions) start += StartOf(r, in);
      out += in + "with compute:\n" + start;
      Set inner;
      for (int a : key.second)
        if (!s.kept.count(a)) inner.insert(a);
      out += Loops(inner, in, [&](const std::string& deep) {
        std::vector<int> targets;
        for (int r : reductions) targets.push_back(g_.nodes[r].args[0]);
        Stage stage = Prepare(targets, here, deep);
        for (int r : reductions) stage.compute += Accumulate(r, Walked(key.second), stage, deep);
        return Stages(stage, deep);
      });
      here.insert(reductions.begin(), reductions.end());
    }
    return out;
  }
  std::string StartOf(int r, const std::string& in) {
    const std::string& what = g_.nodes[r].text;
    Extent2 of = Of(run_[r]);
    bool index = what.rfind("arg", 0) == 0;
    if (index && of.lane) throw Unplanned{"positions along another axis than the lane"};
    Buffer(fmt::format("r{}", r), of, index ? "i32" : "f32");
    std::string first = what == "sum"                       ? "0.0"
                        : what == "prod"                    ? "1.0"
                        : what == "min" || what == "argmin" ? "inf"
                                                            : "(-inf)",
                size = Now(of);
    if (!index) return fmt::format("{}    {}[:] = full({}, {})\n", in, Result(r), size, first);
    return fmt::format("{0}    {1}[:] = full({2}, 0)\n{0}    {3}[:] = full({2}, {4})\n", in, Result(r), size,
                       Buffer(fmt::format("b{}", r), of, "f32"), first);
  }
  // The buffer that a reduction's result is in.
  std::string Result(int r) const { return Own(fmt::format("r{}", r)); }
  // Over the lane, over the rows of a tile or over both; `tile`: what of a tile there is here.
  std::string Accumulate(int r, Extent2 tile, const Stage& stage, const std::string& in) const {
    const std::string& what = g_.nodes[r].text;
    int x = g_.nodes[r].args[0];
    Extent2 kept = Of(run_[r]);
    bool along = tile.lane && !kept.lane, down = tile.rows && !kept.rows;
    std::string v = Name(x), to = Result(r);
    if (!(stage.Of(x) == tile)) v = fmt::format("({} + full({}, 0.0))", v, Now(tile));
    if (what.rfind("arg", 0) == 0) {
      if (!along || down) throw Unplanned{"positions along another axis than the lane"};
      bool most = what == "argmax";
      std::string t = fmt::format("t{}", r), best = Own(fmt::format("b{}", r));
      return fmt::format(
          "{0}    {1} = row_{2}({3})\n{0}    {4}[:] = where({1} {5} {8}, row_{6}({3}) + c, {4})\n{0}    {8}[:] = "
          "{7}({8}, {1})\n",
          in, t, most ? "max" : "min", v, to, most ? ">" : "<", what, most ? "maximum" : "minimum", best);
    }
    if (along || down) v = fmt::format("cast({}, f32)", v);
    if (along && down && what == "prod") v = fmt::format("row_prod(col_prod({}))", v);
    else if (along || down) v = fmt::format("{}_{}({})", along && down ? "all" : along ? "row" : "col", what, v);
    if (what == "sum") return fmt::format("{0}    {1}[:] = {1} + {2}\n", in, to, v);
    if (what == "prod") return fmt::format("{0}    {1}[:] = {1} * {2}\n", in, to, v);
    return fmt::format("{0}    {1}[:] = {2}({1}, {3})\n", in, to, what == "max" ? "maximum" : "minimum", v);
  }

  // Whether a segment reads what those from `since` on, of all cores, made; or may overwrite what they read.
  bool Waits(int s, int since) const {
    for (const PlanOutput& o : task_.outputs)
      if (!o.inplace_of.empty()) return true;
    const std::set<int> all = ReductionsOf(segments_[static_cast<size_t>(s)]);
    return std::any_of(all.begin(), all.end(), [&](int r) { return SegmentOf(r) >= since && SegmentOf(r) < s; });
  }

  std::string Outputs(const Segment& s, const std::string& in, const std::set<int>& here) {
    std::map<Set, std::vector<std::pair<size_t, int>>> by_axes;
    for (const auto& o : s.outputs) by_axes[OutAxes(o.first)].push_back(o);
    std::string out;
    for (auto it = by_axes.rbegin(); it != by_axes.rend(); ++it) {
      Set inner;
      for (int a : it->first)
        if (!s.kept.count(a)) inner.insert(a);
      out +=
          Loops(inner, in, [&](const std::string& deep) { return Store(it->second, Walked(it->first), here, deep); });
    }
    std::string keep, lets, stores;
    for (int r : s.reductions) {
      if (!StoredLater(r)) continue;
      Workspace(r);
      craft::Run run = Sorted(AxesOf(r));
      Window w = WindowOf(fmt::format("w{}", r), run, Plain(run), Of(run), fmt::format("k{}_at", r), in);
      std::string buffer = Buffer(fmt::format("k{}", r), Of(run), "f32");
      keep += fmt::format("{}    {}[:] = {}\n", in, buffer, Result(r));
      lets += w.lets;
      stores += fmt::format("{}    store({}, {})\n", in, w.text, buffer);
    }
    if (!keep.empty()) out += lets + in + "with compute:\n" + keep + in + "with copyout:\n" + stores;
    return out;
  }
  std::string Store(const std::vector<std::pair<size_t, int>>& outputs, Extent2 of, const std::set<int>& here,
                    const std::string& in) {
    std::vector<int> targets;
    for (const auto& [o, p] : outputs) targets.push_back(NodeOf(o, p));
    Stage stage = Prepare(targets, here, in);
    std::string stores;
    auto value = [&](size_t o, int p) {
      const int n = NodeOf(o, p);
      std::string v = Name(n);
      if (stage.Of(n) == of) return v;
      return v[0] == 'v' ? fmt::format("{} + full({}, 0)", v, Now(of)) : fmt::format("full({}, {})", Now(of), v);
    };
    for (const auto& [o, p] : outputs) {
      if (BothOfPairs(o, p, of, outputs)) {
        if (p == 0) stores += StorePairs(o, value(o, 0), value(o, 1), stage, in);
        continue;
      }
      std::string name = p == kNone ? fmt::format("y{}_ub", o) : fmt::format("y{}_ub{}", o, p),
                  id = fmt::format("y{}", o);
      const craft::Run& r = out_run_[o];
      std::vector<Walk> walks = OutWalks(o, p);
      Window w;
      if (of.lane && StepOf(r, walks, lane_) != "1") {
        if (row_ != kNone) throw Unplanned{"rows of elements that lie apart"};
        flat_.insert(id);
        scattered_.insert({o, p});
        w = {id, fmt::format("{}{}_at = {}\n", in, name, Offset(Sorted(OutAxes(o)))),
             fmt::format("w{0}_{1}[{2}_at : {2}_at + m, 0]", o, p + 1, name)};
      } else {
        w = WindowOf(id, r, walks, of, name + "_at", in);
      }
      std::string buffer = Buffer(name, of, w.tensor + ".dtype");
      stage.lets += w.lets;
      stage.compute += fmt::format("{}    {}[:] = {}\n", in, buffer, Converted(o, value(o, p), w.tensor));
      stores += fmt::format("{}    store({}, {})\n", in, w.text, buffer);
    }
    return Stages(stage, in) + in + "with copyout:\n" + stores;
  }
  // Whether an output's parts lie in pairs along the lane and are made in the same place.
  bool BothOfPairs(size_t o, int p, Extent2 of, const std::vector<std::pair<size_t, int>>& outputs) const {
    auto made = [&](int part) { return std::count(outputs.begin(), outputs.end(), std::pair(o, part)) > 0; };
    return p != kNone && of.lane && InPairs(out_run_[o], OutWalks(o, p)) && made(0) && made(1);
  }
  // Both parts beside each other again.
  std::string StorePairs(size_t o, const std::string& first, const std::string& second, Stage& stage,
                         const std::string& in) {
    const std::string id = fmt::format("y{}", o), name = Own(id + "_ub");
    buffers_.insert(fmt::format("    {} = ub({} * 2, dtype={}.dtype)\n", name, Lane(), id));
    flat_.insert(id);
    const std::vector<Walk> walks = OutWalks(o, 0);
    stage.lets += fmt::format("{}{}_at = {}\n", in, name, Linear(out_run_[o], walks, 0, walks.size()));
    const std::string mixed = fmt::format(
        "where(at{0} == pair{0} * 2, row_gather({1}, pair{0}), row_gather({2}, pair{0}))", o, first, second);
    stage.compute += fmt::format(
        "{0}    at{1} = iota(0, m * 2)\n{0}    pair{1} = cast(floor(cast(at{1}, f32) * 0.5), i32)\n{0}    {2}[:] = "
        "{3}\n",
        in, o, name, Converted(o, mixed, id));
    return fmt::format("{0}    store({1}[{2}_at : {2}_at + m * 2], {2})\n", in, id, name);
  }
  // Where an integer output may get a float, the conversion is said; it cuts towards zero.
  std::string Converted(size_t o, const std::string& v, const std::string& tensor) const {
    bool whole = false, is_bool = true;
    for (base::Dtype d : task_.outputs[o].dtypes) {
      is_bool &= d == base::Dtype::kBool;
      whole |= !base::IsFloating(d);
    }
    return whole && !is_bool ? fmt::format("cast({}, {}.dtype)", v, tensor) : v;
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
          if (static_cast<int>(s) > writes || (static_cast<int>(s) == writes && !own))
            throw Unplanned{"an input that is overwritten before it was read"};
        }
      }
    }
  }

  const PlanTask& task_;
  size_t column_;
  std::set<int> stored_, workspaces_, packed_;
  std::set<std::pair<size_t, int>> scattered_;
  std::set<std::string> buffers_;
};
}  // namespace

NestText WriteNest(const PlanTask& task, const NestGraph& graph, size_t column, bool rows) {
  NestText text = NestWriter(task, graph, column, rows).Run();
  bool any =
      std::any_of(text.sizes.begin(), text.sizes.end(), [](const auto& s) { return s.first.rfind("rows", 0) == 0; });
  return !rows || any ? text : NestWriter(task, graph, column, false).Run();
}

}  // namespace akgen::craft
