// The service over one judging thread, which a job's `done` holds until the rows of a test are in
// the queue: who is next, who is told what, and what is kept. Candidates are answers without code,
// which end where no process judges; the last test judges.
#include "serve/judge_service.h"

#include <gtest/gtest.h>

#include <future>

namespace akgen::serve {
namespace {
using base::Json;
using std::chrono::milliseconds;
const Caller kMe{"me", "a"}, kOther{"other", ""};

Submission Of(const std::string& text, const Caller& caller = kMe, const std::string& key = "") {
  Submission s;
  JudgeWork work;
  work.task = "Sqrt", work.candidate.text = text;
  s.work = work, s.caller = caller, s.key = key;
  return s;
}
JudgeWork& WorkOf(Submission& s) { return std::get<JudgeWork>(s.work); }

std::string Brief(const Answer& a) {
  return (a.ending == Ending::kDone ? a.outcome : std::string(NameOf(a.ending))) +
         (a.reused ? " reused" : "") + (a.cached ? " cached" : "");
}

class Judging : public ::testing::Test {
 protected:
  Judging() { journal_ = std::move(*Journal::Open("")); }
  ~Judging() override { Release(); }
  JudgeService& Start(JudgeService::Options options = {}) {
    service_.reset();
    options.seed = 5;
    service_ = std::make_unique<JudgeService>(std::move(options), *journal_, metrics_);
    return *service_;
  }
  // The judging thread waits in the end of a job that nobody else asks for.
  void Hold() {
    Release();
    gate_.emplace();
    std::promise<void> reached;
    service_->Submit(Of("hold " + std::to_string(++holds_), {"gate", ""}),
                     [&, open = gate_->get_future().share()](const Answer&) {
                       reached.set_value();
                       open.wait();
                     });
    reached.get_future().wait();
  }
  void Release() {
    if (gate_) gate_->set_value();
    gate_.reset();
  }
  // Its end goes to the end of `told` under this name.
  std::string Ask(Submission s, const std::string& name) {
    ++asked_;
    return service_->Submit(std::move(s), [this, name](const Answer& a) {
      std::lock_guard lock(mutex_);
      told_ += name + ": " + Brief(a) + "\n";
      last_ = a, --asked_;
      changed_.notify_all();
    });
  }
  // What was told since, when all that was asked has ended.
  std::string Told() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(20), [&] { return asked_ == 0; }));
    return std::exchange(told_, "");
  }
  std::string ToldAtOnce() {
    std::lock_guard lock(mutex_);
    return std::exchange(told_, "");
  }

  std::unique_ptr<Journal> journal_;
  Metrics metrics_;
  std::unique_ptr<JudgeService> service_;
  std::optional<std::promise<void>> gate_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string told_;
  Answer last_;
  std::atomic<int> asked_{0};
  int holds_ = 0;
};

TEST_F(Judging, JobsWaitForTheirTurn) {
  JudgeService& service = Start();
  EXPECT_EQ(service.Load().judges, 1u);
  EXPECT_EQ(service.Seed(), 5u);
  Hold();
  EXPECT_TRUE(service.Ready());
  auto low = Of("low");
  low.priority = Priority::kLow;
  const std::string a = Ask(low, "low"), b = Ask(Of("b"), "b"), c = Ask(Of("c"), "c"),
                    d = Ask(Of("d", kOther), "d");
  EXPECT_EQ(service.Load().waiting, 4u);
  EXPECT_EQ(service.Load().judging, 0u);
  EXPECT_EQ(service.State(a, kMe)->state, "queued");
  EXPECT_EQ(service.State(a, kMe)->ahead, 2u);
  EXPECT_EQ(service.State(c, kMe)->ahead, 1u);
  EXPECT_EQ(service.State(b, kMe)->ahead, 0u);
  EXPECT_EQ(service.State(b, kMe)->subject, "Sqrt");
  EXPECT_FALSE(service.State(b, kOther) || service.State("none", kMe));
  EXPECT_EQ(service.UnderWay(kMe, 9).size(), 3u);
  EXPECT_EQ(service.UnderWay(kMe, 2).size(), 2u);
  EXPECT_EQ(service.UnderWay(kMe, 0).size(), 0u);
  EXPECT_EQ(service.UnderWay(kOther, 9)[0].id, d);
  EXPECT_EQ(service.UnderWay(kOther, 9)[0].state, "queued");
  std::string steps;
  const Watch watch = [&](const JobState& s) {
    steps += s.state + (s.answer ? " " + Brief(*s.answer) : "") + ";";
  };
  EXPECT_TRUE(service.Follow(d, kOther, watch));
  EXPECT_FALSE(service.Follow(d, kMe, watch));
  EXPECT_FALSE(service.Follow("none", kMe, watch));
  Release();
  EXPECT_EQ(Told(), "b: no_code\nd: no_code\nc: no_code\nlow: no_code\n");
  EXPECT_EQ(steps, "queued;running;done no_code;");
  EXPECT_FALSE(service.State(a, kMe)) << "what ended and is not kept is known no more";
  EXPECT_EQ(service.Recent(kMe, 9).size(), 3u);
  EXPECT_EQ(service.Find(d, kOther)->answer.outcome, "no_code");
}

