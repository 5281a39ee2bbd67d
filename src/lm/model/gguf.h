// Models in llama.cpp's file format (GGUF 2 and 3, as ggml documents it): values by name, tokens,
// quantised tensors. Everything that the file says is checked against its size before it is used.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "lm/model/checkpoint.h"

namespace akgen::lm {

struct GgufTensor {
  uint32_t type = 0;  // ggml's number: 0 F32, 1 F16, 6 Q5_0, 8 Q8_0, 12 Q4_K, 14 Q6_K, 30 BF16
  std::vector<int64_t> shape;  // rows first, as in a checkpoint
  int64_t size = 0;            // elements
  const unsigned char* data = nullptr;
};

class GgufFile {
 public:
  // AK1901: not such a file, cut short, or a tensor outside of it. AK1903: a tensor of a type that
  // is not known here.
  static base::Result<GgufFile> Open(const std::filesystem::path& path);
  const base::Json& values() const {
    return values_;
  }  // general.architecture, tokenizer.ggml.tokens, …
  const std::map<std::string, GgufTensor>& tensors() const { return tensors_; }

 private:
  base::Status Read(const std::string& where);
  base::Status ReadTensors(class GgufCursor& cursor, uint64_t count, const std::string& where);
  std::string bytes_;
  base::Json values_ = base::Json::object();
  std::map<std::string, GgufTensor> tensors_;
};

// Its numbers as float32, `tensor.size` of them.
void Dequantise(const GgufTensor& tensor, float* out);

// A file of version 3. Values: texts, booleans, whole numbers (32 bits) and others (float32);
// tensors: float32. AK0002.
base::Status WriteGguf(const std::filesystem::path& path, const base::Json& values,
                       const std::map<std::string, GgufTensor>& tensors);

// blk.0.attn_q.weight for model.layers.0.self_attn.q_proj.weight
std::string GgufName(const std::string& name);
// What general.architecture says of a model without experts.
inline const char* GgufArchitecture(const ModelConfig& config) {
  return config.qwen2 ? "qwen2" : "qwen3";
}

// The checkpoint that the file is of. AK1902: no Qwen2 or Qwen3 decoder; AK1903: its tensors are
// not those of its values.
base::Result<Checkpoint> LoadGguf(const GgufFile& file, const std::string& where);
// Its tokens and merges as a tokenizer.json. AK1910: it has no byte-level BPE.
base::Result<base::Json> TokenizerJson(const GgufFile& file, const std::string& where);

}  // namespace akgen::lm
