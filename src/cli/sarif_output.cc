#include "cli/sarif_output.h"

#include <filesystem>

#include "base/files.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace akgen::cli {
namespace fs = std::filesystem;
namespace {
fs::path Pages() { return base::HomeDir() / "docs/diagnostics"; }

// The page opens with `# AK1001: outside the Unified Buffer`.
std::string TitleOf(const std::string& code) {
  auto page = base::ReadFile(Pages() / (code + ".md"));
  if (!page.ok()) return "";
  std::string first = page->substr(0, page->find('\n'));
  size_t colon = first.find(": ");
  return colon == std::string::npos ? "" : first.substr(colon + 2);
}
}  // namespace

void AddSarifOption(CLI::App& command, std::string& path) {
  command.add_option("--sarif", path,
                     "Write the findings as SARIF 2.1.0 to this file (- for standard output)");
}

int WriteSarif(const std::vector<report::SarifSubject>& subjects, const std::string& path) {
  if (path.empty()) return kOk;
  return WriteJson(report::Sarif(subjects, {base::kVersion, "file://" + Pages().string(), TitleOf}),
                   path);
}

report::SarifSubject Subject(const std::string& name, const std::string& file) {
  std::error_code ec;
  fs::path at = fs::absolute(file, ec).lexically_normal();
  if (!fs::is_directory(at, ec)) at = at.parent_path();
  if (at.filename().empty()) at = at.parent_path();
  report::SarifSubject s;
  s.name = name;
  s.folder = at.string();
  return s;
}

}  // namespace akgen::cli