TEST_F(Judging, EqualWorkIsJudgedOnce) {
  JudgeService& service = Start();
  Hold();
  Ask(Of("x"), "first"), Ask(Of("x"), "mine"), Ask(Of("x", kOther), "theirs"), Ask(Of("y"), "y");
  auto again = Of("x");
  again.again = true;
  Ask(again, "again");
  Release();
  EXPECT_EQ(Told(),
            "first: no_code\nmine: no_code reused cached\ntheirs: no_code reused\n"
            "y: no_code\nagain: no_code\n");
  EXPECT_EQ(metrics_.Value("akgen_cache_hits_total"), 2);
  Ask(Of("x"), "mine"), Ask(Of("x", {"third", ""}), "third's");
  Ask(Of("x", {"third", ""}), "third's");
  Ask(again, "again");
  EXPECT_EQ(Told(),
            "mine: no_code reused cached\nthird's: no_code reused\n"
            "third's: no_code reused cached\nagain: no_code\n");
  EXPECT_EQ(metrics_.Value("akgen_judgements_total", {{"verdict", "no_code"}}), 10);
  EXPECT_EQ(service.Load().waiting + service.Load().judging, 0u);
  // What is judged again is not put in the cache either.
  auto alone = Of("z");
  alone.again = true;
  Ask(alone, "z"), Told(), Ask(Of("z"), "z");
  EXPECT_EQ(Told(), "z: no_code\n");
}

TEST_F(Judging, AKeyStandsForItsWork) {
  Start();
  Hold();
  const std::string id = Ask(Of("x", kMe, "k"), "x");
  EXPECT_EQ(Ask(Of("x", kMe, "k"), "joins"), id);
  EXPECT_NE(Ask(Of("x", kOther, "k"), "other's"), id);
  Ask(Of("y", kMe, "k"), "y");
  EXPECT_EQ(ToldAtOnce(), "y: conflict\n");
  EXPECT_EQ(last_.id, id);
  EXPECT_EQ(last_.error->code, "AK0907");
  EXPECT_EQ(journal_->Unended().size(), 2u);
  Release();
  EXPECT_EQ(Told(), "x: no_code\njoins: no_code\nother's: no_code reused\n");
  EXPECT_TRUE(journal_->Unended().empty());
  EXPECT_EQ(service_->State(id, kMe)->state, "done");
  EXPECT_EQ(service_->State(id, kMe)->answer->id, id);
  EXPECT_FALSE(service_->State(id, kOther));
  std::string steps;
  EXPECT_TRUE(service_->Follow(id, kMe, [&](const JobState& s) { steps += s.state + ";"; }));
  EXPECT_EQ(steps, "done;");
  EXPECT_EQ(Ask(Of("x", kMe, "k"), "x"), id);
  EXPECT_EQ(Told(), "x: no_code reused cached\n");
  Ask(Of("y", kMe, "k"), "y");
  EXPECT_EQ(Told(), "y: conflict\n");
  // Nothing was judged, so the key is free.
  Hold();
  const std::string back = Ask(Of("z", kMe, "again"), "z");
  EXPECT_FALSE(service_->Withdraw(back, kOther) || service_->Withdraw("none", kMe));
  EXPECT_TRUE(service_->Withdraw(back, kMe));
  EXPECT_EQ(Told(), "z: cancelled\n");
  EXPECT_NE(Ask(Of("w", kMe, "again"), "w"), back);
  Release();
  EXPECT_EQ(Told(), "w: no_code\n");
  // In the cache already: kept all the same.
  const std::string known = Ask(Of("w", kMe, "new"), "w");
  EXPECT_EQ(Told(), "w: no_code reused cached\n");
  EXPECT_EQ(service_->State(known, kMe)->answer->outcome, "no_code");
}

TEST_F(Judging, WhoLeavesEndsWhatIsNotKept) {
  Start();
  Hold();
  const std::string id = Ask(Of("x"), "x"), kept = Ask(Of("y", kMe, "k"), "y");
  service_->Cancel(id), service_->Cancel(kept), service_->Cancel("none");
  EXPECT_EQ(ToldAtOnce(), "x: cancelled\n");
  EXPECT_EQ(last_.error->code, "AK0905");
  EXPECT_FALSE(service_->State(id, kMe));
  EXPECT_EQ(service_->Load().waiting, 1u);
  Release();
  EXPECT_EQ(Told(), "y: no_code\n");
}

