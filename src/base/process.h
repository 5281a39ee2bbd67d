// Runs a program of the system to its end and keeps what it prints. For trusted tools (a cluster's
// commands); candidates run in the sandbox.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/status.h"

namespace akgen::base {

// A process in its own session: an interrupt at the terminal reaches akgen alone, which ends what
// it started.
struct SpawnRequest {
  std::vector<std::string> argv;           // argv[0] is looked for on PATH, unless it has a slash
  std::vector<std::pair<int, int>> files;  // which descriptors become which of its own
  std::vector<std::string> settings =
      {};  // "NAME=value", ahead of the environment that it inherits
  std::string code = "AK0015",
              fix = "install it, or check PATH";  // of the error when it cannot be started
};
// Its process number.
Result<int> Spawn(const SpawnRequest& request);
// In such a process: from now on it ends when the one that started it has ended. Elsewhere nothing.
void EndWithParent();
// In a process that was started by one that akgen started: it ends when akgen has ended.
void EndWithAkgen();

struct ProgramResult {
  int exit_code = 0;   // 128 + signal when it was killed
  std::string output;  // standard output and standard error
  bool timed_out = false;
};
// `argv[0]` is looked for on PATH. AK0015 when it cannot be started.
Result<ProgramResult> RunProgram(const std::vector<std::string>& argv);
// The same in at most `wall_ms`; when it ends, so does what it started. Of `request` argv and
// settings count. At most 16 MiB of output are kept.
Result<ProgramResult> RunProgram(const SpawnRequest& request, int wall_ms);

// A program with a line protocol: its standard input and output are one socket, its standard error
// is akgen's. It is ended by the destructor.
class LineProcess {
 public:
  // `argv[0]` is looked for on PATH. `settings` as in SpawnRequest. AK0015 when it cannot be
  // started.
  static Result<LineProcess> Start(const std::vector<std::string>& argv,
                                   const std::vector<std::string>& settings = {});
  LineProcess(LineProcess&& other) noexcept;
  LineProcess& operator=(LineProcess&&) = delete;
  ~LineProcess();
  bool Read(std::string& line);         // without its end; false: no more will come
  bool Write(const std::string& line);  // false: the reader is gone
  int Wait();  // closes the socket, waits for the end; exit code as in ProgramResult

 private:
  LineProcess() = default;
  int pid_ = -1;
  Fd socket_;
  std::string rest_;
};

}  // namespace akgen::base
