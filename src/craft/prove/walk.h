// Executes a program with expressions in place of numbers, and collects what has to hold for it to
// be safe: for one column of dtypes and one choice of ranks, along every path through the host
// function.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "craft/ir/ir.h"
#include "craft/passes/lowered.h"
#include "craft/prove/terms.h"

namespace akgen::craft::prove {

// Of one tensor. Negative: any rank that has the dimensions which the program names.
using Ranks = std::map<std::string, int>;

struct Obligation {
  std::string kind;  // divisor, step, window, buffer, view, extent, index, race, cover
  Place place;
  std::string what;      // in the program's words
  std::vector<F> facts;  // what holds where it is asked
  F goal;                // what has to hold
  // Of several ways to show one thing: it is shown if all obligations of one way are.
  int way = 0;
  std::string stopped{};  // it is not even asked, for this reason
};

// What the caller chooses, and the expressions that stand for it: a model of them is a case.
struct InputSymbols {
  std::string name;
  bool optional = false, is_list = false;
  base::Dtype dtype = base::Dtype::kFloat32;
  std::vector<Poly> shape;  // extents, several joined in one where nothing tells them apart
  int present = -1;         // atom of present(…)
  std::vector<int> items;   // atoms of elements that the program reads
  std::string like{};       // lists: of those that are alike, the one whose name atoms have
};
struct AttrSymbols {
  std::string name;
  ir::Ty type = ir::Ty::kInt;
  int atom = -1;  // int, bool
  bool has_default = false;
  bool is_list = false;                // of integers
  std::map<std::string, int> strings;  // is the attribute this string?
};

struct Walked {
  Terms terms;
  std::vector<Obligation> obligations;
  std::vector<InputSymbols> inputs;  // and outputs whose shape the caller gives
  std::vector<AttrSymbols> attrs;
  int cores = -1, vector_cores = -1,
      cube_cores = -1;                      // atoms of best_cores(), vector_cores(), cube_cores()
  std::vector<std::pair<int, Poly>> tunes;  // what tune() gives, and where nobody tunes
  int launches = 0;                         // launches that were reached
  std::string broken;                       // why this walk is of no use; empty
};

Walked Walk(const ir::Program& program, const Ranks& ranks);

// The choices of ranks that together are every shape.
std::vector<Ranks> RankChoices(const ir::Program& program);

}  // namespace akgen::craft::prove
