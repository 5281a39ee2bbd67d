#include "judge/time/baseline.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/files.h"
#include "base/hash.h"
#include "judge/time/eager_graph.h"

namespace akgen::judge {
using base::Json;

namespace {
constexpr std::string_view kRules = "baseline rules 5";  // 4 had no products of the Cube cores

bool IsSlow(const std::string& op) {  // 32 elements a cycle in the published tables
  static const std::set<std::string> slow{
      "exp", "log",     "sqrt",        "rsqrt", "div",  "reciprocal", "tanh",  "sigmoid", "erf",
      "pow", "softmax", "log_softmax", "gelu",  "silu", "log1p",      "expm1", "sin",     "cos"};
  return slow.contains(op);
}

// Microseconds to read and write so many bytes at full rate: what L2 can keep of the writes need
// not reach HBM.
double MoveUs(double read, double write, const sim::TimingParameters& p) {
  return (read + p.write_share * std::max(0.0, write - p.l2_bytes)) / p.hbm_rate;
}

double VectorUs(double elements, double per_cycle, const sim::TimingParameters& p,
                const chip::Chip& chip) {
  return elements / (per_cycle * chip.aiv * p.clock_mhz);
}

struct Node {
  std::string op;
  double out = 0, in = 0;  // elements
};

// Elements of the case's inputs under the names they have in its graph.
std::map<std::string, double> SizesOf(const task::CaseDesc& c) {
  std::map<std::string, double> size;
  for (const auto& p : c.inputs)
    for (size_t t = 0; t < p.tensors.size(); ++t)
      size[p.kind == task::ParamKind::kList ? p.name + "." + std::to_string(t) : p.name] =
          double(p.tensors[t].Numel());
  return size;
}

// Nodes that compute or move something, with the elements they read and write.
std::vector<Node> NodesOf(const record::Graph& graph, std::map<std::string, double> size) {
  auto of = [&](const record::GraphArg& arg) {
    auto it = arg.IsTensor() ? size.find(arg.tensor) : size.end();
    return it == size.end() ? 0.0 : it->second;
  };
  std::vector<Node> out;
  for (const record::GraphNode& n : graph.nodes) {
    Node node{n.op, 0, 0};
    for (const record::GraphArg& a : n.args) {
      node.in += of(a);
      for (const record::GraphArg& item : a.list) node.in += of(item);
    }
    for (const record::GraphValue& o : n.out) {
      const double elements = o.Elements();
      size[o.id] = elements;
      node.out += elements;
    }
    if (!IsView(node.op)) out.push_back(node);
  }
  return out;
}
}  // namespace

Baseline BaselineOf(const task::CaseDesc& c, const record::Graph* graph,
                    const sim::TimingParameters& p, const sim::EagerTable& table,
                    const chip::Chip& chip, const sim::TimingErrors& errors) {
  double read = 0, write = 0, width = 1;
  for (const auto& t : task::Flatten(c.inputs)) {
    read += double(t.Bytes());
    if (base::IsFloating(t.dtype)) width = std::max(width, double(base::SizeOf(t.dtype)));
  }
  for (const auto& t : task::Flatten(c.outputs)) write += double(t.Bytes());
  if (width == 1)
    width = task::Flatten(c.inputs).empty()
                ? 4
                : double(base::SizeOf(task::Flatten(c.inputs)[0].dtype));
  Baseline b;
  double arithmetic = 0, products = 0;  // of Vector cores, of Cube cores
  b.eager_range = {0, 0};
  auto launch = [&](const sim::EagerKernel& k) {
    const double us = sim::EagerUs(k, p, chip.aiv);
    const auto known = errors.eager.find(sim::EagerSizeOf(k.elements));
    const sim::Range range = known == errors.eager.end() ? sim::Range{} : known->second;
    b.eager_us += us, b.eager_range.low += us * range.low, b.eager_range.high += us * range.high;
    ++b.kernels;
  };
  if (graph) {
    for (const Node& n : NodesOf(*graph, SizesOf(c))) {
      if (IsProduct(n.op)) continue;
      const double rate = IsSlow(n.op) ? 32 : width <= 2 ? 128 : 64;
      const double compute = VectorUs(std::max(n.in, n.out), rate, p, chip);
      arithmetic +=
          IsSlow(n.op) ? compute : compute / 2;  // two cheap ones may be one fused instruction
    }
    for (const EagerLaunch& l : EagerLaunches(c, *graph, width, table)) {
      launch(l.kernel);
      products += l.kernel.products / (std::max(1u, uint32_t(chip.aic)) * p.clock_mhz);
    }
  }
  b.bound_us = std::max({MoveUs(read, write, p), arithmetic, products});
  b.from_graph = b.kernels > 0;
  if (!b.from_graph) {
    launch({read + write, std::max(read, write) / width, 1, false});
  }
  return b;
}

std::string EstimatorHash(const sim::TimingParameters& p, const sim::EagerTable& table,
                          const chip::Chip& chip) {
  Json numbers = sim::ToJson(p);
  numbers.erase("vector");  // the rules have rates of their own
  for (const char* unread :
       {"scalar_plain", "scalar_slow", "scalar_word", "scalar_library", "scalar_least"})
    numbers.erase(unread);
  return base::Sha256(std::string(kRules) + base::Dump(numbers) + table.text + chip.name +
                      std::to_string(chip.aiv));
}

Json BaselinesOf(task::ReferenceClient& reference, const task::TaskSpec& task,
                 const task::CaseDesc& c, const task::TensorSet& inputs,
                 const sim::TimingParameters& p, const chip::Chip& chip) {
  const auto table = sim::LoadEager();
  const auto errors = sim::LoadErrors();
  if (!table.ok() || !errors.ok()) return Json::object();
  const std::string estimator = EstimatorHash(p, *table, chip);
  auto file =
      base::CacheDir() / "baselines" /
      (base::Sha256(estimator + "ranges" + task::GoldenKey(task, c, 0)).substr(0, 32) + ".json");
  if (auto text = base::ReadFile(file); text.ok())
    if (Json known = base::Parse(*text); known.is_object()) return known;
  auto graph = reference.Graph(task, c, inputs);
  Baseline b = BaselineOf(c, graph.ok() ? &*graph : nullptr, p, *table, chip, *errors);
  Json out{{"bound_us", b.bound_us},
           {"baseline_us", b.eager_us},
           {"baseline_range_us", {b.eager_range.low, b.eager_range.high}},
           {"eager_kernels", b.kernels},
           {"eager_from_graph", b.from_graph},
           {"estimator", estimator}};
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  // Without the cache the next run computes it again.
  if (graph.ok() || graph.error().code == "AK0115")
    (void)base::WriteFileAtomic(file, base::Dump(out));
  return out;
}

}  // namespace akgen::judge
