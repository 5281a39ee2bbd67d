// Low-rank adapters (LoRA, Hu et al. 2021) in the files of PEFT: adapter_config.json and
// adapter_model.safetensors. A matrix W [out,in] of the layers becomes W + scale B A, with A [r,in]
// and B [out,r].
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "lm/model/model.h"

namespace akgen::lm {

// Which matrices are adapted, and how.
struct AdapterShape {
  int64_t rank = 0;
  double scale = 1;
  std::vector<std::string> targets;  // last words of the matrices' names, as in q_proj; empty: all
                                     // in the layers but a router
  std::vector<int64_t> layers;       // their numbers from 0, ascending; empty: all
};

class Adapter {
 public:
  // AK1903: the model has no such matrix or layer.
  static base::Result<Adapter> Create(const Model& model, const AdapterShape& shape,
                                      const std::string& where);
  const AdapterShape& shape() const { return shape_; }
  // The lowest adapted layer: what those below it compute does not change.
  int64_t first_layer() const { return first_layer_; }
  // One flat float32 tensor holds all A and B, these say where.
  const std::vector<Parameter>& parameters() const { return parameters_; }
  int64_t flat_size() const { return size_; }
  // A as PEFT draws it, uniform in sqrt(1 / in); B zero: the adapter changes nothing yet.
  at::Tensor InitialFlat(uint64_t seed) const;
  // Writes base + scale B A over the adapted matrices of `weights`, as long as the model's flat
  // tensor.
  void Merge(const at::Tensor& flat, const at::Tensor& base, at::Tensor& weights) const;
  // Lets `weights`, views of frozen matrices, use A and B beside them: as leaves that collect
  // gradients in views of `grad` when it is given.
  void Attach(const Model& model, const at::Tensor& flat, const at::Tensor& grad,
              Weights& weights) const;
  // Files of PEFT; `base`: the checkpoint they belong to. AK0002.
  base::Status Save(const at::Tensor& flat, const std::filesystem::path& base,
                    const std::filesystem::path& folder) const;
  // The file of llama.cpp (GGUF), for a model without experts. AK0002.
  base::Status SaveGguf(const at::Tensor& flat, const ModelConfig& config,
                        const std::filesystem::path& file) const;
  // The adapter of PEFT's files in `folder`, and its flat tensor. AK1901 damaged, AK1902 a setting
  // that is not known here, AK1903 not of this model.
  static base::Result<std::pair<Adapter, at::Tensor>> Read(const std::filesystem::path& folder,
                                                           const Model& model);

 private:
  struct Pair {
    NamedPart part;  // the matrix in the model
    int64_t a = 0, b = 0;
  };
  at::Tensor A(const Pair& p, const at::Tensor& flat) const;
  at::Tensor B(const Pair& p, const at::Tensor& flat) const;

  base::Status ReadTensors(const std::filesystem::path& file, const at::Tensor& flat) const;

  AdapterShape shape_;
  int64_t size_ = 0, first_layer_ = 0;
  std::vector<Pair> pairs_;
  std::vector<Parameter> parameters_;
};

}  // namespace akgen::lm
