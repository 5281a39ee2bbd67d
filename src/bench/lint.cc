#include "bench/lint.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>

#include "base/files.h"
#include "bench/lint_case.h"
#include "bench/variants.h"
#include "task/compare.h"
#include "task/dist_spec.h"
#include "task/generate.h"
#include "task/hidden.h"
#include "task/range.h"
#include "task/strict.h"

namespace akgen::bench {
using base::Dtype;
using base::Json;
using task::CaseDesc;
using task::TaskSpec;
using task::TensorDesc;
using task::TensorSet;

namespace {
constexpr int64_t kElements = 1 << 16;     // of a case that is tried
constexpr int64_t kMaxElements = 1 << 25;  // of the two smallest cases, where all are above that

using Answer = std::optional<Tensors>;  // nothing: does not apply to this case

using Tried = LintCase;

std::vector<uint8_t> Filled(const TensorDesc& t, double value) {
  std::vector<uint8_t> out(t.Bytes());
  task::Dist d;
  d.kind = task::DistKind::kConstant;
  d.a = value;
  task::Fill(d, t.dtype, 0, t.Numel(), out.data());
  return out;
}

double MeanOf(const TensorDesc& t, std::span<const uint8_t> bytes) {
  double sum = 0;
  int64_t n = t.Numel();
  for (int64_t i = 0; i < n; ++i) {
    const uint8_t* p = bytes.data() + size_t(i) * size_t(base::SizeOf(t.dtype));
    uint16_t h;
    float f;
    int32_t w;
    std::memcpy(&h, p, std::min<size_t>(2, size_t(base::SizeOf(t.dtype))));
    if (base::SizeOf(t.dtype) >= 4) std::memcpy(&f, p, 4), std::memcpy(&w, p, 4);
    switch (t.dtype) {
      case Dtype::kFloat16: sum += base::HalfToFloat(h); break;
      case Dtype::kBfloat16: sum += base::Bf16ToFloat(h); break;
      case Dtype::kFloat32: sum += double(f); break;
      case Dtype::kInt32: sum += w; break;
      default: return 0;
    }
  }
  return n ? sum / double(n) : 0;
}

template <typename F>
Answer PerOutput(const Tried& t, F make) {
  Tensors out;
  for (size_t i = 0; i < t.golden.tensors.size(); ++i) out.push_back(make(i));
  return out;
}

std::vector<uint8_t> Copy(std::span<const uint8_t> b) { return {b.begin(), b.end()}; }

double FirstOf(TensorDesc t, std::span<const uint8_t> bytes) {
  if (t.Numel() == 0) return 0;
  t.shape = {1};
  return MeanOf(t, bytes.first(t.Bytes()));
}

// float32 through bfloat16 and float16 through bfloat16.
std::vector<uint8_t> Downcast(const TensorDesc& t, std::span<const uint8_t> golden) {
  std::vector<uint8_t> out = Copy(golden);
  for (int64_t i = 0, n = t.Numel(); i < n; ++i) {
    if (t.dtype == Dtype::kFloat32) {
      float f;
      std::memcpy(&f, &out[size_t(i) * 4], 4);
      f = base::Bf16ToFloat(base::DoubleToBf16(f));
      std::memcpy(&out[size_t(i) * 4], &f, 4);
    } else if (t.dtype == Dtype::kFloat16) {
      uint16_t h;
      std::memcpy(&h, &out[size_t(i) * 2], 2);
      h = base::DoubleToHalf(base::Bf16ToFloat(base::DoubleToBf16(base::HalfToFloat(h))));
      std::memcpy(&out[size_t(i) * 2], &h, 2);
    }
  }
  return out;
}

// Each output is the first input from `start` on of the same dtype and shape.
Answer Identity(const Tried& t, size_t start) {
  Tensors out;
  for (const TensorDesc& o : t.golden.tensors) {
    size_t i = start;
    while (i < t.inputs.tensors.size() &&
           (t.inputs.tensors[i].dtype != o.dtype || t.inputs.tensors[i].shape != o.shape))
      ++i;
    if (i >= t.inputs.tensors.size()) return std::nullopt;
    out.push_back(Copy(t.inputs.Bytes(i)));
    if (t.c.inputs.size() == 1) start = i + 1;  // a list: element by element
  }
  return out;
}

bool SameBytes(const Tried& t, const Tensors& a) {
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].size() != t.golden.tensors[i].Bytes() ||
        std::memcmp(a[i].data(), t.golden.Bytes(i).data(), a[i].size()) != 0)
      return false;
  return true;
}

class Linter {
 public:
  Linter(const TaskSpec& task, const std::vector<TaskSpec>& others, const LintOptions& o,
         task::ReferenceClient& reference)
      : task_(task), others_(others), options_(o), reference_(reference) {
    out_.task = task.name;
  }

