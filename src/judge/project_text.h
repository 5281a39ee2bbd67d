// The texts that a case of a project is given as (judge/project_run.h).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/json.h"
#include "base/status.h"

namespace akgen::judge {

// AK0403.
base::Error BadCase(const std::string& what, const std::string& where);

struct TensorText {
  base::Dtype dtype = base::Dtype::kFloat32;
  std::vector<std::vector<int64_t>> shapes;  // several: of a list
  base::Json dist;                           // null: by the dtype
  std::string file;
};
base::Result<TensorText> ParseTensor(const std::string& text);
// How values are drawn where nobody says it.
base::Json UsualValues(base::Dtype dtype);

}  // namespace akgen::judge
