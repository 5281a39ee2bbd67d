#include "guest/image.h"

#include "guest/elf_reader.h"
#include "guest/layout.h"

namespace akgen::guest {
namespace {
constexpr uint64_t kMaxSegments = 16, kMaxSymbols = 1 << 20;

base::Error Malformed(const std::string& what) {
  return {"AK0304", "the guest image is malformed: " + what, "",
          "build the kernel again; report it if that fails too"};
}

base::Status AddSegment(const Reader& file, const Elf64_Phdr& p, Image* image) {
  const std::string_view bytes = file.Range(p.p_offset, p.p_filesz);
  if (bytes.size() != p.p_filesz || p.p_memsz < p.p_filesz)
    return Malformed("a segment lies outside the file");
  if (p.p_vaddr == kCodeBase && p.p_flags == (PF_R | PF_X) && p.p_memsz <= kMaxCode &&
      p.p_memsz % 4 == 0) {
    image->code.assign(p.p_memsz / 4, 0);
    std::memcpy(image->code.data(), bytes.data(), bytes.size());
  } else if (p.p_vaddr == kConstantsBase && p.p_flags == PF_R && p.p_memsz <= kMaxConstants) {
    image->constants.assign(bytes.begin(), bytes.end());
    image->constants.resize(p.p_memsz);
  } else if (p.p_vaddr == kVariablesBase && p.p_flags == (PF_R | PF_W) &&
             p.p_memsz <= kMaxVariables) {
    image->variables.assign(bytes.begin(), bytes.end());
    image->variables.resize(p.p_memsz);
  } else {
    return Malformed("a segment that is neither code, constants nor variables, or is too large");
  }
  return {};
}

// Names of imports, functions and initialisers come from the symbol table.
base::Status AddSymbols(const Reader& file, const Elf64_Shdr& table, const Elf64_Shdr& names,
                        Image* image) {
  const std::string_view rows = file.Contents(table), text = file.Contents(names);
  const uint64_t count = rows.size() / sizeof(Elf64_Sym),
                 code_end = kCodeBase + image->code.size() * 4;
  if (count > kMaxSymbols) return Malformed("too many symbols");
  std::map<uint64_t, std::string> imports;
  for (uint64_t i = 0; i < count; ++i) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, rows.data() + i * sizeof symbol, sizeof symbol);
    if (symbol.st_value > kCallsBase && symbol.st_shndx == SHN_ABS)
      imports[symbol.st_value] = Reader::Text(text, symbol.st_name);
    else if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value >= kCodeBase &&
             symbol.st_value < code_end)
      image->functions[Reader::Text(text, symbol.st_name)] = symbol.st_value;
    else if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_value >= kConstantsBase &&
             symbol.st_value - kConstantsBase < image->constants.size() && symbol.st_size &&
             symbol.st_size <= image->constants.size() - (symbol.st_value - kConstantsBase))
      image->tables.push_back(
          {Reader::Text(text, symbol.st_name), symbol.st_value - kConstantsBase, symbol.st_size});
  }
  for (const auto& [address, name] : imports) {
    if (address != CallAddress(image->imports.size()) || image->imports.size() >= kMaxImports)
      return Malformed("imports that are not numbered from 0");
    image->imports.push_back(name);
  }
  return {};
}
}  // namespace

bool IsImage(std::string_view file) {
  Elf64_Ehdr head;
  return Reader(file).Header(&head, ET_EXEC);
}

base::Result<Image> ReadImage(std::string_view bytes) {
  Reader file(bytes);
  Elf64_Ehdr head;
  if (!file.Header(&head, ET_EXEC)) return Malformed("it is not a RISC-V executable");
  if (head.e_phnum > kMaxSegments) return Malformed("too many segments");
  Image image;
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr p;
    if (!file.At(head.e_phoff + uint64_t(i) * sizeof p, &p))
      return Malformed("its segments lie outside the file");
    if (p.p_type != PT_LOAD) continue;
    if (auto s = AddSegment(file, p, &image); !s.ok()) return s.error();
  }
  for (unsigned i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr section, names;
    if (!file.Section(head, i, &section)) return Malformed("its sections lie outside the file");
    if (section.sh_type == SHT_INIT_ARRAY && section.sh_size >= 8 &&
        section.sh_addr >= kConstantsBase &&
        section.sh_addr - kConstantsBase <= image.constants.size() &&
        section.sh_size <= image.constants.size() - (section.sh_addr - kConstantsBase)) {
      image.initialisers.resize(section.sh_size / 8);
      std::memcpy(image.initialisers.data(),
                  image.constants.data() + (section.sh_addr - kConstantsBase),
                  image.initialisers.size() * 8);
    }
    if (section.sh_type == SHT_NOTE && section.sh_addr >= kVariablesBase)
      image.of_launch = section.sh_addr - kVariablesBase;
    if (section.sh_type != SHT_SYMTAB || !file.Section(head, section.sh_link, &names)) continue;
    if (auto s = AddSymbols(file, section, names, &image); !s.ok()) return s.error();
  }
  return image;
}

}  // namespace akgen::guest
