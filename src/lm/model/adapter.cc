#include "lm/model/adapter.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "base/files.h"
#include "lm/model/gguf.h"
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
const std::string kLayers = "model.layers.";
// 12 of model.layers.12.self_attn.q_proj.weight
int64_t LayerOf(const std::string& name) { return std::stol(name.substr(kLayers.size())); }
Tensor Matrix(const Tensor& flat, int64_t at, int64_t rows, int64_t columns) {
  return flat.narrow(0, at, rows * columns).view({rows, columns});
}
}  // namespace

base::Result<Adapter> Adapter::Create(const Model& model, const AdapterShape& shape,
                                      const std::string& where) {
  Adapter out;
  out.shape_ = shape, out.first_layer_ = model.config().layers;
  auto among = [](const auto& list, const auto& x) {
    return list.empty() || std::find(list.begin(), list.end(), x) != list.end();
  };
  for (int64_t layer : shape.layers)
    if (layer < 0 || layer >= model.config().layers)
      return Error{"AK1903",
                   "an adapter for layer " + std::to_string(layer) + " of a model with " +
                       std::to_string(model.config().layers),
                   where, "layers count from 0"};
  std::set<std::string> met;
  for (const NamedPart& p : model.parts()) {
    if (p.shape.size() != 2 || p.name.rfind(kLayers, 0) != 0 ||
        p.name.find(".mlp.gate.weight") != std::string::npos)
      continue;
    const std::string word = LastWord(ModuleOf(p));
    const int64_t layer = LayerOf(p.name);
    if (!among(shape.targets, word) || !among(shape.layers, layer)) continue;
    met.insert(word);
    out.first_layer_ = std::min(out.first_layer_, layer);
    Pair pair{p, out.size_, out.size_ + shape.rank * p.shape[1]};
    out.size_ = pair.b + p.shape[0] * shape.rank;
    out.parameters_.push_back(
        {FileName(p, 'A'), {shape.rank, p.shape[1]}, pair.a, shape.rank * p.shape[1], true});
    out.parameters_.push_back(
        {FileName(p, 'B'), {p.shape[0], shape.rank}, pair.b, p.shape[0] * shape.rank, true});
    out.pairs_.push_back(pair);
  }
  for (const std::string& t : shape.targets)
    if (!met.count(t))
      return Error{"AK1903", "an adapter for `" + t + "`, and no matrix in the layers is called so",
                   where, "q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj or down_proj"};
  out.shape_.targets.assign(met.begin(), met.end());
  return out;
}

Tensor Adapter::A(const Pair& p, const Tensor& flat) const {
  return Matrix(flat, p.a, shape_.rank, p.part.shape[1]);
}
Tensor Adapter::B(const Pair& p, const Tensor& flat) const {
  return Matrix(flat, p.b, p.part.shape[0], shape_.rank);
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
    of(weights).copy_(at::addmm(of(base), B(p, flat), A(p, flat), 1, shape_.scale));
  }
}

void Adapter::Attach(const Model& model, const Tensor& flat, const Tensor& grad,
                     Weights& weights) const {
  auto leaf = [&](const Tensor& value, auto&& of_grad) {
    Tensor t = value.detach();
    if (grad.defined()) t.set_requires_grad(true), t.mutable_grad() = of_grad(grad);
    return t;
  };
  auto whole = model.parameters().begin();
  for (const Pair& p : pairs_) {  // both in the order of the flat tensor
    while (p.part.at >= whole->at + whole->size) ++whole;
    Layer& layer = weights.layers[size_t(LayerOf(whole->name))];
    const std::string matrix = LastWord(whole->name);
    auto& lows = matrix == "qkv"       ? layer.qkv_low
                 : matrix == "out"     ? layer.out_low
                 : matrix == "gate_up" ? layer.gate_up_low
                                       : layer.down_low;
    lows.push_back({leaf(A(p, flat), [&](const Tensor& g) { return A(p, g); }),
                    leaf(B(p, flat), [&](const Tensor& g) { return B(p, g); }),
                    (p.part.at - whole->at) / p.part.shape[1], p.part.shape[0], shape_.scale});
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
                 {"r", shape_.rank},
                 {"lora_alpha", shape_.scale * double(shape_.rank)},
                 {"lora_dropout", 0.0},
                 {"bias", "none"},
                 {"fan_in_fan_out", false},
                 {"inference_mode", true},
                 {"target_modules", shape_.targets}};
  if (!shape_.layers.empty()) {
    config["layers_to_transform"] = shape_.layers;
    config["layers_pattern"] = "layers";
  }
  return base::WriteFileAtomic(folder / "adapter_config.json", base::Dump(config, 2) + "\n");
}

