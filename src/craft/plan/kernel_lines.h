// What the kernel of a placed graph computes, line by line; for plan/ only.
#pragma once
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "craft/plan/plan.h"

namespace akgen::craft {

struct KernelLine {
  std::string name, value;
  std::string Text() const { return name + " = " + value; }
  // A row's reduction has a line of its own: rows too long for UB join it from parts.
  bool IsReduction() const { return value.starts_with("row_"); }
  bool operator==(const KernelLine&) const = default;
};
struct KernelOutput {
  size_t index;
  Span span;
  std::string text;
  bool late;  // there when the cores have joined what each has accumulated
};
// What each core accumulates and one of them joins.
struct KernelPart {
  std::string id, cols, how;  // sum, max or min
};

struct KernelLines {
  const PlanTask& task;
  const PlanCase& given;
  const Layout& layout;
  std::string guard{};  // what was asked of elements and how it was answered; empty: the kernel is
                        // for all answers
  std::string list{};   // what says how many tensors the lists have; empty: there are no lists
  std::map<std::string, Span> span_of{};      // of loaded inputs
  std::map<std::string, std::string> host{};  // numbers the host computes
  std::set<std::string> by_turn{};            // inputs with an element for each tensor of the list
  std::set<std::string> loads{}, items{}, attrs{};
  std::vector<KernelLine> lines{};
  std::vector<KernelOutput> outs{};
  std::vector<KernelPart> parts{};
  int reductions = 0;

  // Does each tensor of the list give a number of its own?
  bool OfEach() const { return !list.empty() && !task.folds; }
};
// Throws Unplanned. `guarded` as for WriteKernel.
KernelLines ReadLines(const PlanTask& task, const PlanCase& c, const Layout& layout, bool guarded);

// Two values that are joined, and the value with which that begins.
inline std::string Joined(const std::string& how, const std::string& a, const std::string& b) {
  return how == "sum" ? fmt::format("{} + {}", a, b) : fmt::format("{}imum({}, {})", how, a, b);
}
inline const char* Neutral(const std::string& how) {
  return how == "sum" ? "0.0" : how == "max" ? "(-inf)" : "inf";
}

}  // namespace akgen::craft
