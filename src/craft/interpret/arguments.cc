#include "craft/interpret/arguments.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "base/files.h"

namespace akgen::craft {
using base::Dtype;
using base::Error;

namespace {
Error Bad(std::string what, std::string fix = "write e.g. x=f32[4, 8] eps=1e-5") {
  return {"AK1532", std::move(what), "", std::move(fix)};
}

uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

struct Drawn {
  double low = 0, high = 0;
  bool given = false, specials = false;
};

double Special(uint64_t n) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double kValues[] = {kInf, -kInf,   std::nan(""), 0.0,    -0.0, 1.0,
                            -1.0, 65504.0, 1e-40,        -1e-40, 3e38, 0.5};
  return kValues[n % std::size(kValues)];
}

void Fill(Tensor& t, const Drawn& d, uint64_t key) {
  TileData one = MakeTile(t.dtype, 1, 1);
  bool is_unsigned = t.dtype == Dtype::kUint8, is_bool = t.dtype == Dtype::kBool;
  double low = d.given ? d.low : one.real() ? -4 : is_unsigned || is_bool ? 0 : -8;
  double high = d.given ? d.high : one.real() ? 4 : is_bool ? 1 : is_unsigned ? 15 : 8;
  int64_t size = base::SizeOf(t.dtype), per_element = t.dtype == Dtype::kComplex64 ? 2 : 1;
  for (int64_t i = 0; i < t.Numel() * per_element; ++i) {
    uint64_t bits = Mix(key + static_cast<uint64_t>(i) * 0x2545f4914f6cdd1dull);
    double share = static_cast<double>(bits >> 11) / 9007199254740992.0;
    uint8_t* at = t.bytes.data() + i * size / per_element;
    if (one.real() || per_element == 2) {
      double v = d.specials && bits % 7 == 0 ? Special(bits >> 8) : low + share * (high - low);
      if (per_element == 2) {
        TileData f = MakeTile(Dtype::kFloat32, 1, 1);
        f.f[0] = static_cast<float>(v);
        WriteElement(f, 0, at);
        continue;
      }
      one.f[0] = static_cast<float>(v);
    } else {
      one.i[0] = static_cast<int64_t>(std::floor(low + share * (high - low + 1)));
      if (d.specials && bits % 7 == 0 && !is_bool)
        one.i[0] = bits & 64 ? std::numeric_limits<int64_t>::max() >> (64 - 8 * size) : 0;
    }
    WriteElement(one, 0, at);
  }
}

class Parser {
 public:
  Parser(const std::vector<ir::Program>& programs, uint64_t seed)
      : programs_(programs), seed_(seed) {}

  base::Result<Case> Run(const std::string& text) {
    text_ = text;
    while (!error_ && Skip()) One();
    if (error_) return *error_;
    if (programs_.empty()) return Bad("there is no program");
    if (!ChooseColumn())
      return Bad("the program has no column of dtypes for " + text + Unlisted(),
                 "add a dtype to tensor(...) in its @host function, or take one that it lists");
    for (const ir::HostParam& p : programs_[0].params) {
      bool given = p.is_attr ? c_.args.attrs.count(p.name) || c_.args.int_lists.count(p.name)
                             : c_.args.tensors.count(p.name) > 0;
      if (given) continue;
      if (!p.is_attr && p.optional)
        c_.args.tensors[p.name] = {};
      else if (!p.is_attr || p.is_int_list || !p.fallback)
        return Bad(fmt::format("'{}' is not given", p.name),
                   fmt::format("add {}={}", p.name,
                               p.is_int_list ? "0,1"
                               : p.is_attr   ? "1"
                                             : std::string(ir::ShortName(p.dtype)) + "[4, 8]"));
    }
    for (const ir::HostTensor& t : programs_[0].tensors)
      if (t.given && !c_.args.given.count(t.name))
        return Bad(fmt::format("the shape of output '{}' is not given", t.name),
                   fmt::format("add {}={}[4, 8]", t.name, ir::ShortName(t.dtype)));
    return c_;
  }

