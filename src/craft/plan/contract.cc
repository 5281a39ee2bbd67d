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
}  // namespace

NodeMaker::Arg Contracted(NodeMaker& make, const std::string& equation, const NodeMaker::Arg& a,
                          const NodeMaker::Arg& b) {
  const Letters said = Those(equation, [](char c) { return c != ' '; });
  const size_t comma = said.find(','), arrow = said.find("->");
  if (comma == Letters::npos || arrow == Letters::npos || Contains(said, '.'))
    throw Unplanned{"the operation einsum"};
  const Letters left = said.substr(0, comma), right = said.substr(comma + 1, arrow - comma - 1),
                out = said.substr(arrow + 2);
  auto repeats = [](const Letters& s) {
    return std::set<char>(s.begin(), s.end()).size() != s.size();
  };
  const Letters batch = Those(out, [&](char c) { return Contains(left, c) && Contains(right, c); }),
                rows = Those(out, [&](char c) { return Contains(left, c) && !Contains(right, c); }),
                cols = Those(out, [&](char c) { return !Contains(left, c) && Contains(right, c); }),
                lost = Those(left, [&](char c) { return Contains(right, c) && !Contains(out, c); });
  const bool product = !lost.empty() && left.size() == batch.size() + rows.size() + lost.size() &&
                       right.size() == batch.size() + cols.size() + lost.size() &&
                       out.size() == batch.size() + rows.size() + cols.size();
  if (repeats(left) || repeats(right) || repeats(out) || !product ||
      left.size() != make.Of(a).size() || right.size() != make.Of(b).size())
    throw Unplanned{"the operation einsum"};
  std::map<char, int64_t> extent;
  for (size_t i = 0; i < left.size(); ++i) extent[left[i]] = make.Of(a)[i];
  for (size_t i = 0; i < right.size(); ++i) extent[right[i]] = make.Of(b)[i];
  auto shape_of = [&](const Letters& s) {
    NodeMaker::Shape shape;
    for (char c : s) shape.push_back(extent[c]);
    return shape;
  };
  auto all = [&](const Letters& s) {
    int64_t n = 1;
    for (char c : s) n *= extent[c];
    return n;
  };
  auto x = InOrder(make, a, left, batch + rows + lost),
       y = InOrder(make, b, right, batch + lost + cols);
  const Letters made = batch + rows + cols;
  NodeMaker::Shape shape = shape_of(made);
  // As it is where each side has one dimension of each kind, or one right side serves all rows.
  const bool plain = lost.size() == 1 && cols.size() == 1 && (rows.size() == 1 || batch.empty());
  if (!plain) {
    auto matrix = [&](const NodeMaker::Arg& m, const Letters& first, const Letters& second) {
      NodeMaker::Shape flat = shape_of(batch);
      flat.push_back(all(first));
      flat.push_back(all(second));
      return flat == make.Of(m) ? m : make.Reshaped(m, flat);
    };
    x = matrix(x, rows, lost), y = matrix(y, lost, cols);
    NodeMaker::Shape flat = shape_of(batch);
    flat.push_back(all(rows));
    flat.push_back(all(cols));
    auto z = make.Make("matmul", {x, y}, flat);
    return InOrder(make, flat == shape ? z : make.Reshaped(z, shape), made, out);
  }
  return InOrder(make, make.Make("matmul", {x, y}, shape), made, out);
}

}  // namespace akgen::craft
