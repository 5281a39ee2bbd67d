// Finds errors of a program for some legal shapes before any kernel exists: it is interpreted on
// small inputs, aligned and ragged ones, and its own `# try:` cases.
#pragma once
#include <string>

#include "craft/craft.h"

namespace akgen::craft {

// AK1530 and AK1531 with the place of the statement, AK1533 for buffers that fit in UB for no
// shape; inputs that do not go together (AK1532, AK1533 of require()) say nothing. Stops at the
// first of each place.
void Probe(const Compiled& c, const std::string& source, Diagnostics& diagnostics);

}  // namespace akgen::craft
