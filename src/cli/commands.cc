#include "cli/commands.h"

#include <map>

namespace akgen::cli {
namespace {
// Rows of other files register before main(), in any order of files.
std::multimap<int, Command::Add>& CommandRows() {
  static std::multimap<int, Command::Add> rows;
  return rows;
}
}  // namespace

Command::Command(int position, Add add) { CommandRows().emplace(position, add); }

void AddCommands(CLI::App& app, int& exit_code) {
  for (const auto& [position, add] : CommandRows()) add(app, exit_code);
}

}  // namespace akgen::cli
