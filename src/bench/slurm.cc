#include "bench/slurm.h"

#include <sys/stat.h>

#include <chrono>
#include <set>
#include <thread>

#include "base/files.h"
#include "base/process.h"

namespace akgen::bench {
namespace fs = std::filesystem;
using base::Error;
using base::Result;
using base::Status;

namespace {
class Array {
 public:
  Array(const SlurmOptions& o, const store::Store& into)
      : options_(o), dir_(into.path().string() + ".shards") {}

  Status Prepare() {
    std::error_code ec;
    fs::create_directories(dir_, ec);
    std::string script = "#!/bin/sh\nexec";
    for (const std::string& word : options_.worker) script += " " + Quoted(word);
    script += " --shard \"$SLURM_ARRAY_TASK_ID/" + std::to_string(options_.workers) + "\" --out " +
              Quoted((dir_ / "part").string()) + "\"$SLURM_ARRAY_TASK_ID.db\"\n";
    Status s = base::WriteFileAtomic(Script(), script);
    if (s.ok()) ::chmod(Script().c_str(), 0700);  // it holds the hidden seed
    return s;
  }

  // Shards that are not done, as "0,3".
  std::string Missing() const {
    std::string out;
    for (int i = 0; i < options_.workers; ++i)
      if (!Complete(i)) out += (out.empty() ? "" : ",") + std::to_string(i);
    return out;
  }

  Status Submit(const std::string& shards) {
    std::vector<std::string> argv{"sbatch",
                                  "--parsable",
                                  "--job-name=akgen-bench",
                                  "--array=" + shards,
                                  "--output=" + (dir_ / "log-%a.txt").string(),
                                  "--open-mode=append"};
    argv.insert(argv.end(), options_.sbatch.begin(), options_.sbatch.end());
    argv.push_back(Script().string());
    auto r = base::RunProgram(argv);
    if (!r.ok()) return r.error();
    size_t digits = r->output.find_first_not_of("0123456789");
    if (r->exit_code != 0 || digits == 0)
      return Error{"AK0515", "Slurm refuses the job: " + r->output.substr(0, 300),
                   Script().string(), "see `sbatch --help`; --slurm-options takes further options"};
    job_ = r->output.substr(0, digits);
    return {};
  }

  // Until no task of the array is pending or running.
  Status Wait() {
    for (;;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(options_.poll_ms));
      if (options_.progress) options_.progress(Done());
      if (options_.stop && options_.stop->load()) {
        (void)base::RunProgram({"scancel", job_});
        return {};
      }
      auto r = base::RunProgram({"squeue", "--noheader", "--jobs", job_, "--states",
                                 "PENDING,RUNNING,CONFIGURING,COMPLETING,REQUEUED,SUSPENDED",
                                 "--format", "%i"});
      if (!r.ok()) return r.error();
      // A job that is long gone is an error to squeue; any other failure is the cluster's and may
      // pass.
      if (r->exit_code == 0 && r->output.find_first_not_of(" \n") == std::string::npos) return {};
      if (r->exit_code != 0 && r->output.find("Invalid job id") != std::string::npos) return {};
    }
  }

  size_t Done() const {
    size_t done = 0;
    for (int i = 0; i < options_.workers; ++i) done += Counts(i).second;
    return done;
  }

  std::vector<fs::path> Parts() const {
    std::vector<fs::path> out;
    std::error_code ec;
    for (int i = 0; i < options_.workers; ++i)
      if (fs::exists(Part(i), ec) && Counts(i).first > 0) out.push_back(Part(i));
    return out;
  }
  fs::path Script() const { return dir_ / "job.sh"; }

 private:
  fs::path Part(int i) const { return dir_ / ("part" + std::to_string(i) + ".db"); }

  // Candidates of the shard, and those of them that have their verdict. (0, 0) while there is no
  // store.
  std::pair<size_t, size_t> Counts(int i) const {
    auto s = store::Store::Open(Part(i), store::Access::kRead);
    if (!s.ok()) return {};
    auto runs = s->Runs();
    if (!runs.ok() || runs->empty()) return {};
    auto candidates = s->Candidates(runs->at(0).id);
    auto verdicts = s->Verdicts(runs->at(0).id, false);
    if (!candidates.ok() || !verdicts.ok()) return {};
    std::set<std::pair<std::string, int>> judged;
    for (const auto& v : *verdicts) judged.insert({v.task, v.sample});
    return {candidates->size(), judged.size()};
  }
  bool Complete(int i) const {
    size_t expected = options_.candidates / size_t(options_.workers) +
                      (size_t(i) < options_.candidates % size_t(options_.workers));
    auto [candidates, judged] = Counts(i);
    return candidates == expected && judged == expected;
  }

  const SlurmOptions& options_;
  fs::path dir_;
  std::string job_;
};
}  // namespace

std::string Quoted(const std::string& word) {
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Result<RunSummary> RunOnSlurm(const SlurmOptions& options, store::Store& into) {
  Array array(options, into);
  if (Status s = array.Prepare(); !s.ok()) return s.error();
  Status trouble;
  size_t before = array.Done();
  for (std::string missing; !(missing = array.Missing()).empty();) {
    size_t had = array.Done();
    if (Status s = array.Submit(missing); !s.ok()) return s.error();
    if (Status s = array.Wait(); !s.ok()) return s.error();
    if (options.stop && options.stop->load()) break;
    if (array.Done() == had && !array.Missing().empty()) {
      trouble = Error{"AK0515", "the workers ended without a new verdict", array.Script().string(),
                      "read log-*.txt beside it, then repeat the command"};
      break;
    }
  }
  auto merged = Merge(array.Parts(), into);
  if (!merged.ok()) return merged;
  if (!trouble.ok()) return trouble.error();
  merged->candidates = options.candidates;
  merged->before = before;
  merged->left = options.candidates - array.Done();
  return merged;
}

}  // namespace akgen::bench
