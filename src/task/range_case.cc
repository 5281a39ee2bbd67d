#include "task/range_case.h"

namespace akgen::task {

const TensorSet* RangeCase::Get(Way way, int pattern) {
  auto at = made_.find({way, pattern});
  if (at == made_.end()) {
    auto run = [&](bool own, double nudge) { return reference_.Run(task_, c_, inputs_, own, nudge, pattern); };
    auto made = way == Way::kPeer         ? run(true, 0)
                : way == Way::kNudgedLess ? run(false, kSmallNudge)
                : way == Way::kNudged     ? run(false, kNudge)
                : way == Way::kExact      ? reference_.Exact(task_, c_, inputs_)
                : way == Way::kCrowded    ? reference_.Crowded(task_, c_, inputs_)
                                          : reference_.RunUnrounded(task_, c_, inputs_, way == Way::kUnroundedSingle);
    at = made_.emplace(std::pair(way, pattern), std::move(made)).first;
  }
  return at->second.ok() ? &at->second.value() : nullptr;
}

Comparison RangeCase::Compare(size_t i, const TensorDesc& desc, std::span<const uint8_t> out, const TensorSet& golden) {
  auto bytes = [this, i](Way way, int pattern = 0) -> RangeExcuses::Bytes {
    return [this, i, way, pattern]() -> std::optional<std::span<const uint8_t>> {
      const TensorSet* set = Get(way, pattern);
      return set ? std::optional<std::span<const uint8_t>>(set->Bytes(i)) : std::nullopt;
    };
  };
  RangeExcuses excuses{bytes(Way::kPeer),
                       bytes(Way::kNudgedLess),
                       bytes(Way::kExact),
                       bytes(Way::kUnrounded),
                       bytes(Way::kUnroundedSingle),
                       bytes(Way::kCrowded),
                       {}};
  for (int k = -1; k < kNudges; ++k) excuses.nudged.push_back(bytes(Way::kNudged, k));
  auto dbg = CompareRange(desc, out, golden.tensors[i], golden.Bytes(i), excuses);
  if (const char* dir = getenv("AKGEN_DUMP_DIR"); dir && !dbg.pass) {
    auto w = [&](const std::string& n, std::span<const uint8_t> b) {
      FILE* f = fopen((std::string(dir) + "/" + n).c_str(), "wb");
      fwrite(b.data(), 1, b.size(), f);
      fclose(f);
    };
    FILE* m = fopen((std::string(dir) + "/meta.txt").c_str(), "w");
    fprintf(m, "%s\n", c_.id.c_str());
    for (size_t k = 0; k < inputs_.tensors.size(); ++k) {
      w("in" + std::to_string(k), inputs_.Bytes(k));
      fprintf(m, "in%zu %s", k, std::string(base::NameOf(inputs_.tensors[k].dtype)).c_str());
      for (auto d : inputs_.tensors[k].shape) fprintf(m, " %ld", long(d));
      fprintf(m, "\n");
    }
    fprintf(m, "out %s", std::string(base::NameOf(desc.dtype)).c_str());
    for (auto d : desc.shape) fprintf(m, " %ld", long(d));
    fprintf(m, "\n");
    fclose(m);
    w("got", out);
    w("golden", golden.Bytes(i));
    for (auto [n, way] : {std::pair("peer", Way::kPeer), {"exact", Way::kExact}, {"crowded", Way::kCrowded}})
      if (const TensorSet* set = Get(way, 0)) w(n, set->Bytes(i));
  }
  return dbg;
}

}  // namespace akgen::task
