// Programs for graphs in which the elements of a row change places: windows (pooling), reversed,
// shifted and padded rows, running sums. The leading dimensions are the rows, the others lie in a
// row, whose places are computed once per core.
#include "craft/craft.h"
#include "craft/plan/reorder_operations.h"
#include "craft/plan/row_kernel.h"

namespace akgen::craft {

namespace {
// Values that count: of what zeros are shaped like, nobody asks for the elements.
std::set<std::string> NeededOf(const record::Graph& graph) {
  std::set<std::string> out(graph.outputs.begin(), graph.outputs.end());
  for (auto n = graph.nodes.rbegin(); n != graph.nodes.rend(); ++n)
    if (n->op != "zeros_like" && out.count(n->id()))
      for (const GraphArg& a : n->args)
        record::ForEachTensor(a, [&](const std::string& id) { out.insert(id); });
  return out;
}

// The program of one case, made in `kernel`.
std::string ProgramOf(const PlanCase& c, RowKernel& kernel, bool windows) {
  for (const GraphNode& n : c.graph.nodes)
    if (n.ChangesOperand()) throw Unplanned{"a value that is changed in place"};
  ReorderOperations operations(kernel, windows);
  const std::set<std::string> needed = NeededOf(c.graph);
  for (const GraphNode& n : c.graph.nodes) {
    if (!needed.count(n.id())) continue;
    if (n.out.size() != 1) throw WithSeveralResults(n.op);
    kernel.SetValue(n.id(), operations.Make(n.op, n.args, n.out[0].shape));
  }
  return kernel.Program(c.graph.outputs);
}

// UB that one row takes, in bytes.
int64_t RowBytes(const ir::S& s, const HostNames& names) {
  if (const ir::Scalar* c = ir::AsConst(s)) return c->i;
  if (s->kind == ir::SKind::kVar) return names.ValueOf(s->text);
  int64_t a = RowBytes(s->args[0], names), b = s->args.size() > 1 ? RowBytes(s->args[1], names) : 1;
  if (s->text == "+") return a + b;
  if (s->text == "-") return a - b;
  if (s->text == "*") return a * b;
  return s->text == "ceil_div" ? (a + b - 1) / b : std::max(a, b);
}

// Programs for all cases must be one program.
std::string WriteAll(const PlanTask& task, const Target& target, size_t leading, bool windows) {
  std::string text;
  for (const PlanCase& c : task.cases) {
    RowKernel kernel(task, c, leading);
    std::string mine = ProgramOf(c, kernel, windows);
    if (!text.empty() && mine != text) throw Unplanned{"cases that need different kernels"};
    text = mine;
  }
  Compiled compiled = Compile(text, target);
  if (!compiled.diagnostics.empty())
    throw Unplanned{"the program is refused: " + compiled.diagnostics.list()[0].message};
  for (const PlanCase& c : task.cases) {
    RowKernel kernel(task, c, leading);
    ProgramOf(c, kernel, windows);
    for (const LoweredProgram& p : compiled.lowered)
      for (const LoweredKernel& k : p.kernels)
        if (RowBytes(k.ub_bytes, kernel.Names()) > RoomForRows(target))
          throw Unplanned{"rows that do not fit in UB"};
  }
  return text;
}
}  // namespace

PlanResult<std::string> PlanReorder(const PlanTask& task, const Target& target) {
  size_t most = 0;
  for (const PlanCase& c : task.cases)
    for (const auto& [id, s] : c.shapes) most = std::max(most, s.size());
  Unplanned why{"no tensors"};
  for (size_t leading = most; leading-- > 0;) {
    for (bool windows : {true, false}) {
      auto text = Tried([&] { return WriteAll(task, target, leading, windows); });
      if (text.ok()) return text;
      why = text.error();
    }
  }
  return why;
}

}  // namespace akgen::craft
