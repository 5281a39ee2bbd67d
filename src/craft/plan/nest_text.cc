// Values over axes to the text of one kernel.
#include <algorithm>

#include "craft/plan/nest_moves.h"
#include "craft/plan/nest_segment.h"
#include "craft/plan/row_choice.h"

namespace akgen::craft {
namespace {
class NestWriter {
 public:
  NestWriter(const PlanTask& t, const NestGraph& g, size_t column, bool rows)
      : task_(t), column_(column), with_rows_(rows), l_(LaidOut(g)) {}

  NestText Text();

 private:
  std::string Segments();
  // The axis that makes for the fewest turns and lies in every tensor such that tiles can be loaded
  // and stored.
  void ChooseRows(size_t which);
  // Whether a segment reads what those from `since` on, of all cores, made; or may overwrite what
  // they read.
  bool Waits(int s, int since) const;
  // An output in an input's memory: nobody may read the input after it was overwritten.
  void CheckInplace() const;

  // ---- arguments ----
  std::string Tensors();
  std::string Scalars();
  // Complex tensors are seen as their parts, in f32.
  bool Complex(const std::vector<base::Dtype>& dtypes) const {
    return dtypes.at(column_) == base::Dtype::kComplex64;
  }
  const std::vector<base::Dtype>& ParamDtypes(const std::string& id) const;
  void Longest();

