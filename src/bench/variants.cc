#include "bench/variants.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "task/dist_spec.h"
#include "task/hidden.h"
#include "task/range_draws.h"

namespace akgen::bench {
using base::Dtype;
using base::Json;
using base::Result;
using record::ReferenceVariant;
using task::TaskSpec;

namespace {
constexpr int64_t kProbeElements = 1 << 13;
constexpr size_t kMaxOfInputs =
    48;  // variants that change a whole input: of a deep network a sample, evenly

bool IsWide(Dtype d) {
  return d == Dtype::kInt32 || d == Dtype::kInt64 || d == Dtype::kUint32 || d == Dtype::kUint64;
}

// "as_float32 x" -> {"as_float32", "x"}; "short erf@4" -> {"short", "erf@4"}.
std::pair<std::string, std::string> Parts(const std::string& name) {
  const size_t space = name.find(' ');
  return {name.substr(0, space), space == std::string::npos ? "" : name.substr(space + 1)};
}

// Whether a change of a whole input can do anything to tensors of that dtype.
bool Changes(const std::string& kind, Dtype d) {
  if (kind == "as_float32") return IsWide(d) || d == Dtype::kFloat64;
  if (kind == "as_int32") return d == Dtype::kInt64 || d == Dtype::kUint64;
  if (kind == "as_float16") return base::IsFloating(d) && d != Dtype::kFloat16;
  return base::IsFloating(d);
}

// Draws that reach over a whole dtype, one after the other for each input.
const std::vector<std::pair<std::string, Json>>& FloatProbes() {
  static const std::vector<std::pair<std::string, Json>> probes = {
      {"values of any magnitude", {{"kind", "wide"}, {"low", -140}, {"high", 128}}},
      {"values of any magnitude, infinities and NaN",
       {{"kind", "wide"},
        {"low", -30},
        {"high", 30},
        {"specials", {"inf", "-inf", "nan", 0.0}},
        {"special_fraction", 0.02}}},
      {"values from -100 to 100", {{"kind", "uniform"}, {"low", -100}, {"high", 100}}},
      {"values from -1 to 1", {{"kind", "uniform"}, {"low", -1}, {"high", 1}}},
      {"values from 0 to 10", {{"kind", "uniform"}, {"low", 0}, {"high", 10}}},
      {"values near 1000", {{"kind", "normal"}, {"mean", 1000}, {"std", 1}}},
      {"values near zero", {{"kind", "wide"}, {"low", -24}, {"high", -8}}},
      {"zeros", {{"kind", "constant"}, {"value", 0}}},
  };
  return probes;
}

bool HoldsNumbers(const Json& dist) {
  static const std::set<std::string> kinds = {"normal", "heavy",    "uniform", "int",
                                              "values", "constant", "ring"};
  return kinds.contains(task::DistSpecOf(dist).kind);
}

bool IsIntegers(const Json& dist) { return task::DistSpecOf(dist).kind == "int"; }

// Within the domain of an input, and as related to other inputs as its own draws are.
Json Within(const task::ParamSpec& spec, Json dist) {
  const task::Domain& domain = spec.domain;
  for (const char* key : {"copy_of", "copy_fraction"})
    if (spec.dist.contains(key)) dist[key] = spec.dist[key];
  if (!domain.low.is_null()) dist["least"] = domain.low;
  if (!domain.high.is_null()) dist["most"] = domain.high;
  if (!domain.nan || !domain.low.is_null() || !domain.high.is_null())
    dist.erase("specials"), dist.erase("special_fraction");
  return dist;
}

// What the variant gives in this case, which may have other attributes; nothing where it fails.
std::optional<Tensors> OutputsOf(const TaskSpec& task, const LintCase& t, const task::CaseDesc& c,
                                 const ReferenceVariant& v, task::ReferenceClient& reference) {
  auto made = reference.RunVariant(task, c, t.inputs, v);
  if (!made.ok()) return std::nullopt;
  Tensors out;
  for (size_t i = 0; i < made->tensors.size(); ++i) {
    const auto bytes = made->Bytes(i);
    out.emplace_back(bytes.begin(), bytes.end());
  }
  return out;
}

class Probes {
 public:
  Probes(const TaskSpec& task, const std::deque<LintCase>& cases, uint64_t seed,
         task::ReferenceClient& reference)
      : task_(task), seed_(seed), reference_(reference) {
    std::map<std::string, const LintCase*> best;  // by dtype: the largest that is small
    for (const LintCase& t : cases) {
      if (t.c.range) continue;
      auto [it, first] = best.try_emplace(task::UsualColumnsOf(t.c.columns).DtypeName(), &t);
      const int64_t old = task::ElementsOf(it->second->c), n = task::ElementsOf(t.c);
      if (!first && (old > kProbeElements ? n < old : n > old && n <= kProbeElements))
        it->second = &t;
    }
    for (const auto& [dtype, t] : best) bases_.push_back(t);
  }

