// Bounds-checked reading of untrusted ELF files.
#pragma once
#include <elf.h>

#include <cstring>
#include <string>
#include <string_view>

namespace akgen::guest {

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  bool At(uint64_t offset, T* out) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return false;
    std::memcpy(out, bytes_.data() + offset, sizeof(T));
    return true;
  }
  // Empty when it does not lie in the file.
  std::string_view Range(uint64_t offset, uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset ? bytes_.substr(offset, size)
                                                                     : std::string_view();
  }
  bool Header(Elf64_Ehdr* out, uint16_t type, uint16_t machine = EM_RISCV) const {
    return At(0, out) && std::memcmp(out->e_ident, ELFMAG, SELFMAG) == 0 &&
           out->e_ident[EI_CLASS] == ELFCLASS64 && out->e_ident[EI_DATA] == ELFDATA2LSB &&
           out->e_machine == machine && out->e_type == type;
  }
  bool Section(const Elf64_Ehdr& head, unsigned index, Elf64_Shdr* out) const {
    return index < head.e_shnum && At(head.e_shoff + uint64_t(index) * sizeof *out, out);
  }
  std::string_view Contents(const Elf64_Shdr& s) const {
    return s.sh_type == SHT_NOBITS ? std::string_view() : Range(s.sh_offset, s.sh_size);
  }
  // The text at an offset of a string table, up to its zero.
  static std::string Text(std::string_view table, uint64_t offset) {
    if (offset >= table.size()) return "";
    table.remove_prefix(offset);
    const size_t end = table.find('\0');
    return end == std::string_view::npos ? "" : std::string(table.substr(0, end));
  }

 private:
  std::string_view bytes_;
};

}  // namespace akgen::guest
