#include "craft/plan/nest_stage.h"

#include <functional>

namespace akgen::craft {

std::vector<int> NodesFor(const NestGraph& g, const std::vector<int>& targets,
                          const std::set<int>& done) {
  std::set<int> out;
  std::function<void(int)> need = [&](int n) {
    if (!out.insert(n).second || (g.nodes[n].kind == NestNode::kReduce && done.count(n))) return;
    if (g.nodes[n].kind == NestNode::kReduce) throw Unplanned{"a reduction that is not there yet"};
    for (int a : g.nodes[n].args) need(a);
  };
  for (int t : targets) need(t);
  return {out.begin(), out.end()};
}

std::string NestStageWriter::Name(int n) const {
  const NestNode& node = l_.g.nodes[n];
  if (node.kind == NestNode::kScalar) return l_.Marks(node.text);
  bool number =
      (node.kind == NestNode::kLeaf || node.kind == NestNode::kIndex) && !tile_.Of(l_.run[n]).any();
  return fmt::format("{}{}", number ? "q" : "v", n);
}

NestStage NestStageWriter::Prepare(const std::vector<int>& targets, const std::set<int>& here,
                                   const std::string& in) {
  NestStage s;
  std::set<int> done = here;
  for (int r : needs_.stored) done.insert(r);
  for (int n : NodesFor(l_.g, targets, done)) {
    const NestNode& node = l_.g.nodes[n];
    if (node.kind == NestNode::kReduce) {
      if (here.count(n))
        s.compute += fmt::format("{}    {} = {}\n", in, Name(n), Result(n));
      else
        LoadStored(n, s, in);
      s.spans[n] = tile_.Of(l_.run[n]);
    } else if (node.kind == NestNode::kLeaf) {
      Leaf(n, s, in);
    } else if (node.kind == NestNode::kIndex) {
      Index(n, s, in);
    } else if (node.kind == NestNode::kElement) {
      Element(n, s, in);
    }
  }
  return s;
}

void NestStageWriter::Element(int n, NestStage& s, const std::string& in) const {
  const NestNode& node = l_.g.nodes[n];
  std::string text = l_.Marks(node.text);
  // Numbers alone give no tile: the first one becomes one.
  bool tile = false;
  for (int a : node.args) tile |= Name(a)[0] == 'v' || Name(a).rfind("(full", 0) == 0;
  const bool joins =
      node.text.find(" & ") != std::string::npos || node.text.find(" | ") != std::string::npos;
  for (size_t i = 0; i < node.args.size(); ++i) {
    std::string mark = fmt::format("@{}@", i), name = Name(node.args[i]);
    const bool number = name[0] != 'v' && name.rfind("(full", 0) != 0;
    if (number && ((i == 0 && node.text.rfind("where(@0@,", 0) == 0) ||
                   (joins && l_.g.nodes[node.args[i]].kind == NestNode::kLeaf)))
      name = fmt::format("(full(1, 1, {}) != 0)", name);  // a stored condition
    else if (!tile && i == 0)
      name = fmt::format("full(1, 1, {})", name);
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
      text.replace(at, mark.size(), name);
    s.spans[n] = s.Of(n).With(s.Of(node.args[i]));
  }
  s.compute += fmt::format("{}    {} = {}\n", in, Name(n), text);
}

void NestStageWriter::Leaf(int n, NestStage& s, const std::string& in) {
  std::string id = l_.g.nodes[n].input, name = fmt::format("p{}", n);
  std::vector<Walk> walks = tile_.LeafWalks(n);
  const Run& r = l_.input.at(id);
  Extent2 of = tile_.Of(l_.run[n]);
  if (!of.any()) {
    needs_.flat.insert(id);
    s.lets +=
        fmt::format("{}{} = item({}[{}])\n", in, Name(n), id, tile_.Linear(r, walks, 0, r.size()));
    return;
  }
  if (of.lane && tile_.InPairs(r, walks)) return OneOfPairs(n, walks, s, in);
  Window w;
  if (of.lane && tile_.StepOf(r, walks, tile_.lane) != "1") {
    if (tile_.row != kNone) throw Unplanned{"rows of elements that lie apart"};
    needs_.flat.insert(id);
    needs_.packed.insert(n);
    w = {id, fmt::format("{}p{} = {}\n", in, n, tile_.Offset(l_.Sorted(l_.AxesOf(n)))),
         fmt::format("w{0}[p{0} : p{0} + m, 0]", n)};
  } else {
    w = needs_.WindowOf(tile_, id, r, walks, of, name, in);
  }
  std::string buffer = needs_.Buffer(tile_, fmt::format("{}_{}{}", id, n, of.lane ? "" : "_col"),
                                     of, w.tensor + ".dtype");
  s.lets += w.lets;
  s.loads += fmt::format("{}    load({}, {})\n", in, buffer, w.text);
  s.compute += fmt::format("{}    {} = {}\n", in, Name(n), buffer);
  s.spans[n] = of;
}

void NestStageWriter::OneOfPairs(int n, std::vector<Walk> walks, NestStage& s,
                                 const std::string& in) {
  const std::string& id = l_.g.nodes[n].input;
  const std::string which = walks.back().index;
  walks.back().index = "0";
  const std::string at = tile_.Linear(l_.input.at(id), walks, 0, walks.size());
  auto [pairs, fresh] =
      s.pairs.insert({fmt::format("{}[{}]", id, at), tile_.Own(fmt::format("{}_{}_pairs", id, n))});
  if (fresh) {
    needs_.flat.insert(id);
    needs_.buffers.insert(
        fmt::format("    {} = ub({} * 2, dtype={}.dtype)\n", pairs->second, tile_.LaneName(), id));
    s.lets += fmt::format("{}p{} = {}\n", in, n, at);
    s.loads +=
        fmt::format("{0}    load({1}, {2}[p{3} : p{3} + m * 2])\n", in, pairs->second, id, n);
  }
  s.compute += fmt::format("{}    {} = row_gather({}, iota(0, m) * 2{})\n", in, Name(n),
                           pairs->second, which == "0" ? "" : " + " + which);
  s.spans[n] = {false, true};
}

void NestStageWriter::LoadStored(int r, NestStage& s, const std::string& in) {
  Run run = l_.Sorted(l_.AxesOf(r));
  Extent2 of = tile_.Of(run);
  needs_.workspaces.insert(r);
  Window w = needs_.WindowOf(tile_, fmt::format("w{}", r), run, tile_.Plain(run), of,
                             fmt::format("p{}", r), in);
  std::string buffer =
      needs_.Buffer(tile_, fmt::format("w{}_ub{}{}", r, of.lane ? "" : "1", of.rows ? "n" : ""), of,
                    l_.StoredDtype(r));
  s.lets += w.lets;
  s.loads += fmt::format("{}    load({}, {})\n", in, buffer, w.text);
  s.compute += fmt::format("{}    {} = {}\n", in, Name(r), buffer);
}

void NestStageWriter::Index(int n, NestStage& s, const std::string& in) {
  const Run& r = l_.run[n];
  if (tile_.row != kNone && Has(r, tile_.row)) throw Unplanned{"positions that follow the rows"};
  if (tile_.lane == kNone || !Has(r, tile_.lane)) {
    s.lets += fmt::format("{}{} = {}\n", in, Name(n), tile_.Offset(r));
    return;
  }
  if (r.back() != tile_.lane) throw Unplanned{"positions that do not follow the lane"};
  s.compute += fmt::format("{}    {} = iota({}, m)\n", in, Name(n), tile_.Offset(r));
  s.spans[n] = {false, true};
}

}  // namespace akgen::craft
