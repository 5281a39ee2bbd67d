#include "craft/ir/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace akgen::craft::ir {
namespace {
std::shared_ptr<Scalar> New(SKind kind, Ty type) {
  auto s = std::make_shared<Scalar>();
  s->kind = kind;
  s->type = type;
  return s;
}
bool IsIntConst(const S& s) { return s->kind == SKind::kConst && s->type == Ty::kInt; }

int64_t FloorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

// Sum of products: product of atoms (sorted, joined by '*') -> coefficient.
using Poly = std::map<std::string, int64_t>;

Poly ToPoly(const S& s) {
  if (IsIntConst(s)) return s->i == 0 ? Poly{} : Poly{{"", s->i}};
  if (s->kind == SKind::kUnary && s->text == "-") {
    Poly p = ToPoly(s->args[0]);
    for (auto& [k, v] : p) v = -v;
    return p;
  }
  if (s->kind == SKind::kBinary && (s->text == "+" || s->text == "-")) {
    Poly a = ToPoly(s->args[0]);
    for (const auto& [k, v] : ToPoly(s->args[1])) a[k] += s->text == "+" ? v : -v;
    std::erase_if(a, [](const auto& e) { return e.second == 0; });
    return a;
  }
  if (s->kind == SKind::kBinary && s->text == "*") {
    Poly out;
    for (const auto& [ka, va] : ToPoly(s->args[0]))
      for (const auto& [kb, vb] : ToPoly(s->args[1])) {
        std::vector<std::string> atoms;
        for (const std::string& k : {ka, kb})
          for (size_t at = 0; at < k.size();) {
            size_t end = k.find('*', at);
            if (end == std::string::npos) end = k.size();
            atoms.push_back(k.substr(at, end - at));
            at = end + 1;
          }
        std::sort(atoms.begin(), atoms.end());
        std::string key;
        for (const std::string& a : atoms) key += (key.empty() ? "" : "*") + a;
        out[key] += va * vb;
      }
    std::erase_if(out, [](const auto& e) { return e.second == 0; });
    return out;
  }
  std::string atom = s->kind == SKind::kVar ? s->text : s->text + "(";
  if (s->kind != SKind::kVar) {
    std::vector<std::string> keys;
    for (const S& a : s->args) keys.push_back(a->type == Ty::kInt ? Key(a) : ToText(a));
    if (s->text == "min" || s->text == "max") std::sort(keys.begin(), keys.end());
    atom += s->tensor;
    for (const auto& k : keys) atom += ";" + k;
    atom += ")";
    std::replace(atom.begin(), atom.end(), '*', '.');
    if (!s->shape.empty()) atom = ToText(s);
    std::replace(atom.begin(), atom.end(), '*', '.');
  }
  return Poly{{atom, 1}};
}

int Precedence(const S& s) {
  if (s->kind == SKind::kSelect) return 0;
  if (s->kind == SKind::kUnary) return 7;
  if (s->kind != SKind::kBinary) return 9;
  const std::string& t = s->text;
  if (t == "or") return 1;
  if (t == "and") return 2;
  if (t == "+" || t == "-") return 5;
  if (t == "*" || t == "/" || t == "//" || t == "%") return 6;
  return 4;
}
}  // namespace

S Int(int64_t value) {
  auto s = New(SKind::kConst, Ty::kInt);
  s->i = value;
  return s;
}
S Float(double value) {
  auto s = New(SKind::kConst, Ty::kFloat);
  s->f = value;
  return s;
}
S Bool(bool value) {
  auto s = New(SKind::kConst, Ty::kBool);
  s->i = value;
  return s;
}
S String(std::string value) {
  auto s = New(SKind::kConst, Ty::kString);
  s->text = std::move(value);
  return s;
}
S Var(std::string name, Ty type) {
  auto s = New(SKind::kVar, type);
  s->text = std::move(name);
  return s;
}
std::optional<int64_t> Computed(std::string_view op, int64_t x, int64_t y) {
  int64_t value = 0;
  if (op == "+") return __builtin_add_overflow(x, y, &value) ? std::nullopt : std::optional(value);
  if (op == "-") return __builtin_sub_overflow(x, y, &value) ? std::nullopt : std::optional(value);
  if (op == "*") return __builtin_mul_overflow(x, y, &value) ? std::nullopt : std::optional(value);
  if (y == 0 || (y == -1 && x == INT64_MIN)) return std::nullopt;
  if (op == "//") return FloorDiv(x, y);
  if (op == "%") return x - FloorDiv(x, y) * y;
  return std::nullopt;
}

