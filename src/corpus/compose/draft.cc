// Inputs, nodes and attributes of a composition.
#include "corpus/compose/draft.h"

#include <algorithm>
#include <cmath>

namespace akgen::corpus {
using base::Json;

double RoundedTo(double v, int digits) {
  return std::round(v * std::pow(10.0, digits)) / std::pow(10.0, digits);
}

SymbolicShape Spread(const SymbolicShape& a, const SymbolicShape& b) {
  SymbolicShape out = a.size() >= b.size() ? a : b;
  const SymbolicShape& other = a.size() >= b.size() ? b : a;
  for (size_t i = 0; i < other.size(); ++i) {
    char& to = out[out.size() - 1 - i];
    if (to == '1') to = other[other.size() - 1 - i];
  }
  return out;
}

void Draft::Family(const char* name) { c.families.push_back(name); }

double Draft::Most(size_t v) const {
  return std::max(std::abs(values[v].low), std::abs(values[v].high));
}

record::GraphArg Draft::Tensor(size_t v) const { return record::GraphArg::Tensor(values[v].id); }

double Draft::Constant(double low, double high) {
  if (!whole && random.Chance(15)) {  // with as many digits as sqrt(1/2) has in a reference
    const double v = low + (high - low) * static_cast<double>(random.Below(uint64_t{1} << 40)) /
                               static_cast<double>(uint64_t{1} << 40);
    return random.Chance(50) ? v : RoundedTo(v, 4 + static_cast<int>(random.Below(5)));
  }
  double v = low + (high - low) * static_cast<double>(random.Below(65)) / 64;
  return whole ? std::round(v) : RoundedTo(v);
}

size_t Draft::Input(SymbolicShape shape, double low, double high) {
  c.inputs.push_back({"x" + std::to_string(c.inputs.size()), shape, low, high});
  values.push_back({c.inputs.back().id, std::move(shape), low, high, 0, false, true});
  return values.size() - 1;
}

size_t Draft::Node(const std::string& op, const Args& args, const SymbolicShape& shape, double low,
                   double high, const std::vector<size_t>& from) {
  int depth = 0;
  for (size_t f : from) {
    values[f].used = true;
    depth = std::max(depth, values[f].depth);
  }
  std::string id = "v" + std::to_string(c.nodes.size());
  c.nodes.push_back({op, args, {id}, shape});
  values.push_back({id, shape, low, high, depth + 1, false, false});
  return values.size() - 1;
}

// An attribute with one value in all cases, or several.
Draft::Scalar Draft::Attribute(double low, double high) {
  std::vector<Json> values;
  Scalar out{{}, high, low};
  for (size_t n = random.Chance(50) ? 1 : 2 + random.Below(2); n > 0; --n) {
    double v = Constant(low, high);
    if (v == 0) v = whole ? 1 : 0.5;
    values.push_back(v);
    out.low = std::min(out.low, v), out.high = std::max(out.high, v);
  }
  std::string id = "a" + std::to_string(c.attrs.size());
  c.attrs.push_back({id, "float", values});
  out.arg = record::GraphArg::Number(AttributeNumber(id));
  return out;
}

// A question with its answers, one graph for each.
size_t Draft::Switch(const std::string& type, std::vector<Json> values) {
  const size_t which = c.switches.size();
  c.switches.push_back(values.size());
  c.attrs.push_back(
      {"a" + std::to_string(c.attrs.size()), type, std::move(values), static_cast<int>(which)});
  return which;
}

// Values that nothing uses yet come first, so that compositions are deep and leave little open.
size_t Draft::Pick() {
  std::vector<size_t> open;
  for (size_t i = 0; i < values.size(); ++i)
    if (!values[i].used && !values[i].result_only) open.push_back(i);
  if (!open.empty() && random.Chance(75)) return open[random.Below(open.size())];
  for (;;)
    if (size_t v = random.Below(values.size());
        !values[v].result_only && (!c.lists || values[v].shape == full))
      return v;
}

size_t Draft::PickOther(size_t not_this) {
  for (int i = 0; i < 8; ++i)
    if (size_t v = Pick(); v != not_this) return v;
  return not_this;
}

// Mostly whole; else one row, with ones before it or without, one column, or one element.
SymbolicShape Draft::ShapeOfInput() {
  if (random.Chance(70)) return full;
  SymbolicShape row = full, column = full;
  std::fill(row.begin(), row.end() - 1, '1');
  column.back() = '1';
  switch (random.Below(5)) {
    case 0:
    case 1: return full.substr(full.size() - 1);
    case 2: return row;
    case 3: return column;
    default: return "1";
  }
}

void Draft::Keep(size_t v, int percent, bool statistic) {
  if (kept.size() < 3 && random.Chance(percent)) kept.push_back({v, statistic});
}

}  // namespace akgen::corpus
