// Coherence of the scalar unit's data cache with Global Memory: reads of bytes that were not
// written back, loads from stale lines, and lines that overwrite others' bytes when they are
// written back.
#pragma once
#include "sim/check/checks.h"
#include "sim/check/reporter.h"
#include "sim/machine/access.h"
#include "sim/machine/data_cache.h"

namespace akgen::sim {

class CacheCheck {
 public:
  CacheCheck(const Checks& on, const Now& now, SharedNow& shared, Reporter& out)
      : on_(on), now_(now), caches_(shared.caches), out_(out) {}

  // An access to a writable region, allowed before. `waits`, of a read: it is repeated until
  // another block's write arrives.
  void OnAccess(Region& r, const Access& a, bool waits) {
    if (!on_.race || !a.bytes || !r.writable()) return;
    if (a.cached)
      OnScalar(r, a, waits);
    else if (!caches_.empty())
      OnUncached(r, a, waits);
  }
  // DataCacheCleanAndInvalid of the line from an address on; of all lines.
  void OnClean(const void* from);
  void OnCleanAll();
  // The block ends: its lines are written back.
  void OnEndOfBlock() { OnCleanAll(); }

 private:
  void OnScalar(Region& r, const Access& a, bool waits);
  void OnUncached(Region& r, const Access& a, bool waits);
  void WrittenElsewhere(std::vector<CachedLine>& holders, uint64_t bytes, bool own_too);
  void Clean(Region& r, size_t line, uint64_t bytes);
  void ReportUnwritten(const Region& r, const Access& a, const CachedLine& l, size_t line,
                       uint64_t bytes);
  void ReportOutdated(const Region& r, const Access& a, const CachedLine& l, size_t line,
                      uint64_t bytes);
  void ReportLost(const Region& r, const CachedLine& l, size_t line, uint64_t bytes);

  const Checks& on_;
  const Now& now_;
  DataCaches& caches_;
  Reporter& out_;
};

}  // namespace akgen::sim
