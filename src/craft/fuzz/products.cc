// Random programs with products: blocks of one product or the sum of two, batches, K in parts, a
// row that is added, work on the way out of L0C, tiles handed over to the Vector cores, sums that a
// second launch reads, products of several sizes that lists of integers say.
#include <fmt/format.h>

#include <array>

#include "craft/fuzz/generate.h"
#include "craft/fuzz/random_stage.h"

namespace akgen::craft {
namespace {
int RandomExtent(Rng& rng) {
  static constexpr std::array<int, 14> kExtents = {1,  2,  7,  15, 16,  17,  31,
                                                   32, 33, 40, 64, 100, 129, 140};
  return kExtents[size_t(rng.Below(14))];
}

int RandomDepth(Rng& rng) {
  static constexpr std::array<int, 14> kDepths = {1,  3,  8,   15,  16,  17,  32,
                                                  33, 64, 100, 130, 200, 300, 520};
  return kDepths[size_t(rng.Below(14))];
}

// Rows of the sums as a second launch reads them.
std::string RowsKernel(const std::string& sums, const RandomStage& stage, const Val& v) {
  return fmt::format(
      "@kernel\ndef rows(x: gm[lines, n], y: gm[lines, n], lines, n, per_core, tile):\n"
      "    x_ub = ub(tile, n, dtype={})\n    y_ub = ub(tile, n, dtype=y.dtype)\n"
      "    first = core() * per_core\n"
      "    for r, q in tiles(first, min(first + per_core, lines), tile):\n"
      "        with copyin: load(x_ub, x[r : r + q, :])\n        with compute:\n{}"
      "            y_ub[:] = {}\n        with copyout: store(y[r : r + q, :], y_ub)\n",
      sums, stage.text, v.name);
}

std::string RowsLaunch() {
  return "    per_core = ceil_div(lines, vector_cores())\n    tile = fit(per_core)\n"
         "    rows[ceil_div(lines, per_core)](sums, y, lines, n, per_core, tile)\n    return y\n";
}

class ProductWriter {
 public:
  ProductWriter(uint64_t seed, uint64_t index) : rng_(seed ^ 0x70726f64, index) {}

  RandomProgram Run() {
    static const char* const kDtypes[] = {"f16", "f16", "bf16", "f32", "i8"};
    dtype_ = rng_.Of(kDtypes);
    m_ = RandomExtent(rng_), n_ = RandomExtent(rng_), k_ = RandomDepth(rng_);
    batch_ = rng_.Chance(30) ? 1 + rng_.Below(4) : 0;
    Operands();
    Sizes();
    const int kind = rng_.Below(100);
    if (kind < 35) return OnTheWay();
    if (kind < 65) return HandedOver();
    if (kind < 78) return OfGroups();
    return kind < 89 ? InParts() : ThroughMemory();
  }

 private:
  bool Whole() const { return dtype_ == "i8"; }
  std::string Tensor(const std::string& dtype, const std::string& shape) {
    std::string t = dtype + "[" + shape + "]";
    if (!Whole() && rng_.Chance(20)) t += "{0.01,2}";
    if (!Whole() && rng_.Chance(6)) t += "!";
    return t;
  }

