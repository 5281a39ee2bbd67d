#include "task/range_case.h"

namespace akgen::task {

const TensorSet* RangeCase::Get(Way way, int pattern) {
  auto at = made_.find({way, pattern});
  if (at == made_.end()) {
    auto run = [&](bool own, double nudge) {
      return reference_.Run(task_, c_, inputs_, own, nudge, pattern);
    };
    auto crowded = [&](record::UndecidedSum undecided) {
      return reference_.Crowded(task_, c_, inputs_, undecided);
    };
    auto made = way == Way::kPeer         ? run(true, 0)
                : way == Way::kNudgedLess ? run(false, kSmallNudge)
                : way == Way::kNudged     ? run(false, kNudge)
                : way == Way::kNoisy || way == Way::kNoisyLess
                    ? reference_.Run(task_, c_, inputs_, false,
                                     way == Way::kNoisy ? kNoise : kSmallNoise, pattern, true)
                : way == Way::kExact        ? reference_.Exact(task_, c_, inputs_)
                : way == Way::kCrowded      ? crowded(record::UndecidedSum::kNan)
                : way == Way::kCrowdedAbove ? crowded(record::UndecidedSum::kAbove)
                : way == Way::kCrowdedBelow
                    ? crowded(record::UndecidedSum::kBelow)
                    : reference_.RunUnrounded(task_, c_, inputs_, way == Way::kUnroundedSingle);
    at = made_.emplace(std::pair(way, pattern), std::move(made)).first;
  }
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
  excuses.noisy_less = bytes(Way::kNoisyLess);
  for (int k = -kNudges; k < kNudges; ++k) excuses.noisy.push_back(bytes(Way::kNoisy, k));
  for (int k = -kNudges; k < kNudges; ++k) excuses.nudged.push_back(bytes(Way::kNudged, k));
  return CompareRange(desc, out, golden.tensors[i], golden.Bytes(i), excuses);
}

}  // namespace akgen::task