TEST_F(Judging, DeadlinesGoBy) {
  Start();
  Hold();
  auto late = Of("late"), far = Of("far"), outlives = Of("outlives", kMe, "k");
  late.deadline = milliseconds(1), far.deadline = std::chrono::hours(1);
  outlives.deadline = milliseconds(2), outlives.outlives_limits = true;
  asked_ += 100;
  Ask(far, "far"), Ask(late, "late");
  const std::string id = Ask(outlives, "outlives");
  {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(20), [&] { return asked_ == 101; }));
  }
  EXPECT_EQ(ToldAtOnce(), "late: expired\noutlives: expired\n");
  EXPECT_EQ(last_.error->message, "the deadline of the request went by");
  EXPECT_EQ(last_.id, id);
  EXPECT_GE(last_.queued_ms, 2);
  EXPECT_EQ(service_->Load().waiting, 2u);
  asked_ -= 100;
  Release();
  EXPECT_EQ(Told(), "far: no_code\n");
  Ask(Of("after"), "after"), Told();
  EXPECT_EQ(service_->State(id, kMe)->answer->outcome, "no_code");
}

TEST_F(Judging, TheQueueIsBounded) {
  JudgeService::Options options;
  options.queue.most = 3, options.queue.most_of_one = 2;
  Start(options);
  Ask(Of("known"), "known"), Told();
  Hold();
  for (const char* text : {"a", "b", "c"}) Ask(Of(text), text);
  EXPECT_EQ(ToldAtOnce(), "c: overloaded\n");
  EXPECT_EQ(last_.error->code, "AK0903");
  Ask(Of("known"), "known");
  EXPECT_EQ(ToldAtOnce(), "known: no_code reused cached\n") << "it needs no room";
  Ask(Of("d", kOther), "d"), Ask(Of("e", {"third", ""}), "e");
  EXPECT_EQ(ToldAtOnce(), "e: overloaded\n");
  Release();
  EXPECT_EQ(Told(), "a: no_code\nd: no_code\nb: no_code\n");
}

TEST_F(Judging, WhatIsKeptGoesOnWithTheNextServer) {
  Start();
  Hold();
  const std::string kept = Ask(Of("x", kMe, "k"), "x");
  Ask(Of("y"), "y");
  service_->Stop(milliseconds(0));
  const std::string stopped = Told();
  EXPECT_TRUE(stopped.find("x: stopping\n") + 1 && stopped.find("y: stopping\n") + 1) << stopped;
  Ask(Of("z"), "z");
  EXPECT_EQ(Told(), "z: stopping\n");
  EXPECT_FALSE(service_->Ready() || service_->Aside([] {}));
  Release();
  ASSERT_EQ(journal_->Unended().size(), 1u);
  EXPECT_EQ(journal_->Unended()[0].attempts, 0);
  const std::string work = journal_->Unended()[0].submission;
  const auto lay = [&](const char* id, const std::string& submission, int attempts) {
    ASSERT_TRUE(journal_->Accept({id, "me", id, "f", submission, "", 0}).ok());
    for (int i = 0; i < attempts; ++i) ASSERT_TRUE(journal_->Begin(id).ok());
  };
  Json nowhere = Json::parse(work);
  nowhere["submission"]["task"] = "Nowhere";
  lay("once", work, 1), lay("twice", work, 2), lay("torn", "{", 0),
      lay("nowhere", nowhere.dump(), 0);
  Start();
  service_->Stop(std::chrono::seconds(20));
  const std::pair<std::string, std::string> rows[] = {{kept, "no_code"},
                                                      {"once", "no_code"},
                                                      {"twice", "AK0904"},
                                                      {"torn", "AK0014"},
                                                      {"nowhere", "AK0101"}};
  for (const auto& [id, end] : rows) {
    const auto state = service_->State(id, kMe);
    ASSERT_TRUE(state) << id;
    EXPECT_EQ(state->answer->error ? state->answer->error->code : state->answer->outcome, end);
    EXPECT_EQ(journal_->ByKey("me", id == kept ? "k" : id).has_value(), end == "no_code") << id;
  }
  EXPECT_TRUE(journal_->Unended().empty());
}

