#include "judge/time/eager_graph.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace akgen::judge {

namespace {
using sim::EagerTable;
constexpr double kStatistics =
    16;  // a tensor so many times smaller than the largest is a row's number or a weight
constexpr int kNoList = -1, kSeveralLists = -2;

struct Op {
  std::string name;
  std::vector<int> in, out;  // values
  double elements = 0;       // of its largest tensor
  double products = 0;       // cycles of one Cube core
  int list = kNoList;        // which tensor of its list it works on
  bool converts = false;     // an input has to be converted first
};

struct Value {
  double elements = 0, bytes = 0;  // bytes: of one element
  double last = 1;                 // its last dimension
  int root = 0;                    // whose bytes it names
  int made_by = -1;                // operator, -1 an input's
  int list = kNoList;
  bool output = false;
  std::vector<int> used_by;
};

int Joined(int a, int b) { return a == kNoList ? b : b == kNoList || a == b ? a : kSeveralLists; }

// The graph as values and the operators between them, views resolved.
class Flow {
 public:
  Flow(const task::CaseDesc& c, const record::Graph& graph, double width) : width_(width) {
    for (const auto& p : c.inputs)
      for (size_t t = 0; t < p.tensors.size(); ++t) {
        const bool list = p.kind == task::ParamKind::kList;
        Value& v =
            Add(list ? p.name + "." + std::to_string(t) : p.name, double(p.tensors[t].Numel()));
        v.bytes = double(base::SizeOf(p.tensors[t].dtype));
        v.list = list ? int(t) : kNoList;
        if (!p.tensors[t].shape.empty()) v.last = double(p.tensors[t].shape.back());
      }
    for (const record::GraphNode& n : graph.nodes) Read(n);
    for (const std::string& o : graph.outputs)
      if (auto it = ids_.find(o); it != ids_.end()) values[size_t(Root(it->second))].output = true;
  }
  int Root(int value) const { return values[size_t(value)].root; }

  std::vector<Value> values;
  std::vector<Op> ops;

 private:
  Value& Add(const std::string& id, double elements) {
    ids_[id] = int(values.size());
    Value& v = values.emplace_back();
    v.elements = elements, v.bytes = width_, v.root = int(values.size()) - 1;
    return v;
  }
  void Take(const record::GraphArg& arg, Op& op) {
    if (arg.IsTensor())
      if (auto it = ids_.find(arg.tensor); it != ids_.end()) op.in.push_back(it->second);
    for (const record::GraphArg& item : arg.list) Take(item, op);
  }
  void Read(const record::GraphNode& n) {
    Op op;
    op.name = n.op;
    for (const record::GraphArg& a : n.args) Take(a, op);
    if (op.name.ends_with('_') && !op.name.starts_with('_')) op.name.pop_back();  // in place
    const bool view = IsView(op.name) && !op.in.empty();
    for (int v : op.in) {
      const Value& value = values[size_t(v)];
      op.list = Joined(op.list, value.list), op.elements = std::max(op.elements, value.elements);
    }
    for (const record::GraphValue& o : n.out) {
      const double elements = o.Elements();
      Value& v = Add(o.id, elements);
      v.list = op.list, v.made_by = int(ops.size());
      if (!o.shape.empty()) v.last = double(o.shape.back());
      op.elements = std::max(op.elements, elements);
      if (view) v.root = Root(op.in[0]), v.bytes = values[size_t(op.in[0])].bytes;
      op.out.push_back(int(values.size()) - 1);
    }
    if (view) return;
    if (IsProduct(op.name) && op.in.size() >= 2 && !op.out.empty()) {
      // The last two operands; what is added comes before them, and after them in `linear`.
      const Value& a = values[size_t(op.in[op.name == "linear" ? 0 : op.in.size() - 2])];
      op.products = sim::ProductCycles(values[size_t(op.out[0])].elements * a.last, a.bytes);
    }
    std::set<double> widths;
    for (int v : op.in)
      if (values[size_t(Root(v))].made_by < 0 && values[size_t(v)].elements == op.elements)
        widths.insert(values[size_t(v)].bytes);
    op.converts = widths.size() > 1;
    for (int v : op.in) values[size_t(Root(v))].used_by.push_back(int(ops.size()));
    ops.push_back(std::move(op));
  }
  double width_;
  std::map<std::string, int> ids_;
};

// Cuts the operators into launches.
class Cutter {
 public:
  Cutter(const Flow& flow, const EagerTable& table, double width)
      : flow_(flow), table_(table), width_(width) {
    of_.assign(flow.ops.size(), -1);
  }

  std::vector<EagerLaunch> Cut() {
    for (const EagerTable::Fused& f : table_.fused)
      for (size_t i = 0; i < flow_.ops.size(); ++i)
        if (of_[i] < 0 && f.must[0].contains(flow_.ops[i].name)) TryFrom(int(i), f);
    for (size_t i = 0; i < flow_.ops.size(); ++i)
      if (of_[i] < 0) Launch({int(i)}, flow_.ops[i].name);
    std::sort(launches_.begin(), launches_.end(),
              [](const EagerLaunch& a, const EagerLaunch& b) { return a.first < b.first; });
    return JoinLists();
  }

 private:
  // Who made what it reads, and who reads what it makes.
  std::set<int> Neighbours(int op) const {
    std::set<int> out;
    for (int v : flow_.ops[size_t(op)].in)
      if (int maker = flow_.values[size_t(flow_.Root(v))].made_by; maker >= 0) out.insert(maker);
    for (int v : flow_.ops[size_t(op)].out)
      for (int user : flow_.values[size_t(v)].used_by) out.insert(user);
    return out;
  }

