// The graph record: what a task's reference does in one case, as JSON. akgen-reference makes it, the planner reads it.
//
//   {"schema": 1,
//    "inputs":  [{"id": "x", "kind": "tensor"|"list"|"attr", "dtype": "float16", "shape": [2, 3], "present": true,
//    "value": 1}], "nodes":   [{"op": "mul", "args": [ARG, …], "out": [{"id": "v3", "shape": [2, 3], "dtype":
//    "Double"}]}], "outputs": ["v3"], "asked":   [NUMBER, …]}                      what was asked of elements to get
//    here: other answers, another graph
//
// ARG is {"t": id} a tensor, {"l": [{"t": id} | number, …]} a list, {"s": NUMBER} a number, or null. NUMBER is a
// constant, or an object with its "value" in this case and where it came from: {"attr": name}, {"item": id, "index":
// NUMBER} one element of an input, counted flat, {"computed": id} the one element of a value, {"op": name, "args": […]}
// arithmetic on such numbers, {"turn": n} the count of a loop. Tensors of a list "xs" are "xs.0", "xs.1", …; ids of
// other inputs are their names.
#pragma once

namespace akgen::record {
inline constexpr int kGraphSchema = 1;
}  // namespace akgen::record
