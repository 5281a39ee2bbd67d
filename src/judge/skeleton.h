// What a task gives a candidate to start from, as Ascend C source text of our own making.
//
// The host skeleton is a whole host side: the operator's definition, and a tiling function that launches every vector
// core, asks for no workspace and tells the kernel its shapes and attributes. Kernel-only mode judges kernels with it.
#pragma once
#include <string>

#include "base/status.h"
#include "task/task.h"

namespace akgen::judge {

// op_host/<entry>.cpp. Tiling data <Task>TilingData: for each input that is one tensor `int64_t <name>_rank` (-1: left
// out) and `int64_t <name>_shape[8]`, for each output the same, for each attribute its value (`int64_t` for int and
// bool, `float`; lists: `<name>_count` and `<name>[16]`; strings are left out). AK0102 a case is malformed.
base::Result<std::string> HostSkeleton(const task::TaskSpec& task);

// op_kernel/<entry>.cpp: the entry with its parameters, empty.
std::string KernelSkeleton(const task::TaskSpec& task);

}  // namespace akgen::judge
