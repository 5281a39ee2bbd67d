// How long the programs in a folder take from text to project: parse, check, lower, emit. Target:
// 10 ms a program.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/files.h"
#include "craft/craft.h"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  using Clock = std::chrono::steady_clock;
  if (argc < 2) {
    fmt::print(stderr, "usage: craft_perf FOLDER_OR_PROGRAM... (median of 21 runs each)\n");
    return 2;
  }
  auto target = akgen::craft::LoadTarget();
  if (!target.ok()) {
    fmt::print(stderr, "{}\n", target.error().ToString());
    return 3;
  }
  double worst = 0;
  for (int i = 1; i < argc; ++i) {
    std::vector<fs::path> files;
    if (fs::is_directory(argv[i]))
      for (const auto& e : fs::directory_iterator(argv[i])) files.push_back(e.path());
    else
      files.push_back(argv[i]);
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      auto text = akgen::base::ReadFile(file);
      if (!text.ok()) continue;
      std::vector<double> ms;
      size_t lines = 0, columns = 0;
      for (int run = 0; run < 21; ++run) {
        auto start = Clock::now();
        akgen::craft::Compiled c = akgen::craft::Compile(*text, *target);
        if (!c.diagnostics.empty()) break;
        akgen::craft::Files out = akgen::craft::EmitProject(c.lowered);
        ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
        lines = 0, columns = c.lowered.size();
        for (const auto& [name, content] : out)
          lines += static_cast<size_t>(std::count(content.begin(), content.end(), '\n'));
      }
      if (ms.empty()) continue;
      std::nth_element(ms.begin(), ms.begin() + 10, ms.end());
      worst = std::max(worst, ms[10]);
      fmt::print("{:<40} {:6.2f} ms  {} column(s), {} lines to {}\n", file.filename().string(),
                 ms[10], columns, std::count(text->begin(), text->end(), '\n'), lines);
    }
  }
  fmt::print("slowest: {:.2f} ms\n", worst);
  return worst <= 10 ? 0 : 1;
}
