// `akgen mcp`: the tools of the server over standard input and output, for agents.
#include <fmt/core.h>

#include <condition_variable>
#include <csignal>
#include <deque>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

#include "cli/commands.h"
#include "cli/layers_option.h"
#include "cli/output.h"
#include "cli/served_tasks.h"
#include "serve/local_mcp.h"

namespace akgen::cli {
namespace {
struct McpArgs {
  ServedTasks served;
  int jobs = 2;
  std::optional<uint64_t> seed;
  std::string cache;
  bool require_layers = false;
};

// Lines to standard output by a thread of its own: a client that does not read holds up nobody
// else.
class LineWriter {
 public:
  LineWriter() : thread_([this] { Write(); }) {}
  ~LineWriter() {
    {
      std::lock_guard lock(mutex_);
      end_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  void Add(std::string line) {
    std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
    changed_.notify_all();
  }

 private:
  void Write() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return end_ || !lines_.empty(); });
      if (lines_.empty()) return;
      const std::string line = std::move(lines_.front());
      lines_.pop_front();
      lock.unlock();
      std::cout << line << '\n' << std::flush;
      lock.lock();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  bool end_ = false;
  std::thread thread_;
};

int RunMcp(const McpArgs& a) {
  if (int rc = CheckLayers(a.require_layers)) return rc;
  std::signal(SIGPIPE, SIG_IGN);
  LineWriter writer;
  serve::JudgeService::Options o;
  o.workers = a.jobs, o.seed = a.seed, o.cache.folder = a.cache;
  if (auto s = a.served.Into(o); !s.ok()) return PrintError(s.error()), kUsage;
  auto server = serve::LocalMcp::Start(
      std::move(o), [&writer](std::string line) { writer.Add(std::move(line)); });
  if (!server.ok()) return PrintError(server.error()), kFault;
  for (std::string line; std::getline(std::cin, line);) (*server)->Hear(line);
  constexpr std::chrono::minutes kMaxToFinish{2};
  (*server)->Finish(kMaxToFinish);
  return kOk;
}
}  // namespace

static void AddMcp(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<McpArgs>();
  CLI::App* c = app.add_subcommand(
      "mcp", "Judge for a coding agent: Model Context Protocol over standard input and output");
  c->add_option("-j,--jobs", args->jobs, "Judging processes")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  c->add_option("--seed", args->seed,
                "Seed of inputs where a request names none; default: drawn, and recorded");
  c->add_option("--cache", args->cache, "Folder of verdicts by content; default: memory");
  args->served.AddTo(*c);
  AddLayersOption(*c, args->require_layers);
  c->footer(
      "An agent's configuration: {\"mcpServers\": {\"akgen\": {\"command\": \"akgen\", \"args\": "
      "[\"mcp\"]}}}\n"
      "Over HTTP: akgen serve, POST /mcp. docs/agents.md\n"
      "Exit code: 0 the client closed its side, 2 usage error, 3 internal error.");
  c->callback([args, &exit_code] { exit_code = RunMcp(*args); });
}

static const Command kMcpCommand{155, AddMcp};

}  // namespace akgen::cli
