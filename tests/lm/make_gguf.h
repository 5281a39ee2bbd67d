// Files in llama.cpp's format, written by tests: what the reader reads is not written by its own
// code.
#pragma once
#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "lm/model/checkpoint.h"

namespace akgen::lm {

template <typename T>
void Put(std::string& out, T v) {
  out.append(reinterpret_cast<const char*>(&v), sizeof v);
}
inline void PutText(std::string& out, const std::string& s) {
  Put<uint64_t>(out, s.size()), out += s;
}
inline void PutNumber(std::string& out, const std::string& key, uint32_t v) {
  PutText(out, key), Put<uint32_t>(out, 4), Put(out, v);
}
inline void PutTexts(std::string& out, const std::string& key,
                     const std::vector<std::string>& list) {
  PutText(out, key), Put<uint32_t>(out, 9), Put<uint32_t>(out, 8), Put<uint64_t>(out, list.size());
  for (const auto& s : list) PutText(out, s);
}

struct Made {
  std::string name;
  uint32_t type;
  std::vector<int64_t> shape;
  std::string bytes;
};
inline std::string GgufOf(const std::string& values, uint64_t count,
                          const std::vector<Made>& tensors) {
  std::string out = "GGUF", data;
  Put<uint32_t>(out, 3), Put<uint64_t>(out, tensors.size()), Put<uint64_t>(out, count);
  out += values;
  for (const Made& t : tensors) {
    PutText(out, t.name), Put<uint32_t>(out, uint32_t(t.shape.size()));
    for (size_t i = t.shape.size(); i-- > 0;) Put<uint64_t>(out, uint64_t(t.shape[i]));
    Put(out, t.type), Put<uint64_t>(out, data.size());
    data += t.bytes;
    data.resize((data.size() + 31) / 32 * 32);
  }
  out.resize((out.size() + 31) / 32 * 32);
  return out + data;
}

// A checkpoint with the values that llama.cpp's converter writes, float32; `layers`: what the
// values claim (0: their number).
inline std::string GgufOf(const Checkpoint& c, const Tokenizer* tokenizer, uint32_t layers = 0) {
  const ModelConfig& config = c.model->config();
  const std::string type = config.qwen2 ? "qwen2" : "qwen3";
  std::string values;
  uint64_t count = 1;
  PutText(values, "general.architecture"), Put<uint32_t>(values, 8), PutText(values, type);
  const std::pair<const char*, int64_t> numbers[] = {
      {"block_count", layers > 0 ? layers : config.layers},
      {"embedding_length", config.hidden},
      {"feed_forward_length", config.mlp},
      {"attention.head_count", config.heads},
      {"attention.head_count_kv", config.kv_heads},
      {"attention.key_length", config.head_dim},
      {"context_length", config.context},
      {"rope.freq_base", int64_t(config.rope_theta)}};
  for (const auto& [key, v] : numbers) PutNumber(values, type + "." + key, uint32_t(v)), ++count;
  if (tokenizer) {
    std::vector<std::string> tokens, merges;
    for (int i = 0; i < tokenizer->size(); ++i)
      tokens.push_back(tokenizer->IsAdded(i) ? tokenizer->Bytes(i)
                                             : ToPrintable(tokenizer->Bytes(i)));
    const base::Json json = tokenizer->ToJson();
    for (const base::Json& m : json["model"]["merges"]) merges.push_back(m.get<std::string>());
    PutText(values, "tokenizer.ggml.model"), Put<uint32_t>(values, 8), PutText(values, "gpt2");
    PutText(values, "tokenizer.ggml.pre"), Put<uint32_t>(values, 8), PutText(values, "qwen2");
    PutTexts(values, "tokenizer.ggml.tokens", tokens);
    PutTexts(values, "tokenizer.ggml.merges", merges);
    PutText(values, "tokenizer.ggml.token_type"), Put<uint32_t>(values, 9);
    Put<uint32_t>(values, 5), Put<uint64_t>(values, tokens.size());
    for (int i = 0; i < tokenizer->size(); ++i) Put<int32_t>(values, tokenizer->IsAdded(i) ? 3 : 1);
    count += 5;
  }
  const std::pair<const char*, const char*> names[] = {{"model.layers.", "blk."},
                                                       {"self_attn.q_proj", "attn_q"},
                                                       {"self_attn.k_proj", "attn_k"},
                                                       {"self_attn.v_proj", "attn_v"},
                                                       {"self_attn.o_proj", "attn_output"},
                                                       {"self_attn.q_norm", "attn_q_norm"},
                                                       {"self_attn.k_norm", "attn_k_norm"},
                                                       {"input_layernorm", "attn_norm"},
                                                       {"post_attention_layernorm", "ffn_norm"},
                                                       {"mlp.gate_proj", "ffn_gate"},
                                                       {"mlp.up_proj", "ffn_up"},
                                                       {"mlp.down_proj", "ffn_down"},
                                                       {"model.embed_tokens", "token_embd"},
                                                       {"lm_head", "output"},
                                                       {"model.norm", "output_norm"}};
  std::vector<Made> tensors;
  for (const NamedPart& p : c.model->parts()) {
    std::string name = p.name;
    for (const auto& [theirs, ours] : names)
      if (size_t at = name.find(theirs); at != std::string::npos)
        name.replace(at, std::string(theirs).size(), ours);
    tensors.push_back({name, 0, p.shape,
                       std::string(reinterpret_cast<const char*>(c.flat.data_ptr<float>() + p.at),
                                   size_t(p.size) * 4)});
  }
  return GgufOf(values, count, tensors);
}

}  // namespace akgen::lm