  LintResult Run() {
    if (!Choose()) return out_;
    auto constant = [&](double v) {
      return [=](Tried& t) {
        return PerOutput(t, [&](size_t i) { return Filled(t.golden.tensors[i], v); });
      };
    };
    Try("zero", constant(0));
    Try("one", constant(1));
    Try("mean", [&](Tried& t) {
      return Constant(t, [&](size_t i) {
        return MeanOf(cases_[0].golden.tensors[i], cases_[0].golden.Bytes(i));
      });
    });
    Try("first", [&](Tried& t) {
      return Constant(t, [&](size_t i) {
        return FirstOf(cases_[0].golden.tensors[i], cases_[0].golden.Bytes(i));
      });
    });
    Try("poison", [](Tried& t) {
      return PerOutput(
          t, [&](size_t i) { return std::vector<uint8_t>(t.golden.tensors[i].Bytes(), 0xA5); });
    });
    Try("downcast", [](Tried& t) -> Answer {
      Answer a =
          PerOutput(t, [&](size_t i) { return Downcast(t.golden.tensors[i], t.golden.Bytes(i)); });
      return SameBytes(t, *a) ? std::nullopt : a;
    });
    Try("other_values", [&](Tried& t) { return OtherValues(t); });
    for (size_t i = 0; i < cases_[0].inputs.tensors.size() && i < 8; ++i)
      Try("identity " + std::to_string(i), [i](Tried& t) { return Identity(t, i); }, true);
    WrongDtype();
    Neighbours();
    out_.upstream_takes_zero = UpstreamTakesZero();
    if (options_.variants) Variants();
    if (options_.all_references) AllReferences();
    return out_;
  }

 private:
  // The largest of the small cases, every dtype before a second one of the same. Where all
  // published ones are large: the two smallest of them, beside drawn shapes, which alone may say
  // little (a pool or a convolution over one place).
  bool Choose() {
    std::vector<std::pair<int64_t, const task::CaseRow*>> rows, large;
    for (const task::CaseRow& row : task_.cases) {
      auto c = ResolveCase(task_, row);
      if (!c.ok()) return Fail(c.error());
      int64_t n = task::ElementsOf(*c);
      if (n <= kMaxElements) (n <= kElements ? rows : large).push_back({n, &row});
    }
    const bool published = !rows.empty();
    auto more = task::HiddenCases(task_, options_.seed, 4, "lint", reference_, false);
    if (!more.ok()) return Fail(more.error());
    for (const auto& row : *more) {
      auto c = ResolveCase(task_, row);
      if (c.ok() && task::ElementsOf(*c) <= task::kHiddenElements)
        rows.push_back({task::ElementsOf(*c), &row});
    }
    if (!published) {
      std::stable_sort(large.begin(), large.end(),
                       [](auto& a, auto& b) { return a.first < b.first; });
      rows.insert(rows.end(), large.begin(),
                  large.begin() + std::min<ptrdiff_t>(2, std::ssize(large)));
    }
    std::stable_sort(rows.begin(), rows.end(), [](auto& a, auto& b) { return a.first > b.first; });
    std::map<std::string, int> rank;
    std::vector<std::pair<int, const task::CaseRow*>> order;
    for (auto& [n, row] : rows)
      order.push_back({rank[task::UsualColumnsOf(row->columns).DtypeName()]++, row});
    std::stable_sort(order.begin(), order.end(),
                     [](auto& a, auto& b) { return a.first < b.first; });
    for (auto& [r, row] : order)
      if (int(cases_.size()) < options_.max_cases && !Add(*row)) return false;
    if (cases_.empty())
      return Fail({"AK0114", "no case is small enough to be tried", task_.name, ""});
    out_.cases = int(cases_.size());
    return true;
  }

  bool Fail(const base::Error& e) {
    out_.error = e.ToString();
    return false;
  }

  bool Add(const task::CaseRow& row) {
    auto made = MakeLintCase(task_, row, options_.seed, reference_);
    if (!made.ok()) return Fail(made.error());
    cases_.push_back(std::move(*made));
    return true;
  }

  // `everywhere`: a case to which the answer does not apply refuses it (a copy cannot have another
  // shape than its input).
  void Try(const std::string& name, const std::function<Answer(Tried&)>& make,
           bool everywhere = false, bool stop_at_first = false) {
    int applies = 0, taken = 0;
    std::vector<std::string> ids;
    for (Tried& t : cases_) {
      Answer a = make(t);
      if (!a && everywhere && stop_at_first) break;
      if (!a) continue;
      ++applies;
      if (Takes(task_, t, *a, options_.precision, reference_))
        ++taken, ids.push_back(t.c.id);
      else if (stop_at_first)
        break;
    }
    if (!applies) return;
    ++out_.answers;
    bool right =
        std::find(task_.lint_right.begin(), task_.lint_right.end(), name) != task_.lint_right.end();
    if (right) return;
    if (taken == (everywhere ? int(cases_.size()) : applies))
      out_.taken.push_back(name);
    else if (!stop_at_first)
      for (const std::string& id : ids) out_.weak.push_back({id, name});
  }

