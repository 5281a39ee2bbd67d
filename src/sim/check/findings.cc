#include "sim/check/findings.h"

#include <algorithm>

namespace akgen::sim {
namespace {
struct KindRow {
  std::string_view code, fix;
  Check check;
};
constexpr KindRow kRows[] = {
#define AKGEN_FINDING(name, code, check, fix) {code, fix, Check::check},
#include "sim/check/codes.inc"
#undef AKGEN_FINDING
};
}  // namespace

std::string_view CodeOf(FindingKind kind) { return kRows[size_t(kind)].code; }
std::string_view FixOf(FindingKind kind) { return kRows[size_t(kind)].fix; }
Check CheckOf(FindingKind kind) { return kRows[size_t(kind)].check; }

uint32_t SiteTable::Intern(const Site& site) {
  uint64_t key = 0;
  for (uintptr_t pc : site.pc) key = (key ^ pc) * 0x9e3779b97f4a7c15ull;
  Recent& recent = recent_[key >> 58];
  if (recent.key == key && recent.index) return recent.index;
  auto [it, fresh] = index_.try_emplace(key, uint32_t(sites_.size()));
  if (fresh) sites_.push_back(site);
  recent = {key, it->second};
  return it->second;
}

namespace {
// Of a sentence whatever its numbers: one place can break more than one rule.
uint64_t WordsOf(const std::string& message) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (char c : message)
    if (c < '0' || c > '9') h = (h ^ uint8_t(c)) * 0x100000001b3ull;
  return h;
}
}  // namespace

void FindingLog::Add(RawFinding f) {
  if (!checks_.On(CheckOf(f.kind))) return;
  uint64_t key = 2 * uint64_t(f.kind) + 1 +
                 f.warning;  // an error must not vanish behind a warning at the same place
  if (f.kind == FindingKind::kBrokenRule) key ^= WordsOf(f.message);
  for (uintptr_t pc : f.site.pc) key = key * 0x9e3779b97f4a7c15ull + pc;
  for (uintptr_t pc : f.other.pc) key = key * 0x9e3779b97f4a7c15ull + pc;
  auto [it, fresh] = index_.try_emplace(key, findings_.size());
  if (!fresh) {
    if (it->second >= findings_.size()) return;
    RawFinding& known = findings_[it->second];
    ++known.count, known.made = known.made && f.made;
    return;
  }
  if (findings_.size() < kMaxDistinct) return findings_.push_back(std::move(f));
  it->second = kMaxDistinct;
  if (f.warning) return;
  // Full: an error takes the place of a warning.
  auto warning = std::find_if(findings_.begin(), findings_.end(),
                              [](const RawFinding& o) { return o.warning; });
  if (warning != findings_.end()) *warning = std::move(f);
}

void FindingLog::AddUnlessPolled(const void* read, RawFinding f) {
  constexpr size_t kLimit = 4096;
  if (doubts_.size() >= kLimit) return Add(std::move(f));  // rather told for nothing than lost
  doubts_.emplace_back(read, std::move(f));
}

void FindingLog::AddDoubts(const std::unordered_set<const void*>& polled) {
  for (auto& [read, f] : doubts_)
    if (!polled.contains(read)) Add(std::move(f));
  doubts_.clear();
}

bool FindingLog::HasError() const {
  for (const RawFinding& f : findings_)
    if (!f.warning) return true;
  return false;
}

void FindingLog::Clear() {
  findings_.clear();
  doubts_.clear();
  index_.clear();
}

}  // namespace akgen::sim
