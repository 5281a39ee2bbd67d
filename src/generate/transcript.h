// All messages, for people: JSON lines, one per request. Keys of endpoints are never written.
#pragma once
#include <mutex>

#include "base/files.h"
#include "generate/model.h"

namespace akgen::generate {

class Transcript {
 public:
  explicit Transcript(std::filesystem::path file) : file_(std::move(file)) {}
  // `trouble`: one entry per attempt that failed. A line that cannot be written is lost; the
  // journal is the record.
  void Add(const Request& request, const std::vector<Answer>& answers, const base::Json& trouble);

 private:
  std::filesystem::path file_;
  std::mutex mutex_;
  base::Fd fd_;
};

}  // namespace akgen::generate
