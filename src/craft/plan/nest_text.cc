// Values over axes to the text of one kernel.
#include "craft/plan/nest_writer.h"

#include "craft/plan/row_choice.h"

namespace akgen::craft {

NestText NestWriter::Run() {
  LayOut();
  Body();
  return std::move(out_);
}

std::string NestWriter::Name(int n) const {
  const NestNode& node = g_.nodes[n];
  if (node.kind == NestNode::kScalar) return Marks(node.text);
  bool number =
      (node.kind == NestNode::kLeaf || node.kind == NestNode::kIndex) && !Of(run_[n]).any();
  return fmt::format("{}{}", number ? "q" : "v", n);
}

std::vector<int> NestWriter::Lines(const std::vector<int>& targets,
                                   const std::set<int>& done) const {
  std::set<int> out;
  std::function<void(int)> need = [&](int n) {
    if (!out.insert(n).second || (g_.nodes[n].kind == NestNode::kReduce && done.count(n))) return;
    if (g_.nodes[n].kind == NestNode::kReduce) throw Unplanned{"a reduction that is not there yet"};
    for (int a : g_.nodes[n].args) need(a);
  };
  for (int t : targets) need(t);
  return {out.begin(), out.end()};
}

NestWriter::Stage NestWriter::Prepare(const std::vector<int>& targets, const std::set<int>& here,
                                      const std::string& in) {
  Stage s;
  std::set<int> done = here;
  for (int r : stored_) done.insert(r);
  for (int n : Lines(targets, done)) {
    const NestNode& node = g_.nodes[n];
    if (node.kind == NestNode::kReduce) {
      if (here.count(n))
        s.compute += fmt::format("{}    {} = {}\n", in, Name(n), Result(n));
      else
        LoadStored(n, s, in);
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
      const bool joins =
          node.text.find(" & ") != std::string::npos || node.text.find(" | ") != std::string::npos;
      for (size_t i = 0; i < node.args.size(); ++i) {
        std::string mark = fmt::format("@{}@", i), name = Name(node.args[i]);
        const bool number = name[0] != 'v' && name.rfind("(full", 0) != 0;
        if (number && ((i == 0 && node.text.rfind("where(@0@,", 0) == 0) ||
                       (joins && g_.nodes[node.args[i]].kind == NestNode::kLeaf)))
          name = fmt::format("(full(1, 1, {}) != 0)", name);  // a stored condition
        else if (!tile && i == 0)
          name = fmt::format("full(1, 1, {})", name);
        for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
          text.replace(at, mark.size(), name);
        s.spans[n] = s.Of(n).With(s.Of(node.args[i]));
      }
      s.compute += fmt::format("{}    {} = {}\n", in, Name(n), text);
    }
  }
  return s;
}

std::string NestWriter::Buffer(const std::string& name, Extent2 of, const std::string& dtype) {
  std::string own = Own(name);
  buffers_.insert(fmt::format("    {} = ub({}, dtype={})\n", own, Size(of), dtype));
  return own;
}

void NestWriter::Leaf(int n, Stage& s, const std::string& in) {
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
  std::string buffer =
      Buffer(fmt::format("{}_{}{}", id, n, of.lane ? "" : "_col"), of, w.tensor + ".dtype");
  s.lets += w.lets;
  s.loads += fmt::format("{}    load({}, {})\n", in, buffer, w.text);
  s.compute += fmt::format("{}    {} = {}\n", in, Name(n), buffer);
  s.spans[n] = of;
}

void NestWriter::OneOfPairs(int n, std::vector<Walk> walks, Stage& s, const std::string& in) {
  const std::string& id = g_.nodes[n].input;
  const std::string which = walks.back().index;
  walks.back().index = "0";
  const std::string at = Linear(input_.at(id), walks, 0, walks.size());
  auto [pairs, fresh] =
      s.pairs.insert({fmt::format("{}[{}]", id, at), Own(fmt::format("{}_{}_pairs", id, n))});
  if (fresh) {
    flat_.insert(id);
    buffers_.insert(
        fmt::format("    {} = ub({} * 2, dtype={}.dtype)\n", pairs->second, Lane(), id));
    s.lets += fmt::format("{}p{} = {}\n", in, n, at);
    s.loads +=
        fmt::format("{0}    load({1}, {2}[p{3} : p{3} + m * 2])\n", in, pairs->second, id, n);
  }
  s.compute += fmt::format("{}    {} = row_gather({}, iota(0, m) * 2{})\n", in, Name(n),
                           pairs->second, which == "0" ? "" : " + " + which);
  s.spans[n] = {false, true};
}

void NestWriter::LoadStored(int r, Stage& s, const std::string& in) {
  craft::Run run = Sorted(AxesOf(r));
  Extent2 of = Of(run);
  Workspace(r);
  Window w = WindowOf(fmt::format("w{}", r), run, Plain(run), of, fmt::format("p{}", r), in);
  std::string buffer =
      Buffer(fmt::format("w{}_ub{}{}", r, of.lane ? "" : "1", of.rows ? "n" : ""), of, "f32");
  s.lets += w.lets;
  s.loads += fmt::format("{}    load({}, {})\n", in, buffer, w.text);
  s.compute += fmt::format("{}    {} = {}\n", in, Name(r), buffer);
}

void NestWriter::Index(int n, Stage& s, const std::string& in) {
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

std::string NestWriter::Stages(const Stage& s, const std::string& in) const {
  return s.lets + (s.loads.empty() ? "" : in + "with copyin:\n" + s.loads) +
         (s.compute.empty() ? "" : in + "with compute:\n" + s.compute);
}

void NestWriter::Body() {
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
  std::set<std::string> moved;  // each has a buffer, whose elements take a block
  for (int n : packed_) moved.insert(g_.nodes[n].input);
  for (const auto& [o, p] : scattered_) moved.insert(fmt::format("y{}", o));
  apart_ = moved.size() > 6 ? 128 : moved.size() > 3 ? 256 : 512;
  for (int n : packed_) before += Pack(n);
  if (!before.empty()) body = before + "    sync_all()\n" + body;
  std::string after;
  for (const auto& [o, p] : scattered_) after += Scatter(o, p);
  if (!after.empty()) body += "    sync_all()\n" + after;
  std::string args;
  std::vector<std::string> tensors;
  auto tensor = [&](const std::string& name, const craft::Run& run) {
    if (flat_.count(name))
      tensors.push_back(name), args += fmt::format("{}: gm[{}], ", name, Product(run));
    for (const auto& [view, of] : views_)
      if (of.first == name)
        tensors.push_back(view), out_.views[view] = name,
                                 args += fmt::format("{}: gm[{}], ", view, of.second);
  };
  for (const std::string& id : g_.items) flat_.insert(id);
  for (const PlanParam& p : task_.params)
    if (!p.is_attr) tensor(p.id, input_[p.id]);
  for (size_t o = 0; o < g_.outputs.size(); ++o) {
    tensor(fmt::format("y{}", o), out_run_[o]);
    craft::Run shape = out_run_[o];
    if (g_.outputs[o].pair) std::erase(shape, out_part_[o].at(0));
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
    column(fmt::format("w{}_{}", o, p + 1), Product(Sorted(OutAxes(o, p))),
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
  out_.body =
      Labelled(fmt::format("@kernel\ndef main_kernel({}):\n", args), g_) + all + Labelled(body, g_);
  Longest();
}

const std::vector<base::Dtype>& NestWriter::ParamDtypes(const std::string& id) const {
  for (const PlanParam& p : task_.params)
    if (p.id == id) return p.dtypes;
  throw Unplanned{"a constant tensor"};
}

void NestWriter::Longest() {
  std::set<std::string> lanes;
  for (const Segment& s : segments_)
    if (s.lane != kNone) lanes.insert(Extent(s.lane)), out_.lanes.insert(Position(s.lane));
  if (!groups_.empty()) lanes.clear();
  for (const Sizes& g : groups_) lanes.insert(g.area);
  for (const std::string& l : lanes)
    out_.longest = out_.longest.empty() ? l : fmt::format("max({}, {})", out_.longest, l);
  if (out_.longest.empty()) out_.longest = "64";
}

std::string NestWriter::Move(const std::string& id, const craft::Run& run,
                             const std::function<std::string(const std::string&)>& inner) {
  lane_ = run.back(), row_ = kNone;
  std::string out = fmt::format(
      "    parts_{0} = ceil_div({1}, {3})\n    jobs_{0} = {2} * parts_{0}\n    for j in "
      "range(core(), jobs_{0}, "
      "cores()):\n",
      id, Extent(lane_), Product(craft::Run(run.begin(), run.end() - 1)), apart_);
  std::string in = "        ";
  for (size_t i = 0; i + 1 < run.size(); ++i)
    out += fmt::format("{}{} = (j // ({} * parts_{})){}\n", in, At(run[i]),
                       Product(craft::Run(run.begin() + static_cast<long>(i) + 1, run.end() - 1)),
                       id, i ? " % " + Extent(run[i]) : "");
  out += fmt::format(
      "{0}from_{1} = (j % parts_{1}) * {3}\n{0}for c, m in tiles(from_{1}, min(from_{1} + {3}, "
      "{2}), {3}):\n",
      in, id, Extent(lane_), apart_);
  return out + inner(in + "    ");
}

std::string NestWriter::Pack(int n) {
  std::string id = std::to_string(n), input = g_.nodes[n].input;
  craft::Run run = Sorted(AxesOf(n));
  auto pointed = [&](int a) {
    return std::any_of(roles_[n].begin(), roles_[n].end(),
                       [&](const auto& r) { return Has(r.second.places, a); });
  };
  if (pointed(run.back())) throw Unplanned{"elements that lie apart and are pointed to"};
  buffers_.insert(fmt::format("    {0}_m = ub({1}, 1, dtype={0}.dtype)\n", input, apart_));
  return Move(id, run, [&](const std::string& in) {
    std::vector<Walk> walks = LeafWalks(n);
    std::string at = Linear(input_.at(input), walks, 0, walks.size()),
                step = StepOf(input_.at(input), walks, lane_);
    return fmt::format(
        "{0}p{1} = {2}\n{0}q{1} = {3}\n{0}with copyin:\n{0}    load({4}_m, {4}[p{1} : p{1} + m * "
        "({5}) : "
        "{5}])\n{0}with copyout:\n{0}    store(w{1}[q{1} : q{1} + m, :], {4}_m)\n",
        in, id, at, Offset(run), input, step);
  });
}

std::string NestWriter::Scatter(size_t o, int p) {
  std::string id = fmt::format("{}_{}", o, p + 1);
  craft::Run run = Sorted(OutAxes(o, p));
  buffers_.insert(fmt::format("    y{0}_m = ub({1}, 1, dtype=y{0}.dtype)\n", o, apart_));
  return Move(id, run, [&](const std::string& in) {
    std::vector<Walk> walks = OutWalks(o, p);
    std::string at = Linear(out_run_[o], walks, 0, walks.size()),
                step = StepOf(out_run_[o], walks, lane_);
    return fmt::format(
        "{0}p{1} = {2}\n{0}q{1} = {3}\n{0}with copyin:\n{0}    load(y{4}_m, w{1}[q{1} : q{1} + m, "
        ":])\n{0}with "
        "copyout:\n{0}    store(y{4}[p{1} : p{1} + m * ({5}) : {5}], y{4}_m)\n",
        in, id, at, Offset(run), o, step);
  });
}

void NestWriter::ChooseRows(int which) {
  if (!with_rows_ || !out_.runtime_extents.empty()) return;
  Segment& s = segments_[which];
  for (int a : RowChoice(extent_, order_).Axes(s)) {
    try {
      NestWriter trial(*this);
      trial.segments_[which].row = a;
      trial.SegmentText(which);
      s.row = a;
      return;
    } catch (const Unplanned&) {
      continue;
    }
  }
}

std::string NestWriter::SegmentText(int which) {
  Segment& s = segments_[which];
  lane_ = s.lane, row_ = s.row;
  Group(s);
  bool cut =
      lane_ != kNone && s.kept.count(lane_);  // the lane's tiles are shared among the cores, too
  bool cut_rows = row_ != kNone && s.kept.count(row_);  // and so are its rows
  craft::Run jobs = Sorted(s.kept);
  std::erase(jobs, lane_);
  std::erase(jobs, row_);
  std::string out, in = "        ", id = std::to_string(which), parts;
  if (cut_rows)
    out += fmt::format("    blocks{} = ceil_div({}, {})\n", id, Extent(row_), Rows()),
        parts += " * blocks" + id;
  if (cut)
    out += fmt::format("    parts{} = ceil_div({}, {})\n", id, Extent(lane_), Lane()),
        parts += " * parts" + id;
  auto shared = [&](const craft::Run& r) {
    return r.empty() && !parts.empty() ? parts.substr(3) : Product(r) + parts;
  };
  out += fmt::format("    jobs{} = {}\n    for j in range(core(), jobs{}, cores()):\n", id,
                     shared(jobs), id);
  for (size_t i = 0; i < jobs.size(); ++i) {
    craft::Run after(jobs.begin() + static_cast<long>(i) + 1, jobs.end());
    std::string by = shared(after),
                value = after.empty() && parts.empty()
                            ? "j"
                            : "j // " + (by.find(' ') == std::string::npos ? by : "(" + by + ")");
    out += fmt::format("{}{} = {}{}\n", in, At(jobs[i]), value, i ? " % " + Extent(jobs[i]) : "");
  }
  if (cut_rows) {
    out += fmt::format(
        "{0}block_{1} = ({2} % blocks{1}) * {3}\n{0}for d, n in tiles(block_{1}, min(block_{1} + "
        "{3}, {4}), {3}):\n",
        in, id, cut ? "j // parts" + id : "j", Rows(), Extent(row_));
    in += "    ";
  }
  if (cut) {
    out += fmt::format(
        "{0}from_{1} = (j % parts{1}) * {2}\n{0}for c, m in tiles(from_{1}, min(from_{1} + {2}, "
        "{3}), {2}):\n",
        in, id, Lane(), Extent(lane_));
    in += "    ";
  }
  std::set<int> here;
  out += Phases(s, in, here);
  out += Outputs(s, in, here);
  for (int r : s.reductions) stored_.insert(r);
  return out;
}

Extent2 NestWriter::Walked(const Set& axes) const {
  return {row_ != kNone && axes.count(row_) > 0, lane_ != kNone && axes.count(lane_) > 0};
}

int NestWriter::Level(int r, const Segment& s) const {
  std::set<int> before;
  g_.Reductions(r, before);
  int level = 0;
  for (int b : before)
    if (std::count(s.reductions.begin(), s.reductions.end(), b))
      level = std::max(level, Level(b, s) + 1);
  return level;
}

NestText WriteNest(const PlanTask& task, const NestGraph& graph, size_t column, bool rows) {
  NestText text = NestWriter(task, graph, column, rows).Run();
  bool any = std::any_of(text.sizes.begin(), text.sizes.end(),
                         [](const auto& s) { return s.first.rfind("rows", 0) == 0; });
  return !rows || any ? text : NestWriter(task, graph, column, false).Run();
}

}  // namespace akgen::craft
