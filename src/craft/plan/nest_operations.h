// Operations of a graph on values over axes; for plan/ only. All may throw Unplanned.
#pragma once
#include "craft/plan/nest_scope.h"

namespace akgen::craft::nest {

// ---- choosing, shifting, joining ----
NestValue Slice(NestScope& s, const record::GraphNode& n, const NestValue& x,
                const std::vector<int64_t>& shape);
NestValue Select(NestScope& s, const NestValue& x, const record::GraphArgs& a);
NestValue SplitAt(NestScope& s, const record::GraphArgs& a, const std::vector<int64_t>& shape);
// Slices along a dimension, chosen by the elements of an input.
NestValue Picked(NestScope& s, const NestValue& x, const record::GraphArgs& a);
// From the last place of each dimension to the first. Elements of a row change places in
// ReorderWriter.
NestValue Flipped(NestScope& s, const record::GraphNode& n, NestValue x);
// windows(x, sizes, steps, apart) of the last dimensions of an input: those before, one for each
// place in a window, one for each window. `apart` below 0: windows are walked from their ends.
NestValue Windows(NestScope& s, const record::GraphNode& n, NestValue x);
// One dimension with so many numbers before it and behind it.
NestValue Widened(NestScope& s, const record::GraphNode& n, const NestValue& x);
NestValue Concatenated(NestScope& s, const record::GraphNode& n,
                       const std::vector<NestValue>& parts, size_t dim);
NestValue Cross(NestScope& s, const NestValue& x, const NestValue& y,
                const record::GraphArg& dim_arg);

// ---- reductions ----
std::optional<NestValue> Reduction(NestScope& s, const record::GraphNode& n);
// One element of each row: all of them where the position is the wanted one, added up. A row of
// one-hot: a choice.
NestValue Chosen(NestScope& s, const std::string& op, const record::GraphArgs& a);
void Topmost(NestScope& s, const record::GraphNode& n);

// Operations on complex numbers by their parts; nothing where there are none.
std::optional<NestValue> Complex(NestScope& s, const record::GraphNode& n,
                                 const std::vector<int64_t>& shape);

// ---- in place, and element by element ----
// Writes into a value what `op` makes of it.
void Change(NestScope& s, const record::GraphNode& n, const std::string& op, const std::string& id);
NestValue Plainly(NestScope& s, const std::string& op, const record::GraphArgs& a);

}  // namespace akgen::craft::nest
