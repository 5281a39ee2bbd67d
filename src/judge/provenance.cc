#include "judge/provenance.h"

#include <elf.h>

#include <cstring>
#include <vector>

#include "base/files.h"
#include "base/hash.h"

namespace akgen::judge {
namespace fs = std::filesystem;
using base::Json;
namespace {
std::string HashOfFile(const fs::path& path) {
  auto text = base::ReadFile(path);
  return text.ok() ? base::Sha256(*text) : "";
}

// The linker's hash of a program, which is as good as its content and much shorter. "" when it has none.
std::string BuildId(const std::string& elf) {
  Elf64_Ehdr head;
  if (elf.size() < sizeof head || elf.compare(0, SELFMAG, ELFMAG) != 0) return "";
  std::memcpy(&head, elf.data(), sizeof head);
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr p;
    size_t at = head.e_phoff + i * sizeof p;
    if (at + sizeof p > elf.size()) return "";
    std::memcpy(&p, elf.data() + at, sizeof p);
    if (p.p_type != PT_NOTE || p.p_offset > elf.size() || p.p_filesz > elf.size() - p.p_offset) continue;
    for (size_t n = p.p_offset, end = n + p.p_filesz; n + sizeof(Elf64_Nhdr) <= end;) {
      Elf64_Nhdr note;
      std::memcpy(&note, elf.data() + n, sizeof note);
      size_t name = n + sizeof note, desc = name + (note.n_namesz + 3) / 4 * 4;
      if (desc + note.n_descsz > end) break;
      if (note.n_type == NT_GNU_BUILD_ID) return elf.substr(desc, note.n_descsz);
      n = desc + (note.n_descsz + 3) / 4 * 4;
    }
  }
  return "";
}

std::string IdOfProgram(const fs::path& path) {
  auto text = base::ReadFile(path);
  if (!text.ok()) return "";
  std::string id = BuildId(*text);
  return id.empty() ? base::Sha256(*text) : id;
}
}  // namespace

std::string HashOfTask(const task::TaskSpec& task) {
  Json all = Json::array();
  for (const char* name : {"task.toml", "cases.json", "reference.py"}) all.push_back(HashOfFile(task.folder / name));
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
    for (const char* program :
         {"akgen", "akgen-judge", "akgen-builder", "akgen-runner", "akgen-reference", "libascendc_host.so"})
      all += base::Sha256(IdOfProgram(base::ExecutableDir() / program));
    return base::Sha256(all + base::HashOfFolder(base::HomeDir() / "include/ascendc"));
  }();
  return hash;
}

}  // namespace akgen::judge
