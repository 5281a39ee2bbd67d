#include "runner/process/tables.h"

#include <algorithm>
#include <charconv>

#include "guest/elf_reader.h"
#include "sim/machine/mapping.h"

namespace akgen::runner {
namespace {
constexpr size_t kMaxTables = 1024;  // far more than kernels have; the rest is no tensor

// The last of a linked name's parts: kTable of _ZN2nsL6kTableE.
std::string NameInSource(std::string_view linked) {
  if (!linked.starts_with("_Z")) return std::string(linked);
  std::string_view name;
  for (size_t at = 2; at < linked.size();) {
    size_t length = 0;
    const auto [end, error] =
        std::from_chars(linked.data() + at, linked.data() + linked.size(), length);
    const size_t from = size_t(end - linked.data());
    if (error != std::errc{})
      ++at;
    else if (length == 0 || length > linked.size() - from)
      break;
    else
      name = linked.substr(from, length), at = from + length;
  }
  return std::string(name.empty() ? linked : name);
}

void Add(std::string_view name, uint8_t* base, uint64_t bytes, std::vector<sim::GmRegion>* out) {
  const auto covered = [&](const sim::GmRegion& r) {
    return base < r.base + r.bytes && r.base < base + bytes;
  };
  if (out->size() < kMaxTables && std::none_of(out->begin(), out->end(), covered))
    out->push_back({NameInSource(name), base, bytes, sim::Role::kInput});
}
}  // namespace

GuestTables::GuestTables(const guest::Image& image) {
  uint8_t* base = image.tables.empty() ? nullptr : sim::MapGm(image.constants.size());
  if (!base) return;
  std::copy(image.constants.begin(), image.constants.end(), base);
  constants_ = {base, image.constants.size()};
  for (const guest::Table& t : image.tables) Add(t.name, base + t.at, t.bytes, &tables_);
}

GuestTables::~GuestTables() {
  if (!constants_.empty()) sim::Unmap(constants_.data(), constants_.size());
}

std::vector<sim::GmRegion> TablesOf(std::string_view object, uintptr_t base) {
  std::vector<sim::GmRegion> out;
  const guest::Reader file(object);
  Elf64_Ehdr head;
  if (!file.Header(&head, ET_DYN, EM_X86_64)) return out;
  for (unsigned i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr table, names;
    if (!file.Section(head, i, &table) || table.sh_type != SHT_SYMTAB ||
        !file.Section(head, table.sh_link, &names))
      continue;
    const std::string_view rows = file.Contents(table), text = file.Contents(names);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= rows.size(); at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      Elf64_Shdr section;
      std::memcpy(&symbol, rows.data() + at, sizeof symbol);
      if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size &&
          symbol.st_shndx < SHN_LORESERVE && file.Section(head, symbol.st_shndx, &section) &&
          section.sh_flags == SHF_ALLOC)
        Add(guest::Reader::Text(text, symbol.st_name),
            reinterpret_cast<uint8_t*>(base + symbol.st_value), symbol.st_size, &out);
    }
  }
  return out;
}

}  // namespace akgen::runner
