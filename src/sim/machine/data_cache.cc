#include "sim/machine/data_cache.h"

#include <algorithm>

namespace akgen::sim {

void DataCaches::Drop(const Region& r, size_t line, uint32_t block) {
  auto it = lines_.find(Key(r, line));
  if (it == lines_.end()) return;
  std::erase_if(it->second, [&](const CachedLine& l) { return l.block == block; });
  if (it->second.empty()) lines_.erase(it);
}

std::vector<DataCaches::Place> DataCaches::HeldBy(uint32_t block) const {
  std::vector<Place> places;
  for (const auto& [key, holders] : lines_)
    for (const CachedLine& l : holders)
      if (l.block == block)
        places.push_back({uint32_t(key >> 40), size_t(key & ((uint64_t{1} << 40) - 1))});
  std::sort(places.begin(), places.end(), [](Place a, Place b) {
    return a.serial != b.serial ? a.serial < b.serial : a.line < b.line;
  });
  return places;
}

}  // namespace akgen::sim
