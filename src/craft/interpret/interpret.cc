#include "craft/interpret/interpret.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "craft/interpret/core.h"
#include "craft/interpret/scalars.h"

namespace akgen::craft {
using base::Dtype;
using base::Error;
using ir::HostStmt;
using ir::HostTensor;
using ir::S;
using ir::SKind;
using ir::Ty;

int64_t Tensor::Numel() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1},
                         [](int64_t a, int64_t b) { return a * b; });
}

namespace {
class Host : public Scalars {
 public:
  Host(const ir::Program& p, const LoweredProgram& lowered, const Arguments& args,
       const Limits& limits)
      : p_(p), lowered_(lowered), args_(args), limits_(limits) {
    inputs_ = args.tensors;
    for (const auto& [name, value] : args.attrs) env_[name] = value;
    for (const auto& param : p.params) {
      if (param.is_attr && param.fallback && !env_.count(param.name))
        env_[param.name] = Eval(param.fallback);
      auto it = env_.find(param.name);
      if (it != env_.end() && param.is_attr && param.type == Ty::kFloat)
        it->second = double(static_cast<float>(AsReal(it->second)));  // as it travels
    }
  }

  bool Accepts() {
    launches_ = false;
    try {
      Block(p_.body);
    } catch (const Failed&) {
      return false;
    }
    return launched_;
  }

  Outputs Declare() {
    launches_ = false;
    auto tried = [&](const auto& f) {
      try {
        return f(), true;
      } catch (const Failed&) {
        return false;
      }
    };
    tried([&] { Block(p_.body); });
    Outputs out;
    for (const HostTensor& t : p_.tensors) {
      if (t.kind == HostTensor::kWorkspace) continue;
      if (t.kind != HostTensor::kInplace && !made_.count(t.name) && !tried([&] { Make(t); }))
        made_[t.name] = {Fresh(t, {1})};
      out.tensors.push_back(t.kind == HostTensor::kInplace ? inputs_[t.of] : made_[t.name]);
    }
    out.inputs = std::move(inputs_);
    return out;
  }

  Outputs Run() {
    for (const auto& param : p_.params)
      if (!param.is_attr && !inputs_.count(param.name))
        Fail("AK1532", fmt::format("input '{}' is not given", param.name), {});
    Block(p_.body);
    for (const HostTensor& t : p_.tensors)
      if (t.kind == HostTensor::kOutput && !made_.count(t.name)) Make(t);
    if (!launched_) Fail("AK1533", "the host function launches nothing for these inputs", {});
    Outputs out;
    for (const HostTensor& t : p_.tensors) {
      if (t.kind == HostTensor::kWorkspace) continue;
      auto& tensors = t.kind == HostTensor::kInplace ? inputs_[t.of] : made_[t.name];
      for (Tensor& one : tensors)
        if (auto it = memory_.find(&one); it != memory_.end() && t.kind == HostTensor::kOutput)
          out.never_written += std::count(it->second.written.begin(), it->second.written.end(), 0);
        else if (t.kind == HostTensor::kOutput)
          out.never_written += one.Elements();
      out.tensors.push_back(tensors);
    }
    out.inputs = std::move(inputs_);
    return out;
  }

 private:
  const Tensor& Input(const std::string& name) {
    auto it = inputs_.find(name);
    if (it == inputs_.end() || it->second.empty())
      Fail("AK1532", fmt::format("input '{}' is absent", name), {}, "ask present() first");
    return it->second[0];
  }
  // Of an input, an attribute that is a list, or an output that the caller shapes.
  const std::vector<int64_t>& Dims(const std::string& name) {
    if (auto it = args_.int_lists.find(name); it != args_.int_lists.end()) return it->second;
    const HostTensor* t = p_.Tensor(name);
    if (!t) return Input(name).shape;
    auto it = args_.given.find(name);
    if (it == args_.given.end())
      Fail("AK1532", fmt::format("the shape of output '{}' is not given", name), {});
    return it->second;
  }
  std::vector<int64_t> ShapeOf(const ir::Shape& shape) {
    std::vector<int64_t> out;
    for (const ir::ShapePart& part : shape) {
      if (part.value) {
        out.push_back(Int(part.value));
        continue;
      }
      const auto& dims = Dims(part.tensor);
      int64_t rank = static_cast<int64_t>(dims.size());
      int64_t from = part.first ? Int(part.first) : part.from,
              to = part.last ? Int(part.last) : part.to;
      from = from < 0 ? std::max<int64_t>(0, from + rank) : std::min(from, rank);
      to = part.to_end ? rank : to < 0 ? to + rank : std::min(to, rank);
      for (int64_t i = from; i < to; ++i) out.push_back(dims[i]);
    }
    return out;
  }
  Number Special(const ir::Scalar& s) override {
    const std::string& f = s.text;
    if (f == "cube_cores" || (f == "best_cores" && p_.HasCube())) return lowered_.target.cube_cores;
    if (f == "vector_cores" || f == "best_cores") return limits_.cores;
    // Sizes of blocks are not seen in a result: small ones, so that small shapes have several.
    if (f == "block_rows") return std::clamp<int64_t>(Int(s.args[0]), 1, 64);
    if (f == "block_cols") return std::clamp<int64_t>(Int(s.args[1]), 1, 64);
    if (f == "length") return static_cast<int64_t>(List(s.tensor).size());
    if (f == "before") return Before(s);
    if (f == "present") return !inputs_[s.tensor].empty();
    if (f == "count") return static_cast<int64_t>(inputs_[s.tensor].size());
    if (f == "alike")
      return std::ranges::equal(inputs_[s.tensor], inputs_[s.args[0]->text], {}, &Tensor::Numel,
                                &Tensor::Numel);
    if (f == "is_dtype") return p_.Param(s.tensor)->dtype == *ir::DtypeFromShort(s.args[0]->text);
    if (f == "numel") return Product(Dims(s.tensor));
    if (f == "dim") {
      const auto& dims = Dims(s.tensor);
      int64_t i = Int(s.args[0]);
      if (i < 0) i += static_cast<int64_t>(dims.size());
      return i >= 0 && i < static_cast<int64_t>(dims.size()) ? dims[i] : int64_t{1};
    }
    std::vector<int64_t> dims = ShapeOf(s.shape);
    if (f == "len") return static_cast<int64_t>(dims.size());
    return Product(dims);
  }

