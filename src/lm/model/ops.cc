#include "lm/model/ops.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/version.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "lm/model/attention_tiles.h"
#include "lm/model/blas.h"

namespace akgen::lm {
namespace {
using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

std::atomic<bool> use_fused{true}, short_products{false};
constexpr int64_t kLogitRows = 256;  // rows of logits that exist at a time

bool Fused(const Tensor& x) { return use_fused && x.is_cpu() && x.scalar_type() == at::kFloat; }
bool InTiles(const kernels::AttentionShape& s) { return short_products && kernels::TilesTake(s); }
float* Data(const Tensor& t) {
  return t.defined() && t.numel() > 0 ? t.data_ptr<float>() : nullptr;
}

struct RmsNormOp : torch::autograd::Function<RmsNormOp> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x_in, const Tensor& w, double epsilon) {
    Tensor x = x_in.contiguous(), y = at::empty_like(x), rstd = at::empty({x.size(0)}, x.options());
    kernels::RmsNorm(Data(x), Data(w), float(epsilon), x.size(0), x.size(1), Data(y), Data(rstd));
    ctx->save_for_backward({x, w, rstd});
    return y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grad) {
    auto saved = ctx->get_saved_variables();
    const Tensor &x = saved[0], &w = saved[1];
    Tensor dy = grad[0].contiguous(), dx = at::empty_like(x), dw;
    if (ctx->needs_input_grad(1)) dw = at::zeros_like(w);
    kernels::RmsNormBackward(Data(dy), Data(x), Data(w), Data(saved[2]), x.size(0), x.size(1),
                             Data(dx), Data(dw));
    return {dx, dw, Tensor()};
  }
};

// Rows in bfloat16, zeros up to whole blocks: oneDNN makes code for each shape that it meets, which
// takes as long as the product, and its store of them is not safe (2.6) against threads that make
// some while others are forgotten.
Tensor InBlocks(const Tensor& x) {
  constexpr int64_t kBlock = 128;
  int64_t n = x.size(0), all = (n + kBlock - 1) / kBlock * kBlock;
  if (all == n) return x.to(at::kBFloat16);
  Tensor out = at::empty({all, x.size(1)}, x.options().dtype(at::kBFloat16));
  out.narrow(0, 0, n).copy_(x);
  out.narrow(0, n, all - n).zero_();
  return out;
}

struct ShortLinearOp : torch::autograd::Function<ShortLinearOp> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x_in, const Tensor& w_in) {
    Tensor x = InBlocks(x_in), w = w_in.to(at::kBFloat16);
    ctx->save_for_backward({x, w});
    return at::mm(x, w.t()).narrow(0, 0, x_in.size(0)).to(at::kFloat);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grad) {
    auto v = ctx->get_saved_variables();
    Tensor dy = InBlocks(grad[0]);
    Tensor dw = ctx->needs_input_grad(1) ? at::mm(dy.t(), v[0]).to(at::kFloat) : Tensor();
    return {at::mm(dy, v[1]).narrow(0, 0, grad[0].size(0)).to(at::kFloat), dw};
  }
};

