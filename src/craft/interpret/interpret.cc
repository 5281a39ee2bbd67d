#include "craft/interpret/interpret.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

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
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, [](int64_t a, int64_t b) { return a * b; });
}

namespace {
// Memory of one GM tensor during a launch: who wrote and read each element since the last sync_all().
struct GmTensor {
  Tensor* tensor = nullptr;
  std::vector<int32_t> writer, reader;  // core + 1
  std::vector<uint8_t> written;         // ever
  bool fresh = false;                   // made by the host: nothing is there before a store
};
using GmMemory = std::map<Tensor*, GmTensor>;

class Core : public Scalars {
 public:
  Core(const ir::Kernel& k, std::vector<std::vector<Tensor*>> gms, GmMemory& memory, int64_t core, int64_t cores,
       bool bounds)
      : k_(k),
        gms_(std::move(gms)),
        memory_(memory),
        core_(core),
        cores_(cores),
        bounds_(bounds),
        buffers_(k.buffers.size()),
        filled_(k.buffers.size()) {}

  // A kernel may say that a tensor is smaller than it is, not larger.
  void CheckShapes(Place launch) {
    for (size_t g = 0; g < k_.gms.size(); ++g) {
      if (k_.gms[g].is_list || gms_[g].empty()) continue;
      int64_t said = 1;
      std::string shape;
      for (const S& d : k_.gms[g].dims) {
        int64_t n = Int(d);
        shape += fmt::format("{}{}", shape.empty() ? "" : ", ", n);
        if (n < 0 || (n > 0 && said > std::numeric_limits<int64_t>::max() / n))
          Fail("AK1532", fmt::format("{} is said to be [{}]", k_.gms[g].name, shape), launch);
        said *= n;
      }
      int64_t has = gms_[g][0]->Elements();
      if (said > has)
        Fail("AK1532", fmt::format("{} is said to be [{}], but has {} elements", k_.gms[g].name, shape, has), launch,
             "require() the shapes that go together");
    }
  }
  // Runs up to the next sync_all(). False: the kernel is over.
  bool Turn() {
    while (next_ < k_.body.size()) {
      const ir::Stmt& s = *k_.body[next_++];
      if (s.kind == ir::Stmt::kSync) return true;
      One(s);
    }
    return false;
  }

 private:
  double Real(double v) const override { return static_cast<float>(v); }

  Number Special(const ir::Scalar& s) override {
    if (s.text == "core") return core_;
    if (s.text == "cores") return cores_;
    size_t g = 0;
    while (g < k_.gms.size() && k_.gms[g].name != s.tensor) ++g;
    if (s.text == "count") return static_cast<int64_t>(gms_[g].size());
    if (s.text == "numel") return Element(g, Int(s.args[0]))->Elements();
    int64_t at = Int(s.args[0]);
    Tensor* t = Element(g, s.args.size() > 1 ? Int(s.args[1]) : 0);
    if (at < 0 || at >= t->Elements())
      Fail("AK1530", fmt::format("item() reads element {} of {}, which has {}", at, s.tensor, t->Elements()), {});
    TileData one = MakeTile(t->Seen(), 1, 1);
    ReadElement(one, 0, t->bytes.data() + at * base::SizeOf(t->Seen()));
    if (one.real()) return static_cast<double>(one.f[0]);
    return one.i[0];
  }
  Tensor* Element(size_t g, int64_t i) {
    if (i < 0 || i >= static_cast<int64_t>(gms_[g].size()))
      Fail("AK1530", fmt::format("{} has no tensor {}", k_.gms[g].name, i), {});
    return gms_[g][i];
  }

  void Block(const ir::Block& b) {
    for (const auto& s : b) One(*s);
  }
  void One(const ir::Stmt& s) {
    AtPlace here(s.place);
    switch (s.kind) {
      case ir::Stmt::kLet: env_[s.name] = Eval(s.value); return;
      case ir::Stmt::kIf: return Block(AsInt(Eval(s.value)) ? s.body : s.other);
      case ir::Stmt::kFor: {
        int64_t last = Int(s.last), step = Int(s.step);
        if (step <= 0) Fail("AK1530", "a loop with a step that is not positive", s.place);
        for (int64_t v = Int(s.first); v < last; v += step) {
          env_[s.name] = v;
          if (!s.count_name.empty()) env_[s.count_name] = std::min(step, last - v);
          Block(s.body);
        }
        return;
      }
      case ir::Stmt::kStage:
        for (const ir::Copy& c : s.copies) Move(c, s.stage == ir::StageKind::kCopyIn);
        return Compute(s);
      case ir::Stmt::kSync: return;
    }
  }