S Unary(const std::string& op, S a) {
  if (op == "-" && IsIntConst(a) && a->i != INT64_MIN) return Int(-a->i);
  if (op == "-" && a->kind == SKind::kConst && a->type == Ty::kFloat) return Float(-a->f);
  auto s = New(SKind::kUnary, op == "not" ? Ty::kBool : a->type);
  s->text = op;
  s->args = {std::move(a)};
  return s;
}

S Binary(const std::string& op, S a, S b, Ty type) {
  if (type == Ty::kInt && IsIntConst(a) && IsIntConst(b))
    if (auto value = Computed(op, a->i, b->i)) return Int(*value);
  if (type == Ty::kInt && op == "+" && IsConst(a, 0)) return b;
  if (type == Ty::kInt && (op == "+" || op == "-") && IsConst(b, 0)) return a;
  if (type == Ty::kInt && (op == "*" || op == "//") && IsConst(b, 1)) return a;
  if (type == Ty::kInt && op == "*" && IsConst(a, 1)) return b;
  if (type == Ty::kInt && op == "*" && (IsConst(a, 0) || IsConst(b, 0))) return Int(0);
  if (type == Ty::kInt && op == "-" && Key(a) == Key(b)) return Int(0);
  auto s = New(SKind::kBinary, type);
  s->text = op;
  s->args = {std::move(a), std::move(b)};
  return s;
}
S Add(S a, S b) { return Binary("+", std::move(a), std::move(b), Ty::kInt); }
S Sub(S a, S b) {
  // (r + n) - r is n: the extent of most slices.
  if (a->kind == SKind::kBinary && a->text == "+") {
    if (Same(a->args[0], b)) return a->args[1];
    if (Same(a->args[1], b)) return a->args[0];
  }
  return Binary("-", std::move(a), std::move(b), Ty::kInt);
}
S Mul(S a, S b) { return Binary("*", std::move(a), std::move(b), Ty::kInt); }
S Min(S a, S b) {
  if (Same(a, b)) return a;
  return Call("min", {std::move(a), std::move(b)}, Ty::kInt);
}
S CeilDiv(S a, S b) {
  if (IsConst(b, 1)) return a;
  if (IsIntConst(a) && IsIntConst(b) && b->i > 0) return Int(-FloorDiv(-a->i, b->i));
  if (a->kind == SKind::kBinary && a->text == "*" && Same(a->args[1], b)) return a->args[0];
  if (a->kind == SKind::kBinary && a->text == "*" && Same(a->args[0], b)) return a->args[1];
  return Call("ceil_div", {std::move(a), std::move(b)}, Ty::kInt);
}
S Call(const std::string& name, std::vector<S> args, Ty type) {
  auto s = New(SKind::kCall, type);
  s->text = name;
  s->args = std::move(args);
  return s;
}

std::string Key(const S& s) {
  std::string out;
  for (const auto& [k, v] : ToPoly(s))
    out += fmt::format("{}{}{}", out.empty() ? "" : "+", v, k.empty() ? "" : "*" + k);
  return out.empty() ? "0" : out;
}
bool Same(const S& a, const S& b) { return a && b && Key(a) == Key(b); }
bool IsConst(const S& s, int64_t value) { return s && IsIntConst(s) && s->i == value; }
const Scalar* AsConst(const S& s) { return s && s->kind == SKind::kConst ? s.get() : nullptr; }

