// Nodes behind those of a graph (craft/plan/decompose.h).
#include <algorithm>

#include "craft/plan/decompose.h"
#include "craft/plan/element.h"

namespace akgen::craft {
using Arg = NodeMaker::Arg;
using Args = NodeMaker::Args;
using Shape = NodeMaker::Shape;

Arg NodeMaker::Make(const std::string& op, Args args, const Shape& shape, const char* dtype) {
  std::string id = "spelled" + std::to_string(next_++);
  shape_[id] = shape;
  nodes_.push_back({op, std::move(args), {{id, shape, dtype}}});
  return Arg::Tensor(id);
}

Shape NodeMaker::Of(const Arg& a) const {
  if (!a.IsTensor()) return {};
  auto it = shape_.find(a.tensor);
  if (it == shape_.end()) throw Unplanned{"a constant tensor"};
  return it->second;
}

namespace {
Shape Joined(Shape a, Shape b) {
  if (a.size() < b.size()) std::swap(a, b);
  for (size_t i = 1; i <= b.size(); ++i)
    if (a[a.size() - i] == 1) a[a.size() - i] = b[b.size() - i];
  return a;
}
bool GivesConditions(const std::string& op) {
  return op == "gt" || op == "ge" || op == "lt" || op == "le" || op == "eq" || op == "ne" ||
         op == "logical_and" || op == "logical_or";
}
}  // namespace

Arg NodeMaker::Two(const std::string& op, const Arg& a, const Arg& b) {
  Args args{a, b};
  if (op == "add" || op == "sub") args.push_back(Int(1));
  return Make(op, std::move(args), Joined(Of(a), Of(b)), GivesConditions(op) ? "Bool" : "Double");
}
Arg NodeMaker::Where(const Arg& c, const Arg& a, const Arg& b) {
  return Make("where", {c, a, b}, Joined(Of(c), Joined(Of(a), Of(b))));
}
Arg NodeMaker::Within(const Arg& x, const Arg& low, const Arg& high) {
  return Make("clamp", {x, low, high}, Of(x));
}

Arg NodeMaker::Reduce(const std::string& op, const Arg& x, std::vector<int64_t> dims, bool keep) {
  Shape in = Of(x), out;
  for (int64_t& d : dims) d = d < 0 ? d + static_cast<int64_t>(in.size()) : d;
  if (dims.empty())
    for (size_t i = 0; i < in.size(); ++i) dims.push_back(static_cast<int64_t>(i));
  for (size_t i = 0; i < in.size(); ++i) {
    bool gone = std::find(dims.begin(), dims.end(), static_cast<int64_t>(i)) != dims.end();
    if (!gone || keep) out.push_back(gone ? 1 : in[i]);
  }
  Args args{x, Arg::List(dims), Bool(keep)};
  if (op == "sum" || op == "mean") args.emplace_back();
  return Make(op, std::move(args), out);
}

Arg NodeMaker::SizeOf(const Arg& x, size_t dim) const {
  using record::GraphNumber;
  return Arg::Number(
      GraphNumber::Of(GraphNumber::From::kOperation, "size",
                      {GraphNumber::Of(GraphNumber::From::kTensor, x.tensor),
                       GraphNumber(record::GraphConstant(static_cast<int64_t>(dim)))},
                      Of(x)[dim]));
}

Arg NodeMaker::InOrder(Arg x, std::vector<int64_t> order) {
  const int64_t rank = static_cast<int64_t>(order.size());
  Shape shape = Of(x);
  for (int64_t& d : order) d = (d + rank) % rank;
  std::vector<int64_t> at(order.size());  // which dimension of x lies there
  for (size_t i = 0; i < at.size(); ++i) at[i] = static_cast<int64_t>(i);
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t j = static_cast<size_t>(std::find(at.begin(), at.end(), order[i]) - at.begin());
    if (j == i) continue;
    std::swap(at[i], at[j]);
    std::swap(shape[i], shape[j]);
    x = Make("transpose", {x, Int(static_cast<int64_t>(i)), Int(static_cast<int64_t>(j))}, shape);
  }
  return x;
}

}  // namespace akgen::craft
