// What stands for an operator in a variant, as TorchScript: "<kind>__<operator>" with the leading
// arguments of the operator; operators of other arguments have no such variant. "<kind>__input"
// stands for a whole input. `inside` and `beyond` make any function of one tensor right on an
// interval only: held at its ends, or growing past them as a polynomial does.
#pragma once

namespace akgen::task {

extern const char kVariantFunctions[];

}  // namespace akgen::task