  void Move(const ir::Copy& c, bool in) {
    Tensor* t = Element(c.gm.gm, c.gm.list_index ? Int(c.gm.list_index) : 0);
    const ir::Gm& gm = k_.gms[c.gm.gm];
    for (size_t d = 0; d < c.gm.window.size(); ++d) {
      int64_t start = Int(c.gm.window[d].first), extent = Int(c.gm.window[d].second);
      int64_t dim = gm.is_list ? t->Elements() : Int(gm.dims[d]);
      if (start < 0 || extent < 0 || start + extent > dim)
        Fail("AK1530",
             fmt::format("the window [{}, {}) leaves dimension {} of {}, which has {}", start, start + extent, d,
                         gm.name, dim),
             c.gm.place, "take the smaller of the two ends: min(...)");
    }
    int64_t offset = Int(c.gm.offset), rows = Int(c.gm.rows), cols = Int(c.gm.cols), stride = Int(c.gm.row_stride);
    const ir::Buffer& b = k_.buffers[c.buffer];
    TileData& tile = buffers_[c.buffer];
    if (in) {
      if (rows > Int(b.rows) || cols > Int(b.cols))
        Fail("AK1530", fmt::format("{} is too small for [{}, {}]", b.name, rows, cols), c.gm.place);
      tile = MakeTile(b.dtype, rows, cols);
      filled_[c.buffer] = true;
    } else if (!filled_[c.buffer]) {
      Fail("AK1530", fmt::format("{} is stored before it was written", b.name), c.gm.place);
    }
    GmTensor& m = memory_[t];
    size_t size = base::SizeOf(b.dtype);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t j = 0; j < cols; ++j) {
        int64_t at = offset + r * stride + j;
        Touch(m, gm, at, in, c);
        if (in && m.fresh && !m.written[at])
          Fail("AK1530", fmt::format("element {} of {} is read before anything wrote it", at, gm.name), c.gm.place,
               "store into it first, sync_all() between if another core does");
        if (bounds_) MoveBound(*t, at, tile, r * cols + j, in, c.atomic_add);
        if (in) ReadElement(tile, r * cols + j, t->bytes.data() + at * size);
        else Put(tile, r * cols + j, t->bytes.data() + at * size, c.atomic_add);
      }
  }
  // Additions of several cores come in any order.
  static void MoveBound(Tensor& t, int64_t at, TileData& tile, int64_t n, bool in, bool add) {
    if (in) {
      if (!t.err.empty() && tile.e.empty()) tile.e.resize(tile.rows * tile.cols);
      if (!t.err.empty()) tile.e[n] = t.err[at];
      return;
    }
    float e = tile.e.empty() ? 0 : tile.e[n];
    if (add && tile.real()) {
      TileData old = MakeTile(t.Seen(), 1, 1);
      ReadElement(old, 0, t.bytes.data() + at * base::SizeOf(t.Seen()));
      float eps = t.Seen() == Dtype::kFloat32 ? 0x1p-23f : 0x1p-10f;
      e += eps * (std::fabs(old.f[0]) + std::fabs(tile.f[n]));
    }
    if (e == 0 && t.err.empty()) return;
    if (t.err.empty()) t.err.resize(t.Elements());
    t.err[at] = add ? t.err[at] + e : e;
  }
  void Put(const TileData& tile, int64_t n, uint8_t* to, bool add) {
    if (!add) return WriteElement(tile, n, to);
    TileData sum = MakeTile(tile.dtype, 1, 1);
    ReadElement(sum, 0, to);
    if (sum.real()) sum.f[0] += tile.f[n];
    else sum.i[0] += tile.i[n];
    WriteElement(sum, 0, to);
  }
  void Touch(GmTensor& m, const ir::Gm& gm, int64_t at, bool in, const ir::Copy& c) {
    int32_t me = static_cast<int32_t>(core_) + 1;
    int32_t w = m.writer[at], r = m.reader[at];
    bool clash = in ? (w && w != me) : !c.atomic_add && ((w && w != me) || (r && r != me));
    if (clash)
      Fail(
          "AK1531",
          fmt::format("core {} {} element {} of {}, core {} {} it: nothing orders them", core_, in ? "reads" : "writes",
                      at, gm.name, (w && w != me ? w : r) - 1, w && w != me ? "writes" : "reads"),
          c.gm.place, "give each core its own part, or put sync_all() between");
    if (in) {
      m.reader[at] = me;
    } else {
      m.writer[at] = me;
      m.written[at] = 1;
    }
  }

