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
  return {"AK0707", what, where, "name another file with --journal, or give this one space and rights"};
}

// Whole lines only; `whole` gets the number of bytes they take.
Status EachLine(const std::filesystem::path& path, uint64_t& whole,
                const std::function<Status(const Json&, size_t number)>& each) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Broken(std::string("cannot read the journal: ") + std::strerror(errno), path.string());
  std::string line;
  size_t number = 0;
  whole = 0;
  while (std::getline(in, line)) {
    if (in.eof()) break;  // no line end: cut off
    ++number;
    Json j = base::Parse(line);
    if (!j.is_object() || !j.contains("kind"))
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

Result<std::unique_ptr<Journal>> Journal::Open(const std::filesystem::path& path, const Json& config) {
  std::unique_ptr<Journal> j(new Journal(path));
  j->fd_ = base::Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!j->fd_.valid()) return Broken(std::string("cannot open the journal: ") + std::strerror(errno), path.string());
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
      std::string different =
          line["kind"] == "run" ? Differences(line.value("config", Json::object()), config) : "its first line";
      if (!different.empty())
        return Error{"AK0706", "the journal is of another run; it differs in: " + different, path_.string(),
                     "resume with the options the run was started with, or name a new journal"};
    }
    Note(line);
    return {};
  });
  if (!s.ok()) return s;
  if (::ftruncate(fd_.get(), off_t(whole)) != 0)
    return Broken(std::string("cannot repair the journal: ") + std::strerror(errno), path_.string());
  return begun ? Status() : Add({{"kind", "run"}, {"schema", 1}, {"version", base::kVersion}, {"config", config}});
}

void Journal::Note(const Json& line) {
  std::string kind = line.value("kind", "");
  if (kind == "prompt") prompts_.insert(line.value("hash", ""));
  if (kind == "trouble") ++trouble_;
  if (kind != "turn" && kind != "sample") return;
  SampleState& s = samples_[{line.value("task", ""), line.value("sample", 0)}];
  if (kind == "sample") {
    s.turns.clear();
    s.ended = line;
    own_ms_ += line.value("own_ms", 0.0);
    if (line.value("verdict", "") == "pass") passed_.insert(line.value("task", ""));
    return;
  }
  s.turns.push_back(line);
  ++turns_;
  cached_ += line.value("cached", false);
  prompt_tokens_ += line.value("prompt_tokens", int64_t{0});
  completion_tokens_ += line.value("completion_tokens", int64_t{0});
  model_ms_ += line.value("model_ms", 0.0);
  judge_ms_ += line.value("judge_ms", 0.0);
  ++outcomes_[line.value("verdict", "")];
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
      if (::ftruncate(fd_.get(), before) != 0) return Broken("cannot write the journal, nor repair it", path_.string());
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

Json Journal::Totals() const {
  std::lock_guard lock(mutex_);
  return {{"turns", turns_},
          {"cached", cached_},
          {"prompt_tokens", prompt_tokens_},
          {"completion_tokens", completion_tokens_},
          {"trouble", trouble_},
          {"model_ms", model_ms_},
          {"judge_ms", judge_ms_},
          {"own_ms", own_ms_},
          {"verdicts_of_turns", outcomes_}};
}

std::map<std::pair<std::string, int>, Json> Journal::Ended() const {
  std::lock_guard lock(mutex_);
  std::map<std::pair<std::string, int>, Json> out;
  for (const auto& [key, s] : samples_)
    if (!s.ended.is_null()) out[key] = s.ended;
  return out;
}

Status ReadJournal(const std::filesystem::path& path, const std::function<void(const Json&)>& each) {
  uint64_t whole = 0;
  return EachLine(path, whole, [&](const Json& line, size_t) {
    each(line);
    return Status();
  });
}

}  // namespace akgen::generate
