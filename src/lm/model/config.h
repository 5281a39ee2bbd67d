// The shape of a Qwen2 or Qwen3 decoder, as config.json of a Hugging Face checkpoint says it.
#pragma once
#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace akgen::lm {

struct ModelConfig {
  int64_t vocab = 0, hidden = 0, layers = 0, heads = 0, kv_heads = 0, head_dim = 0;
  int64_t mlp = 0;      // width of the gated layer; of one expert in `moe` models
  int64_t experts = 0;  // 0: no mixture of experts
  int64_t experts_per_token = 0;
  bool normalise_experts = true;  // weights of the chosen experts sum to 1
  bool tied = true;               // the output layer is the embedding
  bool qwen2 = false;      // queries, keys and values have biases, and queries and keys no norms
  int64_t context = 2048;  // tokens at most
  double norm_epsilon = 1e-6, rope_theta = 1e6;
  int64_t end_token = -1;  // eos_token_id, -1: none
  base::Json source;       // what was read; unknown keys are kept when it is written again

  int64_t q_width() const { return heads * head_dim; }
  int64_t kv_width() const { return kv_heads * head_dim; }
  int64_t qkv_width() const { return q_width() + 2 * kv_width(); }
  bool moe() const { return experts > 0; }
  // Operations of a training step on one token, forward and backward, in sequences of `length`
  // tokens: six a weight that a token meets (Kaplan et al. 2020), and attention's products with
  // half of the sequence. Recomputation does not count.
  double OperationsPerToken(double length) const;

  // AK1902: a key is missing, contradicts another, or asks for what this decoder is not.
  static base::Result<ModelConfig> FromJson(const base::Json& json, const std::string& where);
  base::Json ToJson() const;
};

}  // namespace akgen::lm
