#include "sim/exec/vector_rules.h"

#include <algorithm>

namespace akgen::sim {
namespace {

class Rules {
 public:
  Rules(Core& core, const AkgenVec& v, const IssueState& state, uint32_t elements)
      : core_(core), v_(v), row_(RowOf(v.op)), state_(state), elements_(elements) {}

  void All() {
    Repeats();
    Masks();
    Shifts();
    Conversions();
    Room();
    if (IsFunction()) Apart();
  }

 private:
  void Broken(const std::string& message, bool warning = false) {
    core_.findings.Report(FindingKind::kBrokenRule, name() + message, warning);
  }
  std::string name() const { return std::string(VecOpName(v_.op)) + ": "; }
  uint32_t Left() const { return core_.tpipe.PoolOf(0, core_.memory(kVectorMemory)).left(); }
  // A function of the library over elements, as opposed to an instruction.
  bool IsFunction() const {
    return row_.family == Family::math1 || row_.family == Family::math2 ||
           row_.family == Family::maths;
  }

  void Repeats() {
    const bool sorts = v_.op == AKGEN_OP_Sort32 || v_.op == AKGEN_OP_RpSort16 ||
                       v_.op == AKGEN_OP_ProposalConcat || v_.op == AKGEN_OP_ProposalExtract;
    if (sorts && v_.repeat > 255)
      core_.findings.Report(
          FindingKind::kRepeatRange,
          name() + "repeatTime is " + std::to_string(v_.repeat) + ", at most 255");
    constexpr uint32_t kMaxApart = 4095;
    if (v_.op == AKGEN_OP_Copy && v_.form != AKGEN_FORM_COUNT &&
        std::max(v_.dst_rep, v_.src0_rep) > kMaxApart)
      core_.findings.Report(FindingKind::kCopyRange,
                            name() + "repeats lie at most 4095 DataBlocks apart, not " +
                                std::to_string(std::max(v_.dst_rep, v_.src0_rep)));
  }

  // Compares go over whole repeats on this generation, whatever the mask.
  void Masks() {
    if ((v_.op != AKGEN_OP_Compare && v_.op != AKGEN_OP_CompareScalar) || !v_.dst || !v_.set_mask)
      return;
    const uint32_t lanes = 2048 / std::max(BitsOf(v_.src_type), 16u);
    const auto ones = [](uint32_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; };
    const bool some =
        v_.form == AKGEN_FORM_MASK ? v_.mask[0] < lanes
        : v_.form == AKGEN_FORM_BITS
            ? v_.mask[0] != ones(lanes) || (lanes > 64 && v_.mask[1] != ones(lanes - 64))
            : false;
    if (some)
      core_.findings.Report(
          FindingKind::kMaskRange,
          name() + "the mask has no effect on this chip: all elements of a repeat are compared",
          true);
  }

  void Shifts() {
    if (v_.op != AKGEN_OP_ShiftLeft && v_.op != AKGEN_OP_ShiftRight) return;
    const uint32_t bits = BitsOf(v_.dst_type);
    const uint64_t by = v_.scalar & (bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1);
    if (by > bits)
      Broken("shifts by 0 to " + std::to_string(bits) + " bits, not by " + std::to_string(by));
  }

  void Conversions() {
    const bool scaled =
        v_.op == AKGEN_OP_CastDeq || v_.op == AKGEN_OP_AddDeqRelu ||
        (v_.op == AKGEN_OP_Cast && v_.src_type == AKGEN_I32 && v_.dst_type == AKGEN_F16);
    if (scaled && !state_.deq_set)
      return Broken("takes its scale from SetDeqScale, which was not called");
    if (v_.op == AKGEN_OP_CastDeq && state_.deq_signed != (v_.dst_type == AKGEN_I8))
      Broken("SetDeqScale was told that results are " +
             std::string(state_.deq_signed ? "signed" : "unsigned"));
    if (v_.op == AKGEN_OP_Cast && (v_.src_type == AKGEN_I4 || v_.dst_type == AKGEN_I4) &&
        HalfBytes())
      Broken("elements of four bits go in pairs: an even count, and both bits of a pair in a mask");
  }
  bool HalfBytes() const {
    if (v_.form == AKGEN_FORM_COUNT) return v_.count % 2 != 0;
    if (!v_.set_mask) return false;
    if (v_.form == AKGEN_FORM_MASK) return v_.mask[0] % 2 != 0;
    constexpr uint64_t kFirstOfPairs = 0x5555555555555555;
    return ((v_.mask[0] ^ v_.mask[0] >> 1) & kFirstOfPairs) ||
           ((v_.mask[1] ^ v_.mask[1] >> 1) & kFirstOfPairs);
  }

  // Working space: the buffer that was passed, or what the TPipe has not given out.
  void Room() {
    const uint64_t least = TmpLeast(v_, elements_);
    if (v_.tmp) {
      if (v_.tmp_bytes < least)
        Broken("the temporary buffer has " + std::to_string(v_.tmp_bytes) + " bytes, at least " +
               std::to_string(least) +
               " are needed (the host function Get…MaxMinTmpSize says how many)");
    } else if (least > Left()) {
      Broken("needs " + std::to_string(least) +
                 " bytes of the Unified Buffer that no buffer was given, and " +
                 std::to_string(Left()) + " are left",
             v_.op == AKGEN_OP_Select);  // public kernels give all memory away and come out right
    }
  }

  // Most functions keep intermediate results where the result goes. Public kernels work in place
  // all the same, which comes out right there: a warning. Where the two lie apart by some elements,
  // nothing is right.
  void Apart() {
    const auto meet = [](const void* a, size_t n, const void* b, size_t m) {
      return a && b && static_cast<const uint8_t*>(a) < static_cast<const uint8_t*>(b) + m &&
             static_cast<const uint8_t*>(b) < static_cast<const uint8_t*>(a) + n;
    };
    const size_t result = size_t{elements_} * BitsOf(v_.dst_type) / 8,
                 source = size_t{elements_} * BitsOf(v_.src_type) / 8;
    if (!row_.in_place && (meet(v_.dst, result, v_.src0, source) ||
                           (row_.src1 != Use::none && meet(v_.dst, result, v_.src1, source))))
      Broken("the destination lies on a source", v_.dst == v_.src0 || v_.dst == v_.src1);
    if (v_.tmp && meet(v_.dst, result, v_.tmp, TmpUse(v_, elements_)))
      Broken("the destination lies in the temporary buffer");
  }

  Core& core_;
  const AkgenVec& v_;
  const VecRow& row_;
  const IssueState& state_;
  const uint32_t elements_;
};
}  // namespace

void CheckVectorRules(Core& core, const AkgenVec& v, const IssueState& state, uint32_t elements) {
  Rules(core, v, state, elements).All();
}

}  // namespace akgen::sim
