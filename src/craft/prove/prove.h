// A proof of a program for every shape, dtype and attribute that its signature and require() allow
// (docs/craft/prove.md). The solver is in a process of its own (src/prover).
#pragma once
#include <string>
#include <vector>

#include "craft/craft.h"
#include "craft/prove/terms.h"

namespace akgen::craft::prove {

enum class Satisfiable { kNo, kYes, kUnknown };

using Model = std::map<int, int64_t>;  // by atom; conditions are 0 or 1

class Solver {
 public:
  virtual ~Solver() = default;
  // Are they true together for some numbers? A product of atoms is any number, or, if `exact`,
  // their product.
  virtual Satisfiable Check(const std::vector<F>& all, bool exact, Model* model) = 0;
};

enum class Status { kProven, kRefuted, kNotDecided };
std::string_view NameOf(Status s);

struct Answer {
  std::string kind;
  Place place;
  std::string what;
  Status status = Status::kProven;
  std::string
      why;  // not decided: the expression that stopped it; refuted: how the interpreter fails
  std::string text;  // refuted: the case, as `craft run` takes it
  size_t column = 0;
  int64_t cores = 0;  // refuted: on how many
};

struct Report {
  std::vector<Answer> answers;
  size_t queries = 0;
  double seconds = 0;
  bool AllProven() const;
};

Report Prove(const Compiled& compiled, Solver& solver);

base::Json ToJson(const Report& r);
base::Result<Report> ReportFromJson(const base::Json& j);

}  // namespace akgen::craft::prove
