#include "judge/session/provenance.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/program_id.h"

namespace akgen::judge {
namespace fs = std::filesystem;
using base::Json;
namespace {
std::string HashOfFile(const fs::path& path) {
  auto text = base::ReadFile(path);
  return text.ok() ? base::Sha256(*text) : "";
}
}  // namespace

std::string HashOfTask(const task::TaskSpec& task) {
  Json all = Json::array();
  for (const char* name : {"task.toml", "cases.json", "reference.py"})
    all.push_back(HashOfFile(task.folder / name));
  return base::Sha256(base::Dump(all));
}

std::string HashOfChip(const chip::Chip& chip) {
  std::string timing;
  for (const std::string& file : {chip.timing, std::string("eager"), std::string("errors")})
    timing += HashOfFile(base::HomeDir() / "data/timing" / (file + ".toml"));
  return base::Sha256(base::Dump(chip::ToJson(chip)) + timing);
}

std::string HashOfChip(const std::string& name) {
  auto chip = chip::LoadChip(name);
  return chip.ok() ? HashOfChip(*chip) : "";
}

const std::string& HashOfJudge() {
  static const std::string hash = [] {
    std::string all;
    for (const char* program : {"akgen", "akgen-judge", "akgen-builder", "akgen-runner",
                                "akgen-reference", "libascendc_host.so"})
      all += base::Sha256(base::IdOfProgram(base::ExecutableDir() / program));
    return base::Sha256(all + base::HashOfFolder(base::HomeDir() / "include/ascendc"));
  }();
  return hash;
}

}  // namespace akgen::judge
