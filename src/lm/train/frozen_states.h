// What frozen layers make of a sequence, kept on disk: with adapters in the upper layers alone the
// layers below compute the same in every epoch.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/files.h"
#include "base/status.h"

namespace akgen::lm {

// Rows of float32, one a token, by the tokens' ids. A file grows by whole records, each with its
// checksum: what a kill cut short or a disk changed is not there. Any number of threads may read
// and write.
class FrozenStates {
 public:
  // `made_by`: a hash of all that the rows depend on beside the tokens; a file of others is begun
  // again. AK0002.
  static base::Result<std::unique_ptr<FrozenStates>> Open(const std::filesystem::path& file,
                                                          const std::string& made_by,
                                                          int64_t width);
  // ids.size() rows of `width`, or false.
  bool Read(const std::vector<int32_t>& ids, float* rows) const;
  base::Status Write(const std::vector<int32_t>& ids, const float* rows);
  size_t sequences() const;

 private:
  struct Place {
    uint64_t at = 0, bytes = 0;
    std::string check;
  };
  FrozenStates() = default;
  void FindRecords(uint64_t end);

  base::Fd fd_;
  std::string where_;
  int64_t width_ = 0;
  uint64_t end_ = 0;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Place> places_;  // by a hash of the ids
};

}  // namespace akgen::lm
