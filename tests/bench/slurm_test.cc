// A run over a cluster, of which stand-ins for sbatch, squeue and scancel take the place: what is
// submitted, what is waited for, and what is merged. Each worker copies a store that was made
// before.
#include "bench/slurm.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/files.h"

namespace akgen::bench {
namespace {
namespace fs = std::filesystem;

class OnSlurm : public ::testing::Test {
 protected:
  OnSlurm() : path_(std::getenv("PATH")) {
    for (const char* folder : {"bin", "ready", "more"}) fs::create_directories(At(folder));
    // The stand-ins write down their arguments; `sbatch` runs the tasks of the array.
    Program("sbatch",
            "for word in \"$@\"; do case $word in --array=*) tasks=${word#--array=};; esac; "
            "script=$word; done\n"
            "test -e \"$TOP/refused\" && { echo 'no partition'; exit 1; }\n"
            "IFS=,; for task in $tasks; do SLURM_ARRAY_TASK_ID=$task \"$script\"; done\n"
            "echo '77;cluster'\n");
    Program("squeue",
            "read left < \"$TOP/left\" || left=0\n"
            "if test $left -gt 0; then echo $((left - 1)) > \"$TOP/left\"; cat \"$TOP/busy\"; "
            "exit $(cat \"$TOP/status\"); fi\n"
            "test -e \"$TOP/gone\" && { echo 'slurm_load_jobs error: Invalid job id specified'; "
            "exit 1; }\nexit 0\n");
    Program("scancel", "");
    Program("worker",
            "for word in \"$@\"; do out=$word; done\n"
            "part=\"$TOP/ready/$(basename \"$out\")\"\n"
            "test -e \"$part\" || exit 0\ncp \"$part\" \"$out\"\n"
            "test -e \"$TOP/more/$(basename \"$out\")\" && mv \"$TOP/more/$(basename \"$out\")\" "
            "\"$part\"\nexit 0\n");
    Queue("77_0\n", 0, 0);
    ::setenv("PATH", (At("bin").string() + ":" + path_).c_str(), 1);
    options_.worker = {At("bin/worker").string(), "a'b c", "--seed", "7"};
    options_.sbatch = {"--partition=fast"};
    options_.workers = 2, options_.poll_ms = 1, options_.candidates = 3;
  }
  ~OnSlurm() override { ::setenv("PATH", path_.c_str(), 1); }

  fs::path At(const std::string& name) const { return dir_.path() / name; }
  void Write(const std::string& name, const std::string& text) { std::ofstream(At(name)) << text; }
  void Program(const std::string& name, const std::string& text) {
    Write("bin/" + name, "#!/bin/sh\nTOP='" + dir_.path().string() + "'\necho \"" + name +
                             " $*\" >> \"$TOP/said\"\n" + text);
    ::chmod(At("bin/" + name).c_str(), 0755);
  }
  // What squeue says, so many times, before the jobs are gone.
  void Queue(const std::string& says, int status, int times) {
    Write("busy", says), Write("status", std::to_string(status) + "\n");
    Write("left", std::to_string(times) + "\n");
  }
  std::string Said() const {
    std::ostringstream out;
    out << std::ifstream(At("said")).rdbuf();
    std::string text = out.str();
    for (size_t at; (at = text.find(dir_.path().string())) != std::string::npos;)
      text.replace(at, dir_.path().string().size(), "TOP");
    return text;
  }
  // A shard's store: candidates, and how many of them have verdicts, each in two parts.
  void Part(const std::string& file, int shard, int candidates, int judged) {
    auto s = store::Store::Open(At(file), store::Access::kAppend);
    ASSERT_TRUE(s.ok());
    std::string run;
    ASSERT_TRUE(s->AddRun({{"samples", 1}}, run).ok());
    ASSERT_TRUE(s->AddTasks(run, {{"Gelu", "Math", "h", 1}}).ok());
    for (int i = 0; i < candidates; ++i) {
      const int sample = 10 * shard + i;
      ASSERT_TRUE(s->AddCandidates(run, {{"Gelu", "/c", "h", sample}}).ok());
      if (i >= judged) continue;
      for (const char* part : {"public", "hidden"}) {
        store::VerdictRow v;
        v.task = "Gelu", v.sample = sample, v.part = part, v.verdict = "pass";
        ASSERT_TRUE(s->AddVerdicts(run, {v}).ok());
      }
    }
  }
  base::Result<RunSummary> Run() {
    auto into = store::Store::Open(At("run.db"), store::Access::kAppend);
    EXPECT_TRUE(into.ok());
    return RunOnSlurm(options_, *into);
  }
  static constexpr const char* kSubmitted =
      "sbatch --parsable --job-name=akgen-bench --array=0,1 --output=TOP/run.db.shards/log-%a.txt "
      "--open-mode=append --partition=fast TOP/run.db.shards/job.sh\n"
      "worker a'b c --seed 7 --shard 0/2 --out TOP/run.db.shards/part0.db\n"
      "worker a'b c --seed 7 --shard 1/2 --out TOP/run.db.shards/part1.db\n";
  static constexpr const char* kAsked =
      "squeue --noheader --jobs 77 --states "
      "PENDING,RUNNING,CONFIGURING,COMPLETING,REQUEUED,SUSPENDED --format %i\n";

