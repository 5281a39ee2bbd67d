// Functions that a tiling function calls, as text.
#include "craft/emit/host_helpers.h"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>

namespace akgen::craft {

namespace {
struct HostHelper {
  const char* name;
  const char* text;
};
// In the order in which they may call each other.
const HostHelper kHostHelpers[] = {
    {"CeilDiv",
     "static inline int64_t CeilDiv(int64_t a, int64_t b) { return b == 0 ? 0 : (a + b - 1) / b; "
     "}\n"},
    {"FloorDiv",
     "static inline int64_t FloorDiv(int64_t a, int64_t b) {\n"
     "  return b == 0 ? 0 : a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);\n}\n"},
    {"FloorMod",
     "static inline int64_t FloorMod(int64_t a, int64_t b) { return b == 0 ? 0 : (a % b + b) % b; "
     "}\n"},
    {"Dim",
     "static inline int64_t Dim(const gert::Shape &s, int64_t i) {\n"
     "  const int64_t rank = static_cast<int64_t>(s.GetDimNum());\n"
     "  i = i < 0 ? i + rank : i;\n"
     "  return i >= 0 && i < rank ? s.GetDim(static_cast<size_t>(i)) : 1;\n}\n"},
    {"Prod",
     "// Product of the extents [from, to); negative numbers count from the end.\n"
     "static inline int64_t Prod(const gert::Shape &s, int64_t from, int64_t to) {\n"
     "  const int64_t rank = static_cast<int64_t>(s.GetDimNum());\n"
     "  from = from < 0 ? std::max<int64_t>(0, from + rank) : std::min(from, rank);\n"
     "  to = to < 0 ? to + rank : std::min(to, rank);\n"
     "  int64_t n = 1;\n"
     "  for (int64_t i = from; i < to; ++i) n *= s.GetDim(static_cast<size_t>(i));\n"
     "  return n;\n}\n"
     "template <typename List>\n"
     "static inline int64_t Prod(const List *list) {\n"
     "  int64_t n = 1;\n"
     "  for (size_t i = 0; i < list->GetSize(); ++i) n *= list->GetData()[i];\n"
     "  return n;\n}\n"},
    {"Items",
     "// A list of at most `most` integers, none negative, and how many there are; -1: it is "
     "none.\n"
     "template <typename List>\n"
     "static inline int64_t Items(const List *list, int64_t *to, size_t most) {\n"
     "  if (list->GetSize() > most) return -1;\n"
     "  for (size_t i = 0; i < list->GetSize(); ++i) {\n"
     "    to[i] = list->GetData()[i];\n    if (to[i] < 0) return -1;\n  }\n"
     "  return static_cast<int64_t>(list->GetSize());\n}\n"},
    {"Before",
     "// Elements of the first `pieces` pieces, whose extents are the lists' elements.\n"
     "template <typename... Lists>\n"
     "static inline int64_t Before(int64_t pieces, const Lists *...lists) {\n"
     "  int64_t sum = 0;\n"
     "  for (int64_t i = 0; i < pieces; ++i)\n"
     "    sum += ((i < static_cast<int64_t>(lists->GetSize()) ? lists->GetData()[i] : 0) * ...);\n"
     "  return sum;\n}\n"},
    {"Refused",
     "// No plan, for the reason `what`.\n"
     "static inline int64_t Refused(const char *&why, const char *what) {\n"
     "  why = what;\n  return -1;\n}\n"},
    {"Alike",
     "// Two lists of inputs with equally many tensors, which have equally many elements.\n"
     "static inline bool Alike(gert::TilingContext *context, size_t a, size_t b) {\n"
     "  const size_t n = context->GetIrInputInstanceInfo(a)->GetInstanceNum();\n"
     "  if (context->GetIrInputInstanceInfo(b)->GetInstanceNum() != n) return false;\n"
     "  for (size_t i = 0; i < n; ++i)\n"
     "    if (context->GetDynamicInputShape(a, i)->GetStorageShape().GetShapeSize() !=\n"
     "        context->GetDynamicInputShape(b, i)->GetStorageShape().GetShapeSize())\n"
     "      return false;\n"
     "  return true;\n}\n"},
    {"Fit",
     "// A multiple of `step` up to `most` (rounded up): the largest for which `bytes` fits in UB, "
     "or, with "
     "`cuts`, such that\n"
     "// turns over `most` are of equal length and of at most 1/cuts of that.\n"
     "template <typename F>\n"
     "static int64_t Fit(int64_t most, int64_t step, int64_t ub, int64_t cuts, F bytes) {\n"
     "  const int64_t all = std::max<int64_t>(1, CeilDiv(most, step));\n"
     "  int64_t low = 1, high = all;\n"
     "  while (low < high) {\n"
     "    const int64_t middle = low + (high - low + 1) / 2;\n"
     "    if (bytes(middle * step) <= ub) {\n      low = middle;\n    } else {\n      high = "
     "middle - 1;\n    }\n"
     "  }\n"
     "  return (cuts > 0 ? CeilDiv(all, CeilDiv(all, CeilDiv(low, cuts))) : low) * step;\n}\n"},
    {"Overlap",
     "// Cycles of a loop whose units work beside each other; `shared` is what all cores together "
     "ask of the "
     "memory. The first\n"
     "// turn's parts come one after the other.\n"
     "static inline int64_t Overlap(int64_t in, int64_t vector, int64_t out, int64_t scalar, "
     "int64_t shared,\n"
     "                              int64_t in1, int64_t vector1, int64_t out1) {\n"
     "  return std::max({in, vector, out, scalar, shared}) + in1 + vector1 + out1 - std::max({in1, "
     "vector1, "
     "out1});\n}\n"},
};
}  // namespace

std::string HostHelpers(const Target& target, const std::string& callers) {
  std::string functions, constants;
  auto used = [&](const std::string& name) {
    const std::string& text = functions + callers;
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
      if (at == 0 ||
          (!std::isalnum(static_cast<unsigned char>(text[at - 1])) && text[at - 1] != '_'))
        return true;
    return false;
  };
  for (auto h = std::rbegin(kHostHelpers); h != std::rend(kHostHelpers); ++h)
    if (used(std::string(h->name) + "(")) functions = h->text + functions;
  if (used("kUbReserve"))
    constants += fmt::format(
        "constexpr int64_t kUbReserve = {};  // for temporaries of the library's mathematical "
        "functions\n",
        kUbReserve);
  if (used("kMeetingCycles"))
    constants += fmt::format(
        "constexpr int64_t kMeetingCycles = {};  // until all cores go on, by the timing model\n",
        target.costs.sync_all);
  if (used("kBlockCycles"))
    constants += fmt::format(
        "constexpr int64_t kBlockCycles = {};  // what a launch takes longer for each core, by the "
        "timing model\n",
        target.costs.launch_core);
  return constants + (constants.empty() ? "" : "\n") + functions + (functions.empty() ? "" : "\n");
}

std::string BlockOfHelper(const Target& target, bool mixed) {
  const CubeCosts& c = target.cube;
  std::string out =
      "struct Block {\n  int64_t rows, cols;\n};\n"
      "// Sizes of the blocks of an m x n output: of those whose sums fit in L0C, the ones with "
      "the least time of the "
      "busiest core; `most`: columns that BiasTable holds.\n"
      "// Rates by the timing model: the Cube multiplies a pair of fractals a cycle (two for "
      "float), what brings "
      "operands to L1 and\n"
      "// from there to L0 works beside it, and the sums of a block leave before the next block's "
      "are complete.\n" +
      std::string(mixed ? "template <typename F>\n" : "") +
      "static Block BlockOf(int64_t m, int64_t n, int64_t k, int64_t bytes, int64_t most, int64_t "
      "cores" +
      (mixed ? ", F fits" : "") + ") {\n";
  out += fmt::format(
      "  constexpr double kIntoL1 = {}, kRow = {}, kIntoL0A = {}, kIntoL0B = {}, kLoad = {};  // "
      "B/cycle, cycles\n"
      "  constexpr double kMmad = {}, kOutOfL0C = {}, kFromL2 = {:.0f};  // cycles, "
      "elements/cycle, B/cycle\n"
      "  constexpr int64_t kMaxSums = {}, kHalfOfL0 = {};  // elements, bytes\n",
      c.in_rate, c.row, c.left_rate, c.right_rate, c.load_head, c.product_gap, c.out_rate,
      c.shared_in, target.l0c_bytes / 4, target.l0a_bytes / 2);
  out +=
      "  const int64_t granule = bytes == 1 ? 32 : 16;\n"
      "  Block best{granule, granule};\n"
      "  double least = 0;\n"
      "  for (int64_t tm = granule; tm <= 256; tm += granule) {\n"
      "    for (int64_t tn = granule; tn <= most && tm * tn <= kMaxSums; tn += granule) {\n"
      "      const int64_t blocks = CeilDiv(m, tm) * CeilDiv(n, tn), part = kHalfOfL0 / "
      "(std::max(tm, tn) * bytes) / "
      "granule * granule;\n" +
      std::string(mixed ? "      if (part == 0 || !fits(tm, tn)) continue;\n"
                        : "      if (part == 0) continue;\n") +
      "      const double rounds = static_cast<double>(CeilDiv(blocks, cores)), depth = "
      "static_cast<double>(k);\n"
      "      const double product = tm * tn / 256.0 * bytes / 32 * (bytes == 4 ? 2 : 1) + kMmad / "
      "part;\n"
      "      const double copies = (tm + tn) * bytes / kIntoL1 + kRow * (1 + tm / (4.0 * part));\n"
      "      const double loads = tm * bytes / kIntoL0A + tn * bytes / kIntoL0B + 2 * kLoad / "
      "part;\n"
      "      const double shared = static_cast<double>(std::min(blocks, cores) * (tm + tn) * "
      "bytes) / kFromL2;\n"
      "      const double first = std::min<double>(depth, 4.0 * part) * copies + tm * tn / "
      "kOutOfL0C;\n"
      "      const double cycles = rounds * (depth * std::max({product, copies, loads, shared}) + "
      "tm * tn / kOutOfL0C "
      "/ "
      "4) + first + kBlockCycles * std::min(blocks, cores);\n"
      "      if (least == 0 || cycles < least) {\n        least = cycles;\n        best = {tm, "
      "tn};\n      }\n"
      "    }\n  }\n  return best;\n}\n\n";
  return out;
}

}  // namespace akgen::craft
