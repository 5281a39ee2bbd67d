// The main() of a program that calls an operator which its sources register: `NAME(ARGUMENT, …)`,
// an argument being
//   x=f32[8,64]            a tensor, drawn; then ~normal(0,1), ~uniform(0,1), ~int(0,9),
//   ~constant(0), :1,2 values,
//   @FILE bytes 0.01, 3, true, None, "text", [1,2], [f32[8],f32[8]]
// A name in front of = is for the reader. Results are written to result_0.bin, result_1.bin, …;
// tensors that were arguments are written to argument_0.bin before the call, and to changed_0.bin
// where the call changed them.
#ifndef AKGEN_AKGEN_TORCH_CALL_H
#define AKGEN_AKGEN_TORCH_CALL_H
#include <cmath>
#include <fstream>
#include <random>

#include "akgen/torch/library.h"

namespace akgen_torch {
inline const std::map<std::string, c10::ScalarType>& TensorTypes() {
  static const std::map<std::string, c10::ScalarType> types = {
      {"f32", c10::kFloat}, {"f16", c10::kHalf}, {"bf16", c10::kBFloat16}, {"f64", c10::kDouble},
      {"i8", c10::kChar},   {"u8", c10::kByte},  {"i16", c10::kShort},     {"i32", c10::kInt},
      {"i64", c10::kLong},  {"bool", c10::kBool}};
  return types;
}

class Reader {
 public:
  Reader(const std::string& text, uint64_t seed) : text_(text), random_(seed) {}

  std::string Name() {
    const size_t end = text_.find('(');
    if (end == std::string::npos) c10::AkgenFail("a call is NAME(ARGUMENT, …)");
    at_ = end + 1;
    return text_.substr(0, end);
  }
  Values Arguments() {
    Values out;
    while (Skip(), at_ < text_.size() && text_[at_] != ')') {
      out.push_back(Argument());
      Skip();
      if (at_ < text_.size() && text_[at_] == ',') ++at_;
    }
    return out;
  }

