#include "task/range_case.h"

namespace akgen::task {

base::Result<TensorSet> RangeCase::Make(Way way, int pattern) {
  using record::UndecidedSum;
  auto run = [&](bool own, double nudge, bool of_results = false) {
    return reference_.Run(task_, c_, inputs_, own, nudge, pattern, of_results);
  };
  auto otherwise = [&](const ReferenceClient::Otherwise& how) {
    return reference_.RunOtherwise(task_, c_, inputs_, how);
  };
  auto crowded = [&](UndecidedSum undecided) {
    return reference_.Crowded(task_, c_, inputs_, undecided);
  };
  switch (way) {
    case Way::kPeer: return run(true, 0);
    case Way::kNudged: return run(false, kNudge);
    case Way::kNudgedLess: return run(false, kSmallNudge);
    case Way::kNoisy: return run(false, kNoise, true);
    case Way::kNoisyLess: return run(false, kSmallNoise, true);
    case Way::kAboveTies: return otherwise({.ties = kTieShare});
    case Way::kBelowTies: return otherwise({.ties = -kTieShare});
    case Way::kConvertedOtherwise: return otherwise({.conversions = true});
    case Way::kExact: return reference_.Exact(task_, c_, inputs_);
    case Way::kCrowded: return crowded(UndecidedSum::kNan);
    case Way::kCrowdedAbove: return crowded(UndecidedSum::kAbove);
    case Way::kCrowdedBelow: return crowded(UndecidedSum::kBelow);
    case Way::kCrowdedLost: return crowded(UndecidedSum::kLost);
    case Way::kUnrounded:
    case Way::kUnroundedSingle: break;
  }
  return reference_.RunUnrounded(task_, c_, inputs_, way == Way::kUnroundedSingle);
}

const TensorSet* RangeCase::Get(Way way, int pattern) {
  auto at = made_.find({way, pattern});
  if (at == made_.end()) at = made_.emplace(std::pair(way, pattern), Make(way, pattern)).first;
  return at->second.ok() ? &at->second.value() : nullptr;
}

Comparison RangeCase::Compare(size_t i, const TensorDesc& desc, std::span<const uint8_t> out,
                              const TensorSet& golden) {
  auto bytes = [this, i](Way way, int pattern = 0) -> RangeExcuses::Bytes {
    return [this, i, way, pattern]() -> std::optional<std::span<const uint8_t>> {
      const TensorSet* set = Get(way, pattern);
      return set ? std::optional<std::span<const uint8_t>>(set->Bytes(i)) : std::nullopt;
    };
  };
  RangeExcuses excuses;
  excuses.peer = bytes(Way::kPeer), excuses.nudged_less = bytes(Way::kNudgedLess);
  excuses.exact = bytes(Way::kExact);
  excuses.unrounded = bytes(Way::kUnrounded);
  excuses.unrounded_single = bytes(Way::kUnroundedSingle);
  excuses.crowded = bytes(Way::kCrowded);
  excuses.crowded_above = bytes(Way::kCrowdedAbove);
  excuses.crowded_below = bytes(Way::kCrowdedBelow);
  excuses.crowded_lost = bytes(Way::kCrowdedLost);
  excuses.noisy_less = bytes(Way::kNoisyLess);
  excuses.converted_otherwise = bytes(Way::kConvertedOtherwise);
  excuses.beside_ties = {bytes(Way::kAboveTies), bytes(Way::kBelowTies)};
  for (int k = -kNudges; k < kNudges; ++k) excuses.noisy.push_back(bytes(Way::kNoisy, k));
  for (int k = -kNudges; k < kNudges; ++k) excuses.nudged.push_back(bytes(Way::kNudged, k));
  return CompareRange(desc, out, golden.tensors[i], golden.Bytes(i), excuses);
}

}  // namespace akgen::task
