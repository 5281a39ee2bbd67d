// What a compilation takes from the system: headers of C and C++, the compiler's own, a linker. An
// installation may bring all of it, as the wheel does, for machines that have none.
#pragma once
#include <string>
#include <vector>

namespace akgen::toolchain {

// Folder of the headers that came with akgen, laid out as a root of files; "" where the machine's
// own are used.
std::string BundledSystem();
// Flags of clang that make it look there and nowhere else; none where the machine's own are used.
std::vector<std::string> SystemFlags();

// The linker's path, or "" when there is none. One beside akgen's programs comes first.
std::string LinkerPath();
std::string ArchiverPath();

}  // namespace akgen::toolchain