  const std::vector<int64_t>& List(const std::string& name) const {
    static const std::vector<int64_t> kNone;
    auto it = args_.int_lists.find(name);
    return it == args_.int_lists.end() ? kNone : it->second;
  }
  int64_t Before(const ir::Scalar& s) {
    const int64_t pieces = Int(s.args[0]);
    int64_t sum = 0;
    for (int64_t i = 0; i < pieces; ++i) {
      int64_t size = 1;
      for (size_t l = 1; l < s.args.size(); ++l) {
        const std::vector<int64_t>& list = List(s.args[l]->text);
        if (i >= static_cast<int64_t>(list.size()))
          Fail("AK1533", "before() more pieces than the list has", {});
        size = Whole("*", size, list[static_cast<size_t>(i)]);
      }
      sum = Whole("+", sum, size);
    }
    return sum;
  }

  static int64_t Product(const std::vector<int64_t>& dims) {
    return std::accumulate(dims.begin(), dims.end(), int64_t{1},
                           [](int64_t a, int64_t b) { return Whole("*", a, b); });
  }

  Tensor Fresh(const HostTensor& made, const std::vector<int64_t>& shape) const {
    int64_t elements = 1;
    bool can = true;
    for (int64_t n : shape)
      can = can && n >= 0 && !__builtin_mul_overflow(elements, n, &elements) &&
            elements <= limits_.elements;
    if (!can)
      Fail("AK1532",
           fmt::format("'{}' would have the shape [{}]", made.name, fmt::join(shape, ", ")), {},
           "compute shapes from those of the inputs");
    return {made.dtype, shape,
            std::vector<uint8_t>(static_cast<size_t>(elements) * base::SizeOf(made.dtype), 0xA5)};
  }
  void Make(const HostTensor& t) {
    if (t.kind == HostTensor::kInplace) return;
    auto& list = made_[t.name];
    if (t.is_list)
      for (const Tensor& like : inputs_[t.of]) list.push_back(Fresh(t, like.shape));
    else
      list.push_back(
          Fresh(t, t.given || args_.given.count(t.name) ? Dims(t.name) : ShapeOf(t.shape)));
  }
  std::vector<Tensor>& Memory(const std::string& name) {
    const HostTensor* t = p_.Tensor(name);
    if (!t) return inputs_[name];
    if (t->kind == HostTensor::kInplace) return inputs_[t->of];
    if (!made_.count(name)) Make(*t);
    return made_[name];
  }

  void Block(const ir::HostBlock& b) {
    for (size_t n = 0; n < b.size(); ++n) {
      const auto& s = b[n];
      AtPlace here(s->place);
      switch (s->kind) {
        case HostStmt::kLet: {
          bool fit = s->value->kind == SKind::kCall && s->value->text == "fit";
          env_[s->name] = fit ? Number(Fit(*s, ir::LaunchWith(b, n + 1, s->name))) : Eval(s->value);
          break;
        }
        case HostStmt::kIf: Block(AsInt(Eval(s->value)) ? s->body : s->other); break;
        case HostStmt::kRequire:
          if (!AsInt(Eval(s->value)))
            Fail("AK1533", "require() does not hold for these inputs", s->place);
          break;
        case HostStmt::kLaunch: Launch(*s); break;
      }
    }
  }

