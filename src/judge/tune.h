// A search over a candidate's declared tunables (tile length, buffers, cores) that minimises a
// given objective. Declared are
//   in Ascend C:  constexpr uint32_t kTile = 2048;  // tune: 1024, 2048, 4096
//                 any line with one whole number that is among the listed ones; also a standalone
//                 kernel's launch line
//   in a program of the kernel language:  tile = tune(1024, 2048, 4096)
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace akgen::judge {

using SourceFiles = std::map<std::string, std::string>;  // path below the candidate -> text

struct Tunable {
  std::string name, file;
  int line = 0;
  std::vector<std::string> values;  // as they are written; at least two
  std::vector<std::string>
      texts;  // what stands at [at, at + length) of the file when that value is chosen
  size_t at = 0, length = 0;
  size_t now = 0;  // index of the value that stands there
};

// In order of files and places. Files that end in .py are programs. AK0402: a declaration that
// names no number of its line.
base::Result<std::vector<Tunable>> TunablesOf(const SourceFiles& files);

using Choice = std::vector<size_t>;  // per tunable, the index of its value
SourceFiles Chosen(const SourceFiles& files, const std::vector<Tunable>& tunables,
                   const Choice& choice);

struct Trial {
  Choice choice;
  std::optional<double> us;  // modelled; nothing: it does not pass
};

struct TuneResult {
  std::vector<Trial>
      trials;  // in the order they were made; the first is the candidate as it stands
  std::optional<size_t> best;  // the trial with the least time, the first of equals
  double combinations = 0;     // of all values of all tunables
  bool complete = false;       // all of them were tried
};

// At most `budget` trials. All combinations when they are no more than that; else one tunable after
// the other, each value with the others as best known (coordinate descent), until nothing gains.
// The same answers give the same search.
TuneResult Tune(const std::vector<Tunable>& tunables, size_t budget,
                const std::function<std::optional<double>(const Choice&)>& objective);

}  // namespace akgen::judge
