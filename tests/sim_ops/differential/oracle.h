// What every element-wise vector instruction must give, computed with MPFR and wide integers from
// docs/numerics.md.
#pragma once
#include <optional>

#include "number.h"

namespace akgen::sim::test {

// One element of an instruction: bit patterns of its operands and the state they are used in.
struct Element {
  uint32_t op;
  uint8_t dst_type, src_type;
  uint64_t a = 0, b = 0, d = 0, k = 0;  // src0, src1, old dst, scalar
  bool scalar = false;                  // k stands for src1
  int mode = 0;                         // RoundMode
  bool flag = false;
  float deq_scale = 1;
};

struct Expected {
  uint64_t bits = 0;
  int steps = 0;     // representable values the result may be away
  Num exact, slack;  // or as far from the exact value as `slack` says
};

// Nothing when there is no oracle for the instruction with these types: the test then fails.
std::optional<Expected> Expect(const Element& e);

}  // namespace akgen::sim::test