  void Compute(const ir::Stmt& s) {
    std::vector<TileData> tiles(s.values.size());
    for (size_t i = 0; i < s.values.size(); ++i) {
      const ir::Value& v = s.values[i];
      switch (v.op) {
        case ir::Op::kRead:
          if (!filled_[v.buffer])
            Fail("AK1530", fmt::format("{} is read before it was written", k_.buffers[v.buffer].name), v.place);
          tiles[i] = buffers_[v.buffer];
          break;
        case ir::Op::kSplat:
        case ir::Op::k_full:
        case ir::Op::k_iota: tiles[i] = Make(v); break;
        case ir::Op::kWrite: Write(v, tiles[v.args[0]]); break;
        default: {
          std::vector<const TileData*> args;
          for (int a : v.args) args.push_back(&tiles[a]);
          if (v.op == ir::Op::k_row_gather)
            for (int64_t at : args[1]->i)
              if (at < 0 || at >= args[0]->cols)
                Fail("AK1530", fmt::format("row_gather() takes element {} of rows that have {}", at, args[0]->cols),
                     v.place, "keep the places inside: minimum(maximum(i, 0), n - 1)");
          tiles[i] = v.numbers.empty() ? Evaluate(v, args, Int(v.rows), Int(v.cols))
                                       : Windows(v, *args[0], WindowNumbers(v), bounds_);
          if (bounds_ && v.numbers.empty()) AddBounds(v, args, tiles[i]);
        }
      }
    }
  }
  std::vector<int64_t> WindowNumbers(const ir::Value& v) {
    std::vector<int64_t> out;
    for (const ir::S& s : v.numbers) out.push_back(Int(s));
    if (std::any_of(out.begin(), out.end() - 1, [](int64_t n) { return n < 1; }))
      Fail("AK1530", "windows with an extent, a count or a distance below 1", v.place);
    return out;
  }
  TileData Make(const ir::Value& v) {
    TileData t = MakeTile(v.dtype, Int(v.rows), Int(v.cols));
    Number n = Eval(v.scalar);
    for (int64_t i = 0; i < t.rows * t.cols; ++i) {
      if (t.real()) t.f[i] = static_cast<float>(AsReal(n));
      else t.i[i] = AsInt(n) + (v.op == ir::Op::k_iota ? i : 0);
    }
    return t.real() ? CastTile(t, t.dtype) : t;
  }
  void Write(const ir::Value& w, const TileData& from) {
    TileData t = MakeTile(k_.buffers[w.buffer].dtype, Int(w.rows), Int(w.cols));
    for (int64_t r = 0; r < t.rows; ++r)
      for (int64_t c = 0; c < t.cols; ++c) {
        int64_t at = (from.rows == 1 ? 0 : r) * from.cols + (from.cols == 1 ? 0 : c);
        if (t.real()) t.f[r * t.cols + c] = from.f[at];
        else t.i[r * t.cols + c] = from.i[at];
        if (!from.e.empty()) t.e.resize(t.rows * t.cols);
        if (!from.e.empty()) t.e[r * t.cols + c] = from.e[at];
      }
    buffers_[w.buffer] = std::move(t);
    filled_[w.buffer] = true;
  }

  const ir::Kernel& k_;
  std::vector<std::vector<Tensor*>> gms_;
  GmMemory& memory_;
  int64_t core_, cores_;
  bool bounds_;
  std::vector<TileData> buffers_;
  std::vector<bool> filled_;
  size_t next_ = 0;
};

// An attribute travels as a float and means the shortest decimal number that gives this float: 0.9, not 0.899999976.
double Decimal(float v) {
  for (int digits = 1; digits < 9 && std::isfinite(v); ++digits) {
    std::string text = fmt::format("{:.{}g}", v, digits);
    if (std::strtof(text.c_str(), nullptr) == v) return std::strtod(text.c_str(), nullptr);
  }
  return v;
}

