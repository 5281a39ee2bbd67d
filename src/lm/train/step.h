// One optimizer step: samples are distributed over worker threads in whole sequences, each worker
// accumulates its own gradients; they are summed in the workers' order, so that a run with the same
// number of workers is reproducible bit for bit.
#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "base/status.h"
#include "lm/model/adapter.h"
#include "lm/model/model.h"
#include "lm/train/data.h"
#include "lm/train/frozen_states.h"
#include "lm/train/settings.h"

namespace akgen::lm {

// log p of every target token of an item's parts, in order.
struct PartLogProbs {
  std::vector<at::Tensor> parts;
};
// The loss of one item, already divided by what the step divides by.
using ItemLoss = std::function<at::Tensor(const Item&, const PartLogProbs&)>;

struct StepResult {
  double loss = 0;
  int64_t tokens = 0, sequences = 0;
};

// What is trained beside frozen weights, and what they let a step spare.
struct AdapterTraining {
  const Adapter* adapter = nullptr;
  at::Tensor flat;                     // its own: what gradients are of
  FrozenStates* states = nullptr;      // of the layers below the adapted ones; null: not kept
  std::vector<int64_t> output_tokens;  // rows of the output layer, ascending; empty: all
};

class StepRunner {
 public:
  // `flat`: the weights, on the device of the settings. All threads read it; only Update writes it.
  // With an adapter they are frozen.
  StepRunner(const Model& model, const TrainSettings& settings, at::Tensor flat,
             AdapterTraining trained = {});
  int64_t workers() const { return int64_t(grads_.size()); }

  // Gradients of the items' losses, in gradient(). AK1922 a loss is not finite (says of which
  // sample), AK1923 memory.
  base::Result<StepResult> Gradients(const std::vector<const Item*>& items, const ItemLoss& loss);
  // The losses alone.
  base::Result<StepResult> Evaluate(const std::vector<const Item*>& items, const ItemLoss& loss);
  const at::Tensor& gradient() const { return grads_[0]; }

 private:
  base::Result<StepResult> Run(const std::vector<const Item*>& items, const ItemLoss& loss,
                               bool gradients);
  base::Status Micro(const std::vector<const Item*>& items, const ItemLoss& loss, size_t worker,
                     bool gradients, double& sum) const;
  // Input of the lowest adapted layer, kept or computed.
  base::Result<at::Tensor> States(const Weights& w, const std::vector<const Item*>& items) const;
  base::Result<at::Tensor> Hidden(const Weights& w, const std::vector<const Item*>& items,
                                  const at::Tensor& ids, const Packing& packing) const;

  const Model& model_;
  TrainSettings settings_;
  at::Tensor flat_;
  AdapterTraining trained_;
  at::Tensor head_;              // the rows of output_tokens
  std::vector<int64_t> row_of_;  // token to row of it
  std::vector<at::Tensor> grads_;
};

// AdamW with decay on matrices only; or Muon (Jordan et al. 2024) for the matrices inside the
// layers, AdamW for the rest.
class Optimizer {
 public:
  // For these parameters of `flat`; `parts` of them are matrices of their own.
  Optimizer(const std::vector<Parameter>& parameters, const std::vector<NamedPart>& parts,
            const TrainSettings& settings, const at::Tensor& flat);
  // `step` counts from 1. Returns the gradient's norm before clipping; nothing is changed when it
  // is not finite.
  double Update(int64_t step, double lr, const at::Tensor& gradient, at::Tensor& flat);
  at::Tensor first, second;  // moments, as long as `flat`; Muon needs the first one

 private:
  struct Matrix {
    int64_t at, rows, columns;
  };
  void MuonStep(const Matrix& m, double lr, double scale, const at::Tensor& gradient,
                at::Tensor& flat);
  void AdamStep(int64_t step, double lr, double scale, const at::Tensor& gradient,
                at::Tensor& flat);

  TrainSettings settings_;
  std::vector<Parameter> adam_;  // updated by AdamW
  std::vector<Matrix> muon_;     // updated by Muon
};

// Approximate orthogonalisation: the singular vectors of `g` with singular values about 1, by five
// Newton-Schulz iterations in bfloat16 or float32.
at::Tensor NewtonSchulz(const at::Tensor& g, bool short_numbers);

// Distributes items over workers so that their tokens balance: longest first, each to the worker
// with the fewest tokens; ties to the first. Some workers may get nothing.
std::vector<std::vector<const Item*>> BalanceByTokens(std::vector<const Item*> items,
                                                      size_t workers);

int64_t ProcessorCount();
// That this process has used so far, in all threads: what a busy machine does not change.
double ProcessorSeconds();

}  // namespace akgen::lm
