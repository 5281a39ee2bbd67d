// Whether a case of the range group tells a kernel that loses special values of one input: that
// takes NaN for zero, or infinities for the largest number of the dtype or an eighth of it. Such a
// kernel is the reference in the case's own precision, run on inputs changed so; the case tells it
// where the comparison of the group refuses its outputs.
#pragma once
#include <deque>
#include <string>

#include "task/range_case.h"
#include "task/reference_client.h"
#include "task/task.h"

namespace akgen::task {

struct SpecialValue {
  size_t input = 0;
  bool nan = false;  // else infinities
  friend bool operator==(const SpecialValue&, const SpecialValue&) = default;
};

class SpecialValues {
 public:
  // Both are kept by reference.
  SpecialValues(const TaskSpec& task, ReferenceClient& reference)
      : task_(task), reference_(reference) {}

  // The case that is asked about from now on.
  void Take(const CaseRow& row);
  // Whether it tells the loss whatever its values are: those of several seeds. False where the
  // reference refuses it. AK0113 the reference process.
  base::Result<bool> Tells(const SpecialValue& special);

 private:
  struct Drawn {
    CaseDesc c;
    TensorSet inputs;
    std::optional<TensorSet> golden;  // made when it is needed
    std::optional<RangeCase> compare;
  };
  base::Result<bool> Tells(Drawn& drawn, const SpecialValue& special, double share);

  const TaskSpec& task_;
  ReferenceClient& reference_;
  std::deque<Drawn> drawn_;  // by seed
};

}  // namespace akgen::task
