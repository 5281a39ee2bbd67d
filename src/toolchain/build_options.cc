#include "toolchain/build_options.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/files.h"
#include "base/text.h"
#include "toolchain/build_files.h"

namespace akgen::toolchain {
namespace {
using Words = std::vector<std::string>;

// OP_NAME Add COMPUTE_UNIT ascend910b OPTIONS …, or the operator first. Are the options for this
// operator and chip?
bool IsFor(const Words& words, size_t options, const std::string& op, const std::string& unit) {
  bool of_unit = true, any_unit = false;
  std::string name;
  for (size_t i = 0; i < options; ++i) {
    if (words[i] == "OP_NAME" || words[i] == "OP_TYPE") continue;
    if (words[i] == "COMPUTE_UNIT") {
      of_unit = false, any_unit = true;
      continue;
    }
    if (any_unit)
      of_unit = of_unit || base::Lower(words[i]) == base::Lower(unit);
    else
      name = words[i];  // the last one: a target may come first
  }
  return of_unit && (name == "ALL" || base::Lower(name) == base::Lower(op));
}

// A macro of the project's own, with a plain value: what a build file brings is no text of a
// kernel.
bool IsPlain(const std::string& define) {
  constexpr const char* kOfValues =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";
  const size_t end = define.find('=');
  const std::string name = define.substr(0, end),
                    value = end == std::string::npos ? "" : define.substr(end + 1);
  return !name.empty() && name[0] != '_' && !base::Lower(name).starts_with("akgen") &&
         !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; }) &&
         value.find_first_not_of(kOfValues) == std::string::npos;
}

void Take(const Words& words, size_t from, BuildOptions* options) {
  for (size_t i = from; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (const size_t at = word.find("-cce-auto-sync"); at != std::string::npos) {
      const std::string value = word.substr(at + std::string("-cce-auto-sync").size());
      options->auto_sync = !value.starts_with("=off");
    } else if (word == "-D" && i + 1 < words.size()) {
      if (IsPlain(words[++i])) options->defines.push_back(words[i]);
    } else if (word.starts_with("-D") && IsPlain(word.substr(2))) {
      options->defines.push_back(word.substr(2));
    }
  }
}
}  // namespace

void ReadBuildOptions(const std::string& text, const std::string& op, const std::string& unit,
                      BuildOptions* options) {
  for (const auto& [name, words] : CMakeCommandsIn(text)) {
    const auto keyword = std::find(words.begin(), words.end(), "OPTIONS");
    const auto at = size_t(keyword - words.begin());
    if (name == "add_ops_compile_options" || name == "npu_op_kernel_options") {
      if (keyword != words.end() && IsFor(words, at, op, unit)) Take(words, at + 1, options);
    } else if (name == "ascendc_compile_options") {
      Take(words, 0, options);
    } else if (name == "ascendc_compile_definitions") {
      for (size_t i = 1; i < words.size(); ++i)
        if (words[i] != "PRIVATE" && words[i] != "PUBLIC" && words[i] != "INTERFACE")
          Take({words[i].starts_with("-D") ? words[i] : "-D" + words[i]}, 0, options);
    } else if (name == "target_compile_options" || name == "add_compile_options") {
      for (const std::string& word : words)
        if (word.find("-cce-") != std::string::npos) Take({word}, 0, options);
    }
  }
}

BuildOptions OptionsOf(const Project& project, const std::string& op, const std::string& unit) {
  BuildOptions options;
  for (const char* file : {"CMakeLists.txt", "op_host/CMakeLists.txt", "op_kernel/CMakeLists.txt"})
    if (auto text = base::ReadFile(project.dir / file); text.ok())
      ReadBuildOptions(*text, op, unit, &options);
  std::sort(options.defines.begin(), options.defines.end());
  options.defines.erase(std::unique(options.defines.begin(), options.defines.end()),
                        options.defines.end());
  if (!options.auto_sync) options.said.emplace_back("--cce-auto-sync=off");
  for (const std::string& define : options.defines) options.said.push_back("-D" + define);
  return options;
}

}  // namespace akgen::toolchain
