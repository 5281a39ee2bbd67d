#include "corpus/compose/evaluate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

namespace akgen::corpus {
using record::GraphArg;
using record::GraphArgs;
using record::GraphNode;

namespace {
using Shape = std::vector<int64_t>;

int64_t Numel(const Shape& s) {
  int64_t n = 1;
  for (int64_t e : s) n *= e;
  return n;
}

double Unary(const std::string& op, double x, bool& known) {
  static const std::map<std::string, double (*)(double)> kOps = {
      {"abs", [](double v) { return std::abs(v); }},
      {"exp", [](double v) { return std::exp(v); }},
      {"log", [](double v) { return std::log(v); }},
      {"sqrt", [](double v) { return std::sqrt(v); }},
      {"rsqrt", [](double v) { return 1 / std::sqrt(v); }},
      {"reciprocal", [](double v) { return 1 / v; }},
      {"relu", [](double v) { return v > 0 ? v : 0.0; }},
      {"sin", [](double v) { return std::sin(v); }},
      {"cos", [](double v) { return std::cos(v); }},
      {"tan", [](double v) { return std::tan(v); }},
      {"asin", [](double v) { return std::asin(v); }},
      {"acos", [](double v) { return std::acos(v); }},
      {"atan", [](double v) { return std::atan(v); }},
      {"sinh", [](double v) { return std::sinh(v); }},
      {"cosh", [](double v) { return std::cosh(v); }},
      {"tanh", [](double v) { return std::tanh(v); }},
      {"erf", [](double v) { return std::erf(v); }},
      {"erfc", [](double v) { return std::erfc(v); }},
      {"floor", [](double v) { return std::floor(v); }},
      {"ceil", [](double v) { return std::ceil(v); }},
      {"trunc", [](double v) { return std::trunc(v); }},
      {"round", [](double v) { return std::nearbyint(v); }},
      {"log2", [](double v) { return std::log2(v); }},
      {"log10", [](double v) { return std::log10(v); }},
      {"log1p", [](double v) { return std::log1p(v); }},
      {"expm1", [](double v) { return std::expm1(v); }},
      {"neg", [](double v) { return -v; }},
      {"sigmoid", [](double v) { return 1 / (1 + std::exp(-v)); }},
      {"sign", [](double v) { return v > 0   ? 1.0
                                     : v < 0 ? -1.0
                                             : 0.0; }}};
  auto it = kOps.find(op);
  known = it != kOps.end();
  return known ? it->second(x) : 0;
}

double Binary(const std::string& op, double a, double b, bool& known) {
  static const std::map<std::string, double (*)(double, double)> kOps = {
      {"add", [](double x, double y) { return x + y; }},
      {"sub", [](double x, double y) { return x - y; }},
      {"mul", [](double x, double y) { return x * y; }},
      {"div", [](double x, double y) { return x / y; }},
      {"pow", [](double x, double y) { return std::pow(x, y); }},
      {"maximum", [](double x, double y) { return x > y ? x : y; }},
      {"minimum", [](double x, double y) { return x < y ? x : y; }},
      {"lt", [](double x, double y) { return double(x < y); }},
      {"le", [](double x, double y) { return double(x <= y); }},
      {"gt", [](double x, double y) { return double(x > y); }},
      {"ge", [](double x, double y) { return double(x >= y); }},
      {"eq", [](double x, double y) { return double(x == y); }},
      {"ne", [](double x, double y) { return double(x != y); }}};
  auto it = kOps.find(op);
  known = it != kOps.end();
  return known ? it->second(a, b) : 0;
}

class Evaluator {
 public:
  Evaluator(const record::Graph& graph, const std::map<std::string, Array>& inputs)
      : graph_(graph), values_(inputs) {}

