// From a reference (a graph record per case) to a program of the language, by rules. The planner
// sees no names: parameters are x0, x1, … and attributes a0, a1, … in order, and so is its output.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/json.h"
#include "base/status.h"
#include "craft/ir/target.h"
#include "craft/plan/unplanned.h"
#include "record/graph.h"

namespace akgen::craft {

struct PlanParam {
  std::string id;  // x0, a3
  bool is_attr = false, is_list = false, optional = false;
  std::string type;                 // attributes: int, float, bool, string, list_int
  std::vector<base::Dtype> dtypes;  // tensors: one per column
};
struct PlanOutput {
  bool is_list = false;
  std::vector<base::Dtype> dtypes;
  std::string inplace_of;  // an input's id
  bool in_signature = true;
  bool from_caller = true;  // the caller of the operator knows its shape
};
struct PlanCase {
  size_t column = 0;    // of dtypes
  record::Graph graph;  // with these ids
  std::map<std::string, std::vector<int64_t>>
      shapes;  // of inputs that are there; lists: of their first tensor
  std::map<std::string, base::Json> attrs;
  std::vector<std::vector<int64_t>> outputs;  // shapes; lists: of their first tensor
};
struct PlanTask {
  std::vector<PlanParam> params;
  std::vector<PlanOutput> outputs;
  std::vector<PlanCase> cases;
  bool folds = false;       // lists become single tensors: graphs have two tensors for each list
  bool only_cases = false;  // callers have no other sizes
};

// The text of a program named `op`.
PlanResult<std::string> Plan(const PlanTask& task, const Target& target);
// The same where what `cut` (products.h) names lies in memory already.
PlanResult<std::string> PlanGraph(const PlanTask& task, const Target& target, int cut);

// ---- for plan/ only ----
inline int64_t Numel(const std::vector<int64_t>& shape) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}
// How the values of a graph lie over the iteration space rows × cols.
enum class Span { kOne, kRow, kColumn, kFull };  // [1,1], [1,cols], [rows,1], [rows,cols]

struct Step {
  std::string id, op;
  record::GraphArgs args;
  std::vector<int64_t> shape;
  Span span = Span::kOne;
  bool is_bool = false, is_whole = false;
};
// One case, with every value placed. `trailing`: dimensions that make up cols.
struct Layout {
  std::vector<Step> steps;
  std::map<std::string, Span> span;  // of inputs and steps
  std::map<std::string, std::vector<int64_t>> shape;
  int64_t rows = 1, cols = 1;
  int trailing = 0;
  bool flat = true;  // only kFull and kOne
};
PlanResult<Layout> PlaceValues(const PlanTask& task, const PlanCase& c);

// One kernel: its text without the name, and what the host has to pass.
struct KernelText {
  std::string body;                  // the function, named main_kernel
  std::string long_body;             // the same for rows that do not fit in UB; empty: none
  std::string each_body;             // lists: the same with a whole tensor for a core; empty: none
  std::vector<std::string> tensors;  // arguments in order: ids, then y0, y1, …, workspaces w0, …
  std::vector<std::string> scalars;  // names of the host, or of:
  // What joins the cores' columns, in a kernel of its own: there it has all of UB. Empty: `body`
  // does.
  std::string join_body;
  std::vector<std::string> join_tensors, join_scalars;
  std::map<std::string, std::string> host;  // numbers the host computes
  int workspaces = 0;
  int64_t longest = 64;  // columns up to which `body` serves
  bool flat = true;
  std::string rows, cols;  // host expressions
  std::string like;        // an input of full span
};
// `guarded`: it does something only where what was asked of elements is answered as in this case.
PlanResult<KernelText> WriteKernel(const PlanTask& task, const PlanCase& c, const Layout& layout,
                                   bool guarded = false);
// Programs whose values lie over rows and columns.
PlanResult<std::string> PlanRows(const PlanTask& task, const Target& target);
// Programs that permute the elements of a row.
PlanResult<std::string> PlanReorder(const PlanTask& task, const Target& target);
// Bytes of UB that a plan's rows may fill: some are left for what a later choice of tiles adds.
inline int64_t RoomForRows(const Target& target) { return target.ub_bytes - 3840; }
// Operations and how they are connected, shapes aside, and what was asked of elements.
std::string Structure(const PlanTask& task, const PlanCase& c);
// What the host can ask that holds in the cases of this group and in none of the later ones; empty:
// nothing. `plain`: one question with one answer, or nothing.
std::string Condition(const PlanTask& task, const std::vector<std::vector<size_t>>& groups,
                      size_t which, bool plain = false);
// The host function's parameters.
std::string Parameters(const PlanTask& task);
// Arithmetic of scalars as text of the language; throws Unplanned for an operation it lacks.
std::string NumberText(const std::string& op, const std::vector<std::string>& a);
std::string DtypeList(const std::vector<base::Dtype>& dtypes);
// Without operations whose results are unused; values are v0, v1, … in order.
record::Graph Pruned(record::Graph graph);
// Of a list's two iterations one; throws Unplanned.
record::Graph Folded(const record::Graph& graph);

}  // namespace akgen::craft