  // The inputs on which the answers of `run` are wrong where the reference, in the case's own
  // precision, is right; "" where there are none.
  template <typename Run>
  std::string Find(Run run) {
    for (size_t k = 0; k < FloatProbes().size() * bases_.size(); ++k) {
      LintCase* probe = At(k);
      if (!probe) continue;
      std::optional<Tensors> answer = run(*probe);
      if (answer && !Takes(task_, *probe, *answer, "strict", reference_))
        return FloatProbes()[k / bases_.size()].first +
               (bases_.size() > 1
                    ? ", as in case " + task::UsualColumnsOf(probe->c.columns).DtypeName()
                    : "");
    }
    return "";
  }

 private:
  // Made when it is first asked for; null where the reference refuses such inputs.
  LintCase* At(size_t k) {
    if (made_.size() <= k) made_.resize(k + 1);
    if (!made_[k]) {
      made_[k] = Make(k, true);
      if (!*made_[k]) made_[k] = Make(k, false);
    }
    return *made_[k] ? &**made_[k] : nullptr;
  }
  std::optional<LintCase> Make(size_t k, bool integers) {
    const LintCase& base = *bases_[k % bases_.size()];
    task::CaseRow row;
    row.id = "probe-" + std::to_string(k), row.columns = base.c.columns, row.range = true;
    for (size_t i = 0; i < base.c.inputs.size(); ++i) {
      const auto& p = base.c.inputs[i];
      const auto& spec = task_.inputs[i];
      if (p.tensors.empty() || !HoldsNumbers(spec.dist)) continue;
      const Dtype d = p.tensors[0].dtype;
      if (base::IsFloating(d) || d == Dtype::kComplex64)
        row.draws[p.name] = Within(spec, FloatProbes()[k / bases_.size()].second);
      else if (integers && d != Dtype::kBool &&
               (IsIntegers(spec.dist) || task::IsOperand(task_, base.c, i)))
        row.draws[p.name] =
            Within(spec, {{"kind", "wide"}, {"low", 0}, {"high", 8 * base::SizeOf(d) - 1}});
    }
    auto made = MakeLintCase(task_, row, seed_ + k, reference_);
    if (!made.ok()) return std::nullopt;
    // Of use only where the reference itself, in the precision of its variants, is taken.
    const auto plain = OutputsOf(task_, *made, made->c, {}, reference_);
    if (!plain || !Takes(task_, *made, *plain, "strict", reference_)) return std::nullopt;
    made->strict.reset(), made->on_range.reset();  // they refer to the case where it is now
    return std::optional(std::move(*made));
  }

  const TaskSpec& task_;
  uint64_t seed_;
  task::ReferenceClient& reference_;
  std::vector<const LintCase*> bases_;
  std::deque<std::optional<std::optional<LintCase>>> made_;
};

// Values that the attribute may have besides its own: those that the reference compares it with, as
// far as can be seen.
std::vector<Json> Others(const task::AttrValue& attr, const std::string& reference) {
  const Json& own = attr.value;
  std::vector<Json> out;
  if (attr.type == "bool" && own.is_boolean()) return {!own.get<bool>()};
  if (attr.type == "float" && own.is_number())
    return {2 * own.get<double>() + 0.5, own.get<double>() / 2 - 0.25};
  if (attr.type == "int") {
    const std::string asked = attr.name + " == ";
    for (size_t at = 0; (at = reference.find(asked, at)) != std::string::npos; at += asked.size())
      if (Json v = std::atoll(reference.c_str() + at + asked.size()); v != own)
        out.push_back(std::move(v));
    if (!out.empty())
      out.push_back(own.get<int64_t>() + 1);  // what is left when none of them holds
  }
  if (attr.type != "string" || !own.is_string()) return out;
  for (size_t at = 0; (at = reference.find('"', at)) != std::string::npos; ++at) {
    const size_t end = reference.find('"', at + 1);
    if (end == std::string::npos) break;
    if (Json text = reference.substr(at + 1, end - at - 1); text != own)
      out.push_back(std::move(text));
    at = end;
  }
  out.push_back(own.get<std::string>() + "?");  // likewise
  return out;
}

class VariantTrier {
 public:
  VariantTrier(const TaskSpec& task, std::deque<LintCase>& cases, const VariantOptions& o,
               task::ReferenceClient& reference)
      : task_(task), options_(o), reference_(reference), probes_(task, cases, o.seed, reference) {
    for (LintCase& t : cases) cases_.push_back(&t);
    // Those of the range group refuse most, and are small.
    std::stable_sort(cases_.begin(), cases_.end(), [](const LintCase* a, const LintCase* b) {
      return std::pair(!a->c.range, task::ElementsOf(a->c)) <
             std::pair(!b->c.range, task::ElementsOf(b->c));
    });
  }

