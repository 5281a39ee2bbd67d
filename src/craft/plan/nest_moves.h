// Kernels of loops whose elements lie apart; for plan/ only.
#pragma once
#include "craft/plan/nest_needs.h"

namespace akgen::craft {

class ElementMover {
 public:
  ElementMover(const NestLayout& l, NestNeeds& needs);

  // What the segments need to be moved before and after them. Throws Unplanned.
  std::string Around(const std::string& segments);

 private:
  std::string Move(const std::string& id, const Run& run,
                   const std::function<std::string(const std::string&)>& inner);
  std::string Pack(int n);
  std::string Scatter(size_t o, int p);

  const NestLayout& l_;
  NestNeeds& needs_;
  NestTile tile_;
  int apart_;  // elements that lie apart are brought together so many at a time
};

}  // namespace akgen::craft
