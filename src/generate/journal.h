// The journal of a generation run: JSON lines, each on the disk before anything depends on it, so that a killed run
// resumes. docs/generate.md lists the kinds of lines.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/status.h"

namespace akgen::generate {

// What is known of one sample of one task.
struct SampleState {
  std::vector<base::Json> turns;  // while it is under way; the lines of kind "turn", in order
  base::Json ended;               // the line of kind "sample", null while under way
};

class Journal {
 public:
  // `config`: what decides the content; the file's must equal it. A line that was cut off by a crash is taken away.
  // AK0706 another run's journal, AK0707 the file cannot be read or written, is damaged, or another process writes it.
  static base::Result<std::unique_ptr<Journal>> Open(const std::filesystem::path& path, const base::Json& config);
  // Writes the line and waits until the disk has it.
  base::Status Add(const base::Json& line);

  SampleState State(const std::string& task, int sample) const;
  bool HasPrompt(const std::string& hash) const;
  // Of all turns, earlier processes' included: requests, prompt and completion tokens, milliseconds.
  base::Json Totals() const;
  // Lines of kind "sample", by task and sample.
  std::map<std::pair<std::string, int>, base::Json> Ended() const;
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
  int64_t turns_ = 0, cached_ = 0, prompt_tokens_ = 0, completion_tokens_ = 0, trouble_ = 0;
  double model_ms_ = 0, judge_ms_ = 0, own_ms_ = 0;
  std::map<std::string, int64_t> outcomes_;
};

// Reads a journal for looking at it: `each` gets every whole line. AK0707.
base::Status ReadJournal(const std::filesystem::path& path, const std::function<void(const base::Json&)>& each);

}  // namespace akgen::generate
