// Functions that are compiled once for many programs: an object file of which each takes what it
// needs.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/status.h"

namespace akgen::guest {

namespace linking {
struct Object;
}

class Ready {
 public:
  Ready() = default;  // has nothing
  // `object`: content of an ELF file. AK0305: no object file, or one in which something has to run
  // before the rest.
  static base::Result<Ready> Read(std::string object);
  bool Defines(std::string_view name) const;
  // What is still undefined of `names` once this gives what it has, with what that takes from
  // others.
  std::set<std::string> LeftOver(const std::set<std::string>& names) const;
  // What `names` lead to, as an object to link; all other sections are dropped. The text lies in
  // this object.
  linking::Object Excerpt(const std::set<std::string>& names) const;

 private:
  struct Content;
  std::shared_ptr<const Content> content_;
};

}  // namespace akgen::guest
