// What the builder has to know about an ELF object file without a tool: the names it leaves to
// others.
#pragma once
#include <string>
#include <vector>

namespace akgen::toolchain {

// Undefined symbols of a 64-bit little-endian ELF relocatable object, weak ones too, sorted,
// mangled.
std::vector<std::string> UndefinedSymbols(const std::string& path);
// What several objects, and the members of archives, together take from outside.
std::vector<std::string> ImportsOf(const std::vector<std::string>& objects_and_archives);
// What the members of an archive define, by its index.
std::vector<std::string> DefinedInArchive(const std::string& path);
// Makes the symbols that a shared object takes from others weak: one that nobody defines is then
// address 0.
void WeakenImports(const std::string& path);
// Readable form of a mangled C++ name, or the name itself.
std::string Demangle(const std::string& name);

}  // namespace akgen::toolchain