  // The two sides: their tensors, and a product of the windows of a block.
  void Operands() {
    left_t_ = rng_.Chance(30), right_t_ = rng_.Chance(30);
    const std::string b = batch_ ? "batch, " : "", bn = batch_ ? fmt::format("{}, ", batch_) : "";
    host_params_ = fmt::format("a: tensor({0})[{1}{2}], b: tensor({0})[{1}{3}]", dtype_, b,
                               left_t_ ? "k, m" : "m, k", right_t_ ? "n, k" : "k, n");
    inputs_ = "a=" + Tensor(dtype_, bn + (left_t_ ? fmt::format("{}, {}", k_, m_)
                                                  : fmt::format("{}, {}", m_, k_)));
    inputs_ += " b=" + Tensor(dtype_, bn + (right_t_ ? fmt::format("{}, {}", n_, k_)
                                                     : fmt::format("{}, {}", k_, n_)));
    params_ = fmt::format("a: gm[{0}{1}], b: gm[{0}{2}]", b, left_t_ ? "k, m" : "m, k",
                          right_t_ ? "n, k" : "k, n");
    args_ = "a, b";
  }
  std::string Multiplied(const std::string& depth) const {
    const std::string t = batch_ ? "t, " : "";
    return (left_t_ ? fmt::format("a[{}{}, i : i + h].T", t, depth)
                    : fmt::format("a[{}i : i + h, {}]", t, depth)) +
           " @ " +
           (right_t_ ? fmt::format("b[{}j : j + w, {}].T", t, depth)
                     : fmt::format("b[{}{}, j : j + w]", t, depth));
  }

  void Sizes() {
    static constexpr std::array<int, 5> kSizes = {16, 32, 48, 64, 128};
    sizes_ = rng_.Chance(70)
                 ? fmt::format("    tm, tn = block({}m, n, k)\n", batch_ ? "batch * " : "")
                 : fmt::format("    tm = {}\n    tn = {}\n", kSizes[size_t(rng_.Below(5))],
                               kSizes[size_t(rng_.Below(5))]);
    over_ = batch_ ? ", over=[batch]" : "";
    if (rng_.Chance(25)) order_ = fmt::format(", order={}", rng_.Chance(50) ? 3 : -2);
  }
  std::string Loop() const {
    return fmt::format("    for {}i, h, j, w in blocks(m, tm, n, tn{}{}):\n", batch_ ? "t, " : "",
                       over_, order_);
  }
  // One product, or the sum of two halves of K.
  std::string Sums() {
    if (!Whole() && rng_.Chance(15)) {  // a row that is added
      const std::string row = dtype_ == "bf16" ? "f32" : dtype_;
      host_params_ += fmt::format(", row: tensor({})[n]", row);
      inputs_ += " row=" + Tensor(row, std::to_string(n_));
      params_ += ", row: gm[n]", args_ += ", row";
      return "        with cube: c[:] = " + Multiplied(":") + " + row[j : j + w]\n";
    }
    if (rng_.Chance(25)) {
      const std::string in = "            ";
      return "        with cube:\n" + in + "c[:] = " + Multiplied("0 : k // 2") + "\n" + in +
             "c[:] += " + Multiplied("k // 2 : k") + "\n";
    }
    return "        with cube: c[:] = " + Multiplied(":") + "\n";
  }
  std::string Output() const { return batch_ ? "batch, m, n" : "m, n"; }
  std::string Place() const { return fmt::format("{}i : i + h, j : j + w", batch_ ? "t, " : ""); }
  // The kernel's other names are extents of its tensors.
  RandomProgram Finish(const std::string& kernels, const std::string& host,
                       const std::string& attributes = "") {
    return {
        fmt::format("{}\n\n@host\ndef fuzz({}{}):\n{}", kernels, host_params_, attributes, host),
        inputs_};
  }
  std::string Accumulator() const {
    return fmt::format("    c = acc(tm, tn{})\n", Whole() ? ", dtype=i32" : "");
  }

  RandomProgram OnTheWay() {
    static const char* const kReal[] = {"f16", "bf16", "f32"};
    const bool scaled = Whole() && rng_.Chance(50);
    const std::string out = !Whole() ? rng_.Of(kReal) : scaled ? "f16" : "i32";
    std::string value = scaled ? "c * s" : "c";
    if ((!Whole() || scaled) && rng_.Chance(40)) value = "relu(" + value + ")";
    const std::string sums = Sums();
    std::string kernel = fmt::format("@kernel\ndef work({}, y: gm[{}], tm, tn{}):\n", params_,
                                     Output(), scaled ? ", s" : "");
    kernel += Accumulator() + Loop() + sums +
              fmt::format("        with copyout: store(y[{}], {})\n", Place(), value);
    if (scaled) inputs_ += fmt::format(" s={}", rng_.Chance(50) ? "0.25" : "0.013");
    return Finish(kernel,
                  fmt::format("    y = empty([{}], {})\n{}    work[best_cores()]({}, y, tm, tn{})\n"
                              "    return y\n",
                              Output(), out, sizes_, args_, scaled ? ", s" : ""),
                  scaled ? ", s: float" : "");
  }