  Result<VariantResult> Run() {
    auto variants = reference_.Variants(task_);
    if (!variants.ok()) return variants.error();
    if (base::Status s = SeeArguments(); !s.ok()) return s.error();
    auto of_input = [](const ReferenceVariant& v) { return v.place.rfind("input ", 0) == 0; };
    const size_t all = size_t(std::count_if(variants->begin(), variants->end(), of_input));
    const size_t step = (all + kMaxOfInputs - 1) / kMaxOfInputs;
    size_t number = 0;
    for (ReferenceVariant& v : *variants) {
      if (of_input(v) && number++ % step) continue;
      const auto [kind, at] = Parts(v.name);
      if (v.on_interval) {
        auto seen = seen_.find(at);
        if (seen == seen_.end()) continue;  // no published case comes there
        v.low = seen->second.first, v.high = seen->second.second;
      } else if (of_input(v) && !Touches(kind, at)) {
        continue;
      }
      Try(v.name, v.place, [&](LintCase& t) { return Outputs(t, t.c, v); });
    }
    Constants();
    return out_;
  }

 private:
  base::Status SeeArguments() {
    for (LintCase* t : cases_) {
      if (t->c.range) continue;
      auto seen = reference_.SeenArguments(task_, t->c, t->inputs);
      if (!seen.ok()) return seen.error();
      for (const auto& [name, range] : *seen) {
        auto [it, first] = seen_.try_emplace(name, range);
        if (!first)
          it->second = {std::min(it->second.first, range.first),
                        std::max(it->second.second, range.second)};
      }
    }
    return {};
  }

  bool Touches(const std::string& kind, const std::string& input) const {
    for (const LintCase* t : cases_)
      for (const auto& p : t->c.inputs)
        if (p.name == input)
          for (const auto& tensor : p.tensors)
            if (Changes(kind, tensor.dtype)) return true;
    return false;
  }

  std::optional<Tensors> Outputs(const LintCase& t, const task::CaseDesc& c,
                                 const ReferenceVariant& v) {
    return OutputsOf(task_, t, c, v, reference_);
  }

  // Attributes that are what they are in the first case.
  void Constants() {
    const auto first = task_.cases.empty() ? Result<task::CaseDesc>(base::Error{})
                                           : ResolveCase(task_, task_.cases[0]);
    if (!first.ok()) return;
    for (size_t k = 0; k < first->attrs.size(); ++k) {
      auto with = [&](const LintCase& t, const task::AttrValue& a) {
        task::CaseDesc c = t.c;
        c.attrs[k] = a;
        return Outputs(t, c, {});
      };
      Try(
          "constant " + first->attrs[k].name, "attribute " + first->attrs[k].name,
          [&](LintCase& t) { return with(t, first->attrs[k]); },
          [&](auto&) { return WithOther(first->attrs[k], with); });
    }
  }

  // Another value of the attribute with which the reference gives other outputs of the same shapes.
  template <typename With>
  std::string WithOther(const task::AttrValue& attr, With with) {
    for (const Json& other : Others(attr, task_.reference)) {
      if (Published(attr.name, other)) continue;  // a case too large to be tried here tells it
      for (LintCase* t : cases_) {
        if (t->c.range) continue;
        const auto here = with(*t, attr), there = with(*t, {attr.name, attr.type, other});
        if (here && there && *here != *there) return attr.name + " = " + base::Dump(other);
        break;
      }
    }
    return "";
  }

