// A kernel in which the elements of a row change places; for plan/ only.
#pragma once
#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include "craft/craft.h"
#include "craft/plan/element.h"
#include "craft/plan/plan.h"

namespace akgen::craft {
using record::GraphArg;
using record::GraphArgs;
using record::GraphNode;
using Shape = std::vector<int64_t>;

struct Extent {
  int64_t n = 1;
  std::string text = "1";
};
using RowDims = std::vector<Extent>;

struct RowValue {
  std::string text;
  bool full = false;    // differs from row to row
  bool number = false;  // no tile
  RowDims dims;         // of a row
};

inline int64_t Width(const RowDims& d) {
  int64_t n = 1;
  for (const Extent& e : d) n *= e.n;
  return n;
}
inline std::string Product(const RowDims& d, size_t from, size_t to) {
  std::string out;
  for (size_t i = from; i < to; ++i)
    if (d[i].text != "1")
      out += (out.empty() ? "" : " * ") +
             (d[i].text.find(' ') == std::string::npos ? d[i].text : "(" + d[i].text + ")");
  return out.empty() ? "1" : out;
}
inline std::string Product(const RowDims& d) { return Product(d, 0, d.size()); }
inline bool Same(const RowDims& a, const RowDims& b) {
  return Product(a) == Product(b) && Width(a) == Width(b);
}

class ReorderWriter {
 public:
  ReorderWriter(const PlanTask& t, const PlanCase& c, size_t leading, bool windows)
      : task_(t), case_(c), leading_(leading), windows_(windows) {}

  std::string Run();
  // UB that one row takes, in bytes.
  int64_t Bytes(const ir::S& s) const;

 private:
  // Values that count: of what zeros are shaped like, nobody asks for the elements.
  std::set<std::string> Needed() const;
  // ---- inputs and numbers ----
  void Inputs();
  Extent Named(const std::string& kind, int64_t n, const std::string& host);
  const PlanParam* Param(const std::string& id) const;
  RowValue Value(const std::string& id);
  std::string Number(const record::GraphNumber& n);
  RowValue Operand(const GraphArg& a);
  static int64_t Plain(const GraphArg& a) {
    return a.number.HasBool() ? a.number.Real() != 0 : a.number.Int();
  }
  static bool Flag(const GraphArg& a) { return a.IsNumber() && Plain(a) != 0; }
  // A dimension of the value by its place in a row.
  size_t InRow(int64_t dim, const RowValue& x) const;
  std::vector<size_t> InRow(const GraphArg& a, const RowValue& x) const;

  // ---- lines ----
  RowValue Line(const std::string& text, bool full, RowDims dims);
  // Elements of x along a dimension: number c of them is that at first + step * c. Where there is
  // none, `fill`;
  // "": the nearest one that is there.
  RowValue Take(const RowValue& x, size_t dim, const std::string& first, int64_t step,
                const Extent& count, bool inside, const std::string& fill = "");
  void Places(size_t k, const RowDims& from, size_t dim, const std::string& first, int64_t step,
              const RowDims& to, bool inside);
  RowValue Spread(RowValue x, const RowDims& to);
  static void AlignWithRows(std::vector<RowValue>& operands);
  RowValue Element(const std::string& op, const GraphArgs& a);

  // ---- operations ----
  RowValue One(const std::string& op, const GraphArgs& a, const Shape& shape);
  RowValue Reshaped(RowValue x, const Shape& shape);
  RowValue Part(const std::string& op, const GraphArgs& a, const Shape& shape);
  RowValue Selected(const GraphArgs& a);
  // Each part at its place among zeros, added up.
  RowValue Joined(const GraphArgs& a, const Shape& shape);
  Shape ShapeOf(const std::string& id) const;
  RowValue Padded(const GraphArgs& a);
  RowValue Running(const std::string& op, const GraphArgs& a);
  RowValue Reduced(const std::string& op, const GraphArgs& a, const Shape& shape);
  // Windows along one dimension after the other.
  RowValue Pooled(const std::string& op, const GraphArgs& a);

  // ---- text ----
  std::string OnHost(const std::string& text) const {
    return text;
  }  // extents have the same names there
  std::string Program();

  const PlanTask& task_;
  const PlanCase& case_;
  size_t leading_;
  bool windows_;  // by row_window_…, which needs more of UB than places one by one
  Shape base_;
  std::string like_;
  int64_t rows_ = 1;
  RowDims row_;
  std::map<std::string, RowValue> values_;
  std::vector<std::pair<std::string, std::string>> host_,
      numbers_;                            // names of the host, and what they are
  std::map<std::string, int64_t> extent_;  // of those that are extents, in this case
  std::vector<std::string> loads_, lines_, keys_, widths_;
  std::set<std::string> items_;
  std::string places_;
  std::set<size_t> masks_;
  std::map<size_t, std::string> masks_text_;
};

}  // namespace akgen::craft
