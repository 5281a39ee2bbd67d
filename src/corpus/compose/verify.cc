#include "corpus/compose/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "corpus/compose/canonical.h"
#include "corpus/compose/evaluate.h"
#include "corpus/compose/random.h"
#include "craft/interpret/arguments.h"
#include "craft/plan/plan.h"

namespace akgen::corpus {
using base::Json;

namespace {
constexpr double kMaxUndecided = 0.02;

// Up to three of the operations that say most, and six digits that tell it from others.
std::string NameFor(const Composition& c, const std::string& hash) {
  static const char* const kPlain[] = {"add", "sub", "mul", "div", "neg", "abs",    "clamp", "lt",
                                       "le",  "gt",  "ge",  "eq",  "ne",  "select", "chunk"};
  std::vector<std::string> words;
  auto take = [&](bool plain) {
    for (const std::string& op : OperationsOf(c)) {
      bool is_plain = std::find(std::begin(kPlain), std::end(kPlain), op) != std::end(kPlain);
      if (words.size() < 3 && is_plain == plain &&
          std::find(words.begin(), words.end(), op) == words.end())
        words.push_back(op);
    }
  };
  take(false);
  take(true);
  std::string out;
  for (const std::string& w : words) out += w + "_";
  return out + hash.substr(0, 6);
}

// The planner's program is called `op`.
std::string Renamed(const std::string& program, const std::string& name) {
  size_t at = program.find("def op(");
  return at == std::string::npos ? program
                                 : program.substr(0, at + 4) + name + program.substr(at + 6);
}

// Relative error of one rounding of a result, and of float32 arithmetic before it.
double Relative(base::Dtype d) {
  return d == base::Dtype::kFloat16    ? 1.5e-3
         : d == base::Dtype::kBfloat16 ? 1.2e-2
         : base::IsFloating(d)         ? 2e-4
                                       : 0;
}

// One output against what it must be, as AgainstReference.
std::string OneOutput(const std::string& what, base::Dtype dtype, const craft::Tensor& output,
                      const Array& want, double& worst) {
  Array got = ArrayOf(output);
  if (got.v.size() != want.v.size())
    return fmt::format("{} has {} elements, the reference {}", what, got.v.size(), want.v.size());
  double scale = 0;
  for (double v : want.v) scale += std::abs(v) / static_cast<double>(want.v.size());
  size_t undecided = 0;
  for (size_t i = 0; i < got.v.size(); ++i) {
    if (!std::isfinite(want.v[i])) return what + " of the reference is not finite";
    double bound = output.err.empty() ? 0 : output.err[i], relative = Relative(dtype);
    if (!std::isfinite(bound) || bound > 0.05 * std::max(std::abs(want.v[i]), scale)) {
      ++undecided;
      continue;
    }
    double tolerance = 2 * bound + relative * std::abs(want.v[i]) + 0.05 * relative * scale;
    double error = std::abs(got.v[i] - want.v[i]);
    if (!(error <= tolerance))
      return fmt::format("{}, element {}: {} where the reference has {}", what, i, got.v[i],
                         want.v[i]);
    if (tolerance > 0) worst = std::max(worst, error / tolerance);
  }
  if (static_cast<double>(undecided) > kMaxUndecided * static_cast<double>(got.v.size()))
    return fmt::format("{} of {} elements of {} are sensitive to rounding", undecided, got.v.size(),
                       what);
  return "";
}

// Empty when the outputs are what the reference gives; `worst`: largest error over its tolerance.
std::string AgainstReference(const Composition& c, const Extents& e, const craft::Arguments& args,
                             const std::vector<std::pair<std::string, craft::Tensor>>& outputs,
                             double& worst) {
  std::map<std::string, std::vector<const craft::Tensor*>> written;
  for (const auto& [name, tensor] : outputs) written[name].push_back(&tensor);
  for (size_t t = 0; t < e.tensors; ++t) {
    std::map<std::string, Array> inputs;
    for (const auto& i : c.inputs)
      if (Present(i, e))
        inputs[c.lists && !i.single ? i.id + ".0" : i.id] =
            ArrayOf(args.tensors.at(i.id)[i.single ? 0 : t]);
    auto expected = Evaluate(GraphOf(c, TensorOfList(e, t)), inputs);
    if (!expected.ok()) return expected.error().message;
    for (size_t o = 0; o < c.outputs.size(); ++o) {
      std::string what =
          c.lists ? fmt::format("tensor {} of output {}", t, o) : fmt::format("output {}", o);
      const std::vector<const craft::Tensor*>& tensors =
          written[c.inplace[o].empty() ? fmt::format("y{}", o) : c.inplace[o]];
      if (tensors.size() != e.tensors) return what + " is not written";
      if (std::string wrong =
              OneOutput(what, DtypeOfOutput(c, o, e.column), *tensors[t], (*expected)[o], worst);
          !wrong.empty())
        return wrong;
    }
  }
  return "";
}

// Whether a value's shape depends on a switch.
bool Varies(const Composition& c, const std::string& id) {
  return std::any_of(c.cases.begin(), c.cases.end(), [&](const Extents& e) {
    return ShapeOfValue(c, id, e) != ShapeOfValue(c, id);
  });
}

// With the shapes of outputs that the program leaves to the caller.
std::string WholeCaseText(const Candidate& candidate, const Extents& e) {
  const Composition& c = candidate.composition;
  std::string text = CaseText(c, e);
  const auto& programs = candidate.compiled.programs;
  for (const craft::ir::HostTensor& t : programs[e.column < programs.size() ? e.column : 0].tensors)
    for (size_t o = 0; t.given && o < c.outputs.size(); ++o)
      if (t.name == fmt::format("y{}", o))
        text += fmt::format(" {}={}[{}]", t.name, craft::ir::ShortName(t.dtype),
                            fmt::join(ShapeOf(ShapeOfValue(c, c.outputs[o], e), e), ", "));
  return text;
}
}  // namespace

Candidate Prepare(uint64_t seed, uint64_t index, const craft::Target& target) {
  Candidate out;
  out.composition = RandomComposition(seed, index);
  const Composition& c = out.composition;
  out.name = NameFor(c, CanonicalOf(c));
  auto program = craft::Plan(PlanOf(c), target);
  if (!program.ok()) {
    const base::Error why = craft::ToError(program.error());
    out.refused = why.code + ": " + why.message;
    return out;
  }
  out.program = Renamed(*program, out.name);
  out.compiled = craft::Compile(out.program, target);
  if (!out.compiled.diagnostics.empty()) {
    out.refused =
        out.compiled.diagnostics.list()[0].code + ": " + out.compiled.diagnostics.list()[0].message;
    return out;
  }
  for (const Extents& e : c.cases) {
    auto one =
        craft::ParseCase(out.compiled.programs, WholeCaseText(out, e), MixBits(seed ^ index));
    if (!one.ok()) {
      out.refused = one.error().code + ": " + one.error().message;
      return out;
    }
    for (size_t o = 0; o < c.outputs.size(); ++o)  // a mode that reduces has another shape than one
                                                   // that does not: the caller's is what counts
      if (c.inplace[o].empty() && Varies(c, c.outputs[o]))
        one->args.given[fmt::format("y{}", o)] = ShapeOf(ShapeOfValue(c, c.outputs[o], e), e);
    out.validations.push_back(
        {out.compiled.lowered[one->column], std::move(one->args), out.name, -1, "", true});
  }
  return out;
}

void Verify(judge::Validator& validator, std::vector<Candidate>& candidates) {
  std::vector<judge::Validation> all;
  for (Candidate& c : candidates) {
    std::map<size_t, int> built;  // by column: each is a kernel of its own
    for (size_t i = 0; i < c.validations.size() && c.refused.empty(); ++i) {
      auto [it, fresh] =
          built.try_emplace(c.composition.cases[i].column, static_cast<int>(all.size()));
      all.push_back(c.validations[i]);
      if (!fresh) all.back().like = it->second;
    }
  }
  std::vector<judge::Validated> done = validator.Run(all);
  size_t at = 0;
  for (Candidate& c : candidates) {
    for (size_t i = 0; i < c.validations.size() && c.refused.empty(); ++i, ++at) {
      const judge::Validated& v = done[at];
      double worst = 0;
      std::string wrong = v.outcome != judge::Validated::kAgree
                              ? std::string(judge::NameOf(v.outcome)) + ": " + v.reason
                              : AgainstReference(c.composition, c.composition.cases[i],
                                                 c.validations[i].args, v.outputs, worst);
      if (!wrong.empty() && c.failed.empty())
        c.failed = (v.outcome == judge::Validated::kAgree ? "reference: " : "") + wrong;
      c.cases.push_back({{"inputs", WholeCaseText(c, c.composition.cases[i])},
                         {"elements", v.elements},
                         {"exact", v.exact},
                         {"undecided", v.undecided},
                         {"worst", v.worst},
                         {"reference_worst", worst}});
    }
    c.validations.clear();
  }
}

}  // namespace akgen::corpus
