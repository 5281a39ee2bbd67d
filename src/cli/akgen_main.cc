#include "cli/bench.h"
#include "cli/commands.h"
#include "cli/corpus.h"

int main(int argc, char** argv) {
  CLI::App app{"akgen: generate, check and measure Ascend C kernels without an NPU"};
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("akgen ") + akgen::cli::kVersion);
  int exit_code = akgen::cli::kOk;
  akgen::cli::AddJudge(app, exit_code);
  akgen::cli::AddRun(app, exit_code);
  akgen::cli::AddProfile(app, exit_code);
  akgen::cli::AddTune(app, exit_code);
  akgen::cli::AddExec(app, exit_code);
  akgen::cli::AddMutate(app, exit_code);
  akgen::cli::AddTasks(app, exit_code);
  akgen::cli::AddCraft(app, exit_code);
  akgen::cli::AddBench(app, exit_code);
  akgen::cli::AddGenerate(app, exit_code);
  akgen::cli::AddCorpus(app, exit_code);
  akgen::cli::AddLm(app, exit_code);
  akgen::cli::AddReport(app, exit_code);
  akgen::cli::AddDoctor(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    int rc = app.exit(e);
    return rc == 0 ? akgen::cli::kOk : akgen::cli::kUsage;
  }
  return exit_code;
}
