// Hugging Face checkpoints: config.json, model.safetensors or shards with
// model.safetensors.index.json.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <memory>

#include "base/status.h"
#include "lm/model/model.h"
#include "lm/tokenizer/tokenizer.h"

namespace akgen::lm {

struct Checkpoint {
  std::shared_ptr<const Model> model;
  at::Tensor flat;            // float32, on the processor
  std::string dtype = "F32";  // what the file's matrices were stored as
};

// AK1901 a file is damaged, AK1902 config.json, AK1903 tensors are missing, unknown or of another
// shape than the configuration says. A folder with adapter_config.json alone is the model it names,
// with the adapter merged (adapter.h); a file is one of llama.cpp (gguf.h).
base::Result<Checkpoint> LoadCheckpoint(const std::filesystem::path& folder);

// The tokenizer beside a checkpoint, or inside the file; an adapter has that of its model.
base::Result<Tokenizer> LoadTokenizer(const std::filesystem::path& checkpoint);

// Writes config.json and model.safetensors (tensors as F32, BF16 or F16), each atomically. Above
// `shard_bytes` the tensors go to shards with an index.
base::Status SaveCheckpoint(const Model& model, const at::Tensor& flat,
                            const std::filesystem::path& folder, const std::string& dtype = "F32",
                            size_t shard_bytes = size_t(4) << 30);

}  // namespace akgen::lm
