#include "cli/layers_option.h"

#include <fmt/core.h>

#include <string>

#include "cli/commands.h"
#include "cli/output.h"
#include "sandbox/sandbox.h"

namespace akgen::cli {
namespace {
constexpr const char* kRecipe =
    "see docs/containers.md for what this machine or container has to allow";

std::string Names() {
  std::string out;
  for (const auto& layer : sandbox::MissingLayers()) out += (out.empty() ? "" : ", ") + layer;
  return out;
}
}  // namespace

void AddLayersOption(CLI::App& command, bool& required) {
  command.add_flag("--require-layers", required,
                   "Judge nothing where Landlock or seccomp is missing (akgen doctor lists them)");
}

int CheckLayers(bool required) {
  const std::string missing = Names();
  if (missing.empty() || !required) return kOk;
  PrintError(
      {"AK0022", "layers of the sandbox are missing on this machine: " + missing, "", kRecipe});
  return kFault;
}

void WarnOfMissingLayers() {
  if (const std::string missing = Names(); !missing.empty())
    fmt::print(stderr,
               "warning[AK0022]: without {} nothing but their user id kept candidates from files, "
               "network and "
               "processes: a pass "
               "rests on their good faith\n  fix: {}\n",
               missing, kRecipe);
}

}  // namespace akgen::cli