  bool Published(const std::string& name, const Json& value) const {
    return std::any_of(task_.cases.begin(), task_.cases.end(), [&](const task::CaseRow& row) {
      auto c = ResolveCase(task_, row);
      return c.ok() && std::any_of(c->attrs.begin(), c->attrs.end(), [&](const task::AttrValue& a) {
               return a.name == name && a.value == value;
             });
    });
  }

  // A variant that fails on a case (its shapes no longer agree, say) is refused there. `differs`:
  // the inputs that tell the variant from the reference, or "".
  template <typename Make>
  void Try(const std::string& name, const std::string& place, Make run) {
    Try(name, place, run, [&](Make& r) { return probes_.Find(r); });
  }
  template <typename Make, typename Differs>
  void Try(const std::string& name, const std::string& place, Make run, Differs differs) {
    ++out_.tried;
    for (LintCase* t : cases_) {
      std::optional<Tensors> answer = run(*t);
      if (answer && Takes(task_, *t, *answer, options_.precision, reference_)) continue;
      ++out_.refused, out_.failed += !answer;
      return;
    }
    const std::string shown = differs(run);
    if (shown.empty())
      ++out_.same;
    else if (Right(name))
      ++out_.by_name;
    else
      out_.taken.push_back({name, place, shown});
  }

  // task.toml names it as it is, or without the line.
  bool Right(const std::string& name) const {
    return std::any_of(task_.lint_right.begin(), task_.lint_right.end(), [&](const std::string& r) {
      return r == name || r == name.substr(0, name.find('@'));
    });
  }

  const TaskSpec& task_;
  const VariantOptions& options_;
  task::ReferenceClient& reference_;
  Probes probes_;
  std::vector<LintCase*> cases_;
  task::ReferenceClient::Arguments seen_;
  VariantResult out_;
};
}  // namespace

Result<VariantResult> TryVariants(const TaskSpec& task, std::deque<LintCase>& cases,
                                  const VariantOptions& options, task::ReferenceClient& reference) {
  return VariantTrier(task, cases, options, reference).Run();
}

bool IsSameOperator(const TaskSpec& task, const std::deque<LintCase>& cases, uint64_t seed,
                    task::ReferenceClient& reference, const RunAnswer& run) {
  Probes probes(task, cases, seed, reference);
  int ran = 0, failed = 0;
  const std::string differs = probes.Find([&](LintCase& probe) {
    std::optional<Tensors> answer = run(probe);
    ++(answer ? ran : failed);
    return answer;
  });
  return ran > 0 && failed == 0 && differs.empty();
}

std::string Explained(const TakenVariant& t) {
  static const std::map<std::string, std::string> kinds = {
      {"short", "an expansion that holds on the drawn arguments only"},
      {"held", "arguments held at the ends of what is drawn"},
      {"plain", "the plain formula, which overflows or cancels"},
      {"no_max", "no maximum subtracted"},
      {"no_epsilon", "no epsilon added"},
      {"square_of_mean", "the variance as mean of squares less square of mean"},
      {"nan_dropped", "NaN dropped"},
      {"no_clamp", "no limits"},
      {"no_abs", "no absolute value"},
      {"by_comparison", "a sign by comparison"},
      {"by_difference", "a comparison by the difference"},
      {"by_product", "a choice by multiplication with zero"},
      {"by_int32", "rounding by way of int32"},
      {"half_up", "halves rounded up"},
      {"truncated", "cut off instead of rounded"},
      {"floored", "rounded down instead of cut off"},
      {"one_sided", "one sign only"},
      {"nan_only", "NaN only"},
      {"infinity_only", "infinities only"},
      {"last_wins", "the last of repeated indices only"},
      {"float16", "a result through float16"},
      {"as_float32", "the input through float32"},
      {"as_int32", "the input through int32"},
      {"as_float16", "the input through float16"},
      {"nan_as_zero", "NaN of the input as zero"},
      {"infinity_as_largest", "infinities of the input as the largest number"},
      {"constant", "the attribute as it is in the first case"},
  };
  auto kind = kinds.find(Parts(t.name).first);
  return (kind == kinds.end() ? "" : kind->second + "; ") + t.place + "; wrong with " + t.shown;
}

}  // namespace akgen::bench
