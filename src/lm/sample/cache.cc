#include "lm/sample/cache.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

namespace akgen::lm {
using at::Tensor;

Decoder::Decoder(const Model& model, Weights weights, int64_t slots, int64_t context)
    : model_(model), w_(std::move(weights)) {
  for (int64_t i = 0; i < model.config().layers; ++i)
    cache_.push_back(at::empty({slots, context, 2 * model.config().kv_width()},
                               w_.embedding.options().requires_grad(false)));
}

Tensor Decoder::Logits(const Tensor& hidden) const {
  return at::linear(hidden, w_.head).to(at::kFloat).to(at::kCPU).contiguous();
}

Tensor Decoder::Read(const std::vector<int>& ids, int64_t slot) {
  c10::NoGradGuard no_grad;
  int64_t n = int64_t(ids.size()), q = model_.config().q_width(),
          kv = 2 * model_.config().kv_width();
  Packing packing = model_.Pack({n});
  Tensor x = at::embedding(w_.embedding, at::tensor(ids, at::kLong).to(w_.embedding.device()));
  for (size_t i = 0; i < w_.layers.size(); ++i) {
    const Layer& l = w_.layers[i];
    Tensor qkv = model_.Qkv(l, RmsNorm(x, l.norm1, model_.config().norm_epsilon));
    cache_[i].select(0, slot).narrow(0, 0, n).copy_(
        NormRopeRows(qkv, l.q_norm, l.k_norm, packing).narrow(1, q, kv));
    x = x + at::linear(Attend(qkv, l.q_norm, l.k_norm, packing), l.out);
    x = x + model_.Mlp(l, x);
  }
  return Logits(RmsNorm(x.narrow(0, n - 1, 1), w_.norm, model_.config().norm_epsilon))[0];
}

void Decoder::CopySlot(int64_t from, int64_t to, int64_t tokens) {
  for (Tensor& c : cache_)
    c.select(0, to).narrow(0, 0, tokens).copy_(c.select(0, from).narrow(0, 0, tokens));
}

Tensor Decoder::CachedAttend(const Tensor& rows, int64_t layer, const std::vector<int64_t>& slots,
                             const std::vector<int64_t>& lengths) const {
  const ModelConfig& c = model_.config();
  const Tensor& cache = cache_[size_t(layer)];
  int64_t b = rows.size(0), q = c.q_width(), d = c.head_dim;
  if (rows.is_cpu() && rows.scalar_type() == at::kFloat) {
    kernels::AttentionShape shape{c.heads, c.kv_heads, d, float(c.norm_epsilon)};
    Tensor out = at::empty({b, q}, rows.options());
    for (int64_t i = 0; i < b; ++i)
      kernels::CachedAttention(shape, rows.data_ptr<float>() + i * rows.size(1),
                               cache[slots[size_t(i)]].data_ptr<float>(), lengths[size_t(i)] + 1,
                               out.data_ptr<float>() + i * q);
    return out;
  }
  int64_t longest = *std::max_element(lengths.begin(), lengths.end()) + 1;
  auto longs = [&](const std::vector<int64_t>& v) {
    return at::tensor(v, at::kLong).to(rows.device());
  };
  Tensor kv = cache.index_select(0, longs(slots))
                  .narrow(1, 0, longest)
                  .view({b, longest, 2, c.kv_heads, d})
                  .permute({2, 0, 3, 1, 4});
  Tensor k = kv[0].repeat_interleave(c.heads / c.kv_heads, 1),
         v = kv[1].repeat_interleave(c.heads / c.kv_heads, 1);
  Tensor scores = at::matmul(rows.narrow(1, 0, q).reshape({b, c.heads, 1, d}), k.transpose(-2, -1))
                      .to(at::kFloat) /
                  std::sqrt(double(d));
  Tensor hidden =
      at::arange(longest, longs(lengths).options()).unsqueeze(0) > longs(lengths).unsqueeze(1);
  Tensor p = at::softmax(scores.masked_fill(hidden.view({b, 1, 1, longest}), -INFINITY), -1)
                 .to(v.scalar_type());
  return at::matmul(p, v).reshape({b, q});
}

Tensor Decoder::Step(const std::vector<int>& ids, const std::vector<int64_t>& slots,
                     const std::vector<int64_t>& lengths) {
  c10::NoGradGuard no_grad;
  const ModelConfig& c = model_.config();
  int64_t b = int64_t(ids.size());
  Packing packing = model_.Pack({b});
  for (size_t i = 0; i < ids.size(); ++i) packing.position[i] = int32_t(lengths[i]);
  auto longs = [&](const std::vector<int64_t>& v) {
    return at::tensor(v, at::kLong).to(w_.embedding.device());
  };
  Tensor x = at::embedding(w_.embedding, longs({ids.begin(), ids.end()})), slot = longs(slots),
         at = longs(lengths);
  for (size_t i = 0; i < w_.layers.size(); ++i) {
    const Layer& l = w_.layers[i];
    Tensor qkv = model_.Qkv(l, RmsNorm(x, l.norm1, c.norm_epsilon));
    Tensor rows = NormRopeRows(qkv, l.q_norm, l.k_norm, packing);
    cache_[i].index_put_({slot, at}, rows.narrow(1, c.q_width(), 2 * c.kv_width()));
    x = x + at::linear(CachedAttend(rows, int64_t(i), slots, lengths), l.out);
    x = x + model_.Mlp(l, x);
  }
  return Logits(RmsNorm(x, w_.norm, c.norm_epsilon));
}

}  // namespace akgen::lm
