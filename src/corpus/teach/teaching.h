// Parts of a corpus that a teacher model helps to write, from folders of the user: documentation,
// and code.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "chip/chip.h"
#include "generate/model.h"

namespace akgen::corpus {

struct TeachOptions {
  std::vector<std::string> folders;
  generate::Model* teacher = nullptr;
  std::string teacher_name;  // for the records
  uint64_t seed = 1;         // unit number k is asked for with seed + k
  int concurrency = 4;       // questions under way
  bool own = false;          // the folders are the user's own: their records may be shipped
  std::string chip{chip::kDefaultChip};
  std::function<void(uint64_t done, uint64_t all, const std::string& what)> progress;
};

// Of documentation besides: files of other kinds, and those that were repaired.
struct OtherFiles {
  size_t files = 0, repaired = 0;
};

// What was read of the user's folders. In the manifest: "read".
struct FoldersRead {
  size_t files = 0;
  std::map<std::string, std::string> refused;  // file: why
  std::optional<OtherFiles> others;
};

// Counts of a built part, as its manifest has them.
struct Taught {
  FoldersRead read;
  size_t questions = 0, left = 0;
  uint64_t records = 0, objected = 0, answers_unusable = 0, duplicates_removed = 0;
};

// Fills DIR/documentation from Markdown, HTML and plain text: knowledge units, of each up to four
// questions with reasoning and answer. A pair counts when no function or dtype in it contradicts
// the interface (api_table.h). The manifest: counts, what was not read and why, what was objected
// to. Units whose teacher gave no answer (`left`) are asked again by the next call; five in a row
// end this one. AK0801 no such folder, or another corpus; AK0002; the teacher's AK07xx.
base::Result<Taught> BuildDocumentation(const std::filesystem::path& dir,
                                        const TeachOptions& options);

// Fills DIR/code from kernel files and operator projects: facts about tiling, movement, computation
// and synchronisation, read from the source; what it computes and why it is built so, by the
// teacher; the verdict of the chip where there is a `// launch:` line. Answers to tasks of the
// benchmark and kernels that do not pass are left out. The rest as above; AK0013.
base::Result<Taught> BuildCode(const std::filesystem::path& dir, const TeachOptions& options);

// For both. What a teacher is asked, and what its answer becomes.
struct Question {
  std::string name, family;
  std::string key;  // what tells it from others
  std::vector<generate::Message> messages;
  base::Json fields;  // of the records
};
class Stage;
// Asks every question that is not done, `concurrency` at a time, and takes the answers in order.
// `take` gives a record's own fields for each thing that may be kept of an answer, and counts and
// explains in the stage what may not.
base::Result<Taught> Teach(
    const std::filesystem::path& dir, const std::string& name, const TeachOptions& options,
    const std::vector<Question>& questions, const FoldersRead& read,
    const std::function<std::vector<base::Json>(const Question&, const base::Json& answer, Stage&)>&
        take);

}  // namespace akgen::corpus