TEST_F(Judging, WhatARequestLeavesOpenIsTheServers) {
  JudgeService::Options options;
  options.hidden = 3, options.name = "s7";
  std::vector<Json> logged;
  options.log = [&](const Json& j) { logged.push_back(j); };
  Start(options);
  EXPECT_EQ(service_->Name(), "s7");
  const auto kept = [&](Submission s) {
    s.kept = true;
    const std::string id = Ask(std::move(s), "");
    EXPECT_TRUE(id.starts_with("s7-")) << id;
    Told();
    const Json j = Json::parse(journal_->ById(id)->submission)["submission"];
    return (j["seed"] == 5 || j["seed"] == 6 ? j["seed"].dump() : "drawn") + " " +
           j["hidden"].dump();
  };
  EXPECT_EQ(kept(Of("a")), "5 3");
  auto one = Of("a");
  WorkOf(one).cases = {"0"};
  EXPECT_EQ(kept(one), "5 0");
  auto said = Of("a");
  WorkOf(said).hidden = 2, WorkOf(said).seed = 6;
  EXPECT_EQ(kept(said), "6 2");
  auto fresh = Of("a");
  WorkOf(fresh).fresh = true;
  EXPECT_EQ(kept(fresh), "drawn 3");
  ASSERT_EQ(logged.size(), 4u);
  for (const char* number : {"queued_ms", "judged_ms"}) EXPECT_TRUE(logged[0][number].is_number());
  logged[0].erase("queued_ms"), logged[0].erase("judged_ms"), logged[0].erase("id");
  EXPECT_EQ(logged[0].dump(),
            R"({"cached":false,"client":"a","ending":"done","event":"job","outcome":"no_code",)"
            R"("principal":"me","task":"Sqrt"})");
  auto bad = Of("a", kMe, "k");
  WorkOf(bad).task = "Nowhere";
  Ask(bad, "bad");
  EXPECT_EQ(Told(), "bad: invalid\n");
  EXPECT_EQ(last_.error->code, "AK0101");
  EXPECT_FALSE(journal_->ByKey("me", "k"));
}

TEST_F(Judging, WorkAsideIsBounded) {
  Start();
  std::promise<void> begun, open, done;
  ASSERT_TRUE(service_->Aside([&] { begun.set_value(), open.get_future().wait(); }));
  begun.get_future().wait();
  int ran = 0;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(service_->Aside([&] { ++ran; }));
  EXPECT_FALSE(service_->Aside([&] { ++ran; }));
  open.set_value();
  while (!service_->Aside([&] { done.set_value(); })) std::this_thread::yield();
  done.get_future().wait();
  EXPECT_EQ(ran, 1000);
}

TEST_F(Judging, OneThreadAtLeastAndAsManyAsAreAskedFor) {
  for (const int workers : {0, 1, 3}) {
    JudgeService::Options options;
    options.workers = workers, options.recycle_after = 0;
    JudgeService& service = Start(options);
    const size_t judges = size_t(std::max(1, workers));
    EXPECT_EQ(service.Load().judges, judges);
    const double recycled = metrics_.Value("akgen_workers_recycled_total");
    std::promise<void> open, reached;
    std::atomic<size_t> there{0};
    auto gate = open.get_future().share();
    for (size_t i = 0; i < judges; ++i)
      service.Submit(Of("together " + std::to_string(i)), [&, gate](const Answer&) {
        if (++there == judges) reached.set_value();
        gate.wait();
      });
    EXPECT_EQ(reached.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
    open.set_value();
    const double all = recycled + double(judges);
    for (int i = 0; i < 2000 && metrics_.Value("akgen_workers_recycled_total") < all; ++i)
      std::this_thread::sleep_for(milliseconds(5));
    EXPECT_EQ(metrics_.Value("akgen_workers_recycled_total"), all) << "after each job";
  }
}

// With processes that judge, each of two jobs.
TEST_F(Judging, ProcessesJudge) {
  JudgeService::Options options;
  options.recycle_after = 2, options.hidden = 0;
  Start(options);
  auto broken = Of("");
  WorkOf(broken).candidate.files = {{"op_kernel/sqrt.cpp", "int x = ;\n"}};
  WorkOf(broken).candidate.form = Form::kKernel, WorkOf(broken).label = "mine";
  Ask(broken, "kernel");
  EXPECT_EQ(Told(), "kernel: build_error\n");
  EXPECT_EQ(last_.record["project"], "mine");
  EXPECT_TRUE(last_.sealed);
  EXPECT_GT(last_.judged_ms, 0);
  EXPECT_EQ(metrics_.Value("akgen_workers_recycled_total"), 0);
  Submission lone;
  KernelWork kernel;
  kernel.source = "int x = ;\n", kernel.launch = "args=in:f32[8],out:f32[8]";
  lone.work = kernel, lone.caller = kMe;
  Ask(lone, "lone");
  EXPECT_EQ(Told(), "lone: build_error\n");
  for (int i = 0; i < 2000 && metrics_.Value("akgen_workers_recycled_total") == 0; ++i)
    std::this_thread::sleep_for(milliseconds(5));
  EXPECT_EQ(metrics_.Value("akgen_workers_recycled_total"), 1);
  broken.again = true;
  Ask(broken, "kernel");
  EXPECT_EQ(Told(), "kernel: build_error\n") << "by the next process";
  EXPECT_EQ(metrics_.Value("akgen_worker_deaths_total"), 0);
}
}  // namespace
}  // namespace akgen::serve
