// What a composition gives: its outputs, their dtypes, order and memory.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "corpus/compose/draft.h"

namespace akgen::corpus {

class ComposedOutputs {
 public:
  explicit ComposedOutputs(Draft& draft) : d_(draft) {}

  // `eight_bits`: what the first one becomes.
  void Take(const std::vector<size_t>& open, bool eight_bits);

 private:
  void Zeros();
  void AnyOrder();
  void Renamed(const std::map<std::string, std::string>& names);
  void InPlace();

  Draft& d_;
};

}  // namespace akgen::corpus