  RandomStage Stage(const std::string& rows, const std::string& cols) {
    RandomStage stage(rng_, rows, cols, "v");
    stage.rows_alone = true;
    return stage;
  }
  std::string OutputDtype(const Val& v) {
    static const char* const kReal[] = {"f32", "f16", "bf16"};
    return v.type == 'b' ? "bool" : v.type == 'l' ? "i64" : v.type == 'i' ? "i32" : rng_.Of(kReal);
  }

  RandomProgram HandedOver() {
    const std::string in = "            ", sums = Sums();
    RandomStage stage = Stage("h", "w");
    stage.values.push_back({"x", Whole() ? 'i' : 'f'});
    std::string buffers = fmt::format("    x = ub(tm, tn, dtype={})\n", Whole() ? "i32" : "f32"),
                loads;
    struct Operand {
      const char *name, *shape, *gm, *window, *ub;
      bool one_row, one_col;
    };
    static constexpr Operand kOperands[] = {
        {"old", "m, n", "m, n", "i : i + h, j : j + w", "tm, tn", false, false},
        {"scale", "n", "n", "j : j + w", "1, tn", true, false},
        {"token", "m, 1", "m, 1", "i : i + h, :", "tm, 1", false, true}};
    for (const Operand& o : kOperands) {
      if (!rng_.Chance(35)) continue;
      static const char* const kOf[] = {"f32", "f16", "bf16"};
      const std::string dtype = rng_.Of(kOf), name = o.name;
      const bool row = o.one_row, column = o.one_col;
      host_params_ += fmt::format(", {}: tensor({})[{}]", name, dtype, o.shape);
      inputs_ += fmt::format(" {}={}[{}]", name, dtype,
                             row      ? fmt::format("{}", n_)
                             : column ? fmt::format("{}, 1", m_)
                                      : fmt::format("{}, {}", m_, n_));
      params_ += fmt::format(", {}: gm[{}]", name, o.gm), args_ += ", " + name;
      buffers += fmt::format("    {0}_ub = ub({1}, dtype={0}.dtype)\n", name, o.ub);
      loads += fmt::format("{0}load({1}_ub, {1}[{2}])\n", in, name, o.window);
      stage.values.push_back({name + "_ub", 'f', row, column});
    }
    // Numbers of a block, and what joins the elements of its rows, show its size: that has to be
    // given.
    stage.elements_alone = sizes_.find("block(") != std::string::npos;
    if (rng_.Chance(50) && !stage.elements_alone) stage.ints = {"i", "h", "j"};
    stage.Grow(1 + rng_.Below(6), in);
    const Val v = stage.Pick(false, false, in);
    const std::string out = OutputDtype(v);
    std::string kernel =
        fmt::format("@kernel\ndef work({}, y: gm[{}], tm, tn):\n", params_, Output());
    kernel += Accumulator() + buffers + "    y_ub = ub(tm, tn, dtype=y.dtype)\n" + Loop() + sums;
    if (!loads.empty()) kernel += "        with copyin:\n" + loads;
    kernel += fmt::format(
        "        with handover: move(x, c)\n        with compute:\n{}{}y_ub[:] = {}\n"
        "        with copyout: store(y[{}], y_ub)\n",
        stage.text, in, v.name, Place());
    return Finish(kernel,
                  fmt::format("    y = empty([{}], {})\n{}    work[best_cores()]({}, y, tm, "
                              "tn)\n    return y\n",
                              Output(), out, sizes_, args_));
  }

