#include "store/store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "base/hash.h"
#include "record/verdict.h"

namespace akgen::store {
namespace {
namespace fs = std::filesystem;
using base::Json;

VerdictRow Verdict(int sample, const std::string& part = "public", size_t padding = 0) {
  VerdictRow v;
  v.task = "Sqrt", v.part = part, v.verdict = "pass", v.sample = sample;
  v.task_hash = "t", v.judge_hash = "j", v.chip_hash = "c",
  v.candidate_hash = "h" + std::to_string(sample);
  v.seed = 0xfedcba9876543210ull;
  v.run_ms = 1.5;
  v.record = Json{{"cases", Json::array({1, 2})}, {"padding", std::string(padding, 'x')}};
  return v;
}

// Does something as somebody who may write nowhere: root may write everywhere.
template <typename F>
void AsNobody(F act) {
  const bool root = ::geteuid() == 0;
  if (root) ASSERT_EQ(::seteuid(65534), 0);
  act();
  if (root) ASSERT_EQ(::seteuid(0), 0);
}

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() : dir_(std::move(base::TempDir::Create().value())), path_(dir_.path() / "run.db") {}
  Store Append(const Options& options = {}) {
    return std::move(Store::Open(path_, Access::kAppend, options).value());
  }
  // A store with one run of one task and `samples` candidates.
  Store Begun(int samples, const Options& options = {}) {
    Store s = Append(options);
    EXPECT_TRUE(s.AddRun({{"seed", 1}}, run_).ok());
    EXPECT_TRUE(s.AddTasks(run_, {{"Sqrt", "Math", "t", 1}}).ok());
    std::vector<CandidateRow> rows;
    for (int i = 0; i < samples; ++i) rows.push_back({"Sqrt", "dir", "h" + std::to_string(i), i});
    EXPECT_TRUE(s.AddCandidates(run_, rows).ok());
    return s;
  }
  size_t Count() {
    auto s = Store::Open(path_, Access::kRead);
    EXPECT_TRUE(s.ok());
    return s->Verdicts(run_, false)->size();
  }
  base::TempDir dir_;
  fs::path path_;
  std::string run_;
};

TEST_F(StoreTest, WhatIsPutInComesOut) {
  {
    Store s = Begun(2);
    ASSERT_TRUE(s.AddVerdicts(run_, {Verdict(1), Verdict(0), Verdict(0, "hidden")}).ok());
  }
  auto s = Store::Open(path_, Access::kRead);
  ASSERT_TRUE(s.ok());
  ASSERT_EQ(s->Runs()->size(), 1u);
  EXPECT_EQ(s->Runs()->at(0).config, Json({{"seed", 1}}));
  EXPECT_EQ(s->Tasks(run_)->at(0).category, "Math");
  EXPECT_EQ(s->Candidates(run_)->at(1).hash, "h1");
  auto all = s->Verdicts(run_);
  ASSERT_EQ(all->size(), 3u);
  EXPECT_EQ(all->at(0).part, "public");
  EXPECT_EQ(all->at(1).part, "hidden");
  EXPECT_EQ(all->at(2).sample, 1);
  EXPECT_EQ(all->at(0).seed, 0xfedcba9876543210ull);
  EXPECT_EQ(all->at(0).run_ms, 1.5);
  EXPECT_EQ(all->at(0).record["cases"], Json::array({1, 2}));
  EXPECT_TRUE(s->Verdicts(run_, false)->at(0).record.is_null());
}

TEST_F(StoreTest, EveryFieldComesOutInItsPlace) {
  VerdictRow v;
  v.task = "Sqrt", v.part = "hidden", v.verdict = "finding", v.reason = "why", v.key = "k",
  v.sample = 1;
  v.task_hash = "t", v.judge_hash = "j", v.chip_hash = "c", v.candidate_hash = "h1", v.seed = 9,
  v.cached = true;
  v.build_ms = 1.25, v.run_ms = 2.25, v.reference_ms = 3.25, v.check_ms = 4.25, v.wall_ms = 5.25;
  v.recorded = "2026-01-02T03:04:05Z", v.record = Json{{"a", 1}};
  {
    Store s = Begun(2, {.max_bytes = 0, .now = [] { return 1000000000; }});
    ASSERT_TRUE(
        s.AddTasks(run_,
                   {{"Abs", "Zero", "t0", 2}, {"Tan", "Math", "t1", 2}, {"Exp", "Math", "t2", 2}})
            .ok());
    ASSERT_TRUE(s.AddCandidates(run_, {{"Abs", "abs/dir", "ha", 3}}).ok());
    ASSERT_TRUE(s.AddVerdicts(run_, {v, Verdict(0)}).ok());
    std::string second;
    ASSERT_TRUE(s.AddRun({{"seed", 2}}, second).ok());
    EXPECT_NE(second, run_);
    EXPECT_TRUE(s.Tasks(second)->empty() && s.Candidates(second)->empty() &&
                s.Verdicts(second)->empty());
  }
  Store s = std::move(Store::Open(path_, Access::kRead).value());
  EXPECT_EQ(s.path(), path_);
  const auto runs = *s.Runs();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].id, base::ContentHash(R"({"seed":1})"));
  EXPECT_EQ(runs[0].created, "2001-09-09T01:46:40Z");
  EXPECT_EQ(runs[1].config, Json({{"seed", 2}}));
  std::string said;
  const auto tasks = *s.Tasks(run_);
  const auto candidates = *s.Candidates(run_);
  for (const TaskRow& t : tasks)
    said += t.name + t.category + t.hash + std::to_string(t.level) + " ";
  for (const CandidateRow& c : candidates)
    said += c.task + c.path + c.hash + std::to_string(c.sample) + " ";
  EXPECT_EQ(said,
            "SqrtMatht1 ExpMatht22 TanMatht12 AbsZerot02 Absabs/dirha3 Sqrtdirh00 Sqrtdirh11 ");
  const VerdictRow got = s.Verdicts(run_)->at(1);
  EXPECT_EQ(got.task + got.part + got.verdict + got.reason + got.key + got.task_hash +
                got.judge_hash + got.chip_hash + got.candidate_hash + got.recorded,
            "Sqrthiddenfindingwhyktjch12026-01-02T03:04:05Z");
  EXPECT_EQ(got.sample, 1);
  EXPECT_EQ(got.seed, 9u);
  EXPECT_TRUE(got.cached);
  EXPECT_FALSE(s.Verdicts(run_)->at(0).cached || got.task_fault);
  EXPECT_EQ(got.build_ms, 1.25);
  EXPECT_EQ(got.run_ms, 2.25);
  EXPECT_EQ(got.reference_ms, 3.25);
  EXPECT_EQ(got.check_ms, 4.25);
  EXPECT_EQ(got.wall_ms, 5.25);
  EXPECT_EQ(got.record, Json({{"a", 1}}));
}

