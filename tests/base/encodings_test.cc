// Bytes as text, words, seeds, how deep a JSON text may be, the id of a program, and the settings
// of mathematical libraries: each with its limits.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/base64.h"
#include "base/error_json.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/hex.h"
#include "base/math_libraries.h"
#include "base/program_id.h"
#include "base/seed.h"
#include "base/text.h"

namespace akgen::base {
namespace {
std::vector<uint8_t> Bytes(std::string_view text) { return {text.begin(), text.end()}; }

// RFC 4648, section 10; and each digit.
TEST(Base64, AsTheStandardHasIt) {
  const std::pair<const char*, const char*> rows[] = {{"", ""},
                                                      {"f", "Zg=="},
                                                      {"fo", "Zm8="},
                                                      {"foo", "Zm9v"},
                                                      {"foob", "Zm9vYg=="},
                                                      {"fooba", "Zm9vYmE="},
                                                      {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, coded] : rows) {
    EXPECT_EQ(ToBase64(Bytes(plain)), coded);
    EXPECT_EQ(FromBase64(coded), plain);
  }
  std::vector<uint8_t> all(256);
  for (size_t i = 0; i < all.size(); ++i) all[i] = uint8_t(i);
  const std::string coded = ToBase64(all);
  EXPECT_EQ(Bytes(FromBase64(coded).value()), all);
  EXPECT_EQ(ToBase64(std::vector<uint8_t>{0xfb, 0xff, 0xbf, 0x00}), "+/+/AA==");
  EXPECT_EQ(FromBase64("Zm8"), "fo") << "padding may be left out";
  EXPECT_EQ(FromBase64("Zm8=??"), "fo") << "nothing behind it is read";
  for (const char* wrong : {"Zm9v!", "-w==", "_w==", " Zg==", "Zg\n==", "\xff"})
    EXPECT_FALSE(FromBase64(wrong)) << wrong;
}

TEST(Hex, OfBytes) {
  const std::vector<uint8_t> bytes = {0x00, 0x09, 0x0a, 0x9f, 0xa0, 0xff};
  EXPECT_EQ(HexOf(bytes), "00090a9fa0ff");
  EXPECT_EQ(BytesOfHex("00090a9fa0ff"), bytes);
  EXPECT_EQ(BytesOfHex("00090A9FA0FF"), bytes);
  EXPECT_EQ(HexOf({}) + HexOf(BytesOfHex("")), "");
  EXPECT_EQ(BytesOfHex("0af"), (std::vector<uint8_t>{0x0a}));
  for (const char* wrong : {"0/", "0:", "0@", "0g", "0G", "0`", " 0", "g0"})
    EXPECT_THROW((void)BytesOfHex(wrong), Json::exception) << wrong;
}

TEST(Text, WordsAreAscii) {
  std::string words;
  for (int c = 0; c < 256; ++c)
    if (IsWord(char(c))) words += char(c);
  EXPECT_EQ(words, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");
  EXPECT_EQ(Lower("AZaz@[`{09\xc4"), "azaz@[`{09\xc4");
}

TEST(Seed, IsAFunctionOfBothNumbers) {
  EXPECT_EQ(DerivedSeed(0, 0), 0xe220a8397b1dcdafull >> 12);  // splitmix64's first of seed 0
  EXPECT_EQ(DerivedSeed(0, 1), 0x6e789e6aa1b965f4ull >> 12);  // and its second
  EXPECT_NE(DerivedSeed(1, 0), DerivedSeed(0, 0));
  const uint64_t drawn = DrawSeed();
  EXPECT_LT(drawn, uint64_t{1} << 52);
  EXPECT_NE(drawn, DrawSeed());
}

TEST(Json, NestsSoDeepAndNoDeeper) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_FALSE(Parse(nested(256)).is_discarded());
  EXPECT_TRUE(Parse(nested(257)).is_discarded());
  EXPECT_FALSE(Parse("[" + nested(255) + "," + nested(255) + "]").is_discarded());
  std::string objects;
  for (int i = 0; i < 257; ++i) objects += "{\"a\":";
  EXPECT_TRUE(Parse(objects + "1" + std::string(257, '}')).is_discarded());
  // Brackets in a text are none, behind a quote that belongs to it either.
  const std::string many(300, '[');
  for (const std::string& text : {many, "\\\"" + many, "\\\\\\\"" + many}) {
    const Json read = Parse("[\"" + text + "\"]");
    EXPECT_FALSE(read.is_discarded()) << text.substr(0, 5);
  }
  EXPECT_TRUE(Parse("[\"\\\\\"," + many + std::string(300, ']') + "]").is_discarded());
  EXPECT_TRUE(Parse("[\"").is_discarded());
}

TEST(Error, AsTextAndAsJson) {
  const Error whole{"AK1", "m", "w", "f"}, bare{"AK2", "m", "", ""};
  EXPECT_EQ(whole.ToString(), "error[AK1]: m\n  at w\n  fix: f");
  EXPECT_EQ(bare.ToString(), "error[AK2]: m");
  EXPECT_EQ(ErrorFromJson(ToJson(whole), "AK3").ToString(), whole.ToString());
  EXPECT_EQ(ErrorFromJson(Json::object(), "AK3").ToString(), "error[AK3]: no message");
}

// A program with these notes: type, name and description; nothing else that its id is read from.
struct Note {
  uint32_t type;
  std::string name, text;
};
std::string Program(const std::vector<Note>& notes, uint32_t kind = PT_NOTE, uint64_t longer = 0,
                    size_t cut = 0) {
  std::string body;
  for (const Note& note : notes) {
    const Elf64_Nhdr head{uint32_t(note.name.size()), uint32_t(note.text.size()), note.type};
    body.append(reinterpret_cast<const char*>(&head), sizeof head);
    for (const std::string& part : {note.name, note.text}) {
      body += part;
      body.resize((body.size() + 3) / 4 * 4);
    }
  }
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_phoff = sizeof head, head.e_phnum = 2;
  Elf64_Phdr other{}, of_notes{};
  other.p_type = PT_LOAD;
  of_notes.p_type = kind;
  of_notes.p_offset = sizeof head + 2 * sizeof other, of_notes.p_filesz = body.size() + longer;
  std::string out(reinterpret_cast<const char*>(&head), sizeof head);
  out.append(reinterpret_cast<const char*>(&other), sizeof other);
  out.append(reinterpret_cast<const char*>(&of_notes), sizeof of_notes);
  out += body;
  return out.substr(0, out.size() - cut);
}

TEST(ProgramId, IsItsBuildIdOrElseItsHash) {
  const TempDir dir = std::move(*TempDir::Create());
  const auto id = [&](const std::string& program) {
    std::ofstream(dir.path() / "p", std::ios::binary) << program;
    return IdOfProgram(dir.path() / "p");
  };
  const std::string gnu("GNU\0", 4), linker = "Linker and more";
  const Note build{NT_GNU_BUILD_ID, gnu, "0123456789abcdef0123"};
  for (const std::vector<Note>& notes :
       std::vector<std::vector<Note>>{{build},
                                      {{NT_GNU_ABI_TAG, gnu, "sixteen bytes  ."}, build},
                                      {{NT_VERSION, linker, "odd"}, build},
                                      {{NT_VERSION, "", ""}, build},
                                      {build, {NT_GNU_BUILD_ID, gnu, "another"}}})
    EXPECT_EQ(id(Program(notes)), build.text) << notes.size();
  EXPECT_EQ(id(Program({{NT_GNU_BUILD_ID, gnu, "x"}})), "x");
  EXPECT_EQ(id(Program({{NT_GNU_BUILD_ID, gnu, "0123"}})), "0123") << "up to the last byte";
  // Without one, or with one that leaves its segment or the file: the hash of all.
  for (const std::string& program :
       {std::string(), std::string("text"), Program({}), Program({{NT_GNU_ABI_TAG, gnu, "abi."}}),
        Program({build}, PT_LOAD), Program({build}, PT_NOTE, 1), Program({build}, PT_NOTE, 0, 1),
        Program({build}).substr(0, sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr)),
        Program({build}).substr(0, sizeof(Elf64_Ehdr) - 1), "x" + Program({build})})
    EXPECT_EQ(id(program), Sha256(program)) << program.size();
  EXPECT_EQ(IdOfProgram(dir.path() / "nothing"), "");
}

TEST(MathLibraries, WhatTheUserHasSetStays) {
  const auto restore = [](const char* name) {
    const char* had = std::getenv(name);
    return std::pair<std::string, std::optional<std::string>>{
        name, had ? std::optional<std::string>(had) : std::nullopt};
  };
  const std::vector<std::pair<std::string, std::optional<std::string>>> before = {
      restore("OMP_WAIT_POLICY"), restore("OPENBLAS_CORETYPE"), restore("AKGEN_MATH_LIBRARIES")};
  const auto has = [](const std::string& start) {
    for (const std::string& setting : MathLibrarySettings())
      if (setting.starts_with(start)) return true;
    return false;
  };
  for (const char* name : {"OMP_WAIT_POLICY", "OPENBLAS_CORETYPE"}) {
    ::unsetenv(name);
    const std::string start = std::string(name) + "=";
    const bool without = has(start);
    ::setenv(name, "mine", 1);
    EXPECT_FALSE(has(start)) << name;
    if (std::string(name) == "OMP_WAIT_POLICY") EXPECT_TRUE(without);
    ::unsetenv(name);
  }
  EXPECT_EQ(MathLibrarySettings()[0], "AKGEN_MATH_LIBRARIES=1");
  EXPECT_EQ(MathLibrarySettings()[1], "OMP_WAIT_POLICY=passive");
  SetMathLibraries();
  EXPECT_STREQ(std::getenv("AKGEN_MATH_LIBRARIES"), "1");
  EXPECT_STREQ(std::getenv("OMP_WAIT_POLICY"), "passive");
  char name[] = "test";
  char* argv[] = {name, nullptr};
  RestartWithMathLibrarySettings(argv);  // they are there: it goes on
  for (const auto& [variable, had] : before)
    had ? ::setenv(variable.c_str(), had->c_str(), 1) : ::unsetenv(variable.c_str());
}
}  // namespace
}  // namespace akgen::base
