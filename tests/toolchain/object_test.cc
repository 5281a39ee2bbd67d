// Objects, archives and shared objects as the builder reads them, made byte by byte here: whole
// ones, and ones that end too early.
#include "toolchain/builder/object.h"

#include <ar.h>
#include <elf.h>
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "base/files.h"

namespace akgen::toolchain {
namespace {
template <class T>
void Put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

struct Named {
  std::string name;
  bool defined;
  int bind = STB_GLOBAL;
};
// Header, symbols, their names, and the table of three sections.
std::string Elf(const std::vector<Named>& symbols, uint32_t kind = SHT_SYMTAB) {
  std::string names(1, '\0'), table;
  Put(table, Elf64_Sym{});
  for (const Named& s : symbols) {
    Elf64_Sym symbol{};
    symbol.st_name = uint32_t(s.name.empty() ? 0 : names.size());
    symbol.st_info = uint8_t(ELF64_ST_INFO(s.bind, STT_FUNC));
    symbol.st_shndx = s.defined ? 1 : SHN_UNDEF;
    Put(table, symbol);
    names += s.name + std::string(1, '\0');
  }
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_shnum = 3;
  Elf64_Shdr none{}, of_symbols{}, of_names{};
  of_symbols.sh_type = kind, of_symbols.sh_link = 2;
  of_symbols.sh_offset = sizeof head, of_symbols.sh_size = table.size();
  of_names.sh_type = SHT_STRTAB;
  of_names.sh_offset = of_symbols.sh_offset + table.size();
  head.e_shoff = of_names.sh_offset + names.size();
  std::string out;
  Put(out, head);
  out += table + names;
  Put(out, none), Put(out, of_symbols), Put(out, of_names);
  return out;
}

std::string MemberOf(const std::string& name, const std::string& bytes) {
  std::string out = fmt::format("{:16}{:12}{:6}{:6}{:8}{:<10}`\n", name, 0, 0, 0, 0, bytes.size());
  EXPECT_EQ(out.size(), sizeof(ar_hdr));
  out += bytes;
  return bytes.size() % 2 ? out + "\n" : out;
}
// With an index of what its members define.
std::string Index(const std::vector<std::string>& names) {
  std::string out{0, 0, char(names.size() >> 8), char(names.size())};
  out.append(4 * names.size(), 'p');
  for (const std::string& name : names) out += name + std::string(1, '\0');
  return MemberOf("/", out);
}

class Objects : public ::testing::Test {
 protected:
  Objects() : dir_(std::move(*base::TempDir::Create())) {}
  std::string File(const std::string& content) {
    const std::string path = (dir_.path() / std::to_string(++made_)).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  std::string Read(const std::string& path) { return *base::ReadFile(path); }
  base::TempDir dir_;
  int made_ = 0;
};
using List = std::vector<std::string>;

TEST_F(Objects, WhatIsTakenFromOthers) {
  const std::string one = File(Elf({{"z", false},
                                    {"weak", false, STB_WEAK},
                                    {"a", false},
                                    {"own", true},
                                    {"_GLOBAL_OFFSET_TABLE_", false},
                                    {"", false}}));
  EXPECT_EQ(UndefinedSymbols(one), (List{"a", "weak", "z"}));
  const std::string other = File(Elf({{"a", true}, {"own", false}, {"more", false}}));
  EXPECT_EQ(ImportsOf({one, other}), (List{"more", "weak", "z"}));
  EXPECT_EQ(ImportsOf({}), List{});
  EXPECT_EQ(UndefinedSymbols(File(Elf({{"x", false}}, SHT_DYNSYM))), List{});
  EXPECT_EQ(UndefinedSymbols((dir_.path() / "none").string()), List{});
  EXPECT_EQ(UndefinedSymbols(File("text")), List{});
}

TEST_F(Objects, ThatEndTooEarlyAreReadUpToThere) {
  const std::string whole = Elf({{"ab", false}, {"c", false}});
  EXPECT_EQ(UndefinedSymbols(File(whole)), (List{"ab", "c"}));
  for (size_t left = 0; left < whole.size(); ++left)  // no section is whole, or its names are not
    EXPECT_EQ(UndefinedSymbols(File(whole.substr(0, left))), List{}) << left;
  for (size_t at = 0; at < sizeof(Elf64_Ehdr); ++at) {
    std::string other = whole;
    other[at] = char(0xff);
    (void)UndefinedSymbols(File(other));
    if (at < SELFMAG) EXPECT_EQ(UndefinedSymbols(File(other)), List{}) << at;
  }
}

TEST_F(Objects, MembersOfArchives) {
  std::string odd = Elf({{"x", false}, {"y", true}});
  if (odd.size() % 2 == 0) odd.append(1, '\0');
  const std::string archive = ARMAG + Index({"y", "twelve"}) + MemberOf("a.o/", odd) +
                              MemberOf("b.o/", Elf({{"z", false}, {"x", true}}));
  const std::string path = File(archive);
  EXPECT_EQ(DefinedInArchive(path), (List{"y", "twelve"}));
  EXPECT_EQ(ImportsOf({path}), (List{"z"}));
  EXPECT_EQ(ImportsOf({path, File(Elf({{"z", true}, {"more", false}}))}), (List{"more"}));
  List many;
  for (int i = 0; i < 259; ++i) many.push_back("n" + std::to_string(i));
  EXPECT_EQ(DefinedInArchive(File(ARMAG + Index(many))), many);
  // Without an index, of another kind, or cut.
  EXPECT_EQ(DefinedInArchive(File(ARMAG + MemberOf("a.o/", odd))), List{});
  EXPECT_EQ(DefinedInArchive(File(ARMAG)), List{});
  EXPECT_EQ(DefinedInArchive(File("!<arc>\n" + Index({"y"}))), List{});
  EXPECT_EQ(DefinedInArchive((dir_.path() / "none").string()), List{});
  const std::string index = ARMAG + Index({"y", "twelve"});
  for (size_t left = 0; left + 1 < index.size(); ++left) {
    const List names = DefinedInArchive(File(index.substr(0, left)));
    EXPECT_LE(names.size(), 2u) << left;
    if (!names.empty()) EXPECT_TRUE(std::string("y").starts_with(names[0])) << left;
  }
}

TEST_F(Objects, ImportsOfSharedObjectsAreMadeWeak) {
  const std::vector<Named> before = {
      {"a", false}, {"own", true}, {"weak", false, STB_WEAK}, {"local", false, STB_LOCAL}};
  std::vector<Named> after = before;
  after[0].bind = STB_WEAK;
  const std::string path = File(Elf(before, SHT_DYNSYM));
  WeakenImports(path);
  EXPECT_EQ(Read(path), Elf(after, SHT_DYNSYM));
  for (const std::string& other :
       {Elf(before), std::string("text"), Elf(before, SHT_DYNSYM).substr(0, sizeof(Elf64_Ehdr))}) {
    const std::string file = File(other);
    WeakenImports(file);
    EXPECT_EQ(Read(file), other);
  }
}

TEST(Demangle, NamesOfCpp) {
  EXPECT_EQ(Demangle("_Z7missingi"), "missing(int)");
  EXPECT_EQ(Demangle("memcpy"), "memcpy");
  EXPECT_EQ(Demangle("_Zwhat"), "_Zwhat");
  EXPECT_EQ(Demangle(""), "");
}
}  // namespace
}  // namespace akgen::toolchain
