// Compound operations as simple ones: one table of activations, one of losses, one of norms.
#include "craft/plan/decompose.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "craft/plan/contract.h"
#include "craft/plan/convolve.h"
#include "craft/plan/element.h"
#include "craft/plan/rearrange.h"

namespace akgen::craft {
using Arg = NodeMaker::Arg;
using Args = NodeMaker::Args;
using Shape = NodeMaker::Shape;

namespace {
class Decomposer : public NodeMaker {
 public:
  record::Graph Run(const record::Graph& graph) {
    used_.insert(graph.outputs.begin(), graph.outputs.end());
    graph_ = &graph;
    for (const auto& n : graph.nodes)
      for (const Arg& a : n.args)
        record::ForEachTensor(a, [&](const std::string& id) { used_.insert(id); });
    for (const auto& n : graph.nodes) One(n);
    record::Graph out = graph;
    out.nodes = nodes_;
    for (std::string& o : out.outputs)
      if (auto it = as_.find(o); it != as_.end() && it->second.IsTensor()) o = it->second.tensor;
    return out;
  }
  // Inputs have shapes too.
  void Input(const std::string& id, const Shape& shape) { shape_[id] = shape; }

 private:
  using NodeMaker::One;
  using Decomposition = Arg (Decomposer::*)(const Args& args);

  // A tensor that became a number stays where only tensors can stand.
  Arg Renamed(Arg a) const {
    if (a.IsTensor()) {
      auto it = as_.find(a.tensor);
      return it == as_.end() ? a : it->second;
    }
    for (Arg& inner : a.list) inner = Renamed(inner);
    if (a.IsNumber())
      record::ForEachTensor(a, [&](std::string& id) {
        if (auto it = as_.find(id); it != as_.end() && it->second.IsTensor())
          id = it->second.tensor;
      });
    return a;
  }

