// Candidates of AscendKernelBench: kernels, then a comment line with ASCEND_HOST_SECTION, then the PyTorch binding,
// which calls NAME_launch(blocks, stream, arguments…) for each kernel NAME. The benchmark makes those functions; so
// does this.
#pragma once
#include <optional>
#include <string>

namespace akgen::toolchain {

// The source with the launch functions in the line of the comment; nothing where there is no such line.
std::optional<std::string> WithLaunchFunctions(const std::string& text);

// What the binding of such a source computes with PyTorch itself, as "at::relu": the benchmark allows it tensors that
// are made, no more. Empty: nothing.
std::string ComputedByHost(const std::string& text);

}  // namespace akgen::toolchain