TEST_F(StoreTest, WhatIsUnsealedIsNoEvidence) {
  VerdictRow why = Verdict(1);
  why.reason = "slow";
  {
    Store s = Begun(3);
    ASSERT_TRUE(s.AddVerdicts(run_, {Verdict(0), why, Verdict(2)}).ok());
  }
  Store s = std::move(Store::Open(path_, Access::kRead).value());
  const auto all = *s.Evidence(run_),
             some = *s.Evidence(run_, [](const VerdictRow& v) { return v.sample != 0; });
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].verdict, record::kUnsealed);
  EXPECT_EQ(all[0].reason, "pass");
  EXPECT_EQ(all[1].reason, "pass: slow");
  ASSERT_EQ(some.size(), 2u);
  EXPECT_EQ(some[0].sample, 1);
}

TEST_F(StoreTest, FoldersAreMeantFromTheStore) {
  path_ = dir_.path() / "a/b/run.db";
  fs::create_directories(path_.parent_path() / "beside/x");
  Store s = Append();
  EXPECT_EQ(s.Kept("/abs/olute"), "/abs/olute");
  const fs::path here = fs::current_path();
  fs::current_path(dir_.path() / "a");
  const std::string kept = s.Kept("b/beside/./x");
  fs::current_path(here);
  EXPECT_EQ(kept, "beside/x");
  EXPECT_EQ(s.FolderOf({"T", kept, "", 0}), path_.parent_path() / "beside/x");
  EXPECT_EQ(s.FolderOf({"T", "gone/y", "", 0}), "gone/y") << "as it was typed";
  EXPECT_EQ(s.FolderOf({"T", dir_.path().string(), "", 0}), dir_.path());
}

