// The journal of a generation run: JSON lines, each on the disk before anything depends on it, so
// that a killed run resumes. docs/generate.md lists the kinds of lines.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/status.h"
#include "record/journal.h"

namespace akgen::generate {

// What is known of one sample of one task.
struct SampleState {
  std::vector<record::Turn> turns;         // while it is under way
  std::optional<record::SampleEnd> ended;  // nothing while it is under way
};

// Of all turns, earlier processes' included.
struct JournalTotals {
  int64_t turns = 0, cached = 0, prompt_tokens = 0, completion_tokens = 0, trouble = 0;
  double model_ms = 0, judge_ms = 0, own_ms = 0;
  std::map<std::string, int64_t> outcomes;
};
base::Json ToJson(const JournalTotals& totals);

class Journal {
 public:
  // `config`: what decides the content; the file's must equal it. A line that was cut off by a
  // crash is taken away. AK0706 another run's journal, AK0710 a later version's, AK0707 the file
  // cannot be read or written, is damaged, or another process writes it.
  static base::Result<std::unique_ptr<Journal>> Open(const std::filesystem::path& path,
                                                     const base::Json& config);
  // Writes the line (record/journal.h; other kinds are kept and say nothing to this class) and
  // waits until the disk has it.
  base::Status Add(const base::Json& line);

  SampleState State(const std::string& task, int sample) const;
  bool HasPrompt(const std::string& hash) const;
  JournalTotals Totals() const;
  // By task and sample.
  std::map<std::pair<std::string, int>, record::SampleEnd> Ended() const;
  bool Passed(const std::string& task) const;

 private:
  explicit Journal(std::filesystem::path path) : path_(std::move(path)) {}
  base::Status Read(const base::Json& config);
  void Note(const base::Json& line);

  std::filesystem::path path_;
  base::Fd fd_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, SampleState> samples_;
  std::set<std::string> prompts_, passed_;
  JournalTotals totals_;
};

// Reads a journal for looking at it: `each` gets every whole line. AK0707.
base::Status ReadLines(const std::filesystem::path& path,
                       const std::function<void(const base::Json&)>& each);
base::Status ReadJournal(const std::filesystem::path& path,
                         const std::function<void(const record::JournalLine&)>& each);

}  // namespace akgen::generate