  // Products whose matrices lie flat, one behind the other, with as many rows, columns and depths
  // as three lists say; some of them have none.
  RandomProgram OfGroups() {
    const bool moved = rng_.Chance(50);
    int64_t a = 0, b = 0, y = 0;
    std::string lists[3];
    for (int groups = 1 + rng_.Below(5), g = 0; g < groups; ++g) {
      const int sizes[] = {rng_.Chance(10) ? 0 : RandomExtent(rng_),
                           rng_.Chance(10) ? 0 : RandomDepth(rng_),
                           rng_.Chance(10) ? 0 : RandomExtent(rng_)};
      for (size_t i = 0; i < 3; ++i) lists[i] += fmt::format("{}{}", g ? "," : "", sizes[i]);
      a += int64_t{sizes[0]} * sizes[1], b += int64_t{sizes[1]} * sizes[2];
      y += int64_t{sizes[0]} * sizes[2];
    }
    // Extents of 0 are no shapes of tensors.
    a += 3, b += 3, y += 3;
    inputs_ = fmt::format("a={} b={} y={}[{}] ms={} ks={} ns={}", Tensor(dtype_, std::to_string(a)),
                          Tensor(dtype_, std::to_string(b)), Whole() ? "i32" : "f32", y, lists[0],
                          lists[1], lists[2]);
    host_params_ = fmt::format("a: tensor({0})[p], b: tensor({0})[q], y: tensor({1})[r]", dtype_,
                               Whole() ? "i32" : "f32");
    std::string kernel =
        "@kernel\ndef work(a: gm[p], b: gm[q], y: gm[r], ms: ints, ks: ints, "
        "ns: ints, tm, tn):\n" +
        Accumulator();
    if (moved)
      kernel += fmt::format(
          "    x, old, y_ub = ub(tm, tn, dtype={0}), ub(tm, tn, dtype={0}), "
          "ub(tm, tn, dtype={0})\n",
          Whole() ? "i32" : "f32");
    kernel += fmt::format("    for g, i, h, j, w in blocks(ms, tm, ns, tn{}):\n", order_);
    kernel +=
        "        m, k, n = ms[g], ks[g], ns[g]\n"
        "        at_a, at_b, at_y = before(g, ms, ks), before(g, ks, ns), before(g, ms, ns)\n";
    kernel += fmt::format(
        "        left = a[at_a : at_a + m * k].view({})\n"
        "        right = b[at_b : at_b + k * n].view({})\n"
        "        out = y[at_y : at_y + m * n].view(m, n)\n",
        left_t_ ? "k, m" : "m, k", right_t_ ? "n, k" : "k, n");
    kernel += fmt::format("        with cube: c[:] = {} @ {}\n",
                          left_t_ ? "left[:, i : i + h].T" : "left[i : i + h, :]",
                          right_t_ ? "right[j : j + w, :].T" : "right[:, j : j + w]");
    if (moved)
      kernel +=
          "        with copyin: load(old, out[i : i + h, j : j + w])\n"
          "        with handover: move(x, c)\n"
          "        with compute: y_ub[:] = x + old\n"
          "        with copyout: store(out[i : i + h, j : j + w], y_ub)\n";
    else
      kernel += "        with copyout: store(out[i : i + h, j : j + w], c)\n";
    return Finish(kernel,
                  fmt::format("    g = len(ms)\n"
                              "    require(before(g, ms, ks) <= p and before(g, ks, ns) <= q)\n"
                              "    require(before(g, ms, ns) <= r)\n{}"
                              "    work[best_cores()](a, b, y, ms, ks, ns, tm, tn)\n",
                              sizes_.find("block(") == std::string::npos
                                  ? sizes_
                                  : "    tm, tn = block(before(g, ms), before(g, ns), "
                                    "before(g, ks))\n"),
                  ", ms: ints, ks: ints, ns: ints");
  }

