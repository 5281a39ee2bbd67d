// The strict rule on the outputs of one case: the reference is evaluated again, in other ways, only
// where that may excuse a difference.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "task/range_compare.h"
#include "task/reference_client.h"
#include "task/strict.h"

namespace akgen::task {

class StrictCase {
 public:
  // `peer` evaluates the reference in the case's own precision; it is asked once at most. All are
  // kept by reference.
  using Peer = std::function<base::Result<TensorSet>()>;
  StrictCase(ReferenceClient& reference, const TaskSpec& task, const CaseDesc& c,
             const TensorSet& inputs, Peer peer)
      : reference_(reference), task_(task), c_(c), inputs_(inputs), peer_(std::move(peer)) {}

  // Output i, flat, of dtype and shape `desc`. A reference that cannot be evaluated in another way
  // excuses nothing.
  Comparison Compare(size_t i, const TensorDesc& desc, std::span<const uint8_t> out,
                     const TensorSet& golden);

 private:
  using Once = std::optional<base::Result<TensorSet>>;
  StrictPeers Peers(size_t i, bool whole);
  StrictNudges Nudges(size_t i);
  std::vector<std::span<const uint8_t>> BesideTies(size_t i);
  const TensorSet* Get(Once& once, const std::function<base::Result<TensorSet>()>& run);

  ReferenceClient& reference_;
  const TaskSpec& task_;
  const CaseDesc& c_;
  const TensorSet& inputs_;
  Peer peer_;
  Once own_, single_, unrounded_, unrounded_single_, less_, tie_up_, tie_down_;
  std::vector<Once> nudged_ = std::vector<Once>(kNudges + 1);
};

}  // namespace akgen::task
