#include "corpus/records/reasoning.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace akgen::corpus {
using craft::LoweredKernel;
using craft::LoweredProgram;
using craft::Role;
namespace ir = craft::ir;

namespace {
constexpr size_t kMaxInstructions = 28;  // named of one stage

std::string Join(const std::vector<std::string>& words, const char* between = ", ") {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : between) + w;
  return out;
}

std::string ShapeText(const std::vector<int64_t>& s) {
  std::vector<std::string> e;
  for (int64_t d : s) e.push_back(std::to_string(d));
  return "[" + Join(e) + "]";
}

// The value of a size in variables that are known; nothing where one is not.
std::optional<int64_t> ValueOf(const ir::S& s, const std::map<std::string, int64_t>& known) {
  if (const ir::Scalar* c = ir::AsConst(s)) return c->i;
  if (s->kind == ir::SKind::kVar) {
    auto it = known.find(s->text);
    return it == known.end() ? std::nullopt : std::optional(it->second);
  }
  if (s->args.size() != 2) return std::nullopt;
  auto a = ValueOf(s->args[0], known), b = ValueOf(s->args[1], known);
  if (!a || !b) return std::nullopt;
  if (s->text == "+") return *a + *b;
  if (s->text == "-") return *a - *b;
  if (s->text == "*") return *a * *b;
  if (s->text == "ceil_div") return *b ? (*a + *b - 1) / *b : 0;
  return s->text == "max"   ? std::max(*a, *b)
         : s->text == "min" ? std::min(*a, *b)
                            : std::optional<int64_t>();
}

// The largest tile for which the kernel fits in UB, when its other sizes are these.
int64_t LargestTile(const LoweredKernel& k, std::map<std::string, int64_t> known, int64_t limit) {
  int64_t best = 0;
  for (int64_t tile = 1; tile <= (1 << 20); tile *= 2) {
    known["tile"] = tile;
    auto bytes = ValueOf(k.ub_bytes, known);
    if (!bytes || *bytes > limit) break;
    best = tile;
  }
  for (int64_t step = best / 2; step > 0; step /= 2) {
    known["tile"] = best + step;
    auto bytes = ValueOf(k.ub_bytes, known);
    if (bytes && *bytes <= limit) best += step;
  }
  return best;
}

bool HasParam(const LoweredKernel& k, const std::string& name) {
  return std::any_of(k.kernel.params.begin(), k.kernel.params.end(),
                     [&](const auto& p) { return p.name == name; });
}

const LoweredProgram& Lowered(const Candidate& c) { return c.compiled.lowered[0]; }

std::string InputsText(const Candidate& c) {
  std::string out;
  for (const auto& i : c.composition.inputs) {
    const char* how = i.shape == "C" ? ", one row that every row of the others meets"
                      : i.shape.find('D') != std::string::npos
                          ? ", whose last dimension holds two halves"
                          : "";
    out += fmt::format(
        "{}`{}` ({}{})", out.empty() ? "" : "; ", i.id,
        ShapeText(ShapeOf(ShapeIn(i, c.composition.cases.back()), c.composition.cases.back())),
        how);
  }
  return out;
}

// What reductions ask of the division of work.
std::string Division(const Candidate& c, const LoweredKernel& k) {
  const bool rows = HasParam(k, "cols"), flat = HasParam(k, "total");
  bool reduces = false;
  for (const std::string& op : OperationsOf(c.composition))
    reduces |= op == "sum" || op == "mean" || op == "amax" || op == "amin" || op == "softmax" ||
               op == "layer_norm" || op == "logsumexp";
  if (flat && !reduces)
    return "Every operation works element by element and all tensors have one shape, so the shape "
           "does not matter: I "
           "see them as `total` elements in a row. "
           "Each core takes `per_core` of them, rounded up to 64 so that only the last core meets "
           "a ragged end.\n";
  if (flat)
    return "All tensors are walked as `total` elements in a row; what is reduced over everything "
           "is summed by each "
           "core for its own part first.\n";
  if (rows)
    return std::string(
               "The last dimension is the row (`cols`), everything before it counts rows. ") +
           (reduces ? "A reduction along the row must see the whole row, so a tile holds whole "
                      "rows and a core takes "
                      "whole rows: no core needs another one's partial result.\n"
                    : "A value that is one row long meets every row, so tiles are whole rows and "
                      "that value is loaded "
                      "once per core.\n");
  return "The values do not lie over rows and columns alike, so I write loops over the axes: outer "
         "axes are jobs that "
         "the cores take in turn, the innermost one is walked in tiles, and "
         "reductions run inside a job.\n";
}

