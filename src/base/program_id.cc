#include "base/program_id.h"

#include <elf.h>

#include <cstring>

#include "base/files.h"
#include "base/hash.h"

namespace akgen::base {
namespace {
// "" when it has none.
std::string BuildId(const std::string& elf) {
  Elf64_Ehdr head;
  if (elf.size() < sizeof head || elf.compare(0, SELFMAG, ELFMAG) != 0) return "";
  std::memcpy(&head, elf.data(), sizeof head);
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr p;
    size_t at = head.e_phoff + i * sizeof p;
    if (at + sizeof p > elf.size()) return "";
    std::memcpy(&p, elf.data() + at, sizeof p);
    if (p.p_type != PT_NOTE || p.p_offset > elf.size() || p.p_filesz > elf.size() - p.p_offset)
      continue;
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

}  // namespace

std::string IdOfProgram(const std::filesystem::path& path) {
  auto text = ReadFile(path);
  if (!text.ok()) return "";
  std::string id = BuildId(*text);
  return id.empty() ? Sha256(*text) : id;
}

}  // namespace akgen::base
