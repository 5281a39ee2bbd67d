// Kernels of loops and the host function that calls them, as text. For plan/ only.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "craft/plan/nest_cases.h"

namespace akgen::craft {

class NestProgram {
 public:
  // `wide` as in the planner.
  NestProgram(const PlanTask& task, const std::vector<NestVariant>& variants, bool wide)
      : task_(task), variants_(variants), wide_(wide) {}

  std::string Text() const;

 private:
  static bool Mentions(const NestVariant& v, const std::string& text);
  // The kernel with the extents that it computes in its first lines, and what it is given for that.
  std::string Computing(const NestVariant& v, std::string body, std::string& given,
                        std::string& needs) const;
  // The kernel whose extents determine an output's size in most of the cases.
  std::pair<size_t, bool> ShapeSource(size_t o) const;  // and whether it is right in every case
  // Elements of output `o` in a case: its shape is a product of extents and numbers.
  static std::optional<int64_t> ElementsOfOutput(const NestVariant& v, size_t o, const PlanCase& c);
  static std::optional<int64_t> ElementsOf(const PlanCase& c, size_t o);
  // A text in extents of the kernel as one of the host.
  static std::string OnHost(const std::string& text, const NestVariant& v,
                            const std::map<std::string, std::string>& names = {});
  // Sizes and call of variant `v`'s kernel; `alias`: outputs in place, by their inputs.
  std::string Call(size_t v, const std::string& in, const std::map<std::string, std::string>& alias,
                   const std::string& computed) const;

  const PlanTask& task_;
  const std::vector<NestVariant>& variants_;
  const bool wide_;
};

}  // namespace akgen::craft
