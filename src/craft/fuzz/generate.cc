#include "craft/fuzz/generate.h"

#include <fmt/format.h>

#include <array>

#include "craft/fuzz/random_stage.h"

namespace akgen::craft {
namespace {
char TypeOf(const std::string& dtype) {
  return dtype == "bool"                      ? 'b'
         : dtype == "i64"                     ? 'l'
         : dtype[0] == 'i' || dtype[0] == 'u' ? 'i'
                                              : 'f';
}

class Writer {
 public:
  Writer(uint64_t seed, uint64_t index) : rng_(seed, index) {}

  RandomProgram Run() {
    int kind = rng_.Below(100);
    if (kind < 42) return Rows();
    if (kind < 50) return Windows();
    if (kind < 72) return Flat();
    if (kind < 88) return LongRows();
    return kind < 94 ? Cores() : List();
  }

 private:
  std::string InputDtype() {
    static const char* const kDtypes[] = {"f32", "f32", "f32", "f16", "f16", "bf16", "i32",
                                          "i32", "i16", "i8",  "u8",  "i64", "bool"};
    return rng_.Of(kDtypes);
  }
  // A dtype that a value of this class can be written as, and the text that makes it so.
  std::string OutputDtype(const Val& v, std::string& value) {
    static const char* const kReal[] = {"f32", "f32", "f16", "bf16"};
    static const char* const kWhole[] = {"i32", "i32", "i16", "i8", "u8", "i64"};
    value = v.name;
    if (v.type == 'b') return "bool";
    if (v.type == 'l') return rng_.Chance(80) ? "i64" : "i32";
    if (v.type == 'i') return rng_.Chance(80) ? rng_.Of(kWhole) : rng_.Of(kReal);
    if (rng_.Chance(85)) return rng_.Of(kReal);
    std::string d = rng_.Of(kWhole);
    value = fmt::format("cast({}, {})", v.name, d);
    return d;
  }
  int Extent() {
    static constexpr std::array<int, 16> kExtents = {1,  2,  3,  5,  7,  8,  9,  15,
                                                     16, 17, 31, 32, 33, 40, 64, 100};
    return kExtents[rng_.Below(16)];
  }
  std::string Tensor(const std::string& dtype, const std::string& shape) {
    std::string t = dtype + shape;
    bool real = TypeOf(dtype) == 'f';
    if (real && rng_.Chance(20))
      t += "{0.01,2}";
    else if (!real && dtype != "bool" && rng_.Chance(20))
      t += "{0,3}";
    if (rng_.Chance(12)) t += "!";
    return t;
  }
  // Attributes: how the host takes them, the launch passes them, a case gives them.
  void Attributes(RandomStage& c) {
    if (rng_.Chance(35)) {
      c.floats.push_back("a");
      host_params_ += ", a: float = 0.75";
      if (rng_.Chance(50)) inputs_ += fmt::format(" a={}", rng_.Of(kFloats));
      params_ += ", a", launch_ += ", a";
    }
    if (rng_.Chance(25)) {
      c.ints.push_back("m");
      host_params_ += ", m: int = 3";
      if (rng_.Chance(50)) inputs_ += fmt::format(" m={}", rng_.Of(kInts));
      params_ += ", m", launch_ += ", m";
    }
  }
  // Cores and tiles by cycles are for results that depend on neither.
  static bool Alone(const std::string& text) {
    return text.find("col_") == std::string::npos && text.find("all_") == std::string::npos;
  }
  std::string PerCore(const std::string& total, bool alone = false) {
    switch (rng_.Below(4)) {
      case 0:
        return fmt::format("ceil_div({}, {}())", total, alone ? "best_cores" : "vector_cores");
      case 1: return total;
      default: return fmt::format("ceil_div({}, {})", total, 2 + rng_.Below(5));
    }
  }
  std::string Tile(const std::string& most, const std::string& step) {
    switch (rng_.Below(4)) {
      case 0: return fmt::format("{}", 1 + rng_.Below(9));
      case 1: return fmt::format("tune({}, 4, 2)", 1 + rng_.Below(6));
      default: return fmt::format("fit({}{})", most, step);
    }
  }
  RandomProgram Finish(const std::string& kernel_params, const std::string& buffers,
                       const std::string& body, const std::string& host) {
    std::string source = fmt::format("@kernel\ndef work({}):\n{}{}\n\n@host\ndef fuzz({}):\n{}",
                                     kernel_params, buffers, body, host_params_, host);
    return {source, inputs_};
  }
  // Outputs stored from a loop over rows or elements: buffers, writes, stores, host tensors.
  struct Out {
    std::string params, buffers, writes, stores, host, names;
  };
  void AddOutput(Out& o, const Val& v, const std::string& gm, const std::string& ub,
                 const std::string& window, const std::string& shape, const std::string& in) {
    std::string value, name = fmt::format("y{}", outputs_++), dtype = OutputDtype(v, value);
    o.params += fmt::format(", {}: gm[{}]", name, gm);
    o.buffers += fmt::format("    {0}_ub = ub({1}, dtype={0}.dtype)\n", name, ub);
    o.writes += fmt::format("{}{}_ub[:] = {}\n", in, name, value);
    o.stores += fmt::format("{}store({}[{}], {}_ub)\n", in, name, window, name);
    o.host += fmt::format("    {} = empty({}, {})\n", name, shape, dtype);
    o.names += (o.names.empty() ? "" : ", ") + name;
  }

