// What the host writes for the extents of values between products; for plan/ only.
#pragma once
#include <optional>

#include "craft/plan/product_graph.h"

namespace akgen::craft {

// Extents as their product.
std::string ExtentProduct(const std::vector<std::string>& extents);

class ProductExtents {
 public:
  using Texts = std::vector<std::string>;

  ProductExtents(const ProductGraph& g, const ProductMemory& memory) : g_(g), memory_(memory) {}

  // Of what is in memory, and from what the operations do to extents; nothing where that is not
  // known.
  std::optional<Texts> Of(const std::string& id);
  // size(v, i), and arithmetic with it.
  std::optional<std::string> SizeOf(const GraphNumber& n);
  // An extent of a computed value: one of those that it is made from, an attribute, a part or a
  // product of them. The same in all cases. Throws Unplanned.
  std::string Guessed(const std::string& id, size_t d, const std::vector<std::string>& from);
  // More is in memory: others may be named by it.
  void Forget() { known_.clear(); }

 private:
  std::optional<Texts> Find(const std::string& id);
  std::optional<Texts> Joined(const GraphNode& n, size_t at);
  std::optional<Texts> Made(const GraphNode& n);
  std::optional<Texts> Windowed(const GraphNode& n, Texts x) const;
  std::optional<Texts> Reduced(const GraphNode& n, const Texts& x) const;
  std::optional<Texts> Pooled(const GraphNode& n, Texts x) const;
  std::optional<Texts> Spread(const GraphNode& n, const Texts& x);
  std::optional<Texts> Broadcast(const GraphNode& n, const std::string& id);
  std::optional<Texts> Sliced(const GraphNode& n, Texts x) const;
  std::optional<Texts> Regrouped(const GraphNode& n, const Texts& x);

  const ProductGraph& g_;
  const ProductMemory& memory_;
  std::map<std::string, std::optional<Texts>> known_;
};

}  // namespace akgen::craft
