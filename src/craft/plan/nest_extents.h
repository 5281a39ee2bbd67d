// Expressions of the host for the extents of a kernel's axes. For plan/ only.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "craft/plan/nest_cases.h"

namespace akgen::craft {

class ExtentFinder {
 public:
  // `variants` and `placed`, the cases that they serve, as they are when it is asked; `wide` as in
  // the planner.
  ExtentFinder(const PlanTask& task, const NestCases& cases,
               const std::vector<NestVariant>& variants, const std::vector<bool>& placed, bool wide)
      : task_(task),
        cases_(cases),
        variants_(variants),
        placed_(placed),
        wide_(wide),
        simple_(Candidates(task)) {}

  // An expression for each axis. Where several fit the cases the kernel was made for, those that
  // make it serve most of the others: extents that happen to be equal in one case tell nothing.
  void Find(NestVariant& v, size_t like) const;
  // The kernel serves another case when every value has the extents it walks there.
  bool Explains(const NestVariant& v, size_t like, size_t c) const;

 private:
  bool Fits(const Candidate& e, const NestVariant& v, size_t k) const;
  // How many open cases the kernel would serve; then, how well its axes keep to the inputs'
  // dimensions.
  int64_t Served(const NestVariant& v, size_t like) const;
  // Places where an input would be cut that are no border of its dimensions.
  int64_t Strangers(const NestVariant& v, size_t c) const;
  // What an axis is by its place in an input: dimensions, or dimensions cut by constants. Where
  // there is one case only, equal numbers elsewhere tell nothing.
  std::vector<Candidate> ByPlace(const NestVariant& v, size_t k) const;
  std::vector<Candidate> Choices(const NestVariant& v, size_t k) const;
  // The kernel computes it: the host does not see which dimension an element names.
  static Candidate InKernel(const Split& s, size_t k);
  Candidate Compound(const NestVariant& v, size_t k) const;
  // Where an input is cut into a fixed number of parts: how many, and how far they lie from each
  // other.
  static std::vector<std::pair<int64_t, int64_t>> Parts(const NestText& t,
                                                        const std::vector<int>& run,
                                                        const std::vector<int64_t>& extents);
  static int64_t LongestLane(const NestText& t);

  const PlanTask& task_;
  const NestCases& cases_;
  const std::vector<NestVariant>& variants_;
  const std::vector<bool>& placed_;
  const bool wide_;
  std::vector<Candidate> simple_;
};

constexpr size_t kMaxTries = 5000;

}  // namespace akgen::craft