  base::TempDir dir_ = std::move(*base::TempDir::Create());
  std::string path_;
  SlurmOptions options_;
};

TEST_F(OnSlurm, AllShardsAtOnce) {
  Part("ready/part0.db", 0, 2, 2), Part("ready/part1.db", 1, 1, 1);
  Queue("77_0\n77_1\n", 0, 2);
  std::vector<size_t> done;
  options_.progress = [&](size_t n) { done.push_back(n); };
  const auto summary = Run();
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->candidates, 3u);
  EXPECT_EQ(summary->before, 0u);
  EXPECT_EQ(summary->judged, 6u);
  EXPECT_EQ(summary->left, 0u);
  EXPECT_EQ(done, (std::vector<size_t>{3, 3, 3}));
  EXPECT_EQ(Said(), std::string(kSubmitted) + kAsked + kAsked + kAsked);
  struct stat script;
  ASSERT_EQ(::stat(At("run.db.shards/job.sh").c_str(), &script), 0);
  EXPECT_EQ(script.st_mode & 0777, 0700u);
  // Again: nothing is missing, nothing is submitted.
  fs::remove(At("said"));
  const auto again = Run();
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->before, 3u);
  EXPECT_EQ(again->judged, 0u);
  EXPECT_FALSE(fs::exists(At("said")));
}

TEST_F(OnSlurm, OnlyWhatIsMissingIsSubmittedAgain) {
  // The second shard first has its candidate without a verdict.
  Part("ready/part0.db", 0, 2, 2), Part("ready/part1.db", 1, 1, 0);
  Part("more/part1.db", 1, 1, 1);
  Write("gone", "");  // a job that is long gone is an error to squeue
  const auto summary = Run();
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(summary->left, 0u);
  const std::string said = Said();
  EXPECT_NE(said.find("--array=1 "), std::string::npos) << said;
  EXPECT_TRUE(said.starts_with(std::string(kSubmitted) + kAsked + "sbatch")) << said;
}

TEST_F(OnSlurm, AnErrorOfTheClusterMayPass) {
  Part("ready/part0.db", 0, 2, 2), Part("ready/part1.db", 1, 1, 1);
  Queue("slurm_load_jobs error: Unable to contact slurm controller\n", 1, 3);
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(Said(), std::string(kSubmitted) + kAsked + kAsked + kAsked + kAsked);
  Queue("", 1, 2);  // nor is silence with an error the end
  fs::remove_all(At("run.db.shards")), fs::remove(At("said"));
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(Said(), std::string(kSubmitted) + kAsked + kAsked + kAsked);
}

TEST_F(OnSlurm, WorkersThatGetNowhereAreTold) {
  Part("ready/part0.db", 0, 2, 1), Part("ready/part1.db", 1, 0, 0);
  const auto summary = Run();
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().code, "AK0515");
  EXPECT_EQ(summary.error().message, "the workers ended without a new verdict");
  auto into = store::Store::Open(At("run.db"), store::Access::kRead);
  ASSERT_TRUE(into.ok());
  EXPECT_EQ(into->Verdicts(into->Runs()->at(0).id)->size(), 2u) << "what there is was merged";
}

TEST_F(OnSlurm, AStopCancelsAndMerges) {
  Part("ready/part0.db", 0, 2, 1), Part("ready/part1.db", 1, 1, 1);
  std::atomic<bool> stop = true;
  options_.stop = &stop;
  const auto summary = Run();
  ASSERT_TRUE(summary.ok()) << summary.error().ToString();
  EXPECT_EQ(Said(), std::string(kSubmitted) + "scancel 77\n");
  EXPECT_EQ(summary->left, 1u);
  EXPECT_EQ(summary->judged, 4u);
}

TEST_F(OnSlurm, ARefusalSaysWhatSlurmSays) {
  Write("refused", "");
  const auto summary = Run();
  ASSERT_FALSE(summary.ok());
  EXPECT_EQ(summary.error().code, "AK0515");
  EXPECT_EQ(summary.error().message, "Slurm refuses the job: no partition\n");
}

TEST(Quoted, AsTheShellReadsIt) {
  EXPECT_EQ(Quoted(""), "''");
  EXPECT_EQ(Quoted("a b"), "'a b'");
  EXPECT_EQ(Quoted("a'b"), "'a'\\''b'");
}
}  // namespace
}  // namespace akgen::bench