class Host : public Scalars {
 public:
  Host(const ir::Program& p, const LoweredProgram& lowered, const Arguments& args, const Limits& limits)
      : p_(p), lowered_(lowered), args_(args), limits_(limits) {
    inputs_ = args.tensors;
    for (const auto& [name, value] : args.attrs) env_[name] = value;
    for (const auto& param : p.params) {
      if (param.is_attr && param.fallback && !env_.count(param.name)) env_[param.name] = Eval(param.fallback);
      auto it = env_.find(param.name);
      if (it != env_.end() && param.is_attr && param.type == Ty::kFloat)
        it->second = Decimal(static_cast<float>(AsReal(it->second)));
    }
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
        else if (t.kind == HostTensor::kOutput) out.never_written += one.Elements();
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
    if (it == args_.given.end()) Fail("AK1532", fmt::format("the shape of output '{}' is not given", name), {});
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
      int64_t from = part.first ? Int(part.first) : part.from, to = part.last ? Int(part.last) : part.to;
      from = from < 0 ? std::max<int64_t>(0, from + rank) : std::min(from, rank);
      to = part.to_end ? rank : to < 0 ? to + rank : std::min(to, rank);
      for (int64_t i = from; i < to; ++i) out.push_back(dims[i]);
    }
    return out;
  }
  Number Special(const ir::Scalar& s) override {
    const std::string& f = s.text;
    if (f == "vector_cores" || f == "best_cores") return limits_.cores;
    if (f == "present") return !inputs_[s.tensor].empty();
    if (f == "count") return static_cast<int64_t>(inputs_[s.tensor].size());
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

  static int64_t Product(const std::vector<int64_t>& dims) {
    return std::accumulate(dims.begin(), dims.end(), int64_t{1}, [](int64_t a, int64_t b) { return Whole("*", a, b); });
  }

  Tensor Fresh(const HostTensor& made, const std::vector<int64_t>& shape) const {
    int64_t elements = 1;
    bool can = true;
    for (int64_t n : shape)
      can = can && n >= 0 && !__builtin_mul_overflow(elements, n, &elements) && elements <= limits_.elements;
    if (!can)
      Fail("AK1532", fmt::format("'{}' would have the shape [{}]", made.name, fmt::join(shape, ", ")), {},
           "compute shapes from those of the inputs");
    return {made.dtype, shape, std::vector<uint8_t>(static_cast<size_t>(elements) * base::SizeOf(made.dtype), 0xA5)};
  }
  void Make(const HostTensor& t) {
    if (t.kind == HostTensor::kInplace) return;
    auto& list = made_[t.name];
    if (t.is_list)
      for (const Tensor& like : inputs_[t.of]) list.push_back(Fresh(t, like.shape));
    else list.push_back(Fresh(t, t.given || args_.given.count(t.name) ? Dims(t.name) : ShapeOf(t.shape)));
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
          if (!AsInt(Eval(s->value))) Fail("AK1533", "require() does not hold for these inputs", s->place);
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
      if (used.count(kernel.params[i].name)) inner.env_[kernel.params[i].name] = Eval(launch.scalars[i]);
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
      if (UbBytes(*launch) <= limits_.ub_bytes) low = middle;
      else high = middle - 1;
    }
    return low * step;
  }

  void Launch(const HostStmt& s) {
    launched_ = true;
    if (UbBytes(s) > limits_.ub_bytes)
      Fail("AK1533", fmt::format("the kernel takes {} bytes of UB, there are {}", UbBytes(s), limits_.ub_bytes),
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
      running.push_back(std::make_unique<Core>(k, gms, memory_, c, cores, limits_.bounds));
      for (size_t i = 0; i < k.params.size(); ++i) {
        Number n = Eval(s.scalars[i]);
        running.back()->env_[k.params[i].name] = k.params[i].type == Ty::kFloat
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
  bool launched_ = false;
};
}  // namespace

base::Result<Outputs> Interpret(const ir::Program& p, const LoweredProgram& lowered, const Arguments& args) {
  return Interpret(p, lowered, args, Limits(lowered.target));
}

base::Result<Outputs> Interpret(const ir::Program& p, const LoweredProgram& lowered, const Arguments& args,
                                const Limits& limits) {
  try {
    return Host(p, lowered, args, limits).Run();
  } catch (Failed& f) { return f.error; }
}

}  // namespace akgen::craft
