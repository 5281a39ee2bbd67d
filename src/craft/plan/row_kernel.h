// A kernel whose rows are computed one like the other: its inputs, its lines, and the places that
// elements of a row are taken from. For plan/ only.
#pragma once
#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>
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

// Extents and numbers of the host by the names that the kernel has for them.
class HostNames {
 public:
  using Names = std::vector<std::pair<std::string, std::string>>;  // and what they are

  // `n`: what it is in this case.
  Extent Named(const std::string& kind, int64_t n, const std::string& host);
  std::string Number(const record::GraphNumber& n);
  const Names& Extents() const { return extents_; }
  const Names& Numbers() const { return numbers_; }
  int64_t ValueOf(const std::string& extent) const;  // in this case; of others 1

 private:
  Names extents_, numbers_;
  std::map<std::string, int64_t> values_;
};

// Which elements of a row are taken, computed once per core.
class RowPlaces {
 public:
  // Elements along a dimension: number c of them is that at first + step * c; its number. `inside`:
  // all of them are there.
  size_t Of(const RowDims& from, size_t dim, const std::string& first, int64_t step,
            const RowDims& to, bool inside);
  void AskMask(size_t k) { masks_.insert(k); }  // which of them are there
  std::string Buffers() const;
  std::string Text() const;

 private:
  void Write(size_t k, const RowDims& from, size_t dim, const std::string& first, int64_t step,
             const RowDims& to, bool inside);

  struct Place {
    std::string key, width, text, mask;
  };
  std::vector<Place> places_;
  std::set<size_t> masks_;
};

class RowKernel {
 public:
  RowKernel(const PlanTask& t, const PlanCase& c, size_t leading);

  RowValue Value(const std::string& id);
  void SetValue(const std::string& id, RowValue v) { values_[id] = std::move(v); }
  RowValue Operand(const GraphArg& a);
  Shape ShapeOf(const std::string& id) const;
  static int64_t Plain(const GraphArg& a) {
    return a.number.HasBool() ? a.number.Real() != 0 : a.number.Int();
  }
  static bool Flag(const GraphArg& a) { return a.IsNumber() && Plain(a) != 0; }
  // A dimension of the value by its place in a row.
  size_t InRow(int64_t dim, const RowValue& x) const;
  std::vector<size_t> InRow(const GraphArg& a, const RowValue& x) const;

  RowValue Line(const std::string& text, bool full, RowDims dims);
  // Elements of x as of RowPlaces. Where there is none, `fill`; "": the nearest one that is there.
  RowValue Take(const RowValue& x, size_t dim, const std::string& first, int64_t step,
                const Extent& count, bool inside, const std::string& fill = "");
  RowValue Spread(RowValue x, const RowDims& to);

  HostNames& Names() { return names_; }
  size_t leading() const { return leading_; }
  int64_t rows() const { return rows_; }
  // The kernel and the host function for these outputs.
  std::string Program(const std::vector<std::string>& outputs);

 private:
  const PlanParam* Param(const std::string& id) const;

  const PlanTask& task_;
  const PlanCase& case_;
  const size_t leading_;
  Shape base_;
  std::string like_;
  int64_t rows_ = 1;
  RowDims row_;
  std::map<std::string, RowValue> values_;
  HostNames names_;
  RowPlaces places_;
  std::vector<std::string> loads_, lines_;
  std::set<std::string> items_;
};

}  // namespace akgen::craft
