// What stands between products as a graph of its own; for plan/ only.
#pragma once
#include <set>

#include "craft/plan/product_extents.h"

namespace akgen::craft {

struct PartValues {
  std::vector<std::string> ids;  // that it computes
  std::vector<ColumnDtypes> dtypes;
  std::vector<size_t> outputs;         // of the task, which these values are; none: they are not
  std::set<std::string> needed{};      // to compute them
  std::vector<std::string> outside{};  // of those what is in memory
  std::vector<StoredValue> given{};    // the same
};
struct ProductPart {
  PlanTask task;
  std::string args;  // that the host passes for its parameters
};

class PartMaker {
 public:
  PartMaker(const ProductGraph& g, ProductExtents& host) : g_(g), host_(host) {}

  ProductPart Make(const PartValues& part);  // throws Unplanned

 private:
  PlanCase CaseOf(const PlanCase& c, const PartValues& part,
                  const std::map<std::string, std::string>& renamed);
  // An extent of what it does not compute is an attribute of the part.
  void NameExtents(GraphNumber& n, PlanCase& c, const std::set<std::string>& own);
  void NameExtents(GraphArg& a, PlanCase& c, const std::set<std::string>& own);

  const ProductGraph& g_;
  ProductExtents& host_;
  std::map<std::string, std::string> extents_;  // by the attribute's name: what the operator gives
};

}  // namespace akgen::craft
