// The texts that a case of a project is given as (judge/session/project_run.h).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/json.h"
#include "base/status.h"
#include "task/task.h"

namespace akgen::judge {

// AK0403.
base::Error BadCase(const std::string& what, const std::string& where);

struct TensorText {
  base::Dtype dtype = base::Dtype::kFloat32;
  std::vector<std::vector<int64_t>> shapes;  // several: of a list
  base::Json dist;                           // null: by the dtype
  std::string file;
  std::optional<task::Declared> declared;
  int DeclaredDtype() const { return declared ? declared->dtype : int(dtype); }
};
base::Result<TensorText> ParseTensor(const std::string& text);
// int4 of a shape: in memory int8 with half of the last dimension, which must be even (AK0403).
base::Result<TensorText> PairsOf(const std::vector<int64_t>& shape);
// How values are drawn where nobody says it.
base::Json UsualValues(base::Dtype dtype);

}  // namespace akgen::judge
