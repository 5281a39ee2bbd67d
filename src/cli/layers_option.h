// The option --require-layers, and the warning where a layer of the sandbox is missing, alike in
// every command that judges.
#pragma once
#include <CLI/CLI.hpp>

namespace akgen::cli {

void AddLayersOption(CLI::App& command, bool& required);
// What is to be said before candidates are run: 0, or with `required` and a layer missing an exit
// code, said as AK0022.
int CheckLayers(bool required);
// To be said beside a pass: a pass means less where a layer is missing.
void WarnOfMissingLayers();

}  // namespace akgen::cli
