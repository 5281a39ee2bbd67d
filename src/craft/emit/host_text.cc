// Host expressions as C++.
#include "craft/emit/host_writer.h"

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

std::string HostWriter::Helpers(const std::string& callers) const {
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
  if (used("kBlockCycles"))
    constants += fmt::format(
        "constexpr int64_t kBlockCycles = {};  // what a launch takes longer for each core, by the "
        "timing model\n",
        p_.target.costs.launch_core);
  return constants + (constants.empty() ? "" : "\n") + functions + (functions.empty() ? "" : "\n");
}

std::string HostWriter::CubeHelper() const {
  const CubeCosts& c = p_.target.cube;
  const bool mixed =
      std::any_of(p_.kernels.begin(), p_.kernels.end(), [](const auto& k) { return k.Mixed(); });
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
      c.shared_in, p_.target.l0c_bytes / 4, p_.target.l0a_bytes / 2);
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

size_t HostWriter::InputIndex(const std::string& name) const {
  size_t n = 0;
  for (const auto& p : program_.params) {
    if (p.name == name) return n;
    n += !p.is_attr;
  }
  return 0;
}

size_t HostWriter::OutputIndex(const std::string& name) const {
  size_t n = 0;
  for (const auto& t : program_.tensors) {
    if (t.name == name) return n;
    n += t.kind != HostTensor::kWorkspace;
  }
  return 0;
}

size_t HostWriter::AttrIndex(const std::string& name) const {
  size_t n = 0;
  for (const auto& p : program_.params) {
    if (p.name == name) return n;
    n += p.is_attr;
  }
  return 0;
}

std::string HostWriter::Shape(const std::string& tensor) {
  const ir::HostParam* p = program_.Param(tensor);
  if (!p) return fmt::format("context->GetOutputShape({})->GetStorageShape()", OutputIndex(tensor));
  size_t i = InputIndex(tensor);
  const char* kind = p && p->is_list    ? "DynamicInputShape"
                     : p && p->optional ? "OptionalInputShape"
                                        : "RequiredInputShape";
  return fmt::format("context->Get{}({}{})->GetStorageShape()", kind, i,
                     p && p->is_list ? ", 0" : "");
}

std::string HostWriter::ShapeCall(const S& s, const std::string& fn) {
  std::string out = fn == "prod" ? "1" : "0";
  for (const ir::ShapePart& part : s->shape) {
    const ir::HostParam* p = part.value ? nullptr : program_.Param(part.tensor);
    std::string term;
    if (part.value) {
      term = fn == "prod" ? Scalar(part.value) : "1";
    } else if (p && p->is_int_list) {
      term = fmt::format(
          fmt::runtime(fn == "prod" ? "Prod(attrs->GetListInt({}))"
                                    : "static_cast<int64_t>(attrs->GetListInt({})->GetSize())"),
          AttrIndex(part.tensor));
    } else if (fn == "prod") {
      term = fmt::format("Prod({}, {}, {})", Shape(part.tensor),
                         part.first ? Scalar(part.first) : std::to_string(part.from),
                         part.last     ? Scalar(part.last)
                         : part.to_end ? "99"
                                       : std::to_string(part.to));
    } else {
      term = fmt::format("static_cast<int64_t>({}.GetDimNum())", Shape(part.tensor));
      if (part.from > 0) term += fmt::format(" - {}", part.from);
      if (!part.to_end && part.to < 0) term += fmt::format(" - {}", -part.to);
    }
    out = out == (fn == "prod" ? "1" : "0")
              ? term
              : fmt::format("{} {} {}", out, fn == "prod" ? "*" : "+", term);
  }
  return s->shape.size() > 1 ? "(" + out + ")" : out;
}

std::string HostWriter::List(const std::string& name) const {
  return fmt::format("attrs->GetListInt({})", AttrIndex(name));
}

