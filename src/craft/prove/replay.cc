#include "craft/prove/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "craft/interpret/arguments.h"
#include "craft/interpret/interpret.h"
#include "craft/prove/lemmas.h"

namespace akgen::craft::prove {
namespace {
std::string ShapeText(const InputSymbols& in, const Model& model) {
  std::string out;
  for (const Poly& p : in.shape) {
    auto it = model.find(p.AsAtom());
    out += fmt::format("{}{}", out.empty() ? "" : ", ",
                       p.IsConst()         ? p.Constant()
                       : it == model.end() ? 2
                                           : it->second);
  }
  return out;
}

// What the model says of a list: how many it has, and of some of them, by index, a number.
struct ListOf {
  int64_t count = 2;
  std::map<int64_t, int64_t> numbers;
  ListOf(const Terms& terms, const Model& model, const std::string& name,
         const std::string& family) {
    for (const auto& [atom, value] : model) {
      const AtomInfo& info = terms.At(atom);
      if (info.name == fmt::format("len({})", name)) count = std::clamp<int64_t>(value, 1, 8);
      if (info.family != family) continue;
      if (info.of.IsConst())
        numbers[info.of.Constant()] = value;
      else if (auto index = model.find(info.of.AsAtom()); index != model.end())
        numbers[index->second] = value;
    }
  }
  int64_t At(int64_t i, int64_t otherwise) const {
    auto it = numbers.find(i);
    return it == numbers.end() ? otherwise : it->second;
  }
};

// The lengths of its tensors are those that the model speaks of, in no order.
std::string ListText(const Terms& terms, const InputSymbols& in, const Model& model) {
  const std::string& like = in.like.empty() ? in.name : in.like;
  const ListOf list(terms, model, like, like);
  std::string out = in.name + "=";
  for (int64_t i = 0; i < list.count; ++i)
    out += fmt::format("{}{}[{}]", i ? "+" : "", ir::ShortName(in.dtype), list.At(i, 3));
  return out;
}

std::string IntegersText(const Terms& terms, const std::string& name, const Model& model) {
  const ListOf list(terms, model, name, "element " + name);
  std::string out = name + "=";
  for (int64_t i = 0; i < list.count; ++i) out += fmt::format("{}{}", i ? "," : "", list.At(i, 1));
  return out;
}
}  // namespace

std::string CaseOf(const Walked& walked, const Model& model) {
  auto value = [&](int atom, int64_t otherwise) {
    auto it = model.find(atom);
    return it == model.end() ? otherwise : it->second;
  };
  std::string out;
  for (const InputSymbols& in : walked.inputs) {
    const std::string tensor = fmt::format("{}[{}]", ir::ShortName(in.dtype), ShapeText(in, model));
    if (in.present >= 0 && !value(in.present, 1))
      out += in.name + "=none ";
    else if (in.is_list)
      out += ListText(walked.terms, in, model) + " ";
    else if (!in.items.empty() && !base::IsFloating(in.dtype))
      out += fmt::format("{0}={1}{{{2}, {2}}} ", in.name, tensor, value(in.items[0], 0));
    else
      out += fmt::format("{}={}{} ", in.name, tensor, base::IsFloating(in.dtype) ? "" : "{0, 0}");
  }
  for (const AttrSymbols& a : walked.attrs) {
    if (a.is_list) {
      out += IntegersText(walked.terms, a.name, model) + " ";
      continue;
    }
    if (a.type == ir::Ty::kInt && a.atom >= 0)
      out += fmt::format("{}={} ", a.name, value(a.atom, 1));
    if (a.type == ir::Ty::kBool)
      out += fmt::format("{}={} ", a.name, value(a.atom, 0) ? "True" : "False");
    if (a.type == ir::Ty::kFloat && !a.has_default) out += fmt::format("{}=1 ", a.name);
    for (const auto& [text, atom] : a.strings)
      if (value(atom, 0)) out += fmt::format("{}={} ", a.name, text);
  }
  return out;
}

std::optional<std::string> Fails(const Compiled& compiled, const std::string& kind,
                                 const std::string& text, int64_t cores) {
  constexpr int64_t kMaxElements = 1 << 20;
  auto one = ParseCase(compiled.programs, text, 1);
  if (!one.ok()) return std::nullopt;
  for (const auto& [name, list] : one->args.tensors)
    for (const Tensor& t : list)
      if (t.Numel() > kMaxElements) return std::nullopt;
  const LoweredProgram& lowered = compiled.lowered[one->column];
  Limits limits(lowered.target);
  limits.cores = cores;
  limits.elements = kMaxElements;
  auto done = Interpret(compiled.programs[one->column], lowered, one->args, limits);
  if (done.ok()) {
    if (kind != "cover" || !done->never_written) return std::nullopt;
    return fmt::format("{} elements of outputs are never written", done->never_written);
  }
  const base::Error& e = done.error();
  const bool view =
      e.code == "AK1532" && (e.message.find(" is said to be ") != std::string::npos ||
                             e.message.find(" would have the shape ") != std::string::npos);
  const bool of_view = kind == "view" || kind == "extent",
             of_cores = kind == "race" || kind == "order";
  if (of_view ? !view : e.code != (of_cores ? "AK1531" : "AK1530")) return std::nullopt;
  return fmt::format("{}: {}{}", e.code, e.message, e.where.empty() ? "" : " (" + e.where + ")");
}

std::optional<std::string> Contradicts(const Compiled& compiled, const Report& report,
                                       const std::string& text, int64_t cores) {
  // How a case may fail, and what then is not true.
  struct Claim {
    const char* how;
    std::set<std::string> kinds;
  };
  static const Claim kClaims[] = {
      {"window", {"window", "buffer", "index", "divisor", "step", "windows"}},
      {"race", {"race", "order"}},
      {"view", {"view", "extent"}},
      {"cover", {"cover"}}};
  auto open = [&](const std::set<std::string>& kinds) {
    return std::ranges::any_of(report.answers, [&](const Answer& a) {
      return a.status != Status::kProven && (a.kind == "program" || kinds.count(a.kind));
    });
  };
  for (const Claim& claim : kClaims) {
    if (report.answers.empty() || open(claim.kinds)) continue;
    if (auto why = Fails(compiled, claim.how, text, cores)) return claim.how + (": " + *why);
  }
  return std::nullopt;
}

// Is it this obligation that breaks? A view by its name, others by their line; races name either of
// two lines.
static bool IsOf(const Obligation& o, const std::string& why) {
  if (o.kind == "view") {
    const size_t from = o.what.find(" of ") + 4;
    return why.find(": " + o.what.substr(from, o.what.find(' ', from) - from) +
                    " is said to be ") != std::string::npos;
  }
  if (o.kind == "race" || o.kind == "order" || o.kind == "cover" ||
      why.find("(line ") == std::string::npos)
    return true;
  return why.find(fmt::format("(line {})", o.place.line)) != std::string::npos;
}

std::optional<Counterexample> Refute(const Compiled& compiled, size_t column, const Walked& walked,
                                     const Obligation& o, Solver& solver) {
  std::vector<F> all = o.facts;
  all.push_back(Not(o.goal));
  all = WithDefinitions(walked.terms, std::move(all));
  const int64_t cores = compiled.lowered[column].target.cores;
  const bool cube = compiled.programs[column].HasCube();
  struct Bounds {
    int64_t extent, attr, cores;
  };
  for (const Bounds& b : {Bounds{6, 8, cores}, Bounds{300, 64, cores}}) {
    std::vector<F> small = all;
    for (const InputSymbols& in : walked.inputs)
      for (const Poly& p : in.shape) small.push_back(And({Le(1, p), Le(p, b.extent)}));
    for (const AttrSymbols& a : walked.attrs)
      if (a.type == ir::Ty::kInt && a.atom >= 0)
        small.push_back(And({Le(-b.attr, Poly::Atom(a.atom)), Le(Poly::Atom(a.atom), b.attr)}));
    for (const auto& [atom, first] : walked.tunes) small.push_back(Eq(Poly::Atom(atom), first));
    for (int atom : {walked.vector_cores, cube ? -1 : walked.cores})
      if (atom >= 0) small.push_back(Eq(Poly::Atom(atom), b.cores));
    for (int atom : {walked.cube_cores, cube ? walked.cores : -1})
      if (atom >= 0)
        small.push_back(Eq(Poly::Atom(atom), compiled.lowered[column].target.cube_cores));
    Model model;
    if (solver.Check(small, true, &model) != Satisfiable::kYes) continue;
    const std::string text = CaseOf(walked, model);
    auto why = Fails(compiled, o.kind, text, b.cores);
    if (why && IsOf(o, *why)) return Counterexample{text, *why, b.cores};
  }
  return std::nullopt;
}

}  // namespace akgen::craft::prove