  RandomProgram Rows() {
    RandomStage c(rng_, "n", "cols", "v");
    int rows = Extent(), cols = Extent();
    std::string params = "x0: gm[rows, cols]",
                buffers =
                    "    first = core() * per_core\n    last = min(first + per_core, "
                    "rows)\n    x0_ub = ub(tile, cols, dtype=x0.dtype)\n";
    std::string before, loads = "            load(x0_ub, x0[r : r + n, :])\n", dtype = InputDtype(),
                        tensors = "x0";
    host_params_ = fmt::format("x0: tensor({})", dtype);
    inputs_ = "x0=" + Tensor(dtype, fmt::format("[{},{}]", rows, cols));
    c.values.push_back({"x0_ub", TypeOf(dtype)});
    for (int i = 1; i < 1 + rng_.Below(3); ++i) {
      int span = rng_.Below(4);
      std::string d = rng_.Chance(50) ? dtype : InputDtype(), x = fmt::format("x{}", i);
      host_params_ += fmt::format(", {}: tensor({})", x, d);
      tensors += ", " + x;
      bool row = span == 1, column = span == 2;
      params += fmt::format(", {}: gm[{}]", x, row ? "cols" : column ? "rows, 1" : "rows, cols");
      buffers += row ? fmt::format("    {0}_ub = ub(cols, dtype={0}.dtype)\n", x)
                     : fmt::format("    {0}_ub = ub(tile, {1}, dtype={0}.dtype)\n", x,
                                   column ? "1" : "cols");
      if (row)
        before += fmt::format("        load({0}_ub, {0}[:])\n", x);
      else
        loads += fmt::format("            load({0}_ub, {0}[r : r + n, :])\n", x);
      inputs_ += fmt::format(" {}={}", x,
                             Tensor(d, row ? fmt::format("[{}]", cols)
                                           : fmt::format("[{},{}]", rows, column ? 1 : cols)));
      c.values.push_back({x + "_ub", TypeOf(d), row, column});
    }
    Attributes(c);
    const std::string in = "            ";
    c.Grow(1 + rng_.Below(8), in);
    Out o;
    AddOutput(o, c.Pick(false, false, in), "rows, cols", "tile, cols", "r : r + n, :", "x0.shape",
              in);
    if (rng_.Chance(40))
      AddOutput(o, c.Pick(false, true, in), "rows, 1", "tile, 1", "r : r + n, :", "[rows, 1]", in);
    std::string body = before.empty() ? "" : "    with copyin:\n" + before;
    body += "    for r, n in tiles(first, last, tile):\n        with copyin:\n" + loads +
            "        with compute:\n" + c.text + o.writes + "        with copyout:\n" + o.stores;
    std::string host = "    rows, cols = x0.shape\n" + o.host +
                       fmt::format("    per_core = {}\n    tile = {}\n",
                                   PerCore("rows", Alone(c.text)), Tile("per_core", ""));
    host += fmt::format(
        "    work[ceil_div(rows, per_core)]({}, {}, rows, cols, per_core, tile{})\n    return {}\n",
        tensors, o.names, launch_, o.names);
    return Finish(params + o.params + ", rows, cols, per_core, tile" + params_, buffers + o.buffers,
                  body, host);
  }

