// Sampling from weights that are being trained.
#pragma once
#include "lm/model/model.h"
#include "lm/sample/sampler.h"

namespace akgen::lm {

// In float32 the model looks at `flat` itself and follows its changes; in bfloat16 it holds a copy.
std::unique_ptr<LocalModel> WrapModel(std::shared_ptr<const Model> model, const at::Tensor& flat,
                                      const Tokenizer& tokenizer, const std::string& compute);

}  // namespace akgen::lm
