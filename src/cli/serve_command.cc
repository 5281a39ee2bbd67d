// `akgen serve`: the reward server.
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/layers_option.h"
#include "cli/output.h"
#include "cli/served_tasks.h"
#include "cli/stop_signal.h"
#include "serve/balancer.h"
#include "serve/server.h"

namespace akgen::cli {
namespace {
struct ServeArgs {
  ServedTasks served;
  std::string address = "127.0.0.1", token_file, port_file, log, state, cache, name;
  std::vector<std::string> host_names, models, balanced;
  int port = 8000, jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  int body_mb = 8, connections = 1024, queue = 16384, recycle = 500, grace_s = 30;
  std::optional<uint64_t> seed;
  bool require_layers = false, until_eof = false, form = false;
};

// One JSON object a line; "-" is standard error.
class Log {
 public:
  explicit Log(const std::string& file) : console_(file == "-") {
    if (!console_ && !file.empty()) file_.open(file, std::ios::app);
  }
  bool ok() const { return console_ || file_.is_open(); }
  void operator()(base::Json event) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    event["time"] = std::chrono::duration<double>(now).count();
    const std::string line = base::Dump(event) + "\n";
    std::lock_guard lock(mutex_);
    if (console_)
      std::cerr << line << std::flush;
    else
      file_ << line << std::flush;
  }

 private:
  bool console_;
  std::ofstream file_;
  std::mutex mutex_;
};

bool IsLoopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

// Tokens of --token-file, else of $AKGEN_SERVE_TOKEN. Never on the command line, which others of
// the machine can read.
base::Result<serve::Tokens> TokensOf(const ServeArgs& a) {
  if (!a.token_file.empty()) {
    auto text = base::ReadFile(a.token_file);
    if (!text.ok()) return text.error();
    return serve::ReadTokens(*text, a.token_file);
  }
  if (const char* token = std::getenv("AKGEN_SERVE_TOKEN"); token && *token)
    return serve::ReadTokens(token, "$AKGEN_SERVE_TOKEN");
  if (IsLoopback(a.address)) return serve::Tokens();
  return base::Error{"AK0908", "other machines could ask, and there is no token", a.address,
                     "give --token-file FILE, or listen on 127.0.0.1"};
}

serve::Server::Options OptionsOf(const ServeArgs& a, serve::Tokens tokens,
                                 const std::shared_ptr<Log>& log) {
  serve::Server::Options o;
  o.service.workers = a.jobs;
  o.service.name = a.name;
  o.service.seed = a.seed;
  o.service.queue.most = static_cast<size_t>(a.queue);
  o.service.queue.most_of_one = std::max<size_t>(1, o.service.queue.most * 3 / 4);
  o.service.recycle_after = a.recycle;
  o.service.cache.folder = a.cache;
  o.state = a.state;
  o.form = a.form;
  o.models = a.models;
  o.listener.address = a.address;
  o.listener.port = a.port;
  o.listener.access.tokens = std::move(tokens);
  o.listener.access.hosts = a.host_names;
  if (IsLoopback(a.address))
    o.listener.access.hosts.insert(o.listener.access.hosts.end(),
                                   {"localhost", "127.0.0.1", "[::1]", a.address});
  o.listener.most_body = static_cast<size_t>(a.body_mb) << 20;
  o.listener.most_connections = static_cast<size_t>(a.connections);
  if (log) o.service.log = o.listener.log = [log](const base::Json& event) { (*log)(event); };
  return o;
}

// What is written to it is read and forgotten.
bool InputEnded() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, 0) <= 0) return false;
  char ignored[4096];
  return ::read(STDIN_FILENO, ignored, sizeof ignored) <= 0;
}

int PrintHaproxy(const ServeArgs& a) {
  auto servers = serve::ReadBalancedServers(a.balanced);
  if (!servers.ok()) {
    PrintError(servers.error());
    return kUsage;
  }
  fmt::print("{}", serve::HaproxyConfig(*servers, a.address + ":" + std::to_string(a.port)));
  return kOk;
}

