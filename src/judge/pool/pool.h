// The pool of judging processes, each started when it is first needed. If a candidate crashes one
// (it parses, compares and names what candidates leave behind), that process alone dies, and the
// caller continues.
#pragma once
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/channel.h"
#include "judge/examine.h"
#include "judge/judge.h"

namespace akgen::judge {

// A process that judges one project at a time: a remote judge::Judge.
class Worker {
 public:
  // AK0013 when it cannot be started.
  static base::Result<Worker> Start();
  // As Judge::Run, without `options.progress`. A process that died while it judged is replaced and
  // the request retried once; when that one dies too the verdict is infra_error. `stop` set by
  // another thread ends the process that judges, and the verdict is infra_error.
  Judgement Run(const std::string& project_dir, const task::TaskSpec& task, const Options& options,
                const std::atomic<bool>* stop = nullptr);
  // As Judge::HostKey; "" too when the process dies of it.
  std::string HostKey(const std::string& project_dir, const task::TaskSpec& task,
                      const Options& options);
  // As Judge::RunKernel, as a record; it dies and is stopped as Run. AK0010: it died twice, or was
  // stopped; AK0401.
  base::Result<base::Json> RunKernel(const std::string& file, const std::string& launch,
                                     const Options& options,
                                     const std::atomic<bool>* stop = nullptr);
  // As judge::Examine, without `options.progress`; it dies and is stopped as Run. AK0010: it died
  // twice, or was stopped; AK0516: what Examine says.
  base::Result<base::Json> Examine(const std::string& path, const ExamineOptions& options,
                                   const std::atomic<bool>* stop = nullptr);
  int deaths() const { return deaths_; }  // processes that died while they judged

 private:
  explicit Worker(base::HelperProcess process) : process_(std::move(process)) {}
  base::Result<base::Json> Ask(const base::Json& request, const std::atomic<bool>* stop = nullptr);
  base::Result<base::Json> AskTwice(const base::Json& request, const std::atomic<bool>* stop);
  base::HelperProcess process_;
  int deaths_ = 0;
};

class Pool {
 public:
  explicit Pool(int most) : most_(most) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // One worker, until this goes.
  class Lease {
   public:
    Lease(Lease&& o) noexcept
        : pool_(std::exchange(o.pool_, nullptr)), worker_(std::move(o.worker_)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (pool_) pool_->Return(std::move(worker_));
    }
    Worker* operator->() { return worker_.get(); }
    Worker& operator*() { return *worker_; }

   private:
    friend class Pool;
    Lease(Pool* pool, std::unique_ptr<Worker> worker) : pool_(pool), worker_(std::move(worker)) {}
    Pool* pool_;
    std::unique_ptr<Worker> worker_;
  };
  // Waits until one of them is free. AK0013. Leases end before the pool does.
  base::Result<Lease> Take();

  // Direct requests of callers to the reference (hidden cases, plans): one process for all of them,
  // one request at a time.
  template <typename F>
  auto WithReference(F&& ask) {
    std::lock_guard lock(reference_mutex_);
    return ask(reference_);
  }

 private:
  void Return(std::unique_ptr<Worker> worker);
  int most_, out_ = 0;
  std::mutex mutex_, reference_mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<Worker>> idle_;
  task::ReferenceClient reference_;
};

}  // namespace akgen::judge