// A frozen matrix and what adapters add to parts of its result, in place: the added parts are as
// large as the result, their factors are not.
struct AdaptedLinearOp : torch::autograd::Function<AdaptedLinearOp> {
  static constexpr const char *kRows = "rows", *kScales = "scales";  // what backward finds
  // `low`: a and b of each; `rows`: where each begins.
  static Tensor forward(AutogradContext* ctx, const Tensor& x_in, const Tensor& w,
                        at::TensorList low, const std::vector<int64_t>& rows,
                        const std::vector<double>& scales) {
    Tensor x = x_in.contiguous(), y = at::mm(x, w.t());
    const int64_t n = x.size(0), c = x.size(1), all = w.size(0);
    variable_list saved = {x, w};
    for (size_t i = 0; i < rows.size(); ++i) {
      const Tensor a = low[2 * i].contiguous(), b = low[2 * i + 1].contiguous();
      const int64_t r = a.size(0);
      Tensor h = at::empty({n, r}, x.options());
      Gemm(false, true, n, r, c, 1, Data(x), c, Data(a), c, 0, Data(h), r);
      Gemm(false, true, n, b.size(0), r, float(scales[i]), Data(h), r, Data(b), r, 1,
           Data(y) + rows[i], all);
      saved.insert(saved.end(), {a, b, h});
    }
    ctx->save_for_backward(saved);
    ctx->saved_data[kRows] = rows;
    ctx->saved_data[kScales] = scales;
    return y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grad) {
    const auto v = ctx->get_saved_variables();
    const auto rows = ctx->saved_data[kRows].toIntVector();
    const auto scales = ctx->saved_data[kScales].toDoubleVector();
    const Tensor &x = v[0], &w = v[1], dy = grad[0].contiguous();
    const int64_t n = x.size(0), c = x.size(1), all = w.size(0);
    const bool inner = ctx->needs_input_grad(0);
    Tensor dx = inner ? at::mm(dy, w) : Tensor();
    variable_list out = {dx, Tensor()};
    for (size_t i = 0; i < rows.size(); ++i) {
      const Tensor &a = v[2 + 3 * i], &b = v[3 + 3 * i], &h = v[4 + 3 * i];
      const int64_t r = a.size(0), part = b.size(0);
      const float scale = float(scales[i]), *g = Data(dy) + rows[i];
      Tensor dh = at::empty_like(h), da = at::empty_like(a), db = at::empty_like(b);
      Gemm(false, false, n, r, part, scale, g, all, Data(b), r, 0, Data(dh), r);
      Gemm(true, false, part, r, n, scale, g, all, Data(h), r, 0, Data(db), r);
      Gemm(true, false, r, c, n, 1, Data(dh), r, Data(x), c, 0, Data(da), c);
      if (inner) Gemm(false, false, n, c, r, 1, Data(dh), r, Data(a), c, 1, Data(dx), c);
      out.push_back(da), out.push_back(db);
    }
    out.resize(out.size() + 2);  // of rows and scales
    return out;
  }
};

struct SwiGluOp : torch::autograd::Function<SwiGluOp> {
  static Tensor forward(AutogradContext* ctx, const Tensor& gu_in) {
    Tensor gu = gu_in.contiguous(), h = at::empty({gu.size(0), gu.size(1) / 2}, gu.options());
    kernels::SwiGlu(Data(gu), h.size(0), h.size(1), Data(h));
    ctx->save_for_backward({gu});
    return h;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grad) {
    Tensor gu = ctx->get_saved_variables()[0], dh = grad[0].contiguous(), dgu = at::empty_like(gu);
    kernels::SwiGluBackward(Data(dh), Data(gu), dh.size(0), dh.size(1), Data(dgu));
    return {dgu};
  }
};

struct AttendOp : torch::autograd::Function<AttendOp> {
  static constexpr const char* kPacking = "packing";  // what backward finds of forward
  static Tensor forward(AutogradContext* ctx, const Tensor& qkv_in, const Tensor& q_norm,
                        const Tensor& k_norm, const Packing* p) {
    Tensor qkv = qkv_in.contiguous();
    const auto& s = p->shape;
    int64_t n = qkv.size(0);
    Tensor rows = at::empty_like(qkv), rstd = at::empty({n, s.qk_heads()}, qkv.options());
    Tensor out = at::empty({n, s.heads * s.head_dim}, qkv.options()),
           lse = at::empty({s.heads, n}, qkv.options());
    kernels::NormRope(s, Data(qkv), Data(q_norm), Data(k_norm), p->rope->data(), p->position.data(),
                      n, Data(rows), Data(rstd));
    if (InTiles(s))
      kernels::TileAttention(s, Data(rows), p->start.data(), int64_t(p->start.size()) - 1,
                             Data(out), Data(lse));
    else
      kernels::Attention(s, Data(rows), p->start, Data(out), Data(lse));
    ctx->save_for_backward({qkv, q_norm, k_norm, rows, rstd, out, lse});
    ctx->saved_data[kPacking] = int64_t(reinterpret_cast<intptr_t>(p));
    return out;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grad) {
    auto v = ctx->get_saved_variables();
    const auto* p = reinterpret_cast<const Packing*>(intptr_t(ctx->saved_data[kPacking].toInt()));
    const auto& s = p->shape;
    Tensor dy = grad[0].contiguous(), d_rows = at::empty_like(v[0]), dq = at::zeros_like(v[1]),
           dk = at::zeros_like(v[2]);
    if (InTiles(s))
      kernels::TileAttentionBackward(s, Data(dy), Data(v[3]), Data(v[5]), Data(v[6]),
                                     p->start.data(), int64_t(p->start.size()) - 1, Data(d_rows));
    else
      kernels::AttentionBackward(s, Data(dy), Data(v[3]), Data(v[5]), Data(v[6]), p->start,
                                 Data(d_rows));
    kernels::NormRopeBackward(s, Data(d_rows), Data(v[0]), Data(v[1]), Data(v[2]), p->rope->data(),
                              p->position.data(), Data(v[4]), v[0].size(0), Data(d_rows), Data(dq),
                              Data(dk));
    return {d_rows, dq, dk, Tensor()};
  }
};

