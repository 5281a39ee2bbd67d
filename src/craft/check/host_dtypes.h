// Dtypes of a host function's tensors in the columns it is checked for.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "craft/ir/ir.h"

namespace akgen::craft {

class DtypeColumns {
 public:
  DtypeColumns(size_t column, size_t columns) : column_(column), columns_(columns), seen_(column) {}

  // What `dtype` finds in this column; those of the others are kept for branches that only they
  // take.
  template <typename F>
  base::Dtype InAll(const std::string& name, F dtype) {
    size_t own = column_;
    std::vector<base::Dtype>& all = dtypes_[name];
    bool ok = true;
    for (column_ = 0; column_ < columns_ && ok; ++column_)
      ok = dtype(all.emplace_back(base::Dtype::kFloat32));
    column_ = own;
    all.resize(columns_, base::Dtype::kFloat32);
    return all[own];
  }
  size_t Column() const { return column_; }  // within InAll the one that is asked for
  bool Has(const std::string& name) const { return dtypes_.count(name) > 0; }
  base::Dtype Of(const std::string& name) const { return In(name, column_); }
  base::Dtype SeenOf(const std::string& name) const { return In(name, seen_); }
  // The answer where dtypes alone decide it.
  std::optional<bool> Settled(const ir::S& s) const { return Settled(s, column_); }

  // A branch that is taken where `condition` is `wanted`: `check` is told whether any column takes
  // it. One that this column never takes is seen with the dtypes of one that does: its kernels are
  // there in every column.
  template <typename F>
  void Branch(const ir::S& condition, bool wanted, F check) {
    const size_t before = seen_;
    taken_.push_back({condition, wanted});
    const std::optional<size_t> taking = Taking();
    seen_ = taking.value_or(before);
    check(taking.has_value());
    taken_.pop_back();
    seen_ = before;
  }

 private:
  base::Dtype In(const std::string& name, size_t column) const;
  std::optional<bool> Settled(const ir::S& s, size_t column) const;
  std::optional<size_t> Taking() const;  // a column that takes this branch

  size_t column_, columns_;
  size_t seen_;                                // the column whose dtypes the launches see
  std::vector<std::pair<ir::S, bool>> taken_;  // conditions around the statement, and their answers
  std::map<std::string, std::vector<base::Dtype>> dtypes_;
};

}  // namespace akgen::craft
