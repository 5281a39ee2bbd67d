// The values of a graph by the names that it gives them; for plan/ only.
#pragma once
#include "craft/plan/nest_values.h"

namespace akgen::craft {

// What is written into a value that is a part of another one.
struct NestRegion {
  std::string base;
  size_t dim = 0;
  std::string start, end;
  bool all = false;
};

struct NestScope {
  NestGraph g{};
  std::map<std::string, NestValue> values{};
  std::set<std::string> changed{};  // values that are written into
  std::set<std::string> whole{};    // values that are integers
  std::map<std::string, NestRegion> regions{};
  std::map<std::string, int> pairs{};  // the axis of the two parts of complex inputs

  // All may throw Unplanned.
  NestValue Value(const std::string& id);
  NestValue Operand(const record::GraphArg& a);
  std::string Number(const record::GraphNumber& n);

  // ---- extents as texts of the host ----
  // One of an input's dimensions, or a part of one.
  std::optional<std::string> HostExtent(const Run& run) const;
  std::optional<std::string> HostSize(const record::GraphNumber& n) const;
  // x[start:end:step] of a dimension, as Python cuts it.
  std::optional<std::string> SliceLength(const record::GraphArgs& a, const Run& whole) const;
};

}  // namespace akgen::craft
