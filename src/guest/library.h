// Functions of the C library that a guest has: memory, text, mathematics, and what the compiler
// calls by itself. They run on the owner's side of the trust boundary, so each of them asks for
// every byte it touches.
#pragma once
#include <string_view>

#include "guest/machine.h"

namespace akgen::guest {

// Answers a call that stopped the machine: takes its arguments, sets its result. False: the call is
// a fault, which Machine::fault() names.
using LibraryFunction = bool (*)(Machine& machine);

// nullptr: the library has no such function.
LibraryFunction FindInLibrary(std::string_view name);
// How many texts a function reads byte by byte to where they end, which only it knows: what it
// spends (Machine::Spend) are their bytes. 0: none.
int TextsReadBy(std::string_view name);

}  // namespace akgen::guest
