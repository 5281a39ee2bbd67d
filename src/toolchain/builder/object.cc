#include "toolchain/builder/object.h"

#include <ar.h>
#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <set>
#include <string_view>

#include "base/files.h"

namespace akgen::toolchain {
namespace {
template <typename T>
bool At(std::string_view bytes, uint64_t offset, T* out) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(out, bytes.data() + offset, sizeof(T));
  return true;
}

struct Member {
  std::string_view name, bytes;
};

// Members of an archive; none of another file. The first one, "/", is the index of what the others
// define.
std::vector<Member> MembersOf(std::string_view archive) {
  std::vector<Member> out;
  if (!archive.starts_with(ARMAG)) return out;
  ar_hdr head;
  for (uint64_t at = SARMAG; At(archive, at, &head);) {
    const std::string size(head.ar_size, sizeof head.ar_size);
    const std::string_view name = archive.substr(at, sizeof head.ar_name),
                           rest = archive.substr(at + sizeof head);
    out.push_back(
        {name.substr(0, name.find(' ')), rest.substr(0, std::strtoull(size.c_str(), nullptr, 10))});
    at += sizeof head + out.back().bytes.size();
    at += at % 2;
  }
  return out;
}

// Adds the named symbols of an object, by whether they are defined in it. Weak ones count: the
// loader binds them too.
void Symbols(std::string_view object, std::set<std::string>* defined,
             std::set<std::string>* undefined) {
  Elf64_Ehdr head;
  if (!At(object, 0, &head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return;
  for (unsigned s = 0; s < head.e_shnum; ++s) {
    Elf64_Shdr table, strings;
    if (!At(object, head.e_shoff + uint64_t(s) * sizeof table, &table) ||
        table.sh_type != SHT_SYMTAB)
      continue;
    if (!At(object, head.e_shoff + uint64_t(table.sh_link) * sizeof strings, &strings)) continue;
    for (uint64_t o = 0; o + sizeof(Elf64_Sym) <= table.sh_size; o += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      if (!At(object, table.sh_offset + o, &symbol)) break;
      const uint64_t at = strings.sh_offset + symbol.st_name;
      if (symbol.st_name == 0 || at >= object.size()) continue;
      const std::string_view name = object.substr(at);
      (symbol.st_shndx == SHN_UNDEF ? undefined : defined)
          ->emplace(name.substr(0, name.find('\0')));
    }
  }
}
}  // namespace

std::vector<std::string> UndefinedSymbols(const std::string& path) { return ImportsOf({path}); }

std::vector<std::string> ImportsOf(const std::vector<std::string>& objects_and_archives) {
  std::set<std::string> defined, undefined;
  for (const auto& path : objects_and_archives) {
    const auto file = base::ReadFile(path);
    if (!file.ok()) continue;
    Symbols(*file, &defined, &undefined);
    for (const Member& m : MembersOf(*file)) Symbols(m.bytes, &defined, &undefined);
  }
  undefined.erase("_GLOBAL_OFFSET_TABLE_");
  std::vector<std::string> out;
  std::set_difference(undefined.begin(), undefined.end(), defined.begin(), defined.end(),
                      std::back_inserter(out));
  return out;
}

std::vector<std::string> DefinedInArchive(const std::string& path) {
  std::vector<std::string> out;
  const auto file = base::ReadFile(path);
  const auto members = file.ok() ? MembersOf(*file) : std::vector<Member>{};
  if (members.empty() || members.front().name != "/") return out;
  const std::string_view index =
      members.front().bytes;  // their number and places, big-endian, then their names
  size_t count = 0;
  for (size_t i = 0; i < 4 && i < index.size(); ++i)
    count = count << 8 | static_cast<unsigned char>(index[i]);
  for (size_t at = 4 + 4 * count; at < index.size() && out.size() < count;
       at += out.back().size() + 1)
    out.emplace_back(index.substr(at, index.find('\0', at) - at));
  return out;
}

void WeakenImports(const std::string& path) {
  auto file = base::ReadFile(path);
  Elf64_Ehdr head;
  if (!file.ok() || !At(*file, 0, &head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return;
  for (unsigned s = 0; s < head.e_shnum; ++s) {
    Elf64_Shdr table;
    if (!At(*file, head.e_shoff + uint64_t(s) * sizeof table, &table) ||
        table.sh_type != SHT_DYNSYM)
      continue;
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
