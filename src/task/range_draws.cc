#include "task/range_draws.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "task/dist_spec.h"
#include "task/edge_values.h"
#include "task/fields.h"

namespace akgen::task {
namespace {
using base::Dtype;
using base::Json;

// Kinds of `dist` that are a sample of what the input may hold; the others are its meaning
// (indices, ranges, masks …).
bool IsSample(const std::string& kind) {
  return kind == "normal" || kind == "heavy" || kind == "uniform" || kind == "int" ||
         kind == "ring";
}

// Kinds of lines: the finite ones first.
struct LinePart {
  Json dist;
  enum Holds { kFinite, kInfinite, kNan } holds = kFinite;
  Json spike = {};  // a value at one place
};
const std::vector<LinePart>& LineParts() {
  static const std::vector<LinePart> parts{
      {{{"kind", "normal"}, {"mean", 1000}, {"std", 1}}},
      {{{"kind", "normal"}, {"std", 50}}},
      {{{"kind", "normal"}, {"std", 1e-4}}},
      {{{"kind", "level"}, {"std", 3}}},
      {{{"kind", "normal"}, {"most", 0.5}}},
      {{{"kind", "ramp"}, {"low", -3}, {"high", 3}}},
      {{{"kind", "normal"}, {"mean", -300}, {"std", 1}}},
      {{{"kind", "ramp"}, {"low", 3}, {"high", -3}}},
      {{{"kind", "normal"}, {"least", -0.5}}},
      {{{"kind", "constant"}, {"value", 0}}},
      {{{"kind", "normal"}}, LinePart::kFinite, 10000},
      {{{"kind", "normal"}}},
      {{{"kind", "normal"}}, LinePart::kNan, "nan"},
      {{{"kind", "normal"}}, LinePart::kInfinite, "inf"},
      {{{"kind", "normal"}}, LinePart::kInfinite, "-inf"},
      {{{"kind", "constant"}, {"value", "-inf"}}, LinePart::kInfinite},
  };
  return parts;
}
constexpr size_t kFiniteParts = 12;
constexpr int64_t kMaxCodes = 16;  // a number with a domain of so few whole ones is a code
constexpr int64_t kFewOutputs =
    64;  // elements of an input for one of an output: a reduction over much of it

bool Takes(const Domain& domain, LinePart::Holds holds) {
  if (holds == LinePart::kNan) return domain.nan;
  return holds == LinePart::kFinite || (domain.low.is_null() && domain.high.is_null());
}

// Within what the operator takes.
Json Within(const Domain& domain, Json dist) {
  if (!domain.low.is_null()) dist["least"] = domain.low;
  if (!domain.high.is_null()) dist["most"] = domain.high;
  if (domain.low.is_number() && domain.low.get<double>() >= 0) dist["abs"] = true;
  return dist;
}

Json Spiked(Json dist, const Json& spike) {
  if (!spike.is_null()) dist["spike"] = spike;
  return dist;
}

// What is published with one value, or one for each case. A constant 0 is where an operator starts
// from.
bool IsNumber(const ParamSpec& spec) {
  const std::string kind = DistSpecOf(spec.dist).kind;
  if (IsSample(kind) && spec.shape == Json::array({1})) return true;
  return spec.kind == ParamKind::kScalar || kind == "values" ||
         (kind == "constant" && spec.dist != Json{{"kind", "constant"}, {"value", 0}});
}

const TensorDesc* Largest(const CaseDesc& c) {
  const TensorDesc* largest = nullptr;
  for (const ParamDesc& p : c.inputs)
    for (const TensorDesc& t : p.tensors)
      if (!largest || t.Numel() > largest->Numel()) largest = &t;
  return largest;
}

// An output holds integers or bool.
bool MakesIntegers(const CaseDesc& c) {
  return std::any_of(c.outputs.begin(), c.outputs.end(), [](const ParamDesc& p) {
    return !p.tensors.empty() && !base::IsFloating(p.tensors[0].dtype) &&
           p.tensors[0].dtype != Dtype::kComplex64;
  });
}
}  // namespace

bool IsOperand(const TaskSpec& task, const CaseDesc& c, size_t input) {
  const ParamSpec& spec = task.inputs[input];
  if (!IsColumn(spec.dtype)) return false;
  auto same = [&](const ParamDesc& other) {
    return &other != &c.inputs[input] && other.kind != ParamKind::kScalar &&
           !other.tensors.empty() && !c.inputs[input].tensors.empty() &&
           other.tensors[0].dtype == c.inputs[input].tensors[0].dtype;
  };
  return std::any_of(c.inputs.begin(), c.inputs.end(), same) ||
         std::any_of(c.outputs.begin(), c.outputs.end(), same);
}

double LargestNumber(const CaseDesc& c) {
  double least = 0;
  for (const ParamDesc& p : c.inputs)
    for (const TensorDesc& t : p.tensors)
      if (base::IsFloating(t.dtype))
        least = least ? std::min(least, FormatOf(t.dtype).largest) : FormatOf(t.dtype).largest;
  return least;
}

size_t RankOf(const CaseDesc& c) { return Largest(c) ? Largest(c)->shape.size() : 0; }

int64_t LinesAlong(const CaseDesc& c, int axis) {
  const TensorDesc* t = Largest(c);
  if (!t || t->shape.empty()) return 1;
  const int64_t length = axis < 0 ? t->shape.back() : t->shape[size_t(axis)];
  return length ? t->Numel() / length : 1;
}

int RangeDraws::Lined() const {
  int n = 0;
  for (size_t i = 0; i < case_.inputs.size(); ++i)
    n += !case_.inputs[i].tensors.empty() && IsSample(DistSpecOf(task_.inputs[i].dist).kind) &&
         case_.inputs[i].tensors[0].shape.size() == RankOf(case_);
  return n;
}

// `make` for every input whose values are a sample; numbers take one value of a few.
template <typename Make>
Draws RangeDraws::Each(Make make) const {
  Draws out;
  int64_t place = 0, numbers = 0;
  for (size_t i = 0; i < case_.inputs.size(); ++i) {
    const ParamDesc& p = case_.inputs[i];
    const ParamSpec& spec = task_.inputs[i];
    if (p.tensors.empty()) continue;
    const Dtype d = p.tensors[0].dtype;
    const bool real = base::IsFloating(d) || d == Dtype::kComplex64;
    if (d == Dtype::kBool) continue;
    Json dist;
    const std::string kind = DistSpecOf(spec.dist).kind;
    if (IsNumber(spec)) {
      if (!real && !IsOperand(task_, case_, i)) continue;
      // Beside integers a number is whole: nothing says how a fraction is rounded. 98765 is beyond
      // float16, 0.1 between its numbers; the whole ones are between those of float32.
      std::vector<Json> values =
          real && !MakesIntegers(case_)
              ? std::vector<Json>{98765.0, -1.5, 0.1, 2.0, 37.0, -0.5, 0.0}
              : std::vector<Json>{16777217, -16777219, 1099511627777, 7, 2, 1, 0};
      if (!real)
        for (Json& v : values) v = Held(d, v.get<int64_t>());
      Json turned = Json::array();
      const size_t first = size_t(turn_ - 1) + values.size() - size_t(numbers++) % values.size();
      for (size_t k = 0; k < values.size(); ++k)
        turned.push_back(values[(first + k) % values.size()]);
      dist = {{"kind", "values"}, {"values", std::move(turned)}};
    } else if (IsSample(kind)) {
      dist = make(p, spec.domain, d, real, place++);
    }
    if (dist.is_null()) continue;
    out[p.name] = Within(spec.domain, std::move(dist));
  }
  return out;
}

std::vector<Draws> RangeDraws::Wide() const {
  std::vector<Draws> out;
  for (int exponent : {1000, 40, 20, 10, 6, 3}) {
    out.push_back(Each([&](const ParamDesc&, const Domain&, Dtype d, bool real, int64_t) {
      if (real) {
        // So that sums of a whole case, and squares of complex numbers' magnitudes, stay finite in
        // float32.
        const int limit = std::min(exponent, d == Dtype::kComplex64 && !MakesIntegers(case_) ? 60
                                             : FormatOf(d).exponent > 100                    ? 112
                                                                                             : 15);
        return Json{{"kind", "wide"}, {"low", -limit}, {"high", limit}};
      }
      const double limit = exponent > 53 ? HUGE_VAL : std::ldexp(1, exponent);
      return Json{{"kind", "int"},
                  {"low", int64_t(std::max(SmallestInteger(d), -limit))},
                  {"high", int64_t(std::min(LargestInteger(d), limit))}};
    }));
  }
  return out;
}

// Lists of lengths that follow each other, so that as many elements as two lengths multiplied hold
// each pair of values.
Draws RangeDraws::Values(int edge) const {
  return Each([&](const ParamDesc&, const Domain& domain, Dtype d, bool, int64_t place) {
    Json values = EdgesOf(d, Edge(edge), domain.nan, MakesIntegers(case_));
    for (int64_t k = 0; k < place; ++k) values.push_back(values[size_t(k)]);
    return Json{{"kind", "values"}, {"values", std::move(values)}};
  });
}

std::vector<Draws> RangeDraws::Edges() const {
  return {Values(int(Edge::kSpecial)), Values(int(Edge::kInfinite)), Values(int(Edge::kMild))};
}
std::vector<Draws> RangeDraws::Limits() const { return {Values(int(Edge::kLimits))}; }

Draws RangeDraws::Constant(double value) const {
  return Each([&](const ParamDesc&, const Domain&, Dtype, bool real, int64_t) {
    return real ? Json{{"kind", "constant"}, {"value", value}} : Json();
  });
}

Draws RangeDraws::Around(const std::vector<double>& ends) const {
  constexpr int kSteps = 30;  // a thousandth of the end each
  return Each([&](const ParamDesc&, const Domain&, Dtype, bool real, int64_t place) {
    if (!real) return Json();
    Json values = Json::array();
    for (int k = -kSteps; k <= kSteps; ++k)
      for (double end : ends) values.push_back(end * (1 + 0.001 * k));
    for (int64_t k = 0; k < place; ++k) values.push_back(values[size_t(k)]);
    return Json{{"kind", "values"}, {"values", std::move(values)}};
  });
}

double StepOf(Dtype d) { return base::IsFloating(d) ? FormatOf(d).step : 0; }

size_t RangeDraws::Parts() { return LineParts().size(); }

std::vector<Draws> RangeDraws::Lines(int axis, int64_t first, bool alike) const {
  const TensorDesc* largest = Largest(case_);
  std::vector<Draws> out;
  for (bool finite : {false, true})
    out.push_back(
        Each([&](const ParamDesc& p, const Domain& domain, Dtype d, bool real, int64_t place) {
          const auto& shape = p.tensors[0].shape;
          if (!largest || shape.size() < largest->shape.size() || shape.empty())
            return Json();  // weights and the like
          if (!real)
            return Json{{"kind", "lines"},
                        {"axis", axis},
                        {"first", first},
                        {"of",
                         {{{"kind", "level"}, {"std", 10}, {"least", SmallestInteger(d)}},
                          {{"kind", "ramp"}, {"low", 0}, {"high", 100}},
                          {{"kind", "int"}, {"low", 0}, {"high", 1}},
                          {{"kind", "ramp"}, {"low", 100}, {"high", 0}}}}};
          Json of = Json::array();
          for (size_t k = 0; k < LineParts().size(); ++k)
            if (((!finite && d != Dtype::kComplex64) || k < kFiniteParts) &&
                Takes(domain, LineParts()[k].holds))
              of.push_back(Spiked(Within(domain, LineParts()[k].dist), LineParts()[k].spike));
          return Json{{"kind", "lines"},
                      {"axis", axis},
                      {"first", first + (alike ? 0 : 5 * place)},
                      {"of", std::move(of)}};
        }));
  return out;
}

bool IsReduction(const CaseDesc& c) {
  auto elements = [](const ParamDesc& p) {
    int64_t n = 0;
    for (const TensorDesc& t : p.tensors) n += t.Numel();
    return n;
  };
  int64_t most = 0;
  for (const ParamDesc& p : c.inputs) most = std::max(most, elements(p));
  return most > 0 && std::any_of(c.outputs.begin(), c.outputs.end(), [&](const ParamDesc& p) {
           return elements(p) * kFewOutputs <= most;
         });
}

// Only inputs whose values are a sample, and no numbers.
static bool IsFloatingSample(const ParamSpec& spec, const ParamDesc& p) {
  return !p.tensors.empty() && base::IsFloating(p.tensors[0].dtype) && !IsNumber(spec) &&
         IsSample(DistSpecOf(spec.dist).kind);
}

std::vector<Draws> RangeDraws::Spots() const {
  std::vector<Draws> out;
  for (size_t i = 0; i < case_.inputs.size(); ++i) {
    const ParamSpec& spec = task_.inputs[i];
    if (!IsFloatingSample(spec, case_.inputs[i])) continue;
    for (LinePart::Holds holds : {LinePart::kNan, LinePart::kInfinite}) {
      if (!Takes(spec.domain, holds)) continue;
      // Of seven lines one; the only line of a small tensor.
      Json of = Json::array({Spiked(spec.dist, holds == LinePart::kNan ? "nan" : "inf")});
      for (int k = 0; k < 6; ++k) of.push_back(spec.dist);
      out.push_back(
          {{spec.name, {{"kind", "lines"}, {"axis", -1}, {"first", 0}, {"of", std::move(of)}}}});
    }
  }
  return out;
}

constexpr double kThousandth = 0x1p-10;

// Null where its numbers are columns.
static Json Times(const Json& dist, double factor) {
  Json out = dist;
  const std::string kind = DistSpecOf(dist).kind;
  const bool bell = kind == "normal" || kind == "heavy";
  for (const auto& [key, usual] :
       {std::pair(bell ? "mean" : "low", 0.0), std::pair(bell ? "std" : "high", 1.0)}) {
    const Json number = dist.value(key, Json(usual));
    if (!number.is_number()) return {};
    out[key] = number.get<double>() * factor;
  }
  return out;
}

const std::vector<std::pair<const char*, std::vector<double>>>& RangeDraws::Scales() {
  static const std::vector<std::pair<const char*, std::vector<double>>> scales = {
      {"small", {kThousandth}}, {"stretched", {4}}, {"scales", {1.5, 4, 2.5}}, {"large", {0x1p22}}};
  return scales;
}

Draws RangeDraws::Scaled(const std::vector<double>& factors) const {
  Draws out;
  int64_t place = 0;
  for (size_t i = 0; i < case_.inputs.size(); ++i) {
    const ParamSpec& spec = task_.inputs[i];
    if (!IsFloatingSample(spec, case_.inputs[i])) continue;
    Json of = Json::array();
    const double most = FormatOf(case_.inputs[i].tensors[0].dtype).exponent > 100 ? HUGE_VAL : 256;
    for (double factor : factors)
      if (Json dist = Times(spec.dist, std::min(factor, most)); !dist.is_null())
        of.push_back(Within(spec.domain, std::move(dist)));
    if (of.size() == 1)
      out[spec.name] = std::move(of[0]);
    else if (!of.empty())
      out[spec.name] = {{"kind", "lines"}, {"axis", -1}, {"first", place++}, {"of", std::move(of)}};
  }
  return out;
}

std::vector<Draws> RangeDraws::Special(size_t input, bool nan) const {
  const ParamSpec& own = task_.inputs[input];
  const LinePart::Holds holds = nan ? LinePart::kNan : LinePart::kInfinite;
  if (!IsFloatingSample(own, case_.inputs[input]) || !Takes(own.domain, holds)) return {};
  auto with = [](Json dist, Json values, double share) {
    for (const char* key : {"special_fraction", "special_if"}) dist.erase(key);
    dist["specials"] = std::move(values);
    if (share > 0) dist["special_fraction"] = share;
    return dist;
  };
  const Json values = nan ? Json::array({"nan"}) : Json::array({"inf", "-inf"});
  std::vector<Draws> out;
  for (bool small : {false, true})
    for (double share : {0.0, 1.0 / 16}) {
      Draws draws = small ? Scaled({kThousandth}) : Draws();
      draws[own.name] = with(own.dist, values, share);
      out.push_back(std::move(draws));
    }
  if (nan) return out;
  for (double share : {0.0, 1.0 / 64}) {
    Draws draws;
    for (size_t i = 0; i < case_.inputs.size(); ++i) {
      const ParamSpec& spec = task_.inputs[i];
      if (IsFloatingSample(spec, case_.inputs[i]) && Takes(spec.domain, holds))
        draws[spec.name] = with(spec.dist, Json::array({"inf", "-inf", "inf", "-inf"}), share);
    }
    out.push_back(std::move(draws));
  }
  return out;
}

Draws RangeDraws::Weights() const {
  Draws out;
  bool others = false;
  const TensorDesc* largest = Largest(case_);
  for (size_t i = 0; i < case_.inputs.size(); ++i) {
    const ParamSpec& spec = task_.inputs[i];
    const ParamDesc& p = case_.inputs[i];
    if (p.tensors.empty() || IsNumber(spec)) continue;
    if (p.tensors[0].shape.size() >= largest->shape.size())
      others = true;
    else if (IsFloatingSample(spec, p))
      out[spec.name] = Within(spec.domain, {{"kind", "wide"}, {"low", -14}, {"high", 14}});
  }
  return others ? out : Draws();
}

std::vector<Draws> RangeDraws::Numbers(size_t first) const {
  Draws special, zero, fraction, one;
  std::vector<Draws> codes;
  for (size_t i = 0; i < case_.inputs.size(); ++i) {
    const ParamSpec& spec = task_.inputs[i];
    const ParamDesc& p = case_.inputs[i];
    if (p.tensors.empty() || !IsNumber(spec)) continue;
    auto of = [](const Json& values) { return Json{{"kind", "values"}, {"values", values}}; };
    if (!base::IsFloating(p.tensors[0].dtype)) {
      if (IsOperand(task_, case_, i)) one[spec.name] = Within(spec.domain, of({1}));
      continue;
    }
    if (spec.domain.low.is_number_integer() && spec.domain.high.is_number_integer()) {
      const int64_t low = spec.domain.low, high = spec.domain.high;
      for (int64_t code = low; high - low < kMaxCodes && code <= high; ++code)
        codes.push_back({{spec.name, of(Json::array({code}))}});
    }
    if (MakesIntegers(case_) && task_.precision.rule != "Q") continue;
    fraction[spec.name] = Within(spec.domain, of({77.7, -10.3, 0x1p-30}));
    zero[spec.name] = Within(spec.domain, of({0.0}));
    if (MakesIntegers(case_) || !Takes(spec.domain, LinePart::kInfinite)) continue;
    Json values = {"inf", "-inf", 0.5};
    if (spec.domain.nan) values.insert(values.begin() + 1, "nan");
    Json turned = Json::array();
    for (size_t k = 0; k < values.size(); ++k)
      turned.push_back(values[(first + k) % values.size()]);
    special[spec.name] = of(turned);
  }
  std::vector<Draws> out = std::move(codes);
  for (Draws* numbers : {&zero, &one}) {
    if (numbers->empty()) continue;
    Draws edges = Values(int(Edge::kSpecial));
    for (auto& [name, dist] : *numbers) edges[name] = std::move(dist);
    out.push_back(std::move(edges));
  }
  if (!fraction.empty()) out.push_back(std::move(fraction));
  if (!special.empty()) {
    Draws limits = Values(int(Edge::kLimits));
    for (auto& [name, dist] : special) limits[name] = std::move(dist);
    out.push_back(std::move(limits));
  }
  return out;
}

std::vector<Draws> RangeDraws::Whole() const {
  std::vector<Draws> out;
  for (const LinePart& part : LineParts()) {
    Json dist = part.dist;
    if (!part.spike.is_null()) dist["specials"] = Json::array({part.spike});
    const bool finite = out.size() < kFiniteParts;
    out.push_back(Each([&](const ParamDesc&, const Domain& domain, Dtype d, bool real, int64_t) {
      const bool taken = real && Takes(domain, part.holds) && (finite || d != Dtype::kComplex64);
      return taken ? Within(domain, dist) : Json();
    }));
  }
  return out;
}

Draws RangeDraws::Indices() const {
  Draws out;
  for (size_t i = 0; i < case_.inputs.size(); ++i) {
    const DistSpec spec = DistSpecOf(task_.inputs[i].dist);
    if (spec.kind != "index" || case_.inputs[i].tensors.empty()) continue;
    auto high = ResolveNumber(spec.high, case_.columns, "");
    if (!high.ok() || *high < 1) continue;
    const int64_t last = int64_t(*high) - 1;
    out[case_.inputs[i].name] = {{"kind", "values"},
                                 {"values", {0, last, last, last / 2, 0, 0, last - (last > 0)}}};
  }
  return out;
}

}  // namespace akgen::task