  void One(const record::GraphNode& node) {
    record::GraphNode n = node;
    for (Arg& a : n.args) a = Renamed(a);
    if (n.op == "broadcast_tensors") return Spread(n);
    if (n.op == "split_with_sizes" || n.op == "split") return Parts(n);
    if (const int64_t few = n.op == "sort" ? TakenOf(n, *graph_, Of(n.args.at(0)).size()) : 0)
      return Topmost(n, few);
    if (auto both = Ordered(*this, n)) {
      as_[n.out[0].id] = both->first, as_[n.out[1].id] = both->second;
      return;
    }
    if (n.op == "permute" && n.args.size() == 2 && n.args[1].IsList()) {
      as_[n.id()] = InOrder(n.args[0], n.args[1].Ints());
      return;
    }
    if (n.op == "masked_fill_" && fresh_.count(n.args[0].tensor)) {
      as_[n.id()] = as_[n.args[0].tensor] = Filled(n.args);
      return;
    }
    for (const Arg& a : n.args)
      record::ForEachTensor(a, [&](const std::string& id) { fresh_.erase(id); });
    static const std::set<std::string> kFresh = {"zeros",      "ones",      "full",
                                                 "zeros_like", "ones_like", "full_like"};
    if (kFresh.count(n.op)) fresh_.insert(n.id());  // memory that nobody has read
    if (auto made = Decompose(n, n.op, n.args)) {
      as_[n.id()] = *made;
      return;
    }
    for (const auto& o : n.out) shape_[o.id] = o.shape;
    nodes_.push_back(std::move(n));
  }
  void Spread(const record::GraphNode& n) {
    const Args& list = n.args.at(0).list;
    for (size_t i = 0; i < list.size(); ++i) {
      const Shape& to = n.out.at(i).shape;
      as_[n.out[i].id] =
          Of(list[i]) == to ? list[i] : Make("expand", {list[i], Arg::List(to), Bool(false)}, to);
    }
  }
  // The first few of an order, one after the other.
  void Topmost(const record::GraphNode& sort, int64_t few) {
    const auto [dim, descending] = OrderOf(sort, Of(sort.args[0]).size());
    record::GraphNode top{
        "topk", {sort.args[0], Int(few), Int(dim), Bool(descending), Bool(true)}, sort.out};
    for (auto& o : top.out) {
      o.shape[static_cast<size_t>(dim)] = few;
      shape_[o.id] = o.shape;
    }
    nodes_.push_back(std::move(top));
  }
  // Parts of a dimension, one after the other.
  void Parts(const record::GraphNode& n) {
    const int64_t rank = static_cast<int64_t>(Of(n.args.at(0)).size()),
                  dim = (Dims(n.args.at(2))[0] + rank) % rank;
    int64_t first = 0;
    for (const auto& o : n.out) {
      const int64_t last = first + o.shape[static_cast<size_t>(dim)];
      as_[o.id] = Make("slice", {n.args[0], Int(dim), Int(first), Int(last), Int(1)}, o.shape);
      first = last;
    }
  }
  std::optional<Arg> Decompose(const record::GraphNode& n, const std::string& op, const Args& a) {
    static const std::set<std::string> kSame = {"clone", "contiguous", "double",
                                                "float", "to",         "detach"};
    if ((op == "tensor" || kSame.count(op)) && a.at(0).IsNumber()) return a[0];
    if ((op == "max" || op == "min") && n.out.size() == 1 && a.size() == 2)
      return Make(op + "imum", a, n.out[0].shape);
    // The largest or smallest value with its place, when nobody wants the place.
    if ((op == "max" || op == "min") && n.out.size() == 2 && !used_.count(n.out[1].id))
      return Reduce("a" + op, a.at(0), Dims(a.at(1)), Flag(a.at(2)));
    if (op == "pow" && a.at(1).IsNumber() && a[1].number.IsConstant() && a[1].number.HasReal())
      return Power(a[0], a[1].number.Real());
    if (op == "index_select" && a.at(1).IsNumber() && record::ReadsElements(a[1].number))
      return Picked(a, n.out.at(0).shape);
    const bool whole = n.out[0].dtype == "Long" || n.out[0].dtype == "Int";
    if ((op == "cumsum" || op == "cumprod") && whole) {  // the scans are of floating-point numbers
      const Shape& shape = n.out[0].shape;
      const Arg x = Make("double", {a.at(0)}, shape), sums = Make(op, {x, a.at(1), {}}, shape);
      return Make("long", {sums}, shape, n.out[0].dtype.c_str());
    }
    if (op == "flip" && a.at(1).IsList()) {  // rows, then the elements of each
      const auto dims = Dims(a[1]);
      const Shape& shape = n.out[0].shape;
      std::vector<int64_t> rows;
      for (int64_t d : dims)
        if (d != -1 && d + 1 != static_cast<int64_t>(shape.size())) rows.push_back(d);
      if (!rows.empty() && rows.size() < dims.size())
        return Make("flip", {Make("flip", {a[0], Arg::List(rows)}, shape), Arg::List({-1})}, shape);
    }
    if (op == "conv1d" || op == "conv2d" || op == "conv3d") return Convolved(*this, a);
    if (op.starts_with("adaptive_") && n.out.size() == 1) return Adapted(n);
    if (op.starts_with("conv_transpose")) return ConvolvedBack(*this, a);
    if ((op == "_convolution" || op == "convolution") &&
        a.size() > 8) {  // transposed: at 6, output padding, groups
      if (Flag(a[6])) return ConvolvedBack(*this, {a[0], a[1], a[2], a[3], a[4], a[7], a[8], a[5]});
      return Convolved(*this, {a[0], a[1], a[2], a[3], a[4], a[5], a[8]});
    }
    if (op == "einsum" && a.at(0).IsNumber() && a.at(1).IsList())
      if (const auto* equation = std::get_if<std::string>(&a[0].number.value))
        return Contracted(*this, *equation, a[1].list);
    if (op == "matmul" && Spreads(a)) return ProductSpread(*this, a[0], a[1]);
    if (op == "im2col") return Columns(*this, a);
    if (auto made = Rearranged(*this, n, n.out.size() > 1 && !used_.count(n.out[1].id)))
      return made;
    for (const auto* table : {&Pointwise(), &Losses(), &Norms()})
      if (auto it = table->find(op); it != table->end()) return (this->*it->second)(a);
    return std::nullopt;
  }

