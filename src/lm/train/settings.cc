#include "lm/train/settings.h"

#include <algorithm>
#include <cmath>

namespace akgen::lm {
using base::Error;
using base::Json;

namespace {
// One list of fields feeds reading, writing and the check for unknown keys.
template <typename S, typename F>
void Fields(S& s, F&& f) {
  f("objective", s.objective), f("data", s.data), f("validation", s.validation),
      f("tokenizer", s.tokenizer), f("init", s.init);
  f("hidden", s.hidden), f("layers", s.layers), f("heads", s.heads), f("kv_heads", s.kv_heads),
      f("head_dim", s.head_dim), f("mlp", s.mlp);
  f("context", s.context), f("steps", s.steps), f("epochs", s.epochs),
      f("tokens_per_step", s.tokens_per_step), f("micro_tokens", s.micro_tokens);
  f("lr", s.lr), f("min_lr", s.min_lr), f("warmup", s.warmup), f("weight_decay", s.weight_decay),
      f("beta1", s.beta1), f("beta2", s.beta2);
  f("epsilon", s.epsilon), f("optimizer", s.optimizer), f("momentum", s.momentum),
      f("muon_scale", s.muon_scale), f("lora_rank", s.lora.rank);
  f("lora_alpha", s.lora.alpha), f("lora_targets", s.lora.targets), f("lora_layers", s.lora.layers),
      f("lora_init", s.lora.init), f("lora_merge", s.lora.merge);
  f("lora_keep_states", s.lora.keep_states), f("lora_output_tokens", s.lora.output_tokens),
      f("clip", s.clip), f("dpo_beta", s.dpo_beta), f("seed", s.seed),
      f("save_every", s.save_every);
  f("validate_every", s.validate_every), f("prompts_per_step", s.grpo.prompts_per_step),
      f("group", s.grpo.group), f("max_tokens", s.grpo.max_tokens);
  f("temperature", s.grpo.temperature), f("grammar", s.grpo.grammar), f("workers", s.workers),
      f("device", s.device), f("compute", s.compute), f("peak_tflops", s.peak_tflops);
}

void Flatten(const Json& j, Json& out) {
  for (auto it = j.begin(); it != j.end(); ++it)
    it->is_object() ? Flatten(*it, out) : void(out[it.key()] = *it);
}

Error BadSettings(const std::string& why, const std::string& where) {
  return Error{"AK1921", why, where, "docs/lm.md lists the settings"};
}

std::string Problem(const TrainSettings& s, const LoraSettings& lora) {
  if (lora.rank < 0 || !(lora.alpha > 0)) return "lora_rank is not negative, lora_alpha positive";
  if (lora.rank > 0 && s.init.empty())
    return "lora_rank needs `init`: the model that the adapter is for";
  if (lora.layers < 0 || lora.output_tokens < 0)
    return "lora_layers and lora_output_tokens are not negative";
  if (lora.rank == 0 &&
      (lora.layers > 0 || !lora.init.empty() || lora.keep_states || lora.output_tokens > 0))
    return "lora_layers, lora_init, lora_keep_states and lora_output_tokens need lora_rank";
  if (s.objective == "grpo" && (lora.keep_states || lora.output_tokens > 0))
    return "lora_keep_states and lora_output_tokens need texts that are there before grpo draws "
           "them";
  return "";
}

std::string Problem(const TrainSettings& s) {
  if (s.objective != "sft" && s.objective != "dpo" && s.objective != "grpo")
    return "objective is `sft`, `dpo` or `grpo`";
  if (s.data.empty()) return "data names no file";
  if (s.init.empty() && s.tokenizer.empty()) return "without `init`, `tokenizer` must name one";
  if (s.objective == "dpo" && s.init.empty())
    return "dpo needs `init`: the model that is also the frozen reference";
  if (s.objective == "grpo" && (s.grpo.group < 2 || s.grpo.prompts_per_step < 1 ||
                                s.grpo.max_tokens < 1 || !(s.grpo.temperature > 0) || s.steps < 1))
    return "grpo needs steps, group of at least 2, prompts_per_step, max_tokens and temperature "
           "above 0";
  if (s.tokens_per_step < 1 || s.micro_tokens < 1)
    return "tokens_per_step and micro_tokens are at least 1";
  if (s.steps < 0 || (s.steps == 0 && !(s.epochs > 0))) return "steps or epochs must be positive";
  if (!(s.lr > 0) || s.min_lr < 0 || s.min_lr > 1 || s.warmup < 0)
    return "lr must be positive, min_lr between 0 and 1, warmup not negative";
  if (!(s.beta1 >= 0 && s.beta1 < 1 && s.beta2 >= 0 && s.beta2 < 1 && s.epsilon > 0 &&
        s.weight_decay >= 0 && s.clip >= 0))
    return "beta1 and beta2 lie in [0, 1), epsilon is positive, weight_decay and clip not negative";
  if (s.optimizer != "adamw" && s.optimizer != "muon") return "optimizer is `adamw` or `muon`";
  if (!(s.momentum >= 0 && s.momentum < 1 && s.muon_scale > 0))
    return "momentum lies in [0, 1), muon_scale is positive";
  if (std::string p = Problem(s, s.lora); !p.empty()) return p;
  if (s.save_every < 1 || s.validate_every < 1)
    return "save_every and validate_every are at least 1";
  if (!(s.peak_tflops >= 0)) return "peak_tflops is not negative";
  if (s.workers < 0 || s.workers > 256) return "workers is between 0 and 256";
  if (s.device != "cpu" && s.device.rfind("cuda", 0) != 0) return "device is `cpu` or `cuda`";
  if (s.compute != "float32" && s.compute != "bfloat16")
    return "compute is `float32` or `bfloat16`";
  return "";
}
}  // namespace

base::Result<TrainSettings> TrainSettings::FromJson(const Json& json, const std::string& where) {
  if (!json.is_object()) return BadSettings("the settings are no table", where);
  Json flat = Json::object();
  Flatten(json, flat);
  TrainSettings s;
  std::string wrong;
  Fields(s, [&](const char* name, auto& field) {
    auto it = flat.find(name);
    if (it == flat.end()) return;
    try {
      if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::vector<std::string>>) {
        if (it->is_string()) *it = Json::array({*it});
      } else if constexpr (std::is_integral_v<std::decay_t<decltype(field)>> &&
                           !std::is_same_v<std::decay_t<decltype(field)>, bool>) {
        if (!it->is_number_integer()) wrong = std::string(name) + " is no whole number";
      }
      it->get_to(field);
    } catch (const Json::exception&) {
      wrong = std::string(name) + " has a value of another type";
    }
    flat.erase(it);
  });
  if (!wrong.empty()) return BadSettings(wrong, where);
  if (!flat.empty()) return BadSettings("there is no setting `" + flat.begin().key() + "`", where);
  if (std::string p = Problem(s); !p.empty()) return BadSettings(p, where);
  return s;
}

Json TrainSettings::ToJson() const {
  Json j = Json::object();
  Fields(*this, [&](const char* name, const auto& field) { j[name] = field; });
  return j;
}

ModelConfig TrainSettings::Shape(int64_t vocab) const {
  ModelConfig c;
  c.vocab = vocab, c.hidden = hidden, c.layers = layers, c.heads = heads, c.kv_heads = kv_heads,
  c.head_dim = head_dim, c.mlp = mlp, c.context = context;
  c.rope_theta = 10000;  // short contexts
  return c;
}

double TrainSettings::LearningRate(int64_t step, int64_t all) const {
  if (step < warmup) return lr * double(step + 1) / double(warmup);
  double done = all > warmup ? double(step - warmup) / double(all - warmup) : 1.0;
  return lr * (min_lr + (1 - min_lr) * 0.5 * (1 + std::cos(M_PI * std::min(done, 1.0))));
}

}  // namespace akgen::lm