  // Windows along one dimension of a row of three.
  RandomProgram Windows() {
    static const char* const kReal[] = {"f32", "f16", "bf16"};
    static const char* const kHow[] = {"sum", "max", "min"};
    auto few = [&] { return 1 + rng_.Below(rng_.Chance(70) ? 4 : 24); };
    int outer = few(), inner = few(), extent = 1 + rng_.Below(20), size = 1 + rng_.Below(6),
        step = 1 + rng_.Below(4), apart = 1 + rng_.Below(3), count = 1 + rng_.Below(12);
    if (outer * inner > 24) (rng_.Chance(50) ? outer : inner) = 1;  // rows that fit in UB
    std::string dtype = rng_.Of(kReal), in = "            ";
    host_params_ = fmt::format("x0: tensor({})", dtype);
    inputs_ = "x0=" + Tensor(dtype, fmt::format("[{},{},{},{}]", Extent(), outer, extent, inner));
    RandomStage before(rng_, "n", "outer * extent * inner", "u"),
        after(rng_, "n", "outer * count * inner", "v");
    before.values.push_back({"x0_ub", 'f'});
    before.Grow(rng_.Below(3), in);
    Val x = before.Pick(false, false, in);
    std::string f = x.type == 'f' ? x.name : fmt::format("cast({}, f32)", x.name);
    std::string window =
        fmt::format("{}windows = row_window_{}({}, outer, extent, inner, count, {}, {}, {}, {})\n",
                    in, rng_.Of(kHow), f, size, step, apart, rng_.Below(8) - 2);
    after.values.push_back({"windows", 'f'});
    after.Grow(rng_.Below(3), in);
    Out o;
    AddOutput(o, after.Pick(false, false, in), "rows, outer * count * inner",
              "tile, outer * count * inner", "r : r + n, :", "[rows, outer, count, inner]", in);
    std::string buffers =
        "    first = core() * per_core\n    last = min(first + per_core, rows)\n    x0_ub = "
        "ub(tile, outer * extent * "
        "inner, dtype=x0.dtype)\n";
    std::string body =
        "    for r, n in tiles(first, last, tile):\n        with copyin:\n            load(x0_ub, "
        "x0[r : r + n, :])\n  "
        "      with compute:\n" +
        before.text + window + after.text + o.writes + "        with copyout:\n" + o.stores;
    std::string host = fmt::format(
        "    rows, outer, extent, inner = x0.shape\n    count = {}\n{}    per_core = {}\n    tile "
        "= {}\n",
        count, o.host, PerCore("rows", Alone(before.text + after.text)), Tile("per_core", ""));
    host += fmt::format(
        "    work[ceil_div(rows, per_core)](x0, {}, rows, outer, extent, inner, count, per_core, "
        "tile)\n    return "
        "{}\n",
        o.names, o.names);
    return Finish("x0: gm[rows, outer * extent * inner]" + o.params +
                      ", rows, outer, extent, inner, count, per_core, tile",
                  buffers + o.buffers, body, host);
  }