struct LogProbsOp : torch::autograd::Function<LogProbsOp> {
  static constexpr const char* kFrozen = "frozen";  // what backward finds of forward
  // `frozen`: only `hidden` learns. What each row's log p changes by it is then computed while its
  // logits are there; else they are computed again on the way back, for the head's gradient.
  static Tensor forward(AutogradContext* ctx, const Tensor& hidden_in, const Tensor& head,
                        const Tensor& target_in, bool frozen) {
    Tensor hidden = hidden_in.contiguous(), target = target_in.contiguous(), slope;
    int64_t m = hidden.size(0);
    Tensor log_p = at::empty({m}, hidden.options()), lse = at::empty({m}, hidden.options());
    if (frozen) slope = at::empty_like(hidden);
    const Tensor one = at::ones({kLogitRows}, hidden.options());
    for (int64_t i = 0; i < m; i += kLogitRows) {
      int64_t n = std::min(kLogitRows, m - i);
      const int64_t* targets = target.data_ptr<int64_t>() + i;
      Tensor logits = at::mm(hidden.narrow(0, i, n), head.t());
      kernels::LogProbs(Data(logits), targets, n, head.size(0), Data(log_p) + i, Data(lse) + i);
      if (!frozen) continue;
      Tensor to = slope.narrow(0, i, n);
      kernels::LogProbsBackward(Data(logits), targets, Data(lse) + i, Data(one), n, head.size(0));
      at::mm_out(to, logits, head);
    }
    ctx->saved_data[kFrozen] = frozen;
    ctx->save_for_backward(frozen ? variable_list{slope}
                                  : variable_list{hidden, head, target, lse});
    return log_p;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grad) {
    auto v = ctx->get_saved_variables();
    if (ctx->saved_data[kFrozen].toBool())
      return {v[0] * grad[0].unsqueeze(1), Tensor(), Tensor(), Tensor()};
    Tensor g = grad[0].contiguous(), dx = at::empty_like(v[0]), dw = at::zeros_like(v[1]);
    for (int64_t i = 0; i < v[0].size(0); i += kLogitRows) {
      int64_t n = std::min(kLogitRows, v[0].size(0) - i);
      Tensor x = v[0].narrow(0, i, n), to = dx.narrow(0, i, n), logits = at::mm(x, v[1].t());
      kernels::LogProbsBackward(Data(logits), v[2].data_ptr<int64_t>() + i, Data(v[3]) + i,
                                Data(g) + i, n, v[1].size(0));
      at::mm_out(to, logits, v[1]);
      dw.addmm_(logits.t(), x);
    }
    return {dx, dw, Tensor(), Tensor()};
  }
};

