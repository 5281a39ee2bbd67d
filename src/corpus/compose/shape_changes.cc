// Halves, parts that are joined, flattened dimensions.
#include "corpus/compose/shape_changes.h"

#include <algorithm>
#include <cctype>

namespace akgen::corpus {
using base::Json;

namespace {
char Twice(char dim) { return dim == 'C' ? 'D' : static_cast<char>(std::tolower(dim)); }
SymbolicShape Doubled(SymbolicShape shape, int dim) {
  char& d = shape[static_cast<size_t>(dim < 0 ? dim + static_cast<int>(shape.size()) : dim)];
  d = Twice(d);
  return shape;
}
}  // namespace

// The first input holds two parts, side by side along the last dimension, another one, or one that
// the caller names.
void ShapeChanges::StartHalves() {
  d_.Family("halves");
  const int rank = static_cast<int>(d_.full.size());
  if (rank > 1 && d_.random.Chance(35)) {  // named, and a different one from case to case
    std::vector<int> dims;
    for (int d = 0; d < rank; ++d) dims.push_back(d == rank - 1 && d_.random.Chance(75) ? -1 : d);
    if (d_.random.Chance(60))
      std::reverse(dims.begin(), dims.end());
    else
      d_.random.Shuffle(dims);
    dims.resize(static_cast<size_t>(std::min(rank, 3)));
    std::vector<Json> values(dims.begin(), dims.end());
    halved_ = dims;
    halved_dim_ = AttributeNumber("a" + std::to_string(d_.c.attrs.size()));
    d_.c.inputs[0].by = static_cast<int>(d_.Switch("int", values));
    for (int d : dims) d_.c.inputs[0].shapes.push_back(Doubled(d_.full, d));
  } else if (d_.random.Chance(40)) {  // named, the last one
    halved_ = {-1};
    halved_dim_ = AttributeNumber("a" + std::to_string(d_.c.attrs.size()));
    d_.c.attrs.push_back({"a" + std::to_string(d_.c.attrs.size()), "int", {-1}});
    if (d_.random.Chance(50)) d_.c.attrs.back().values.push_back(rank - 1);
  } else {
    halved_ = {
        d_.random.Chance(75) ? -1 : static_cast<int>(d_.random.Below(static_cast<uint64_t>(rank)))};
    halved_dim_ = record::GraphNumber(int64_t{halved_[0]});
  }
  d_.c.inputs[0].shape = Doubled(d_.full, halved_[0]);
  d_.c.nodes.push_back({"chunk",
                        {d_.Tensor(0), IntArg(2), record::GraphArg::Number(halved_dim_)},
                        {"v0", "v0b"},
                        d_.full});
  for (const char* id : {"v0", "v0b"})
    d_.values.push_back({id, d_.full, d_.values[0].low, d_.values[0].high, 1, false, false});
  d_.values.erase(d_.values.begin());  // the whole is no operand: it has another shape
  if (d_.random.Chance(35)) d_.Input(d_.full, -2, 2);  // as what comes back through a gate
}

// Two results in one tensor: along the dimension that an input was cut at, or another one.
size_t ShapeChanges::Joined(size_t v) {
  d_.Family("joined");
  size_t other = d_.random.Chance(50) ? e_.Unary(v) : e_.Binary(d_.PickOther(v));
  if (d_.values[other].shape != d_.full || other == v || d_.values[other].result_only)
    other = e_.Scaled(v, 2);
  std::vector<int> dims = halved_;
  record::GraphNumber dim = halved_dim_;
  if (dims.empty()) {
    dims = {d_.random.Chance(70) ? -1 : static_cast<int>(d_.random.Below(d_.full.size()))};
    dim = record::GraphNumber(int64_t{dims[0]});
  }
  const Args args = {record::GraphArg::List({d_.Tensor(v), d_.Tensor(other)}),
                     record::GraphArg::Number(dim)};
  size_t y = d_.Node("cat", args, Doubled(d_.full, dims[0]), -kMaxValue, kMaxValue, {v, other});
  if (dims.size() > 1) {
    d_.c.nodes.back().by = d_.c.inputs[0].by;
    for (size_t state = 1; state < dims.size(); ++state)
      d_.c.nodes.back().others.push_back({"cat", args, Doubled(d_.full, dims[state])});
  }
  return y;
}

// The same elements in other dimensions. The extents are those of an input that has them.
size_t ShapeChanges::Reshaped(size_t v, const SymbolicShape& shape) {
  d_.Family("reshaped");
  Args extents;
  bool open = false;  // one extent may be left to be found out
  for (char letter : shape) {
    record::GraphArg one;
    for (const CompositionInput& i : d_.c.inputs)
      if (size_t at = i.shape.find(letter); at != std::string::npos && i.shapes.empty() &&
                                            i.without < 0 && !i.optional && one.IsNone())
        one = ExtentOf(letter, i.id, static_cast<int64_t>(at));
    if (letter == '1') one = IntArg(1);
    if (one.IsNone() && open) return v;
    if (one.IsNone() || (letter == 'L' && !open)) one = IntArg(-1), open = true;
    extents.push_back(one);
  }
  return d_.Node("reshape", {d_.Tensor(v), record::GraphArg::List(extents)}, shape,
                 d_.values[v].low, d_.values[v].high, {v});
}

// The last two dimensions lie flat; a factor or summand that has them both is flattened, and so the
// other way round with the result.
void ShapeChanges::StartFlat() {
  unflat_ = d_.full;
  d_.full = d_.full.substr(0, d_.full.size() - 2) + "K";
  if (d_.full.size() > 2) d_.full = d_.full.substr(1), unflat_ = unflat_.substr(1);
  d_.c.inputs[0].shape = d_.values[0].shape = d_.full;
  size_t x =
      d_.Input((d_.random.Chance(70) ? "1" : "") + unflat_.substr(unflat_.size() - 2), 0.5, 1.5);
  d_.values[x].result_only = true;  // only flattened
  size_t row = Reshaped(x, d_.values[x].shape.size() == 3 ? "1K" : "K");
  size_t v = d_.random.Chance(50) ? e_.Unary(0) : e_.WithNumber(0);
  d_.random.Chance(60) ? e_.Mul(v, row) : e_.Add(v, row);
}

}  // namespace akgen::corpus