  RandomProgram Flat() {
    RandomStage c(rng_, "1", "n", "v");
    int total = Extent() * (1 + rng_.Below(5));
    std::string params,
        buffers = "    first = core() * per_core\n    last = min(first + per_core, total)\n", loads,
        tensors;
    int count = 1 + rng_.Below(3);
    std::string first_dtype = InputDtype();
    for (int i = 0; i < count; ++i) {
      std::string d = i == 0 || rng_.Chance(50) ? first_dtype : InputDtype(),
                  x = fmt::format("x{}", i);
      host_params_ += fmt::format("{}{}: tensor({})", i ? ", " : "", x, d);
      tensors += (i ? ", " : "") + x;
      params += fmt::format("{}{}: gm[total]", i ? ", " : "", x);
      buffers += fmt::format("    {0}_ub = ub(tile, dtype={0}.dtype)\n", x);
      loads += fmt::format("            load({0}_ub, {0}[i : i + n])\n", x);
      inputs_ += fmt::format("{}{}={}", i ? " " : "", x, Tensor(d, fmt::format("[{}]", total)));
      c.values.push_back({x + "_ub", TypeOf(d), true, false});
    }
    Attributes(c);
    const std::string in = "            ";
    c.Grow(1 + rng_.Below(8), in);
    Out o;
    AddOutput(o, c.Pick(true, false, in), "total", "tile", "i : i + n", "x0.shape", in);
    if (rng_.Chance(30))
      AddOutput(o, c.Pick(true, false, in), "total", "tile", "i : i + n", "x0.shape", in);
    std::string body = "    for i, n in tiles(first, last, tile):\n        with copyin:\n" + loads;
    // Sometimes a condition of the loop chooses what is computed.
    if (rng_.Chance(15)) {
      std::string deeper, line;
      for (char ch : c.text + o.writes) {
        if (line.empty()) deeper += "    ";
        line = ch == '\n' ? "" : "x";
        deeper += ch;
      }
      std::string plain = "            with compute:\n";
      for (int y = 0; y < outputs_; ++y)
        plain += fmt::format(
            "                y{}_ub[:] = {}\n", y,
            o.host.find(fmt::format("y{} = empty(x0.shape, bool)", y)) != std::string::npos
                ? "cast(x0_ub, f32) > 1.0"
                : "cast(1, i32)");
      if (plain.find("cast(1") == std::string::npos)
        body += "        if i == first:\n            with compute:\n" + deeper + "        else:\n" +
                plain;
      else
        body += "        with compute:\n" + c.text + o.writes;
    } else {
      body += "        with compute:\n" + c.text + o.writes;
    }
    body += "        with copyout:\n" + o.stores;
    std::string host = "    total = x0.numel\n" + o.host +
                       fmt::format("    per_core = {}\n    tile = {}\n", PerCore("total"),
                                   Tile("per_core", rng_.Chance(50) ? ", 64" : ", 8"));
    host += fmt::format(
        "    work[ceil_div(total, per_core)]({}, {}, total, per_core, tile{})\n    return {}\n",
        tensors, o.names, launch_, o.names);
    return Finish(params + o.params + ", total, per_core, tile" + params_, buffers + o.buffers,
                  body, host);
  }

  // Rows in pieces: a running value over the pieces, then, sometimes, the pieces once more.
  RandomProgram LongRows() {
    int rows = Extent(), cols = Extent();
    static const char* const kReal[] = {"f32", "f16", "bf16"};
    struct Fold {
      const char *start, *step;
    };
    static constexpr Fold kFolds[] = {{"0.0", "acc + row_sum({})"},
                                      {"-inf", "maximum(acc, row_max({}))"},
                                      {"inf", "minimum(acc, row_min({}))"}};
    const Fold& fold = kFolds[rng_.Below(3)];
    std::string dtype = rng_.Of(kReal), in = "                ";
    host_params_ = fmt::format("x0: tensor({})", dtype);
    inputs_ = "x0=" + Tensor(dtype, fmt::format("[{},{}]", rows, cols));
    RandomStage c(rng_, "n", "w", "v"), after(rng_, "n", "1", "u");
    c.values.push_back({"x0_ub", 'f'});
    Attributes(c);
    after.floats = c.floats, after.ints = c.ints;
    c.Grow(1 + rng_.Below(4), in);
    Val v = c.Pick(false, false, in);
    std::string f = v.type == 'f' ? v.name : fmt::format("cast({}, f32)", v.name);
    std::string buffers =
        "    first = core() * per_core\n    last = min(first + per_core, rows)\n    x0_ub = "
        "ub(tile, width, "
        "dtype=x0.dtype)\n    acc = ub(tile, 1, dtype=f32)\n";
    std::string body = fmt::format(
        "    for r, n in tiles(first, last, tile):\n        with compute:\n            acc[:] = "
        "full(n, 1, {})\n       "
        " for c, w in tiles(0, cols, width):\n            with copyin:\n"
        "                load(x0_ub, x0[r : r + n, c : c + w])\n            with compute:\n{}      "
        "          acc[:] = "
        "{}\n",
        fold.start, c.text, fmt::format(fmt::runtime(fold.step), f));
    Out o;
    const std::string shallow = "            ";
    after.values.push_back({"acc", 'f', false, true});
    after.Grow(rng_.Below(3), shallow);
    AddOutput(o, after.Pick(false, true, shallow), "rows, 1", "tile, 1",
              "r : r + n, :", "[rows, 1]", shallow);
    body +=
        "        with compute:\n" + after.text + o.writes + "        with copyout:\n" + o.stores;
    if (rng_.Chance(50)) {
      RandomStage again(rng_, "n", "w", "z");
      again.floats = c.floats, again.ints = c.ints;
      again.values = {{"x0_ub", 'f'}, {"acc", 'f', false, true}};
      again.Grow(1 + rng_.Below(4), in);
      Out p;
      AddOutput(p, again.Pick(false, false, in), "rows, cols", "tile, width",
                "r : r + n, c : c + w", "x0.shape", in);
      body +=
          "        for c, w in tiles(0, cols, width):\n            with copyin:\n                "
          "load(x0_ub, x0[r : r "
          "+ n, c : c + w])\n            with compute:\n" +
          again.text + p.writes + "            with copyout:\n" + p.stores;
      o.params += p.params, o.buffers += p.buffers, o.host += p.host, o.names += ", " + p.names;
    }
    std::string host = "    rows, cols = x0.shape\n" + o.host +
                       fmt::format("    per_core = {}\n    tile = {}\n    width = {}\n",
                                   PerCore("rows"), 1 + rng_.Below(5), 1 + rng_.Below(40));
    host += fmt::format(
        "    work[ceil_div(rows, per_core)](x0, {}, rows, cols, per_core, tile, width{})\n    "
        "return {}\n",
        o.names, launch_, o.names);
    return Finish("x0: gm[rows, cols]" + o.params + ", rows, cols, per_core, tile, width" + params_,
                  buffers + o.buffers, body, host);
  }

