// Names of a kernel, what numbers are made of, and its lists of integers.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "craft/check/scope.h"

namespace akgen::craft {

// All names ever used, so that each is unique.
class UniqueNames {
 public:
  bool Has(const std::string& name) const { return names_.count(name) > 0; }
  void Add(const std::string& name) { names_.insert(name); }
  // `name`, or it with `separator` and a number where it is in use.
  std::string Fresh(const std::string& name, const char* separator);

 private:
  std::set<std::string> names_;
};

class KernelNumbers {
 public:
  explicit KernelNumbers(const ir::Kernel& k) : k_(k) {}

  void Let(const std::string& name, const ir::S& value);
  void SetBound(const std::string& name, const ir::S& value) { bounds_[name] = Bound(value); }
  ir::S Bound(const ir::S& s) const;    // an upper bound without loop variables
  ir::S Spelled(const ir::S& s) const;  // without names of numbers
  // Whether a number is made from an element of a tensor of i64, which i32 may be too small for.
  bool IsLong(const ir::S& s) const;

 private:
  const ir::Kernel& k_;
  std::map<std::string, ir::S> bounds_;  // of loop counts
  std::map<std::string, ir::S> values_;  // of names of numbers, over loop variables and parameters
  std::set<std::string> long_names_;     // of numbers made from elements of i64
};

// Lists of integers: their elements, and where the pieces that they measure begin.
class KernelLists {
 public:
  KernelLists(ScalarChecker& scalars, UniqueNames& names, ir::Kernel& k)
      : scalars_(scalars), names_(names), k_(k) {}

  void Add(const std::string& name);
  bool Has(const std::string& name) const { return lists_.count(name) > 0; }
  bool IsList(const ast::Expr& e) const;
  ir::S ElementOf(const std::string& list, const ir::S& index) const;
  // ms[g], len(ms), before(g, ms, ks). Null and handled = false: not of lists.
  ir::S Number(const ast::Expr& e, bool& handled);
  // The name of the starts of pieces of `size`, which may be there already.
  std::string StartsOf(const std::string& name, const std::vector<std::string>& lists,
                       const ir::S& size);
  const std::set<std::string>& All() const { return lists_; }

 private:
  ScalarChecker& scalars_;
  UniqueNames& names_;
  ir::Kernel& k_;
  std::set<std::string> lists_;
};

}  // namespace akgen::craft
