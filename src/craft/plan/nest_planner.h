// Cases to kernels of loops; for plan/ only.
#pragma once
#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include "craft/plan/nest.h"
#include "craft/plan/nest_candidates.h"

namespace akgen::craft {
using Shape = std::vector<int64_t>;

struct NestVariant {
  NestText text;
  std::vector<size_t> cases;
  std::vector<Candidate> extents;
};

constexpr size_t kMaxTries = 5000;

class NestPlanner {
 public:
  // `wide`: no kernel serves cases for which its tiles would be single elements.
  // `rows`: tiles may have several rows.
  NestPlanner(const PlanTask& t, bool wide, bool rows, const std::set<size_t>& meant)
      : task_(t), wide_(wide), rows_(rows), meant_(meant), simple_(Candidates(t)) {}

  std::string Run();

 private:
  void Read();

  // Cases of one kernel may want different axes as rows of its tiles: those that most of them want.
  NestText InRows(const std::vector<size_t>& cases) const;

  bool Fits(const Candidate& e, const NestVariant& v, size_t k) const;
  // An expression for each axis. Where several fit the cases the kernel was made for, those that
  // make it serve most of the others: extents that happen to be equal in one case tell nothing.
  void Extents(NestVariant& v, size_t like) const;
  // How many open cases the kernel would serve; then, how well its axes keep to the inputs'
  // dimensions.
  int64_t Served(const NestVariant& v, size_t like) const;
  // Places where an input would be cut that are no border of its dimensions.
  int64_t Strangers(const NestVariant& v, size_t c) const;
  const std::string& Structure(size_t c) const { return structures_[c]; }
  // What an axis is by its place in an input: dimensions, or dimensions cut by constants. Where
  // there is one case only, equal numbers elsewhere tell nothing.
  std::vector<Candidate> ByPlace(const NestVariant& v, size_t k) const;
  std::vector<Candidate> Choices(const NestVariant& v, size_t k) const;
  // The kernel computes it: the host does not see which dimension an element names.
  static Candidate InKernel(const Split& s, size_t k);
  static bool Mentions(const NestVariant& v, const std::string& text);
  // The kernel with those extents computed in its first lines, and what it is given for that.
  std::string Computing(const NestVariant& v, std::string body, std::string& given,
                        std::string& needs) const;
  Candidate Compound(const NestVariant& v, size_t k) const;
  // The kernel serves another case when every value has the extents it walks there.
  bool Explains(const NestVariant& v, size_t like, size_t c) const;

  // Where an input is cut into a fixed number of parts: how many, and how far they lie from each
  // other.
  static std::vector<std::pair<int64_t, int64_t>> Parts(const NestText& t,
                                                        const std::vector<int>& run,
                                                        const std::vector<int64_t>& extents);

  static int64_t LongestLane(const NestText& t);

  // The kernel whose extents determine an output's size in most of the cases.
  std::pair<size_t, bool> ShapeSource(size_t o) const;  // and whether it is right in every case
  // Elements of output `o` in a case: its shape is a product of extents and numbers.
  static std::optional<int64_t> ElementsOfOutput(const NestVariant& v, size_t o, const PlanCase& c);
  static std::optional<int64_t> ElementsOf(const PlanCase& c, size_t o);

  // A text in extents of the kernel as one of the host.
  static std::string OnHost(const std::string& text, const NestVariant& v,
                            const std::map<std::string, std::string>& names = {});

  std::string Program();
  // Sizes and call of variant `v`'s kernel; `alias`: outputs in place, by their inputs.
  std::string Call(size_t v, const std::string& in, const std::map<std::string, std::string>& alias,
                   const std::string& computed);

  const PlanTask& task_;
  bool wide_, rows_;
  const std::set<size_t>& meant_;
  std::vector<Candidate> simple_;
  std::vector<std::optional<NestText>> texts_;
  std::vector<std::string> why_, structures_;
  std::vector<bool> placed_;
  std::vector<std::pair<std::string, std::vector<size_t>>> order_;
  std::vector<NestVariant> variants_;
};

}  // namespace akgen::craft
