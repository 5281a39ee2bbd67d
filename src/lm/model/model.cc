#include "lm/model/model.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/autograd/variable.h>

#include <cmath>

namespace akgen::lm {
using at::Tensor;

// `rows`: the checkpoint's names and how many leading rows of the parameter each takes.
void Model::Add(std::string name, std::vector<int64_t> shape, bool decay,
                const std::vector<std::pair<std::string, int64_t>>& rows) {
  int64_t size = 1;
  for (int64_t d : shape) size *= d;
  int64_t width = shape.size() > 1 ? shape.back() : 1, at = flat_size_;
  for (const auto& [part, count] : rows) {
    parts_.push_back(
        {part, shape.size() > 1 ? std::vector<int64_t>{count, width} : std::vector<int64_t>{count},
         at, count * width});
    at += count * width;
  }
  parameters_.push_back({std::move(name), std::move(shape), flat_size_, size, decay});
  flat_size_ += (size + 15) / 16 * 16;  // every parameter starts on a cache line
}

void Model::AddLayer(int64_t i) {
  const ModelConfig& c = config_;
  std::string p = "model.layers." + std::to_string(i) + ".", a = p + "self_attn.", m = p + "mlp.";
  Add(p + "norm1", {c.hidden}, false, {{p + "input_layernorm.weight", c.hidden}});
  Add(p + "qkv", {c.qkv_width(), c.hidden}, true,
      {{a + "q_proj.weight", c.q_width()},
       {a + "k_proj.weight", c.kv_width()},
       {a + "v_proj.weight", c.kv_width()}});
  if (c.qwen2) {
    Add(p + "qkv_bias", {c.qkv_width()}, false,
        {{a + "q_proj.bias", c.q_width()},
         {a + "k_proj.bias", c.kv_width()},
         {a + "v_proj.bias", c.kv_width()}});
  } else {
    Add(p + "q_norm", {c.head_dim}, false, {{a + "q_norm.weight", c.head_dim}});
    Add(p + "k_norm", {c.head_dim}, false, {{a + "k_norm.weight", c.head_dim}});
  }
  Add(p + "out", {c.hidden, c.q_width()}, true, {{a + "o_proj.weight", c.hidden}});
  Add(p + "norm2", {c.hidden}, false, {{p + "post_attention_layernorm.weight", c.hidden}});
  if (!c.moe()) {
    Add(p + "gate_up", {2 * c.mlp, c.hidden}, true,
        {{m + "gate_proj.weight", c.mlp}, {m + "up_proj.weight", c.mlp}});
    Add(p + "down", {c.hidden, c.mlp}, true, {{m + "down_proj.weight", c.hidden}});
    return;
  }
  std::vector<std::pair<std::string, int64_t>> up, down;
  for (int64_t e = 0; e < c.experts; ++e) {
    std::string x = m + "experts." + std::to_string(e) + ".";
    up.push_back({x + "gate_proj.weight", c.mlp}), up.push_back({x + "up_proj.weight", c.mlp}),
        down.push_back({x + "down_proj.weight", c.hidden});
  }
  Add(p + "gate_up", {c.experts, 2 * c.mlp, c.hidden}, true, up);
  Add(p + "down", {c.experts, c.hidden, c.mlp}, true, down);
  Add(p + "router", {c.experts, c.hidden}, true, {{m + "gate.weight", c.experts}});
}

Model::Model(ModelConfig config) : config_(std::move(config)) {
  const ModelConfig& c = config_;
  Add("embedding", {c.vocab, c.hidden}, true, {{"model.embed_tokens.weight", c.vocab}});
  for (int64_t i = 0; i < c.layers; ++i) AddLayer(i);
  Add("norm", {c.hidden}, false, {{"model.norm.weight", c.hidden}});
  if (!c.tied) Add("head", {c.vocab, c.hidden}, true, {{"lm_head.weight", c.vocab}});
  rope_ = std::make_shared<const std::vector<float>>(
      kernels::RopeTable(c.context, c.head_dim, c.rope_theta));
}

int64_t Model::parameter_count() const {
  int64_t n = 0;
  for (const Parameter& p : parameters_) n += p.size;
  return n;
}

Tensor Model::InitialFlat(uint64_t seed) const {
  at::Generator generator = at::detail::createCPUGenerator(seed);
  Tensor flat = at::zeros({flat_size_}, at::kFloat);
  double back = 0.02 / std::sqrt(2.0 * double(config_.layers));
  for (const Parameter& p : parameters_) {
    Tensor view = flat.narrow(0, p.at, p.size);
    auto ends = [&](const char* tail) {
      return p.name.size() > 4 && p.name.compare(p.name.size() - 4, 4, tail) == 0;
    };
    if (!p.decay) {
      view.fill_(ends("bias") ? 0 : 1);
      continue;
    }
    view.normal_(0, ends(".out") || ends("down") ? back : 0.02, generator);
  }
  return flat;
}

Weights Model::View(const Tensor& flat, const Tensor& grad) const {
  Weights w;
  w.layers.resize(size_t(config_.layers));
  size_t next = 0;
  auto take = [&] {
    const Parameter& p = parameters_[next++];
    Tensor t = flat.detach().narrow(0, p.at, p.size).view(p.shape);
    if (grad.defined()) {
      t.set_requires_grad(true);
      t.mutable_grad() = grad.narrow(0, p.at, p.size).view(p.shape);
    }
    return t;
  };
  w.embedding = take();
  for (Layer& l : w.layers) {
    l.norm1 = take(), l.qkv = take();
    if (config_.qwen2)
      l.qkv_bias = take();
    else
      l.q_norm = take(), l.k_norm = take();
    for (Tensor* t : {&l.out, &l.norm2, &l.gate_up, &l.down}) *t = take();
    if (config_.moe()) l.router = take();
  }
  w.norm = take();
  w.head = config_.tied ? w.embedding : take();
  return w;
}

Packing Model::Pack(const std::vector<int64_t>& lengths) const {
  Packing p;
  p.shape = {config_.heads, config_.kv_heads, config_.head_dim, float(config_.norm_epsilon)};
  p.rope = rope_;
  p.start.push_back(0);
  for (int64_t n : lengths) {
    for (int64_t i = 0; i < n; ++i) p.position.push_back(int32_t(i));
    p.start.push_back(p.start.back() + n);
  }
  return p;
}

Tensor Model::Experts(const Layer& l, const Tensor& x) const {
  Tensor p = at::softmax(at::linear(x, l.router), -1, at::kFloat);
  auto [weight, chosen] = at::topk(p, config_.experts_per_token, -1);
  if (config_.normalise_experts) weight = weight / weight.sum(-1, true);
  Tensor out = at::zeros_like(x);
  for (int64_t e = 0; e < config_.experts; ++e) {
    auto where = at::nonzero_numpy(chosen == e);  // rows, and which of the row's choices
    if (where[0].numel() == 0) continue;
    Tensor h = SwiGlu(
        AdaptedLinear(x.index_select(0, where[0]), l.gate_up.select(0, e), l.gate_up_low, e));
    h = AdaptedLinear(h, l.down.select(0, e), l.down_low, e) *
        weight.index({where[0], where[1]}).unsqueeze(1).to(x.scalar_type());
    out = out.index_add(0, where[0], h);
  }
  return out;
}

Tensor Model::Mlp(const Layer& l, const Tensor& x) const {
  Tensor y = RmsNorm(x, l.norm2, config_.norm_epsilon);
  if (config_.moe()) return Experts(l, y);
  return AdaptedLinear(SwiGlu(AdaptedLinear(y, l.gate_up, l.gate_up_low)), l.down, l.down_low);
}

Tensor Model::Qkv(const Layer& l, const Tensor& x) const {
  Tensor qkv = AdaptedLinear(x, l.qkv, l.qkv_low);
  return l.qkv_bias.defined() ? qkv + l.qkv_bias : qkv;
}

Tensor Model::Through(const Weights& w, Tensor x, const Packing& packing, int64_t first,
                      int64_t last) const {
  for (int64_t i = first; i < last; ++i) {
    const Layer& l = w.layers[size_t(i)];
    Tensor qkv = Qkv(l, RmsNorm(x, l.norm1, config_.norm_epsilon));
    x = x + AdaptedLinear(Attend(qkv, l.q_norm, l.k_norm, packing), l.out, l.out_low);
    x = x + Mlp(l, x);
  }
  return x;
}

Tensor Model::Normalised(const Weights& w, const Tensor& x) const {
  return RmsNorm(x, w.norm, config_.norm_epsilon);
}

Tensor Model::Hidden(const Weights& w, const Tensor& ids, const Packing& packing) const {
  return Normalised(w, Through(w, at::embedding(w.embedding, ids), packing, 0, config_.layers));
}

int64_t Model::LayerAt(int64_t layer) const {
  const std::string first = "model.layers." + std::to_string(layer) + ".norm1";
  for (const Parameter& p : parameters_)
    if (p.name == first) return p.at;
  return flat_size_;
}

Weights Cast(const Weights& w, at::ScalarType dtype) {
  Weights c = w;
  auto cast = [&](Tensor& t) {
    if (t.defined()) t = t.to(dtype);
  };
  bool tied = w.head.is_same(w.embedding);
  cast(c.embedding), cast(c.norm);
  for (Layer& l : c.layers) {
    for (Tensor* t : {&l.norm1, &l.qkv, &l.qkv_bias, &l.q_norm, &l.k_norm, &l.out, &l.norm2,
                      &l.gate_up, &l.down, &l.router})
      cast(*t);
    for (auto* adapters : {&l.qkv_low, &l.out_low, &l.gate_up_low, &l.down_low})
      for (LowRank& low : *adapters) cast(low.a), cast(low.b);
  }
  tied ? void(c.head = c.embedding) : cast(c.head);
  return c;
}

}  // namespace akgen::lm