  RandomProgram ThroughMemory() {
    const std::string between = Whole()           ? "i32"
                                : rng_.Chance(50) ? "f32"
                                                  : "f16",
                      in = "            ";
    RandomStage stage = Stage("q", "n");
    stage.values.push_back({"x_ub", Whole() ? 'i' : 'f'});
    stage.Grow(1 + rng_.Below(6), in);
    const Val v = stage.Pick(false, false, in);
    const std::string out = OutputDtype(v), sums = Sums();
    std::string kernels =
        fmt::format("@kernel\ndef work({}, y: gm[{}], tm, tn):\n", params_, Output()) +
        Accumulator() + Loop() + sums +
        fmt::format("        with copyout: store(y[{}], c)\n\n\n", Place()) +
        RowsKernel("x.dtype", stage, v);
    return Finish(kernels, fmt::format("    y = empty([{0}], {1})\n    lines = {2}m\n"
                                       "    sums = workspace([{0}], {3})\n{4}"
                                       "    work[best_cores()]({5}, sums, tm, tn)\n{6}",
                                       Output(), out, batch_ ? "batch * " : "", between, sizes_,
                                       args_, RowsLaunch()));
  }

  // K in parts, which a second launch adds.
  RandomProgram InParts() {
    const std::string t = batch_ ? "t, " : "", b = batch_ ? "batch, " : "";
    const int parts = 2 + rng_.Below(3);
    std::string kernels = fmt::format(
        "@kernel\ndef work({}, part: gm[parts, {}], k, parts, depth, tm, tn):\n{}"
        "    for s, {}i, h, j, w in blocks(m, tm, n, tn, over=[parts{}]{}):\n"
        "        first = s * depth\n        last = min(first + depth, k)\n"
        "        with cube: c[:] = {}\n"
        "        with copyout: store(part[s, {}], c)\n\n\n",
        params_, Output(), Accumulator(), t, batch_ ? ", batch" : "", order_,
        Multiplied("first:last"), Place());
    kernels += fmt::format(
        "@kernel\ndef add(part: gm[parts, total], y: gm[total], parts, total, per_core, tile):\n"
        "    x, y_ub = ub(tile, dtype=part.dtype), ub(tile, dtype=y.dtype)\n"
        "    sum = ub(tile, dtype=part.dtype)\n    first = core() * per_core\n"
        "    for i, n in tiles(first, min(first + per_core, total), tile):\n"
        "        with compute: sum[:] = full(1, n, {})\n        for s in range(parts):\n"
        "            with copyin: load(x, part[s, i : i + n])\n"
        "            with compute: sum[:] = sum + x\n"
        "        with compute: y_ub[:] = sum * 1\n"
        "        with copyout: store(y[i : i + n], y_ub)\n",
        Whole() ? "0" : "0.0");
    static const char* const kReal[] = {"f16", "bf16", "f32"};
    return Finish(
        kernels,
        fmt::format("    y = empty([{0}], {1})\n    depth = max(16, align(ceil_div(k, {2}), 16))\n"
                    "    parts = ceil_div(k, depth)\n    sums = workspace([parts, {0}], {3})\n{4}"
                    "    work[best_cores()]({5}, sums, k, parts, depth, tm, tn)\n"
                    "    total = {6}m * n\n"
                    "    per_core = align(ceil_div(total, vector_cores()), 64)\n"
                    "    tile = fit(per_core, 64)\n"
                    "    add[vector_cores()](sums, y, parts, total, per_core, tile)\n"
                    "    return y\n",
                    Output(), Whole() ? "i32" : rng_.Of(kReal), parts, Whole() ? "i32" : "f32",
                    sizes_, args_, batch_ ? "batch * " : ""));
  }

  Rng rng_;
  std::string dtype_, host_params_, inputs_, params_, args_, sizes_, over_, order_;
  int m_ = 1, n_ = 1, k_ = 1, batch_ = 0;
  bool left_t_ = false, right_t_ = false;
};
}  // namespace

RandomProgram GenerateProduct(uint64_t seed, uint64_t index) {
  return ProductWriter(seed, index).Run();
}

}  // namespace akgen::craft
