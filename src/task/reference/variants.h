// Narrow variants of a reference: the script wrong in one way at one place, as a kernel is whose
// author saw few inputs. An expansion that holds on an interval only, a softmax without its
// maximum, no epsilon, integers through float32, a minimum that drops NaN. Whoever judges kernels
// must refuse each of them where it differs from the reference.
//
// A variant is called "<kind> <operator>@<line>" (a second one in that line "…@<line>#2") or
// "<kind> <input>".
#pragma once
#include <torch/script.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "record/reference_messages.h"

namespace akgen::task {

// All of them; whether one differs from the reference depends on dtypes and values. Throws
// c10::Error.
std::vector<record::ReferenceVariant> VariantsOf(torch::jit::Function& reference);

// Null where the reference has no such variant. Throws c10::Error.
std::shared_ptr<torch::jit::Graph> MakeVariant(torch::jit::Function& reference,
                                               const record::ReferenceVariant& variant);

// The reference, which notes the least and the greatest finite argument of every operator that has
// variants on an interval; Seen() gives those of this thread since the last call, by name of the
// variant.
std::shared_ptr<torch::jit::Graph> MakeWatched(torch::jit::Function& reference);
std::map<std::string, std::pair<double, double>> Seen();

}  // namespace akgen::task
