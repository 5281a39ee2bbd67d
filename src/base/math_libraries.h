// What OpenBLAS and OpenMP read from the environment while they are loaded: a process that uses
// them is started with it, or starts itself again.
#pragma once
#include <string>
#include <vector>

namespace akgen::base {

// "NAME=value". OpenBLAS: Debian's takes some processors for a Prescott, which makes it ten times
// slower. OpenMP: threads do not spin while others work.
std::vector<std::string> MathLibrarySettings();
// Sets them in this process, for the program that takes its place.
void SetMathLibraries();
// Replaces this process by itself with those settings, once. Returns where they are there, or it
// cannot be done.
void RestartWithMathLibrarySettings(char** argv);

}  // namespace akgen::base
