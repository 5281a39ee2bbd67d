// How the inputs of one case are drawn for each kind of the range group (range.h).
#pragma once
#include <map>
#include <string>
#include <vector>

#include "task/task.h"

namespace akgen::task {

using Draws = std::map<std::string, base::Json>;  // by input: a `dist` (inputs.h)

// Whether the number is an operand, not a place or a size: it has a dtype column, and the dtype of
// a tensor.
bool IsOperand(const TaskSpec& task, const CaseDesc& c, size_t input);

// What a case's tensors are like.
double LargestNumber(const CaseDesc& c);  // of the floating inputs' narrowest dtype; 0: none
size_t RankOf(const CaseDesc& c);         // of the largest input
int64_t LinesAlong(const CaseDesc& c, int axis);
bool IsReduction(const CaseDesc& c);
double StepOf(base::Dtype d);  // from 1 to the next number; 0 for integers

class RangeDraws {
 public:
  // `turn` chooses among values of scalars.
  RangeDraws(const TaskSpec& task, const CaseDesc& c, int turn)
      : task_(task), case_(c), turn_(turn) {}
  const CaseDesc& of() const { return case_; }

  // Alternatives, the widest first.
  std::vector<Draws> Wide() const;
  std::vector<Draws> Edges() const;   // with infinities and NaN
  std::vector<Draws> Limits() const;  // with the largest and smallest numbers instead
  // One value in all inputs that hold floating samples; empty where none does.
  Draws Constant(double value) const;
  // Values on both sides of each of these.
  Draws Around(const std::vector<double>& ends) const;
  // Lines along `axis`, the first of them of kind number `first`; of one kind in all inputs where
  // they are to be alike.
  std::vector<Draws> Lines(int axis, int64_t first, bool alike) const;
  static size_t Parts();
  // Cases rather than alternatives: each kind of line in all of the tensors.
  std::vector<Draws> Whole() const;
  // Cases likewise: one NaN or one infinity in one of the inputs, the others as published.
  std::vector<Draws> Spots() const;
  // Samples of floating inputs at other scales: of each line in turn the mean and the deviation, or
  // the ends, times one of the factors.
  Draws Scaled(const std::vector<double>& factors) const;
  static const std::vector<std::pair<const char*, std::vector<double>>>& Scales();
  // Alternatives, each of which may show what becomes of NaN, or infinities, in one input: at one
  // place each or a share of them, beside the others as published or small; infinities also beside
  // infinities of the others, a difference of which is NaN. Empty where the operator does not take
  // them.
  std::vector<Draws> Special(size_t input, bool nan) const;
  // Any magnitude in tensors of fewer dimensions than the largest (weights and the like), the
  // others as published; empty where there are none.
  Draws Weights() const;
  // Cases likewise, of numbers (scalars, tensors of one element): zero or one beside edges, a
  // fraction, infinities and NaN (number `first` of them first), each code of a domain of few whole
  // numbers, the tensors as published.
  std::vector<Draws> Numbers(size_t first) const;
  // First, last and repeated indices; empty where no input holds any.
  Draws Indices() const;

  int Lined() const;  // inputs that Lines draws

 private:
  template <typename Make>
  Draws Each(Make make) const;
  Draws Values(int edge) const;

  const TaskSpec& task_;
  const CaseDesc& case_;
  int turn_;
};

}  // namespace akgen::task
