// Names of a host function that depend on what fit() finds.
#pragma once
#include <map>
#include <string>

#include "craft/ir/ir.h"

namespace akgen::craft {

class FitNames {
 public:
  static bool IsFit(const ir::S& s) { return s->kind == ir::SKind::kCall && s->text == "fit"; }
  static bool HasFit(const ir::S& s);

  // `name` is `value` from here on.
  void Let(const std::string& name, const ir::S& value);
  // With what fit() has found in place of the names that were made of it: it must see how the
  // launch depends on it.
  ir::S Spelled(const ir::S& s) const;
  // Forgets names that are not the same in `other`: what a branch has made of fit() differs from
  // what the other one has.
  void KeepCommon(const FitNames& other);

 private:
  std::map<std::string, ir::S> made_;  // what they are in terms of what it finds
};

}  // namespace akgen::craft
