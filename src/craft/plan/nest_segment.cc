// The reductions of a segment in the order in which they wait for each other, and what it writes.
#include "craft/plan/nest_segment.h"

namespace akgen::craft {
namespace {
NestTile TileOf(const NestLayout& l, const Segment& s, bool with_rows, NestNeeds& needs) {
  if (with_rows) needs.Group(l, s);
  return {l, s.lane, s.row, needs.group, with_rows};
}

// What an integer reduction begins with.
std::string FirstWhole(const NestNode& n) {
  if (n.text == "sum") return "0";
  const bool wide = n.whole == "i64", least = n.text == "max";
  return least  ? wide ? "(-9223372036854775807 - 1)" : "(-2147483648)"
         : wide ? "9223372036854775807"
                : "2147483647";
}
}  // namespace

SegmentWriter::SegmentWriter(const PlanTask& task, const NestLayout& l, const Segment& s,
                             bool with_rows, NestNeeds& needs)
    : task_(task),
      l_(l),
      s_(s),
      needs_(needs),
      tile_(TileOf(l, s, with_rows, needs)),
      stages_(l_, tile_, needs_) {}

std::string SegmentWriter::Text(int which) {
  bool cut = tile_.lane != kNone &&
             s_.kept.count(tile_.lane);  // the lane's tiles are shared among the cores, too
  bool cut_rows = tile_.row != kNone && s_.kept.count(tile_.row);  // and so are its rows
  Run jobs = l_.Sorted(s_.kept);
  std::erase(jobs, tile_.lane);
  std::erase(jobs, tile_.row);
  std::string out, in = "        ", id = std::to_string(which), parts;
  if (cut_rows)
    out += fmt::format("    blocks{} = ceil_div({}, {})\n", id, l_.Extent(tile_.row),
                       tile_.RowsName()),
        parts += " * blocks" + id;
  if (cut)
    out += fmt::format("    parts{} = ceil_div({}, {})\n", id, l_.Extent(tile_.lane),
                       tile_.LaneName()),
        parts += " * parts" + id;
  auto shared = [&](const Run& r) {
    return r.empty() && !parts.empty() ? parts.substr(3) : l_.Product(r) + parts;
  };
  out += fmt::format("    jobs{} = {}\n    for j in range(core(), jobs{}, cores()):\n", id,
                     shared(jobs), id);
  for (size_t i = 0; i < jobs.size(); ++i) {
    Run after(jobs.begin() + static_cast<long>(i) + 1, jobs.end());
    std::string by = shared(after),
                value = after.empty() && parts.empty()
                            ? "j"
                            : "j // " + (by.find(' ') == std::string::npos ? by : "(" + by + ")");
    out += fmt::format("{}{} = {}{}\n", in, tile_.At(jobs[i]), value,
                       i ? " % " + l_.Extent(jobs[i]) : "");
  }
  if (cut_rows) {
    out += fmt::format(
        "{0}block_{1} = ({2} % blocks{1}) * {3}\n{0}for d, n in tiles(block_{1}, min(block_{1} + "
        "{3}, {4}), {3}):\n",
        in, id, cut ? "j // parts" + id : "j", tile_.RowsName(), l_.Extent(tile_.row));
    in += "    ";
  }
  if (cut) {
    out += fmt::format(
        "{0}from_{1} = (j % parts{1}) * {2}\n{0}for c, m in tiles(from_{1}, min(from_{1} + {2}, "
        "{3}), {2}):\n",
        in, id, tile_.LaneName(), l_.Extent(tile_.lane));
    in += "    ";
  }
  std::set<int> here;
  out += Phases(in, here);
  out += Outputs(in, here);
  for (int r : s_.reductions) needs_.stored.insert(r);
  return out;
}

std::string SegmentWriter::Phases(const std::string& in, std::set<int>& here) {
  std::map<std::pair<int, Set>, std::vector<int>> phases;
  for (int r : s_.reductions) {
    Set walked = s_.kept;
    for (int a : l_.run[l_.g.nodes[r].args[0]]) walked.insert(a);
    phases[{Level(r), walked}].push_back(r);
  }
  std::string out;
  for (const auto& [key, reductions] : phases) {
    std::string start;
    for (int r : reductions) start += StartOf(r, in);
    out += in + "with compute:\n" + start;
    Set inner;
    for (int a : key.second)
      if (!s_.kept.count(a)) inner.insert(a);
    out += tile_.Loops(inner, in, [&](const std::string& deep) {
      std::vector<int> targets;
      for (int r : reductions) targets.push_back(l_.g.nodes[r].args[0]);
      NestStage stage = stages_.Prepare(targets, here, deep);
      for (int r : reductions)
        stage.compute += Accumulate(r, tile_.Walked(key.second), stage, deep);
      return stage.Text(deep);
    });
    here.insert(reductions.begin(), reductions.end());
  }
  return out;
}

std::string SegmentWriter::StartOf(int r, const std::string& in) {
  const std::string& what = l_.g.nodes[r].text;
  Extent2 of = tile_.Of(l_.run[r]);
  bool index = what.rfind("arg", 0) == 0;
  if (index && of.lane) throw Unplanned{"positions along another axis than the lane"};
  if (index && l_.AxesOf(l_.g.nodes[r].args[0]).size() != l_.run[r].size() + 1)
    throw Unplanned{"positions along several axes at once"};
  needs_.Buffer(tile_, fmt::format("r{}", r), of, index ? "i32" : l_.StoredDtype(r));
  std::string first = !l_.g.nodes[r].whole.empty()        ? FirstWhole(l_.g.nodes[r])
                      : what == "sum"                     ? "0.0"
                      : what == "prod"                    ? "1.0"
                      : what == "min" || what == "argmin" ? "inf"
                                                          : "(-inf)",
              size = of.Now();
  if (!index)
    return fmt::format("{}    {}[:] = full({}, {})\n", in, stages_.Result(r), size, first);
  return fmt::format("{0}    {1}[:] = full({2}, 0)\n{0}    {3}[:] = full({2}, {4})\n", in,
                     stages_.Result(r), size,
                     needs_.Buffer(tile_, fmt::format("b{}", r), of, "f32"), first);
}

std::string SegmentWriter::Accumulate(int r, Extent2 tile, const NestStage& stage,
                                      const std::string& in) const {
  const std::string& what = l_.g.nodes[r].text;
  int x = l_.g.nodes[r].args[0];
  Extent2 kept = tile_.Of(l_.run[r]);
  bool along = tile.lane && !kept.lane, down = tile.rows && !kept.rows;
  std::string v = stages_.Name(x), to = stages_.Result(r);
  const bool whole = !l_.g.nodes[r].whole.empty();
  if (!(stage.Of(x) == tile))
    v = fmt::format("({} + full({}, {}))", v, tile.Now(), whole ? "0" : "0.0");
  if (what.rfind("arg", 0) == 0) {
    if (!along || down) throw Unplanned{"positions along another axis than the lane"};
    bool most = what == "argmax";
    std::string t = fmt::format("t{}", r), best = tile_.Own(fmt::format("b{}", r));
    return fmt::format(
        "{0}    {1} = row_{2}({3})\n{0}    {4}[:] = where({1} {5} {8}, row_{6}({3}) + c, {4})\n{0} "
        "   {8}[:] = "
        "{7}({8}, {1})\n",
        in, t, most ? "max" : "min", v, to, most ? ">" : "<", what, most ? "maximum" : "minimum",
        best);
  }
  if (along || down || whole) v = fmt::format("cast({}, {})", v, l_.StoredDtype(r));
  if (along && down && what == "prod")
    v = fmt::format("row_prod(col_prod({}))", v);
  else if (along || down)
    v = fmt::format("{}_{}({})", along && down ? "all" : along ? "row" : "col", what, v);
  if (what == "sum") return fmt::format("{0}    {1}[:] = {1} + {2}\n", in, to, v);
  if (what == "prod") return fmt::format("{0}    {1}[:] = {1} * {2}\n", in, to, v);
  return fmt::format("{0}    {1}[:] = {2}({1}, {3})\n", in, to,
                     what == "max" ? "maximum" : "minimum", v);
}

std::string SegmentWriter::Outputs(const std::string& in, const std::set<int>& here) {
  std::map<Set, std::vector<std::pair<size_t, int>>> by_axes;
  for (const auto& o : s_.outputs) by_axes[l_.OutAxes(o.first, o.second)].push_back(o);
  std::string out;
  for (auto it = by_axes.rbegin(); it != by_axes.rend(); ++it) {
    Set inner;
    for (int a : it->first)
      if (!s_.kept.count(a)) inner.insert(a);
    out += tile_.Loops(inner, in, [&](const std::string& deep) {
      return Store(it->second, tile_.Walked(it->first), here, deep);
    });
  }
  return out + Kept(in);
}

std::string SegmentWriter::Kept(const std::string& in) {
  std::string keep, lets, stores;
  for (int r : s_.reductions) {
    if (!l_.StoredLater(r)) continue;
    needs_.workspaces.insert(r);
    Run run = l_.Sorted(l_.AxesOf(r));
    Window w = needs_.WindowOf(tile_, fmt::format("w{}", r), run, tile_.Plain(run), tile_.Of(run),
                               fmt::format("k{}_at", r), in);
    std::string buffer =
        needs_.Buffer(tile_, fmt::format("k{}", r), tile_.Of(run), l_.StoredDtype(r));
    keep += fmt::format("{}    {}[:] = {}\n", in, buffer, stages_.Result(r));
    lets += w.lets;
    stores += fmt::format("{}    store({}, {})\n", in, w.text, buffer);
  }
  return keep.empty() ? "" : lets + in + "with compute:\n" + keep + in + "with copyout:\n" + stores;
}

std::string SegmentWriter::Store(const std::vector<std::pair<size_t, int>>& outputs, Extent2 of,
                                 const std::set<int>& here, const std::string& in) {
  std::vector<int> targets;
  for (const auto& [o, p] : outputs) targets.push_back(l_.g.NodeOf(o, p));
  NestStage stage = stages_.Prepare(targets, here, in);
  std::string stores;
  auto value = [&](size_t o, int p) {
    const int n = l_.g.NodeOf(o, p);
    std::string v = stages_.Name(n);
    if (stage.Of(n) == of) return v;
    return v[0] == 'v' ? fmt::format("{} + full({}, 0)", v, of.Now())
                       : fmt::format("full({}, {})", of.Now(), v);
  };
  for (const auto& [o, p] : outputs) {
    if (BothOfPairs(o, p, of, outputs)) {
      if (p == 0) stores += StorePairs(o, value(o, 0), value(o, 1), stage, in);
      continue;
    }
    std::string name = p == kNone ? fmt::format("y{}_ub", o) : fmt::format("y{}_ub{}", o, p),
                id = fmt::format("y{}", o);
    const Run& r = l_.out_run[o];
    std::vector<Walk> walks = tile_.OutWalks(o, p);
    Window w;
    if (of.lane && tile_.StepOf(r, walks, tile_.lane) != "1") {
      if (tile_.row != kNone) throw Unplanned{"rows of elements that lie apart"};
      needs_.flat.insert(id);
      needs_.scattered.insert({o, p});
      w = {id, fmt::format("{}{}_at = {}\n", in, name, tile_.Offset(l_.Sorted(l_.OutAxes(o, p)))),
           fmt::format("w{0}_{1}[{2}_at : {2}_at + m, 0]", o, p + 1, name)};
    } else {
      w = needs_.WindowOf(tile_, id, r, walks, of, name + "_at", in);
    }
    std::string buffer = needs_.Buffer(tile_, name, of, w.tensor + ".dtype");
    stage.lets += w.lets;
    stage.compute +=
        fmt::format("{}    {}[:] = {}\n", in, buffer, Converted(o, value(o, p), w.tensor));
    stores += fmt::format("{}    store({}, {})\n", in, w.text, buffer);
  }
  return stage.Text(in) + in + "with copyout:\n" + stores;
}

bool SegmentWriter::BothOfPairs(size_t o, int p, Extent2 of,
                                const std::vector<std::pair<size_t, int>>& outputs) const {
  auto made = [&](int part) {
    return std::count(outputs.begin(), outputs.end(), std::pair(o, part)) > 0;
  };
  return p != kNone && of.lane && tile_.InPairs(l_.out_run[o], tile_.OutWalks(o, p)) && made(0) &&
         made(1);
}

std::string SegmentWriter::StorePairs(size_t o, const std::string& first, const std::string& second,
                                      NestStage& stage, const std::string& in) {
  const std::string id = fmt::format("y{}", o), name = tile_.Own(id + "_ub");
  needs_.buffers.insert(
      fmt::format("    {} = ub({} * 2, dtype={}.dtype)\n", name, tile_.LaneName(), id));
  needs_.flat.insert(id);
  const std::vector<Walk> walks = tile_.OutWalks(o, 0);
  stage.lets +=
      fmt::format("{}{}_at = {}\n", in, name, tile_.Linear(l_.out_run[o], walks, 0, walks.size()));
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

std::string SegmentWriter::Converted(size_t o, const std::string& v,
                                     const std::string& tensor) const {
  bool whole = false, is_bool = true;
  for (base::Dtype d : task_.outputs[o].dtypes) {
    is_bool &= d == base::Dtype::kBool;
    whole |= !base::IsFloating(d);
  }
  return whole && !is_bool ? fmt::format("cast({}, {}.dtype)", v, tensor) : v;
}

int SegmentWriter::Level(int r) const {
  std::set<int> before;
  l_.g.Reductions(r, before);
  int level = 0;
  for (int b : before)
    if (std::count(s_.reductions.begin(), s_.reductions.end(), b))
      level = std::max(level, Level(b) + 1);
  return level;
}

}  // namespace akgen::craft
