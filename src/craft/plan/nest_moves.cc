// Elements that lie apart are brought side by side, or back: a column of single elements at a
// time.
#include "craft/plan/nest_moves.h"

namespace akgen::craft {

ElementMover::ElementMover(const NestLayout& l, NestNeeds& needs) : l_(l), needs_(needs), tile_{l} {
  std::set<std::string> moved;  // each has a buffer, whose elements take a block
  for (int n : needs.packed) moved.insert(l.g.nodes[n].input);
  for (const auto& [o, p] : needs.scattered) moved.insert(fmt::format("y{}", o));
  apart_ = moved.size() > 6 ? 128 : moved.size() > 3 ? 256 : 512;
}

std::string ElementMover::Around(const std::string& segments) {
  std::string before, after;
  for (int n : needs_.packed) before += Pack(n);
  for (const auto& [o, p] : needs_.scattered) after += Scatter(o, p);
  return (before.empty() ? "" : before + "    sync_all()\n") + segments +
         (after.empty() ? "" : "    sync_all()\n" + after);
}

std::string ElementMover::Move(const std::string& id, const Run& run,
                               const std::function<std::string(const std::string&)>& inner) {
  tile_.lane = run.back(), tile_.row = kNone;
  std::string out = fmt::format(
      "    parts_{0} = ceil_div({1}, {3})\n    jobs_{0} = {2} * parts_{0}\n    for j in "
      "range(core(), jobs_{0}, "
      "cores()):\n",
      id, l_.Extent(tile_.lane), l_.Product(Run(run.begin(), run.end() - 1)), apart_);
  std::string in = "        ";
  for (size_t i = 0; i + 1 < run.size(); ++i)
    out += fmt::format("{}{} = (j // ({} * parts_{})){}\n", in, tile_.At(run[i]),
                       l_.Product(Run(run.begin() + static_cast<long>(i) + 1, run.end() - 1)), id,
                       i ? " % " + l_.Extent(run[i]) : "");
  out += fmt::format(
      "{0}from_{1} = (j % parts_{1}) * {3}\n{0}for c, m in tiles(from_{1}, min(from_{1} + {3}, "
      "{2}), {3}):\n",
      in, id, l_.Extent(tile_.lane), apart_);
  return out + inner(in + "    ");
}

std::string ElementMover::Pack(int n) {
  std::string id = std::to_string(n), input = l_.g.nodes[n].input;
  Run run = l_.Sorted(l_.AxesOf(n));
  auto pointed = [&](int a) {
    return std::any_of(l_.roles[n].begin(), l_.roles[n].end(),
                       [&](const auto& r) { return Has(r.second.places, a); });
  };
  if (pointed(run.back())) throw Unplanned{"elements that lie apart and are pointed to"};
  needs_.buffers.insert(fmt::format("    {0}_m = ub({1}, 1, dtype={0}.dtype)\n", input, apart_));
  return Move(id, run, [&](const std::string& in) {
    std::vector<Walk> walks = tile_.LeafWalks(n);
    std::string at = tile_.Linear(l_.input.at(input), walks, 0, walks.size()),
                step = tile_.StepOf(l_.input.at(input), walks, tile_.lane);
    return fmt::format(
        "{0}p{1} = {2}\n{0}q{1} = {3}\n{0}with copyin:\n{0}    load({4}_m, {4}[p{1} : p{1} + m * "
        "({5}) : "
        "{5}])\n{0}with copyout:\n{0}    store(w{1}[q{1} : q{1} + m, :], {4}_m)\n",
        in, id, at, tile_.Offset(run), input, step);
  });
}

std::string ElementMover::Scatter(size_t o, int p) {
  std::string id = fmt::format("{}_{}", o, p + 1);
  Run run = l_.Sorted(l_.OutAxes(o, p));
  needs_.buffers.insert(fmt::format("    y{0}_m = ub({1}, 1, dtype=y{0}.dtype)\n", o, apart_));
  return Move(id, run, [&](const std::string& in) {
    std::vector<Walk> walks = tile_.OutWalks(o, p);
    std::string at = tile_.Linear(l_.out_run[o], walks, 0, walks.size()),
                step = tile_.StepOf(l_.out_run[o], walks, tile_.lane);
    return fmt::format(
        "{0}p{1} = {2}\n{0}q{1} = {3}\n{0}with copyin:\n{0}    load(y{4}_m, w{1}[q{1} : q{1} + m, "
        ":])\n{0}with "
        "copyout:\n{0}    store(y{4}[p{1} : p{1} + m * ({5}) : {5}], y{4}_m)\n",
        in, id, at, tile_.Offset(run), o, step);
  });
}

}  // namespace akgen::craft
