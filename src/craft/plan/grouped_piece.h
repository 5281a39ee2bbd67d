// One of the pieces that a program for groups puts together; for plan/ only.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "craft/plan/plan.h"

namespace akgen::craft {

bool IsConverting(const std::string& op);

// What a piece takes of a tensor of the caller.
enum class Take {
  kAll,
  kRange,  // from the element before to element g of the tensor of ends
  kEntry,  // entry g
};
struct Operand {
  std::string input;
  Take take = Take::kAll;
  bool turned = false;        // transposed
  bool viewed = false;        // an input seen with other dimensions
  std::vector<int64_t> dims;  // of what the piece has: of one entry, of a range
  std::string places;         // where a dimension of 1 was put in: "0" in front, "1" behind
  bool column = false;        // beside a product
};

// One piece as the graph of a case has it, and what is said of it whatever its number.
class Piece {
 public:
  Piece(const PlanCase& c, const std::map<std::string, const record::GraphNode*>& makers, int64_t g)
      : case_(c), makers_(makers), g_(g) {}

  // The piece in words that do not name g; equal for equal pieces. A value that occurs again is its
  // number.
  std::string Describe(const std::string& id);
  // The node that makes a value; null: it is an input.
  const record::GraphNode* Maker(const std::string& id) const;
  // A value that is part of an input. Throws Unplanned.
  Operand Of(const std::string& id);
  // The tensor whose elements say where ranges end; empty: there are none.
  const std::string& Ends() const { return ends_; }

 private:
  bool IsTurn(const record::GraphArg& a) const;
  std::string EndsOf(const record::GraphArg& a) const;
  std::string Describe(const record::GraphArg& a);
  // `earlier`: as the piece so many before would have it.
  std::string Describe(const record::GraphNumber& n, int64_t earlier);

  const PlanCase& case_;
  const std::map<std::string, const record::GraphNode*>& makers_;
  const int64_t g_;
  std::string ends_;
  std::map<std::string, size_t> said_;  // values that were described, in their order
};

}  // namespace akgen::craft