  base::Result<std::vector<Array>> Run() {
    for (const GraphNode& n : graph_.nodes)
      if (!One(n))
        return base::Error{"AK0802", "no evaluation of the operation " + n.op, "",
                           "give the evaluator this operation, or do not compose with it"};
    std::vector<Array> out;
    for (const std::string& o : graph_.outputs) out.push_back(values_.at(o));
    return out;
  }

 private:
  Array Operand(const GraphArg& a) const {
    if (a.IsTensor()) return values_.at(a.tensor);
    return {{}, {a.number.Real()}};
  }

  // Elements of operands that are spread over one shape.
  static Array Elements(const std::vector<Array>& x,
                        const std::function<double(const double*)>& f) {
    Array out;
    for (const Array& a : x)
      if (a.shape.size() > out.shape.size()) out.shape.resize(a.shape.size());
    std::fill(out.shape.begin(), out.shape.end(), 1);
    for (const Array& a : x)
      for (size_t i = 0; i < a.shape.size(); ++i) {
        int64_t& to = out.shape[out.shape.size() - a.shape.size() + i];
        to = std::max(to, a.shape[i]);
      }
    int64_t n = Numel(out.shape);
    out.v.resize(static_cast<size_t>(n));
    std::vector<double> e(x.size());
    for (int64_t at = 0; at < n; ++at) {
      for (size_t k = 0; k < x.size(); ++k) {
        int64_t rest = at, from = 0, stride = 1;
        for (size_t d = x[k].shape.size(), o = out.shape.size(); d-- > 0;) {
          --o;
          int64_t i = rest % out.shape[o];
          rest /= out.shape[o];
          if (x[k].shape[d] != 1) from += i * stride;
          stride *= x[k].shape[d];
        }
        e[k] = x[k].v[static_cast<size_t>(from)];
      }
      out.v[static_cast<size_t>(at)] = f(e.data());
    }
    return out;
  }

  // The dimensions before, at and after one of them.
  struct Cut {
    int64_t outer = 1, n = 1, inner = 1;
  };
  static Cut CutAt(const Shape& s, int64_t dim) {
    if (dim < 0) dim += static_cast<int64_t>(s.size());
    Cut c;
    for (int64_t d = 0; d < static_cast<int64_t>(s.size()); ++d)
      (d < dim ? c.outer : d == dim ? c.n : c.inner) *= s[static_cast<size_t>(d)];
    return c;
  }
  // Over any dimensions: elements that differ in these alone make one result.
  static Array ReduceOver(const Array& x, const std::vector<int64_t>& dims, const Shape& shape,
                          const std::function<double(const std::vector<double>&)>& f) {
    std::vector<bool> gone(x.shape.size());
    for (int64_t d : dims)
      gone[static_cast<size_t>(d < 0 ? d + static_cast<int64_t>(x.shape.size()) : d)] = true;
    std::vector<std::vector<double>> rows(static_cast<size_t>(Numel(shape)));
    for (size_t at = 0; at < x.v.size(); ++at) {
      int64_t rest = static_cast<int64_t>(at), to = 0, stride = 1;
      for (size_t d = x.shape.size(); d-- > 0;) {
        const int64_t i = rest % x.shape[d];
        rest /= x.shape[d];
        if (!gone[d]) to += i * stride, stride *= x.shape[d];
      }
      rows[static_cast<size_t>(to)].push_back(x.v[at]);
    }
    Array out{shape, {}};
    for (const auto& row : rows) out.v.push_back(f(row));
    return out;
  }
  static double Reduction(const std::string& op, const std::vector<double>& row) {
    double most = *std::max_element(row.begin(), row.end()), sum = 0;
    if (op == "amax") return most;
    if (op == "amin") return *std::min_element(row.begin(), row.end());
    for (double v : row) sum += op == "logsumexp" ? std::exp(v - most) : v;
    return op == "sum"    ? sum
           : op == "mean" ? sum / static_cast<double>(row.size())
                          : most + std::log(sum);
  }

