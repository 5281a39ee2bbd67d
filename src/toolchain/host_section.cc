#include "toolchain/host_section.h"

#include <algorithm>
#include <array>

#include "base/regex.h"
#include "toolchain/rewrite.h"

namespace akgen::toolchain {
namespace {
struct Line {
  size_t begin, end;
};

// Exactly one, as the benchmark asks.
std::optional<Line> Marker(const std::string& text) {
  static const base::Regex marker(R"((?m)^[ \t]*//[ \t=]*ASCEND_HOST_SECTION[ \t=]*$)");
  const auto all = marker.All(text);
  if (all.size() != 1) return std::nullopt;
  return Line{all[0][0].begin, all[0][0].begin + all[0][0].text.size()};
}

std::string WithoutGm(std::string list) {
  constexpr std::string_view kGm = "__gm__";
  for (size_t at; (at = list.find(kGm)) != std::string::npos;) list.erase(at, kGm.size());
  std::replace(list.begin(), list.end(), '\n', ' ');
  return list;
}

std::string NamesOf(const EntryDeclaration& kernel) {
  static const base::Regex last(R"((\w+)\s*(?:=[^,]*)?(?:,|$))");
  std::string out;
  for (const auto& name : last.All(kernel.list))
    out += (out.empty() ? "" : ", ") + std::string(name[1].text);
  return out;
}
}  // namespace

std::optional<std::string> WithLaunchFunctions(const std::string& text) {
  const auto marker = Marker(text);
  if (!marker) return std::nullopt;
  std::string made;
  for (const EntryDeclaration& kernel : DeclaredEntries(text.substr(0, marker->begin))) {
    const std::string list = WithoutGm(kernel.list);
    const bool none = list.find_first_not_of(' ') == std::string::npos;
    made += "extern \"C\" void " + kernel.name +
            "_launch(uint32_t akgen_blocks, void* akgen_stream" + (none ? "" : ", " + list) +
            ") { " + kernel.name + "<<<akgen_blocks, 0, akgen_stream>>>(" + NamesOf(kernel) +
            "); } ";
  }
  return text.substr(0, marker->begin) + made + text.substr(marker->end);
}

namespace {
// A call of PyTorch's in host code that does more than make a tensor, as "at::relu"; empty: none.
std::string TorchCall(const std::string& host) {
  constexpr std::array kAllowed{
      "Tensor",    "empty", "empty_like", "zeros",         "zeros_like", "ones",
      "ones_like", "full",  "full_like",  "empty_strided", "from_blob",  "scalar_tensor",
      "tensor",    "dtype", "device",     "TensorOptions", "IntArrayRef"};
  static const base::Regex call(R"(\b((?:at|torch)::(?:native::)?(\w+))\s*\()");
  for (const auto& one : call.All(host))
    if (std::find(kAllowed.begin(), kAllowed.end(), one[2].text) == kAllowed.end())
      return one[1].text;
  return "";
}
}  // namespace

std::string ComputedByHost(const std::string& text) {
  const auto marker = Marker(text);
  if (!marker) return "";
  const std::string host = BlankCommentsAndStrings(text.substr(marker->end));
  if (const std::string name = TorchCall(host); !name.empty()) return name;
  static const base::Regex method(
      R"((?:\.|->)((?:abs|add|addmm|all|amax|amin|any|argmax|argmin|bmm|clamp|clamp_min|cos|cumsum|div|dot|eq|erf|exp|gelu|)"
      R"(gt|index_select|log|log_softmax|lt|masked_fill|matmul|max|mean|min|mm|mul|neg|norm|pow|prod|reciprocal|relu|round|)"
      R"(rsqrt|scatter|sigmoid|silu|sin|softmax|sort|sqrt|square|std|sub|sum|tanh|topk|tril|triu|var|where)_?)\s*\()");
  const auto computed = method.Find(host);
  return computed ? "Tensor." + (*computed)[1].text : "";
}

namespace {
std::string OnlyLines(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c != '\n') c = ' ';
  return out;
}

// Behind the bracket that closes the one at `open`.
size_t Closed(const std::string& code, size_t open) {
  const char begin = code[open], end = begin == '(' ? ')' : '}';
  int depth = 0;
  for (size_t at = open; at < code.size(); ++at) {
    depth += (code[at] == begin) - (code[at] == end);
    if (depth == 0) return at + 1;
  }
  return code.size();
}

// Declarations at the outermost level, where namespaces and extern "C" are transparent: [begin,
// end).
std::vector<Line> Declarations(const std::string& code) {
  static const base::Regex scope(R"((?:inline\s+)?namespace\b[\w\s:]*$|extern\s*"\s*"\s*$)");
  std::vector<Line> out;
  size_t begin = 0;
  for (size_t at = 0; at < code.size(); ++at) {
    if (code[at] == '#' && code.find_first_not_of(" \t\n", begin) == at) {
      while (at < code.size() && (code[at] != '\n' || code[at - 1] == '\\')) ++at;
      out.push_back({begin, at});
      begin = at;
    } else if (code[at] == '{') {
      if (scope.Find(std::string_view(code).substr(begin, at - begin))) {
        begin = at + 1;
        continue;
      }
      at = Closed(code, at);
      const size_t next = code.find_first_not_of(" \t\n", at);
      if (next != code.npos && code[next] != ';' && code[next] != '{' && code[next] != ',') {
        out.push_back({begin, at});
        begin = at;
      }
      --at;
    } else if (code[at] == ';') {
      out.push_back({begin, at + 1});
      begin = at + 1;
    } else if (code[at] == '}') {
      begin = at + 1;  // of a namespace
    } else if (code[at] == '(') {
      at = Closed(code, at) - 1;
    }
  }
  out.push_back({begin, code.size()});
  return out;
}
}  // namespace