std::string TileText(const Candidate& c, const LoweredKernel& k, const craft::Limits& limits) {
  const Extents& e = c.composition.cases.back();
  std::map<std::string, int64_t> known = {{"cols", e.c},
                                          {"rows", e.b * e.a * e.r},
                                          {"parts", limits.cores},
                                          {"total", e.b * e.a * e.r * e.c}};
  std::string out = fmt::format(
      "The tile is as large as UB allows. The buffers of the kernel take `{}` bytes, and {} bytes "
      "of UB may be used",
      ir::ToText(k.ub_bytes), limits.ub_bytes);
  if (int64_t most = LargestTile(k, known, limits.ub_bytes); most > 0)
    out += HasParam(k, "cols") && ir::ToText(k.kernel.buffers[0].cols) != "tile"
               ? fmt::format("; with rows of {} elements that is at most {} rows", e.c, most)
               : fmt::format(", so at most {} elements fit", most);
  return out +
         ". `fit` finds that on the host for the shape at hand, and never takes more than a core "
         "has to do: small "
         "copies would only wait.\n";
}

std::string BufferText(const LoweredKernel& k) {
  std::string out;
  for (size_t b = 0; b < k.kernel.buffers.size(); ++b) {
    const ir::Buffer& buffer = k.kernel.buffers[b];
    std::string what =
        fmt::format("- `{}`, {} [{}, {}]: ", buffer.name, ir::ShortName(buffer.dtype),
                    ir::ToText(buffer.rows), ir::ToText(buffer.cols));
    switch (k.roles[b]) {
      case Role::kIn: what += "loaded and then read, a queue from MTE2 to the vector unit"; break;
      case Role::kOut:
        what += "computed and then stored, a queue from the vector unit to MTE3";
        break;
      case Role::kMove: what += "loaded and stored as it is, a queue from MTE2 to MTE3"; break;
      case Role::kCalc: what += "only computed with, a TBuf without a queue"; break;
    }
    if (k.roles[b] != Role::kCalc)
      what += k.depth[b] == 2 ? "; two buffers, since it is taken inside a loop and the next copy "
                                "can run beside this turn's arithmetic"
                              : "; one buffer, since it is taken once and nothing would overlap";
    out += what + "\n";
  }
  return out;
}

// Instructions of the stages in the order of the kernel's text.
void Stages(const LoweredKernel& k, const ir::Block& block,
            std::vector<const craft::StageCode*>& out) {
  for (const auto& s : block) {
    if (auto it = k.code.find(s.get()); it != k.code.end() && !it->second.instrs.empty())
      out.push_back(&it->second);
    Stages(k, s->body, out);
    Stages(k, s->other, out);
  }
}

