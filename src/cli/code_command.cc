// `akgen code`: what a diagnostic's code means, with an example and the fix.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/files.h"
#include "cli/commands.h"
#include "craft/syntax/diagnostic.h"

namespace akgen::cli {
namespace {
std::filesystem::path PagesOfCodes() { return base::HomeDir() / "docs" / "diagnostics"; }

int UnknownCode(const std::string& code) {
  std::vector<std::string> all;
  std::error_code ec;
  for (const auto& e : std::filesystem::directory_iterator(PagesOfCodes(), ec))
    if (e.path().stem().string().starts_with("AK")) all.push_back(e.path().stem().string());
  std::sort(all.begin(), all.end());  // the same suggestion everywhere
  const std::string near = craft::Nearest(code, all);
  fmt::print(stderr, "`{}` is no code of akgen{}\n", code,
             near.empty() ? "" : "; did you mean `" + near + "`?");
  return kUsage;
}

int ShowCode(std::string code) {
  for (char& c : code) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const std::filesystem::path file = PagesOfCodes() / (code + ".md");
  std::error_code ec;
  if (code.find_first_not_of("AK0123456789") != std::string::npos ||
      !std::filesystem::exists(file, ec))
    return UnknownCode(code);
  auto page = base::ReadFile(file);
  if (!page.ok()) return PrintError(page.error()), kFault;
  fmt::print("{}", *page);
  return kOk;
}
}  // namespace

static void AddCode(CLI::App& app, int& exit_code) {
  auto code = std::make_shared<std::string>();
  CLI::App* c = app.add_subcommand(
      "code", "What a diagnostic's code means: its page, with an example and the fix");
  c->add_option("code", *code, "As diagnostics have it: AK1201")->required();
  c->footer(
      "Example: akgen code AK1201\n"
      "Exit code: 0 printed, 2 there is no such code.");
  c->callback([code, &exit_code] { exit_code = ShowCode(*code); });
}

static const Command kCodeCommand{165, AddCode};

}  // namespace akgen::cli
