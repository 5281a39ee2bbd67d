// Compositions whose tensors change shape: halves of any dimension, parts that are joined,
// flattened dimensions; and the order of inputs and outputs.
#include <algorithm>
#include <cctype>

#include "corpus/compose/compose.h"

namespace akgen::corpus {
using base::Dtype;
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
void Composer::StartHalves() {
  Family("halves");
  const int rank = static_cast<int>(full_.size());
  if (rank > 1 && random_.Chance(35)) {  // named, and a different one from case to case
    std::vector<int> dims;
    for (int d = 0; d < rank; ++d) dims.push_back(d == rank - 1 && random_.Chance(75) ? -1 : d);
    if (random_.Chance(60))
      std::reverse(dims.begin(), dims.end());
    else
      random_.Shuffle(dims);
    dims.resize(static_cast<size_t>(std::min(rank, 3)));
    std::vector<Json> values(dims.begin(), dims.end());
    halved_ = dims;
    halved_dim_ = AttributeNumber("a" + std::to_string(c_.attrs.size()));
    c_.inputs[0].by = static_cast<int>(Switch("int", values));
    for (int d : dims) c_.inputs[0].shapes.push_back(Doubled(full_, d));
  } else if (random_.Chance(40)) {  // named, the last one
    halved_ = {-1};
    halved_dim_ = AttributeNumber("a" + std::to_string(c_.attrs.size()));
    c_.attrs.push_back({"a" + std::to_string(c_.attrs.size()), "int", {-1}});
    if (random_.Chance(50)) c_.attrs.back().values.push_back(rank - 1);
  } else {
    halved_ = {random_.Chance(75) ? -1
                                  : static_cast<int>(random_.Below(static_cast<uint64_t>(rank)))};
    halved_dim_ = record::GraphNumber(int64_t{halved_[0]});
  }
  c_.inputs[0].shape = Doubled(full_, halved_[0]);
  c_.nodes.push_back({"chunk",
                      {Tensor(0), IntArg(2), record::GraphArg::Number(halved_dim_)},
                      {"v0", "v0b"},
                      full_});
  for (const char* id : {"v0", "v0b"})
    values_.push_back({id, full_, values_[0].low, values_[0].high, 1, false, false});
  values_.erase(values_.begin());               // the whole is no operand: it has another shape
  if (random_.Chance(35)) Input(full_, -2, 2);  // as what comes back through a gate
}

// Two results in one tensor: along the dimension that an input was cut at, or another one.
size_t Composer::Joined(size_t v) {
  Family("joined");
  size_t other = random_.Chance(50) ? Unary(v) : Binary(PickOther(v));
  if (values_[other].shape != full_ || other == v || values_[other].result_only)
    other = Scaled(v, 2);
  std::vector<int> dims = halved_;
  record::GraphNumber dim = halved_dim_;
  if (dims.empty()) {
    dims = {random_.Chance(70) ? -1 : static_cast<int>(random_.Below(full_.size()))};
    dim = record::GraphNumber(int64_t{dims[0]});
  }
  const Args args = {record::GraphArg::List({Tensor(v), Tensor(other)}),
                     record::GraphArg::Number(dim)};
  size_t y = Node("cat", args, Doubled(full_, dims[0]), -kMaxValue, kMaxValue, {v, other});
  if (dims.size() > 1) {
    c_.nodes.back().by = c_.inputs[0].by;
    for (size_t state = 1; state < dims.size(); ++state)
      c_.nodes.back().others.push_back({"cat", args, Doubled(full_, dims[state])});
  }
  return y;
}

// The same elements in other dimensions. The extents are those of an input that has them.
size_t Composer::Reshaped(size_t v, const SymbolicShape& shape) {
  Family("reshaped");
  Args extents;
  bool open = false;  // one extent may be left to be found out
  for (char letter : shape) {
    record::GraphArg one;
    for (const CompositionInput& i : c_.inputs)
      if (size_t at = i.shape.find(letter); at != std::string::npos && i.shapes.empty() &&
                                            i.without < 0 && !i.optional && one.IsNone())
        one = ExtentOf(letter, i.id, static_cast<int64_t>(at));
    if (letter == '1') one = IntArg(1);
    if (one.IsNone() && open) return v;
    if (one.IsNone() || (letter == 'L' && !open)) one = IntArg(-1), open = true;
    extents.push_back(one);
  }
  return Node("reshape", {Tensor(v), record::GraphArg::List(extents)}, shape, values_[v].low,
              values_[v].high, {v});
}

// The last two dimensions lie flat; a factor or summand that has them both is flattened, and so the
// other way round with the result.
void Composer::StartFlat() {
  unflat_ = full_;
  full_ = full_.substr(0, full_.size() - 2) + "K";
  if (full_.size() > 2) full_ = full_.substr(1), unflat_ = unflat_.substr(1);
  c_.inputs[0].shape = values_[0].shape = full_;
  size_t x = Input((random_.Chance(70) ? "1" : "") + unflat_.substr(unflat_.size() - 2), 0.5, 1.5);
  values_[x].result_only = true;  // only flattened
  size_t row = Reshaped(x, values_[x].shape.size() == 3 ? "1K" : "K");
  size_t v = random_.Chance(50) ? Unary(0) : WithNumber(0);
  random_.Chance(60) ? Mul(v, row) : Add(v, row);
}

// A result that says nothing, as operators have for what a mode does not compute.
void Composer::Zeros() {
  size_t v = Pick();
  if (values_[v].shape != full_) return;
  const bool used = values_[v].used;
  size_t z = Node("zeros_like", {Tensor(v)}, full_, 0, 0, {v});
  values_[v].used = used;
  c_.outputs.push_back(values_[z].id);
  c_.fixed.emplace_back();
  if (random_.Chance(40)) c_.fixed.back() = random_.Chance(50) ? Dtype::kInt8 : Dtype::kFloat32;
}

void Composer::Renamed(const std::map<std::string, std::string>& names) {
  auto rename = [&](Args& args) {
    for (record::GraphArg& a : args)
      record::ForEachTensor(a, [&](std::string& id) {
        if (auto it = names.find(id); it != names.end()) id = it->second;
      });
  };
  for (CompositionNode& n : c_.nodes) {
    rename(n.args);
    for (Alternative& a : n.others) rename(a.args);
  }
  for (auto* ids : {&c_.outputs, &c_.inplace})
    for (std::string& id : *ids)
      if (auto it = names.find(id); it != names.end()) id = it->second;
}

// Operators take weights before what they weigh, and give statistics before what they were made
// for.
void Composer::AnyOrder() {
  if (c_.outputs.size() > 1 && random_.Chance(45)) {
    std::vector<size_t> order(c_.outputs.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    random_.Shuffle(order);
    const auto outputs = c_.outputs;
    const auto fixed = c_.fixed;
    for (size_t i = 0; i < order.size(); ++i)
      c_.outputs[i] = outputs[order[i]], c_.fixed[i] = fixed[order[i]];
  }
  if (c_.inputs.size() < 2 || !random_.Chance(30)) return;
  std::vector<CompositionInput> shuffled = c_.inputs;
  random_.Shuffle(shuffled);
  std::map<std::string, std::string> names;
  for (size_t i = 0; i < shuffled.size(); ++i) {
    const std::string id = "x" + std::to_string(i);
    names[shuffled[i].id] = id;
    shuffled[i].id = id;
  }
  c_.inputs = shuffled;
  Renamed(names);
  for (Value& v : values_)
    if (auto it = names.find(v.id); it != names.end()) v.id = it->second;
}

// Parameters of float32 beside halves, some that may be left out though they never are, and some
// that never come.
void Composer::MoreInputs() {
  if (c_.lists) return;
  const bool wide = !whole_ && random_.Chance(12);
  for (CompositionInput& i : c_.inputs) {
    const bool small = i.shape != full_ && i.dtypes.empty() && i.shapes.empty() &&
                       i.shape.find_first_of("Dbar") == std::string::npos;
    if (wide && small && random_.Chance(70)) i.dtypes.assign(c_.dtypes.size(), Dtype::kFloat32);
    if (small && i.without < 0 && random_.Chance(4)) i.optional = true;
  }
  for (int n = random_.Chance(5) ? 1 + static_cast<int>(random_.Below(2)) : 0; n > 0; --n) {
    CompositionInput i{"x" + std::to_string(c_.inputs.size()),
                       random_.Chance(50) ? SymbolicShape("C") : SymbolicShape("1"), 0, 1};
    i.optional = i.missing = true;
    if (random_.Chance(50)) i.dtypes.assign(c_.dtypes.size(), Dtype::kFloat32);
    c_.inputs.push_back(i);
  }
}

}  // namespace akgen::corpus
