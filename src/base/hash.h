// Collision-resistant hashes.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace akgen::base {

// SHA-256 as 64 hex digits.
std::string Sha256(std::string_view content);
// SHA-256 over names and contents of all files below `dir`, in order of names; "" when the folder
// cannot be read. A file beyond 64 MiB counts with its size and time alone. A link counts with
// where it points and the content of the file there; folders are not entered by links.
std::string HashOfFolder(const std::filesystem::path& dir);

// Does the file lie outside of the folder, by links? What is in a candidate's folder is read no
// further than that.
bool LeadsOut(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace akgen::base
