// What the framework ran as one kernel, as the eager baseline sees it.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "rows.h"

namespace akgen::calibration {
namespace {
using base::Json;

double BytesOf(const std::string& dtype) {
  if (dtype == "int64" || dtype == "float64") return 8;
  if (dtype == "float16" || dtype == "bfloat16") return 2;
  return dtype == "int8" || dtype == "uint8" || dtype == "bool" ? 1 : 4;
}

// Elements of a shape, or of all tensors of a list.
double Elements(const Json& shape) {
  double n = 1, all = 0;
  for (const Json& d : shape) {
    if (d.is_array())
      all += Elements(d);
    else
      n *= d.get<double>();
  }
  return all > 0 ? all : n;
}

sim::EagerKernel KernelOf(const Json& shapes, const Json& dtypes,
                          const sim::EagerTable::Measured& m, const sim::EagerTable& table) {
  sim::EagerKernel k;
  const double width = BytesOf(dtypes[0].get<std::string>()), first = Elements(shapes[0]);
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i].is_array()) continue;  // an input left out
    const double n = Elements(shapes[i]);
    k.bytes += n * BytesOf(dtypes[std::min(i, dtypes.size() - 1)].get<std::string>());
    k.elements = std::max(k.elements, n);
  }
  k.bytes += first * (m.writes * width + m.writes_elements);
  for (const std::string& op : m.ops)
    k.passes += table.PassesOf(op), k.reduces |= table.reduces.contains(op);
  if (width < 4 && k.passes > 0) k.passes += 2;  // to float and back
  return k;
}
}  // namespace

std::vector<Row> EagerRows(const std::string& measured_csv, const std::string& stands_csv,
                           const sim::EagerTable& table) {
  std::map<std::string, std::string> launches;  // by operator and case, vector work alone
  for (auto& f : ReadCsv(stands_csv))
    if (f["set"] == "vector") launches[f["operator"] + "," + f["case"]] = f["launches"];
  std::vector<Row> out;
  std::map<std::string, double> of_operator;
  for (auto& f : ReadCsv(measured_csv)) {
    const std::string op = f["operator"], name = op + "," + f["case"];
    const auto measured = table.measured.find(op);
    if (launches[name] != "1" || measured == table.measured.end()) continue;
    Row row;
    row.table = "eager", row.group = op, row.name = op + ", " + f["case"];
    row.measured = {{"task", std::strtod(f["measured_us"].c_str(), nullptr)}};
    row.eager =
        KernelOf(base::Parse(f["input_shape"]), base::Parse(f["dtype"]), measured->second, table);
    row.elements = row.eager->elements;
    row.fitted =
        f["measured_us"] != f["t_hw_us"];  // a time that is the benchmark's bound is suspect
    of_operator[op] += 1;
    out.push_back(std::move(row));
  }
  for (Row& r : out) r.weight = 1 / of_operator[r.group];
  return out;
}

namespace {
sim::EagerKernel ProductOf(const Json& x, const Json& w) {
  const double m = Elements(x) / x.back().get<double>(), k = x.back().get<double>(),
               n = w.back().get<double>();
  sim::EagerKernel out;
  out.bytes = Elements(x) + Elements(w) + m * n * 2, out.elements = std::max(m * n, Elements(w));
  out.products = sim::ProductCycles(m * n * k, 1);
  return out;
}
// Both products; of a causal one half.
sim::EagerKernel AttentionOf(const Json& q, const Json& k, bool causal) {
  const double batch = q[0], rows = q[1], heads = q[2], width = q[3], keys = k[1];
  sim::EagerKernel out;
  out.bytes = (2 * Elements(q) + 2 * Elements(k)) * 2, out.elements = Elements(k);
  out.products = sim::ProductCycles(2 * batch * heads * std::max(16.0, rows) * keys * width, 2) *
                 (causal && rows == keys ? 0.5 : 1);
  return out;
}
}  // namespace

std::vector<Row> EagerProductRows(const std::string& measured_csv) {
  std::vector<Row> out;
  for (auto& f : ReadCsv(measured_csv)) {
    const std::string op = f["operator"];
    if (op != "quant_matmul" && op != "mha") continue;
    const Json shapes = base::Parse(f["input_shape"]);
    Row row;
    row.table = "eager", row.group = op, row.name = op + ", " + f["case"];
    row.measured = {{"task", std::strtod(f["measured_us"].c_str(), nullptr)}};
    row.eager = op == "mha" ? AttentionOf(shapes[0], shapes[1],
                                          base::Parse(f["attrs"]).value("is_causal", false))
                            : ProductOf(shapes[0], shapes[1]);
    row.elements = row.eager->elements;
    row.weight = op == "mha" ? 1.0 / 12 : 1.0 / 19;
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace akgen::calibration
