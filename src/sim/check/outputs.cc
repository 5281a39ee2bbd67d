// Outputs at the end of a launch.
#include "sim/check/init_check.h"

namespace akgen::sim {
namespace {
// Where the byte at `at` of an output should have been written: the store that brought undefined
// data there, or the one that ends before it or begins behind it.
void BlameStore(FindingLog& log, const Region& r, size_t at, RawFinding& f) {
  if (r.written.empty()) return;
  size_t from = at;
  const bool stored = r.written.Bit(at);
  if (!stored && at > 0 && r.written.Bit(at - 1))
    from = at - 1;
  else if (!stored)
    from = r.written.Find(at, r.bytes - at, true);
  if (from == SIZE_MAX) return;
  const Region::Visit* store = r.writes.At(from / 32);
  if (!store) return;
  const uint32_t site = store->site;
  f.site = log.sites()[site];
  f.what = stored      ? "store of undefined data"
           : from < at ? "the store that ends before them"
                       : "the store that begins behind them";
  f.message += stored      ? ": this store brings undefined data"
               : from < at ? ": this store ends short of it"
                           : ": this store begins behind it";
  f.block = int(store->owner) - 1;
  auto origin = r.origins.find(site);
  if (!stored || origin == r.origins.end() || origin->second.site == 0) return;
  f.other = log.sites()[origin->second.site];
  f.other_what = origin->second.in_gm
                     ? "the nearest write to the Global Memory they come from, which leaves it out"
                     : "the nearest earlier write to the stored bytes, which does not define them";
  f.other_block = origin->second.block;
}
}  // namespace

void CheckOutputs(FindingLog& log) {
  for (auto& r : Gm().regions()) {
    // An inout tensor starts defined: what is undefined there was stored.
    if ((r->role != Role::kOutput && r->role != Role::kInout) || r->all_defined || r->bytes == 0)
      continue;
    size_t at = r->defined.Find(0, r->bytes, false);
    if (at == SIZE_MAX) continue;
    size_t missing = 0;
    for (size_t i = 0; i < r->bytes; ++i) missing += !r->defined.Bit(i);
    RawFinding f;
    f.kind = FindingKind::kUndefinedOutput;
    f.message = "output '" + r->name + "' has " + std::to_string(missing) + " of " +
                std::to_string(r->bytes) +
                " bytes that are not written or come from undefined data, the first at offset " +
                std::to_string(at);
    BlameStore(log, *r, at, f);
    f.memory = "GM:" + r->name;
    f.address = at;
    f.bytes = missing;
    log.Add(std::move(f));
  }
}

}  // namespace akgen::sim