  // Whether both are stacks of matrices and their stacks differ.
  bool Spreads(const Args& a) {
    const Shape left = Of(a.at(0)), right = Of(a.at(1));
    return left.size() > 2 && right.size() > 2 && left.size() < 12 && right.size() < 12 &&
           Shape(left.begin(), left.end() - 2) != Shape(right.begin(), right.end() - 2);
  }
  static double Real(const Arg& a) { return a.number.Real(); }
  static bool Flag(const Arg& a) { return a.IsNumber() && Real(a) != 0; }
  static std::vector<int64_t> Dims(const Arg& a) {
    if (a.IsNumber()) return {static_cast<int64_t>(Real(a))};
    return a.Ints();
  }
  Arg Add(const Arg& a, const Arg& b) { return Two("add", a, b); }
  Arg Sub(const Arg& a, const Arg& b) { return Two("sub", a, b); }
  Arg Mul(const Arg& a, const Arg& b) { return Two("mul", a, b); }
  Arg Div(const Arg& a, const Arg& b) { return Two("div", a, b); }
  Arg Half(const Arg& x) { return Mul(x, Number(0.5)); }
  Arg Square(const Arg& x) { return Mul(x, x); }

  // adaptive_avg_pool2d(x, sizes) and the like: one window, or windows side by side.
  Arg Adapted(const record::GraphNode& n) {
    const Arg& x = n.args.at(0);
    const Shape in = Of(x), out = n.out[0].shape;
    const bool mean = n.op.find("_avg_") != std::string::npos;
    const size_t rank = static_cast<size_t>(n.op[n.op.find("_pool") + 5] - '0'),
                 first = in.size() - rank;
    Shape sizes, over;
    bool one = true;
    for (size_t d = first; d < in.size(); ++d) {
      if (in[d] % out[d] != 0) throw Unplanned{"windows of different size"};
      sizes.push_back(in[d] / out[d]), over.push_back(static_cast<int64_t>(d));
      one &= out[d] == 1;
    }
    if (one) return Reduce(mean ? "mean" : "amax", x, over, true);
    const Shape none(rank, 0), ones(rank, 1);
    const std::string op = n.op.substr(n.op.find('_') + 1);
    if (mean)
      return Make(op,
                  {x, Arg::List(sizes), Arg::List(sizes), Arg::List(none), Bool(false), Bool(true)},
                  out);
    return Make(
        op, {x, Arg::List(sizes), Arg::List(sizes), Arg::List(none), Arg::List(ones), Bool(false)},
        out);
  }

  // Along a dimension that an element says: whatever it is, there are dimensions before it and
  // behind it.
  Arg Picked(const Args& a, const Shape& out) {
    Shape in = Of(a[0]), parts = {1, 1, 1};
    int64_t dim = a[1].number.Int(), rank = static_cast<int64_t>(in.size());
    if (dim < 0) dim += rank;
    for (int64_t i = 0; i < rank; ++i) parts[i < dim ? 0 : i == dim ? 1 : 2] *= in[i];
    Arg split = Make("split_at", Args{a[0], a[1]}, parts);
    parts[1] = out[dim];
    Arg picked = Make("index_select", Args{split, Int(1), a[2]}, parts);
    return Make("unsplit", Args{picked}, out);
  }

