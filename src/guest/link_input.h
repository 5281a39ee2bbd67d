// What the linker knows of its inputs; shared by the files that implement Link.
#pragma once
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "guest/elf_reader.h"

namespace akgen::guest::linking {

// Where a section's bytes go. Debug sections are kept apart by name.
enum class Part : uint8_t {
  kCode,
  kConstants,
  kVariables,
  kInitialisers,
  kBlockVariables,
  kDebug,
  kDropped
};
inline constexpr size_t kLoadedParts = 5;

// Where variables lie of which each block has its own: a launch may change them (__BLOCK_LOCAL__).
inline constexpr const char* kBlockVariablesSection = ".block_local";

struct Section {
  Elf64_Shdr head{};
  std::string name;
  std::string_view bytes;
  Part part = Part::kDropped;
  uint64_t place = 0;  // its address, or of a debug section its offset among those of its name
};

struct Symbol {
  Elf64_Sym row{};
  std::string name;
  uint64_t address = 0;
};

struct Object {
  Reader file{{}};
  std::vector<Section> sections;
  std::vector<Symbol> symbols;
};

struct Linked {
  std::vector<Object> objects;
  std::array<std::string, kLoadedParts> loaded;
  std::map<std::string, std::string> debug;
  std::vector<std::string> imports;
};

base::Error Refused(const std::string& what);
// Sections and symbols of an object; what earlier objects brought already (`groups`) is dropped.
// `suffix`: what its names end with from now on.
base::Status ReadObject(std::string_view bytes, const char* suffix,
                        std::map<std::string, bool>* groups, Object* out);
// Patches the bytes of one section in place.
base::Status Relocate(const Object& object, unsigned section, Linked* linked);
// The image as a file.
std::string WriteImage(const Linked& linked);

uint64_t BaseOf(const Linked& linked, Part part);

}  // namespace akgen::guest::linking
