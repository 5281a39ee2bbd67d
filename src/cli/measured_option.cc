#include "cli/measured_option.h"

#include "base/files.h"

namespace akgen::cli {

void MeasuredOption::AddTo(CLI::App& command) {
  command
      .add_option("--map", names,
                  "NAME=PROJECT:TASK[:CASE], repeatable: the kernel that a profiler calls NAME (Op Name or OP Type); "
                  "without a case the one with the row's shapes")
      ->check([](const std::string& text) {
        return judge::ParseKernelName(text) ? "" : "`" + text + "` is not NAME=PROJECT:TASK[:CASE]";
      });
}

base::Result<std::vector<judge::MeasuredRow>> MeasuredOption::Read(const std::string& file) const {
  auto text = base::ReadFile(file);
  if (!text.ok()) return text.error();
  std::vector<judge::KernelName> known;
  for (const std::string& name : names) known.push_back(*judge::ParseKernelName(name));
  return judge::ReadMeasured(*text, file, known);
}

}  // namespace akgen::cli