  // ---- elementwise ----
  static const std::map<std::string, Decomposition>& Pointwise() {
    static const std::map<std::string, Decomposition> kTable = {
        {"elu", &Decomposer::Elu},
        {"selu", &Decomposer::ScaledElu},
        {"celu", &Decomposer::SmoothElu},
        {"leaky_relu", &Decomposer::Leaky},
        {"hardtanh", &Decomposer::Clamped},
        {"relu6", &Decomposer::Relu6},
        {"hardsigmoid", &Decomposer::HardSig},
        {"hardswish", &Decomposer::HardSwi},
        {"silu", &Decomposer::Silu},
        {"softplus", &Decomposer::Plus},
        {"mish", &Decomposer::Mish},
        {"log_sigmoid", &Decomposer::LogSig},
        {"addcmul", &Decomposer::PlusProduct},
        {"addcdiv", &Decomposer::PlusQuotient},
        {"linear", &Decomposer::Linear},
        {"repeat", &Decomposer::Repeat},
        {"repeat_interleave", &Decomposer::RepeatEach},
        {"masked_fill", &Decomposer::Filled},
        {"addmm", &Decomposer::PlusMatrices},
        {"baddbmm", &Decomposer::PlusMatrices}};
    return kTable;
  }
  Arg Power(const Arg& x, double p) {
    if (p == 2) return Square(x);
    if (p == 3) return Mul(Square(x), x);
    return Two("pow", x, Number(p));
  }
  Arg Elu(const Args& a) { return EluOf(a[0], Real(a[1]), Real(a[2]), Real(a[3])); }
  Arg EluOf(const Arg& x, double alpha, double scale, double inner) {
    Arg low = Mul(One("expm1", inner == 1 ? x : Mul(x, Number(inner))), Number(alpha * scale));
    return Where(Two("gt", x, Number(0)), scale == 1 ? x : Mul(x, Number(scale)), low);
  }
  Arg ScaledElu(const Args& a) {
    return EluOf(a[0], 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1);
  }
  Arg SmoothElu(const Args& a) { return EluOf(a[0], Real(a[1]), 1, 1 / Real(a[1])); }
  Arg Leaky(const Args& a) { return Where(Two("gt", a[0], Number(0)), a[0], Mul(a[0], a[1])); }
  Arg Clamped(const Args& a) { return Within(a[0], a[1], a[2]); }
  Arg Relu6(const Args& a) { return Within(a[0], Number(0), Number(6)); }
  Arg HardSig(const Args& a) {
    return Div(Within(Add(a[0], Number(3)), Number(0), Number(6)), Number(6));
  }
  Arg HardSwi(const Args& a) { return Mul(a[0], HardSig(a)); }
  Arg Silu(const Args& a) { return Mul(a[0], One("sigmoid", a[0])); }
  Arg Plus(const Args& a) {
    double beta = Real(a[1]);
    Arg x = beta == 1 ? a[0] : Mul(a[0], a[1]), soft = One("log1p", One("exp", x));
    return Where(Two("gt", x, a[2]), a[0], beta == 1 ? soft : Div(soft, a[1]));
  }
  Arg Mish(const Args& a) {
    return Mul(a[0], One("tanh", Plus(Args{a[0], Number(1), Number(20)})));
  }
  Arg LogSig(const Args& a) {
    return Sub(Two("minimum", a[0], Number(0)),
               One("log1p", One("exp", One("neg", One("abs", a[0])))));
  }
  Arg PlusProduct(const Args& a) { return Add(a[0], Mul(Mul(a[1], a[2]), a[3])); }
  Arg PlusQuotient(const Args& a) { return Add(a[0], Mul(Div(a[1], a[2]), a[3])); }
  Arg Matrices(const Arg& a, const Arg& b) {
    Shape out = Of(a);
    out.back() = Of(b).back();
    return Make("matmul", {a, b}, out);
  }
  Arg Linear(const Args& a) {
    Shape turned = Of(a[1]);
    if (turned.size() != 2) throw Unplanned{"linear() with weights of one dimension"};
    std::swap(turned[0], turned[1]);
    Arg product = Matrices(a[0], Make("transpose", {a[1], Int(0), Int(1)}, turned));
    return a.size() < 3 || a[2].IsNone() ? product : Add(product, a[2]);
  }
  // What is repeated along dimensions of one element alone is spread.
  Arg Repeat(const Args& a) {
    const std::vector<int64_t> times = Dims(a[1]);
    const Shape own = Of(a[0]);
    Shape from(times.size() - std::min(times.size(), own.size()), 1), to;
    from.insert(from.end(), own.begin(), own.end());
    for (size_t d = 0; d < times.size(); ++d) {
      if (times[d] != 1 && from[d] != 1) throw Unplanned{"the operation repeat"};
      to.push_back(from[d] * times[d]);
    }
    return Make("expand", {a[0], Arg::List(to), Bool(false)}, to);
  }
  Arg RepeatEach(const Args& a) {  // repeat_interleave(x, times, dim)
    if (a.size() < 3 || !a[1].IsNumber() || !a[1].number.IsConstant() || a[2].IsNone())
      throw Unplanned{"the operation repeat_interleave"};
    Shape wide = Of(a[0]), out = wide;
    const int64_t rank = static_cast<int64_t>(wide.size()), dim = (Dims(a[2])[0] + rank) % rank,
                  times = Dims(a[1])[0];
    out[static_cast<size_t>(dim)] *= times;
    wide.insert(wide.begin() + dim + 1, 1);
    Arg x = Make("unsqueeze", {a[0], Int(dim + 1)}, wide);
    wide[static_cast<size_t>(dim) + 1] = times;
    return Reshaped(Make("expand", {x, Arg::List(wide), Bool(false)}, wide), out);
  }
  Arg Filled(const Args& a) { return Where(a[1], a[2], a[0]); }
  Arg PlusMatrices(const Args& a) {  // beta a[0] + alpha a[1] a[2]
    Arg product = Matrices(a[1], a[2]), plus = a[0];
    if (!a[4].Is(1)) product = Mul(product, a[4]);
    return Add(a[3].Is(1) ? plus : Mul(plus, a[3]), product);
  }

