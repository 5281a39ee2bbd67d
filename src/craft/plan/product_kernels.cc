#include "craft/plan/product_kernels.h"

#include <fmt/format.h>

#include <utility>

namespace akgen::craft {

std::string CubeKernels::NameOf(const CubeOperand& a, const CubeOperand& b, const char* sums,
                                bool row, std::string& functions) {
  const bool walks = a.walks || b.walks;
  auto dims = [](bool w, bool transposed, const char* first, const char* second) {
    if (transposed) std::swap(first, second);
    return fmt::format("{}{}, {}", w ? "batch, " : "", first, second);
  };
  auto window = [](const char* name, bool w, bool transposed, const char* first,
                   const char* second) {
    if (transposed) std::swap(first, second);
    return fmt::format("{}[{}{}, {}]{}", name, w ? "t, " : "", first, second,
                       transposed ? ".T" : "");
  };
  const std::string text = fmt::format(
      "(a: gm[{0}], b: gm[{1}], {8}c: gm[{2}m, n], {2}m, k, n, tm, tn):\n"
      "    sums = acc(tm, tn{7})\n"
      "    for {3}i, h, j, w in blocks(m, tm, n, tn{4}):\n"
      "        with cube: sums[:] = {5} @ {6}{9}\n"
      "        with copyout: store(c[{3}i : i + h, j : j + w], sums)\n\n\n",
      dims(a.walks, a.transposed, "m", "k"), dims(b.walks, b.transposed, "k", "n"),
      walks ? "batch, " : "", walks ? "t, " : "", walks ? ", over=[batch]" : "",
      window("a", a.walks, a.transposed, "i : i + h", ":"),
      window("b", b.walks, b.transposed, ":", "j : j + w"), sums, row ? "row: gm[n], " : "",
      row ? " + row[j : j + w]" : "");
  auto [known, is_new] = names_.emplace(text, "");
  if (is_new) {
    known->second = fmt::format("product{}_kernel", names_.size());
    functions += fmt::format("@kernel\ndef {}{}", known->second, text);
  }
  return known->second;
}

}  // namespace akgen::craft
