// The Qwen2 and Qwen3 decoders. All parameters lie in one flat float32 tensor, so that optimizer,
// clipping and checkpoints are one pass; projections that read the same input are one matrix (q, k,
// v; gate, up). Hugging Face names are rows of these.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "lm/model/config.h"
#include "lm/model/ops.h"

namespace akgen::lm {

struct Layer {
  at::Tensor norm1, qkv, out, norm2;
  at::Tensor qkv_bias;        // of Qwen2
  at::Tensor q_norm, k_norm;  // of Qwen3
  at::Tensor gate_up, down;   // [2F,C], [C,F]; with experts [E,2F,C], [E,C,F]
  at::Tensor router;          // [E,C] with experts
  // Adapters that are trained beside frozen matrices, in the order of rows; those of experts count
  // rows over all of them.
  std::vector<LowRank> qkv_low, out_low, gate_up_low, down_low;
};

// One parameter: where it lies in the flat tensor.
struct Parameter {
  std::string name;
  std::vector<int64_t> shape;
  int64_t at = 0, size = 0;
  bool decay = false;  // weights of matrices decay, norms do not
};

// A tensor of a checkpoint: rows of a parameter, in file order.
struct NamedPart {
  std::string name;  // Hugging Face's
  std::vector<int64_t> shape;
  int64_t at = 0, size = 0;  // in the flat tensor
};

// Views of a flat tensor under the model's names.
struct Weights {
  at::Tensor embedding, norm, head;  // head is the embedding when tied
  std::vector<Layer> layers;
};

class Model {
 public:
  explicit Model(ModelConfig config);
  const ModelConfig& config() const { return config_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<NamedPart>& parts() const { return parts_; }
  int64_t flat_size() const { return flat_size_; }
  int64_t parameter_count() const;

  // Reproducible start: normal(0, 0.02), projections back into the stream narrower by sqrt(2
  // layers), norms 1.
  at::Tensor InitialFlat(uint64_t seed) const;
  // `flat` as leaves that collect gradients in views of `grad` (when given), else as plain views.
  Weights View(const at::Tensor& flat, const at::Tensor& grad = {}) const;

  Packing Pack(const std::vector<int64_t>& lengths) const;
  // Final hidden states [N,C] of the packed tokens ids[N] (int64, on the weights' device).
  at::Tensor Hidden(const Weights& w, const at::Tensor& ids, const Packing& packing) const;
  // Its parts: what layers [first, last) make of their input, the embedded tokens in the case of
  // the lowest one; the norm behind the last one.
  at::Tensor Through(const Weights& w, at::Tensor x, const Packing& packing, int64_t first,
                     int64_t last) const;
  at::Tensor Normalised(const Weights& w, const at::Tensor& x) const;
  // Where the parameters of a layer begin in the flat tensor; those of the embedding and of the
  // layers below it lie before.
  int64_t LayerAt(int64_t layer) const;
  // Queries, keys and values of normalised rows; what follows attention inside a layer. Shared with
  // cached decoding.
  at::Tensor Qkv(const Layer& layer, const at::Tensor& x) const;
  at::Tensor Mlp(const Layer& layer, const at::Tensor& x) const;

 private:
  void Add(std::string name, std::vector<int64_t> shape, bool decay,
           const std::vector<std::pair<std::string, int64_t>>& rows);
  void AddLayer(int64_t i);
  at::Tensor Experts(const Layer& layer, const at::Tensor& x) const;

  ModelConfig config_;
  std::vector<Parameter> parameters_;
  std::vector<NamedPart> parts_;
  int64_t flat_size_ = 0;
  std::shared_ptr<const std::vector<float>> rope_;
};

Weights Cast(const Weights& w, at::ScalarType dtype);

}  // namespace akgen::lm