  // ---- losses ----
  static const std::map<std::string, Decomposition>& Losses() {
    static const std::map<std::string, Decomposition> kTable = {
        {"mse_loss", &Decomposer::SquareLoss},
        {"l1_loss", &Decomposer::AbsLoss},
        {"smooth_l1_loss", &Decomposer::SmoothLoss},
        {"huber_loss", &Decomposer::BentLoss},
        {"kl_div", &Decomposer::Divergence},
        {"cosine_similarity", &Decomposer::Cosine},
        {"cross_entropy_loss", &Decomposer::Surprise},
        {"triplet_margin_loss", &Decomposer::Triplet},
        {"log_softmax", &Decomposer::LogOfSoftmax}};
    return kTable;
  }
  // 0: as it is, 1: mean, 2: sum.
  Arg Whole(const Arg& x, const Arg& how) {
    int64_t h = static_cast<int64_t>(Real(how));
    return h == 0 ? x : Reduce(h == 1 ? "mean" : "sum", x, {}, false);
  }
  Arg SquareLoss(const Args& a) { return Whole(Square(Sub(a[0], a[1])), a[2]); }
  Arg AbsLoss(const Args& a) { return Whole(One("abs", Sub(a[0], a[1])), a[2]); }
  Arg SmoothLoss(const Args& a) {
    Arg d = One("abs", Sub(a[0], a[1]));
    double beta = Real(a[3]);
    if (beta == 0) return Whole(d, a[2]);
    return Whole(
        Where(Two("lt", d, a[3]), Mul(Square(d), Number(0.5 / beta)), Sub(d, Number(0.5 * beta))),
        a[2]);
  }
  Arg BentLoss(const Args& a) {
    Arg d = One("abs", Sub(a[0], a[1]));
    return Whole(
        Where(Two("le", d, a[3]), Half(Square(d)), Mul(Sub(d, Number(0.5 * Real(a[3]))), a[3])),
        a[2]);
  }
  Arg Divergence(const Args& a) {
    if (Flag(a[3])) return Whole(Mul(One("exp", a[1]), Sub(a[1], a[0])), a[2]);
    // 0 log 0 is 0; NaN, and 0 times infinity, stay NaN.
    Arg own = Where(Two("eq", a[1], Number(0)), Number(0), Mul(a[1], One("log", a[1])));
    return Whole(Sub(own, Mul(a[1], a[0])), a[2]);
  }
  Arg Cosine(const Args& a) {
    std::vector<int64_t> dim = Dims(a[2]);
    // Each vector by its own length: products of unscaled ones may not fit where the quotient does.
    auto unit = [&](const Arg& x) {
      return Div(x, Within(One("sqrt", Reduce("sum", Square(x), dim, true)), a[3], Arg()));
    };
    return Reduce("sum", Mul(unit(a[0]), unit(a[1])), dim, false);
  }
  Arg LogOfSoftmax(const Args& a) {
    std::vector<int64_t> dim = Dims(a[1]);
    Arg d = Sub(a[0], Reduce("amax", a[0], dim, true));
    return Sub(d, One("log", Reduce("sum", One("exp", d), dim, true)));
  }
  // Of classes, counted along dimension 1, by their numbers or their probabilities.
  Arg Surprise(const Args& a) {
    if (!a[2].IsNone() || Of(a[0]).size() < 2) throw Unplanned{"classes by weight"};
    const double smooth = Real(a[5]);
    Arg logs = LogOfSoftmax(Args{a[0], Int(1)});
    auto smoothed = [&](const Arg& of_target, bool keep) {
      if (smooth == 0) return of_target;
      return Add(Mul(of_target, Number(1 - smooth)),
                 Mul(Reduce("mean", logs, {1}, keep), Number(smooth)));
    };
    if (Of(a[0]).size() == Of(a[1]).size()) {
      Arg likely = smoothed(Reduce("sum", Mul(logs, a[1]), {1}, false), false);
      return Whole(One("neg", likely), a[3]);
    }
    Shape wide = Of(a[1]);
    wide.insert(wide.begin() + 1, 1);
    Arg which = Make("unsqueeze", Args{a[1], Int(1)}, wide, "Long");
    Arg chosen = smoothed(Make("gather", Args{logs, Int(1), which, Bool(false)}, wide), true);
    Arg counts = Make("where", Args{Two("ne", which, a[4]), Number(1), Number(0)}, wide);
    Arg loss = One("neg", Mul(chosen, counts));
    int64_t how = static_cast<int64_t>(Real(a[3]));
    if (how == 0) return Reshaped(loss, Of(a[1]));
    Arg sum = Reduce("sum", loss, {}, false);
    return how == 2 ? sum : Div(sum, Reduce("sum", counts, {}, false));
  }
  Arg Triplet(const Args& a) {
    auto apart = [&](const Arg& x, const Arg& y) {
      return NormOf(Add(Sub(x, y), a[5]), Real(a[4]), {-1}, false);
    };
    Arg near = apart(a[0], a[1]), far = apart(a[0], a[2]);
    if (Flag(a[6])) far = Two("minimum", far, apart(a[1], a[2]));
    return Whole(Within(Add(Sub(near, far), a[3]), Number(0), Arg()), a[7]);
  }

