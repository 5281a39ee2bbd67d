// What some blocks of a launch wrote: who wrote where, who is to be asked next, and all of it
// folded to the size of a case with fewer rows, which the full case repeats
// (judge/session/smaller_case.h).
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/status.h"
#include "judge/run/pack.h"

namespace akgen::judge {

// The pieces of one output that blocks were seen to write.
class WrittenPieces {
 public:
  struct Piece {
    uint64_t from = 0, to = 0;  // bytes
    uint32_t block = 0;
  };
  explicit WrittenPieces(uint64_t bytes) : bytes_(bytes) {}
  // `ranges`: from, to, from, to …, ascending.
  void Add(uint32_t block, std::span<const uint64_t> ranges);
  bool Has(uint64_t at) const { return Holding(at) != nullptr; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  // The block to run next to find the one that writes byte `at`: between those that were seen to
  // write before and behind it, in proportion, as blocks mostly take their shares in order, of the
  // whole or in turn. Nothing: all ran.
  std::optional<uint32_t> Next(uint64_t at, uint32_t blocks, const std::set<uint32_t>& ran) const;

 private:
  const Piece* Holding(uint64_t at) const;
  uint64_t bytes_;
  std::vector<Piece> pieces_;  // by `from`
};

// Outputs of the size of the smaller case, as many sets as it takes to hold what was written
// differently for equal rows; where nothing was written they hold the expected values.
class FoldedOutputs {
 public:
  // `golden` must outlive it.
  FoldedOutputs(const task::CaseDesc& few, const task::TensorSet& golden);
  // Bytes that the full case's flat output holds from `from` on. Those that repeat what is there
  // already need no further look. AK0003: no memory.
  base::Status Add(size_t output, uint64_t from, std::span<const uint8_t> bytes);
  std::vector<Packed>& layers() { return layers_; }
  uint64_t kept() const { return kept_; }  // bytes given, without those that no layer had place for

 private:
  base::Status AddTo(size_t layer, size_t output, size_t at, std::span<const uint8_t> bytes);
  base::Status Grow();

  const task::CaseDesc& few_;
  const task::TensorSet& golden_;
  std::vector<Packed> layers_;
  std::vector<std::vector<uint8_t>> filled_;  // of each layer, by byte: 1 where it was written
  uint64_t kept_ = 0;
};

}  // namespace akgen::judge
