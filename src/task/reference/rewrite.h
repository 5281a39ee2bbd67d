// Other evaluations of a reference, as changes of its graph.
#pragma once
#include <torch/csrc/jit/ir/ir.h>

namespace akgen::task {

// Rounds the result of every operator to half or bfloat16.
void RoundResults(torch::jit::Block* block, bool bfloat);

// Operators that are asked for float64 give float32.
void ComputeInSingle(torch::jit::Block* block);

// What arithmetic makes is changed a little (task/nudge.h), as rounding changes it.
void NudgeResults(torch::jit::Block* block, double by, int pattern);

// What torch.round takes becomes larger by this share of itself, or smaller, but for what lies
// exactly between two integers: rounding to even is what the reference says of it.
void MoveTies(torch::jit::Block* block, double share);

// NaN and what no 64-bit integer holds become 2^30 where they are converted to integers: what any
// conversion gives there is nothing that the reference says.
void ConvertOtherwise(torch::jit::Block* block);

// Sums of products and plain sums become `undecided` where their terms do not fit float32 unless
// they cancel.
void MarkUndecidedSums(torch::jit::Block* block, double undecided);

// Outputs of `torch.round` (behind clamp and a cast, in branches and tuples too) become what is
// rounded. False: no output is one, and the graph is as before.
bool LeaveUnrounded(torch::jit::Graph& graph);

}  // namespace akgen::task