  // ---- norms ----
  static const std::map<std::string, Decomposition>& Norms() {
    static const std::map<std::string, Decomposition> kTable = {
        {"norm", &Decomposer::Norm},
        {"linalg_vector_norm", &Decomposer::Norm},
        {"frobenius_norm", &Decomposer::SquareNorm},
        {"batch_norm", &Decomposer::OverBatch},
        {"instance_norm", &Decomposer::OverInstance},
        {"group_norm", &Decomposer::OverGroups}};
    return kTable;
  }
  Arg NormOf(const Arg& x, double p, const std::vector<int64_t>& dims, bool keep) {
    if (p == 2) return One("sqrt", Reduce("sum", Square(x), dims, keep));
    if (p == 1) return Reduce("sum", One("abs", x), dims, keep);
    if (std::isinf(p)) return Reduce(p > 0 ? "amax" : "amin", One("abs", x), dims, keep);
    return Two("pow", Reduce("sum", Two("pow", One("abs", x), Number(p)), dims, keep),
               Number(1 / p));
  }
  Arg Norm(const Args& a) {
    return NormOf(a[0], a[1].IsNone() ? 2 : Real(a[1]), a.size() > 2 ? Dims(a[2]) : Shape{},
                  a.size() > 3 && Flag(a[3]));
  }
  Arg SquareNorm(const Args& a) {
    return NormOf(a[0], 2, a.size() > 1 ? Dims(a[1]) : Shape{}, a.size() > 2 && Flag(a[2]));
  }
  // Mean 0 and variance 1 over `dims`, times the weights; x * by - mean * by, as libraries have it,
  // where they are infinite.
  Arg Standard(const Arg& x, const std::vector<int64_t>& dims, const Arg& epsilon,
               const Arg& weight) {
    Arg mean = Reduce("mean", x, dims, true), d = Sub(x, mean);
    Arg deviation = One("sqrt", Add(Reduce("mean", Square(d), dims, true), epsilon));
    if (weight.IsNone()) return Div(d, deviation);
    Arg by = Div(weight, deviation);
    Arg usual = Two("lt", One("abs", by), Number(std::numeric_limits<double>::infinity()));
    return Where(usual, Mul(d, by), Sub(Mul(x, by), Mul(mean, by)));
  }
  // A number for each channel, dimension 1, spread over the others.
  Arg ByChannel(const Arg& v, const Arg& x) {
    if (v.IsNone()) return v;
    Shape wide(Of(x).size(), 1);
    wide[1] = Of(x)[1];
    return Reshaped(v, wide);
  }
  Arg Scaled(Arg y, const Arg& weight, const Arg& bias) {
    if (!weight.IsNone()) y = Mul(y, ByChannel(weight, y));
    return bias.IsNone() ? y : Add(y, ByChannel(bias, y));
  }
  std::vector<int64_t> AllBut(const Arg& x, const std::set<int64_t>& kept) const {
    std::vector<int64_t> out;
    for (size_t i = 0; i < Of(x).size(); ++i)
      if (!kept.count(static_cast<int64_t>(i))) out.push_back(static_cast<int64_t>(i));
    return out;
  }
  Arg OverBatch(const Args& a) {
    if (Flag(a[5]) || a[3].IsNone())
      return Scaled(Standard(a[0], AllBut(a[0], {1}), a[7], ByChannel(a[1], a[0])), Arg(), a[2]);
    // One product and one sum for each element, as libraries have it: x - mean may not fit where
    // the result does.
    Arg by = Div(Number(1), One("sqrt", Add(a[4], a[7])));
    if (!a[1].IsNone()) by = Mul(a[1], by);
    Arg from = Mul(a[3], by);
    from = a[2].IsNone() ? One("neg", from) : Sub(a[2], from);
    return Add(Mul(a[0], ByChannel(by, a[0])), ByChannel(from, a[0]));
  }
  Arg OverInstance(const Args& a) {
    if (!Flag(a[5])) throw Unplanned{"statistics that are kept between calls"};
    return Scaled(Standard(a[0], AllBut(a[0], {0, 1}), a[7], ByChannel(a[1], a[0])), Arg(), a[2]);
  }
  Arg OverGroups(const Args& a) {
    Shape in = Of(a[0]), groups = in;
    int64_t n = static_cast<int64_t>(Real(a[1]));
    groups[1] /= n;
    groups.insert(groups.begin() + 1, n);
    Arg cut = Make("unflatten", Args{a[0], Int(1), Arg::List(Shape{n, -1})}, groups);
    Arg weight;
    if (!a[2].IsNone()) {
      Shape wide(groups.begin() + 1, groups.end());
      std::fill(wide.begin() + 2, wide.end(), 1);
      weight = Make("unflatten", Args{a[2], Int(0), Arg::List(Shape{n, -1})}, Shape{n, groups[2]});
      weight = Reshaped(weight, wide);
    }
    return Scaled(Reshaped(Standard(cut, AllBut(cut, {0, 1}), a[4], weight), in), Arg(), a[3]);
  }

  std::set<std::string> used_;
  const record::Graph* graph_ = nullptr;  // as it is read
  std::set<std::string> fresh_;
  std::map<std::string, Arg> as_;
};
}  // namespace

record::Graph Decomposed(const record::Graph& graph, const std::map<std::string, Shape>& inputs) {
  Decomposer s;
  for (const auto& [id, shape] : inputs) s.Input(id, shape);
  return s.Run(graph);
}

}  // namespace akgen::craft