void Variables(const S& s, std::set<std::string>& out) {
  if (!s) return;
  if (s->kind == SKind::kVar) out.insert(s->text);
  for (const S& a : s->args) Variables(a, out);
  for (const ShapePart& p : s->shape)
    for (const S& e : {p.value, p.first, p.last}) Variables(e, out);
}

S MapScalar(const S& s, const std::vector<S>& args) {
  if (s->kind == SKind::kBinary) return Binary(s->text, args[0], args[1], s->type);
  auto copy = std::make_shared<Scalar>(*s);
  copy->args = args;
  return copy;
}

namespace {
// x.shape[1:] + [n]
std::string ShapeText(const Shape& shape) {
  std::string out;
  bool open = false;
  auto add = [&](const std::string& text) { out += (out.empty() ? "" : " + ") + text; };
  for (const ShapePart& p : shape) {
    if (p.value) {
      if (open)
        out.replace(out.size() - 1, 1, ", " + ToText(p.value) + "]");
      else
        add("[" + ToText(p.value) + "]");
      open = true;
      continue;
    }
    open = false;
    const std::string first = p.first  ? ToText(p.first)
                              : p.from ? std::to_string(p.from)
                                       : "",
                      last = p.last     ? ToText(p.last)
                             : p.to_end ? ""
                                        : std::to_string(p.to);
    add(p.tensor + ".shape" +
        (first.empty() && last.empty() ? "" : fmt::format("[{}:{}]", first, last)));
  }
  return out;
}

// As the language has it.
std::string CallText(const Scalar& s) {
  auto arg = [&](size_t i) { return ToText(s.args[i]); };
  const std::string& f = s.text;
  if (f == "dim") return fmt::format("{}.shape[{}]", s.tensor, arg(0));
  if (f == "numel" && s.args.empty()) return s.tensor + ".numel";
  if (f == "count" || f == "length") return fmt::format("len({})", s.tensor);
  if (f == "element") return fmt::format("{}[{}]", s.tensor, arg(0));
  if (f == "is_dtype") return fmt::format("{}.dtype == {}", s.tensor, s.args[0]->text);
  if (f == "item" && s.args.size() > 1)
    return fmt::format("item({}[{}][{}])", s.tensor, arg(1), arg(0));
  if (f == "numel" || f == "item") return fmt::format("{}({}[{}])", f, s.tensor, arg(0));
  std::string out = f + "(" + s.tensor + ShapeText(s.shape);
  for (size_t i = 0; i < s.args.size(); ++i)
    out += (out.back() == '(' ? "" : ", ") + ToText(s.args[i]);
  return out + ")";
}
}  // namespace

std::string ToText(const S& s) {
  auto arg = [&](size_t i, int least) {
    std::string t = ToText(s->args[i]);
    return Precedence(s->args[i]) < least ? "(" + t + ")" : t;
  };
  switch (s->kind) {
    case SKind::kConst:
      if (s->type == Ty::kFloat) {
        std::string t = fmt::format("{}", s->f);
        return t.find_first_of(".en") == std::string::npos ? t + ".0" : t;
      }
      if (s->type == Ty::kBool) return s->i ? "True" : "False";
      return s->type == Ty::kString ? "\"" + s->text + "\"" : fmt::format("{}", s->i);
    case SKind::kVar: return s->text;
    case SKind::kUnary: return (s->text == "not" ? "not " : s->text) + arg(0, 7);
    case SKind::kBinary:
      return fmt::format("{} {} {}", arg(0, Precedence(s)), s->text, arg(1, Precedence(s) + 1));
    case SKind::kSelect: return fmt::format("{} if {} else {}", arg(0, 1), arg(1, 1), arg(2, 0));
    case SKind::kCall: return CallText(*s);
  }
  return {};
}

}  // namespace akgen::craft::ir
