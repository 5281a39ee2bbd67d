// The linked program as an ELF executable.
#include "guest/layout.h"
#include "guest/link_input.h"

namespace akgen::guest::linking {
namespace {
Elf64_Shdr Shape(uint32_t type, uint64_t flags = 0, uint64_t address = 0) {
  Elf64_Shdr s{};
  s.sh_type = type;
  s.sh_flags = flags;
  s.sh_addr = address;
  return s;
}

class Writer {
 public:
  // The file's head is written last, when all places are known.
  Writer() : bytes_(sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr), '\0') { sections_.push_back({}); }

  uint64_t Add(const std::string& name, Elf64_Shdr s, const std::string& content) {
    bytes_.resize((bytes_.size() + 15) / 16 * 16);
    s.sh_name = uint32_t(names_.size());
    names_ += name + '\0';
    s.sh_offset = bytes_.size();
    s.sh_size = content.size();
    s.sh_addralign = 16;
    bytes_ += content;
    sections_.push_back(s);
    return sections_.size() - 1;
  }
  void Segment(uint32_t flags, uint64_t address, uint64_t size) {
    Elf64_Phdr p{};
    p.p_type = PT_LOAD;
    p.p_flags = flags;
    p.p_offset = sections_.back().sh_offset;
    p.p_vaddr = p.p_paddr = address;
    p.p_filesz = p.p_memsz = size;
    p.p_align = 16;
    segments_.push_back(p);
  }
  std::string Finish() {
    Add(".shstrtab", Shape(SHT_STRTAB), names_ + ".shstrtab" + '\0');
    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    head.e_type = ET_EXEC;
    head.e_machine = EM_RISCV;
    head.e_version = EV_CURRENT;
    head.e_flags = 4;  // double-float ABI
    head.e_ehsize = sizeof head;
    head.e_phoff = sizeof head;
    head.e_phentsize = sizeof(Elf64_Phdr);
    head.e_phnum = uint16_t(segments_.size());
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = uint16_t(sections_.size());
    head.e_shstrndx = uint16_t(sections_.size() - 1);
    bytes_.resize((bytes_.size() + 15) / 16 * 16);
    head.e_shoff = bytes_.size();
    std::memcpy(bytes_.data(), &head, sizeof head);
    std::memcpy(bytes_.data() + sizeof head, segments_.data(),
                segments_.size() * sizeof(Elf64_Phdr));
    bytes_.append(reinterpret_cast<const char*>(sections_.data()),
                  sections_.size() * sizeof(Elf64_Shdr));
    return std::move(bytes_);
  }

 private:
  std::string bytes_, names_{'\0'};
  std::vector<Elf64_Shdr> sections_;
  std::vector<Elf64_Phdr> segments_;
};

// Functions, and constants that have a name.
void AddSymbols(const Linked& l, uint16_t code_section, uint16_t constants_section, Writer* out) {
  std::string rows(sizeof(Elf64_Sym), '\0'), names{'\0'};
  auto add = [&](const std::string& name, Elf64_Sym row) {
    row.st_name = uint32_t(names.size());
    names += name + '\0';
    rows.append(reinterpret_cast<const char*>(&row), sizeof row);
  };
  for (const Object& o : l.objects)
    for (const Symbol& s : o.symbols) {
      if (s.row.st_shndx >= o.sections.size()) continue;
      const Part part = o.sections[s.row.st_shndx].part;
      const unsigned type = ELF64_ST_TYPE(s.row.st_info);
      const bool function = part == Part::kCode && type == STT_FUNC;
      if (!function && !(part == Part::kConstants && type == STT_OBJECT)) continue;
      Elf64_Sym row = s.row;
      row.st_info = ELF64_ST_INFO(STB_GLOBAL, type);
      row.st_shndx = function ? code_section : constants_section;
      row.st_value = s.address;
      add(s.name, row);
    }
  for (size_t i = 0; i < l.imports.size(); ++i) {
    Elf64_Sym row{};
    row.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
    row.st_shndx = SHN_ABS;
    row.st_value = CallAddress(i);
    add(l.imports[i], row);
  }
  const uint64_t text = out->Add(".strtab", Shape(SHT_STRTAB), names);
  Elf64_Shdr table = Shape(SHT_SYMTAB);
  table.sh_link = uint32_t(text);
  table.sh_info = 1;
  table.sh_entsize = sizeof(Elf64_Sym);
  out->Add(".symtab", table, rows);
}
}  // namespace

std::string WriteImage(const Linked& l) {
  Writer out;
  auto bytes = [&](Part p) -> const std::string& { return l.loaded[size_t(p)]; };
  const uint64_t code = out.Add(".text", Shape(SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, kCodeBase),
                                bytes(Part::kCode));
  out.Segment(PF_R | PF_X, kCodeBase, bytes(Part::kCode).size());
  // Initialisers lie behind the constants and are loaded with them.
  std::string constants = bytes(Part::kConstants);
  constants.resize(BaseOf(l, Part::kInitialisers) - kConstantsBase);
  constants += bytes(Part::kInitialisers);
  const uint64_t rodata =
      out.Add(".rodata", Shape(SHT_PROGBITS, SHF_ALLOC, kConstantsBase), constants);
  out.Segment(PF_R, kConstantsBase, constants.size());
  // Variables of blocks lie behind the others and are loaded with them.
  const uint64_t of_blocks = BaseOf(l, Part::kBlockVariables);
  std::string variables = bytes(Part::kVariables);
  if (!bytes(Part::kBlockVariables).empty()) variables.resize(of_blocks - kVariablesBase);
  variables += bytes(Part::kBlockVariables);
  out.Add(".data", Shape(SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, kVariablesBase), variables);
  out.Segment(PF_R | PF_W, kVariablesBase, variables.size());
  if (!bytes(Part::kBlockVariables).empty())
    out.Add(kBlockVariablesSection, Shape(SHT_NOTE, 0, of_blocks), "");
  out.Add(".init_array", Shape(SHT_INIT_ARRAY, 0, BaseOf(l, Part::kInitialisers)),
          bytes(Part::kInitialisers));
  for (const auto& [name, content] : l.debug) out.Add(name, Shape(SHT_PROGBITS), content);
  AddSymbols(l, uint16_t(code), uint16_t(rodata), &out);
  return out.Finish();
}

}  // namespace akgen::guest::linking