std::string InstructionText(const LoweredKernel& k) {
  std::vector<const craft::StageCode*> stages;
  Stages(k, k.kernel.body, stages);
  std::string out;
  bool per_row = false;
  std::map<std::string, int> casts;
  for (size_t s = 0; s < stages.size(); ++s) {
    std::vector<std::string> names;
    for (const craft::Instr& in : stages[s]->instrs) {
      std::string name = in.text.substr(0, in.text.find_first_of("(<"));
      per_row |= in.per_row;
      if (name == "Cast")
        ++casts[in.text.find("CAST_NONE") != std::string::npos ? "widened to float"
                                                               : "rounded back"];
      if (names.size() < kMaxInstructions) names.push_back(name);
    }
    if (stages[s]->instrs.size() > kMaxInstructions)
      names.push_back(fmt::format("… {} in all", stages[s]->instrs.size()));
    out += fmt::format("Compute stage {} becomes {}.\n", s + 1, Join(names));
  }
  if (!casts.empty())
    out +=
        "Arithmetic is in float: narrow inputs are widened by Cast after the load, and the result "
        "is rounded once, by "
        "the Cast before the store.\n";
  if (per_row)
    out +=
        "Instructions that meet a row or leave one number per row run in a loop over the tile's "
        "rows; the others take "
        "the whole tile at once.\n";
  return out;
}

std::string MemoryText(const LoweredKernel& k) {
  std::string out;
  if (!k.temps.empty()) {
    out = fmt::format(
        "{} intermediate values share {} pieces of UB: a value's memory is free after its last use",
        k.temps.size(), k.slots.size());
    std::vector<std::string> names;
    for (const auto& s : k.slots)
      names.push_back(fmt::format("`{}` of {} bytes", s.name, ir::ToText(s.bytes)));
    if (names.size() <= 6) out += " (" + Join(names) + ")";
    out += ".\n";
  }
  out += fmt::format(
      "Rows of tiles begin at multiples of {} elements, 32 bytes at least; DataCopyPad moves the "
      "exact number of "
      "bytes, so that ragged ends need no code of their own.\n",
      k.granule);
  if (k.kernel.syncs)
    out +=
        "Cores meet once: what each one has put into the workspace is read only after SyncAll.\n";
  return out;
}
}  // namespace

std::string PlanReasoning(const Candidate& c, const craft::Limits& limits) {
  const LoweredProgram& p = Lowered(c);
  std::string out = "The operator takes " +
                    std::string(c.composition.lists ? "lists of tensors " : "") + InputsText(c) +
                    fmt::format(" in {}. ", DtypeText(c.composition));
  if (c.composition.dtypes.size() > 1)
    out +=
        "The dtypes are columns of one program: the arithmetic is the same, in float for the "
        "narrow ones.\n";
  if (c.composition.lists)
    out +=
        "The tensors of a list have shapes of their own; one after the other is taken by all "
        "cores.\n";
  out += fmt::format("The reference is a chain of {} operations, {} deep: {}.\n",
                     c.composition.nodes.size(), c.composition.depth,
                     Join(OperationsOf(c.composition)));
  out += Division(c, p.kernels[0]);
  if (p.kernels.size() > 1)
    out += fmt::format(
        "There are {} kernels: the host takes the plain one where a row fits in UB, and one that "
        "goes through a row in "
        "parts where it does not.\n",
        p.kernels.size());
  out += TileText(c, p.kernels[0], limits);
  out +=
      "All intermediate values stay in UB; each input is read from Global Memory once per pass "
      "over a tile, and each "
      "output is written once.\n";
  return out;
}

std::string LoweringReasoning(const Candidate& c, const craft::Limits& limits) {
  const LoweredProgram& p = Lowered(c);
  std::string out;
  for (size_t i = 0; i < p.kernels.size(); ++i) {
    const LoweredKernel& k = p.kernels[i];
    if (p.kernels.size() > 1) out += fmt::format("Kernel {}, tiling key {}:\n", k.kernel.name, i);
    out += "Buffers:\n" + BufferText(k) + InstructionText(k) + MemoryText(k);
    if (i > 0) out += TileText(c, k, limits);
  }
  out +=
      "Queues carry the order between the pipes: EnQue after a copy and DeQue before its use "
      "replace flags set by "
      "hand.\n";
  return out;
}

}  // namespace akgen::corpus