TEST_F(StoreTest, AFileOfAnotherProgramIsNotOurs) {
  { Store s = Begun(1); }
  const auto opened = [&](const char* sql, const fs::path& file) {
    sqlite3* db = nullptr;
    EXPECT_EQ(::sqlite3_open(file.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(::sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    ::sqlite3_close(db);
    auto s = Store::Open(file, Access::kRead);
    return s.ok() ? "" : s.error().code + s.error().message;
  };
  EXPECT_EQ(opened("", path_), "");
  EXPECT_EQ(opened("PRAGMA application_id=7", path_),
            "AK0503this SQLite file is not a store of akgen");
  EXPECT_EQ(opened("PRAGMA application_id=7", dir_.path() / "named.db"),
            "AK0503this SQLite file is not a store of akgen");
  EXPECT_EQ(
      opened("PRAGMA page_size=4096; CREATE TABLE x(y); DROP TABLE x", dir_.path() / "empty.db"),
      "AK0503the file holds no runs");
}

TEST_F(StoreTest, ErrorsSayWhereAndWhatToDo) {
  const auto said = [](const auto& r) {
    return r.ok() ? ""
                  : r.error().code + "|" + r.error().message + "|" + r.error().where + "|" +
                        r.error().fix;
  };
  const std::string none = "|name a file that `akgen bench run --out` wrote", path = path_.string();
  EXPECT_EQ(said(Store::Open(path_, Access::kRead)), "AK0503|no such file|" + path + none);
  EXPECT_EQ(said(Store::Open(dir_.path(), Access::kRead)),
            "AK0503|this is not a file|" + dir_.path().string() + "|name another one");
  const std::string nowhere = (dir_.path() / "no/run.db").string();
  EXPECT_EQ(said(Store::Open(nowhere, Access::kAppend)),
            "AK0504|cannot write beside the store: No such file or directory|" + nowhere +
                ".lock|choose a folder that exists and that you may write to");
  Store s = Begun(1);
  EXPECT_EQ(said(Store::Open(path_, Access::kAppend)),
            "AK0501|another process appends to this store|" + path +
                "|wait for it, or give this run another --out file");
  const std::string fresh = "|start the run in a new file";
  EXPECT_EQ(said(s.AddTasks(run_, {{"Sqrt", "Math", "new", 1}})),
            "AK0505|the task Sqrt has changed since this run began|" + path + fresh);
  EXPECT_EQ(said(s.AddCandidates(run_, {{"Sqrt", "dir", "new", 0}})),
            "AK0505|the candidate Sqrt sample 0 has changed since this run began|dir" + fresh);
  const std::string foreign = ": FOREIGN KEY constraint failed|" + path + fresh;
  EXPECT_EQ(said(s.AddTasks("none", {{"Sqrt", "Math", "t", 1}})),
            "AK0505|the task Sqrt cannot be stored" + foreign);
  EXPECT_EQ(said(s.AddCandidates(run_, {{"Abs", "dir", "h", 3}})),
            "AK0505|the candidate Abs sample 3 cannot be stored" + foreign);
  EXPECT_EQ(said(s.AddVerdicts(run_, {Verdict(7)})),
            "AK0505|the verdict on Sqrt sample 7 cannot be stored" + foreign);
  VerdictRow part = Verdict(0, "secret");
  EXPECT_EQ(s.AddVerdicts(run_, {part}).error().code, "AK0505") << "there are two parts";
  EXPECT_TRUE(s.AddTasks(run_, {}).ok() && s.AddCandidates(run_, {}).ok() &&
              s.AddVerdicts(run_, {}).ok());
}

// What is refused half way leaves nothing of the group, and the next one can be stored.
TEST_F(StoreTest, GroupsAreWholeOrNot) {
  Store s = Begun(1);
  EXPECT_FALSE(s.AddTasks(run_, {{"Abs", "Math", "t", 1}, {"Sqrt", "Math", "new", 1}}).ok());
  EXPECT_EQ(s.Tasks(run_)->size(), 1u);
  EXPECT_FALSE(s.AddCandidates(run_, {{"Sqrt", "dir", "h1", 1}, {"Sqrt", "dir", "new", 0}}).ok());
  EXPECT_EQ(s.Candidates(run_)->size(), 1u);
  EXPECT_TRUE(s.AddTasks(run_, {{"Abs", "Math", "t", 1}}).ok());
  EXPECT_TRUE(s.AddCandidates(run_, {{"Sqrt", "dir", "h1", 1}}).ok());
  EXPECT_TRUE(s.AddVerdicts(run_, {Verdict(1)}).ok());
  std::string again;
  EXPECT_TRUE(s.AddRun({{"seed", 1}}, again).ok());
  EXPECT_EQ(again, run_);
  EXPECT_EQ(s.Runs()->size(), 1u);
}

// Whoever reads or writes what another program has destroyed says so.
TEST_F(StoreTest, WhatIsDestroyedIsNamed) {
  Store s = Begun(1);
  sqlite3* db = nullptr;
  ASSERT_EQ(::sqlite3_open(path_.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(::sqlite3_exec(db, "DROP TABLE verdicts", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto said = [](const auto& r) { return r.ok() ? "" : r.error().code + r.error().message; };
  EXPECT_EQ(said(s.Verdicts(run_)), "AK0504cannot read: no such table: verdicts");
  EXPECT_EQ(said(s.Evidence(run_)), "AK0504cannot read: no such table: verdicts");
  EXPECT_EQ(said(s.AddVerdicts(run_, {Verdict(0)})),
            "AK0504the verdict on Sqrt sample 0 cannot be stored: no such table: verdicts");
  for (const char* table : {"candidates", "tasks", "runs"})
    ASSERT_EQ(
        ::sqlite3_exec(db, ("DROP TABLE " + std::string(table)).c_str(), nullptr, nullptr, nullptr),
        SQLITE_OK);
  ::sqlite3_close(db);
  EXPECT_EQ(said(s.Candidates(run_)), "AK0504cannot read: no such table: candidates");
  EXPECT_EQ(said(s.Tasks(run_)), "AK0504cannot read: no such table: tasks");
  EXPECT_EQ(said(s.Runs()), "AK0504cannot read: no such table: runs");
  std::string id;
  EXPECT_EQ(said(s.AddRun({{"seed", 3}}, id)),
            "AK0504the run cannot be stored: no such table: runs");
}

// Rows and options begin with nothing.
TEST(StoreDefaults, AreNothing) {
  const VerdictRow v;
  EXPECT_EQ(double(v.sample), 0);
  EXPECT_EQ(double(v.seed), 0);
  EXPECT_FALSE(v.cached || v.task_fault);
  for (double ms : {v.build_ms, v.run_ms, v.reference_ms, v.check_ms, v.wall_ms}) EXPECT_EQ(ms, 0);
  EXPECT_EQ(TaskRow().level, 0);
  EXPECT_EQ(CandidateRow().sample, 0);
  EXPECT_EQ(Options().max_bytes, 0u);
}

TEST_F(StoreTest, AVerdictIsGivenOnce) {
  Store s = Begun(1);
  ASSERT_TRUE(s.AddVerdicts(run_, {Verdict(0)}).ok());
  auto again = s.AddVerdicts(run_, {Verdict(0, "hidden"), Verdict(0)});
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, "AK0505");
  EXPECT_EQ(Count(), 1u) << "a refused group leaves nothing behind";
}

TEST_F(StoreTest, AVerdictNeedsItsCandidate) {
  Store s = Begun(1);
  EXPECT_EQ(s.AddVerdicts(run_, {Verdict(7)}).error().code, "AK0505");
}

TEST_F(StoreTest, ChangedTasksAndCandidatesAreRefused) {
  Store s = Begun(1);
  EXPECT_TRUE(s.AddTasks(run_, {{"Sqrt", "Math", "t", 1}}).ok());
  EXPECT_EQ(s.AddTasks(run_, {{"Sqrt", "Math", "other", 1}}).error().code, "AK0505");
  EXPECT_TRUE(s.AddCandidates(run_, {{"Sqrt", "moved", "h0", 0}}).ok())
      << "the place may change, the content may not";
  EXPECT_EQ(s.AddCandidates(run_, {{"Sqrt", "dir", "other", 0}}).error().code, "AK0505");
}

TEST_F(StoreTest, NothingIsChangedOrDeleted) {
  {
    Store s = Begun(1);
    ASSERT_TRUE(s.AddVerdicts(run_, {Verdict(0)}).ok());
  }
  sqlite3* db = nullptr;
  ASSERT_EQ(::sqlite3_open(path_.c_str(), &db), SQLITE_OK);
  for (const char* table : {"runs", "tasks", "candidates", "verdicts"})
    EXPECT_NE(::sqlite3_exec(db, (std::string("DELETE FROM ") + table).c_str(), nullptr, nullptr,
                             nullptr),
              SQLITE_OK)
        << table;
  EXPECT_NE(
      ::sqlite3_exec(db, "UPDATE verdicts SET verdict='wrong_answer'", nullptr, nullptr, nullptr),
      SQLITE_OK);
  ::sqlite3_close(db);
  EXPECT_EQ(Count(), 1u);
}

TEST_F(StoreTest, OneWriterManyReaders) {
  Store s = Begun(1);
  auto second = Store::Open(path_, Access::kAppend);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, "AK0501");
  EXPECT_EQ(Count(), 0u);
  ASSERT_TRUE(s.AddVerdicts(run_, {Verdict(0)}).ok());
  EXPECT_EQ(Count(), 1u) << "readers see what is stored while the run goes on";
}

TEST_F(StoreTest, IsReadWhereNothingMayBeWritten) {
  const fs::path folder = dir_.path() / "read only", log = folder / "run#1%?.db-wal",
                 index = folder / "run#1%?.db-shm";
  path_ = folder / "run#1%?.db";
  for (bool killed : {false, true}) {
    fs::remove_all(folder);
    fs::create_directory(folder);
    if (const pid_t writer = ::fork(); writer == 0) {
      {
        Store s = Begun(1);
        if (!s.AddVerdicts(run_, {Verdict(0)}).ok()) ::_exit(1);
        if (killed) ::_exit(0);  // nothing is put in order
      }
      ::_exit(0);
    } else {
      int status = 1;
      ::waitpid(writer, &status, 0);
      ASSERT_EQ(status, 0);
    }
    ASSERT_EQ(fs::exists(log), killed);
    run_ = Store::Open(path_, Access::kRead)->Runs()->at(0).id;
    fs::remove(index);  // makes a reader write one
    if (!killed) fs::remove(log);
    for (const auto& file : fs::directory_iterator(folder)) fs::permissions(file, fs::perms(0444));
    fs::permissions(folder, fs::perms(0555));
    fs::permissions(dir_.path(), fs::perms(0755));
    AsNobody([&] {
      auto s = Store::Open(path_, Access::kRead);
      ASSERT_TRUE(s.ok()) << s.error().ToString();
      EXPECT_EQ(s->Verdicts(run_)->size(), 1u);
      EXPECT_EQ(Store::Open(path_, Access::kAppend).error().code, "AK0504");
    });
    EXPECT_FALSE(fs::exists(index));
    fs::permissions(folder, fs::perms(0755));
  }
}

TEST_F(StoreTest, WhatIsNoFileIsNoStore) {
  EXPECT_EQ(Store::Open("/dev/null", Access::kAppend).error().code, "AK0503");
  EXPECT_EQ(Store::Open(dir_.path(), Access::kRead).error().code, "AK0503");
  EXPECT_FALSE(fs::exists("/dev/null.lock"));
}

TEST_F(StoreTest, ForeignAndBrokenFilesAreRefused) {
  std::ofstream(path_) << std::string(8192, 'x');
  EXPECT_EQ(Store::Open(path_, Access::kAppend).error().code, "AK0503");
  EXPECT_EQ(Store::Open(path_, Access::kRead).error().code, "AK0503");
  fs::path other = dir_.path() / "other.db";
  sqlite3* db = nullptr;
  ::sqlite3_open(other.c_str(), &db);
  ::sqlite3_exec(db, "CREATE TABLE mine(x)", nullptr, nullptr, nullptr);
  ::sqlite3_close(db);
  EXPECT_EQ(Store::Open(other, Access::kAppend).error().code, "AK0503");
  EXPECT_EQ(Store::Open(dir_.path() / "none.db", Access::kRead).error().code, "AK0503");
  EXPECT_EQ(Store::Open(dir_.path() / "no/folder.db", Access::kAppend).error().code, "AK0504");
}

TEST_F(StoreTest, AnotherSchemaIsRefused) {
  { Store s = Begun(1); }
  sqlite3* db = nullptr;
  ::sqlite3_open(path_.c_str(), &db);
  ::sqlite3_exec(db, "PRAGMA user_version=99", nullptr, nullptr, nullptr);
  ::sqlite3_close(db);
  auto s = Store::Open(path_, Access::kRead);
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.error().code, "AK0503");
  EXPECT_NE(s.error().message.find("99"), std::string::npos);
}

// Fills the store until it refuses; every verdict that was accepted is there, and more can follow
// once there is room.
void FillUp(Store& s, const std::string& run, int samples, int& stored) {
  stored = 0;
  for (int i = 0; i < samples; ++i) {
    auto r = s.AddVerdicts(run, {Verdict(i, "public", 20000)});
    if (!r.ok()) {
      EXPECT_EQ(r.error().code, "AK0502") << r.error().ToString();
      return;
    }
    ++stored;
  }
}

TEST_F(StoreTest, AFullStoreKeepsWhatItHas) {
  int stored = 0;
  {
    Store s = Begun(50, {.max_bytes = 300000, .now = {}});
    FillUp(s, run_, 50, stored);
    EXPECT_EQ(s.AddVerdicts(run_, {Verdict(stored, "public", 20000)}).error().code, "AK0502");
  }
  EXPECT_GT(stored, 2);
  EXPECT_LT(stored, 50);
  EXPECT_EQ(Count(), size_t(stored));
  Store s = Append();
  EXPECT_TRUE(s.AddVerdicts(run_, {Verdict(stored)}).ok());
}

TEST_F(StoreTest, AFullDiskKeepsWhatItHas) {
  fs::path disk = dir_.path() / "disk";
  fs::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m") != 0)
    GTEST_SKIP() << "mounting a small disk needs root";
  path_ = disk / "run.db";
  int stored = 0;
  {
    Store s = Begun(100);
    FillUp(s, run_, 100, stored);
  }
  EXPECT_GT(stored, 2);
  EXPECT_LT(stored, 100);
  EXPECT_EQ(Count(), size_t(stored));
  ASSERT_EQ(::mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=16m"), 0);
  {
    Store s = Append();
    EXPECT_TRUE(s.AddVerdicts(run_, {Verdict(stored)}).ok());
  }
  ::umount(disk.c_str());
}

TEST_F(StoreTest, AClockThatJumpsChangesNoOrder) {
  int64_t clock = 2000000000;
  Store s = Begun(3, {.max_bytes = 0, .now = [&] { return clock; }});
  ASSERT_TRUE(s.AddVerdicts(run_, {Verdict(0)}).ok());
  clock = -5000000000;  // long before 1970
  ASSERT_TRUE(s.AddVerdicts(run_, {Verdict(1)}).ok());
  clock = 99999999999;
  ASSERT_TRUE(s.AddVerdicts(run_, {Verdict(2)}).ok());
  auto all = s.Verdicts(run_);
  ASSERT_EQ(all->size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(all->at(size_t(i)).sample, i);
  EXPECT_EQ(all->at(0).recorded, "2033-05-18T03:33:20Z");
}

// A child stores verdicts and says so one by one; it is killed at a random moment. What it said is
// in the file.
TEST_F(StoreTest, KilledWritersLoseNothingTheyReported) {
  { Store s = Begun(400); }
  std::mt19937 random(7);
  size_t reported = 0;
  for (int round = 0; round < 8 && reported < 400; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    pid_t child = ::fork();
    if (child == 0) {
      auto s = Store::Open(path_, Access::kAppend);
      if (!s.ok()) ::_exit(1);
      size_t have = s->Verdicts(run_, false)->size();
      for (size_t i = have; i < 400; ++i) {
        if (!s->AddVerdicts(run_, {Verdict(int(i), "public", 3000)}).ok()) ::_exit(2);
        char byte = 1;
        if (::write(pipe_ends[1], &byte, 1) != 1) ::_exit(3);
      }
      ::_exit(0);
    }
    ::close(pipe_ends[1]);
    ::usleep(5000 + random() % 60000);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    char buffer[512];
    ssize_t n;
    while ((n = ::read(pipe_ends[0], buffer, sizeof buffer)) > 0) reported += size_t(n);
    ::close(pipe_ends[0]);
    size_t have = Count();
    EXPECT_GE(have, reported) << "a verdict that was reported as stored is gone";
    reported = have;  // the last one may be stored without having been reported
  }
  EXPECT_GT(reported, 0u);
}

}  // namespace
}  // namespace akgen::store