 private:
  static bool InWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '+' ||
           c == '-';
  }
  void Skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool Takes(char c) {
    Skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string Word() {
    Skip();
    const size_t begin = at_;
    while (at_ < text_.size() && InWord(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::vector<double> Numbers(char end) {
    std::vector<double> out;
    while (!Takes(end) && at_ < text_.size()) {
      out.push_back(std::strtod(Word().c_str(), nullptr));
      Takes(',');
    }
    return out;
  }
  Value Argument() {
    Skip();
    if (Takes('"')) {
      const size_t end = std::min(text_.find('"', at_), text_.size());
      std::string out = text_.substr(at_, end - at_);
      at_ = end + 1;
      return out;
    }
    if (Takes('[')) return Listed();
    const std::string word = Word();
    if (Takes('=')) return Argument();
    if (Takes('[')) return Drawn(word);
    if (word == "true" || word == "True") return true;
    if (word == "false" || word == "False") return false;
    if (word == "None") return std::monostate();
    char* end = nullptr;
    const int64_t whole = std::strtoll(word.c_str(), &end, 10);
    if (!word.empty() && *end == 0) return whole;
    const double number = std::strtod(word.c_str(), &end);
    if (word.empty() || *end != 0) c10::AkgenFail("no argument: '", word, "' in ", text_);
    return number;
  }
  Value Listed() {
    std::vector<Value> all;
    while (!Takes(']') && at_ < text_.size()) {
      all.push_back(Argument());
      Takes(',');
    }
    if (!all.empty() && std::holds_alternative<Tensor>(all[0])) {
      std::vector<Tensor> out;
      for (Value& v : all) out.push_back(As<Tensor>::Take(v));
      return out;
    }
    bool whole = true;
    for (const Value& v : all) whole = whole && std::holds_alternative<int64_t>(v);
    std::vector<int64_t> integers;
    std::vector<double> numbers;
    for (Value& v : all) {
      if (whole)
        integers.push_back(As<int64_t>::Take(v));
      else
        numbers.push_back(As<double>::Take(v));
    }
    if (whole) return integers;
    return numbers;
  }
  static c10::ScalarType TypeOf(const std::string& name) {
    const auto found = TensorTypes().find(name);
    if (found == TensorTypes().end())
      c10::AkgenFail("no type of a tensor: '", name, "' (f32, f16, bf16, i32, …)");
    return found->second;
  }
  Value Drawn(const std::string& type) {
    std::vector<int64_t> sizes;
    for (double d : Numbers(']')) sizes.push_back(int64_t(d));
#ifdef AKGEN_RECORD_LAUNCHES
    return Unwritten(sizes, TypeOf(type));
#endif
    Tensor t = Tensor::Made(sizes, TypeOf(type));
    std::vector<uint8_t> host(t.nbytes());
    const size_t each = t.element_size();
    if (Takes('@')) {
      std::string name;
      while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')' && text_[at_] != ']')
        name += text_[at_++];
      std::ifstream file(name, std::ios::binary);
      if (!file.read(reinterpret_cast<char*>(host.data()), long(host.size())))
        c10::AkgenFail(name, " does not have the ", host.size(), " bytes of ", type, t.sizes());
    } else if (Takes(':')) {
      std::vector<double> values;
      do values.push_back(std::strtod(Word().c_str(), nullptr));
      while (at_ + 1 < text_.size() && text_[at_] == ',' &&
             (std::isdigit(text_[at_ + 1]) || text_[at_ + 1] == '-') && ++at_);
      for (int64_t i = 0; i < t.numel(); ++i)
        t.Put(&host[size_t(i) * each], values[size_t(i) % values.size()]);
    } else {
      std::string kind = t.is_floating_point() ? "normal" : "int";
      std::vector<double> of =
          t.is_floating_point() ? std::vector<double>{0, 1} : std::vector<double>{0, 9};
      if (t.scalar_type() == c10::kBool) of = {0, 1};
      if (Takes('~')) {
        kind = Word();
        if (Takes('(')) of = Numbers(')');
        of.resize(2);
      }
      for (int64_t i = 0; i < t.numel(); ++i)
        t.Put(&host[size_t(i) * each], Draw(kind, of[0], of[1]));
    }
    t.FromHost(host.data());
    return t;
  }
#ifdef AKGEN_RECORD_LAUNCHES
  // f32[8,64]%[1,8]: with strides.
  Tensor Unwritten(const std::vector<int64_t>& sizes, c10::ScalarType type) {
    std::vector<int64_t> strides;
    Takes('%');
    Takes('[');
    for (double d : Numbers(']')) strides.push_back(int64_t(d));
    strides.resize(sizes.size());
    int64_t extent = 1;
    for (size_t i = 0; i < sizes.size(); ++i)
      extent = sizes[i] && extent ? extent + (sizes[i] - 1) * strides[i] : 0;
    void* memory = Recorder::Get().Made(size_t(extent) * c10::elementSize(type), tensors_++);
    return Tensor::Around(memory, {extent}, type).Strided(sizes, strides);
  }
  int tensors_ = 0;
#endif
  double Draw(const std::string& kind, double a, double b) {
    const double u = (double(random_() >> 11) + 0.5) / double(uint64_t{1} << 53);
    if (kind == "constant") return a;
    if (kind == "uniform") return a + u * (b - a);
    if (kind == "int") return a + std::floor(u * (b - a + 1));
    if (kind != "normal") c10::AkgenFail("no distribution: ", kind);
    const double v = (double(random_() >> 11) + 0.5) / double(uint64_t{1} << 53);
    return a + b * std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
  }

  std::string text_;
  size_t at_ = 0;
  std::mt19937_64 random_;
};

inline void Write(const std::string& name, const Tensor& t) {
  const std::vector<uint8_t> bytes = t.ToHost();
  std::ofstream(name, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), long(bytes.size()));
}
inline double ValueOf(c10::ScalarType type, const uint8_t* at) {
  switch (type) {
#define AKGEN_X(of, name, number)  \
  case c10::ScalarType::name: {    \
    of v;                          \
    std::memcpy(&v, at, sizeof v); \
    return double(v);              \
  }
    using c10::BFloat16;
    using c10::Half;
    AKGEN_TORCH_TYPES(AKGEN_X)
#undef AKGEN_X
    default: return 0;
  }
}
// |got - expected| <= tolerance * (1 + |expected|), as allclose with both tolerances alike.
inline bool Agrees(const Tensor& t, const std::string& file, double tolerance) {
  const std::vector<uint8_t> got = t.ToHost();
  std::vector<uint8_t> want(got.size());
  std::ifstream in(file, std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(want.data()), long(want.size())))
    c10::AkgenFail(file, " does not have the ", want.size(), " bytes of the result ",
                   t.scalar_type(), t.sizes());
  int64_t wrong = 0, first = -1;
  for (int64_t i = 0; i < t.numel(); ++i) {
    const double g = ValueOf(t.scalar_type(), &got[size_t(i) * t.element_size()]);
    const double w = ValueOf(t.scalar_type(), &want[size_t(i) * t.element_size()]);
    const bool same =
        g == w || (g != g && w != w) || std::fabs(g - w) <= tolerance * (1 + std::fabs(w));
    if (!same && wrong++ == 0) first = i;
  }
  if (!wrong) return true;
  std::printf("wrong: %lld of %lld elements; element %lld is %g, expected %g\n",
              static_cast<long long>(wrong), static_cast<long long>(t.numel()),
              static_cast<long long>(first),
              ValueOf(t.scalar_type(), &got[size_t(first) * t.element_size()]),
              ValueOf(t.scalar_type(), &want[size_t(first) * t.element_size()]));
  return false;
}

// The operator that the name means: with its space, or without where only one has it.
inline const Entry& Find(const std::string& name) {
  const Entry* found = nullptr;
  std::string all;
  for (const auto& [known, entry] : Registry()) {
    all += (all.empty() ? "" : ", ") + known;
    if (known == name || known.substr(known.find("::") + 2) == name) found = &entry;
  }
  if (!found)
    c10::AkgenFail("no operator ", name, " is registered; there are: ", all.empty() ? "none" : all);
  return *found;
}

#ifdef AKGEN_RECORD_LAUNCHES
inline void Record(const Value& v) {
  if (auto* list = std::get_if<std::vector<Tensor>>(&v))
    for (const Tensor& t : *list) Record(Value(t));
  else if (auto* t = std::get_if<Tensor>(&v))
    for (const auto& [name, type] : TensorTypes()) {
      if (type != t->scalar_type()) continue;
      Recorder::Get().Result(name, t->data_ptr(), c10::str(t->sizes()), c10::str(t->strides()));
    }
  else
    NotRecorded("an operator that returns a " + KindOf(v));
}
// The call of argv[1], with `f32[8,64]%[1,8]` for a tensor: its launches are recorded.
inline int RecordMain(int argc, char** argv) {
  Reader reader(argc > 1 ? argv[1] : "", 0);
  const Entry& entry = Find(reader.Name());
  Values arguments = reader.Arguments();
  if (arguments.size() != entry.arity)
    c10::AkgenFail("it takes ", entry.arity, " arguments, ", arguments.size(), " are given");
  for (const Value& v : entry.call(arguments)) Record(v);
  Recorder::Get().Write("launches.json");
  return 0;
}
#endif

inline int Main(const char* call, uint64_t seed, const std::vector<std::string>& expected,
                double tolerance) {
  aclInit(nullptr);
  aclrtSetDevice(0);
  int status = 0;
  {
    Reader reader(call, seed);
    const Entry& entry = Find(reader.Name());
    Values arguments = reader.Arguments();
    if (arguments.size() > entry.arity)
      c10::AkgenFail("it takes ", entry.arity, " arguments, ", arguments.size(), " are given");
    arguments.resize(entry.arity);
    std::vector<std::vector<uint8_t>> before(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i)
      if (auto* t = std::get_if<Tensor>(&arguments[i])) {
        before[i] = t->ToHost();
        Write("argument_" + std::to_string(i) + ".bin", *t);
      }
    Values results = entry.call(arguments);
    aclrtSynchronizeDevice();
    for (size_t i = 0; i < arguments.size(); ++i)
      if (auto* t = std::get_if<Tensor>(&arguments[i]); t && t->ToHost() != before[i])
        Write("changed_" + std::to_string(i) + ".bin", *t);
    if (results.empty())  // what it changed is its result
      for (size_t i = 0; i < arguments.size(); ++i)
        if (auto* t = std::get_if<Tensor>(&arguments[i]); t && t->ToHost() != before[i])
          results.push_back(*t);
    size_t number = 0;
    for (Value& v : results)
      if (auto* t = std::get_if<Tensor>(&v)) {
        std::ostringstream shape;
        shape << t->scalar_type() << t->sizes();
        std::printf("result %zu: %s\n", number, shape.str().c_str());
        Write("result_" + std::to_string(number) + ".bin", *t);
        if (number < expected.size() && !Agrees(*t, expected[number], tolerance)) status = 1;
        ++number;
      }
    if (number < expected.size()) {
      std::printf("wrong: %zu results, %zu are expected\n", number, expected.size());
      status = 1;
    }
  }
  aclrtResetDevice(0);
  aclFinalize();
  return status;
}
}  // namespace akgen_torch
#endif
