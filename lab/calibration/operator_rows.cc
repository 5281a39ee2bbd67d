// Whole operators: the framework's rows and the kernels of ours that stand for them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "base/csv.h"
#include "cube_kernels.h"
#include "rows.h"
#include "standins.h"

namespace akgen::calibration {
namespace {
using base::Json;
using Fields = std::map<std::string, std::string>;
constexpr uint32_t kCores = 48;                    // vector cores of a 910B2
constexpr double kMaxElements = 48.0 * 14 * 5000;  // of an elementwise row that are run

Type TypeOf(const std::string& name) {
  if (name == "float32") return Type::float32;
  if (name == "bfloat16") return Type::bfloat16;
  return name == "int8" || name == "uint8" ? Type::int8 : Type::half;
}

struct Case {
  std::vector<std::vector<double>> shapes;
  std::vector<Type> types;
  bool counts_of_64_bits = false;  // the second tensor's
  Json attrs;
};

double Product(const std::vector<double>& shape) {
  double n = 1;
  for (double d : shape) n *= d;
  return n;
}

Case Parse(const Fields& f) {
  Case c;
  for (const Json& s : base::Parse(f.at("input_shape"))) {
    if (!s.is_array()) continue;
    if (!s.empty() && s[0].is_array())
      for (const Json& t : s) c.shapes.push_back(t.get<std::vector<double>>());
    else
      c.shapes.push_back(s.get<std::vector<double>>());
  }
  for (const Json& t : base::Parse(f.at("dtype")))
    c.types.push_back(TypeOf(t.is_string() ? t.get<std::string>() : ""));
  c.counts_of_64_bits = f.at("dtype").find("int64") != std::string::npos;
  c.attrs = base::Parse(f.at("attrs"));
  return c;
}

uint8_t* At(int tensor) { return Memory() + size_t(tensor) * (size_t{112} << 20); }

void AddPass(Row& row, uint32_t cores, std::function<void()> kernel) {
  row.passes.push_back({std::move(kernel), std::max(1u, cores), sim::Trace{0, 0}});
}

void AddElementwise(Row& row, double n, Work work, Type in, Type in1, Type out, int from, int from1,
                    int to) {
  Elementwise e{work, in, in1, out, uint64_t(n / row.scale)};
  const uint32_t cores = uint32_t(std::min<double>(kCores, std::ceil(n / 1024)));
  AddPass(row, cores, [=] { RunElementwise(e, At(from), At(from1), At(to)); });
}

// One elementwise pass per device kernel, in the order they are launched.
void AddChain(Row& row, const Case& c, double n, const std::string& kernels) {
  const Type t = c.types[0], mask = c.types.size() > 1 ? c.types[1] : t;
  int at = 0;
  auto step = [&](Work work, Type in, bool two) {
    AddElementwise(row, n, work, in, two ? t : Type::none, t, at, 5, at + 1);
    ++at;
  };
  const bool masked = c.types.size() > 1;
  if (kernels.find("Cast") != std::string::npos) step(Work::cast, mask, false);
  if (masked) step(Work::mul, t, true);
  while (int(row.passes.size()) < row.launches - (masked ? 0 : 1)) step(Work::muls, t, false);
  if (!masked) step(Work::exp, t, false);
}

void AddRows(Row& row, const Case& c, RowWork work, double rows, double columns) {
  // A row that leaves no room for its scratch is handled in halves.
  while (work == RowWork::add_rms_norm_dynamic_quant && columns > 8192) columns /= 2, rows *= 2;
  const double most = kCores * std::max(6.0, std::floor(60000 / columns));
  row.scale = std::max(1.0, rows / most);
  const RowKernel r{work, c.types[0], uint32_t(std::lround(rows / row.scale)), uint32_t(columns)};
  row.scale = rows / r.rows;
  AddPass(row, uint32_t(std::min<double>(kCores, rows)), [r] { RunRows(r, Memory()); });
}

void AddGroups(Row& row, const Case& c) {
  const std::vector<double>& x = c.shapes[0];
  const double groups = x[0] * c.attrs["num_groups"].get<double>(), channels = x[0] * x[1] / groups;
  const GroupNorm g{c.types[0], uint32_t(groups), uint32_t(channels),
                    uint32_t(Product(x) / groups / channels)};
  AddPass(row, std::min(kCores, g.groups), [g] { RunGroupNorm(g, Memory()); });
}

void AddNorms(Row& row, const Case& c) {
  const double n = Product(c.shapes[0]), tensors = double(c.shapes.size());
  row.scale = std::max(1.0, n * tensors / kMaxElements);
  const ListNorm l{c.types[0], uint32_t(tensors), uint64_t(n / row.scale)};
  AddPass(row, uint32_t(std::min<double>(kCores, std::ceil(n / 1024))),
          [l] { RunListNorm(l, Memory()); });
}

// A core for every rank.
void AddRerouting(Row& row, const Case& c) {
  constexpr double kMaxBytes = 128 << 20;
  const double tokens = c.shapes[0][0], bytes = c.shapes[0][1] * BytesOf(c.types[0]),
               ranks = c.shapes[1][0], runs = Product(c.shapes[1]);
  const double rows = std::max(1.0, std::floor(std::min(tokens, kMaxBytes / bytes) / runs));
  row.scale = std::max(1.0, tokens / (rows * runs));
  const Rerouting r{uint32_t(ranks), uint32_t(runs / ranks),        uint32_t(rows),
                    uint32_t(bytes), c.counts_of_64_bits ? 8u : 4u, c.shapes.size() > 2};
  AddPass(row, uint32_t(std::min<double>(kCores, ranks)), [r] { RunRerouting(r, Memory()); });
}

void AddGating(Row& row, const Case& c) {
  const double rows = c.shapes[0][0], each = std::ceil(rows / kCores);
  const GatingTopK g{uint32_t(rows), uint32_t(c.shapes[0][1]), c.attrs["k"].get<uint32_t>()};
  AddPass(row, uint32_t(std::ceil(rows / each)), [g] { RunGatingTopK(g, Memory()); });
}

bool AddStandIn(Row& row, const std::string& stand, const Case& c, const std::string& kernels) {
  const double n = Product(c.shapes[0]), last = c.shapes[0].back();
  const Type t = c.types[0];
  if (stand == "sigmoid" || stand == "mish" || stand == "exp_affine" || stand.ends_with("_chain")) {
    row.scale = std::max(1.0, n / kMaxElements);
    if (stand.ends_with("_chain")) return AddChain(row, c, n, kernels), true;
    const Work work = stand == "mish"      ? Work::mish
                      : stand == "sigmoid" ? Work::sigmoid
                                           : Work::affine_exp;
    return AddElementwise(row, n, work, t, Type::none, t, 0, 0, 1), true;
  }
  if (stand == "softmax_rows") return AddRows(row, c, RowWork::softmax, n / last, last), true;
  if (stand == "dynamic_quant")
    return AddRows(row, c, RowWork::dynamic_quant, n / last, last), true;
  if (stand == "add_rms_norm_dynamic_quant")
    return AddRows(row, c, RowWork::add_rms_norm_dynamic_quant, n / last, last), true;
  if (stand == "row_mean") {
    const double rows = c.shapes[0][0] * c.shapes[0][1];
    return AddRows(row, c, RowWork::mean, rows, n / rows), true;
  }
  if (stand == "group_norm") return AddGroups(row, c), true;
  if (stand == "list_norm") return AddNorms(row, c), true;
  if (stand == "rerouting") return AddRerouting(row, c), true;
  if (stand == "gating_top_k") return AddGating(row, c), true;
  return false;
}
}  // namespace

std::vector<std::map<std::string, std::string>> ReadCsv(const std::string& text) {
  const auto csv = base::ReadCsv(text, "a table of data/timing");
  if (!csv.ok()) std::fprintf(stderr, "%s\n", csv.error().ToString().c_str()), std::exit(3);
  std::vector<Fields> out;
  for (const base::CsvRow& row : csv->rows) {
    Fields& f = out.emplace_back();
    for (size_t k = 0; k < row.cells.size(); ++k) f[csv->columns[k]] = row.cells[k];
  }
  return out;
}

namespace {
// Rows of a set that something stands for.
std::vector<Row> RowsOf(const char* set,
                        bool (*add)(Row&, const std::string&, const Case&, const std::string&),
                        const std::string& measured_csv, const std::string& stands_csv) {
  std::map<std::string, Fields> stands;
  for (Fields& f : ReadCsv(stands_csv)) stands[f["operator"] + "," + f["case"]] = f;
  std::vector<Row> out;
  for (const Fields& f : ReadCsv(measured_csv)) {
    const Fields& s = stands[f.at("operator") + "," + f.at("case")];
    if (s.empty() || s.at("set") != set || s.at("stand_in") == "eager only") continue;
    Row row;
    row.table = "operator", row.group = f.at("operator"),
    row.name = f.at("operator") + ", " + f.at("case");
    row.launches = std::atoi(s.at("launches").c_str());
    row.measured = {{"task", std::strtod(f.at("measured_us").c_str(), nullptr)}};
    if (!add(row, s.at("stand_in"), Parse(f), f.at("kernels"))) continue;
    row.l2_share = 1 / row.scale;
    out.push_back(std::move(row));
  }
  return out;
}

void AddTrace(Row& row, sim::Trace trace) {
  const uint32_t cores = trace.block_count() / (trace.cube() + trace.vector());
  row.passes.push_back({nullptr, cores, std::move(trace)});
}

// Convolution, and what turns the layouts: a pass over the image, the filters and the result each.
void AddConvolution(Row& row, const Case& c) {
  const auto &x = c.shapes[0], &w = c.shapes[1];
  const double stride = c.attrs["strides"][0].get<double>(), pad = c.attrs["pads"][0].get<double>(),
               dilation = c.attrs["dilations"][0].get<double>();
  auto out = [&](double in, double taps) {
    return std::floor((in + 2 * pad - dilation * (taps - 1) - 1) / stride) + 1;
  };
  const Convolution k{c.types[0] == Type::float32 ? Element::float32 : Element::half,
                      uint32_t(x[0]),
                      uint32_t(x[1]),
                      uint32_t(x[2]),
                      uint32_t(x[3]),
                      uint32_t(w[0]),
                      uint32_t(out(x[2], w[2])),
                      uint32_t(out(x[3], w[3])),
                      uint32_t(w[2]),
                      uint32_t(w[3]),
                      uint32_t(stride)};
  const Type t = c.types[0] == Type::bfloat16 ? Type::half : c.types[0];
  AddElementwise(row, Product(x), Work::muls, t, Type::none, t, 0, 0, 1);
  AddElementwise(row, Product(w), Work::muls, t, Type::none, t, 2, 0, 3);
  AddTrace(row, TraceOf(k));
  AddElementwise(row, x[0] * w[0] * k.out_height * k.out_width, Work::muls, t, Type::none, t, 4, 0,
                 5);
}

bool AddCubeStandIn(Row& row, const std::string& stand, const Case& c, const std::string&) {
  row.cube = true;
  const auto& x = c.shapes[0];
  if (stand == "quant_product") {
    const bool batched = x.size() == 3;
    const double m = x[x.size() - 2], k = x.back(), n = c.shapes[1].back();
    MatrixProduct p = Planned(uint64_t(m), uint64_t(n), uint64_t(k), Element::int8);
    if (batched) p.batch = uint32_t(x[0]);
    const bool by_row = !c.attrs.contains("pertoken_scale"),
               half = c.attrs["output_dtype"] == "float16";
    AddTrace(row, half && !by_row ? TraceOf(p) : TraceOf(QuantProduct{p, by_row}));
    return true;
  }
  if (stand == "weight_product")
    return AddTrace(row, TraceOf(WeightProduct{uint32_t(x[0]), uint32_t(c.shapes[1][1]),
                                               uint32_t(x[1])})),
           true;
  if (stand == "latent_prolog")
    return AddTrace(row, TraceOf(LatentProlog{uint32_t(x[0] * x[1]), uint32_t(x[2]), 1536, 128})),
           true;
  if (stand == "attention") {
    const auto& key = c.shapes[1];
    AddTrace(row,
             TraceOf(Attention{uint32_t(x[0]), uint32_t(x[2]), uint32_t(x[1]), uint32_t(key[1]),
                               uint32_t(x[3]), c.attrs["is_causal"].get<bool>()}));
    return true;
  }
  if (stand == "convolution") return AddConvolution(row, c), true;
  return false;
}
}  // namespace

std::vector<Row> OperatorRows(const std::string& measured_csv, const std::string& stands_csv) {
  return RowsOf("vector", AddStandIn, measured_csv, stands_csv);
}
std::vector<Row> CubeOperatorRows(const std::string& measured_csv, const std::string& stands_csv) {
  return RowsOf("cube", AddCubeStandIn, measured_csv, stands_csv);
}

}  // namespace akgen::calibration
