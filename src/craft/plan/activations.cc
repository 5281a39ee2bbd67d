#include "craft/plan/activations.h"

#include <map>

namespace akgen::craft {

std::optional<NodeMaker::Arg> Activations::Apply(const std::string& op, const Args& a) {
  static const std::map<std::string, Arg (Activations::*)(const Args&)> kTable = {
      {"elu", &Activations::Elu},
      {"selu", &Activations::ScaledElu},
      {"celu", &Activations::SmoothElu},
      {"leaky_relu", &Activations::Leaky},
      {"hardtanh", &Activations::Clamped},
      {"relu6", &Activations::Relu6},
      {"hardsigmoid", &Activations::HardSig},
      {"hardswish", &Activations::HardSwi},
      {"silu", &Activations::Silu},
      {"softplus", &Activations::Plus},
      {"mish", &Activations::Mish},
      {"log_sigmoid", &Activations::LogSig}};
  auto it = kTable.find(op);
  return it == kTable.end() ? std::nullopt : std::optional(((this->*it->second)(a)));
}

NodeMaker::Arg Activations::Elu(const Args& a) {
  return EluOf(a[0], Real(a[1]), Real(a[2]), Real(a[3]));
}

NodeMaker::Arg Activations::EluOf(const Arg& x, double alpha, double scale, double inner) {
  Arg low = Mul(One("expm1", inner == 1 ? x : Mul(x, Number(inner))), Number(alpha * scale));
  return make_.Where(Two("gt", x, Number(0)), scale == 1 ? x : Mul(x, Number(scale)), low);
}

NodeMaker::Arg Activations::ScaledElu(const Args& a) {
  return EluOf(a[0], 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1);
}

NodeMaker::Arg Activations::SmoothElu(const Args& a) {
  return EluOf(a[0], Real(a[1]), 1, 1 / Real(a[1]));
}

NodeMaker::Arg Activations::Leaky(const Args& a) {
  return make_.Where(Two("gt", a[0], Number(0)), a[0], Mul(a[0], a[1]));
}

NodeMaker::Arg Activations::Clamped(const Args& a) { return make_.Within(a[0], a[1], a[2]); }

NodeMaker::Arg Activations::Relu6(const Args& a) {
  return make_.Within(a[0], Number(0), Number(6));
}

NodeMaker::Arg Activations::HardSig(const Args& a) {
  return Div(make_.Within(Add(a[0], Number(3)), Number(0), Number(6)), Number(6));
}

NodeMaker::Arg Activations::HardSwi(const Args& a) { return Mul(a[0], HardSig(a)); }

NodeMaker::Arg Activations::Silu(const Args& a) { return Mul(a[0], One("sigmoid", a[0])); }

NodeMaker::Arg Activations::Plus(const Args& a) {
  double beta = Real(a[1]);
  Arg x = beta == 1 ? a[0] : Mul(a[0], a[1]), soft = One("log1p", One("exp", x));
  return make_.Where(Two("gt", x, a[2]), a[0], beta == 1 ? soft : Div(soft, a[1]));
}

NodeMaker::Arg Activations::Mish(const Args& a) {
  return Mul(a[0], One("tanh", Plus(Args{a[0], Number(1), Number(20)})));
}

NodeMaker::Arg Activations::LogSig(const Args& a) {
  return Sub(Two("minimum", a[0], Number(0)),
             One("log1p", One("exp", One("neg", One("abs", a[0])))));
}

}  // namespace akgen::craft
