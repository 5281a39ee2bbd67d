// The elements of an output that are wrong: where they lie, and which are furthest off.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace akgen::task {

struct Mismatch {
  int64_t index = 0;        // flat element index
  double out = 0, ref = 0;  // values (complex: the component or real part that fails)
};

class WrongElements {
 public:
  static constexpr size_t kShown = 8, kWorst = 4;
  // In order of the index.
  void Add(int64_t index, double out, double ref);
  int64_t count() const { return count_; }
  const std::vector<Mismatch>& first() const { return first_; }  // up to kShown, by index
  // Up to kWorst: NaN and infinity where the other side differs, then by the distance relative to
  // what is expected.
  const std::vector<Mismatch>& worst() const { return worst_; }

  // Where they lie, in the words of the tensor's shape: "the last 37 elements", "row 5 of 64",
  // "every 16th element from 3 on", "columns 120 to 127 of 128". "": none is wrong, or nothing
  // simple holds exactly.
  std::string Region(const std::vector<int64_t>& shape) const;

 private:
  struct Run {
    int64_t begin, end;  // [begin, end)
  };
  std::string OfRuns(const std::vector<int64_t>& shape, int64_t elements) const;

  int64_t count_ = 0;
  std::vector<Mismatch> first_, worst_;
  std::vector<Run> runs_;
  bool all_runs_ = true;  // false: there are more than are kept
};

// "[63, 91]"; of one dimension, and of none, the flat index.
std::string IndexText(int64_t flat, const std::vector<int64_t>& shape);

}  // namespace akgen::task
