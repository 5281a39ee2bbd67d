// Jobs that outlive the server, in the journal.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "serve/job_index.h"
#include "serve/journal.h"
#include "serve/judging.h"

namespace akgen::serve {

class KeptJobs {
 public:
  explicit KeptJobs(Journal& journal) : journal_(journal) {}

  // Jobs of a server that was stopped or killed. One that several servers died of is given up.
  std::vector<Job> Unended(const TaskList& tasks, uint64_t seed);
  // What is kept is in the journal before anybody is told that it was accepted. An answer: it
  // cannot be.
  std::optional<Answer> Promise(const Job& job);
  void Begin(const Job& job);
  // Before anybody is told. What stops with the server has not ended.
  void Note(const EndedJob& ended);
  void NoteKnown(const std::string& id, const Answer& answer);
  // The answer to a job that has ended.
  std::optional<Answer> AnswerOf(const std::string& id, const Caller& caller) const;
  std::optional<Journal::Entry> EndedByKey(const Caller& caller, const std::string& key) const;

 private:
  Journal& journal_;
  uint64_t ended_ = 0;
};

}  // namespace akgen::serve
