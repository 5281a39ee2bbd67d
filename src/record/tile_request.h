// What the judge asks a candidate's host code: host::Tile and host::Describe (host/host_entry.h)
// read what is written here.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/fields.h"

namespace akgen::record {

struct TileTensor {
  std::optional<std::vector<int64_t>> shape;  // of an output, nothing: InferShape says it
  base::Dtype dtype = base::Dtype::kFloat32;
  int format = 2;                    // ge::Format, 2: ND
  std::vector<uint8_t> data;         // values that the host side receives; empty: none
  std::optional<int> origin_format;  // nothing: `format`
  // The shape in `format`, where `shape` is the origin's; empty: the same.
  std::vector<int64_t> storage{};

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("shape", m.shape);
    io.Needed("dtype", m.dtype);
    io.Field("format", m.format);
    io.Bytes("data", m.data);
    io.Field("origin_format", m.origin_format);
    io.Sparse("storage_shape", m.storage);
  }
};

// Null, {"present": false}, the tensor itself, or {"list": [TENSOR]}.
struct TileParam {
  bool present = true, list = false;
  std::vector<TileTensor> tensors;  // one, or with `list` any number
};
inline void to_json(base::Json& j, const TileParam& p) {
  j = base::Json::object();
  if (p.list)
    j["list"] = p.tensors;
  else if (p.present && !p.tensors.empty())
    j = p.tensors[0];
  j["present"] = p.present;
}
inline void from_json(const base::Json& j, TileParam& p) {
  p = {};
  p.present = !j.is_null() && j.value("present", true);
  if (!p.present) return;
  p.list = j.contains("list");
  if (p.list)
    j["list"].get_to(p.tensors);
  else
    p.tensors.push_back(j.get<TileTensor>());
}

// The input of a tiling function.
struct TileRequest {
  std::string op;  // empty: the only one that is registered
  std::vector<TileParam> inputs, outputs;
  base::Json attrs = base::Json::object();
  base::Json chip;          // as chip::ToJson says it
  bool only_infer = false;  // no tiling: what the operator says of its outputs
  int deterministic = 0;
  size_t log_limit = 4096;      // bytes
  std::optional<uint8_t> fill;  // what the functions find on the stack where they wrote nothing

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("op", m.op);
    io.Field("inputs", m.inputs);
    io.Field("outputs", m.outputs);
    io.Field("attrs", m.attrs);
    io.Field("chip", m.chip);
    io.Field("only_infer", m.only_infer);
    io.Sparse("deterministic", m.deterministic);
    io.Field("log_limit", m.log_limit);
    io.Field("fill", m.fill);
  }
};

struct DescribeRequest {
  std::string soc;  // whose configuration is described: the chip's family in small letters

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Sparse("soc", m.soc);
  }
};

// How the host library, or the process around it, answers: what all answers have in common.
struct HostStatus {
  std::string status;         // "ok", "failed", or how the process ended
  std::string code, message;  // of "failed"
  std::string detail;         // of the process
  bool ok() const { return status == "ok"; }
  std::string Detail() const {
    if (!detail.empty() || message.empty()) return detail;
    return code + ": " + message;
  }

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Needed("status", m.status);
    io.Sparse("code", m.code);
    io.Sparse("message", m.message);
    io.Sparse("detail", m.detail);
  }
};

}  // namespace akgen::record