// Positions' cos and sin for the plain path: [N,1,D/2] each.
std::pair<Tensor, Tensor> Angles(const Packing& p, const Tensor& like) {
  int64_t d = p.shape.head_dim;
  auto table = at::from_blob(const_cast<float*>(p.rope->data()), {int64_t(p.rope->size()) / d, d},
                             at::kFloat);
  auto position =
      at::from_blob(const_cast<int32_t*>(p.position.data()), {int64_t(p.position.size())}, at::kInt)
          .to(at::kLong);
  auto rows = table.index_select(0, position).to(like.device()).unsqueeze(1);
  return {rows.narrow(2, 0, d / 2), rows.narrow(2, d / 2, d / 2)};
}

Tensor NormAndTurn(const Tensor& x, const Tensor& w, const Packing& p,
                   const std::pair<Tensor, Tensor>& angles) {
  int64_t half = p.shape.head_dim / 2;
  Tensor f = x.to(at::kFloat);
  if (w.defined())
    f = f * at::rsqrt(f.square().mean(-1, true) + double(p.shape.epsilon)) * w.to(at::kFloat);
  Tensor a = f.narrow(2, 0, half), b = f.narrow(2, half, half);
  return at::cat({a * angles.first - b * angles.second, b * angles.first + a * angles.second}, -1)
      .to(x.scalar_type());
}

// Sequences padded to one length: row numbers [B*T] into N rows, and back.
struct Padding {
  int64_t batch, length;
  Tensor in, out;
};
Padding PaddingOf(const Packing& p, const Tensor& like) {
  Padding pad{int64_t(p.start.size()) - 1, 0, {}, {}};
  for (int64_t b = 0; b < pad.batch; ++b)
    pad.length = std::max(pad.length, p.start[size_t(b) + 1] - p.start[size_t(b)]);
  std::vector<int64_t> in(size_t(pad.batch * pad.length), 0), out(size_t(p.start.back()));
  for (int64_t b = 0; b < pad.batch; ++b)
    for (int64_t r = p.start[size_t(b)], t = 0; r < p.start[size_t(b) + 1]; ++r, ++t) {
      in[size_t(b * pad.length + t)] = r;
      out[size_t(r)] = b * pad.length + t;
    }
  pad.in = at::tensor(in, at::kLong).to(like.device()),
  pad.out = at::tensor(out, at::kLong).to(like.device());
  return pad;
}

Tensor Causal(const Tensor& q, const Tensor& k, const Tensor& v) {
#if TORCH_VERSION_MAJOR >= 2
  return at::scaled_dot_product_attention(q, k, v, {}, 0.0, true);
#else
  int64_t t = q.size(2);
  Tensor scores = at::matmul(q, k.transpose(-2, -1)) / std::sqrt(double(q.size(3)));
  scores = scores.masked_fill(at::ones({t, t}, q.options().dtype(at::kBool)).triu(1), -INFINITY);
  return at::matmul(at::softmax(scores, -1, at::kFloat).to(v.scalar_type()), v);
#endif
}

Tensor PlainAttend(const Tensor& qkv, const Tensor& q_norm, const Tensor& k_norm,
                   const Packing& p) {
  const auto& s = p.shape;
  int64_t n = qkv.size(0), d = s.head_dim;
  auto angles = Angles(p, qkv);
  Tensor x = qkv.view({n, s.heads + 2 * s.kv_heads, d});
  Tensor q = NormAndTurn(x.narrow(1, 0, s.heads), q_norm, p, angles),
         k = NormAndTurn(x.narrow(1, s.heads, s.kv_heads), k_norm, p, angles);
  Tensor v = x.narrow(1, s.qk_heads(), s.kv_heads);
  Padding pad = PaddingOf(p, qkv);
  auto rows = [&](const Tensor& t) {
    Tensor b =
        t.index_select(0, pad.in).view({pad.batch, pad.length, t.size(1), d}).transpose(1, 2);
    return t.size(1) == s.heads ? b : b.repeat_interleave(s.heads / s.kv_heads, 1);
  };
  Tensor out = Causal(rows(q), rows(k), rows(v));
  return out.transpose(1, 2)
      .reshape({pad.batch * pad.length, s.heads * d})
      .index_select(0, pad.out);
}
}  // namespace

void UseFused(bool on) { use_fused = on; }
void UseShortProducts(bool on) { short_products = on; }