 private:
  bool Skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size();
  }
  void Fail(std::string what) {
    if (!error_) error_ = Bad(std::move(what));
  }
  // Up to the next of `ends`, at depth 0 of brackets.
  std::string Until(const char* ends) {
    size_t from = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      char ch = text_[at_];
      if (depth == 0 && std::string_view(ends).find(ch) != std::string_view::npos) break;
      if (ch == '[' || ch == '{') ++depth;
      if (ch == ']' || ch == '}') --depth;
    }
    return text_.substr(from, at_ - from);
  }

  void One() {
    std::string name = Until("= ");
    if (at_ >= text_.size() || text_[at_] != '=') return Fail(fmt::format("'{}' has no '='", name));
    ++at_;
    std::string value = Until(" \t");
    const ir::HostParam* p = programs_.empty() ? nullptr : programs_[0].Param(name);
    const ir::HostTensor* given = programs_.empty() ? nullptr : programs_[0].Tensor(name);
    if (!p && given && given->given) {
      std::vector<Tensor> list;
      OneTensor(name, value, list);
      if (!list.empty()) given_[name] = list[0].dtype, c_.args.given[name] = list[0].shape;
      return;
    }
    if (!p) {
      std::vector<std::string> names;
      if (!programs_.empty())
        for (const auto& q : programs_[0].params) names.push_back(q.name);
      std::string near = Nearest(name, names);
      return Fail(fmt::format("the program takes no '{}'{}", name,
                              near.empty() ? "" : ", did you mean '" + near + "'?"));
    }
    if (p->is_attr) return Attr(*p, value);
    auto& list = c_.args.tensors[name];
    if (value == "none") return;
    for (size_t from = 0; from <= value.size();) {
      size_t plus = value.find('+', from);
      OneTensor(name, value.substr(from, plus == std::string::npos ? plus : plus - from), list);
      if (plus == std::string::npos) break;
      from = plus + 1;
    }
    if (!p->is_list && list.size() > 1) Fail(fmt::format("'{}' is one tensor, not a list", name));
  }

  void Attr(const ir::HostParam& p, const std::string& value) {
    char* end = nullptr;
    if (p.is_int_list) {
      auto& list = c_.args.int_lists[p.name];
      for (const char* s = value.c_str(); *s; s = *end == ',' ? end + 1 : end) {
        list.push_back(std::strtoll(s, &end, 10));
        if (end == s) return Fail(fmt::format("'{}' takes whole numbers: {}", p.name, value));
      }
      return;
    }
    Number& n = c_.args.attrs[p.name];
    if (p.type == ir::Ty::kString) {
      n = value;
    } else if (p.type == ir::Ty::kBool) {
      n = value == "True" || value == "true" || value == "1";
      if (value != "True" && value != "true" && value != "1" && value != "False" &&
          value != "false" && value != "0")
        Fail(fmt::format("'{}' is True or False, not {}", p.name, value));
    } else {
      if (p.type == ir::Ty::kFloat)
        n = static_cast<double>(
            static_cast<float>(std::strtod(value.c_str(), &end)));  // an attribute is a float
      else
        n = static_cast<int64_t>(std::strtoll(value.c_str(), &end, 10));
      if (value.empty() || *end) Fail(fmt::format("'{}' takes a number: {}", p.name, value));
    }
  }

  void OneTensor(const std::string& name, const std::string& v, std::vector<Tensor>& list) {
    size_t open = v.find('['), close = v.find(']');
    auto dtype = ir::DtypeFromShort(v.substr(0, open));
    if (open == std::string::npos || close == std::string::npos || !dtype)
      return Fail(fmt::format("'{}' is not a tensor: dtype and shape, as f32[4, 8]", v));
    Tensor t;
    t.dtype = *dtype;
    char* end = nullptr;
    double elements = 1;
    for (const char* s = v.c_str() + open + 1; *s != ']'; s = *end == ',' ? end + 1 : end) {
      t.shape.push_back(std::strtoll(s, &end, 10));
      while (*end == ' ') ++end;
      if (end == s || t.shape.back() < 0 || (*end != ',' && *end != ']'))
        return Fail(fmt::format("'{}' has no shape", v));
      elements *= static_cast<double>(t.shape.back());
    }
    if (elements > 1e9) return Fail(fmt::format("'{}' is too large to be drawn here", v));
    t.bytes.resize(t.Numel() * base::SizeOf(t.dtype));
    uint64_t key = Mix(seed_ + Mix(list.size()));
    for (char ch : name) key = Mix(key + static_cast<unsigned char>(ch));
    std::string rest = v.substr(close + 1);
    if (rest.starts_with('@')) {
      auto bytes = base::ReadFile(rest.substr(1));
      if (!bytes.ok()) return Fail(bytes.error().message);
      if (bytes->size() != t.bytes.size())
        return Fail(fmt::format("{} has {} bytes, {} needs {}", rest.substr(1), bytes->size(), name,
                                t.bytes.size()));
      t.bytes.assign(bytes->begin(), bytes->end());
    } else {
      Drawn d;
      if (rest.starts_with('{')) {
        d.given = true;
        d.low = std::strtod(rest.c_str() + 1, &end);
        if (*end != ',') return Fail(fmt::format("'{}' is not a range: {{low, high}}", rest));
        d.high = std::strtod(end + 1, &end);
        if (*end != '}') return Fail(fmt::format("'{}' is not a range: {{low, high}}", rest));
        rest = end + 1;
      }
      d.specials = rest == "!";
      if (!rest.empty() && !d.specials)
        return Fail(fmt::format("'{}' has no meaning behind a shape", rest));
      Fill(t, d, key);
    }
    list.push_back(std::move(t));
  }

  bool ChooseColumn() {
    for (size_t i = 0; i < programs_.size(); ++i) {
      bool fits = true;
      for (const auto& [name, list] : c_.args.tensors)
        for (const Tensor& t : list) fits &= programs_[i].Param(name)->dtype == t.dtype;
      for (const auto& [name, dtype] : given_) fits &= programs_[i].Tensor(name)->dtype == dtype;
      if (fits) return c_.column = i, true;
    }
    return false;
  }

  // The dtype that no column has, if it is one parameter's.
  std::string Unlisted() const {
    for (const auto& [name, list] : c_.args.tensors)
      for (const Tensor& t : list) {
        std::string listed;
        bool there = false;
        for (const ir::Program& p : programs_) {
          const Dtype d = p.Param(name)->dtype;
          there |= d == t.dtype;
          const std::string entry =
              fmt::format("{}{}", listed.empty() ? "" : ", ", ir::ShortName(d));
          if (listed.find(ir::ShortName(d)) == std::string::npos) listed += entry;
        }
        if (!there)
          return fmt::format(": the case has {}; {} lists {}", ir::ShortName(t.dtype), name,
                             listed);
      }
    return ": it lists each of these dtypes, but not together";
  }

  const std::vector<ir::Program>& programs_;
  uint64_t seed_;
  std::string text_;
  size_t at_ = 0;
  Case c_;
  std::map<std::string, Dtype> given_;
  std::optional<Error> error_;
};
}  // namespace

base::Result<Case> ParseCase(const std::vector<ir::Program>& programs, const std::string& text,
                             uint64_t seed) {
  return Parser(programs, seed).Run(text);
}

std::vector<std::string> TryLines(const std::string& source) {
  std::vector<std::string> out;
  const std::string mark = "# try: ";
  for (size_t at = 0; at < source.size();) {
    size_t end = source.find('\n', at);
    if (end == std::string::npos) end = source.size();
    if (source.compare(at, mark.size(), mark) == 0)
      out.push_back(source.substr(at + mark.size(), end - at - mark.size()));
    at = end + 1;
  }
  return out;
}

}  // namespace akgen::craft
