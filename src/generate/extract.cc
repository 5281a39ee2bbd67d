#include "generate/extract.h"

#include <algorithm>
#include <cctype>

namespace akgen::generate {
namespace {
constexpr size_t kMaxFiles = 32;

enum class Kind { kKernel, kHost, kHeader, kProgram, kOther };

bool Has(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

Kind KindOf(const Block& b) {
  if (Has(b.text, "@kernel") || Has(b.text, "@host")) return Kind::kProgram;
  bool tiling = Has(b.text, "BEGIN_TILING_DATA_DEF"),
       host = Has(b.text, "OP_ADD") || Has(b.text, "OpDef") || Has(b.text, "TilingContext");
  if (tiling && !host) return Kind::kHeader;
  if (host) return Kind::kHost;
  if (Has(b.text, "__aicore__") || Has(b.text, "__global__") || Has(b.text, "kernel_operator.h"))
    return Kind::kKernel;
  return Kind::kOther;
}

// The last part of a path, if it is a plain name.
std::string PlainName(const std::string& path) {
  std::string name = path.substr(path.find_last_of("/\\") + 1);
  bool plain =
      !name.empty() && name[0] != '.' && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == '-' || c == '.';
      });
  return plain ? name : "";
}

bool IsHeader(const std::string& name) { return name.ends_with(".h") || name.ends_with(".hpp"); }
bool IsSource(const std::string& name) {
  return IsHeader(name) || name.ends_with(".cpp") || name.ends_with(".cc") ||
         name.ends_with(".cxx");
}

// Where a block belongs in the project, or "".
std::string PlaceOf(const Block& b, const std::string& entry) {
  Kind kind = KindOf(b);
  std::string name = PlainName(b.name);
  if (!IsSource(name)) name.clear();
  bool in_kernel = Has(b.name, "op_kernel/"), in_host = Has(b.name, "op_host/");
  if (!name.empty() && (in_kernel || in_host))
    return (in_kernel ? "op_kernel/" : "op_host/") + name;
  switch (kind) {
    case Kind::kKernel: return "op_kernel/" + (name.empty() ? entry + ".cpp" : name);
    case Kind::kHost: return "op_host/" + (name.empty() ? entry + ".cpp" : name);
    case Kind::kHeader: return "op_host/" + (name.empty() ? entry + "_tiling.h" : name);
    default: return IsHeader(name) ? "op_kernel/" + name : "";
  }
}

bool LooksPython(const Block& b) {
  return b.language == "python" || b.language == "py" || Has(b.text, "import torch") ||
         Has(b.text, "import triton");
}

std::string WhyNothing(const std::vector<Block>& blocks, const std::string& text,
                       const char* wanted) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return "the answer is empty";
  if (blocks.empty()) return "the answer holds no code block";
  for (const Block& b : blocks)
    if (LooksPython(b) || Has(b.text, "__global__ void") || Has(b.text, "threadIdx"))
      return std::string("the code in the answer is of another language; wanted is ") + wanted;
  return std::string("no block of the answer is ") + wanted;
}
}  // namespace

std::string AnswerText(const Files& files) {
  std::string out = "```cpp\n";
  for (const auto& [path, text] : files) {
    out += "// File: " + path + "\n" + text;
    if (!text.ends_with("\n")) out += "\n";
  }
  return out + "```\n";
}

std::string AnswerFormat() {
  return "Answer with one fenced code block. All files stand in it one after another, complete, "
         "each behind a line "
         "`// File: PATH` with its path in the project, for example `// File: op_kernel/add.cpp`.";
}

Extracted ExtractProject(const std::string& text, const std::string& entry, bool kernel_only) {
  Extracted out;
  std::vector<Block> blocks = Blocks(text);
  bool kernel = false, host = false;
  for (const Block& b : blocks) {
    std::string place = PlaceOf(b, entry);
    if (place.empty() || out.files.size() >= kMaxFiles) continue;
    if (place.starts_with("op_host/") && kernel_only && KindOf(b) != Kind::kHeader) continue;
    kernel |= place.starts_with("op_kernel/") && Has(b.text, "__aicore__");
    host |= place.starts_with("op_host/") && KindOf(b) == Kind::kHost;
    out.files[place] = b.text;
  }
  if (kernel_only)
    std::erase_if(out.files, [](const auto& f) { return f.first.starts_with("op_host/"); });
  if (!kernel)
    out.problem = WhyNothing(
        blocks, text,
        "an Ascend C kernel (op_kernel/*.cpp with an extern \"C\" __global__ __aicore__ function)");
  else if (!host && !kernel_only)
    out.problem =
        "the answer holds a kernel but no host side (op_host/*.cpp with the tiling function and "
        "the operator's "
        "definition)";
  if (!out.problem.empty()) out.files.clear();
  return out;
}

Extracted ExtractProgram(const std::string& text) {
  Extracted out;
  std::vector<Block> blocks = Blocks(text);
  std::string kernels, last;
  for (const Block& b : blocks) {
    if (KindOf(b) != Kind::kProgram) continue;
    // Whole programs replace what came before; parts in several blocks belong together.
    if (Has(b.text, "@kernel") && Has(b.text, "@host"))
      last = b.text, kernels.clear();
    else
      kernels += b.text + "\n";
  }
  if (last.empty() && Has(kernels, "@kernel") && Has(kernels, "@host")) last = kernels;
  if (last.empty())
    out.problem =
        WhyNothing(blocks, text,
                   "a program of the kernel language (a @host function and its @kernel functions)");
  else
    out.files["program.py"] = last;
  return out;
}

}  // namespace akgen::generate
