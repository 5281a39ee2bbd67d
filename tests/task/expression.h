// References of one expression, and a client that keeps nothing.
#pragma once
#include <string>
#include <vector>

#include "task/reference_client.h"

namespace akgen::task {

inline ReferenceClient& Client() {
  static ReferenceClient client{[] {
    ReferenceClient::Options o;
    o.cache = false;
    return o;
  }()};
  return client;
}

// Dtypes by their numbers: 0 uint8, 1 int8, 3 int32, 4 int64, 5 float16, 6 float32, 7 float64, 11
// bool. Of x [2, 3, 4], y [4] (both float32), n [2, 3, 4] and k [4] (int32, k from 0 to 3), b [2,
// 3, 4] (bool).
inline TaskSpec Expression(const std::string& expression) {
  TaskSpec t;
  t.name = "Expression";
  t.reference =
      "def reference(x: Tensor, y: Tensor, n: Tensor, k: Tensor, b: Tensor) -> Tensor:\n    r = " +
      expression +
      "\n    return torch.cat([r.to(7).reshape([-1]), torch.zeros([64], dtype=7)])[:64]\n";
  const auto add = [&](const char* name, const char* dtype, std::vector<int> shape,
                       base::Json dist) {
    ParamSpec& p = t.inputs.emplace_back();
    p.name = name, p.dtype = dtype, p.shape = shape, p.dist = std::move(dist);
  };
  add("x", "float32", {2, 3, 4}, {{"kind", "uniform"}, {"low", -3.0}, {"high", 3.0}});
  add("y", "float32", {4}, {{"kind", "uniform"}, {"low", -3.0}, {"high", 3.0}});
  add("n", "int32", {2, 3, 4}, {{"kind", "int"}, {"low", -9}, {"high", 9}});
  add("k", "int32", {4}, {{"kind", "index"}, {"high", 4}});
  add("b", "bool", {2, 3, 4}, {{"kind", "bool"}, {"p", 0.5}});
  ParamSpec& out = t.outputs.emplace_back();
  out.name = "r", out.dtype = "float64", out.shape = base::Json::array({64});
  t.precision.rule = "D";
  t.cases = {{"0", {{"id", 0}}}};
  return t;
}

}  // namespace akgen::task
