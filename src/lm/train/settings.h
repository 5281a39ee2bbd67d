// Settings of a training run. Keys of the JSON (or TOML, through the command) are the names of the
// fields; objects only group keys.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "lm/model/config.h"

namespace akgen::lm {

// An adapter of low rank instead of all weights.
struct LoraSettings {
  int64_t rank = 0;   // above 0: only an adapter of this rank is trained; needs `init`
  double alpha = 16;  // its product is scaled by alpha / rank
  std::vector<std::string> targets;  // q_proj, down_proj …; empty: all matrices inside the layers
  int64_t layers = 0;                // the upper ones that are adapted; 0: all
  std::string init;   // folder of an adapter of that shape to start from; empty: one without effect
  bool merge = true;  // at the end, model/ is written with the adapter in its weights
  bool keep_states = false;   // what the layers below the adapted ones compute is kept on disk
  int64_t output_tokens = 0;  // of the output layer, at least: those of the data, then the first
                              // ones; 0: all
};

// What completions are drawn and compared with.
struct GrpoSettings {
  int64_t prompts_per_step = 8,
          group = 8;         // completions of each prompt are compared with each other
  int64_t max_tokens = 512;  // of a completion
  double temperature = 1;
  std::string grammar;  // GBNF file that completions follow; empty: none
};

struct TrainSettings {
  std::string objective = "sft";              // sft, dpo or grpo
  std::vector<std::string> data, validation;  // JSONL files
  std::string tokenizer;  // folder or tokenizer.json; default: the one beside `init`
  std::string init;       // folder of a checkpoint; empty: random weights of the shape below
  int64_t hidden = 192, layers = 6, heads = 6, kv_heads = 3, head_dim = 32, mlp = 512,
          context = 2048;
  int64_t steps = 0;  // 0: `epochs` times the data
  double epochs = 1;
  int64_t tokens_per_step = 16384;  // at least as many, whole samples
  int64_t micro_tokens = 2048;      // tokens that are in memory together, per worker
  double lr = 1e-3, min_lr = 0.1;   // the cosine ends at min_lr * lr
  int64_t warmup = 50;              // steps
  double weight_decay = 0.1, beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8;
  std::string optimizer = "adamw";  // or muon: for the matrices inside the layers
  double momentum = 0.95,
         muon_scale = 0.2;  // muon: of the gradient; root mean square of an update over lr
  LoraSettings lora;
  double clip = 1.0;  // of the gradient's norm; 0: none
  double dpo_beta = 0.1;
  GrpoSettings grpo;
  uint64_t seed = 1;
  int64_t save_every = 100, validate_every = 100;  // steps
  int64_t workers = 0;  // threads that share a step; 0: one per processor. Results depend on it
  std::string device = "cpu";  // or cuda
  double peak_tflops =
      0;  // of the device, for `compute`: what share of it is used (MFU) is reported; 0: not
  std::string compute = "float32";  // or bfloat16 (products; weights and optimizer stay float32)

  // AK1921: an unknown key, or a value out of range.
  static base::Result<TrainSettings> FromJson(const base::Json& json, const std::string& where);
  base::Json ToJson() const;
  ModelConfig Shape(int64_t vocab) const;
  double LearningRate(int64_t step, int64_t steps) const;
};

}  // namespace akgen::lm
