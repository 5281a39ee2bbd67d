// Host functions that call host functions: the calls are replaced by what the called function does.
#pragma once
#include <string>
#include <vector>

#include "craft/syntax/ast.h"
#include "craft/syntax/diagnostic.h"

namespace akgen::craft {

// The operator is the last host function. A call `y = f(x, w)` in it becomes f's statements: its
// parameters are the arguments, its other names get a prefix, and what it makes with empty() is a
// workspace unless the operator returns it.
//
//   @host                                          h_tm = fit(...)
//   def relu(x: tensor(f32)[m, n]): ...            h = workspace([x.shape[0], x.shape[1]], f32)
//   @host                                     ->   relu_kernel[best_cores()](x, h, h_tm)
//   def net(x: tensor(f32)):                       …
//       h = relu(x)
//       return softmax(h)
//
// AK1515: a function that is called before it is written, or that nothing calls.
// In a function named as one of the language's, that name means the language's.
ast::Function ExpandCalls(const ast::Module& m, Diagnostics& d);

// The functions of the language that host code calls.
const std::vector<std::string>& HostFunctions();

}  // namespace akgen::craft
