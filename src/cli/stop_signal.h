#pragma once
#include <atomic>

namespace akgen::cli {
// Ctrl-C and SIGTERM set it from now on instead of ending the process: what is under way ends in
// order and can be resumed. A second one ends it at once.
std::atomic<bool>* CatchStop();
}  // namespace akgen::cli
