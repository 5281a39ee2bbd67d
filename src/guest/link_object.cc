// Reading one relocatable object.
#include "guest/link_input.h"

namespace akgen::guest::linking {
namespace {
constexpr unsigned kMaxSections = 65000;

Part PartOf(const Section& s) {
  const uint64_t flags = s.head.sh_flags;
  if (s.head.sh_type == SHT_INIT_ARRAY) return Part::kInitialisers;
  // What ends a process, and what the stack is unwound with, has no use here.
  if (s.head.sh_type == SHT_FINI_ARRAY || s.name.starts_with(".eh_frame") ||
      s.name == ".debug_frame")
    return Part::kDropped;
  const bool bits = s.head.sh_type == SHT_PROGBITS || s.head.sh_type == SHT_NOBITS;
  if (!bits) return Part::kDropped;
  if (!(flags & SHF_ALLOC)) return s.name.starts_with(".debug_") ? Part::kDebug : Part::kDropped;
  if (flags & SHF_EXECINSTR) return Part::kCode;
  if (s.name == kBlockVariablesSection) return Part::kBlockVariables;
  return flags & SHF_WRITE ? Part::kVariables : Part::kConstants;
}

base::Status ReadSections(const Elf64_Ehdr& head, Object* out) {
  if (head.e_shnum == 0 || head.e_shnum > kMaxSections)
    return Refused("the object file has no sections");
  Elf64_Shdr names{};
  if (!out->file.Section(head, head.e_shstrndx, &names))
    return Refused("the object file is cut off");
  for (unsigned i = 0; i < head.e_shnum; ++i) {
    Section s;
    if (!out->file.Section(head, i, &s.head)) return Refused("the object file is cut off");
    s.name = Reader::Text(out->file.Contents(names), s.head.sh_name);
    s.bytes = out->file.Contents(s.head);
    if (s.head.sh_type != SHT_NOBITS && s.bytes.size() != s.head.sh_size)
      return Refused("the object file is cut off");
    if (s.head.sh_flags & SHF_TLS)
      return Refused("a thread-local variable: on the chip there are no threads");
    s.part = PartOf(s);
    out->sections.push_back(std::move(s));
  }
  return {};
}

base::Status ReadSymbols(const char* suffix, Object* out) {
  for (const Section& table : out->sections) {
    if (table.head.sh_type != SHT_SYMTAB) continue;
    if (table.head.sh_link >= out->sections.size())
      return Refused("the object file has no names of symbols");
    const std::string_view text = out->sections[table.head.sh_link].bytes;
    for (size_t at = 0; at + sizeof(Elf64_Sym) <= table.bytes.size(); at += sizeof(Elf64_Sym)) {
      Symbol s;
      std::memcpy(&s.row, table.bytes.data() + at, sizeof s.row);
      s.name = Reader::Text(text, s.row.st_name);
      if (!s.name.empty()) s.name += suffix;
      out->symbols.push_back(std::move(s));
    }
  }
  return {};
}

// Templates and inline functions stand in every object that uses them, in groups of one name; the
// first one counts.
void DropKnownGroups(std::map<std::string, bool>* groups, Object* out) {
  for (const Section& s : out->sections) {
    if (s.head.sh_type != SHT_GROUP || s.bytes.size() < 4 || s.head.sh_info >= out->symbols.size())
      continue;
    if (!std::exchange((*groups)[out->symbols[s.head.sh_info].name], true)) continue;
    for (size_t at = 4; at + 4 <= s.bytes.size(); at += 4) {
      uint32_t member;
      std::memcpy(&member, s.bytes.data() + at, 4);
      if (member < out->sections.size()) out->sections[member].part = Part::kDropped;
    }
  }
}
}  // namespace

base::Status ReadObject(std::string_view bytes, const char* suffix,
                        std::map<std::string, bool>* groups, Object* out) {
  out->file = Reader(bytes);
  Elf64_Ehdr head;
  if (!out->file.Header(&head, ET_REL)) return Refused("the compiler wrote no RISC-V object file");
  if (auto s = ReadSections(head, out); !s.ok()) return s;
  if (auto s = ReadSymbols(suffix, out); !s.ok()) return s;
  DropKnownGroups(groups, out);
  return {};
}

}  // namespace akgen::guest::linking
