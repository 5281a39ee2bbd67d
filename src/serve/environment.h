// An episode of kernel writing: a task, turns, the best answer so far.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "serve/service.h"

namespace akgen::serve {

struct SplitTask {
  std::string task;
  int level = 0;
  std::string category;
};
base::Json ToJson(const SplitTask& task);

// The splits of the service's tasks, as protocols list them.
class TaskSplits {
 public:
  explicit TaskSplits(const Service& service) : service_(service) {}
  base::Json List() const;                                                  // [{"name", "type"}…]
  base::Result<std::vector<SplitTask>> Of(const std::string& split) const;  // AK0901
 private:
  const Service& service_;
};

// How an episode begins: {"task" | "problem_id" | "index" with "split", "seed", "episode_id",
// "max_turns"}.
struct EpisodeOptions {
  std::string task;  // empty: the index or the seed chooses one
  std::string split = "all";
  std::optional<uint64_t> index, seed;
  int max_turns = 10;
  std::string id;
};
// AK0902: a value that makes no sense. Throws base::Json::exception.
base::Result<EpisodeOptions> EpisodeOptionsFromJson(const base::Json& options);

// {"code": TEXT, "metadata"?}
struct KernelAction {
  std::string code;
};
base::Result<KernelAction> KernelActionFromJson(const base::Json& action);  // AK0902

// Used by one thread at a time.
class Episode {
 public:
  explicit Episode(const Service& service) : service_(&service) {}
  // EpisodeOptions; the first observation. AK0101, AK0902.
  base::Result<base::Json> Reset(const base::Json& options);
  // KernelAction. AK0902: it is none, or there is no episode.
  base::Result<Submission> Begin(const base::Json& action, const Caller& caller);
  struct Outcome {
    base::Json observation;
    double reward = 0;
    bool done = false;
  };
  // Of an answer that has a reward.
  Outcome End(const Answer& answer);
  base::Json State() const;
  static base::Json Schemas();  // {"action", "observation", "state"}

 private:
  Episode(const Service& service, std::string id, const task::TaskSpec& task, int turns);
  base::Json Observation() const;
  const Service* service_;
  std::string episode_id_, task_, description_, reference_;
  int turn_ = 0, max_turns_ = 10;
  double best_ = 0;
  bool solved_ = false, done_ = false;
};

}  // namespace akgen::serve