Tensor Linear(const Tensor& x, const Tensor& w) {
  if (short_products && Fused(x)) return ShortLinearOp::apply(x, w);
  return at::linear(x, w);
}

Tensor AdaptedLinear(const Tensor& x, const Tensor& w, const std::vector<LowRank>& adapters,
                     int64_t part) {
  const int64_t from = part * w.size(0), end = from + w.size(0);
  variable_list low;
  std::vector<int64_t> rows;
  std::vector<double> scales;
  for (const LowRank& l : adapters)
    if (l.row >= from && l.row < end)
      low.push_back(l.a), low.push_back(l.b), rows.push_back(l.row - from),
          scales.push_back(l.scale);
  if (rows.empty()) return Linear(x, w);
  if (!short_products && Fused(x))
    return AdaptedLinearOp::apply(x, w, at::TensorList(low), rows, scales);
  Tensor y = Linear(x, w);
  std::vector<Tensor> added;
  int64_t at = 0;
  auto nothing = [&](int64_t count) {
    if (count > 0) added.push_back(at::zeros({x.size(0), count}, y.options()));
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    nothing(rows[i] - at);
    added.push_back(at::linear(at::linear(x, low[2 * i]), low[2 * i + 1]) * scales[i]);
    at = rows[i] + low[2 * i + 1].size(0);
  }
  nothing(w.size(0) - at);
  return y + (added.size() == 1 ? added[0] : at::cat(added, 1));
}

Tensor RmsNorm(const Tensor& x, const Tensor& w, double epsilon) {
  if (Fused(x)) return RmsNormOp::apply(x, w, epsilon);
  Tensor f = x.to(at::kFloat);
  return (f * at::rsqrt(f.square().mean(-1, true) + epsilon)).to(x.scalar_type()) * w;
}

Tensor SwiGlu(const Tensor& gu) {
  if (Fused(gu)) return SwiGluOp::apply(gu);
  int64_t f = gu.size(1) / 2;
  return at::silu(gu.narrow(1, 0, f)) * gu.narrow(1, f, f);
}

Tensor Attend(const Tensor& qkv, const Tensor& q_norm, const Tensor& k_norm,
              const Packing& packing) {
  if (Fused(qkv)) {  // an argument of a function must be defined: one without elements stands for
                     // no norm
    auto given = [&](const Tensor& t) {
      return t.defined() ? t : at::empty({0}, qkv.options().requires_grad(false));
    };
    return AttendOp::apply(qkv, given(q_norm), given(k_norm), &packing);
  }
  return PlainAttend(qkv, q_norm, k_norm, packing);
}

Tensor NormRopeRows(const Tensor& qkv, const Tensor& q_norm, const Tensor& k_norm,
                    const Packing& p) {
  const auto& s = p.shape;
  int64_t n = qkv.size(0), d = s.head_dim;
  if (Fused(qkv)) {
    Tensor x = qkv.contiguous(), rows = at::empty_like(x),
           rstd = at::empty({n, s.qk_heads()}, x.options());
    kernels::NormRope(s, Data(x), Data(q_norm), Data(k_norm), p.rope->data(), p.position.data(), n,
                      Data(rows), Data(rstd));
    return rows;
  }
  auto angles = Angles(p, qkv);
  Tensor x = qkv.view({n, s.heads + 2 * s.kv_heads, d});
  Tensor q = NormAndTurn(x.narrow(1, 0, s.heads), q_norm, p, angles),
         k = NormAndTurn(x.narrow(1, s.heads, s.kv_heads), k_norm, p, angles);
  return at::cat({q, k, x.narrow(1, s.qk_heads(), s.kv_heads)}, 1).view({n, s.width()});
}

Tensor TokenLogProbs(const Tensor& hidden, const Tensor& head, const Tensor& target) {
  if (Fused(hidden))
    return LogProbsOp::apply(hidden, head, target, hidden.requires_grad() && !head.requires_grad());
  Tensor logits = at::linear(hidden, head).to(at::kFloat);
  return at::log_softmax(logits, -1).gather(1, target.unsqueeze(1)).squeeze(1);
}

}  // namespace akgen::lm
