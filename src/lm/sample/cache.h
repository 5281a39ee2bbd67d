// Keys and values of the sequences that are being written, and the decoder's step over one new
// token of each.
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "lm/model/model.h"

namespace akgen::lm {

class Decoder {
 public:
  // Room for `slots` sequences of `context` tokens, on the device and in the dtype of the weights.
  Decoder(const Model& model, Weights weights, int64_t slots, int64_t context);

  // Reads the prompt into `slot`; logits [V] (float32, on the processor) of what follows.
  at::Tensor Read(const std::vector<int>& ids, int64_t slot);
  void CopySlot(int64_t from, int64_t to, int64_t tokens);
  // Appends ids[i] to slots[i], whose length is lengths[i]; logits [B,V].
  at::Tensor Step(const std::vector<int>& ids, const std::vector<int64_t>& slots,
                  const std::vector<int64_t>& lengths);

 private:
  at::Tensor Logits(const at::Tensor& hidden) const;
  at::Tensor CachedAttend(const at::Tensor& rows, int64_t layer, const std::vector<int64_t>& slots,
                          const std::vector<int64_t>& lengths) const;

  const Model& model_;
  Weights w_;
  std::vector<at::Tensor> cache_;  // per layer [slots, context, 2KD]: keys, then values
};

}  // namespace akgen::lm