  // An expression over a kernel's parameters alone.
  struct OverParams : Scalars {
    Number Special(const ir::Scalar& s) override {
      Fail("AK1532", fmt::format("{} in the size of a tile", s.text), {});
    }
  };
  int64_t UbBytes(const HostStmt& launch) {
    OverParams inner;
    const auto& kernel = p_.kernels[launch.kernel];
    std::set<std::string> used;
    ir::Variables(lowered_.kernels[launch.kernel].ub_bytes, used);
    for (size_t i = 0; i < kernel.params.size(); ++i)
      if (used.count(kernel.params[i].name))
        inner.env_[kernel.params[i].name] = Eval(launch.scalars[i]);
    return inner.Int(lowered_.kernels[launch.kernel].ub_bytes);
  }
  // The largest tile for `launch`, the first one that takes it.
  int64_t Fit(const HostStmt& s, const HostStmt* launch) {
    int64_t most = Int(s.value->args[0]), step = Int(s.value->args[1]);
    if (!launch || step <= 0) return most;
    int64_t low = 1, high = std::max<int64_t>(1, (most + step - 1) / step);
    while (low < high) {
      int64_t middle = low + (high - low + 1) / 2;
      env_[s.name] = middle * step;
      if (UbBytes(*launch) <= limits_.ub_bytes)
        low = middle;
      else
        high = middle - 1;
    }
    return low * step;
  }

  // The lists of integers that a launch gives away.
  Core::Lists ListsOf(const HostStmt& s) const {
    Core::Lists out;
    for (const std::string& name : s.lists) {
      out.push_back(List(name));
      const bool fits = out.back().size() <= ir::kMaxItems &&
                        std::ranges::all_of(out.back(), [](int64_t n) { return n >= 0; });
      if (!fits)
        Fail("AK1533",
             fmt::format("{} is given to a kernel: at most {} numbers, none negative", name,
                         ir::kMaxItems),
             s.place);
    }
    return out;
  }

  void Launch(const HostStmt& s) {
    const Core::Lists lists = ListsOf(s);
    launched_ = true;
    if (!launches_) return;
    if (UbBytes(s) > limits_.ub_bytes)
      Fail("AK1533",
           fmt::format("the kernel takes {} bytes of UB, there are {}", UbBytes(s),
                       limits_.ub_bytes),
           s.place, "take smaller tiles: fit(...)");
    const ir::Kernel& k = p_.kernels[s.kernel];
    std::vector<std::vector<Tensor*>> gms;
    for (const std::string& name : s.tensors) {
      gms.emplace_back();
      for (Tensor& t : Memory(name)) {
        gms.back().push_back(&t);
        GmTensor& m = memory_[&t];
        m.tensor = &t;
        m.fresh = p_.Tensor(name) && p_.Tensor(name)->kind != HostTensor::kInplace;
        m.writer.assign(t.Elements(), 0);
        m.reader.assign(t.Elements(), 0);
        if (m.written.empty()) m.written.assign(t.Elements(), 0);
      }
    }
    int64_t cores = std::max<int64_t>(1, Int(s.value));
    std::vector<std::unique_ptr<Core>> running;
    for (int64_t c = 0; c < cores; ++c) {
      running.push_back(std::make_unique<Core>(k, gms, lists, memory_, c, cores, limits_.bounds));
      for (size_t i = 0; i < k.params.size(); ++i) {
        Number n = Eval(s.scalars[i]);
        running.back()->env_[k.params[i].name] =
            k.params[i].type == Ty::kFloat
                ? Number(static_cast<double>(static_cast<float>(AsReal(n))))
                : Number(AsInt(n));
      }
    }
    if (!running.empty()) running[0]->CheckShapes(s.place);
    for (bool more = true; more;) {
      more = false;
      for (auto& c : running) more |= c->Turn();
      for (auto& [t, m] : memory_) {
        std::fill(m.writer.begin(), m.writer.end(), 0);
        std::fill(m.reader.begin(), m.reader.end(), 0);
      }
    }
  }

  const ir::Program& p_;
  const LoweredProgram& lowered_;
  const Arguments& args_;
  Limits limits_;
  std::map<std::string, std::vector<Tensor>> inputs_, made_;
  GmMemory memory_;
  bool launched_ = false, launches_ = true;
};
}  // namespace

Outputs Declared(const ir::Program& p, const LoweredProgram& lowered, const Arguments& args,
                 const Limits& limits) {
  return Host(p, lowered, args, limits).Declare();
}

bool HostAccepts(const ir::Program& p, const LoweredProgram& lowered, const Arguments& args) {
  return Host(p, lowered, args, Limits(lowered.target)).Accepts();
}

base::Result<Outputs> Interpret(const ir::Program& p, const LoweredProgram& lowered,
                                const Arguments& args) {
  return Interpret(p, lowered, args, Limits(lowered.target));
}

base::Result<Outputs> Interpret(const ir::Program& p, const LoweredProgram& lowered,
                                const Arguments& args, const Limits& limits) {
  try {
    return Host(p, lowered, args, limits).Run();
  } catch (Failed& f) {
    return f.error;
  }
}

}  // namespace akgen::craft
