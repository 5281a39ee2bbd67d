// Reductions of a segment in the order in which they wait for each other, and what it writes.
#include "craft/plan/nest_writer.h"

namespace akgen::craft {

std::string NestWriter::Phases(const Segment& s, const std::string& in, std::set<int>& here) {
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

std::string NestWriter::StartOf(int r, const std::string& in) {
  const std::string& what = g_.nodes[r].text;
  Extent2 of = Of(run_[r]);
  bool index = what.rfind("arg", 0) == 0;
  if (index && of.lane) throw Unplanned{"positions along another axis than the lane"};
  if (index && AxesOf(g_.nodes[r].args[0]).size() != run_[r].size() + 1)
    throw Unplanned{"positions along several axes at once"};
  Buffer(fmt::format("r{}", r), of, index ? "i32" : "f32");
  std::string first = what == "sum"                       ? "0.0"
                      : what == "prod"                    ? "1.0"
                      : what == "min" || what == "argmin" ? "inf"
                                                          : "(-inf)",
              size = Now(of);
  if (!index) return fmt::format("{}    {}[:] = full({}, {})\n", in, Result(r), size, first);
  return fmt::format("{0}    {1}[:] = full({2}, 0)\n{0}    {3}[:] = full({2}, {4})\n", in,
                     Result(r), size, Buffer(fmt::format("b{}", r), of, "f32"), first);
}

std::string NestWriter::Accumulate(int r, Extent2 tile, const Stage& stage,
                                   const std::string& in) const {
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
        "{0}    {1} = row_{2}({3})\n{0}    {4}[:] = where({1} {5} {8}, row_{6}({3}) + c, {4})\n{0} "
        "   {8}[:] = "
        "{7}({8}, {1})\n",
        in, t, most ? "max" : "min", v, to, most ? ">" : "<", what, most ? "maximum" : "minimum",
        best);
  }
  if (along || down) v = fmt::format("cast({}, f32)", v);
  if (along && down && what == "prod")
    v = fmt::format("row_prod(col_prod({}))", v);
  else if (along || down)
    v = fmt::format("{}_{}({})", along && down ? "all" : along ? "row" : "col", what, v);
  if (what == "sum") return fmt::format("{0}    {1}[:] = {1} + {2}\n", in, to, v);
  if (what == "prod") return fmt::format("{0}    {1}[:] = {1} * {2}\n", in, to, v);
  return fmt::format("{0}    {1}[:] = {2}({1}, {3})\n", in, to,
                     what == "max" ? "maximum" : "minimum", v);
}

bool NestWriter::Waits(int s, int since) const {
  for (const PlanOutput& o : task_.outputs)
    if (!o.inplace_of.empty()) return true;
  const std::set<int> all = ReductionsOf(segments_[static_cast<size_t>(s)]);
  return std::any_of(all.begin(), all.end(),
                     [&](int r) { return SegmentOf(r) >= since && SegmentOf(r) < s; });
}

std::string NestWriter::Outputs(const Segment& s, const std::string& in,
                                const std::set<int>& here) {
  std::map<Set, std::vector<std::pair<size_t, int>>> by_axes;
  for (const auto& o : s.outputs) by_axes[OutAxes(o.first, o.second)].push_back(o);
  std::string out;
  for (auto it = by_axes.rbegin(); it != by_axes.rend(); ++it) {
    Set inner;
    for (int a : it->first)
      if (!s.kept.count(a)) inner.insert(a);
    out += Loops(inner, in, [&](const std::string& deep) {
      return Store(it->second, Walked(it->first), here, deep);
    });
  }
  std::string keep, lets, stores;
  for (int r : s.reductions) {
    if (!StoredLater(r)) continue;
    Workspace(r);
    craft::Run run = Sorted(AxesOf(r));
    Window w =
        WindowOf(fmt::format("w{}", r), run, Plain(run), Of(run), fmt::format("k{}_at", r), in);
    std::string buffer = Buffer(fmt::format("k{}", r), Of(run), "f32");
    keep += fmt::format("{}    {}[:] = {}\n", in, buffer, Result(r));
    lets += w.lets;
    stores += fmt::format("{}    store({}, {})\n", in, w.text, buffer);
  }
  if (!keep.empty()) out += lets + in + "with compute:\n" + keep + in + "with copyout:\n" + stores;
  return out;
}

