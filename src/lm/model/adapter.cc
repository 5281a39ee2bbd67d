#include "lm/model/adapter.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "base/files.h"
#include "lm/model/safetensors.h"

namespace akgen::lm {
namespace fs = std::filesystem;
using at::Tensor;
using base::Error;
using base::Json;

namespace {
const std::string kWeight = ".weight";
// model.layers.0.self_attn.q_proj of model.layers.0.self_attn.q_proj.weight
std::string ModuleOf(const NamedPart& p) {
  return p.name.substr(0, p.name.size() - kWeight.size());
}
std::string LastWord(const std::string& module) { return module.substr(module.rfind('.') + 1); }
std::string FileName(const NamedPart& p, char which) {
  return "base_model.model." + ModuleOf(p) + ".lora_" + which + kWeight;
}
Tensor Matrix(const Tensor& flat, int64_t at, int64_t rows, int64_t columns) {
  return flat.narrow(0, at, rows * columns).view({rows, columns});
}
}  // namespace

base::Result<Adapter> Adapter::Create(const Model& model, int64_t rank, double scale,
                                      const std::vector<std::string>& targets,
                                      const std::string& where) {
  Adapter out;
  out.rank_ = rank, out.scale_ = scale;
  std::set<std::string> met;
  for (const NamedPart& p : model.parts()) {
    if (p.shape.size() != 2 || p.name.rfind("model.layers.", 0) != 0 ||
        p.name.find(".mlp.gate.weight") != std::string::npos)
      continue;
    const std::string word = LastWord(ModuleOf(p));
    if (!targets.empty() && std::find(targets.begin(), targets.end(), word) == targets.end())
      continue;
    met.insert(word);
    Pair pair{p, out.size_, out.size_ + rank * p.shape[1]};
    out.size_ = pair.b + p.shape[0] * rank;
    out.parameters_.push_back(
        {FileName(p, 'A'), {rank, p.shape[1]}, pair.a, rank * p.shape[1], true});
    out.parameters_.push_back(
        {FileName(p, 'B'), {p.shape[0], rank}, pair.b, p.shape[0] * rank, true});
    out.pairs_.push_back(pair);
  }
  for (const std::string& t : targets)
    if (!met.count(t))
      return Error{"AK1903", "an adapter for `" + t + "`, and no matrix in the layers is called so",
                   where, "q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj or down_proj"};
  out.targets_.assign(met.begin(), met.end());
  return out;
}

Tensor Adapter::A(const Pair& p, const Tensor& flat) const {
  return Matrix(flat, p.a, rank_, p.part.shape[1]);
}
Tensor Adapter::B(const Pair& p, const Tensor& flat) const {
  return Matrix(flat, p.b, p.part.shape[0], rank_);
}

Tensor Adapter::InitialFlat(uint64_t seed) const {
  at::Generator generator = at::detail::createCPUGenerator(seed);
  Tensor flat = at::zeros({size_}, at::kFloat);
  for (const Pair& p : pairs_) {
    double most = std::sqrt(1.0 / double(p.part.shape[1]));
    A(p, flat).uniform_(-most, most, generator);
  }
  return flat;
}

void Adapter::Merge(const Tensor& flat, const Tensor& base, Tensor& weights) const {
  c10::NoGradGuard no_grad;
  for (const Pair& p : pairs_) {
    auto of = [&](const Tensor& t) {
      return Matrix(t, p.part.at, p.part.shape[0], p.part.shape[1]);
    };
    of(weights).copy_(at::addmm(of(base), B(p, flat), A(p, flat), 1, scale_));
  }
}

void Adapter::Attach(const Model& model, const Tensor& flat, const Tensor& grad,
                     Weights& weights) const {
  auto leaf = [&](const Tensor& value, auto&& of_grad) {
    Tensor t = value.detach();
    if (grad.defined()) t.set_requires_grad(true), t.mutable_grad() = of_grad(grad);
    return t;
  };
  const std::string layers = "model.layers.";
  auto whole = model.parameters().begin();
  for (const Pair& p : pairs_) {  // both in the order of the flat tensor
    while (p.part.at >= whole->at + whole->size) ++whole;
    const size_t dot = whole->name.find('.', layers.size());
    Layer& layer =
        weights.layers[std::stoul(whole->name.substr(layers.size(), dot - layers.size()))];
    const std::string matrix = whole->name.substr(dot + 1);
    auto& lows = matrix == "qkv"       ? layer.qkv_low
                 : matrix == "out"     ? layer.out_low
                 : matrix == "gate_up" ? layer.gate_up_low
                                       : layer.down_low;
    lows.push_back({leaf(A(p, flat), [&](const Tensor& g) { return A(p, g); }),
                    leaf(B(p, flat), [&](const Tensor& g) { return B(p, g); }),
                    (p.part.at - whole->at) / p.part.shape[1], p.part.shape[0], scale_});
  }
}

base::Status Adapter::Save(const Tensor& flat, const fs::path& base, const fs::path& folder) const {
  std::error_code ec;
  fs::create_directories(folder, ec);
  Tensor stored = flat.detach().to(at::kCPU).contiguous();
  std::map<std::string, TensorView> tensors;
  for (const Parameter& p : parameters_)
    tensors[p.name] = {"F32", p.shape,
                       reinterpret_cast<const char*>(stored.data_ptr<float>() + p.at),
                       size_t(p.size) * 4};
  if (auto s = WriteTensors(folder / "adapter_model.safetensors", tensors); !s.ok()) return s;
  Json config = {{"peft_type", "LORA"},
                 {"task_type", "CAUSAL_LM"},
                 {"base_model_name_or_path", fs::absolute(base).lexically_normal().string()},
                 {"r", rank_},
                 {"lora_alpha", scale_ * double(rank_)},
                 {"lora_dropout", 0.0},
                 {"bias", "none"},
                 {"fan_in_fan_out", false},
                 {"inference_mode", true},
                 {"target_modules", targets_}};
  return base::WriteFileAtomic(folder / "adapter_config.json", base::Dump(config, 2) + "\n");
}

base::Status Adapter::MergeFiles(const fs::path& folder, const Json& config, const Model& model,
                                 Tensor& weights) {
  const fs::path said = folder / "adapter_config.json", file = folder / "adapter_model.safetensors";
  auto bad = [&](const std::string& why) {
    return Error{"AK1902", why, said.string(),
                 "merge the adapter with PEFT, and load the merged checkpoint"};
  };
  auto set = [&](const char* key) {
    return config.contains(key) && !config[key].is_null() && config[key] != Json(false) &&
           !(config[key].is_structured() && config[key].empty());
  };
  if (config.value("peft_type", Json()) != Json("LORA")) return bad("the adapter is not LoRA");
  for (const char* key :
       {"use_dora", "fan_in_fan_out", "rank_pattern", "alpha_pattern", "modules_to_save",
        "layers_to_transform", "layer_replication", "lora_bias"})
    if (set(key)) return bad(std::string("the adapter sets ") + key + ", which is not known here");
  if (set("bias") && config["bias"] != Json("none")) return bad("the adapter has biases");
  if (!config.value("r", Json()).is_number_integer() || config["r"].get<int64_t>() < 1 ||
      !config.value("lora_alpha", Json()).is_number())
    return bad("r and lora_alpha are needed");
  const int64_t rank = config["r"].get<int64_t>();
  const double alpha = config["lora_alpha"].get<double>(),
               scale = alpha / (set("use_rslora") ? std::sqrt(double(rank)) : double(rank));
  std::vector<std::string> targets;
  if (const Json t = config.value("target_modules", Json()); t.is_array())
    for (const Json& one : t)
      if (one.is_string()) targets.push_back(LastWord(one.get<std::string>()));
  auto adapter = Create(model, rank, scale, targets, said.string());
  if (!adapter.ok()) return adapter.error();
  auto open = TensorFile::Open(file);
  if (!open.ok()) return open.error();
  Tensor flat = at::zeros({adapter->size_}, at::kFloat);
  for (const Parameter& p : adapter->parameters_) {
    auto it = open->tensors().find(p.name);
    if (it == open->tensors().end())
      return Error{"AK1903", "tensor `" + p.name + "` is missing", file.string(),
                   "the adapter must be of this model"};
    const TensorView& t = it->second;
    if (t.shape != p.shape)
      return Error{"AK1903", "tensor `" + p.name + "` has another shape than rank and model say",
                   file.string(), "the adapter must be of this model"};
    const auto dtype = t.dtype == "F32"    ? at::kFloat
                       : t.dtype == "BF16" ? at::kBFloat16
                                           : at::kHalf;
    if (dtype == at::kHalf && t.dtype != "F16")
      return Error{"AK1903", "tensor `" + p.name + "` has dtype " + t.dtype, file.string(),
                   "F32, BF16 or F16"};
    Tensor raw = at::empty({p.size}, dtype);
    std::memcpy(raw.data_ptr(), t.data, t.bytes);
    flat.narrow(0, p.at, p.size).copy_(raw);
  }
  if (open->tensors().size() != adapter->parameters_.size())
    return Error{"AK1903", "the adapter has tensors with no place in the model", file.string(),
                 "the adapter must be of this model"};
  adapter->Merge(flat, weights.clone(), weights);
  return {};
}

}  // namespace akgen::lm
