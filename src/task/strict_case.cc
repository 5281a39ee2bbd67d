#include "task/strict_case.h"

namespace akgen::task {
namespace {
bool IsWhole(base::Dtype d) {
  return !base::IsFloating(d) && d != base::Dtype::kComplex64 && d != base::Dtype::kBool;
}

// Of an output that is float64 in `set`; layouts align tensors to 512 bytes.
std::span<const double> Doubles(const TensorSet* set, size_t i) {
  if (!set || set->tensors[i].dtype != base::Dtype::kFloat64) return {};
  return {reinterpret_cast<const double*>(set->Bytes(i).data()),
          set->Bytes(i).size() / sizeof(double)};
}
}  // namespace

const TensorSet* StrictCase::Get(Once& once, const std::function<base::Result<TensorSet>()>& run) {
  if (!once) once.emplace(run());
  return once->ok() ? &once->value() : nullptr;
}

StrictPeers StrictCase::Peers(size_t i, bool whole) {
  StrictPeers peers;
  auto bytes = [&](const TensorSet* set) {
    return set ? std::span<const uint8_t>(set->Bytes(i)) : peers.own;
  };
  peers.before_rounding = Doubles(
      Get(unrounded_, [&] { return reference_.RunUnrounded(task_, c_, inputs_, false); }), i);
  if (whole && peers.before_rounding.empty() && task_.precision.rule != "Q")
    return {};  // not rounded: exact
  if (!peers.before_rounding.empty())
    peers.before_rounding_single = Doubles(
        Get(unrounded_single_, [&] { return reference_.RunUnrounded(task_, c_, inputs_, true); }),
        i);
  if (whole)
    peers.single = bytes(Get(single_, [&] { return reference_.RunInSingle(task_, c_, inputs_); }));
  const TensorSet* own = Get(own_, peer_);
  if (own) peers.own = own->Bytes(i);
  if (!whole) peers.beside_ties = BesideTies(i);
  peers.nudges = [this, i] { return Nudges(i); };
  return peers;
}

std::vector<std::span<const uint8_t>> StrictCase::BesideTies(size_t i) {
  auto beside = [&](double share) {
    return [this, share] { return reference_.RunOtherwise(task_, c_, inputs_, {.ties = share}); };
  };
  const TensorSet *up = Get(tie_up_, beside(kTieShare)), *down = nullptr, *single = nullptr;
  if (up) down = Get(tie_down_, beside(-kTieShare));
  if (down) single = Get(single_, [&] { return reference_.RunInSingle(task_, c_, inputs_); });
  if (!single) return {};
  return {up->Bytes(i), down->Bytes(i), single->Bytes(i)};
}

StrictNudges StrictCase::Nudges(size_t i) {
  auto run = [&](double nudge, int pattern) {
    return [this, nudge, pattern] {
      return reference_.Run(task_, c_, inputs_, false, nudge, pattern);
    };
  };
  StrictNudges nudges;
  const TensorSet* less = Get(less_, run(kSmallNudge, 0));
  if (!less) return nudges;
  nudges.less = less->Bytes(i);
  for (size_t k = 0; k < nudged_.size(); ++k) {
    const TensorSet* moved = Get(nudged_[k], run(kNudge, static_cast<int>(k) - 1));
    if (!moved) return {};
    nudges.moved.push_back(moved->Bytes(i));
  }
  return nudges;
}

Comparison StrictCase::Compare(size_t i, const TensorDesc& desc, std::span<const uint8_t> out,
                               const TensorSet& golden) {
  const TensorDesc& ref = golden.tensors[i];
  const bool whole = IsWhole(ref.dtype);
  StrictComparison first = CompareStrict(whole, desc, out, ref, golden.Bytes(i));
  if (!first.peer_may_excuse || task_.reference.empty()) return first.result;
  const StrictPeers peers = Peers(i, whole);
  return peers.any() ? CompareStrict(whole, desc, out, ref, golden.Bytes(i), peers).result
                     : first.result;
}

}  // namespace akgen::task
