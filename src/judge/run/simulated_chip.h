// The simulated chip as an executor: akgen-builder compiles, akgen-runner holds the chip and
// whatever is loaded.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "judge/run/executor.h"
#include "judge/run/findings.h"
#include "runner/runner_client.h"

namespace akgen::judge {

class SimulatedChip final : public Executor {
 public:
  // Starts both helper processes. AK0013 when they cannot be started.
  static base::Result<std::unique_ptr<Executor>> Start();

  base::Result<toolchain::BuildReply> Build(const toolchain::BuildRequest& request) override;
  base::Result<std::vector<toolchain::SourceLine>> Symbolise(
      const std::string& object, const std::vector<uint64_t>& pcs) override;
  Description Describe(const std::string& host_object, const chip::Chip& chip) override;
  std::vector<TileReply> Tile(const std::string& host_object,
                              const std::vector<TileRequest>& requests, int wall_ms) override;
  std::vector<sim::RunReply> Run(const Launch& launch) override;
  ProgramReply RunProgram(const ProgramLaunch& launch) override;
  ProgramReply RunScript(const ProgramLaunch& launch) override;
  bool CountsWork() override { return builder_.CountsWork(); }
  base::Json Layers() override;

 private:
  SimulatedChip(toolchain::Builder b, runner::Runner r)
      : builder_(std::move(b)), runner_(std::move(r)) {}
  Description AskToDescribe(const std::string& host_object, const chip::Chip& chip);

  toolchain::Builder builder_;
  runner::Runner runner_;
  // The latest description, and of what.
  struct Described {
    std::string object, chip;
    uint64_t file = 0;
    int64_t seconds = 0, nanoseconds = 0;  // when it was written
    bool operator==(const Described&) const = default;
  } described_;
  Description description_;
};

// The chip of this name, when it is simulated; else the outcome: not known, or known and not
// simulated.
std::optional<RunOutcome> LoadRunnable(const std::string& name, chip::Chip* chip);

}  // namespace akgen::judge
