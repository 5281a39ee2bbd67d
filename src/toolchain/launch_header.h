// Kernels that a program launches from another source than their own. The toolkit makes a header
// `aclrtlaunch_NAME.h` for each, whose macro ACLRT_LAUNCH_KERNEL(NAME)(blocks, stream, arguments)
// does it.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace akgen::toolchain {

// The headers of all kernels in these sources, by name. A kernel's pointers are `void*` there, its
// other parameters have the types of its declaration.
std::map<std::string, std::string> LaunchHeaders(const std::vector<std::string>& sources,
                                                 const std::map<std::string, std::string>& files);

}  // namespace akgen::toolchain