std::string HostWriter::Call(const S& s) {
  const std::string& f = s->text;
  auto arg = [&](size_t i) { return Scalar(s->args[i]); };
  if (f == "length") return fmt::format("static_cast<int64_t>({}->GetSize())", List(s->tensor));
  if (f == "before") {
    std::string lists;
    for (size_t i = 1; i < s->args.size(); ++i) lists += ", " + List(s->args[i]->text);
    return fmt::format("Before({}{})", arg(0), lists);
  }
  if (f == "cube_cores" || (f == "best_cores" && program_.HasCube())) return "cube_cores";
  if (f == "block_rows" || f == "block_cols")
    return fmt::format("BlockOf({}, {}, {}, {}, {}, cube_cores{}).{}", arg(0), arg(1), arg(2),
                       operand_bytes_, with_row_ ? 256 : 512, fits_,
                       f == "block_rows" ? "rows" : "cols");
  if (f == "quotient") return fmt::format("FloorDiv({}, {})", arg(0), arg(1));
  if (f == "remainder") return fmt::format("FloorMod({}, {})", arg(0), arg(1));
  if (f == "block_row") return fmt::format("FloorDiv({}, {})", arg(0), arg(2));
  if (f == "block_col") return fmt::format("FloorMod({}, {})", arg(0), arg(2));
  if (f == "best_cores") return "cores";
  if (f == "vector_cores") return "all_cores";
  if (f == "cores") return "blocks";  // in a kernel's cycles
  if (f == "dim") {
    const ir::HostParam* p = program_.Param(s->tensor);
    if (p && p->is_int_list) return fmt::format("{}->GetData()[{}]", List(s->tensor), arg(0));
    return fmt::format("Dim({}, {})", Shape(s->tensor), arg(0));
  }
  if (f == "numel") return Shape(s->tensor) + ".GetShapeSize()";
  if (f == "count")
    return fmt::format(
        "static_cast<int64_t>(context->GetIrInputInstanceInfo({})->GetInstanceNum())",
        InputIndex(s->tensor));
  if (f == "alike")
    return fmt::format("Alike(context, {}, {})", InputIndex(s->tensor),
                       InputIndex(s->args[0]->text));
  if (f == "present")
    return fmt::format("(context->GetOptionalInputShape({}) != nullptr)", InputIndex(s->tensor));
  if (f == "is_dtype")
    return fmt::format("({}->GetDataType() == {})", Desc(s->tensor),
                       GeType(*ir::DtypeFromShort(s->args[0]->text)));
  if (f == "prod" || f == "len") return ShapeCall(s, f);
  if (f == "int") return fmt::format("static_cast<int64_t>({})", arg(0));
  if (f == "float") return fmt::format("static_cast<double>({})", arg(0));
  if (f == "ceil_div") return fmt::format("CeilDiv({}, {})", arg(0), arg(1));
  if (f == "overlap")
    return fmt::format("Overlap({}, {}, {}, {}, {}, {}, {}, {})", arg(0), arg(1), arg(2), arg(3),
                       arg(4), arg(5), arg(6), arg(7));
  if (f == "min" || f == "max")
    return fmt::format("std::{}<{}>({}, {})", f, CppScalar(s->type), arg(0), arg(1));
  if (f == "tune") return Scalar(s->args[0]);
  needs_math_ = true;
  std::string out = "std::" + f + "(" + (f == "pow" ? "" : "static_cast<double>(") + arg(0);
  return f == "pow" ? fmt::format("{}, {})", out, arg(1)) : out + "))";
}

std::string HostWriter::Scalar(const S& s, int least) {
  std::string out;
  int level = 9;
  switch (s->kind) {
    case SKind::kConst:
      if (s->type == Ty::kFloat)
        return std::isinf(s->f)
                   ? fmt::format("{}std::numeric_limits<double>::infinity()", s->f < 0 ? "-" : "")
                   : ir::ToText(s);
      if (s->type == Ty::kBool) return s->i ? "true" : "false";
      if (s->type == Ty::kString) return fmt::format("std::string(\"{}\")", s->text);
      return fmt::format("{}", s->i);
    case SKind::kVar: return SafeName(s->text);
    case SKind::kUnary: return (s->text == "not" ? "!" : "-") + Scalar(s->args[0], 9);
    case SKind::kSelect:
      out = fmt::format("{} ? {} : {}", Scalar(s->args[1], 1), Scalar(s->args[0], 1),
                        Scalar(s->args[2]));
      level = 0;
      break;
    case SKind::kBinary: {
      const std::string& t = s->text;
      if (t == "//" || t == "%")
        return fmt::format("{}({}, {})", t == "//" ? "FloorDiv" : "FloorMod", Scalar(s->args[0]),
                           Scalar(s->args[1]));
      if (t == "/")
        return fmt::format("(static_cast<double>({}) / static_cast<double>({}))",
                           Scalar(s->args[0]), Scalar(s->args[1]));
      level = t == "or" ? 1 : t == "and" ? 2 : t == "+" || t == "-" ? 5 : t == "*" ? 6 : 4;
      out = fmt::format("{} {} {}", Scalar(s->args[0], level),
                        t == "or"    ? "||"
                        : t == "and" ? "&&"
                                     : t,
                        Scalar(s->args[1], level + 1));
      break;
    }
    case SKind::kCall: return Call(s);
  }
  return level < least ? "(" + out + ")" : out;
}

}  // namespace akgen::craft