  // Each core its part; one core joins the parts.
  RandomProgram Cores() {
    int total = Extent() * (1 + rng_.Below(5)), parts = 1 + rng_.Below(6);
    static const char* const kReal[] = {"f32", "f16", "bf16"};
    bool most = rng_.Chance(50);
    std::string dtype = rng_.Of(kReal), in = "            ";
    host_params_ = fmt::format("x0: tensor({})", dtype);
    inputs_ = "x0=" + Tensor(dtype, fmt::format("[{}]", total));
    RandomStage c(rng_, "1", "n", "v");
    c.values.push_back({"x0_ub", 'f', true, false});
    Attributes(c);
    c.Grow(1 + rng_.Below(4), in);
    Val v = c.Pick(true, false, in);
    std::string f = v.type == 'f' ? v.name : fmt::format("cast({}, f32)", v.name);
    std::string join = most ? "maximum(acc, all_max({}))" : "acc + all_sum({})";
    std::string buffers =
        "    first = min(core() * per_core, total)\n    last = min(first + per_core, total)\n    "
        "x0_ub = ub(tile, "
        "dtype=x0.dtype)\n    acc = ub(1, dtype=f32)\n    part = ub(1, dtype=f32)\n"
        "    all = ub(parts, dtype=f32)\n    y_ub = ub(1, dtype=y.dtype)\n";
    std::string body = fmt::format(
        "    with compute:\n        acc[:] = full(1, 1, {})\n    for i, n in tiles(first, last, "
        "tile):\n        with "
        "copyin:\n            load(x0_ub, x0[i : i + n])\n        with compute:\n{}            "
        "acc[:] = {}\n",
        most ? "-inf" : "0.0", c.text, fmt::format(fmt::runtime(join), f));
    body +=
        "    with compute:\n        part[:] = acc + 0.0\n    with copyout:\n        store(w[core() "
        ": core() + 1], "
        "part)\n    sync_all()\n";
    const std::string whole = most ? "all_max(all)" : "all_sum(all)";
    Out o;
    if (rng_.Chance(40))
      body += Normalised(c, whole, o);
    else
      body +=
          "    if core() == 0:\n        with copyin:\n            load(all, w[:])\n        with "
          "compute:\n            "
          "y_ub[:] = " +
          whole + "\n        with copyout:\n            store(y[:], y_ub)\n";
    std::string host = fmt::format(
        "    y = empty([1], {})\n{}    w = workspace({}, f32)\n    per_core = ceil_div(x0.numel, "
        "{})\n    work[{}](x0, "
        "y, w{}, x0.numel, per_core, {}, {}{})\n    return y{}\n",
        rng_.Of(kReal), o.host, parts, parts, parts, o.names.empty() ? "" : ", " + o.names,
        1 + rng_.Below(64), parts, launch_, o.names.empty() ? "" : ", " + o.names);
    return Finish("x0: gm[total], y: gm[1], w: gm[parts]" + o.params +
                      ", total, per_core, tile, parts" + params_,
                  buffers + o.buffers, body, host);
  }
  // What all cores found together, as an output of its own dtype, and used by every core in a
  // second turn over its elements.
  std::string Normalised(const RandomStage& first, const std::string& whole, Out& o) {
    const std::string in = "            ", shallow = "        ";
    RandomStage stat(rng_, "1", "1", "s"), again(rng_, "1", "n", "z");
    stat.floats = again.floats = first.floats, stat.ints = again.ints = first.ints;
    stat.values.push_back({"stat", 'f', true, true});
    stat.Grow(rng_.Below(4), shallow);
    Val v = stat.Pick(true, true, shallow);
    again.values = {{"x0_ub", 'f', true, false}, {"stat", 'f', true, true}};
    again.Grow(1 + rng_.Below(5), in);
    AddOutput(o, again.Pick(true, false, in), "total", "tile", "i : i + n", "x0.shape", in);
    o.buffers += "    stat = ub(1, dtype=f32)\n";
    std::string f = v.type == 'f' ? v.name : fmt::format("cast({}, f32)", v.name);
    return "    with copyin:\n        load(all, w[:])\n    with compute:\n        stat[:] = " +
           whole + "\n" + stat.text + "        y_ub[:] = " + f +
           " + 0.0\n    if core() == 0:\n        with copyout:\n            store(y[:], y_ub)\n"
           "    for i, n in tiles(first, last, tile):\n        with copyin:\n            "
           "load(x0_ub, x0[i : i + n])\n  "
           "      with compute:\n" +
           again.text + o.writes + "        with copyout:\n" + o.stores;
  }

