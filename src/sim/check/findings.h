// Findings as the chip records them: return addresses instead of file and line (the toolchain
// symbolises them).
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sim/check/checks.h"

namespace akgen::sim {

// Return addresses of a call into the chip, innermost first; zeros fill the end.
struct Site {
  std::array<uintptr_t, 4> pc{};
  bool operator==(const Site&) const = default;
};

// The places of a launch, each once. Index 0 is no place.
class SiteTable {
 public:
  uint32_t Intern(const Site& site);
  const Site& operator[](uint32_t index) const { return sites_[index]; }
  const std::vector<Site>& all() const { return sites_; }

 private:
  std::vector<Site> sites_{Site{}};
  std::unordered_map<uint64_t, uint32_t> index_;
  struct Recent {
    uint64_t key = 0;
    uint32_t index = 0;
  };
  std::array<Recent, 64> recent_;  // loops ask for the same few
};

enum class FindingKind : uint8_t {
#define AKGEN_FINDING(name, code, check, fix) name,
#include "sim/check/codes.inc"
#undef AKGEN_FINDING
};
std::string_view CodeOf(FindingKind kind);
std::string_view FixOf(FindingKind kind);
Check CheckOf(FindingKind kind);

struct RawFinding {
  FindingKind kind{};
  std::string message;  // one sentence: what happened and why it is wrong
  std::string fix;      // empty: that of its kind
  Site site, other;     // `other` all zero when there is one side only
  std::string what, other_what, pipe, other_pipe;
  int block = -1, other_block = -1;
  std::string memory;   // "UB", or the GM tensor's name
  std::string buffer;   // in UB: whose bytes these are
  int64_t address = 0;  // negative: before the start of a tensor
  uint64_t bytes = 0;
  uint64_t count = 1;
  bool warning = false;    // shown, does not decide the verdict
  bool undecided = false;  // inconclusive: the run is neither clean nor faulty
  bool made = false;  // undefined bytes that an instruction made of others: they may decide nothing
};

// Collects findings of the checks that are on; the same kind at the same place is counted, not
// repeated (of a broken rule: the same sentence, whatever its numbers). At most kMaxDistinct are
// kept.
class FindingLog {
 public:
  static constexpr size_t kMaxDistinct = 64;
  void Enable(const Checks& checks) { checks_ = checks; }
  SiteTable& sites() { return sites_; }
  void Add(RawFinding finding);
  // One that holds unless the copies from this place in Global Memory turn out to be a block's wait
  // for a flag: told at the end of the launch, which knows.
  void AddUnlessPolled(const void* read, RawFinding finding);
  void AddDoubts(const std::unordered_set<const void*>& polled);
  const std::vector<RawFinding>& all() const { return findings_; }
  bool HasError() const;
  void Clear();

 private:
  Checks checks_;
  SiteTable sites_;
  std::vector<RawFinding> findings_;
  std::vector<std::pair<const void*, RawFinding>> doubts_;
  std::unordered_map<uint64_t, size_t> index_;
};

}  // namespace akgen::sim
