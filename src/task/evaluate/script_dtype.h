// Dtypes as TorchScript numbers them.
#pragma once
#include "task/evaluate/tensor.h"

namespace akgen::task::evaluate {

inline int64_t ScriptDtype(base::Dtype d) {
  switch (d) {
    case base::Dtype::kUint8: return 0;
    case base::Dtype::kInt8: return 1;
    case base::Dtype::kInt16: return 2;
    case base::Dtype::kInt32: return 3;
    case base::Dtype::kInt64: return 4;
    case base::Dtype::kFloat64: return 7;
    case base::Dtype::kBool: return 11;
    default: throw Unsupported("elements of " + std::string(base::NameOf(d)));
  }
}
// Unsupported: narrower floating dtypes, whose arithmetic is libtorch's.
inline base::Dtype DtypeOf(int64_t number) {
  for (base::Dtype d :
       {base::Dtype::kUint8, base::Dtype::kInt8, base::Dtype::kInt16, base::Dtype::kInt32,
        base::Dtype::kInt64, base::Dtype::kFloat64, base::Dtype::kBool})
    if (ScriptDtype(d) == number) return d;
  throw Unsupported("a narrow floating dtype");
}

}  // namespace akgen::task::evaluate
