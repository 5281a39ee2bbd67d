// Activations, losses and norms by the formulas of PyTorch's documentation (operations.h).
#include <algorithm>
#include <cmath>
#include <limits>

#include "task/evaluate/elements.h"
#include "task/evaluate/tables.h"
#include "task/evaluate/terms.h"

namespace akgen::task::evaluate {
using base::Dtype;
namespace {
double Number(const Args& a, size_t i, double otherwise) {
  return At(a, i).IsNone() ? otherwise : a[i].Real();
}
Value Call(const char* name, const Args& a) { return Apply(name, a).at(0); }

template <double (*f)(double)>
Results Mapped(const Args& a) {
  return {MapReal(a.at(0), f)};
}
double Between(double v, double low, double high) {
  return v < low ? low : v > high ? high : v;
}  // NaN stays
double HardSwish(double v) { return v * Between(v + 3, 0, 6) / 6; }
double HardSigmoid(double v) { return Between(v + 3, 0, 6) / 6; }
double Mish(double v) { return v * std::tanh(std::log1p(std::exp(v))); }
double LogSigmoid(double v) {
  return (v < 0 ? v : v != v ? v : 0) - std::log1p(std::exp(-std::fabs(v)));
}

Results HardTanh(const Args& a) {
  const double low = Number(a, 1, -1), high = Number(a, 2, 1);
  return {MapReal(a.at(0), [=](double v) { return Between(v, low, high); })};
}
Results LeakyRelu(const Args& a) {
  const double slope = Number(a, 1, 0.01);
  return {MapReal(a.at(0), [=](double v) { return v > 0 ? v : v * slope; })};
}
Value Exponential(const Value& x, double alpha, double scale, double inner) {
  return MapReal(x, [=](double v) {
    return v <= 0 ? (std::exp(v * inner) - 1) * (alpha * scale) : v * scale;
  });
}
Results Elu(const Args& a) {
  return {Exponential(a.at(0), Number(a, 1, 1), Number(a, 2, 1), Number(a, 3, 1))};
}
Results Celu(const Args& a) {
  const double alpha = Number(a, 1, 1);
  if (alpha == 0) throw Unsupported("a division by zero");
  return {Exponential(a.at(0), alpha, 1, 1 / alpha)};
}
Results Selu(const Args& a) {
  return {Exponential(a.at(0), 1.6732632423543772848170429916717, 1.0507009873554804934193349852946,
                      1)};
}
Results Softplus(const Args& a) {
  const double beta = Number(a, 1, 1), threshold = Number(a, 2, 20);
  return {MapReal(a.at(0), [=](double v) {
    return v * beta > threshold ? v : std::log1p(std::exp(v * beta)) / beta;
  })};
}
Results Lerp(const Args& a) {
  const TensorPtr &x = a.at(0).AsTensor(), &y = a.at(1).AsTensor();
  const Operand w = OperandOf(a.at(2));
  if (!x->IsReal() || !y->IsReal()) throw Unsupported("a weighted mean of integers");
  const Spreaded s = Align({{x, false}, {y, false}, {w.tensor, false}}, Dtype::kFloat64);
  auto out = Zeros(Dtype::kFloat64, s.shape);
  for (size_t i = 0; i < out->real.size(); ++i) {
    const double p = s.t[0]->real[i * s.step[0]], q = s.t[1]->real[i * s.step[1]],
                 by = s.t[2]->real[i * s.step[2]];
    out->real[i] = std::fabs(by) < 0.5 ? p + by * (q - p) : q - (q - p) * (1 - by);
  }
  return {TensorPtr(out)};
}

// A loss of each element, and what its reduction makes of them: 0 nothing, 1 their mean, 2 their
// sum.
template <class F>
Results Loss(const Args& a, F f) {
  const TensorPtr &x = a.at(0).AsTensor(), &y = a.at(1).AsTensor();
  if (!x->IsReal() || !y->IsReal()) throw Unsupported("a loss of integers");
  const Value each =
      MapTwo(a[0], a[1], f, [](int64_t, int64_t) -> int64_t { throw Unsupported("integers"); });
  const int64_t how = At(a, 2).IsNone() ? 1 : a[2].Int();
  return {how == 0 ? each : Call(how == 1 ? "mean" : "sum", {each})};
}
Results SquaredLoss(const Args& a) {
  return Loss(a, [](double x, double y) { return (x - y) * (x - y); });
}
Results AbsoluteLoss(const Args& a) {
  return Loss(a, [](double x, double y) { return std::fabs(x - y); });
}
Results SmoothLoss(const Args& a) {
  const double beta = Number(a, 3, 1);
  return Loss(a, [=](double x, double y) {
    const double z = std::fabs(x - y);
    return z < beta ? 0.5 * z * z / beta : z - 0.5 * beta;
  });
}
Results HuberLoss(const Args& a) {
  const double delta = Number(a, 3, 1);
  return Loss(a, [=](double x, double y) {
    const double z = std::fabs(x - y);
    return z <= delta ? 0.5 * z * z : delta * (z - 0.5 * delta);
  });
}
Results Divergence(const Args& a) {
  if (!At(a, 3).IsNone() && a[3].Bool())
    return Loss(a, [](double x, double t) { return std::exp(t) * (t - x); });
  return Loss(a, [](double x, double t) {
    const double own = t != t ? t : t == 0 ? 0 : t * std::log(t);
    return own - t * x;
  });
}

// One number for each channel, as it stands beside a tensor of this rank.
Value Channels(const Value& v, int64_t rank) {
  Shape shape(static_cast<size_t>(rank), 1);
  shape.at(1) = v.AsTensor()->numel();
  std::vector<Value> said(shape.begin(), shape.end());
  return Call("reshape", {v, ListOf(said)});
}
Value Scaled(Value x, const Value& weight, const Value& bias) {
  const int64_t rank = x.AsTensor()->rank();
  if (!weight.IsNone()) x = Call("mul", {x, Channels(weight, rank)});
  if (!bias.IsNone()) x = Call("add", {x, Channels(bias, rank)});
  return x;
}
// batch_norm(x, weight, bias, mean, variance, training, momentum, eps): as in evaluation.
Results BatchNorm(const Args& a) {
  const int64_t rank = a.at(0).AsTensor()->rank();
  if (a.at(5).Bool() || a.at(3).IsNone() || a.at(4).IsNone() || rank < 2)
    throw Unsupported("statistics of a batch");
  const double eps = a.at(7).Real();
  const Value by = MapReal(a[4], [eps](double v) { return 1 / std::sqrt(v + eps); });
  const Value off = Call("sub", {a[0], Channels(a[3], rank)});
  return {Scaled(Call("mul", {off, Channels(by, rank)}), a.at(1), a.at(2))};
}
Value Normalized(const Value& x, int64_t groups, double eps) {
  const Shape& shape = x.AsTensor()->shape;
  if (shape.size() < 2 || groups < 1 || shape[1] % groups || Numel(shape) == 0)
    throw Unsupported("groups that do not fit");
  const int64_t rows = shape[0] * groups, columns = Numel(shape) / rows;
  const Value flat = Call("reshape", {x, ListOf({rows, columns})});
  const Value normal = Call("layer_norm", {flat, ListOf({columns}), {}, {}, eps});
  return Call("reshape", {normal, ListOf(std::vector<Value>(shape.begin(), shape.end()))});
}
Results GroupNorm(const Args& a) {  // group_norm(x, groups, weight, bias, eps)
  return {Scaled(Normalized(a.at(0), a.at(1).Int(), a.at(4).Real()), a.at(2), a.at(3))};
}
Results InstanceNorm(
    const Args& a) {  // instance_norm(x, weight, bias, mean, variance, of_input, momentum, eps)
  if (!a.at(5).Bool()) throw Unsupported("kept statistics");
  return {
      Scaled(Normalized(a.at(0), a[0].AsTensor()->shape.at(1), a.at(7).Real()), a.at(1), a.at(2))};
}

// The norm of each row: linalg_vector_norm(x, order, dims, keepdim, dtype).
Value NormOf(const Value& x, double order, const Value& dims, bool keep) {
  if (!x.AsTensor()->IsReal()) throw Unsupported("a norm of integers");
  const Value sizes = Call("abs", {x});
  const Value all = dims.IsNone() ? ListOf({}) : dims;
  if (std::isinf(order)) return Call(order > 0 ? "amax" : "amin", {sizes, all, keep});
  if (order == 0)
    return Call("sum", {Call("to", {Call("ne", {x, int64_t{0}}), int64_t{7}}), all, keep, {}});
  if (order == 1) return Call("sum", {sizes, all, keep, {}});
  if (order == 2) return Call("sqrt", {Call("sum", {Call("square", {x}), all, keep, {}})});
  return Call("pow", {Call("sum", {Call("pow", {sizes, order}), all, keep, {}}), 1 / order});
}
Results VectorNorm(const Args& a) {
  if (!At(a, 4).IsNone()) throw Unsupported("another dtype for a result");
  return {NormOf(a.at(0), Number(a, 1, 2), At(a, 2), !At(a, 3).IsNone() && a[3].Bool())};
}
Results Norm(const Args& a) {  // norm(x, p), norm(x, p, dims, keepdim)
  if (a.size() > 4 || (a.size() > 1 && !a[1].IsNone() && !a[1].IsNumber()))
    throw Unsupported("a norm by name");
  return {NormOf(a.at(0), Number(a, 1, 2), At(a, 2), !At(a, 3).IsNone() && a[3].Bool())};
}

const OperationTable kActivations = {
    {"hardswish", Mapped<HardSwish>},
    {"hardsigmoid", Mapped<HardSigmoid>},
    {"mish", Mapped<Mish>},
    {"log_sigmoid", Mapped<LogSigmoid>},
    {"relu6", [](const Args& a) -> Results { return HardTanh({a.at(0), 0.0, 6.0}); }},
    {"hardtanh", HardTanh},
    {"leaky_relu", LeakyRelu},
    {"elu", Elu},
    {"celu", Celu},
    {"selu", Selu},
    {"softplus", Softplus},
    {"lerp", Lerp},
    {"mse_loss", SquaredLoss},
    {"l1_loss", AbsoluteLoss},
    {"smooth_l1_loss", SmoothLoss},
    {"huber_loss", HuberLoss},
    {"kl_div", Divergence},
    {"batch_norm", BatchNorm},
    {"group_norm", GroupNorm},
    {"instance_norm", InstanceNorm},
    {"linalg_vector_norm", VectorNorm},
    {"norm", Norm},
};
}  // namespace

const OperationTable& ActivationOperations() { return kActivations; }

}  // namespace akgen::task::evaluate
