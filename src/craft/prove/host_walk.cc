#include "craft/prove/host_walk.h"

#include <fmt/format.h>

namespace akgen::craft::prove {
using ir::HostStmt;
using ir::HostTensor;
using ir::S;
using ir::SKind;
using ir::Ty;

HostWalk::HostWalk(const ir::Program& program, const Ranks& ranks, Walked& to)
    : Evaluator(to), program_(program) {
  for (const auto& [name, use] : UsesOf(program)) {
    auto rank = ranks.find(name);
    shapes_[name] = TensorShape(to.terms, name, use, rank == ranks.end() ? -1 : rank->second);
  }
}

void HostWalk::Param(const ir::HostParam& p) {
  if (!p.is_attr) {
    InputSymbols in{p.name, p.optional, p.is_list, p.dtype, shapes_[p.name].parts(), -1, {}};
    if (p.optional)
      in.present = Opaque("present " + p.name, fmt::format("present({})", p.name), Ty::kBool)
                       .condition->atom;
    to_.inputs.push_back(in);
    return;
  }
  AttrSymbols attr{p.name, p.type, -1, p.fallback != nullptr, p.is_int_list, {}};
  if (!p.is_int_list) {
    env_[p.name] = Opaque("attribute " + p.name, p.name, p.type);
    if (p.type == Ty::kInt) attr.atom = env_[p.name].number.AsAtom();
    if (p.type == Ty::kBool) attr.atom = env_[p.name].condition->atom;
  }
  to_.attrs.push_back(attr);
}

void HostWalk::Run() {
  for (const auto& p : program_.params) Param(p);
  for (const HostTensor& t : program_.tensors)
    if (t.given)
      to_.inputs.push_back({t.name, false, false, t.dtype, shapes_[t.name].parts(), -1, {}});
  Continue({{&program_.body, 0}});
}

void HostWalk::Continue(Rest rest) {
  constexpr int kMaxPaths = 64;
  while (!rest.empty()) {
    auto& [block, at] = rest.back();
    if (at == block->size()) {
      rest.pop_back();
      continue;
    }
    const HostStmt& s = *(*block)[at++];
    place_ = s.place;
    switch (s.kind) {
      case HostStmt::kLet: {
        const bool fit = s.value->kind == SKind::kCall && s.value->text == "fit";
        Value v = fit ? Fit(*s.value) : Eval(s.value);
        if (v.text.empty()) v.text = s.name;
        env_[s.name] = v;
        break;
      }
      case HostStmt::kRequire:
        facts_.push_back(Condition(s.value));
        Alike(*s.value);
        break;
      case HostStmt::kLaunch: Launch(s); break;
      case HostStmt::kIf: {
        const F condition = Condition(s.value);
        if (++paths_ > kMaxPaths) {
          to_.broken = "the host function has more than 64 paths";
          return;
        }
        for (bool taken : {true, false}) {
          const F fact = taken ? condition : Not(condition);
          if (fact->kind == Formula::kFalse) continue;
          const auto env = env_;
          const auto alike = alike_;
          Scope scope(*this, fact);
          Rest then = rest;
          then.push_back({taken ? &s.body : &s.other, 0});
          Continue(std::move(then));
          env_ = env;
          alike_ = alike;
        }
        return;
      }
    }
  }
}

// Lists that are alike are one as far as numbers of tensors and elements go.
void HostWalk::Alike(const ir::Scalar& condition) {
  if (condition.kind == SKind::kBinary && condition.text == "and")
    for (const S& a : condition.args) Alike(*a);
  if (condition.kind != SKind::kCall || condition.text != "alike") return;
  const std::string a = Like(condition.tensor), b = Like(condition.args[0]->text);
  if (a == b) return;
  facts_.push_back(Eq(Count(a), Count(b)));
  alike_[b] = a;
  for (InputSymbols& in : to_.inputs)
    if (in.is_list) in.like = Like(in.name);
}

std::string HostWalk::Like(const std::string& list) const {
  auto it = alike_.find(list);
  return it == alike_.end() ? list : Like(it->second);
}

Poly HostWalk::Count(const std::string& list) {
  return CountOf(to_.terms, {list, list, list, {}, true});
}

Value HostWalk::Special(const ir::Scalar& s) {
  Value v;
  const std::string& f = s.text;
  auto counted = [&](const std::string& key, const std::string& name, int64_t least, int64_t most) {
    Value n = Opaque(key, name, Ty::kInt);
    const int atom = n.number.AsAtom();
    if (to_.terms.At(atom).defined.empty())
      to_.terms.Define(atom, And({Le(least, n.number), Le(n.number, most)}));
    return n;
  };
  if (f == "block_rows" || f == "block_cols") {  // sizes of blocks: of m, n, k
    v = counted(fmt::format("{} line {}", f, place_.line), f == "block_rows" ? "tm" : "tn", 1,
                4096);
    to_.tunes.push_back(
        {v.number.AsAtom(),
         to_.terms.Min(to_.terms.Max(Int(s.args[f == "block_rows" ? 0 : 1]), 1), 128)});
    return v;
  }
  if (f == "vector_cores" || f == "best_cores" || f == "cube_cores") {
    constexpr int64_t kMaxCores = 65535;
    v = counted(f, f + "()", 1, kMaxCores);
    (f == "best_cores"   ? to_.cores
     : f == "cube_cores" ? to_.cube_cores
                         : to_.vector_cores) = v.number.AsAtom();
    // Of a program without products: vector_cores(), or fewer.
    if (f == "best_cores" && !program_.HasCube() &&
        to_.terms.At(v.number.AsAtom()).defined.size() == 1) {
      const Poly all = Special(*ir::Call("vector_cores", {}, Ty::kInt)).number;
      to_.terms.Define(v.number.AsAtom(), Le(v.number, all));
    }
    return v;
  }
  if (f == "is_dtype")
    return v.condition = program_.Param(s.tensor)->dtype == *ir::DtypeFromShort(s.args[0]->text)
                             ? True()
                             : False(),
           v;
  if (f == "present") {
    if (!program_.Param(s.tensor)->optional) return v.condition = True(), v;
    return Opaque("present " + s.tensor, fmt::format("present({})", s.tensor), Ty::kBool);
  }
  if (f == "length") return v.number = LengthOf(to_.terms, s.tensor), v;
  if (f == "before") {
    std::vector<std::string> lists;
    for (size_t i = 1; i < s.args.size(); ++i) lists.push_back(s.args[i]->text);
    return v.number = BeforeOf(to_.terms, lists, Int(s.args[0])), v;
  }
  if (f == "count") return v.number = Count(Like(s.tensor)), v;
  if (f == "alike") {
    const std::string a = Like(s.tensor), b = Like(s.args[0]->text);
    if (a == b) return v.condition = True(), v;
    return Opaque("alike " + a + " " + b, fmt::format("alike({}, {})", a, b), Ty::kBool);
  }
  if (f == "numel") return v.number = shapes_[s.tensor].Elements(), v;
  if (f == "dim") return Dim(s);
  if (f == "prod") return v.number = ProductOf(s.shape), v;
  if (f == "len") {
    for (const ir::ShapePart& part : s.shape) {
      const bool whole =
          !part.value && part.from == 0 && part.to_end && !part.first && shapes_.count(part.tensor);
      if (part.value)
        v.number = v.number + 1;
      else if (whole)
        v.number = v.number + shapes_[part.tensor].Rank();
      else
        v.number =
            v.number +
            counted("len " + ir::ToText(std::make_shared<ir::Scalar>(s)), "len(…)", 0, 64).number;
    }
    return v;
  }
  return Opaque("call " + f + s.tensor, f + "(…)", s.type);
}

Value HostWalk::Dim(const ir::Scalar& s) {
  Value v;
  const Poly at = Int(s.args[0]);
  if (!shapes_.count(s.tensor)) {  // an attribute that is a list
    const std::string text = fmt::format("{}[{}]", s.tensor, to_.terms.Text(at));
    return Opaque("element " + text, text, Ty::kInt);
  }
  v.number = at.IsConst() && ir::AsConst(s.args[0]) ? shapes_[s.tensor].Dim(at.Constant())
                                                    : Along(s.tensor, at, 1);
  return v;
}

// x.shape in three parts, at a dimension that a number names.
Poly HostWalk::Along(const std::string& tensor, const Poly& at, int part) {
  Terms& terms = to_.terms;
  const std::string b = terms.Text(at);
  const std::string names[] = {fmt::format("prod({}.shape[:{}])", tensor, b),
                               fmt::format("{}.shape[{}]", tensor, b),
                               fmt::format("prod({}.shape[{} + 1:])", tensor, b)};
  std::vector<Poly> parts;
  const size_t before = terms.Size();
  for (const std::string& name : names)
    parts.push_back(Poly::Atom(terms.Named("extent " + name, {name, false, true})));
  if (terms.Size() != before) {
    const Poly all = shapes_[tensor].Elements();
    const F last = Eq(at, -1);  // x.shape[-1 + 1:] is x.shape
    for (const Poly& p : parts) {
      terms.Define(p.AsAtom(), Le(1, p));
      terms.Define(p.AsAtom(), Implies(Not(last), Eq(all, parts[0] * parts[1] * parts[2])));
      terms.Define(p.AsAtom(),
                   Implies(last, And({Eq(all, parts[0] * parts[1]), Eq(parts[2], all)})));
    }
  }
  return parts[static_cast<size_t>(part)];
}

Poly HostWalk::Stretch(const ir::ShapePart& part) {
  if (!shapes_.count(part.tensor)) {
    const std::string text =
        fmt::format("prod({}[{}:{}])", part.tensor, part.from, part.to_end ? 64 : part.to);
    return Opaque("product " + text, text, Ty::kInt).number;
  }
  const TensorShape& shape = shapes_[part.tensor];
  if (!part.first && !part.last) return shape.Product(part.from, part.to, part.to_end);
  const bool from_front = !part.first && part.from == 0;
  const Poly first = part.first ? Int(part.first) : Poly(part.from),
             last = part.last ? Int(part.last) : Poly(part.to);
  if (from_front && part.last) return Along(part.tensor, last, 0);
  if (part.first && part.to_end) return Along(part.tensor, first - 1, 2);
  if (part.first && part.last && last == first + 1) return Along(part.tensor, first, 1);
  const std::string text = fmt::format("prod({}.shape[{}:{}])", part.tensor, to_.terms.Text(first),
                                       to_.terms.Text(last));
  const int atom = to_.terms.Named("extent " + text, {text, false, true});
  if (to_.terms.At(atom).defined.empty()) to_.terms.Define(atom, Le(1, Poly::Atom(atom)));
  return Poly::Atom(atom);
}

Poly HostWalk::ProductOf(const ir::Shape& shape) {
  Poly out = 1;
  for (const ir::ShapePart& part : shape)
    out = out * (part.value ? Int(part.value) : Stretch(part));
  return out;
}

Poly HostWalk::Elements(const HostTensor& t) {
  if (t.given) return shapes_[t.name].Elements();
  for (const ir::ShapePart& part : t.shape)
    if (part.value)
      Need("extent", Le(0, Int(part.value)), fmt::format("an extent of {} is at least 0", t.name));
  return ProductOf(t.shape);
}

// The largest multiple of the step that fits, at least one step.
Value HostWalk::Fit(const ir::Scalar& s) {
  const Poly most = Int(s.args[0]), step = Int(s.args[1]);
  const std::string name = fmt::format("fit({}, {})", to_.terms.Text(most), to_.terms.Text(step));
  Value v;
  v.number = Poly::Atom(to_.terms.Fresh({name, false, to_.terms.AtLeast0(step)}));
  const F counts = Le(1, step);
  facts_.push_back(Implies(
      counts, And({Le(step, v.number), Or({Eq(v.number, step), Lt(v.number, most + step)})})));
  facts_.push_back(Implies(Not(counts), Eq(v.number, most)));
  return v;
}

TensorSymbol HostWalk::Tensor(const std::string& name) {
  const HostTensor* t = program_.Tensor(name);
  const ir::HostParam* p = program_.Param(t && t->kind == HostTensor::kInplace ? t->of : name);
  TensorSymbol out;
  out.name = name;
  out.memory = p ? p->name : name;
  out.is_list = t ? t->is_list : p->is_list;
  if (out.is_list) {
    if (t && t->kind != HostTensor::kInplace)
      out.like = Like(t->of);
    else
      out.like = Like(out.memory);
    return out;
  }
  const base::Dtype dtype = t ? t->dtype : p->dtype;
  out.elements =
      (t && t->kind != HostTensor::kInplace ? Elements(*t) : shapes_[p->name].Elements()) *
      (dtype == base::Dtype::kComplex64 ? 2 : 1);
  return out;
}

void HostWalk::Launch(const HostStmt& s) {
  const ir::Kernel& kernel = program_.kernels[static_cast<size_t>(s.kernel)];
  LaunchSymbols launch{kernel, {},      s.lists, {}, to_.terms.Max(1, Int(s.value)),
                       facts_, s.place, program_};
  for (const std::string& name : s.tensors) launch.tensors.push_back(Tensor(name));
  for (size_t i = 0; i < s.scalars.size(); ++i) {
    Value v = Eval(s.scalars[i]);
    if (v.text.empty() && kernel.params[i].type != Ty::kInt) v.text = Text(s.scalars[i]);
    launch.scalars[kernel.params[i].name] = v;
  }
  launch.facts = facts_;
  ++to_.launches;
  to_.obligations.push_back(
      {"ub", s.place,
       fmt::format("the tiles of {} fit in UB: the host refuses other shapes", kernel.name), facts_,
       True()});
  WalkLaunch(launch, to_);
}

Walked Walk(const ir::Program& program, const Ranks& ranks) {
  Walked out;
  try {
    HostWalk(program, ranks, out).Run();
  } catch (const TooLarge&) {
    out.broken = "a coefficient does not fit 64 bits";
  }
  return out;
}

}  // namespace akgen::craft::prove
