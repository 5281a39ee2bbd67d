// The comparison of range_compare.h on the outputs of one case: the reference is evaluated again,
// in other ways, only where that may excuse a difference, and once for all outputs.
#pragma once
#include <map>
#include <optional>

#include "task/range_compare.h"
#include "task/reference_client.h"

namespace akgen::task {

class RangeCase {
 public:
  // All are kept by reference.
  RangeCase(ReferenceClient& reference, const TaskSpec& task, const CaseDesc& c,
            const TensorSet& inputs)
      : reference_(reference), task_(task), c_(c), inputs_(inputs) {}

  // Output i, flat, of dtype and shape `desc`. A reference that cannot be evaluated in another way
  // excuses nothing.
  Comparison Compare(size_t i, const TensorDesc& desc, std::span<const uint8_t> out,
                     const TensorSet& golden);

 private:
  // kNudged and kNoisy: by their pattern.
  enum class Way {
    kPeer,
    kNudgedLess,
    kExact,
    kUnrounded,
    kUnroundedSingle,
    kCrowded,
    kCrowdedAbove,
    kCrowdedBelow,
    kCrowdedLost,
    kNudged,
    kNoisy,
    kNoisyLess,
    kConvertedOtherwise,
    kAboveTies,
    kBelowTies
  };
  base::Result<TensorSet> Make(Way way, int pattern);
  const TensorSet* Get(Way way, int pattern);  // made once

  ReferenceClient& reference_;
  const TaskSpec& task_;
  const CaseDesc& c_;
  const TensorSet& inputs_;
  std::map<std::pair<Way, int>, base::Result<TensorSet>> made_;
};

}  // namespace akgen::task
