#include "lm/model/config.h"

namespace akgen::lm {
using base::Error;
using base::Json;

namespace {
Error BadConfig(const std::string& why, const std::string& where) {
  return Error{"AK1902", why, where, "only Qwen2, Qwen3 and Qwen3-MoE decoders are supported"};
}

base::Status Unsupported(const Json& j, const std::string& where) {
  std::string type = j.value("model_type", "qwen3");
  if (type != "qwen2" && type != "qwen3" && type != "qwen3_moe")
    return BadConfig("model_type `" + type + "`", where);
  if (j.value("hidden_act", "silu") != "silu") return BadConfig("hidden_act is not `silu`", where);
  if (j.value("attention_bias", false)) return BadConfig("attention_bias is set", where);
  if (j.value("use_sliding_window", false)) return BadConfig("use_sliding_window is set", where);
  if (j.contains("rope_scaling") && !j["rope_scaling"].is_null() &&
      j["rope_scaling"].value("rope_type", "default") != "default")
    return BadConfig("rope_scaling is set", where);
  if (j.value("decoder_sparse_step", 1) != 1 || !j.value("mlp_only_layers", Json::array()).empty())
    return BadConfig("some layers have experts and others not", where);
  return {};
}

base::Status Check(const ModelConfig& c, const std::string& where) {
  struct Field {
    const char* name;
    int64_t value, most;
  } fields[] = {{"vocab_size", c.vocab, 1 << 22},
                {"hidden_size", c.hidden, 1 << 17},
                {"num_hidden_layers", c.layers, 1000},
                {"num_attention_heads", c.heads, 4096},
                {"num_key_value_heads", c.kv_heads, 4096},
                {"head_dim", c.head_dim, 1024},
                {c.moe() ? "moe_intermediate_size" : "intermediate_size", c.mlp, 1 << 20},
                {"max_position_embeddings", c.context, 1 << 24}};
  for (const Field& f : fields)
    if (f.value < 1 || f.value > f.most)
      return BadConfig(std::string(f.name) + " is " + std::to_string(f.value) + "; between 1 and " +
                           std::to_string(f.most) + " is expected",
                       where);
  if (c.heads % c.kv_heads)
    return BadConfig("num_attention_heads is no multiple of num_key_value_heads", where);
  if (c.head_dim % 2) return BadConfig("head_dim is odd", where);
  if (c.experts < 0 || c.experts > 4096 ||
      (c.moe() && (c.experts_per_token < 1 || c.experts_per_token > c.experts)))
    return BadConfig("num_experts_per_tok does not fit num_experts", where);
  return {};
}
}  // namespace

base::Result<ModelConfig> ModelConfig::FromJson(const Json& j, const std::string& where) {
  if (!j.is_object()) return BadConfig("this is not a config.json", where);
  try {
    if (auto s = Unsupported(j, where); !s.ok()) return s.error();
    ModelConfig c;
    c.source = j;
    c.vocab = j.value("vocab_size", int64_t(0)), c.hidden = j.value("hidden_size", int64_t(0)),
    c.layers = j.value("num_hidden_layers", int64_t(0));
    c.heads = j.value("num_attention_heads", int64_t(0)),
    c.kv_heads = j.value("num_key_value_heads", c.heads);
    c.head_dim = j.contains("head_dim") && j["head_dim"].is_number() ? j["head_dim"].get<int64_t>()
                 : c.heads > 0                                       ? c.hidden / c.heads
                                                                     : 0;
    const std::string type = j.value("model_type", "qwen3");
    c.qwen2 = type == "qwen2";
    c.experts =
        type == "qwen3_moe" ? j.value("num_experts", j.value("num_local_experts", int64_t(0))) : 0;
    c.mlp = j.value(c.moe() ? "moe_intermediate_size" : "intermediate_size", int64_t(0));
    c.experts_per_token = j.value("num_experts_per_tok", int64_t(0)),
    c.normalise_experts = j.value("norm_topk_prob", false);
    c.tied = j.value("tie_word_embeddings", false),
    c.context = j.value("max_position_embeddings", c.context);
    c.norm_epsilon = j.value("rms_norm_eps", c.norm_epsilon),
    c.rope_theta = j.value("rope_theta", 10000.0);
    if (j.contains("rope_parameters") &&
        j["rope_parameters"].is_object()) {  // where transformers 5 keeps it
      if (j["rope_parameters"].value("rope_type", "default") != "default")
        return BadConfig("rope_parameters ask for scaling", where);
      c.rope_theta = j["rope_parameters"].value("rope_theta", c.rope_theta);
    }
    if (j.contains("eos_token_id") && j["eos_token_id"].is_number_integer())
      c.end_token = j["eos_token_id"].get<int64_t>();
    if (auto s = Check(c, where); !s.ok()) return s.error();
    return c;
  } catch (const Json::exception& e) {
    return BadConfig(std::string("a value has another type than expected: ") + e.what(), where);
  }
}

Json ModelConfig::ToJson() const {
  Json j = source.is_object() ? source : Json::object();
  if (!source.is_object() || source.empty())
    j = {{"architectures", Json::array({moe() ? "Qwen3MoeForCausalLM" : "Qwen3ForCausalLM"})},
         {"model_type", moe() ? "qwen3_moe" : "qwen3"},
         {"hidden_act", "silu"},
         {"attention_bias", false},
         {"attention_dropout", 0.0},
         {"rope_scaling", nullptr},
         {"use_sliding_window", false},
         {"torch_dtype", "float32"}};
  j["vocab_size"] = vocab, j["hidden_size"] = hidden, j["num_hidden_layers"] = layers,
  j["num_attention_heads"] = heads;
  j["num_key_value_heads"] = kv_heads, j["head_dim"] = head_dim,
  j[moe() ? "moe_intermediate_size" : "intermediate_size"] = mlp;
  if (moe())
    j["num_experts"] = experts, j["num_experts_per_tok"] = experts_per_token,
    j["norm_topk_prob"] = normalise_experts;
  j["tie_word_embeddings"] = tied, j["max_position_embeddings"] = context,
  j["rms_norm_eps"] = norm_epsilon;
  if (!j.contains("rope_parameters")) j["rope_theta"] = rope_theta;
  if (end_token >= 0) j["eos_token_id"] = end_token;
  return j;
}

double ModelConfig::OperationsPerToken(double length) const {
  const double gated = 3.0 * double(hidden * mlp),
               mixed = gated * double(experts_per_token) + double(hidden * experts);
  const double layer = double(hidden * (qkv_width() + q_width())) + (moe() ? mixed : gated);
  return 6 * (double(layers) * layer + double(vocab * hidden)) +
         6.0 * double(layers * q_width()) * length;
}

}  // namespace akgen::lm