  bool One(const GraphNode& n) {
    const std::string &op = n.op, &id = n.id();
    const GraphArgs& a = n.args;
    const Shape& shape = n.out[0].shape;
    if (op == "chunk") return Chunk(n);
    if (op == "sum" || op == "mean" || op == "amax" || op == "amin" || op == "logsumexp") {
      Array x = Operand(a[0]);
      bool all = a.size() < 3;
      std::vector<int64_t> dims;
      for (size_t d = 0; d < x.shape.size(); ++d) dims.push_back(static_cast<int64_t>(d));
      if (!all) dims = a[1].Ints();
      values_[id] = ReduceOver(x, dims, shape, [&](const auto& row) { return Reduction(op, row); });
      return true;
    }
    if (op == "softmax" || op == "layer_norm") return Rows(op, a, id);
    if (op == "select") {
      Array x = Operand(a[0]);
      values_[id] = {{}, {x.v.at(static_cast<size_t>(a[2].number.Real()))}};
      return true;
    }
    if (op == "tril" || op == "triu") return Triangle(op, a, id);
    if (op == "cat") return Join(a, id, shape);
    if (op == "reshape" || op == "unsqueeze") return values_[id] = {shape, Operand(a[0]).v}, true;
    if (op == "zeros_like")
      return values_[id] = {shape, std::vector<double>(static_cast<size_t>(Numel(shape)))}, true;
    return Element(op, a, id);
  }
  bool Element(const std::string& op, const GraphArgs& a, const std::string& id) {
    bool known = true;
    std::vector<Array> x = {Operand(a[0])};
    if (op == "gelu") {
      bool tanh = a[1].number.Says("tanh");
      values_[id] = Elements(x, [&](const double* e) {
        double v = e[0];
        return tanh ? 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)))
                    : 0.5 * v * std::erfc(-v / std::sqrt(2.0));
      });
    } else if (op == "clamp") {
      double low = a[1].IsNone() ? -HUGE_VAL : a[1].number.Real(),
             high = a[2].IsNone() ? HUGE_VAL : a[2].number.Real();
      values_[id] =
          Elements(x, [&](const double* e) { return std::min(std::max(e[0], low), high); });
    } else if (op == "where") {
      x.push_back(Operand(a[1]));
      x.push_back(Operand(a[2]));
      values_[id] = Elements(x, [](const double* e) { return e[0] != 0 ? e[1] : e[2]; });
    } else if (a.size() >= 2) {
      x.push_back(Operand(a[1]));
      values_[id] = Elements(x, [&](const double* e) { return Binary(op, e[0], e[1], known); });
    } else {
      values_[id] = Elements(x, [&](const double* e) { return Unary(op, e[0], known); });
    }
    return known;
  }
  bool Rows(const std::string& op, const GraphArgs& a, const std::string& id) {
    Array x = Operand(a[0]);
    Cut c = CutAt(x.shape, -1);
    for (int64_t r = 0; r < c.outer; ++r) {
      double* row = x.v.data() + r * c.n;
      double most = *std::max_element(row, row + c.n), sum = 0, squares = 0;
      if (op == "softmax") {
        for (int64_t i = 0; i < c.n; ++i) sum += row[i] = std::exp(row[i] - most);
        for (int64_t i = 0; i < c.n; ++i) row[i] /= sum;
        continue;
      }
      for (int64_t i = 0; i < c.n; ++i) sum += row[i];
      double mean = sum / static_cast<double>(c.n);
      for (int64_t i = 0; i < c.n; ++i) squares += (row[i] - mean) * (row[i] - mean);
      double by = std::sqrt(squares / static_cast<double>(c.n) + a[4].number.Real());
      for (int64_t i = 0; i < c.n; ++i) row[i] = (row[i] - mean) / by;
    }
    if (op == "layer_norm" && !a[2].IsNone())
      x = Elements({x, Operand(a[2])}, [](const double* e) { return e[0] * e[1]; });
    if (op == "layer_norm" && !a[3].IsNone())
      x = Elements({x, Operand(a[3])}, [](const double* e) { return e[0] + e[1]; });
    values_[id] = x;
    return true;
  }
  bool Triangle(const std::string& op, const GraphArgs& a, const std::string& id) {
    Array x = Operand(a[0]);
    int64_t columns = x.shape.back(), rows = x.shape[x.shape.size() - 2],
            k = static_cast<int64_t>(a[1].number.Real());
    for (size_t at = 0; at < x.v.size(); ++at) {
      int64_t j = static_cast<int64_t>(at) % columns, i = static_cast<int64_t>(at) / columns % rows;
      if (op == "tril" ? j > i + k : j < i + k) x.v[at] = 0;
    }
    values_[id] = x;
    return true;
  }
  bool Chunk(const GraphNode& n) {
    Array x = Operand(n.args.at(0));
    const Cut c = CutAt(x.shape, static_cast<int64_t>(n.args.at(2).number.Real()));
    const int64_t parts = static_cast<int64_t>(n.out.size()), part = c.n / parts * c.inner;
    for (int64_t p = 0; p < parts; ++p) {
      const record::GraphValue& made = n.out[static_cast<size_t>(p)];
      Array out{made.shape, {}};
      for (int64_t o = 0; o < c.outer; ++o)
        out.v.insert(out.v.end(), x.v.begin() + (o * parts + p) * part,
                     x.v.begin() + (o * parts + p + 1) * part);
      values_[made.id] = out;
    }
    return true;
  }
  bool Join(const GraphArgs& a, const std::string& id, const Shape& shape) {
    std::vector<Array> parts;
    for (const GraphArg& p : a[0].list) parts.push_back(Operand(p));
    Array out{shape, {}};
    const Cut c = CutAt(parts[0].shape, static_cast<int64_t>(a[1].number.Real()));
    const int64_t n = c.n * c.inner;
    for (int64_t o = 0; o < c.outer; ++o)
      for (const Array& p : parts)
        out.v.insert(out.v.end(), p.v.begin() + o * n, p.v.begin() + (o + 1) * n);
    values_[id] = out;
    return true;
  }

  const record::Graph& graph_;
  std::map<std::string, Array> values_;
};
}  // namespace

