// Sorting: (score, index) pairs of 8 bytes, and the older region proposals of 8 elements with the
// score in element 4. Descending by score; of equal scores the earlier one (or the earlier list)
// comes first.
#include <algorithm>
#include <vector>

#include "sim/ops/walk.h"

namespace akgen::sim {
namespace {

template <class T>
float ScoreAt(const uint8_t* record, uint32_t at) {
  T v;
  std::memcpy(&v, record + at, sizeof v);
  return float(v);
}

// Stable, descending, and safe with NaN (which no comparison moves).
template <class R>
void InsertionSort(R* first, size_t n) {
  for (size_t i = 1; i < n; ++i) {
    R record = first[i];
    size_t j = i;
    for (; j > 0 && record.score > first[j - 1].score; --j) first[j] = first[j - 1];
    first[j] = record;
  }
}

// 32 scores and 32 uint32 indices become 32 pairs: score in the low bytes, index in the high four;
// half leaves the two bytes between them unused (0 here).
template <class T>
void RunSort32(VecMachine& machine, const AkgenVec& instr) {
  const size_t n = size_t(instr.repeat) * 32;
  if (n == 0 || !machine.Read(instr.src0, n * sizeof(T)) || !machine.Read(instr.src1, n * 4) ||
      !machine.Write(instr.dst, n * 8))
    return;
  struct Pair {
    float score;
    uint64_t bits;
  };
  std::vector<Pair> pairs(n);
  for (size_t i = 0; i < n; ++i) {
    uint32_t index;
    std::memcpy(&index, static_cast<const uint8_t*>(instr.src1) + 4 * i, 4);
    uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const uint8_t*>(instr.src0) + sizeof(T) * i, sizeof(T));
    pairs[i] = {ScoreAt<T>(static_cast<const uint8_t*>(instr.src0) + sizeof(T) * i, 0),
                bits | uint64_t(index) << 32};
  }
  uint8_t* d = static_cast<uint8_t*>(instr.dst);
  for (size_t first = 0; first < n; first += 32) {
    InsertionSort(&pairs[first], 32);
    for (size_t i = first; i < first + 32; ++i) std::memcpy(d + 8 * i, &pairs[i].bits, 8);
  }
}

struct List {
  const uint8_t* at = nullptr;
  uint32_t length = 0, taken = 0;
};

// Merges up to four sorted lists of records; stops when one runs out if `suspend`.
template <class T>
void Merge(List (&lists)[4], uint32_t record, uint32_t score_at, bool suspend,
           std::vector<uint8_t>& out) {
  for (;;) {
    int best = -1;
    float top = 0;
    for (int i = 0; i < 4; ++i) {
      if (lists[i].taken >= lists[i].length) continue;
      float score = ScoreAt<T>(lists[i].at + size_t(lists[i].taken) * record, score_at);
      if (best < 0 || score > top) best = i, top = score;
    }
    if (best < 0) return;
    const uint8_t* from = lists[best].at + size_t(lists[best].taken) * record;
    out.insert(out.end(), from, from + record);
    if (++lists[best].taken == lists[best].length && suspend) return;
  }
}

// Repeats need four lists of one length lying one after the other, and no suspension; else one
// merge is done.
bool CanRepeat(const AkgenVec& instr, const List (&lists)[4], uint32_t record) {
  for (int i = 1; i < 4; ++i)
    if (lists[i].length != lists[0].length ||
        lists[i].at != lists[i - 1].at + size_t(lists[0].length) * record)
      return false;
  return instr.mode == 15 && !instr.flag;
}

template <class T, bool kProposal>
void RunMerge(VecMachine& machine, const AkgenVec& instr) {
  constexpr uint32_t kRecord = kProposal ? 8 * sizeof(T) : 8,
                     kScoreAt = kProposal ? 4 * sizeof(T) : 0;
  if (instr.mode != 3 && instr.mode != 7 && instr.mode != 15 && instr.mode != 1) {
    machine.Broken("merge_lists", "validBit is not 3, 7 or 15", "set one low bit per list in use");
    return;
  }
  uint64_t addresses[4];
  std::memcpy(addresses, reinterpret_cast<const void*>(instr.aux[0]), sizeof addresses);
  List lists[4];
  for (int i = 0; i < 4; ++i)
    if (instr.mode >> i & 1)
      lists[i] = {reinterpret_cast<const uint8_t*>(addresses[i]),
                  uint32_t(instr.aux[1] >> 16 * i & 0xffff)};
  constexpr uint32_t kMaxRecords = 4095;
  for (const List& list : lists)
    if (list.length > kMaxRecords) {
      machine.Broken("merge_length", "a list has more than 4095 records", "merge shorter lists");
      return;
    }
  if (instr.repeat > 1 && !CanRepeat(instr, lists, kRecord))
    machine.Broken(
        "merge_repeats", "repeats have no effect",
        "repeat merges of four lists of one length, one behind the other, without suspension");
  const uint32_t repeats = instr.repeat > 1 && CanRepeat(instr, lists, kRecord) ? instr.repeat
                           : instr.repeat                                       ? 1
                                                                                : 0;
  uint8_t* d = static_cast<uint8_t*>(instr.dst);
  for (uint32_t r = 0; r < repeats; ++r) {
    List now[4] = {lists[0], lists[1], lists[2], lists[3]};
    std::vector<uint8_t> out;
    for (List& list : now) {
      list.at += size_t(r) * 4 * list.length * kRecord;
      if (list.length && !machine.Read(list.at, size_t(list.length) * kRecord)) return;
    }
    Merge<T>(now, kRecord, kScoreAt, instr.flag, out);
    for (const List& list : now)
      if (list.length && d < list.at + size_t(list.length) * kRecord && list.at < d + out.size())
        machine.Broken("merge_overlap", "results lie on a list that is merged",
                       "merge into another buffer");
    if (!out.empty() && !machine.Write(d, out.size())) return;
    std::copy(out.begin(), out.end(), d);
    d += out.size();
    machine.mrg_suspends = instr.flag;
    machine.mrg_result = 0;
    for (int i = 0; i < 4; ++i) machine.mrg_result |= uint64_t(now[i].taken & 0xffff) << 16 * i;
  }
}

template <class T>
void RunRpSort16(VecMachine& machine, const AkgenVec& instr) {
  constexpr uint32_t kRecord = 8 * sizeof(T);
  const size_t n = size_t(instr.repeat) * 16;
  if (n == 0 || !machine.Read(instr.src0, n * kRecord) || !machine.Write(instr.dst, n * kRecord))
    return;
  std::vector<uint8_t> in(n * kRecord);
  std::memcpy(in.data(), instr.src0, in.size());
  uint8_t* d = static_cast<uint8_t*>(instr.dst);
  for (size_t first = 0; first < n; first += 16) {
    struct Place {
      float score;
      size_t from;
    } order[16];
    for (size_t i = 0; i < 16; ++i)
      order[i] = {ScoreAt<T>(&in[(first + i) * kRecord], 4 * sizeof(T)), first + i};
    InsertionSort(order, 16);
    for (size_t i = 0; i < 16; ++i)
      std::memcpy(d + (first + i) * kRecord, &in[order[i].from * kRecord], kRecord);
  }
}

// One element of each proposal: position mode (x1 y1 x2 y2 score label).
template <class T, bool kExtract>
void RunProposal(VecMachine& machine, const AkgenVec& instr) {
  const size_t n = size_t(instr.repeat) * 16;
  if (instr.mode > 5) {
    machine.Broken("proposal_mode", "modeNumber is not one of 0 to 5",
                   "0 x1, 1 y1, 2 x2, 3 y2, 4 score, 5 label");
    return;
  }
  if (n == 0) return;
  uint8_t* dst = static_cast<uint8_t*>(instr.dst);
  const uint8_t* src = static_cast<const uint8_t*>(instr.src0);
  const size_t wide = 8 * sizeof(T), at = instr.mode * sizeof(T);
  bool ok = kExtract ? machine.Read(src, n * wide) && machine.Write(dst, n * sizeof(T))
                     : machine.Read(src, n * sizeof(T));
  Announcer out(machine, true);
  if constexpr (!kExtract)
    for (size_t i = 0; i < n; ++i) out.Add(dst + i * wide + at, sizeof(T));
  if (!out.Done() || !ok) return;
  for (size_t i = 0; i < n; ++i) {
    if constexpr (kExtract)
      std::memcpy(dst + i * sizeof(T), src + i * wide + at, sizeof(T));
    else
      std::memcpy(dst + i * wide + at, src + i * sizeof(T), sizeof(T));
  }
}

}  // namespace

