#include "toolchain/builder/object.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <set>

#include "base/files.h"

namespace akgen::toolchain {
namespace {
template <typename T>
bool At(const std::string& bytes, uint64_t offset, T* out) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(out, bytes.data() + offset, sizeof(T));
  return true;
}

// The named symbols of an object file, by whether they are defined in it. Weak ones count: the loader binds them too.
void Symbols(const std::string& path, std::set<std::string>* defined, std::set<std::string>* undefined) {
  auto file = base::ReadFile(path);
  Elf64_Ehdr head;
  if (!file.ok() || !At(*file, 0, &head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return;
  for (unsigned s = 0; s < head.e_shnum; ++s) {
    Elf64_Shdr table, strings;
    if (!At(*file, head.e_shoff + uint64_t(s) * sizeof table, &table) || table.sh_type != SHT_SYMTAB) continue;
    if (!At(*file, head.e_shoff + uint64_t(table.sh_link) * sizeof strings, &strings)) continue;
    for (uint64_t o = 0; o + sizeof(Elf64_Sym) <= table.sh_size; o += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      if (!At(*file, table.sh_offset + o, &symbol)) break;
      uint64_t at = strings.sh_offset + symbol.st_name;
      if (symbol.st_name == 0 || at >= file->size()) continue;
      (symbol.st_shndx == SHN_UNDEF ? undefined : defined)->insert(file->c_str() + at);
    }
  }
  undefined->erase("_GLOBAL_OFFSET_TABLE_");
}
}  // namespace

std::vector<std::string> UndefinedSymbols(const std::string& path) { return ImportsOf({path}); }

std::vector<std::string> ImportsOf(const std::vector<std::string>& objects) {
  std::set<std::string> defined, undefined;
  for (const auto& path : objects) Symbols(path, &defined, &undefined);
  std::vector<std::string> out;
  std::set_difference(undefined.begin(), undefined.end(), defined.begin(), defined.end(), std::back_inserter(out));
  return out;
}

std::vector<std::string> DefinedInArchive(const std::string& path) {
  constexpr size_t kMagic = 8, kHeader = 60, kSizeAt = 48, kSizeDigits = 10;
  auto file = base::ReadFile(path);
  if (!file.ok() || file->size() < kMagic + kHeader + 4 || (*file)[kMagic] != '/' || (*file)[kMagic + 1] != ' ')
    return {};
  const size_t begin = kMagic + kHeader;
  const size_t bytes = std::strtoul(file->substr(kMagic + kSizeAt, kSizeDigits).c_str(), nullptr, 10);
  const size_t end = std::min(file->size(), begin + bytes);
  size_t count = 0;
  for (size_t i = 0; i < 4; ++i) count = count << 8 | static_cast<unsigned char>((*file)[begin + i]);
  std::vector<std::string> out;
  for (size_t at = begin + 4 + 4 * count; at < end && out.size() < count;) {
    out.emplace_back(file->c_str() + at);
    at += out.back().size() + 1;
  }
  return out;
}

void WeakenImports(const std::string& path) {
  auto file = base::ReadFile(path);
  Elf64_Ehdr head;
  if (!file.ok() || !At(*file, 0, &head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return;
  for (unsigned s = 0; s < head.e_shnum; ++s) {
    Elf64_Shdr table;
    if (!At(*file, head.e_shoff + uint64_t(s) * sizeof table, &table) || table.sh_type != SHT_DYNSYM) continue;
    for (uint64_t o = 0; o + sizeof(Elf64_Sym) <= table.sh_size; o += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      if (!At(*file, table.sh_offset + o, &symbol)) break;
      if (symbol.st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) != STB_GLOBAL) continue;
      symbol.st_info = ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(symbol.st_info));
      std::memcpy(file->data() + table.sh_offset + o, &symbol, sizeof symbol);
    }
  }
  (void)base::WriteFileAtomic(path, *file);
}

std::string Demangle(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && text ? text : name;
  std::free(text);
  return out;
}

}  // namespace akgen::toolchain