  void Variants() {
    if (options_.range && options_.precision != "upstream") {
      auto range = task::RangeCases(task_, reference_);
      if (!range.ok()) return (void)Fail(range.error());
      for (const task::CaseRow& row : *range)
        if (!Add(row)) return;
    }
    auto tried = TryVariants(task_, cases_, {options_.precision, options_.seed}, reference_);
    if (!tried.ok()) return (void)Fail(tried.error());
    out_.variants = std::move(*tried);
  }

  // The same numbers whatever the case: known to a kernel that has seen the first case and no
  // other.
  template <typename F>
  Answer Constant(Tried& t, F value) {
    if (cases_.size() < 2) return std::nullopt;
    return PerOutput(t, [&](size_t i) {
      return Filled(t.golden.tensors[i], i < cases_[0].golden.tensors.size() ? value(i) : 0);
    });
  }

  Answer OtherValues(Tried& t) {
    auto inputs = GenerateInputs(task_, t.c, t.seed + 1);
    if (!inputs.ok()) return std::nullopt;
    bool same = inputs->layout.bytes == t.inputs.layout.bytes;
    for (size_t i = 0; same && i < inputs->tensors.size(); ++i)
      same = std::memcmp(inputs->Bytes(i).data(), t.inputs.Bytes(i).data(),
                         inputs->Bytes(i).size()) == 0;
    if (same) return std::nullopt;  // the task draws no values
    auto golden = reference_.Run(task_, t.c, *inputs);
    if (!golden.ok()) return std::nullopt;
    return PerOutput(t, [&](size_t i) { return Copy(golden->Bytes(i)); });
  }

  // Not a matter of values: the comparison itself must refuse.
  void WrongDtype() {
    ++out_.answers;
    for (Tried& t : cases_)
      for (size_t i = 0; i < t.golden.tensors.size(); ++i) {
        TensorDesc other = t.golden.tensors[i];
        other.dtype = other.dtype == Dtype::kFloat16    ? Dtype::kBfloat16
                      : other.dtype == Dtype::kBfloat16 ? Dtype::kFloat16
                      : other.dtype == Dtype::kInt32    ? Dtype::kFloat32
                                                        : Dtype::kInt32;
        if (task::CompareStrict(false, other, t.golden.Bytes(i), t.golden.tensors[i],
                                t.golden.Bytes(i))
                .result.pass) {
          out_.taken.push_back("wrong_dtype");
          return;
        }
      }
  }

  void Neighbours() {
    for (const TaskSpec& other : others_) {
      if (other.name == task_.name || other.reference == task_.reference ||
          other.inputs.size() != task_.inputs.size() ||
          other.outputs.size() != task_.outputs.size())
        continue;
      bool alike = true;
      for (size_t i = 0; i < task_.inputs.size(); ++i)
        alike &= other.inputs[i].kind == task_.inputs[i].kind &&
                 other.inputs[i].optional == task_.inputs[i].optional;
      auto its = ResolveCase(other, other.cases[0]);
      if (!alike || !its.ok()) continue;
      auto as_other = [&](Tried& t) -> Answer {
        CaseDesc c = t.c;
        bool same = its->attrs.size() == c.attrs.size();
        for (size_t i = 0; same && i < c.attrs.size(); ++i)
          same = its->attrs[i].type == c.attrs[i].type;
        if (!same) c.attrs = its->attrs;
        auto golden = reference_.Run(other, c, t.inputs);
        if (!golden.ok()) return std::nullopt;
        return PerOutput(t, [&](size_t i) { return Copy(golden->Bytes(i)); });
      };
      const size_t taken = out_.taken.size();
      Try("like " + other.name, as_other, true, true);
      // A task of your own may be an operator that there is already, under another name.
      if (out_.taken.size() > taken &&
          IsSameOperator(task_, cases_, options_.seed, reference_, as_other))
        out_.taken.pop_back();
    }
  }

