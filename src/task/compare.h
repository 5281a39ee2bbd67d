// Compares one output tensor with its golden (the float64 reference rounded once to the output's
// dtype). Always exact: dtype, shape, and which elements are NaN, +inf and -inf. Finite elements
// follow the rule, with d = |out - ref| computed in float64:
//   D, C  an element fails iff d > L and d / (|ref| + 1e-7) > L         (D: L = 1e-3; C: the task's
//   limit, by dtype) R     fails iff d > rtol * max(1, |ref|); rtol: float16 1/512, bfloat16 1/256
//   + 1/16384,
//         float32 and complex64 1/2048 + 1/16384, integers and bool 0;  R+i: the same, integers 1
//   M     the same form; float16 1/256, bfloat16 1/128, float32 1/2048; for k >= 2048: 1/128, 1/64,
//   1/512 Q     the tensor fails iff more than L * numel elements have d > L and more than L *
//   numel have relative d > L
// integers = "exact" makes integer and bool outputs exact under any rule; ulps lets neighbours in
// the dtype be equal. complex64: D, C, Q compare magnitudes of the complex difference, R and M each
// component.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "task/inputs.h"
#include "task/task.h"
#include "task/wrong_elements.h"

namespace akgen::task {

enum class RuleKind { kBoth, kScaled, kQuantile };  // D and C; R, R+i and M; Q

// A rule with its numbers for one dtype.
struct Rule {
  std::string name;  // as in task.toml
  RuleKind kind = RuleKind::kBoth;
  double limit = 1e-3;  // L or rtol
  int ulps = 0;
  bool exact = false;  // integers under `integers = "exact"`
};
// The rule of a task's outputs for `dtype` in this case. AK0102 when the rule has no number for
// that dtype.
base::Result<Rule> RuleFor(const TaskSpec& task, const CaseDesc& c, base::Dtype dtype);

struct Comparison {
  bool pass = false;
  int64_t elements = 0;
  int64_t mismatches = 0;  // elements that fail (Q: elements beyond L in abs and in rel)
  int64_t non_finite = 0;  // of these: NaN or infinity where the other side differs
  double max_abs = 0;      // over finite pairs
  double max_rel = 0;      // d / (|ref| + 1e-7)
  WrongElements wrong;     // which they are
  std::string reason;      // empty when pass, else one sentence

  void Wrong(int64_t index, double out, double ref) { ++mismatches, wrong.Add(index, out, ref); }
  void NoneWrong() { mismatches = 0, wrong = {}; }
};

// `out` has dtype and shape of `out_desc`, `ref` those of `ref_desc`.
Comparison Compare(const Rule& rule, const TensorDesc& out_desc, std::span<const uint8_t> out,
                   const TensorDesc& ref_desc, std::span<const uint8_t> ref);

// Whether every compared output is floating and NaN throughout: any output of NaN would agree with
// it.
bool NanEverywhere(const CaseDesc& c, const TensorSet& golden);

}  // namespace akgen::task