std::string WithRecordedLaunches(const std::string& text) {
  const std::string source = WithLaunchFunctions(text).value_or(text),
                    code = BlankCommentsAndStrings(source);
  std::string out = "#include \"akgen/torch/record.h\"\n#line 1\n";
  size_t copied = 0;
  for (const EntryDeclaration& kernel : DeclaredEntries(source)) {
    const base::Regex head((R"(__global__[^;{}]*?\b)" + kernel.name + R"(\s*(?=\())").c_str());
    for (const auto& found : head.All(code)) {
      if (found[0].begin < copied) continue;
      const size_t open = code.find_first_not_of(" \t\n", Closed(code, found[0].end));
      if (open == code.npos || code[open] != '{') continue;  // a declaration
      const size_t end = Closed(code, open);
      const std::string names = NamesOf(kernel);
      out += source.substr(copied, open - copied) + "{ akgen_torch::Recorder::Get().Kernel(\"" +
             kernel.name + "\"" + (names.empty() ? "" : ", " + names) + "); ";
      for (size_t at = open; at < end; ++at)
        if (source[at] == '\n') out += '\n';
      out += "}";
      copied = end;
      break;
    }
  }
  return out + source.substr(copied);
}

std::string DeviceHalf(const std::string& text) {
  if (const auto marker = Marker(text)) return text.substr(0, marker->begin);
  static const base::Regex host(
      R"(\b(?:at|torch|c10|c10_npu|at_npu|torch_npu|aclrt\w*|acl[A-Z]\w*)\b\s*(?:::|\()|\b(?:TORCH_|PYBIND11_)\w+|<<<)");
  static const base::Regex header(
      R"(^\s*#\s*include\s*["<](?:torch|ATen|c10|torch_npu|pybind11|acl)\b)");
  const std::string code = BlankCommentsAndStrings(text);
  std::string out = text;
  for (const Line& each : Declarations(code)) {
    const std::string_view part = std::string_view(code).substr(each.begin, each.end - each.begin);
    const std::string_view whole = std::string_view(text).substr(each.begin, each.end - each.begin);
    const bool device =
        part.find("__global__") != part.npos || part.find("__aicore__") != part.npos;
    if (device || (!host.Find(part) && !header.Find(whole))) continue;
    out.replace(each.begin, each.end - each.begin, OnlyLines(whole));
  }
  return out;
}

std::vector<std::string> SchemasOf(const std::string& text) {
  static const base::Regex schema(R"x(\bdef\s*\(\s*"(\w[^"]*\([^"]*)")x");
  std::vector<std::string> out;
  for (const auto& found : schema.All(text)) out.push_back(found[1].text);
  return out;
}

std::string BrokenRule(const std::string& text) {
  const auto marker = Marker(text);
  if (text.find("ASCEND_HOST_SECTION") != text.npos && !marker)
    return "custom_op.asc has to have exactly one comment line with ASCEND_HOST_SECTION alone";
  const std::string code = BlankCommentsAndStrings(text);
  if (code.find("PYBIND11_MODULE") != code.npos)
    return "custom_op.asc binds by pybind11: TORCH_LIBRARY has to";
  static const base::Regex binding(R"(\bTORCH_LIBRARY(?:_FRAGMENT)?\s*\(\s*custom_op\b)");
  static const base::Regex implementation(
      R"(\bTORCH_LIBRARY_IMPL\s*\(\s*custom_op\s*,\s*PrivateUse1\b)");
  if (!binding.Find(code) || !implementation.Find(code))
    return "custom_op.asc has no TORCH_LIBRARY(custom_op, …) and TORCH_LIBRARY_IMPL(custom_op, "
           "PrivateUse1, …)";
  static const base::Regex torch(R"(\b(?:at|torch|c10|c10_npu)::)");
  if (marker && torch.Find(std::string_view(code).substr(0, marker->begin)))
    return "the device section of custom_op.asc speaks of PyTorch";
  static const base::Regex forbidden(
      R"(\b(aclnn\w+|aclop\w+|system|popen|fork|exec[lv]p?e?|socket|connect|dlopen|dlsym|pthread_\w+|std::thread|std::async|)"
      R"(std::ifstream|std::ofstream|fopen|getenv|setenv|asm|__asm__)\b)");
  if (const auto found = forbidden.Find(code)) return "custom_op.asc uses " + (*found)[1].text;
  static const base::Regex include(
      R"((?m)^\s*#\s*include\s*[<"](ATen/ops/[^>"]*|thread|future|sys/[^>"]*|unistd\.h|dlfcn\.h))");
  if (const auto found = include.Find(text)) return "custom_op.asc includes " + (*found)[1].text;
  if (const std::string name = marker ? ComputedByHost(text) : TorchCall(code); !name.empty())
    return "the host code computes with " + name + ": a kernel has to";
  return "";
}

}  // namespace akgen::toolchain