  const PlanTask& task_;
  const size_t column_;
  const bool with_rows_;
  NestLayout l_;
  NestNeeds needs_;
  NestText out_;
};

NestText NestWriter::Text() {
  DescribeAxes(l_, out_);
  const std::string body = Segments();
  std::string args = Tensors();
  args += Scalars();
  std::set<std::string> named;
  for (const std::string& b : needs_.buffers) named.insert(Labelled(b, l_.g));
  std::string all;
  for (const std::string& b : named) all += b;
  out_.body = Labelled(fmt::format("@kernel\ndef main_kernel({}):\n", args), l_.g) + all +
              Labelled(body, l_.g);
  Longest();
  return std::move(out_);
}

std::string NestWriter::Segments() {
  std::string body;
  int together = 0;  // the first segment since the last barrier
  for (size_t s = 0; s < l_.segments.size(); ++s) {
    if (s && Waits(static_cast<int>(s), together)) {
      body += "    sync_all()\n";
      together = static_cast<int>(s);
    }
    ChooseRows(s);
    body += SegmentWriter(task_, l_, l_.segments[s], with_rows_, needs_).Text(static_cast<int>(s));
  }
  CheckInplace();
  return ElementMover(l_, needs_).Around(body);
}

void NestWriter::ChooseRows(size_t which) {
  if (!with_rows_ || !out_.runtime_extents.empty()) return;
  for (int a : RowChoice(l_.extent, l_.order).Axes(l_.segments[which])) {
    try {
      Segment trial = l_.segments[which];
      trial.row = a;
      NestNeeds needs = needs_;
      SegmentWriter(task_, l_, trial, true, needs).Text(static_cast<int>(which));
      l_.segments[which].row = a;
      return;
    } catch (const Unplanned&) {
      continue;
    }
  }
}

bool NestWriter::Waits(int s, int since) const {
  for (const PlanOutput& o : task_.outputs)
    if (!o.inplace_of.empty()) return true;
  const std::set<int> all = l_.ReductionsOf(l_.segments[static_cast<size_t>(s)]);
  return std::any_of(all.begin(), all.end(),
                     [&](int r) { return l_.SegmentOf(r) >= since && l_.SegmentOf(r) < s; });
}

void NestWriter::CheckInplace() const {
  for (size_t o = 0; o < task_.outputs.size(); ++o) {
    const std::string& x = task_.outputs[o].inplace_of;
    if (x.empty() || !l_.used.count(x)) continue;
    int writes = static_cast<int>(l_.segments.size());
    for (size_t s = 0; s < l_.segments.size(); ++s)
      for (const auto& [out, p] : l_.segments[s].outputs)
        if (out == o) writes = std::min(writes, static_cast<int>(s));
    for (size_t s = 0; s < l_.segments.size(); ++s) {
      std::vector<int> targets;
      for (int r : l_.segments[s].reductions) targets.push_back(l_.g.nodes[r].args[0]);
      for (const auto& [out, p] : l_.segments[s].outputs) targets.push_back(l_.g.NodeOf(out, p));
      std::set<int> done(l_.segments[s].reductions.begin(), l_.segments[s].reductions.end());
      for (int r : needs_.stored) done.insert(r);
      for (int n : NodesFor(l_.g, targets, done)) {
        if (l_.g.nodes[n].kind != NestNode::kLeaf || l_.g.nodes[n].input != x) continue;
        bool own = Within(l_.segments[s].kept, l_.AxesOf(n)) && l_.roles[n].empty();
        if (static_cast<int>(s) > writes || (static_cast<int>(s) == writes && !own))
          throw Unplanned{"an input that is overwritten before it was read"};
      }
    }
  }
}

std::string NestWriter::Tensors() {
  std::string args;
  auto tensor = [&](const std::string& name, const Run& run) {
    if (needs_.flat.count(name))
      out_.tensors.push_back(name), args += fmt::format("{}: gm[{}], ", name, l_.Product(run));
    for (const auto& [view, of] : needs_.views)
      if (of.first == name)
        out_.tensors.push_back(view), out_.views[view] = name,
                                      args += fmt::format("{}: gm[{}], ", view, of.second);
  };
  for (const std::string& id : l_.g.items) needs_.flat.insert(id);
  for (const PlanParam& p : task_.params) {
    const auto there = l_.input.find(p.id);
    if (there != l_.input.end()) tensor(p.id, there->second);
  }
  for (size_t o = 0; o < l_.g.outputs.size(); ++o) {
    tensor(fmt::format("y{}", o), l_.out_run[o]);
    Run shape = l_.out_run[o];
    if (l_.g.outputs[o].pair) std::erase(shape, l_.out_part[o].at(0));
    out_.output_shape.push_back(l_.Product(shape));
  }
  for (int r : needs_.workspaces) {
    std::string name = fmt::format("w{}", r);
    Run run = l_.Sorted(l_.AxesOf(r));
    tensor(name, run);
    out_.workspaces.push_back({name, l_.Product(run), l_.StoredDtype(r)});
  }
  auto column = [&](const std::string& name, const std::string& size, const std::string& dtype) {
    out_.tensors.push_back(name);
    args += fmt::format("{}: gm[{}, 1], ", name, size);
    out_.workspaces.push_back({name, size, dtype});
  };
  for (int n : needs_.packed)
    column(fmt::format("w{}", n), l_.Product(l_.Sorted(l_.AxesOf(n))),
           Complex(ParamDtypes(l_.g.nodes[n].input)) ? "f32" : l_.g.nodes[n].input + ".dtype");
  for (const auto& [o, p] : needs_.scattered) {
    const auto& dtypes = task_.outputs[o].dtypes;
    column(fmt::format("w{}_{}", o, p + 1), l_.Product(l_.Sorted(l_.OutAxes(o, p))),
           Complex(dtypes) ? "f32" : fmt::format("column({})", DtypeList(dtypes)));
  }
  return args;
}

std::string NestWriter::Scalars() {
  std::string args;
  for (size_t i = 0; i < l_.order.size(); ++i) args += fmt::format("e{}, ", i);
  for (const auto& [name, text] : l_.g.numbers) out_.scalars.push_back(text), args += name + ", ";
  for (size_t i = 0; i < needs_.groups.size(); ++i) {
    const TileSizes& g = needs_.groups[i];
    out_.sizes.push_back({fmt::format("lane{}", i), g.lane});
    if (g.rows != "1") out_.sizes.push_back({fmt::format("rows{}", i), g.rows});
  }
  for (const auto& [name, text] : out_.sizes) args += name + ", ";
  if (out_.sizes.empty()) args += "tile, ";
  args.resize(args.size() - 2);
  return args;
}

const std::vector<base::Dtype>& NestWriter::ParamDtypes(const std::string& id) const {
  for (const PlanParam& p : task_.params)
    if (p.id == id) return p.dtypes;
  throw Unplanned{"a constant tensor"};
}

void NestWriter::Longest() {
  std::set<std::string> lanes;
  for (const Segment& s : l_.segments)
    if (s.lane != kNone) lanes.insert(l_.Extent(s.lane)), out_.lanes.insert(l_.Position(s.lane));
  if (!needs_.groups.empty()) lanes.clear();
  for (const TileSizes& g : needs_.groups) lanes.insert(g.area);
  for (const std::string& l : lanes)
    out_.longest = out_.longest.empty() ? l : fmt::format("max({}, {})", out_.longest, l);
  if (out_.longest.empty()) out_.longest = "64";
}

}  // namespace

NestText WriteNest(const PlanTask& task, const NestGraph& graph, size_t column, bool rows) {
  NestText text = NestWriter(task, graph, column, rows).Text();
  bool any = std::any_of(text.sizes.begin(), text.sizes.end(),
                         [](const auto& s) { return s.first.rfind("rows", 0) == 0; });
  return !rows || any ? text : NestWriter(task, graph, column, false).Text();
}

}  // namespace akgen::craft
