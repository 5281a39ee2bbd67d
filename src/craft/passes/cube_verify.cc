// What holds for every tree of a Cube core, after every pass; and its dump.
#include <fmt/format.h>

#include <algorithm>

#include "craft/passes/lowered.h"

namespace akgen::craft {
using ir::S;

namespace {
constexpr CubeOpRow kCubeRows[] = {
#define CUBE_OP(name, pipe, tensors, gm, numbers) {#name, #pipe, tensors, gm, numbers},
#include "craft/passes/cube_ops.inc"
#undef CUBE_OP
};
size_t Words(std::string_view text) {
  return text.empty() ? 0 : 1 + static_cast<size_t>(std::count(text.begin(), text.end(), ' '));
}

class CubeVerifier {
 public:
  explicit CubeVerifier(const CubeKernel& k) : k_(k) {}
  base::Status Block(const CubeBlock& b) const {
    std::map<int, int> open;
    for (const CubeInstr& n : b) {
      const CubeOpRow& row = RowOf(n.op);
      if (n.tensors.size() != Words(row.tensors)) return Bad(n, "the number of its tensors");
      if (n.numbers.size() != Words(row.numbers)) return Bad(n, "the number of its scalars");
      if (n.gm.has_value() != row.gm) return Bad(n, "its window");
      for (const S& s : n.numbers)
        if (!s) return Bad(n, "a scalar that is not there");
      for (size_t i = 0; i < n.tensors.size(); ++i)
        if (!Lies(n.tensors[i], row.tensors[2 * i])) return Bad(n, "where a tensor lies");
      if (n.op == CubeOp::alloc) ++open[n.tensors[0]];
      if (n.op == CubeOp::release) --open[n.tensors[0]];
      for (const CubeBlock* inner : {&n.body, &n.other})
        if (auto st = Block(*inner); !st.ok()) return st;
    }
    for (const auto& [t, n] : open)
      if (n != 0)
        return base::Error{
            "AK1590",
            "the compiler made an inconsistent program: a queue's tensor is not given back",
            k_.kernel.name, "report this program"};
    return {};
  }

 private:
  bool Lies(int tensor, char where) const {
    if (tensor < 0 || tensor >= static_cast<int>(k_.tensors.size())) return false;
    const CubePosition p = k_.tensors[static_cast<size_t>(tensor)].position;
    switch (where) {
      case '1': return p == CubePosition::kA1 || p == CubePosition::kB1 || p == CubePosition::kRow1;
      case 'a': return p == CubePosition::kA1;
      case 'b': return p == CubePosition::kB1;
      case 'A': return p == CubePosition::kA2;
      case 'B': return p == CubePosition::kB2;
      case 'T': return p == CubePosition::kRow2;
      case 't': return p == CubePosition::kRow1;
      case 'c': return p == CubePosition::kSums;
      default: return true;
    }
  }
  base::Status Bad(const CubeInstr& n, const std::string& what) const {
    return base::Error{
        "AK1590",
        fmt::format("the compiler made an inconsistent program: {}, {}", RowOf(n.op).name, what),
        k_.kernel.name, "report this program"};
  }
  const CubeKernel& k_;
};

void DumpCube(const CubeKernel& k, const CubeBlock& b, int depth, std::string& out) {
  for (const CubeInstr& n : b) {
    out += std::string(static_cast<size_t>(depth) * 4, ' ') + std::string(RowOf(n.op).name);
    for (int t : n.tensors) out += " " + k.tensors[static_cast<size_t>(t)].name;
    if (!n.var.empty()) out += " " + n.var;
    if (n.first)
      out += fmt::format(" from {} to {} by {}", ir::ToText(n.first), ir::ToText(n.last),
                         ir::ToText(n.step));
    if (n.gm)
      out += fmt::format(" {}[{}]", k.kernel.gms[static_cast<size_t>(n.gm->gm)].name,
                         ir::ToText(n.gm->offset));
    for (size_t i = 0; i < n.numbers.size(); ++i)
      out += (i ? ", " : " (") + ir::ToText(n.numbers[i]);
    out += n.numbers.empty() ? "" : ")";
    out += n.form.transposed ? " transposed" : "";
    out += n.form.unit_flag ? " unit flag\n" : "\n";
    DumpCube(k, n.body, depth + 1, out);
    DumpCube(k, n.other, depth + 1, out);
  }
}
}  // namespace

const CubeOpRow& RowOf(CubeOp op) { return kCubeRows[static_cast<size_t>(op)]; }

base::Status VerifyCube(const CubeKernel& k) { return CubeVerifier(k).Block(k.body); }

std::string Dump(const CubeKernel& k) {
  std::string out = "  on the Cube core\n";
  for (const auto& [name, value] : k.sizes)
    out += fmt::format("    {} = {}\n", name, ir::ToText(value));
  DumpCube(k, k.body, 1, out);
  return out;
}

}  // namespace akgen::craft
