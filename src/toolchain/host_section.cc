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
  for (const auto& name : last.All(kernel.list)) out += (out.empty() ? "" : ", ") + std::string(name[1].text);
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
    made += "extern \"C\" void " + kernel.name + "_launch(uint32_t akgen_blocks, void* akgen_stream" +
            (none ? "" : ", " + list) + ") { " + kernel.name + "<<<akgen_blocks, 0, akgen_stream>>>(" +
            NamesOf(kernel) + "); } ";
  }
  return text.substr(0, marker->begin) + made + text.substr(marker->end);
}

std::string ComputedByHost(const std::string& text) {
  constexpr std::array kAllowed{"Tensor",    "empty", "empty_like", "zeros",         "zeros_like", "ones",
                                "ones_like", "full",  "full_like",  "empty_strided", "from_blob",  "scalar_tensor",
                                "tensor",    "dtype", "device",     "TensorOptions", "IntArrayRef"};
  const auto marker = Marker(text);
  if (!marker) return "";
  static const base::Regex call(R"(\b((?:at|torch)::(?:native::)?(\w+))\s*\()");
  const std::string host = BlankCommentsAndStrings(text.substr(marker->end));
  for (const auto& one : call.All(host))
    if (std::find(kAllowed.begin(), kAllowed.end(), one[2].text) == kAllowed.end()) return one[1].text;
  static const base::Regex method(
      R"((?:\.|->)((?:abs|add|addmm|all|amax|amin|any|argmax|argmin|bmm|clamp|clamp_min|cos|cumsum|div|dot|eq|erf|exp|gelu|)"
      R"(gt|index_select|log|log_softmax|lt|masked_fill|matmul|max|mean|min|mm|mul|neg|norm|pow|prod|reciprocal|relu|round|)"
      R"(rsqrt|scatter|sigmoid|silu|sin|softmax|sort|sqrt|square|std|sub|sum|tanh|topk|tril|triu|var|where)_?)\s*\()");
  const auto computed = method.Find(host);
  return computed ? "Tensor." + (*computed)[1].text : "";
}

}  // namespace akgen::toolchain