base::Status Adapter::SaveGguf(const Tensor& flat, const ModelConfig& config,
                               const fs::path& file) const {
  Tensor stored = flat.detach().to(at::kCPU).contiguous();
  std::map<std::string, GgufTensor> tensors;
  auto add = [&](const std::string& name, std::vector<int64_t> shape, int64_t at) {
    const auto* data = reinterpret_cast<const unsigned char*>(stored.data_ptr<float>() + at);
    const int64_t size = shape[0] * shape[1];
    tensors[name] = {0, std::move(shape), size, data};
  };
  for (const Pair& p : pairs_) {
    const std::string name = GgufName(p.part.name);
    add(name + ".lora_a", {shape_.rank, p.part.shape[1]}, p.a);
    add(name + ".lora_b", {p.part.shape[0], shape_.rank}, p.b);
  }
  return WriteGguf(file,
                   {{"general.architecture", GgufArchitecture(config)},
                    {"general.type", "adapter"},
                    {"adapter.type", "lora"},
                    {"adapter.lora.alpha", shape_.scale * double(shape_.rank)}},
                   tensors);
}

namespace {
Error BadAdapter(const std::string& why, const fs::path& said) {
  return Error{"AK1902", why, said.string(),
               "merge the adapter with PEFT, and load the merged checkpoint"};
}

base::Result<AdapterShape> ShapeOf(const Json& config, const fs::path& said) {
  auto set = [&](const char* key) {
    return config.contains(key) && !config[key].is_null() && config[key] != Json(false) &&
           !(config[key].is_structured() && config[key].empty());
  };
  if (!config.is_object() || config.value("peft_type", Json()) != Json("LORA"))
    return BadAdapter("the adapter is not LoRA", said);
  for (const char* key : {"use_dora", "fan_in_fan_out", "rank_pattern", "alpha_pattern",
                          "modules_to_save", "layer_replication", "lora_bias"})
    if (set(key))
      return BadAdapter(std::string("the adapter sets ") + key + ", which is not known here", said);
  if (set("bias") && config["bias"] != Json("none"))
    return BadAdapter("the adapter has biases", said);
  if (!config.value("r", Json()).is_number_integer() || config["r"].get<int64_t>() < 1 ||
      !config.value("lora_alpha", Json()).is_number())
    return BadAdapter("r and lora_alpha are needed", said);
  AdapterShape out;
  out.rank = config["r"].get<int64_t>();
  const double r = double(out.rank);
  out.scale = config["lora_alpha"].get<double>() / (set("use_rslora") ? std::sqrt(r) : r);
  if (const Json t = config.value("target_modules", Json()); t.is_array())
    for (const Json& one : t)
      if (one.is_string()) out.targets.push_back(LastWord(one.get<std::string>()));
  if (set("layers_to_transform")) {
    const Json& said_layers = config["layers_to_transform"];
    for (const Json& one : said_layers.is_array() ? said_layers : Json::array({said_layers})) {
      if (!one.is_number_integer()) return BadAdapter("layers_to_transform are no numbers", said);
      out.layers.push_back(one.get<int64_t>());
    }
    std::sort(out.layers.begin(), out.layers.end());
  }
  return out;
}
}  // namespace

base::Status Adapter::ReadTensors(const fs::path& file, const Tensor& flat) const {
  auto open = TensorFile::Open(file);
  if (!open.ok()) return open.error();
  auto bad = [&](const std::string& why) {
    return Error{"AK1903", why, file.string(), "the adapter must be of this model"};
  };
  for (const Parameter& p : parameters_) {
    auto it = open->tensors().find(p.name);
    if (it == open->tensors().end()) return bad("tensor `" + p.name + "` is missing");
    const TensorView& t = it->second;
    if (t.shape != p.shape)
      return bad("tensor `" + p.name + "` has another shape than rank and model say");
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
  if (open->tensors().size() != parameters_.size())
    return bad("the adapter has tensors with no place in the model");
  return {};
}

base::Result<std::pair<Adapter, Tensor>> Adapter::Read(const fs::path& folder, const Model& model) {
  const fs::path said = folder / "adapter_config.json";
  auto text = base::ReadFile(said);
  if (!text.ok()) return text.error();
  auto shape = ShapeOf(base::Parse(*text), said);
  if (!shape.ok()) return shape.error();
  auto adapter = Create(model, *shape, said.string());
  if (!adapter.ok()) return adapter.error();
  Tensor flat = at::zeros({adapter->size_}, at::kFloat);
  if (auto s = adapter->ReadTensors(folder / "adapter_model.safetensors", flat); !s.ok())
    return s.error();
  return std::pair<Adapter, Tensor>(std::move(*adapter), flat);
}

}  // namespace akgen::lm
