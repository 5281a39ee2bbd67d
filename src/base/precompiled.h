// What nearly every file includes, compiled once (option AKGEN_PCH). Files include what they use
// all the same: they have to build without it.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <fstream>
#include <functional>
#include <iomanip>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <valarray>
#include <variant>
#include <vector>

#include "base/files.h"
#include "base/status.h"

// Calls into the JSON library stay calls: inlined into every caller it takes a tenth of all compile
// time. What it includes is above; json.cc, which parses and writes, is compiled without this
// header.
#ifdef __clang__
#pragma clang attribute push(__attribute__((noinline)), apply_to = function)
#endif
#include "base/json.h"
#ifdef __clang__
#pragma clang attribute pop
#endif
