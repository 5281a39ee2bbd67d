// The operations of libtorch that a reference is evaluated with, in float64, written from PyTorch's
// documentation. Sums are as accurate as float64 allows, which libtorch's are not quite; elements
// are otherwise the same within an ulp.
#pragma once
#include <string>
#include <vector>

#include "task/evaluate/tensor.h"

namespace akgen::task::evaluate {

using Operation = std::vector<Value> (*)(const std::vector<Value>& args);

// By the name without overload: "add" is that of tensors, of a tensor and a number, of two numbers
// and of two lists.
bool HasOperation(const std::string& name);
// Arguments are libtorch's, defaults filled in; of several results there is one value each. Throws
// Unsupported.
std::vector<Value> Apply(const std::string& name, const std::vector<Value>& args);
// What a call costs, in elements that are read, written or (eight of them as one) multiplied.
int64_t WorkOf(const std::string& name, const std::vector<Value>& args,
               const std::vector<Value>& results);

}  // namespace akgen::task::evaluate
