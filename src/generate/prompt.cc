#include "generate/prompt.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "generate/api_text.h"
#include "generate/examples.h"
#include "generate/extract.h"
#include "judge/host/skeleton.h"

namespace akgen::generate {
namespace fs = std::filesystem;
using base::Result;

namespace {
constexpr size_t kMaxCases = 16;  // shown of a task

std::string ParamLine(const task::ParamSpec& p) {
  std::string out = fmt::format("- `{}`: {}, dtype {}, shape {}", p.name, task::NameOf(p.kind),
                                base::Dump(p.dtype), base::Dump(p.shape));
  if (p.optional) out += ", may be absent (its address is then 0)";
  if (!p.inplace_of.empty()) out += ", in the memory of `" + p.inplace_of + "`";
  if (!p.in_signature) out += ", no parameter of the kernel";
  if (p.zeroed) out += ", holds zeros before the kernel starts";
  if (!p.shape_of.empty()) out += ", the kernel writes the shape of `" + p.shape_of + "` here";
  return out + "\n";
}

std::string Fenced(const std::string& language, const std::string& text) {
  return "```" + language + "\n" + text + (text.ends_with("\n") ? "" : "\n") + "```\n";
}

std::string ReadOr(const fs::path& path) {
  auto text = base::ReadFile(path);
  return text.ok() ? *text : "";
}

// The files of an example project, as an answer has them; host files only when wanted.
std::string ProjectText(const fs::path& project, bool host) {
  std::vector<fs::path> files;
  std::error_code ec;
  for (const char* part : {"op_host", "op_kernel"})
    for (fs::directory_iterator it(project / part, ec), end; !ec && it != end; it.increment(ec))
      if (host || std::string(part) == "op_kernel") files.push_back(it->path());
  std::sort(files.begin(), files.end());
  Files texts;
  for (const fs::path& f : files) texts[f.lexically_relative(project).generic_string()] = ReadOr(f);
  return texts.empty() ? "" : AnswerText(texts);
}

const char* kDirectSystem =
    "You write kernels for Ascend NPUs in Ascend C (C++). Your code is compiled and run on many "
    "shapes, the ones below "
    "and hidden ones, with checks of "
    "memory bounds, alignment, uninitialised data, races and synchronisation. Think it through, "
    "then answer with "
    "complete files only.";
const char* kCraftSystem =
    "You write kernels for Ascend NPUs in a small kernel language with Python syntax, which is "
    "lowered to Ascend C for "
    "you. Your program is compiled and run on "
    "many shapes, the ones below and hidden ones. Think it through, then answer with one complete "
    "program.";
}  // namespace

std::string TaskText(const task::TaskSpec& task, const std::vector<task::CaseRow>& cases) {
  std::string out = "# Operator " + task.name + "\n\n" + task.description;
  if (!out.ends_with("\n")) out += "\n";
  out += "\nInputs:\n";
  for (const auto& p : task.inputs) out += ParamLine(p);
  out += "Outputs:\n";
  for (const auto& p : task.outputs) out += ParamLine(p);
  if (!task.attrs.empty()) out += "Attributes:\n";
  for (const auto& a : task.attrs)
    out += fmt::format("- `{}`: {}, value {}\n", a.name, a.type, base::Dump(a.value));
  out +=
      "A `$name` is a column of the case.\n\nThe reference, computed in float64 and rounded to the "
      "output's dtype:\n" +
      Fenced("python", task.reference);
  out += fmt::format("\nCases ({} in all):\n", cases.size());
  for (size_t i = 0; i < std::min(cases.size(), kMaxCases); ++i)
    out += "- " + base::Dump(cases[i].columns) + "\n";
  return out;
}

std::string ChipText(const chip::Chip& c) {
  std::string out = fmt::format("# Chip {}\n\n- {} vector cores", c.soc, c.aiv);
  if (c.aic > 0) out += fmt::format(" and {} cube cores", c.aic);
  out += fmt::format(", {} MHz. A core runs one block; block numbers from GetBlockIdx().\n",
                     c.clock_mhz);
  out += fmt::format(
      "- Unified Buffer (UB) of a vector core: {} bytes may be used, in addresses that are "
      "multiples of {} bytes.\n",
      c.UsableUb(), c.ub.align);
  out += fmt::format(
      "- A data block is {} bytes, a vector instruction works on {} bytes a repeat, at most {} "
      "repeats.\n",
      c.data_block_bytes, c.repeat_bytes, c.limits.max_repeat);
  out += fmt::format(
      "- DataCopy moves whole data blocks; DataCopyPad moves any number of bytes between Global "
      "Memory and UB.\n- {} "
      "event ids per pair of pipes, at most {} buffers per TPipe.\n",
      c.limits.event_ids, c.limits.max_buffers);
  return out;
}

Result<std::vector<Message>> DirectPrompt(const task::TaskSpec& task,
                                          const std::vector<task::CaseRow>& cases,
                                          const chip::Chip& chip, bool kernel_only) {
  auto api = ApiText(task);
  if (!api.ok()) return api.error();
  std::string text = TaskText(task, cases) + "\n" + ChipText(chip) + "\n" + *api +
                     "\n# Interface\n\nThe kernel file, `op_kernel/" + task.entry +
                     ".cpp`, holds this function:\n" + Fenced("cpp", judge::KernelSkeleton(task));
  if (kernel_only) {
    auto host = judge::HostSkeleton(task);
    if (!host.ok()) return host.error();
    text +=
        "\nThe host side is given and stays as it is; GET_TILING_DATA reads what its tiling "
        "function writes:\n" +
        Fenced("cpp", *host);
  } else {
    text += "\nThe host side, `op_host/" + task.entry +
            ".cpp` and its tiling header, defines the operator `" + task.name +
            "` (inputs, outputs and attributes in the order above, with their names), and a tiling "
            "function that sets "
            "block number, tiling data and workspace for any shape.\n";
  }
  fs::path example = DirectExample(task);
  std::string code = example.empty() ? "" : ProjectText(example, !kernel_only);
  if (code.empty())
    return base::Error{"AK0001", "the examples of prompts are missing",
                       (base::HomeDir() / "examples/kernels").string(),
                       "set $AKGEN_HOME to akgen's folder"};
  text += "\n# An example of another operator\n\n" + code;
  text += "\n# Answer\n\n" + AnswerFormat() +
          (kernel_only ? " Only the kernel file is wanted.\n" : "\n");
  return std::vector<Message>{{"system", kDirectSystem}, {"user", text}};
}

Result<std::vector<Message>> CraftPrompt(const task::TaskSpec& task,
                                         const std::vector<task::CaseRow>& cases,
                                         const chip::Chip& chip) {
  auto language = base::ReadFile(base::HomeDir() / "docs/craft/language.md");
  if (!language.ok()) return language.error();
  std::string text = *language + "\n" + TaskText(task, cases) + "\n" + ChipText(chip);
  text += "\n# Interface\n\nThe @host function is called `" + task.entry +
          "`; its parameters are the operator's inputs, then its attributes, in the order and with "
          "the names above.\n";
  auto example = base::ReadFile(CraftExample(task));
  if (!example.ok()) return example.error();
  text += "\n# An example of another operator\n\n" + Fenced("python", *example);
  text += "\n# Answer\n\nThe whole program in one ```python block.\n";
  return std::vector<Message>{{"system", kCraftSystem}, {"user", text}};
}

std::vector<Message> RepairPrompt(const std::vector<Message>& first, const std::string& answer,
                                  const std::string& feedback) {
  std::vector<Message> out = first;
  out.push_back({"assistant", answer});
  out.push_back({"user", feedback + "\nMend it, and answer with the complete files again."});
  return out;
}

std::vector<Message> ImprovePrompt(const std::vector<Message>& first, const std::string& answer,
                                   const std::string& advice) {
  std::vector<Message> out = first;
  out.push_back({"assistant", answer});
  out.push_back(
      {"user",
       advice + "\nMake it faster, keep it right, and answer with the complete files again."});
  return out;
}

}  // namespace akgen::generate
