// What every protocol of the server asks for, and what it gets: jobs in one queue over the judging
// processes.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "chip/chip.h"
#include "record/reward.h"
#include "record/verdict.h"
#include "serve/task_choice.h"
#include "task/task.h"

namespace akgen::serve {

// Who asks. Limits and turns are given to principals; the names that one principal uses share what
// it gets.
struct Caller {
  std::string principal;  // name of the bearer token, else the address of the other side
  std::string name;       // what the client calls itself (header X-Client-Id); may be empty
};

enum class Priority : uint8_t { kHigh, kNormal, kLow };  // among the jobs of one caller
std::string_view NameOf(Priority priority);
std::optional<Priority> PriorityFromName(std::string_view name);

// What a candidate is given as.
enum class Form : uint8_t {
  kProject,  // Ascend C: host side and kernel
  kKernel,   // Ascend C: kernel only; the host side is the task's own
  kProgram,  // a program of the kernel language, which is lowered here
};

struct Candidate {
  Form form = Form::kProject;
  std::map<std::string, std::string>
      files;         // path below the project -> content; names are checked by the reader
  std::string text;  // in place of files: an answer that code is taken out of
};

// One candidate against one task.
struct JudgeWork {
  std::string task;  // a name of task::ListTasks(), never a path
  Candidate candidate;
  std::vector<std::string> cases;  // ids; empty: every case
  std::string chip{chip::kDefaultChip}, precision = "strict", inputs = "wide";
  std::optional<uint64_t>
      seed;            // of the inputs; without one the server's, the same for all requests
  bool fresh = false;  // in place of `seed`: one drawn for this job
  // Cases with shapes and values that nobody has seen, drawn from the seed, which a pass takes as
  // well. Without a number the server's own; 0 where cases are named.
  std::optional<int> hidden;
  bool time = false;    // model the time of every case
  bool spans = false;   // and keep the timeline of the first core (implies time)
  bool advise = false;  // and what changes to the kernel would gain (implies time)
  bool edits = false;   // look for edits that make findings go away (judge/edits/try_edits.h)
  std::string label;    // what the record calls the project
};

// A standalone kernel, without a task: findings only.
struct KernelWork {
  std::string source;
  std::string launch;  // judge/run/lone.h; empty: the `// launch:` comment of the source
  std::string chip{chip::kDefaultChip};
  uint64_t seed = 1;
  bool time = false;    // model its time
  bool advise = false;  // and what changes to it would gain (implies time)
};

// Faults planted in a candidate that passes: which of them the checks catch (judge/examine.h).
struct ExamineWork {
  JudgeWork of;  // its task, candidate and first case; the candidate's form is a project
  std::vector<std::string> classes;
  size_t count = 8;
  uint64_t seed = 1;
};

using Work = std::variant<JudgeWork, KernelWork, ExamineWork>;

struct Submission {
  Work work;
  Caller caller;
  Priority priority = Priority::kNormal;
  std::chrono::milliseconds deadline{0};   // from now, waiting included; 0: none
  std::chrono::milliseconds run_limit{0};  // from when it is judged; 0: none
  // When a limit goes by, its caller is told, and it is judged all the same: who asks again finds
  // the verdict.
  bool outlives_limits = false;
  std::string key;     // idempotency key, the caller's own; empty: none
  bool kept = false;   // journaled: survives the server, and outlives the caller's connection
  bool again = false;  // neither take a verdict from the cache nor put one there
};

// How a job ended. Only kDone has a record, and only a record can become a number.
enum class Ending : uint8_t {
  kDone,
  kInvalid,     // the submission makes no sense: it will never do
  kConflict,    // its idempotency key belongs to other work of this caller
  kOverloaded,  // the queue is full, for this caller or for all; later
  kExpired,     // the deadline of the request went by
  kCancelled,   // the caller left or took it back
  kStopping,    // the server ends; another one, or later
  kFault,       // an internal error; trying again may help
};
std::string_view NameOf(Ending ending);

struct Answer {
  std::string id;  // of the job
  Ending ending = Ending::kFault;
  std::optional<base::Error> error;  // unless kDone
  std::string outcome;  // kDone: a verdict's name, `refused` or `no_code` (record/verdict.h)
  std::string reason;   // kDone: one sentence, empty for a pass
  bool sealed = false;
  record::Merit
      merit;  // of the scored cases, and of the hidden ones whether their values are right
  base::Json
      record;  // kDone: what `akgen judge --json` writes; null when there was nothing to judge
  bool cached = false;  // of work that this principal asked for before, or has under way
  bool reused = false;  // the same, whoever asked for it: for the server's own log and metrics
  double queued_ms = 0, judged_ms = 0;

