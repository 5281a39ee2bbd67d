// Axes of iteration, and how two runs of them become the same.
#include "craft/plan/nest.h"

#include <functional>

namespace akgen::craft {

int Axes::New(int64_t extent, bool kept) {
  kept_.push_back(kept);
  extent_.push_back(extent);
  into_.emplace_back();
  return size() - 1;
}

Run Axes::Resolve(const Run& r) const {
  Run out;
  for (int a : r) {
    if (into_[a].empty()) {
      if (extent_[a] != 1 || kept_[a]) out.push_back(a);
      continue;
    }
    Run inner = Resolve(into_[a]);
    out.insert(out.end(), inner.begin(), inner.end());
  }
  return out;
}

void Axes::Unify(const Run& left, const Run& right) {
  for (;;) {
    Run a = Resolve(left), b = Resolve(right);
    size_t n = 0;
    while (n < a.size() && n < b.size() && a[a.size() - 1 - n] == b[b.size() - 1 - n]) ++n;
    if (n == a.size() && n == b.size()) return;
    if (n == a.size() || n == b.size())
      throw Unplanned{"shapes that do not fit each other", Obstacle::kShapes};
    int x = a[a.size() - 1 - n], y = b[b.size() - 1 - n];
    if (extent_[x] < extent_[y]) std::swap(x, y);
    if (extent_[x] == extent_[y]) {
      into_[y] = {x};
    } else if (extent_[x] % extent_[y] == 0) {
      int high = New(extent_[x] / extent_[y]);
      into_[x] = {high, y};
    } else {
      throw Unplanned{"dimensions that are cut in different places"};
    }
  }
}

std::string ExtentMark(const Run& r) {
  std::string out = "\x01";
  for (size_t i = 0; i < r.size(); ++i) out += (i ? "," : "") + std::to_string(r[i]);
  return out + "\x02";
}

std::vector<bool> NestGraph::Needed() const {
  std::vector<bool> needed(nodes.size(), false);
  std::function<void(int)> mark = [&](int n) {
    if (needed[n]) return;
    needed[n] = true;
    for (int a : nodes[n].args) mark(a);
  };
  for (const NestValue& o : outputs) {
    if (o.part_axis < 0) mark(o.node);
    for (int p : o.parts) mark(p);
  }
  return needed;
}

void NestGraph::Reductions(int n, std::set<int>& out) const {
  for (int a : nodes[n].args) {
    if (nodes[a].kind == NestNode::kReduce)
      out.insert(a);
    else
      Reductions(a, out);
  }
}

int NestGraph::NodeOf(size_t output, int part) const {
  return part < 0 ? outputs[output].node : outputs[output].parts[static_cast<size_t>(part)];
}

}  // namespace akgen::craft