  // Upstream's inputs, under its rule, answered with zeros: on the smallest of the published cases,
  // and only those, because drawn ones are none of upstream's.
  bool UpstreamTakesZero() {
    if (std::find(task_.lint_right.begin(), task_.lint_right.end(), "zero") !=
        task_.lint_right.end())
      return false;
    constexpr size_t kMaxCases = 3;
    TaskSpec upstream = task_;
    for (auto& input : upstream.inputs)
      if (!input.upstream.is_null()) input.dist = input.upstream;
    std::vector<std::pair<int64_t, CaseDesc>> cases;
    for (const task::CaseRow& row : upstream.cases)
      if (auto c = ResolveCase(upstream, row); c.ok() && task::ElementsOf(*c) <= kMaxElements)
        cases.push_back({task::ElementsOf(*c), std::move(*c)});
    std::stable_sort(cases.begin(), cases.end(),
                     [](auto& a, auto& b) { return a.first < b.first; });
    if (cases.size() > kMaxCases) cases.resize(kMaxCases);
    return !cases.empty() && std::all_of(cases.begin(), cases.end(), [&](const auto& c) {
      return ZerosPass(upstream, c.second);
    });
  }
  bool ZerosPass(const TaskSpec& upstream, const CaseDesc& c) {
    auto inputs = GenerateInputs(upstream, c, options_.seed);
    if (!inputs.ok()) return false;
    auto golden = reference_.Run(upstream, c, *inputs);
    if (!golden.ok()) return false;
    std::vector<bool> compared;
    for (const auto& p : c.outputs) compared.insert(compared.end(), p.tensors.size(), p.compared);
    for (size_t i = 0; i < golden->tensors.size(); ++i) {
      if (!compared[i]) continue;
      const TensorDesc& d = golden->tensors[i];
      auto rule = task::RuleFor(upstream, c, d.dtype);
      if (!rule.ok() || !task::Compare(*rule, d, Filled(d, 0), d, golden->Bytes(i)).pass)
        return false;
    }
    return true;
  }

  void AllReferences() {
    for (const task::CaseRow& row : task_.cases) {
      auto c = ResolveCase(task_, row);
      if (!c.ok()) return (void)Fail(c.error());
      if (std::string why = task::TooLarge(*c); !why.empty()) {
        out_.too_large.push_back({row.id, why});
        continue;
      }
      if (!task::HasGolden(task_, *c)) {  // by a judge or an earlier linter
        auto inputs = GenerateInputs(task_, *c, options_.seed);
        if (!inputs.ok()) return (void)Fail(inputs.error());
        auto golden = reference_.Golden(task_, *c, options_.seed, *inputs);
        if (!golden.ok()) return (void)Fail(golden.error());
      }
      ++out_.references;
    }
  }

  const TaskSpec& task_;
  const std::vector<TaskSpec>& others_;
  const LintOptions& options_;
  task::ReferenceClient& reference_;
  std::deque<Tried> cases_;
  LintResult out_;
};
}  // namespace

LintResult LintTask(const TaskSpec& task, const std::vector<TaskSpec>& others,
                    const LintOptions& options, task::ReferenceClient& reference) {
  return Linter(task, others, options, reference).Run();
}

LintTotals TotalsOf(const std::vector<LintResult>& results) {
  LintTotals out;
  for (const LintResult& r : results) {
    out.passed += r.ok(), out.weak_cases += r.weak.size(), out.too_large += r.too_large.size();
    out.answers += r.answers, out.cases += r.cases, out.references += r.references;
    VariantResult& v = out.variants;
    v.tried += r.variants.tried, v.refused += r.variants.refused, v.failed += r.variants.failed;
    v.same += r.variants.same, v.by_name += r.variants.by_name;
    v.taken.insert(v.taken.end(), r.variants.taken.begin(), r.variants.taken.end());
  }
  return out;
}

Json ToJson(const std::vector<LintResult>& results) {
  Json failed = Json::array(), weak = Json::array(), upstream = Json::array(),
       too_large = Json::array();
  const LintTotals totals = TotalsOf(results);
  for (const LintResult& r : results) {
    if (r.upstream_takes_zero) upstream.push_back(r.task);
    for (const auto& [id, why] : r.too_large)
      too_large.push_back({{"task", r.task}, {"case", id}, {"why", why}});
    Json variants = Json::array();
    for (const TakenVariant& v : r.variants.taken)
      variants.push_back({{"name", v.name}, {"place", v.place}, {"shown", v.shown}});
    if (!r.ok())
      failed.push_back(
          {{"task", r.task}, {"taken", r.taken}, {"variants", variants}, {"error", r.error}});
    for (const auto& [id, answer] : r.weak)
      weak.push_back({{"task", r.task}, {"case", id}, {"answer", answer}});
  }
  return {{"tasks", results.size()},
          {"passed", totals.passed},
          {"cases", totals.cases},
          {"answers", totals.answers},
          {"references", totals.references},
          {"variants",
           {{"tried", totals.variants.tried},
            {"refused", totals.variants.refused},
            {"failed", totals.variants.failed},
            {"same", totals.variants.same},
            {"right", totals.variants.by_name},
            {"taken", totals.variants.taken.size()}}},
          {"too_large", too_large},
          {"failed", failed},
          {"weak_cases", weak},
          {"upstream_zero", upstream}};
}

}  // namespace akgen::bench
