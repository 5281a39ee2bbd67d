// op_kernel/<name>.cpp: helpers that are used, a class per kernel (shared by the columns of dtypes that differ in T
// only), the entry that chooses by tiling key.
#include <fmt/format.h>

#include <algorithm>

#include "craft/emit/cube_class.h"
#include "craft/emit/kernel_class.h"

namespace akgen::craft {
namespace {

// Written in the order in which they may call each other.
const Helper kHelpers[] = {
    {"CeilDiv", "__aicore__ inline int64_t CeilDiv(int64_t a, int64_t b) { return b == 0 ? 0 : (a + b - 1) / b; }\n"},
    {"FloorDiv",
     "__aicore__ inline int64_t FloorDiv(int64_t a, int64_t b) {\n"
     "  return b == 0 ? 0 : a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);\n}\n"},
    {"FloorMod",
     "__aicore__ inline int64_t FloorMod(int64_t a, int64_t b) {\n"
     "  return b == 0 ? 0 : (a % b + b) % b;\n}\n"},
    {"Least", "template <typename N>\n__aicore__ inline N Least(N a, N b) {\n  return a < b ? a : b;\n}\n"},
    {"Most", "template <typename N>\n__aicore__ inline N Most(N a, N b) {\n  return a > b ? a : b;\n}\n"},
    {"AsFloat",
     "__aicore__ inline float AsFloat(bfloat16_t v) { return ToFloat(v); }\n"
     "__aicore__ inline float AsFloat(half v) { return static_cast<float>(v); }\n"},
    {"ListItem",
     "template <typename E>\n"
     "__aicore__ inline GlobalTensor<E> ListItem(ListTensorDesc &list, int64_t i) {\n"
     "  GlobalTensor<E> tensor;\n"
     "  tensor.SetGlobalBuffer(list.GetDataPtr<E>(static_cast<uint32_t>(i)));\n"
     "  return tensor;\n}\n"},
    {"LoadRows",
     "// Rows of `cols` elements, `stride` apart in GM and `pitch` apart in UB. One copy moves at most 4095 rows.\n"
     "template <typename E>\n"
     "__aicore__ inline void LoadRows(const LocalTensor<E> &to, const GlobalTensor<E> &from, int64_t rows, int64_t "
     "cols,\n"
     "                                int64_t stride, int64_t pitch) {\n"
     "  const int64_t blocks = (cols * sizeof(E) + 31) / 32;\n"
     "  DataCopyPadExtParams<E> pad{false, 0, 0, 0};\n"
     "  for (int64_t r = 0; r < rows; r += 4095) {\n"
     "    const int64_t n = rows - r < 4095 ? rows - r : 4095;\n"
     "    const int64_t gap = n > 1 ? (stride - cols) * sizeof(E) : 0, skip = n > 1 ? pitch * sizeof(E) / 32 - blocks "
     ": 0;\n"
     "    DataCopyExtParams params{static_cast<uint16_t>(n), static_cast<uint32_t>(cols * sizeof(E)),\n"
     "                             static_cast<uint32_t>(gap), static_cast<uint32_t>(skip), 0};\n"
     "    DataCopyPad(to[r * pitch], from[r * stride], params, pad);\n"
     "  }\n}\n"},
    {"StoreRows",
     "template <typename E>\n"
     "__aicore__ inline void StoreRows(const GlobalTensor<E> &to, const LocalTensor<E> &from, int64_t rows, int64_t "
     "cols,\n"
     "                                 int64_t stride, int64_t pitch) {\n"
     "  const int64_t blocks = (cols * sizeof(E) + 31) / 32;\n"
     "  for (int64_t r = 0; r < rows; r += 4095) {\n"
     "    const int64_t n = rows - r < 4095 ? rows - r : 4095;\n"
     "    const int64_t gap = n > 1 ? (stride - cols) * sizeof(E) : 0, skip = n > 1 ? pitch * sizeof(E) / 32 - blocks "
     ": 0;\n"
     "    DataCopyExtParams params{static_cast<uint16_t>(n), static_cast<uint32_t>(cols * sizeof(E)),\n"
     "                             static_cast<uint32_t>(skip), static_cast<uint32_t>(gap), 0};\n"
     "    DataCopyPad(to[r * stride], from[r * pitch], params);\n"
     "  }\n}\n"},
    {"RowsJoin",
     "constexpr int kAdd = 0, kMax = 1, kMin = 2, kSub = 3, kMul = 4, kDiv = 5, kSecond = 6;\n"
     "// One instruction: `n` elements of each of `times` repeats.\n"
     "template <int How>\n"
     "__aicore__ inline void RowsJoin(const LocalTensor<float> &to, const LocalTensor<float> &a, const "
     "LocalTensor<float> &b, int64_t n,\n"
     "                                int64_t times, const BinaryRepeatParams &p) {\n"
     "  const uint64_t mask = static_cast<uint64_t>(n);\n"
     "  const uint8_t repeat = static_cast<uint8_t>(times);\n"
     "  if constexpr (How == kAdd) Add(to, a, b, mask, repeat, p);\n"
     "  else if constexpr (How == kMax || How == kSecond) Max(to, a, b, mask, repeat, p);\n"
     "  else if constexpr (How == kMin) Min(to, a, b, mask, repeat, p);\n"
     "  else if constexpr (How == kSub) Sub(to, a, b, mask, repeat, p);\n"
     "  else if constexpr (How == kMul) Mul(to, a, b, mask, repeat, p);\n"
     "  else Div(to, a, b, mask, repeat, p);\n}\n"},
    {"Fold",
     "template <int How>\n"
     "__aicore__ inline void Fold(const LocalTensor<float> &to, const LocalTensor<float> &from, int64_t n) {\n"
     "  if (n <= 0) return;\n"
     "  const int32_t count = static_cast<int32_t>(n);\n"
     "  if constexpr (How == kAdd) Add(to, to, from, count);\n"
     "  else if constexpr (How == kMax) Max(to, to, from, count);\n"
     "  else if constexpr (How == kMul) Mul(to, to, from, count);\n"
     "  else Min(to, to, from, count);\n}\n"},
    {"RowsReduce",
     "// One number for each row, `apart` elements from the next; rows lie `pitch` elements apart. Many short rows are "
     "folded\n"
     "// onto their first 64 columns side by side, others each onto its half again and again. `work` takes 4096 "
     "elements, or a row.\n"
     "template <int How>\n"
     "__aicore__ inline void RowsReduce(const LocalTensor<float> &to, const LocalTensor<float> &from, const "
     "LocalTensor<float> &work,\n"
     "                                  int64_t rows, int64_t cols, int64_t pitch, int64_t apart) {\n"
     "  const bool beside = rows > 3 && pitch <= 2040;\n"
     "  const uint8_t step = static_cast<uint8_t>(beside ? pitch / 8 : 8);\n"
     "  for (int64_t r = 0; r < rows; r += beside ? 64 : 1) {\n"
     "    const int64_t times = beside ? (rows - r < 64 ? rows - r : 64) : 1;\n"
     "    LocalTensor<float> x = from[r * pitch];\n"
     "    int64_t n = cols;\n"
     "    if (beside && cols > 64) {\n"
     "      int64_t at = 64;\n"
     "      if (cols >= 128) {\n"
     "        RowsJoin<How>(work, x, x[64], 64, times, {1, 1, 1, 8, step, step});\n"
     "        at = 128;\n"
     "      } else {\n"
     "        Muls(work, x, 1.0f, static_cast<uint64_t>(64), static_cast<uint8_t>(times), {1, 1, 8, step});\n"
     "      }\n"
     "      for (; at < cols; at += 64) {\n"
     "        RowsJoin<How>(work, work, x[at], cols - at < 64 ? cols - at : 64, times, {1, 1, 1, 8, 8, step});\n"
     "      }\n"
     "    } else if (!beside && cols > 64) {\n"
     "      int64_t half = (cols + 127) / 128 * 64;\n"
     "      Muls(work, x, 1.0f, static_cast<int32_t>(half));\n"
     "      Fold<How>(work, x[half], cols - half);\n"
     "      for (n = half; n > 64; n = half) {\n"
     "        half = (n + 127) / 128 * 64;\n"
     "        Fold<How>(work, work[half], n - half);\n"
     "      }\n"
     "    }\n"
     "    const bool folded = cols > 64;\n"
     "    const int32_t mask = static_cast<int32_t>(folded ? 64 : cols);\n"
     "    const int32_t repeat = static_cast<int32_t>(times), distance = folded ? 8 : step, gap = "
     "static_cast<int32_t>(apart);\n"
     "    const LocalTensor<float> &y = folded ? work : x;\n"
     "    if constexpr (How == kAdd) WholeReduceSum(to[r * apart], y, mask, repeat, gap, 1, distance);\n"
     "    else if constexpr (How == kMax) WholeReduceMax(to[r * apart], y, mask, repeat, gap, 1, distance, "
     "ReduceOrder::ORDER_ONLY_VALUE);\n"
     "    else WholeReduceMin(to[r * apart], y, mask, repeat, gap, 1, distance, ReduceOrder::ORDER_ONLY_VALUE);\n"
     "  }\n}\n"},
    {"ColumnsReduce",
     "// All rows joined to one: halves of as many rows as `work`, 4096 elements, can take, or row after row.\n"
     "template <int How>\n"
     "__aicore__ inline void ColumnsReduce(const LocalTensor<float> &to, const LocalTensor<float> &from, const "
     "LocalTensor<float> &work,\n"
     "                                     int64_t rows, int64_t cols, int64_t pitch) {\n"
     "  const int64_t most = 4096 / pitch < 2 ? 1 : 4096 / pitch * 2;\n"
     "  for (int64_t r = 0; r < rows; r += most) {\n"
     "    int64_t n = rows - r < most ? rows - r : most;\n"
     "    const LocalTensor<float> x = from[r * pitch];\n"
     "    if (n > 1) {\n"
     "      int64_t half = (n + 1) / 2;\n"
     "      Muls(work, x, 1.0f, static_cast<int32_t>(half * pitch));\n"
     "      Fold<How>(work, x[half * pitch], (n - half) * pitch);\n"
     "      for (n = half; n > 1; n = half) {\n"
     "        half = (n + 1) / 2;\n"
     "        Fold<How>(work, work[half * pitch], (n - half) * pitch);\n"
     "      }\n"
     "      if (r == 0) Muls(to, work, 1.0f, static_cast<int32_t>(cols));\n"
     "      else Fold<How>(to, work, cols);\n"
     "    } else if (r == 0) {\n"
     "      Muls(to, x, 1.0f, static_cast<int32_t>(cols));\n"
     "    } else {\n"
     "      Fold<How>(to, x, cols);\n"
     "    }\n"
     "  }\n}\n"},
    {"RowsColumn",
     "// to = a op b, where one of the two has a number for each row, `apart` elements from the next: it is spread to "
     "a block for\n"
     "// each row. `work` takes 2304 elements.\n"
     "template <int How, bool First = false>\n"
     "__aicore__ inline void RowsColumn(const LocalTensor<float> &to, const LocalTensor<float> &full, const "
     "LocalTensor<float> &column,\n"
     "                                  const LocalTensor<float> &work, int64_t rows, int64_t cols, int64_t pitch, "
     "int64_t apart) {\n"
     "  LocalTensor<float> blocks = work[256];\n"
     "  const uint8_t step = static_cast<uint8_t>(pitch / 8);\n"
     "  for (int64_t r = 0; r < rows; r += 248) {\n"
     "    const int64_t n = rows - r < 248 ? rows - r : 248;\n"
     "    Duplicate(work, 0.0f, 256);\n"
     "    WholeReduceMax(work, column[r * apart], 1, static_cast<int32_t>(n), 1, 1, static_cast<int32_t>(apart / 8), "
     "ReduceOrder::ORDER_ONLY_VALUE);\n"
     "    Brcb(blocks, work, static_cast<uint8_t>((n + 7) / 8), {1, 8});\n"
     "    if (n * 64 > cols && pitch <= 2040) {\n"
     "      for (int64_t c = 0; c < cols; c += 64) {\n"
     "        LocalTensor<float> y = to[r * pitch + c], x = How == kSecond ? blocks : full[r * pitch + c];\n"
     "        const int64_t w = cols - c < 64 ? cols - c : 64;\n"
     "        if constexpr (How == kSecond) RowsJoin<How>(y, blocks, blocks, w, n, {1, 0, 0, step, 1, 1});\n"
     "        else if constexpr (First) RowsJoin<How>(y, blocks, x, w, n, {1, 0, 1, step, 1, step});\n"
     "        else RowsJoin<How>(y, x, blocks, w, n, {1, 1, 0, step, step, 1});\n"
     "      }\n"
     "      continue;\n"
     "    }\n"
     "    for (int64_t i = 0; i < n; ++i) {\n"
     "      LocalTensor<float> b = blocks[i * 8];\n"
     "      for (int64_t c = 0; c < cols;) {\n"
     "        const int64_t times = cols - c < 64 ? 1 : cols - c < 255 * 64 ? (cols - c) / 64 : 255, w = cols - c < 64 "
     "? cols - c : 64;\n"
     "        LocalTensor<float> y = to[(r + i) * pitch + c], x = How == kSecond ? b : full[(r + i) * pitch + c];\n"
     "        if constexpr (How == kSecond) RowsJoin<How>(y, b, b, w, times, {1, 0, 0, 8, 0, 0});\n"
     "        else if constexpr (First) RowsJoin<How>(y, b, x, w, times, {1, 0, 1, 8, 0, 8});\n"
     "        else RowsJoin<How>(y, x, b, w, times, {1, 1, 0, 8, 8, 0});\n"
     "        c += w == 64 ? times * 64 : w;\n"
     "      }\n"
     "    }\n"
     "  }\n}\n"},
    {"RowsRow",
     "// to = a op b, where one of the two is a row for all rows.\n"
     "template <int How, bool First = false>\n"
     "__aicore__ inline void RowsRow(const LocalTensor<float> &to, const LocalTensor<float> &full, const "
     "LocalTensor<float> &row,\n"
     "                               int64_t rows, int64_t cols, int64_t pitch) {\n"
     "  const bool beside = rows * 64 > cols && pitch <= 2040;\n"
     "  const uint8_t step = static_cast<uint8_t>(beside ? pitch / 8 : 8);\n"
     "  for (int64_t r = 0; r < rows; r += beside ? 255 : 1) {\n"
     "    const int64_t n = rows - r < 255 ? rows - r : 255;\n"
     "    for (int64_t c = 0; c < cols;) {\n"
     "      const int64_t whole = cols - c < 64 ? 1 : cols - c < 255 * 64 ? (cols - c) / 64 : 255, w = cols - c < 64 ? "
     "cols - c : 64;\n"
     "      const int64_t times = beside ? n : whole;\n"
     "      const uint8_t fixed = beside ? 0 : 8;\n"
     "      if constexpr (How == kSecond) RowsJoin<How>(to[r * pitch + c], row[c], row[c], w, times, {1, 1, 1, step, "
     "fixed, fixed});\n"
     "      else if constexpr (First) RowsJoin<How>(to[r * pitch + c], row[c], full[r * pitch + c], w, times, {1, 1, "
     "1, step, fixed, step});\n"
     "      else RowsJoin<How>(to[r * pitch + c], full[r * pitch + c], row[c], w, times, {1, 1, 1, step, step, "
     "fixed});\n"
     "      c += beside || w < 64 ? w : whole * 64;\n"
     "    }\n"
     "  }\n}\n"}};

std::string Upper(const std::string& s) {
  std::string out;
  for (char c : s) out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

// The dtype that names the column: that of the first tensor parameter whose dtype varies.
size_t MainParam(const std::vector<LoweredProgram>& columns) {
  const auto& params = columns[0].program.params;
  for (size_t i = 0; i < params.size(); ++i)
    for (const auto& c : columns)
      if (!params[i].is_attr && c.program.params[i].dtype != params[i].dtype) return i;
  for (size_t i = 0; i < params.size(); ++i)
    if (!params[i].is_attr) return i;
  return 0;
}

std::string DtypeMacroType(base::Dtype d) { return d == base::Dtype::kBool ? "bool" : CppType(d); }
// Complex numbers have no type in kernels: with them, dtypes are told by their numbers.
std::string DtypeMacroNumber(base::Dtype d) { return GeType(d).substr(4); }

// The class of one kernel: definitions shared by columns, and for each column the type to use.
struct Classes {
  std::string definitions;
  std::vector<std::string> type;  // by column
};

std::string BodyOf(const LoweredProgram& p, size_t kernel, base::Dtype main, bool vector, std::set<std::string>& uses,
                   bool& is_template) {
  if (p.kernels[kernel].cube && !vector) {
    CubeClass w(p, kernel, main);
    std::string body = w.Body(uses);
    is_template = w.IsTemplate();
    return body;
  }
  KernelClass w(p, kernel, main);
  std::string body = w.Body(uses);
  is_template = w.IsTemplate();
  return body;
}

// `vector`: of a kernel with products, what its Vector cores do.
Classes ClassesOf(const std::vector<LoweredProgram>& columns, size_t kernel, size_t main, bool vector,
                  std::set<std::string>& uses) {
  Classes out;
  std::vector<std::pair<std::string, std::string>> bodies;  // body, class name
  for (const LoweredProgram& c : columns) {
    base::Dtype d = c.program.params.empty() ? base::Dtype::kFloat32 : c.program.params[main].dtype;
    bool is_template = false;
    std::string body = BodyOf(c, kernel, d, vector, uses, is_template), name;
    for (const auto& [b, n] : bodies)
      if (b == body) name = n;
    if (name.empty()) {
      name = CamelCase(c.kernels[kernel].kernel.name) + (vector ? "Vector" : "");
      size_t launches = 0;
      for (size_t k = 0; k < kernel; ++k) launches += c.kernels[k].kernel.name == c.kernels[kernel].kernel.name;
      if (launches > 0) name += fmt::format("{}", launches + 1);
      if (!bodies.empty()) name += Upper(std::string(ir::ShortName(d)));
      for (const auto& b : bodies)
        if (b.second == name) name += fmt::format("{}", bodies.size());
      bodies.push_back({body, name});
      out.definitions +=
          fmt::format("{}class {} {{\n{}}};\n\n", is_template ? "template <typename T>\n" : "", name, body);
    }
    out.type.push_back(is_template ? fmt::format("{}<{}>", name, CppType(d)) : name);
  }
  return out;
}

// Which class serves which dtypes, when columns differ: a specialisation per column.
std::string Chooser(const std::vector<LoweredProgram>& columns, const std::string& name, const Classes& classes,
                    const std::vector<size_t>& varying, bool numbers) {
  std::string out = fmt::format("template <{}... Dtypes>\nstruct {};\n", numbers ? "int" : "typename", name);
  std::set<std::string> seen;
  for (size_t c = 0; c < columns.size(); ++c) {
    std::string types;
    for (size_t v : varying)
      types += (types.empty() ? "" : ", ") +
               (numbers ? DtypeMacroNumber : DtypeMacroType)(columns[c].program.params[v].dtype);
    if (!seen.insert(types).second) continue;
    out += fmt::format("template <>\nstruct {}<{}> {{\n  using Type = {};\n}};\n", name, types, classes.type[c]);
  }
  return out + "\n";
}

// Tensor parameters whose dtype differs between columns.
std::vector<size_t> VaryingParams(const std::vector<LoweredProgram>& columns) {
  const auto& params = columns[0].program.params;
  std::vector<size_t> out;
  for (size_t i = 0; i < params.size(); ++i)
    if (!params[i].is_attr && std::any_of(columns.begin(), columns.end(),
                                          [&](const auto& c) { return c.program.params[i].dtype != params[i].dtype; }))
      out.push_back(i);
  return out;
}

std::string RingOffsetName(const LoweredProgram& p, size_t kernel, const Ring& ring) {
  return SafeName(ring.name) + (p.program.sequence ? fmt::format("{}Offset", kernel) : "Offset");
}

// Between two kernels of a sequence.
constexpr const char* kNextKernel =
    "// Behind it all cores have ended the kernel before.\n"
    "__aicore__ inline void NextKernel() {{\n  PipeBarrier<PIPE_ALL>();\n  {}\n}}\n\n";

// Where rings and the program's own workspaces begin.
std::string Offsets(const LoweredProgram& p) {
  std::string out;
  for (size_t k = 0; k < p.kernels.size(); ++k)
    for (const Ring& r : p.kernels[k].rings)
      out += fmt::format("  const int64_t {} = t.{};\n", RingOffsetName(p, k, r), OffsetOf(p, k, r));
  for (const auto& t : p.program.tensors)
    if (t.kind == ir::HostTensor::kWorkspace)
      out += fmt::format("  const int64_t {0}Offset = t.{0}_offset;\n", SafeName(t.name));
  return out;
}

}  // namespace

std::string EmitKernelFile(const std::vector<LoweredProgram>& columns) {
  const LoweredProgram& p = columns[0];
  const ir::Program& program = p.program;
  const std::vector<size_t> varying = VaryingParams(columns);
  std::set<std::string> uses;
  std::string classes, entry;
  bool syncs = false;
  const std::vector<ir::LaunchSite> sites = ir::LaunchSites(program);
  auto address = [&](const std::string& tensor) {
    const ir::HostTensor* t = program.Tensor(tensor);
    if (!t || t->kind != ir::HostTensor::kWorkspace) return SafeName(tensor);
    return fmt::format("user + {}Offset", SafeName(tensor));
  };
  bool rings = false;
  // The class of a kernel, or of its Vector cores' part: its type, with its definitions printed.
  auto type_of = [&](size_t k, bool vector) {
    Classes c = ClassesOf(columns, k, MainParam(columns), vector, uses);
    classes += c.definitions;
    std::string type = c.type[0];
    if (std::all_of(c.type.begin(), c.type.end(), [&](const auto& t) { return t == type; })) return type;
    std::string chooser =
        CamelCase(p.kernels[k].kernel.name) + (k ? fmt::format("{}", k) : "") + (vector ? "VectorFor" : "For");
    bool numbers = false;
    for (const auto& column : columns)
      for (size_t v : varying) numbers |= column.program.params[v].dtype == base::Dtype::kComplex64;
    classes += Chooser(columns, chooser, c, varying, numbers);
    std::string macros;
    for (size_t v : varying)
      macros += std::string(macros.empty() ? "" : ", ") + (numbers ? "ORIG_DTYPE_" : "DTYPE_") +
                Upper(program.params[v].name);
    return fmt::format("{}<{}>::Type", chooser, macros);
  };
  const bool mixed = program.sequence && program.HasCube();
  for (size_t k = 0; k < p.kernels.size(); ++k) {
    const LoweredKernel& kernel = p.kernels[k];
    syncs |= kernel.kernel.syncs || program.sequence;
    rings |= kernel.Mixed();
    std::string args;
    for (const auto& t : sites[k].launch->tensors) args += address(t) + ", ";
    for (const Ring& r : kernel.rings) args += fmt::format("user + {}, ", RingOffsetName(p, k, r));
    auto run = [&](const std::string& in, const std::string& type) {
      return fmt::format("{0}{1} kernel;\n{0}kernel.Init({2}t);\n{0}kernel.Process();\n", in, type, args);
    };
    // Of a sequence: on the cores that this kernel was launched on; the others wait wherever these do.
    auto on_own = [&](const std::string& in, const std::string& type, const char* core) {
      if (!program.sequence) return run(in, type);
      std::string out = fmt::format("{0}if ({1} < t.{2}) {{\n{3}{0}}}", in, core, CoresField(k), run(in + "  ", type));
      const auto syncs_of = std::count_if(kernel.kernel.body.begin(), kernel.kernel.body.end(),
                                          [](const auto& s) { return s->kind == ir::Stmt::kSync; });
      if (syncs_of == 0) return out + "\n";
      out += " else {\n";
      for (std::ptrdiff_t n = 0; n < syncs_of; ++n) out += in + "  SyncAll();\n";
      return out + in + "}\n";
    };
    auto run_on = [&](const char* cores, const std::string& in, const std::string& type, const char* core) {
      return fmt::format("{0}if ASCEND_IS_{1} {{\n{2}{0}}}\n", in, cores, on_own(in + "  ", type, core));
    };
    const char* core = "static_cast<int64_t>(GetBlockIdx())";
    const char* block = "static_cast<int64_t>(GetBlockIdx() / GetSubBlockNum())";
    std::string in = "  ";
    if (program.sequence) {
      if (sites[k].conditional) entry += fmt::format("  if (t.{} != 0) {{\n", RunsField(k)), in = "    ";
      if (k > 0) entry += in + "NextKernel();\n";
    } else if (p.kernels.size() > 1) {
      entry += fmt::format("  {}if (TILING_KEY_IS({})) {{\n", k ? "} else " : "", k), in = "    ";
    }
    const std::string type = type_of(k, false);
    if (kernel.Mixed()) entry += run_on("AIC", in, type, core) + run_on("AIV", in, type_of(k, true), block);
    else if (mixed) entry += run_on(kernel.cube ? "AIC" : "AIV", in, type, core);
    else entry += on_own(in, type, core);
    if (program.sequence && sites[k].conditional) entry += "  }\n";
  }
  if (p.kernels.size() > 1 && !program.sequence) entry += "  }\n";
  std::string out =
      fmt::format("// Lowered by akgen craft from the program `{}`.\n#include \"kernel_operator.h\"\n", program.name);
  if (uses.count("ListItem")) out += "#include \"kernel_operator_list_tensor_intf.h\"\n";
  out += "using namespace AscendC;\n\n";
  for (const Helper& h : kHelpers)
    if (uses.count(h.name)) out += std::string(h.text) + "\n";
  for (const Helper& h : CubeHelpers())
    if (uses.count(h.name)) out += std::string(h.text) + "\n";
  for (const Helper& h : LaneHelpers())
    if (uses.count(h.name)) out += std::string(h.text) + "\n";
  if (program.sequence)
    out += fmt::format(kNextKernel, mixed ? "SyncAll<false>();" : "if (GetBlockNum() > 1) SyncAll();");
  out += classes + fmt::format("extern \"C\" __global__ __aicore__ void {}(", program.name);
  for (const auto& param : program.params)
    if (!param.is_attr) out += fmt::format("GM_ADDR {}, ", SafeName(param.name));
  std::string prologue;
  for (const auto& t : program.tensors)
    if (t.kind != ir::HostTensor::kWorkspace) out += fmt::format("GM_ADDR {}, ", SafeName(t.name));
  out += "GM_ADDR workspace, GM_ADDR tiling) {\n";
  if (rings || mixed) out += "  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);\n";
  else if (syncs) out += "  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);\n";
  out += "  GET_TILING_DATA(t, tiling);\n";
  prologue += Offsets(p);
  const bool workspace = !prologue.empty();
  if (workspace) out += "  GM_ADDR user = GetUserWorkspace(workspace);\n" + prologue;
  return out + entry + "}\n";
}

}  // namespace akgen::craft