OwnFn FindSort(const AkgenVec& instr) {
  static const OwnRow kRows[] = {
      {AKGEN_OP_Sort32, AKGEN_F16, RunSort32<F16>},
      {AKGEN_OP_Sort32, AKGEN_F32, RunSort32<float>},
      {AKGEN_OP_MrgSort, AKGEN_F16, RunMerge<F16, false>},
      {AKGEN_OP_MrgSort, AKGEN_F32, RunMerge<float, false>},
      {AKGEN_OP_MrgSort4, AKGEN_F16, RunMerge<F16, true>},
      {AKGEN_OP_MrgSort4, AKGEN_F32, RunMerge<float, true>},
      {AKGEN_OP_RpSort16, AKGEN_F16, RunRpSort16<F16>},
      {AKGEN_OP_RpSort16, AKGEN_F32, RunRpSort16<float>},
      {AKGEN_OP_ProposalConcat, AKGEN_F16, RunProposal<F16, false>},
      {AKGEN_OP_ProposalConcat, AKGEN_F32, RunProposal<float, false>},
      {AKGEN_OP_ProposalExtract, AKGEN_F16, RunProposal<F16, true>},
      {AKGEN_OP_ProposalExtract, AKGEN_F32, RunProposal<float, true>},
  };
  return PickOwn(kRows, instr.op, instr.dst_type);
}

}  // namespace akgen::sim
