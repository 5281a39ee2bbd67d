// Comparison of runs: a column is one run, which is a journal of `akgen generate` or a run in a
// store of `akgen bench run`. Records alone are read; candidates' folders need not be there any
// more.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "record/comparison.h"

namespace akgen::corpus {

// One answer to one task.
struct Outcome {
  std::string task,
      verdict;  // verdict: of the hidden part where the public one passed; record::kUnsealed
  std::string reason;
  int sample = 0, turn = 0;
  double modelled_us = 0;  // 0: not known
};

struct Column {
  std::string name;  // no two columns have one name
  std::vector<Outcome> outcomes;
  std::vector<record::Transcript> transcripts;  // of journals
  std::map<std::string, int>
      wanted;  // samples that a task was to have; a task that is not named: those it has
};

// The runs of all files, in the order given. A column has its generator's or its file's name, and
// more of its place or the run's id where several would be called alike. AK0801 a file cannot be
// read or is neither.
base::Result<std::vector<Column>> ColumnsFrom(const std::vector<std::string>& files);

}  // namespace akgen::corpus