  RandomProgram List() {
    static const char* const kDtypes[] = {"f32", "f16", "bf16", "i32"};
    std::string dtype = rng_.Of(kDtypes), in = "                ";
    host_params_ = fmt::format("xs: tensors({})", dtype);
    inputs_ = "xs=" + dtype + fmt::format("[{}]", Extent());
    for (int i = rng_.Below(4); i > 0; --i)
      inputs_ += fmt::format("+{}[{},{}]", dtype, 1 + rng_.Below(4), Extent());
    RandomStage c(rng_, "1", "n", "v");
    c.values.push_back({"x_ub", TypeOf(dtype), true, false});
    Attributes(c);
    c.Grow(1 + rng_.Below(5), in);
    Val v = c.Pick(true, false, in);
    // The output has the input's dtype.
    std::string value = v.name;
    if (v.type == 'b' || TypeOf(dtype) == 'i')
      value = fmt::format("cast({}, {})", v.name, TypeOf(dtype) == 'i' ? "i32" : "f32");
    else if (v.type != 'f')
      value = fmt::format("cast({}, f32)", v.name);
    std::string body =
        "    for t in range(len(xs)):\n        per_core = ceil_div(numel(xs[t]), cores())\n        "
        "first = min(core() "
        "* per_core, numel(xs[t]))\n        last = min(first + per_core, numel(xs[t]))\n"
        "        for i, n in tiles(first, last, tile):\n            with copyin:\n                "
        "load(x_ub, xs[t][i : "
        "i + n])\n            with compute:\n" +
        c.text +
        fmt::format(
            "                y_ub[:] = {}\n            with copyout:\n                "
            "store(ys[t][i : i + n], y_ub)\n",
            value);
    std::string host = fmt::format(
        "    ys = empty(xs)\n    tile = {}\n    work[{}](xs, ys, tile{})\n    return ys\n",
        8 * (1 + rng_.Below(16)), 1 + rng_.Below(5), launch_);
    return Finish("xs: gms, ys: gms, tile" + params_,
                  "    x_ub = ub(tile, dtype=xs.dtype)\n    y_ub = ub(tile, dtype=ys.dtype)\n",
                  body, host);
  }

  Rng rng_;
  std::string host_params_, inputs_, params_, launch_;
  int outputs_ = 0;
};
}  // namespace

RandomProgram Generate(uint64_t seed, uint64_t index) { return Writer(seed, index).Run(); }

}  // namespace akgen::craft