  // record::RewardOf. nullopt: this answer must not become a number; leave the sample out, or fail
  // the request.
  std::optional<double> Reward() const;
  // Might the same work end otherwise at another time?
  bool Retryable() const;
};
Answer Without(std::string id, Ending ending, base::Error error);  // a record
using Done = std::function<void(const Answer&)>;

struct JobState {
  std::string id, state;         // queued, running, done
  std::string subject;           // the task's name, or "(kernel)"
  size_t ahead = 0;              // queued: jobs in the queue before it, of all callers
  std::optional<Answer> answer;  // done
};
// An answer that was given, with what was judged.
struct Seen {
  Answer answer;  // without its record where many are listed
  std::string subject, client;
  std::chrono::system_clock::time_point when;
  Work work;  // empty where many are listed
};
using Watch = std::function<void(const JobState&)>;

struct ServiceLoad {
  size_t waiting = 0, judging = 0, judges = 0;
};

class Service {
 public:
  virtual ~Service() = default;
  // Puts a job in the queue; returns its id. `done` is called exactly once, by any thread, maybe
  // before this returns, and must not block. A key that was used before for the same work joins
  // that job.
  virtual std::string Submit(Submission submission, Done done) = 0;
  // Its connection is gone: ends it as kCancelled, unless it has ended or is kept. One that is
  // being judged is stopped.
  virtual void Cancel(const std::string& id) = 0;
  // Its caller takes it back, kept or not. False: none of this caller's that is under way has that
  // id.
  virtual bool Withdraw(const std::string& id, const Caller& caller) = 0;
  // Of jobs under way, and of kept ones that ended; nullopt: none of this caller's has that id.
  virtual std::optional<JobState> State(const std::string& id, const Caller& caller) = 0;
  // Calls `watch` with the state now and with each one that follows, until it is done, by any
  // thread; it must not block. False: as State.
  virtual bool Follow(const std::string& id, const Caller& caller, Watch watch) = 0;
  // Jobs of this caller under way, those that run first, at most so many.
  virtual std::vector<JobState> UnderWay(const Caller& caller, size_t most) = 0;
  // The last answers that this caller was given, the latest first; one of them whole.
  virtual std::vector<Seen> Recent(const Caller& caller, size_t most) = 0;
  virtual std::optional<Seen> Find(const std::string& id, const Caller& caller) = 0;
  // Work of milliseconds that needs no judging process, off the listener's thread. False: there is
  // too much of it.
  virtual bool Aside(std::function<void()> work) = 0;

  // The tasks, as they were when the server started.
  virtual const std::vector<task::TaskInfo>& Tasks() const = 0;
  virtual const std::vector<TaskSplit>& Splits() const = 0;  // indices into Tasks()
  // AK0101: no such task. Never a path.
  virtual base::Result<task::TaskSpec> Task(const std::string& name) const = 0;
  // Seed of inputs where a request gives none.
  virtual uint64_t Seed() const = 0;
  virtual std::string Name() const {
    return "";
  }  // begins the ids that it gives (serve/balancer.h)
  virtual ServiceLoad Load() const = 0;  // of all callers
  virtual bool Ready() const = 0;        // takes jobs
};

}  // namespace akgen::serve