  // Grows from one operator over those that the kernel may hold, nearest first.
  void TryFrom(int from, const EagerTable::Fused& f) {
    std::set<int> region{from};
    std::map<std::string, int> count{{flow_.ops[size_t(from)].name, 1}};
    double largest = flow_.ops[size_t(from)].elements;
    std::deque<int> open{from};
    while (!open.empty()) {
      const int at = open.front();
      open.pop_front();
      for (int next : Neighbours(at)) {
        const Op& op = flow_.ops[size_t(next)];
        auto most = f.may.find(op.name);
        if (of_[size_t(next)] >= 0 || region.contains(next) ||
            op.list != flow_.ops[size_t(from)].list)
          continue;
        const bool statistics = op.elements * kStatistics <= largest;
        if (most == f.may.end() || (!statistics && count[op.name] >= most->second)) continue;
        if (!statistics) count[op.name] += 1;
        largest = std::max(largest, op.elements);
        region.insert(next), open.push_back(next);
      }
    }
    const bool whole =
        std::all_of(f.must.begin(), f.must.end(), [&](const std::set<std::string>& one) {
          return std::any_of(region.begin(), region.end(),
                             [&](int i) { return one.contains(flow_.ops[size_t(i)].name); });
        });
    const auto first = std::count_if(region.begin(), region.end(), [&](int i) {
      return f.must[0].contains(flow_.ops[size_t(i)].name);
    });
    if (whole && first >= f.least && Leaving(region).size() <= f.outputs) Launch(region, f.name);
  }

  std::set<int> Leaving(const std::set<int>& region) const {
    std::set<int> out;
    for (int i : region)
      for (int v : flow_.ops[size_t(i)].out) {
        const Value& value = flow_.values[size_t(v)];
        if (value.output || std::any_of(value.used_by.begin(), value.used_by.end(),
                                        [&](int user) { return !region.contains(user); }))
          out.insert(v);
      }
    return out;
  }

  void Launch(const std::set<int>& region, const std::string& name) {
    EagerLaunch launch;
    launch.name = name, launch.first = *region.begin();
    sim::EagerKernel& k = launch.kernel;
    std::map<int, double> read;  // by whose bytes they are
    for (int i : region) k.elements = std::max(k.elements, flow_.ops[size_t(i)].elements);
    bool converts = false;
    for (int i : region) {
      const Op& op = flow_.ops[size_t(i)];
      of_[size_t(i)] = int(launches_.size());
      k.passes += table_.PassesOf(op.name) * op.elements / std::max(1.0, k.elements);
      k.products += op.products;
      k.reduces |= table_.reduces.contains(op.name);
      converts |= op.converts && table_.casts.contains(op.name);
      for (int v : op.in) {
        const int root = flow_.Root(v);
        if (region.contains(flow_.values[size_t(root)].made_by)) continue;
        read[root] =
            std::max(read[root], flow_.values[size_t(v)].elements * flow_.values[size_t(v)].bytes);
      }
    }
    for (const auto& [root, bytes] : read) k.bytes += bytes;
    for (int v : Leaving(region)) k.bytes += flow_.values[size_t(v)].elements * width_;
    if (width_ < 4 && k.passes > 0) k.passes += 2;  // to float and back
    if (converts) {
      EagerLaunch cast;
      cast.name = "cast", cast.first = launch.first;
      cast.kernel = {k.elements * 2 * width_, k.elements, 1, false};
      launches_.push_back(cast);
    }
    launches_.push_back(launch);
    lists_[launch.first] = flow_.ops[size_t(launch.first)].list;
  }

  // The n-th launch of a name for each tensor of a list is one launch for all of them.
  std::vector<EagerLaunch> JoinLists() {
    std::vector<EagerLaunch> out;
    std::map<std::pair<std::string, int>, size_t>
        known;  // name and how many of it came before, for this tensor
    std::map<std::pair<std::string, int>, int> before;  // name and tensor
    for (const EagerLaunch& l : launches_) {
      const int list = lists_[l.first];
      if (list < 0) {
        out.push_back(l);
        continue;
      }
      const int nth = before[{l.name, list}]++;
      auto [it, first] = known.try_emplace({l.name, nth}, out.size());
      if (first) {
        out.push_back(l);
        continue;
      }
      sim::EagerKernel& k = out[it->second].kernel;
      k.bytes += l.kernel.bytes, k.elements += l.kernel.elements, k.products += l.kernel.products;
    }
    return out;
  }

  const Flow& flow_;
  const EagerTable& table_;
  double width_;
  std::vector<int> of_;  // by operator: it has a launch
  std::vector<EagerLaunch> launches_;
  std::map<int64_t, int> lists_;  // by the launch's first operator
};
}  // namespace

bool IsProduct(const std::string& op) {
  static const std::set<std::string> products{"matmul",  "mm",     "bmm", "addmm",
                                              "baddbmm", "linear", "mv",  "addmv"};
  return products.contains(op);
}

bool IsView(const std::string& op) {
  static const std::set<std::string> views{
      "view",      "reshape", "unsqueeze", "squeeze", "expand",    "expand_as",  "select", "slice",
      "transpose", "permute", "t",         "flatten", "unflatten", "detach",     "alias",  "narrow",
      "view_as",   "chunk",   "split",     "unbind",  "to",        "contiguous", "size",   "numel"};
  return views.contains(op);
}

std::vector<EagerLaunch> EagerLaunches(const task::CaseDesc& c, const record::Graph& graph,
                                       double width, const EagerTable& table) {
  const Flow flow(c, graph, width);
  return Cutter(flow, table, width).Cut();
}

}  // namespace akgen::judge
