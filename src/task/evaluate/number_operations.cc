// Operations on numbers, strings and lists, and what tensors say of themselves (operations.h).
#include <cmath>
#include <limits>

#include "task/evaluate/script_dtype.h"
#include "task/evaluate/tables.h"

namespace akgen::task::evaluate {
namespace {
bool IsReal(const Value& v) { return std::holds_alternative<double>(v); }

// Of two numbers: integers stay integers.
template <class R, class W>
Results Two(const Args& a, R real, W whole) {
  if (IsReal(a.at(0)) || IsReal(a.at(1))) return {Value(real(a[0].Real(), a[1].Real()))};
  return {Value(whole(a[0].Int(), a[1].Int()))};
}
template <double (*f)(double)>
Results One(const Args& a) {
  return {Value(f(a.at(0).Real()))};
}
template <double (*f)(double)>
Results ToInteger(const Args& a) {
  const double v = f(a.at(0).Real());
  if (!(std::fabs(v) < 0x1p63)) throw Unsupported("an integer that is too large");
  return {Value(int64_t(v))};
}

size_t Place(const Value& index, size_t size) {
  const int64_t i = index.Int(), at = i < 0 ? i + int64_t(size) : i;
  if (at < 0 || at >= int64_t(size)) throw Unsupported("an index out of range");
  return size_t(at);
}
Value SizesOf(const Shape& shape) { return ListOf(std::vector<Value>(shape.begin(), shape.end())); }

Results AddNumbers(const Args& a) {
  if (a.at(0).IsList()) {
    std::vector<Value> out = a[0].AsList();
    const std::vector<Value>& more = a.at(1).AsList();
    out.insert(out.end(), more.begin(), more.end());
    return {ListOf(std::move(out))};
  }
  return Two(
      a, [](double x, double y) { return x + y; }, [](int64_t x, int64_t y) { return x + y; });
}
Results MultiplyNumbers(const Args& a) {
  if (a.at(0).IsList()) {
    constexpr int64_t kMaxTimes = 1 << 12;
    std::vector<Value> out;
    if (a.at(1).Int() > kMaxTimes) throw Unsupported("a list that is too long");
    for (int64_t i = 0, n = a[1].Int(); i < n; ++i)
      out.insert(out.end(), a[0].AsList().begin(), a[0].AsList().end());
    return {ListOf(std::move(out))};
  }
  return Two(
      a, [](double x, double y) { return x * y; }, [](int64_t x, int64_t y) { return x * y; });
}
int64_t FloorDiv(int64_t x, int64_t y) {
  if (y == 0) throw Unsupported("a division by zero");
  if (y == -1) return int64_t(0 - uint64_t(x));
  const int64_t whole = x / y;
  return x % y != 0 && (x < 0) != (y < 0) ? whole - 1 : whole;
}
Results DivideNumbers(const Args& a) {
  if (a.at(1).Real() == 0) throw Unsupported("a division by zero");
  return {Value(a.at(0).Real() / a[1].Real())};
}
Results RemainderOfNumbers(const Args& a) {
  return Two(
      a, [](double, double) -> double { throw Unsupported("a remainder of real numbers"); },
      [](int64_t x, int64_t y) { return x - FloorDiv(x, y) * y; });
}

template <class F>
Results CompareNumbers(const Args& a, F f) {
  const Value &x = a.at(0), &y = a.at(1);
  if (const std::string* text = std::get_if<std::string>(&x))
    return {Value(bool(f(*text, y.Text())))};
  if (x.IsList()) return {Value(bool(f(x.Ints(), y.Ints())))};
  if (IsReal(x) || IsReal(y)) return {Value(bool(f(x.Real(), y.Real())))};
  return {Value(bool(f(x.Int(), y.Int())))};
}

Results SliceOfList(const Args& a) {
  const std::vector<Value>& list = a.at(0).AsList();
  const int64_t n = int64_t(list.size()), step = At(a, 3).IsNone() ? 1 : a[3].Int();
  if (step <= 0) throw Unsupported("a slice from the end");
  const auto bound = [&](const Value& v, int64_t otherwise) {
    const int64_t at = v.IsNone() ? otherwise : v.Int();
    return std::clamp<int64_t>(at < 0 ? at + n : at, 0, n);
  };
  std::vector<Value> out;
  for (int64_t i = bound(At(a, 1), 0), end = bound(At(a, 2), n); i < end; i += step)
    out.push_back(list[size_t(i)]);
  return {ListOf(std::move(out))};
}

// The element of a tensor that has one.
Value Item(const Value& v) {
  if (!v.IsTensor()) return v;
  const Tensor& t = *v.AsTensor();
  if (t.numel() != 1) throw Unsupported("a tensor of one element is expected");
  if (t.IsReal()) return Value(t.real[0]);
  if (t.dtype == base::Dtype::kBool) return Value(t.whole[0] != 0);
  return Value(t.whole[0]);
}
Results Integer(const Args& a) {
  const Value v = Item(a.at(0));
  if (IsReal(v)) return ToInteger<std::trunc>({v});
  return {Value(v.Int())};
}
Results BooleanOf(const Args& a) {
  const Value v = Item(a.at(0));
  return {Value(v.Real() != 0)};
}

bool IsNone(const Args& a) {  // `is` is asked of None only
  if (!a.at(1).IsNone() && !a.at(0).IsNone()) throw Unsupported("whether two objects are the same");
  return a[0].IsNone() && a[1].IsNone();
}

template <bool larger>
Results Extreme(const Args& a) {
  if (a.size() != 2) throw Unsupported("the extreme of a list");
  const auto pick = [](auto x, auto y) { return larger ? std::max(x, y) : std::min(x, y); };
  return Two(a, pick, pick);
}

Results Size(const Args& a) {
  const Shape& shape = a.at(0).AsTensor()->shape;
  if (a.size() == 1) return {SizesOf(shape)};
  if (shape.empty()) throw Unsupported("a size of a number");
  return {Value(shape[Dim(a[1].Int(), int64_t(shape.size()))])};
}

const OperationTable kNumbers = {
    {"add", AddNumbers},
    {"mul", MultiplyNumbers},
    {"sub",
     [](const Args& a) {
       return Two(
           a, [](double x, double y) { return x - y; }, [](int64_t x, int64_t y) { return x - y; });
     }},
    {"div", DivideNumbers},
    {"floordiv",
     [](const Args& a) {
       return Two(a, [](double x, double y) { return std::floor(x / y); }, FloorDiv);
     }},
    {"remainder", RemainderOfNumbers},
    {"neg",
     [](const Args& a) -> Results {
       return {IsReal(a.at(0)) ? Value(-a[0].Real()) : Value(-a[0].Int())};
     }},
    {"pow",
     [](const Args& a) -> Results {
       if (!IsReal(a.at(0)) && !IsReal(a.at(1))) throw Unsupported("a power of integers");
       return {Value(std::pow(a[0].Real(), a[1].Real()))};
     }},
    {"sqrt", One<std::sqrt>},
    {"exp", One<std::exp>},
    {"log", One<std::log>},
    {"tanh", One<std::tanh>},
    {"ceil", ToInteger<std::ceil>},
    {"floor", ToInteger<std::floor>},
    {"abs",
     [](const Args& a) -> Results {
       return {IsReal(a.at(0)) ? Value(std::fabs(a[0].Real())) : Value(std::abs(a[0].Int()))};
     }},
    {"max", Extreme<true>},
    {"min", Extreme<false>},
    {"eq",
     [](const Args& a) {
       return CompareNumbers(a, [](const auto& x, const auto& y) { return x == y; });
     }},
    {"ne",
     [](const Args& a) {
       return CompareNumbers(a, [](const auto& x, const auto& y) { return x != y; });
     }},
    {"lt",
     [](const Args& a) {
       return CompareNumbers(a, [](const auto& x, const auto& y) { return x < y; });
     }},
    {"le",
     [](const Args& a) {
       return CompareNumbers(a, [](const auto& x, const auto& y) { return x <= y; });
     }},
    {"gt",
     [](const Args& a) {
       return CompareNumbers(a, [](const auto& x, const auto& y) { return x > y; });
     }},
    {"ge",
     [](const Args& a) {
       return CompareNumbers(a, [](const auto& x, const auto& y) { return x >= y; });
     }},
    {"__not__", [](const Args& a) -> Results { return {Value(!a.at(0).Bool())}; }},
    {"__is__", [](const Args& a) -> Results { return {Value(IsNone(a))}; }},
    {"__isnot__", [](const Args& a) -> Results { return {Value(!IsNone(a))}; }},
    {"Int", Integer},
    {"IntImplicit", Integer},
    {"Float", [](const Args& a) -> Results { return {Value(Item(a.at(0)).Real())}; }},
    {"FloatImplicit", [](const Args& a) -> Results { return {Value(Item(a.at(0)).Real())}; }},
    {"Bool", BooleanOf},
    {"item", [](const Args& a) -> Results { return {Item(a.at(0))}; }},
    {"ScalarImplicit", [](const Args& a) -> Results { return {Item(a.at(0))}; }},
    {"len",
     [](const Args& a) -> Results {
       return {a.at(0).IsTensor() ? Size({a[0], Value(int64_t{0})})[0]
                                  : Value(int64_t(a[0].AsList().size()))};
     }},
    {"append",
     [](const Args& a) -> Results {
       a.at(0).AsList().push_back(a.at(1));
       return {a[0]};
     }},
    {"__getitem__",
     [](const Args& a) -> Results {
       const auto& list = a.at(0).AsList();
       return {list[Place(a.at(1), list.size())]};
     }},
    {"_set_item",
     [](const Args& a) -> Results {
       auto& list = a.at(0).AsList();
       list[Place(a.at(1), list.size())] = a.at(2);
       return {a[0]};
     }},
    {"slice", SliceOfList},
    {"__derive_index",
     [](const Args& a) -> Results {
       return {Value(a.at(1).Int() + a.at(0).Int() * a.at(2).Int())};
     }},
    {"__range_length",
     [](const Args& a) -> Results {
       const int64_t low = a.at(0).Int(), high = a.at(1).Int(), step = a.at(2).Int();
       if (step == 0) throw Unsupported("a range without a step");
       const int64_t n =
           step > 0 ? (high - low + step - 1) / step : (low - high - step - 1) / -step;
       return {Value(std::max<int64_t>(n, 0))};
     }},
    {"dim", [](const Args& a) -> Results { return {Value(a.at(0).AsTensor()->rank())}; }},
    {"numel", [](const Args& a) -> Results { return {Value(a.at(0).AsTensor()->numel())}; }},
    {"size", Size},
    {"dtype",
     [](const Args& a) -> Results { return {Value(ScriptDtype(a.at(0).AsTensor()->dtype))}; }},
    {"is_floating_point",
     [](const Args& a) -> Results { return {Value(a.at(0).AsTensor()->IsReal())}; }},
    {"is_complex",
     [](const Args& a) -> Results {
       a.at(0).AsTensor();
       return {Value(false)};
     }},
};
}  // namespace

const OperationTable& NumberOperations() { return kNumbers; }

}  // namespace akgen::task::evaluate