std::string NestWriter::Store(const std::vector<std::pair<size_t, int>>& outputs, Extent2 of,
                              const std::set<int>& here, const std::string& in) {
  std::vector<int> targets;
  for (const auto& [o, p] : outputs) targets.push_back(g_.NodeOf(o, p));
  Stage stage = Prepare(targets, here, in);
  std::string stores;
  auto value = [&](size_t o, int p) {
    const int n = g_.NodeOf(o, p);
    std::string v = Name(n);
    if (stage.Of(n) == of) return v;
    return v[0] == 'v' ? fmt::format("{} + full({}, 0)", v, Now(of))
                       : fmt::format("full({}, {})", Now(of), v);
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
      w = {id, fmt::format("{}{}_at = {}\n", in, name, Offset(Sorted(OutAxes(o, p)))),
           fmt::format("w{0}_{1}[{2}_at : {2}_at + m, 0]", o, p + 1, name)};
    } else {
      w = WindowOf(id, r, walks, of, name + "_at", in);
    }
    std::string buffer = Buffer(name, of, w.tensor + ".dtype");
    stage.lets += w.lets;
    stage.compute +=
        fmt::format("{}    {}[:] = {}\n", in, buffer, Converted(o, value(o, p), w.tensor));
    stores += fmt::format("{}    store({}, {})\n", in, w.text, buffer);
  }
  return Stages(stage, in) + in + "with copyout:\n" + stores;
}

bool NestWriter::BothOfPairs(size_t o, int p, Extent2 of,
                             const std::vector<std::pair<size_t, int>>& outputs) const {
  auto made = [&](int part) {
    return std::count(outputs.begin(), outputs.end(), std::pair(o, part)) > 0;
  };
  return p != kNone && of.lane && InPairs(out_run_[o], OutWalks(o, p)) && made(0) && made(1);
}

std::string NestWriter::StorePairs(size_t o, const std::string& first, const std::string& second,
                                   Stage& stage, const std::string& in) {
  const std::string id = fmt::format("y{}", o), name = Own(id + "_ub");
  buffers_.insert(fmt::format("    {} = ub({} * 2, dtype={}.dtype)\n", name, Lane(), id));
  flat_.insert(id);
  const std::vector<Walk> walks = OutWalks(o, 0);
  stage.lets +=
      fmt::format("{}{}_at = {}\n", in, name, Linear(out_run_[o], walks, 0, walks.size()));
  const std::string mixed =
      fmt::format("where(at{0} == pair{0} * 2, row_gather({1}, pair{0}), row_gather({2}, pair{0}))",
                  o, first, second);
  stage.compute += fmt::format(
      "{0}    at{1} = iota(0, m * 2)\n{0}    pair{1} = cast(floor(cast(at{1}, f32) * 0.5), "
      "i32)\n{0}    {2}[:] = "
      "{3}\n",
      in, o, name, Converted(o, mixed, id));
  return fmt::format("{0}    store({1}[{2}_at : {2}_at + m * 2], {2})\n", in, id, name);
}

std::string NestWriter::Converted(size_t o, const std::string& v, const std::string& tensor) const {
  bool whole = false, is_bool = true;
  for (base::Dtype d : task_.outputs[o].dtypes) {
    is_bool &= d == base::Dtype::kBool;
    whole |= !base::IsFloating(d);
  }
  return whole && !is_bool ? fmt::format("cast({}, {}.dtype)", v, tensor) : v;
}

void NestWriter::CheckInplace() const {
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
      for (const auto& [out, p] : segments_[s].outputs) targets.push_back(g_.NodeOf(out, p));
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

}  // namespace akgen::craft
