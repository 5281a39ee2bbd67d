#include "craft/plan/contract.h"

#include <algorithm>
#include <map>
#include <set>

#include "craft/plan/element.h"

namespace akgen::craft {
namespace {
using Letters = std::string;

bool Contains(const Letters& s, char c) { return s.find(c) != Letters::npos; }
template <typename F>
Letters Those(const Letters& s, const F& wanted) {
  Letters out;
  std::copy_if(s.begin(), s.end(), std::back_inserter(out), wanted);
  return out;
}

NodeMaker::Arg InOrder(NodeMaker& make, const NodeMaker::Arg& x, const Letters& from,
                       const Letters& to) {
  if (from == to) return x;
  std::vector<int64_t> order;
  for (char c : to) order.push_back(static_cast<int64_t>(from.find(c)));
  return make.InOrder(x, order);
}

// A tensor and the letters of its dimensions.
struct Side {
  NodeMaker::Arg x;
  Letters letters;
};
int64_t ExtentOf(const NodeMaker& make, const Side& side, char c) {
  return make.Of(side.x)[side.letters.find(c)];
}
NodeMaker::Arg SizeOf(const NodeMaker& make, const Side& side, char c) {
  return make.SizeOf(side.x, side.letters.find(c));
}
NodeMaker::Shape ShapeOf(const std::vector<NodeMaker::Arg>& sizes) {
  NodeMaker::Shape shape;
  for (const NodeMaker::Arg& n : sizes) shape.push_back(n.number.Int());
  return shape;
}
NodeMaker::Arg Reshaped(NodeMaker& make, const NodeMaker::Arg& x,
                        std::vector<NodeMaker::Arg> sizes) {
  const NodeMaker::Shape shape = ShapeOf(sizes);
  if (shape == make.Of(x)) return x;
  return make.Make("reshape", {x, NodeMaker::Arg::List(std::move(sizes))}, shape);
}
Side Without(NodeMaker& make, const Side& side, const Letters& kept) {
  if (kept == side.letters) return side;
  std::vector<NodeMaker::Arg> sizes;
  for (char c : kept) sizes.push_back(SizeOf(make, side, c));
  return {Reshaped(make, side.x, std::move(sizes)), kept};
}
// Without what only this side has and nobody asks for, and without what the other side spreads
// over its own extent.
Side Needed(NodeMaker& make, const Side& side, const Side& other, const Letters& out) {
  Side in = side;
  std::vector<int64_t> alone;
  for (char c : in.letters)
    if (!Contains(other.letters, c) && !Contains(out, c))
      alone.push_back(static_cast<int64_t>(in.letters.find(c)));
  if (!alone.empty()) {
    in.x = make.Reduce("sum", in.x, alone, false);
    in.letters =
        Those(in.letters, [&](char c) { return Contains(other.letters, c) || Contains(out, c); });
  }
  return Without(make, in, Those(in.letters, [&](char c) {
                   return !Contains(other.letters, c) || ExtentOf(make, in, c) != 1 ||
                          ExtentOf(make, other, c) == 1;
                 }));
}
// Nothing is summed: the dimensions of each side in the order of the result.
NodeMaker::Arg Multiplied(NodeMaker& make, const Side& a, const Side& b, const Letters& out) {
  auto beside = [&](const Side& side) {
    const Letters own = Those(out, [&](char c) { return Contains(side.letters, c); });
    const auto x = InOrder(make, side.x, side.letters, own);
    std::vector<NodeMaker::Arg> sizes;
    for (char c : out)
      sizes.push_back(Contains(own, c) ? SizeOf(make, side, c) : NodeMaker::Int(1));
    return Reshaped(make, x, std::move(sizes));
  };
  return make.Two("mul", beside(a), beside(b));
}

// Sides and result with a letter for every dimension: "..." becomes letters that nobody uses, a
// result that is not said is that of the letters which occur once.
std::pair<std::vector<Letters>, Letters> Spelled(const NodeMaker& make, const std::string& equation,
                                                 const NodeMaker::Args& tensors) {
  Letters said = Those(equation, [](char c) { return c != ' '; }), rest;
  const size_t arrow = said.find("->");
  Letters out = arrow == Letters::npos ? "" : said.substr(arrow + 2);
  std::vector<Letters> sides;
  for (Letters left = said.substr(0, arrow) + ','; !left.empty();) {
    sides.push_back(left.substr(0, left.find(',')));
    left.erase(0, left.find(',') + 1);
  }
  if (sides.size() != tensors.size()) throw WithoutRule("einsum");
  for (char c = 'A'; c <= 'Z'; ++c)
    if (!Contains(said, c)) rest += c;
  size_t spread = 0;  // dimensions of the longest "..."
  for (size_t i = 0; i < sides.size(); ++i) {
    const size_t rank = make.Of(tensors[i]).size(), dots = sides[i].find("...");
    if (dots == Letters::npos) continue;
    const size_t own = rank + 3 - sides[i].size();
    if (rank + 3 < sides[i].size() || own > rest.size()) throw WithoutRule("einsum");
    sides[i].replace(dots, 3, rest.substr(rest.size() - own));
    spread = std::max(spread, own);
  }
  const Letters own = rest.substr(rest.size() - spread);
  if (arrow == Letters::npos) {
    Letters all;
    for (const Letters& side : sides) all += side;
    out = Those(all, [&](char c) { return !Contains(own, c) && std::ranges::count(all, c) == 1; });
    std::ranges::sort(out);
    out = own + out;
  }
  if (const size_t dots = out.find("..."); dots != Letters::npos) out.replace(dots, 3, own);
  for (size_t i = 0; i < sides.size(); ++i)
    if (sides[i].size() != make.Of(tensors[i]).size()) throw WithoutRule("einsum");
  return {sides, out};
}

NodeMaker::Arg Times(const NodeMaker::Arg& a, const NodeMaker::Arg& b) {
  using record::GraphNumber;
  return NodeMaker::Arg::Number(GraphNumber::Of(
      GraphNumber::From::kOperation, "mul", {a.number, b.number}, a.number.Int() * b.number.Int()));
}

NodeMaker::Arg PairProduct(NodeMaker& make, const Side& left_side, const Side& right_side,
                           const Letters& out) {
  const Side a = Needed(make, left_side, right_side, out), b = Needed(make, right_side, a, out);
  const Letters &left = a.letters, &right = b.letters;
  const Letters batch = Those(out, [&](char c) { return Contains(left, c) && Contains(right, c); }),
                rows = Those(out, [&](char c) { return Contains(left, c) && !Contains(right, c); }),
                cols = Those(out, [&](char c) { return !Contains(left, c) && Contains(right, c); }),
                lost = Those(left, [&](char c) { return Contains(right, c) && !Contains(out, c); });
  if (lost.empty()) return Multiplied(make, a, b, out);
  std::map<char, NodeMaker::Arg> size;
  for (const Side* side : {&a, &b})
    for (char c : side->letters) size[c] = SizeOf(make, *side, c);
  auto sizes_of = [&](const Letters& s) {
    std::vector<NodeMaker::Arg> sizes;
    for (char c : s) sizes.push_back(size[c]);
    return sizes;
  };
  auto all = [&](const Letters& s) {
    NodeMaker::Arg n = NodeMaker::Int(1);
    for (char c : s) n = n.number.IsConstant() ? size[c] : Times(n, size[c]);
    return n;
  };
  auto x = InOrder(make, a.x, left, batch + rows + lost),
       y = InOrder(make, b.x, right, batch + lost + cols);
  const Letters made = batch + rows + cols;
  const auto sizes = sizes_of(made);
  // As it is where each side has one dimension of each kind, or one right side serves all rows.
  const bool plain = lost.size() == 1 && cols.size() == 1 && (rows.size() == 1 || batch.empty());
  if (plain) return InOrder(make, make.Make("matmul", {x, y}, ShapeOf(sizes)), made, out);
  auto matrix = [&](const Letters& first, const Letters& second) {
    auto flat = sizes_of(batch);
    flat.push_back(all(first));
    flat.push_back(all(second));
    return flat;
  };
  x = Reshaped(make, x, matrix(rows, lost)), y = Reshaped(make, y, matrix(lost, cols));
  const auto z = make.Make("matmul", {x, y}, ShapeOf(matrix(rows, cols)));
  return InOrder(make, Reshaped(make, z, sizes), made, out);
}
}  // namespace

NodeMaker::Arg Contracted(NodeMaker& make, const std::string& equation,
                          const NodeMaker::Args& tensors) {
  const auto [sides, out] = Spelled(make, equation, tensors);
  auto repeats = [](const Letters& s) {
    return std::set<char>(s.begin(), s.end()).size() != s.size();
  };
  if (std::ranges::any_of(sides, repeats) || repeats(out)) throw WithoutRule("einsum");
  Side made{tensors[0], sides[0]};
  for (size_t i = 1; i < sides.size(); ++i) {
    Letters asked = out;  // and what comes needs it
    for (size_t k = i + 1; k < sides.size(); ++k) asked += sides[k];
    const Letters both = made.letters + sides[i];
    Letters kept = i + 1 == sides.size() ? out : "";
    if (kept.empty())
      for (char c : both)
        if (Contains(asked, c) && !Contains(kept, c)) kept += c;
    made = {PairProduct(make, made, {tensors[i], sides[i]}, kept), kept};
  }
  made = Needed(make, made, {NodeMaker::Arg(), ""}, out);
  if (made.letters.size() != out.size()) throw WithoutRule("einsum");
  return InOrder(make, made.x, made.letters, out);
}

NodeMaker::Arg ProductSpread(NodeMaker& make, const NodeMaker::Arg& a, const NodeMaker::Arg& b) {
  const Letters batch = "abcdefghij";
  const size_t rank_a = make.Of(a).size(), rank_b = make.Of(b).size();
  auto last = [&](size_t rank) { return batch.substr(batch.size() - (rank - 2)); };
  return Contracted(
      make, last(rank_a) + "xy," + last(rank_b) + "yz->" + last(std::max(rank_a, rank_b)) + "xz",
      {a, b});
}

}  // namespace akgen::craft
