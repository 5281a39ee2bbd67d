#include "craft/plan/element.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

namespace akgen::craft {
using record::GraphNumber;

std::string NumberText(double v) {
  if (std::isinf(v)) return v > 0 ? "inf" : "(-inf)";
  std::string t = fmt::format(
      "{}", v);  // the fewest digits that are this number: as the operations are told with
  if (t.find_first_of(".e") == std::string::npos) t += ".0";
  return v < 0 ? "(" + t + ")" : t;
}

std::optional<std::string> ConstantText(const record::GraphConstant& v) {
  if (const bool* b = std::get_if<bool>(&v)) return *b ? "1" : "0";
  if (const int64_t* i = std::get_if<int64_t>(&v))
    return *i < 0 ? fmt::format("({})", *i) : fmt::format("{}", *i);
  if (const double* d = std::get_if<double>(&v)) return NumberText(*d);
  return std::nullopt;
}

std::string ConstantOf(const GraphNumber& n) {
  auto text = ConstantText(n.value);
  if (!text) throw Unplanned{"a number of an unknown kind"};
  return *text;
}

std::optional<std::string> HostNumber(const GraphNumber& n) {
  if (n.IsConstant()) return ConstantText(n.value);
  if (n.from == GraphNumber::From::kAttribute) return n.name;
  if (n.from != GraphNumber::From::kOperation) return std::nullopt;
  std::vector<std::string> a;
  for (const GraphNumber& x : n.args) {
    auto t = HostNumber(x);
    if (!t) return std::nullopt;
    a.push_back(*t);
  }
  const std::string& op = n.name;
  if ((op == "Float" || op == "float") && a.size() == 1) return fmt::format("float({})", a[0]);
  if (op == "neg" && a.size() == 1) return fmt::format("(-{})", a[0]);
  if ((op == "log" || op == "exp") && a.size() == 1) return fmt::format("{}(float({}))", op, a[0]);
  if (op == "pow" && a.size() == 2) return fmt::format("pow(float({}), float({}))", a[0], a[1]);
  static const std::map<std::string, const char*> kOps = {
      {"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"div", "/"}, {"remainder", "%"}};
  auto it = kOps.find(op);
  return it != kOps.end() && a.size() == 2
             ? std::optional(fmt::format("({} {} {})", a[0], it->second, a[1]))
             : std::nullopt;
}

std::optional<std::string> ElementText(const std::string& op, const record::GraphArgs& args,
                                       const std::function<std::string(size_t)>& x) {
  static const std::set<std::string> kSame = {
      "abs",     "exp",   "log",  "sqrt",  "rsqrt", "reciprocal", "relu", "sin",  "cos",
      "tan",     "asin",  "acos", "atan",  "sinh",  "cosh",       "tanh", "erf",  "erfc",
      "sigmoid", "floor", "ceil", "trunc", "round", "sign",       "log2", "log10"};
  if (kSame.count(op)) return fmt::format("{}({})", op, x(0));
  static const std::map<std::string, const char*> kBinary = {
      {"mul", "*"},        {"div", "/"},         {"pow", "**"},      {"eq", "=="},
      {"ne", "!="},        {"lt", "<"},          {"le", "<="},       {"gt", ">"},
      {"ge", ">="},        {"__and__", "&"},     {"__or__", "|"},    {"bitwise_and", "&"},
      {"bitwise_or", "|"}, {"logical_and", "&"}, {"logical_or", "|"}};
  if (auto it = kBinary.find(op); it != kBinary.end() && args.size() == 2)
    return fmt::format("{} {} {}", x(0), it->second, x(1));
  if (op == "add" || op == "sub" || op == "rsub") {
    std::string a = x(0), b = x(1);
    if (args.size() > 2 && !args[2].Is(1)) b = fmt::format("{} * {}", x(2), op == "rsub" ? a : b);
    if (op == "rsub")
      return fmt::format("{} - {}", x(1), args.size() > 2 && !args[2].Is(1) ? b : a);
    return fmt::format("{} {} {}", a, op == "add" ? "+" : "-", b);
  }
  if (op == "maximum" || op == "minimum") return fmt::format("{}({}, {})", op, x(0), x(1));
  if (op == "neg") return fmt::format("-{}", x(0));
  // Near zero the plain forms lose every digit that matters.
  if (op == "log1p")
    return fmt::format(
        "where(abs({0}) < 0.5, where({0} + 1.0 == 1.0, {0}, log({0} + 1.0) * ({0} / ({0} + 1.0 - "
        "1.0))), log({0} + "
        "1.0))",
        x(0));
  if (op == "expm1") {
    std::string near = "1.0";
    for (int k = 9; k > 1; --k)
      near = fmt::format("(1.0 + {} * {})", x(0), fmt::format("(1.0 / {}.0) * {}", k, near));
    return fmt::format("where(abs({0}) < 0.5, {0} * {1}, exp({0}) - 1.0)", x(0), near);
  }
  if (op == "bitwise_not" || op == "logical_not") return fmt::format("~{}", x(0));
  if (op == "gelu") {
    if (args[1].number.Says("tanh"))
      return fmt::format("{0} * sigmoid(1.5957691216057308 * ({0} + 0.044715 * {0} * {0} * {0}))",
                         x(0));
    // 1 + erf would lose what is left of negative numbers.
    return fmt::format("0.5 * {0} * erfc({0} * (-0.70710678118654752))", x(0));
  }
  if (op == "isfinite") return fmt::format("abs({}) < inf", x(0));
  if (op == "isinf") return fmt::format("abs({}) == inf", x(0));
  if (op == "isnan") return fmt::format("{0} != {0}", x(0));
  if (op == "where") return fmt::format("where({}, {}, {})", x(0), x(1), x(2));
  if (op == "whole_remainder") return fmt::format("{} % {}", x(0), x(1));
  if (op == "whole_quotient") return fmt::format("{} // {}", x(0), x(1));
  if (op == "remainder") return fmt::format("{0} - floor({0} / {1}) * {1}", x(0), x(1));
  if (op == "square") return fmt::format("{0} * {0}", x(0));
  if (op == "lerp") return fmt::format("{0} + {2} * ({1} - {0})", x(0), x(1), x(2));
  if (op == "clamp_min") return fmt::format("maximum({}, {})", x(0), x(1));
  if (op == "clamp_max") return fmt::format("minimum({}, {})", x(0), x(1));
  if (op == "clamp") {
    std::string t = x(0);
    if (!args[1].IsNone()) t = fmt::format("maximum({}, {})", t, x(1));
    if (!args[2].IsNone()) t = fmt::format("minimum({}, {})", t, x(2));
    return t;
  }
  return std::nullopt;
}

}  // namespace akgen::craft
