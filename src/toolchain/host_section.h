// Candidates of AscendKernelBench: kernels, then a comment line with ASCEND_HOST_SECTION, then the
// PyTorch binding, which calls NAME_launch(blocks, stream, arguments…) for each kernel NAME. The
// benchmark makes those functions; so does this.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace akgen::toolchain {

// The source with the launch functions in the line of the comment; nothing where there is no such
// line.
std::optional<std::string> WithLaunchFunctions(const std::string& text);

// What the binding of such a source computes with PyTorch itself, as "at::relu": the benchmark
// allows it tensors that are made, no more. Empty: nothing.
std::string ComputedByHost(const std::string& text);

// The source with the body of each kernel replaced by one that writes its arguments down
// (include/ascendc/akgen/torch/record.h): its binding then yields launches, and nothing is run.
std::string WithRecordedLaunches(const std::string& text);

// The kernels of the source without their host code: what is in front of the comment; in a source
// without it, everything but the functions and headers that speak of PyTorch, of launches or of the
// runtime. Lines keep their numbers.
std::string DeviceHalf(const std::string& text);

// The schemas that the binding defines, "run(Tensor x, float slope) -> Tensor".
std::vector<std::string> SchemasOf(const std::string& text);

// The rule of AscendKernelBench for custom_op.asc that the text breaks, as a sentence; empty: none.
std::string BrokenRule(const std::string& text);

}  // namespace akgen::toolchain
