// What tells one build of a program from another.
#pragma once
#include <filesystem>
#include <string>

namespace akgen::base {

// The linker's hash of a program (its build id), which is as good as its content and much shorter;
// without one the hash of its content. Bytes, no text. "" when the file cannot be read.
std::string IdOfProgram(const std::filesystem::path& path);

}  // namespace akgen::base
