#include "generate/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/version.h"

namespace akgen::generate {
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {
Error Broken(const std::string& what, const std::string& where) {
  return {"AK0707", what, where,
          "name another file with --journal, or give this one space and rights"};
}

// Whole lines only; `whole` gets the number of bytes they take.
Status EachLine(const std::filesystem::path& path, uint64_t& whole,
                const std::function<Status(const Json&, size_t number)>& each) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return Broken(std::string("cannot read the journal: ") + std::strerror(errno), path.string());
  std::string line;
  size_t number = 0;
  whole = 0;
  while (std::getline(in, line)) {
    if (in.eof()) break;  // no line end: cut off
    ++number;
    Json j = base::Parse(line);
    if (!record::IsJournalLine(j))
      return Broken("this line is none of a journal", path.string() + ":" + std::to_string(number));
    if (Status s = each(j, number); !s.ok()) return s;
    whole += line.size() + 1;
  }
  return {};
}

std::string Differences(const Json& a, const Json& b) {
  std::string out;
  for (const auto& [key, value] : b.items())
    if (!a.contains(key) || a[key] != value) out += (out.empty() ? "" : ", ") + key;
  return out;
}
}  // namespace

Result<std::unique_ptr<Journal>> Journal::Open(const std::filesystem::path& path,
                                               const Json& config) {
  std::unique_ptr<Journal> j(new Journal(path));
  j->fd_ = base::Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!j->fd_.valid())
    return Broken(std::string("cannot open the journal: ") + std::strerror(errno), path.string());
  if (::flock(j->fd_.get(), LOCK_EX | LOCK_NB) != 0)
    return Error{"AK0707", "another process writes this journal", path.string(),
                 "wait for it, or name another file with --journal"};
  if (Status s = j->Read(config); !s.ok()) return s.error();
  return j;
}

Status Journal::Read(const Json& config) {
  uint64_t whole = 0;
  bool begun = false;
  Status s = EachLine(path_, whole, [&](const Json& line, size_t number) -> Status {
    if (number == 1) {
      begun = true;
      const record::JournalLine first = record::JournalLineFromJson(line);
      const auto* run = std::get_if<record::RunHeader>(&first);
      if (run && run->schema > record::kJournalSchema)
        return Error{"AK0710", "the journal is of a later version of akgen, " + run->version,
                     path_.string(), "resume with that version, or name a new journal"};
      std::string different = run ? Differences(run->config, config) : "its first line";
      if (!different.empty())
        return Error{"AK0706", "the journal is of another run; it differs in: " + different,
                     path_.string(),
                     "resume with the options the run was started with, or name a new journal"};
    }
    Note(line);
    return {};
  });
  if (!s.ok()) return s;
  if (::ftruncate(fd_.get(), off_t(whole)) != 0)
    return Broken(std::string("cannot repair the journal: ") + std::strerror(errno),
                  path_.string());
  return begun ? Status()
               : Add(record::ToJson(
                     record::RunHeader{record::kJournalSchema, base::kVersion, config}));
}

void Journal::Note(const Json& json) {
  record::JournalLine line = record::JournalLineFromJson(json);
  if (const auto* prompt = std::get_if<record::PromptLine>(&line)) prompts_.insert(prompt->hash);
  if (std::holds_alternative<record::TroubleLine>(line)) ++totals_.trouble;
  if (const auto* end = std::get_if<record::SampleEnd>(&line)) {
    SampleState& s = samples_[{end->task, end->sample}];
    s.turns.clear();
    s.ended = *end;
    totals_.own_ms += end->own_ms;
    if (end->verdict == "pass") passed_.insert(end->task);
  }
  auto* turn = std::get_if<record::Turn>(&line);
  if (!turn) return;
  ++totals_.turns;
  totals_.model_ms += turn->model_ms, totals_.judge_ms += turn->judge_ms;
  ++totals_.outcomes[turn->verdict];
  if (const auto& r = turn->request) {
    totals_.cached += r->cached;
    totals_.prompt_tokens += r->prompt_tokens, totals_.completion_tokens += r->completion_tokens;
  }
  samples_[{turn->task, turn->sample}].turns.push_back(std::move(*turn));
}

Status Journal::Add(const Json& line) {
  std::string text = base::Dump(line) + "\n";
  std::lock_guard lock(mutex_);
  off_t before = ::lseek(fd_.get(), 0, SEEK_END);
  for (size_t done = 0; done < text.size();) {
    ssize_t n = ::write(fd_.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      int e = errno;
      if (::ftruncate(fd_.get(), before) != 0)
        return Broken("cannot write the journal, nor repair it", path_.string());
      return Broken(std::string("cannot write the journal: ") + std::strerror(e), path_.string());
    }
    done += size_t(n);
  }
  if (::fdatasync(fd_.get()) != 0)
    return Broken(std::string("cannot write the journal: ") + std::strerror(errno), path_.string());
  Note(line);
  return {};
}

SampleState Journal::State(const std::string& task, int sample) const {
  std::lock_guard lock(mutex_);
  auto it = samples_.find({task, sample});
  return it == samples_.end() ? SampleState() : it->second;
}

bool Journal::HasPrompt(const std::string& hash) const {
  std::lock_guard lock(mutex_);
  return prompts_.contains(hash);
}

bool Journal::Passed(const std::string& task) const {
  std::lock_guard lock(mutex_);
  return passed_.contains(task);
}

JournalTotals Journal::Totals() const {
  std::lock_guard lock(mutex_);
  return totals_;
}

Json ToJson(const JournalTotals& t) {
  return {{"turns", t.turns},
          {"cached", t.cached},
          {"prompt_tokens", t.prompt_tokens},
          {"completion_tokens", t.completion_tokens},
          {"trouble", t.trouble},
          {"model_ms", t.model_ms},
          {"judge_ms", t.judge_ms},
          {"own_ms", t.own_ms},
          {"verdicts_of_turns", t.outcomes}};
}

std::map<std::pair<std::string, int>, record::SampleEnd> Journal::Ended() const {
  std::lock_guard lock(mutex_);
  std::map<std::pair<std::string, int>, record::SampleEnd> out;
  for (const auto& [key, s] : samples_)
    if (s.ended) out[key] = *s.ended;
  return out;
}

Status ReadLines(const std::filesystem::path& path, const std::function<void(const Json&)>& each) {
  uint64_t whole = 0;
  return EachLine(path, whole, [&](const Json& line, size_t) {
    each(line);
    return Status();
  });
}

Status ReadJournal(const std::filesystem::path& path,
                   const std::function<void(const record::JournalLine&)>& each) {
  return ReadLines(path, [&](const Json& line) { each(record::JournalLineFromJson(line)); });
}

}  // namespace akgen::generate
