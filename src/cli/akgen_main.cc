// The command: parses, runs one command, turns what it throws into an exit code.
#include <fmt/core.h>

#include "base/version.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "craft/syntax/diagnostic.h"

namespace {
// `akgen judg` is told of `judge`: the parser itself says only that a command is missing.
bool UnknownCommand(CLI::App& app) {
  CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().back();
  std::vector<std::string> names;
  for (const CLI::App* c : at->get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(c->get_name());
  const std::vector<std::string> rest = at->remaining();
  if (names.empty() || rest.empty() || rest[0].starts_with("-")) return false;
  const std::string near = akgen::craft::Nearest(rest[0], names);
  std::string list;
  for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
  fmt::print(stderr, "`{}` is not a command of {}; {}\nRun with --help for more information.\n",
             rest[0], at == &app ? "akgen" : "akgen " + at->get_name(),
             near.empty() ? "there are " + list : "did you mean `" + near + "`?");
  return true;
}

int RunAkgen(int argc, char** argv) {
  CLI::App app{"akgen: generate, check and measure Ascend C kernels without an NPU"};
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("akgen ") + akgen::base::kVersion);
  int exit_code = akgen::cli::kOk;
  akgen::cli::AddCommands(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0 && UnknownCommand(app)) return akgen::cli::kUsage;
    int rc = app.exit(e);
    return rc == 0 ? akgen::cli::kOk : akgen::cli::kUsage;
  } catch (const akgen::base::Json::exception& e) {  // of a file that akgen was told to read
    akgen::cli::PrintError({"AK0014", std::string("unexpected content: ") + e.what(),
                            argc > 2 ? argv[argc - 1] : "",
                            "was the file made by akgen, and by which version?"});
    return akgen::cli::kUsage;
  }
  return exit_code;
}
}  // namespace

int main(int argc, char** argv) {
  try {
    return RunAkgen(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(
        stderr,
        "error: an error of akgen itself: %s\n  please report it with the command and its files\n",
        e.what());
    return akgen::cli::kFault;
  }
}