int RunServe(const ServeArgs& a) {
  if (!a.balanced.empty()) return PrintHaproxy(a);
  if (!a.name.empty() && !serve::IsServerName(a.name)) {
    PrintError({"AK0902", "a server's name has lower case letters and digits, at most 32", a.name,
                "for example s0"});
    return kUsage;
  }
  auto tokens = TokensOf(a);
  if (!tokens.ok()) {
    PrintError(tokens.error());
    return kUsage;
  }
  if (int rc = CheckLayers(a.require_layers)) return rc;
  std::shared_ptr<Log> log = a.log.empty() ? nullptr : std::make_shared<Log>(a.log);
  if (log && !log->ok()) {
    PrintError({"AK0002", "cannot be written", a.log, "name another file with --log"});
    return kUsage;
  }
  std::atomic<bool>* stop = CatchStop();
  serve::Server::Options options = OptionsOf(a, std::move(*tokens), log);
  if (auto s = a.served.Into(options.service); !s.ok()) {
    PrintError(s.error());
    return kUsage;
  }
  auto server = serve::Server::Start(std::move(options));
  if (!server.ok()) {
    PrintError(server.error());
    return kUsage;
  }
  const std::string url = fmt::format(
      "http://{}:{}", a.address.find(':') == std::string::npos ? a.address : "[" + a.address + "]",
      (*server)->port());
  if (!a.port_file.empty())
    if (auto s = base::WriteFileAtomic(a.port_file, url + "\n"); !s.ok()) {
      PrintError(s.error());
      return kUsage;
    }
  fmt::print("akgen serves on {} with {} judges, seed {}\n", url, a.jobs, (*server)->seed());
  std::fflush(stdout);
  while (!*stop && !(a.until_eof && InputEnded()))
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  (*server)->Stop(std::chrono::seconds(a.grace_s));
  return kOk;
}
}  // namespace

static void AddServe(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<ServeArgs>();
  CLI::App* c = app.add_subcommand(
      "serve", "Judge for trainers and agents over HTTP: one queue, many protocols");
  c->add_option("--address", args->address, "Address to listen on")->capture_default_str();
  c->add_option("--port", args->port, "Port; 0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  c->add_option("--port-file", args->port_file,
                "Write the address that it listens on to this file");
  c->add_option("-j,--jobs", args->jobs, "Judging processes")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  c->add_option("--token-file", args->token_file,
                "Bearer tokens, one a line: NAME TOKEN; default: $AKGEN_SERVE_TOKEN, else none");
  c->add_option("--host-name", args->host_names, "Further names that requests may be addressed to")
      ->delimiter(',');
  c->add_option("--seed", args->seed,
                "Seed of inputs where a request names none; default: drawn, and recorded");
  args->served.AddTo(*c);
  c->add_option("--queue", args->queue, "Jobs that may wait, three quarters of them of one client")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  c->add_option("--connections", args->connections, "Connections at a time")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  c->add_option("--body-mb", args->body_mb, "Largest request, in MiB")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  c->add_option("--name", args->name,
                "Begins the ids of jobs, so that a balancer leads them to this server");
  c->add_option("--print-haproxy", args->balanced,
                "Print a configuration of HAProxy for these servers (NAME=HOST:PORT,…), which "
                "listens on --address and "
                "--port, and end")
      ->delimiter(',');
  c->add_option("--state", args->state,
                "Journal of jobs, which survives a kill: one file per server; default: memory");
  c->add_option("--cache", args->cache,
                "Folder of verdicts by content, which servers may share; default: memory");
  c->add_option("--recycle", args->recycle, "Replace a judging process after so many judgements")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  c->add_option("--grace", args->grace_s,
                "Seconds that jobs have to end when the server is stopped")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  c->add_option("--log", args->log,
                "Append one JSON object per request and job to this file (- for standard error)");
  c->add_flag("--until-eof", args->until_eof,
              "Stop when standard input ends: for a program that starts a server");
  c->add_option("--model", args->models,
                "Folder of a local model to answer for at /v1/chat/completions; may be repeated")
      ->check(CLI::ExistingDirectory);
  c->add_flag("--form", args->form,
              "The page at / also takes kernels to judge; otherwise it only shows");
  AddLayersOption(*c, args->require_layers);
  c->footer(
      "Example: akgen serve --port 8000 -j 8 &\n"
      "         curl -s localhost:8000/v1/judge -d '{\"task\": \"Sqrt\", \"text\": \"...\"}'\n"
      "Exit code: 0 stopped by a signal, 2 usage error, 3 internal error.");
  c->callback([args, &exit_code] { exit_code = RunServe(*args); });
}

static const Command kServeCommand{150, AddServe};

}  // namespace akgen::cli
