// What akgen knows of the interface of Ascend C, to validate the text of a teacher: names, and the
// dtypes that functions take.
#pragma once
#include <map>
#include <set>
#include <string>

namespace akgen::corpus {

class ApiTable {
 public:
  // From the headers that kernels are compiled against, and the list of documented names that these
  // leave out.
  static ApiTable Load();
  bool Knows(const std::string& name) const { return names_.contains(name); }
  // Why a text is refused: it calls an unknown function of Ascend C, or instantiates one with a
  // dtype that it does not take. Names that the text defines itself, or that stand in `given`, are
  // known. Empty: nothing to object.
  std::string Objection(const std::string& text, const std::string& given) const;

 private:
  std::set<std::string> names_;
  std::map<std::string, std::set<std::string>> dtypes_;  // function -> all that it takes
};

}  // namespace akgen::corpus