base::Result<std::vector<Array>> Evaluate(const record::Graph& graph,
                                          const std::map<std::string, Array>& inputs) {
  return Evaluator(graph, inputs).Run();
}

Array ArrayOf(const craft::Tensor& t) {
  Array out{t.shape, {}};
  int size = base::SizeOf(t.dtype);
  for (int64_t i = 0; i < t.Numel(); ++i) {
    const uint8_t* at = t.bytes.data() + i * size;
    uint16_t half = 0;
    switch (t.dtype) {
      case base::Dtype::kFloat16:
        std::memcpy(&half, at, 2);
        out.v.push_back(base::HalfToFloat(half));
        break;
      case base::Dtype::kBfloat16:
        std::memcpy(&half, at, 2);
        out.v.push_back(base::Bf16ToFloat(half));
        break;
      case base::Dtype::kFloat32: {
        float f;
        std::memcpy(&f, at, 4);
        out.v.push_back(f);
        break;
      }
      case base::Dtype::kInt8: out.v.push_back(static_cast<int8_t>(*at)); break;
      case base::Dtype::kUint8: out.v.push_back(*at); break;
      case base::Dtype::kInt64: {
        int64_t n;
        std::memcpy(&n, at, 8);
        out.v.push_back(static_cast<double>(n));
        break;
      }
      case base::Dtype::kBool: out.v.push_back(*at ? 1 : 0); break;
      case base::Dtype::kInt32: {
        int32_t n;
        std::memcpy(&n, at, 4);
        out.v.push_back(n);
        break;
      }
      default: out.v.push_back(std::numeric_limits<double>::quiet_NaN());
    }
  }
  return out;
}

}  // namespace akgen::corpus
