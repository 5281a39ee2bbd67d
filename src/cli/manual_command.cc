// `akgen manual`: the manual page, out of the parser itself.
#include <fmt/core.h>

#include "base/version.h"
#include "cli/commands.h"

namespace akgen::cli {
namespace {
// Text of a page in roff: no line begins with a control character.
std::string Roff(const std::string& text) {
  std::string out;
  for (char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

void ManualOptions(const CLI::App& app, std::string& out) {
  for (const CLI::Option* o : app.get_options()) {
    if (o->get_group().empty()) continue;
    const std::string name = o->get_name(false, true), type = o->get_type_name();
    out += ".TP\n\\fB" + Roff(name) + "\\fR" + (type.empty() ? "" : " \\fI" + Roff(type) + "\\fR") +
           "\n" + Roff(o->get_description());
    if (const std::string value = o->get_default_str(); !value.empty())
      out += " Default: " + Roff(value) + ".";
    out += "\n";
  }
}

void ManualCommands(const CLI::App& app, const std::string& words, std::string& out) {
  for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = words + " " + c->get_name();
    out += ".SS " + Roff(name) + "\n" + Roff(c->get_description()) + "\n";
    ManualOptions(*c, out);
    if (const std::string footer = c->get_footer(); !footer.empty())
      out += ".PP\n.nf\n" + Roff(footer) + "\n.fi\n";
    ManualCommands(*c, name, out);
  }
}

std::string ManualPage(const CLI::App& root) {
  std::string out =
      fmt::format(".TH AKGEN 1 \"\" \"akgen {}\"\n.SH NAME\nakgen \\- {}\n", base::kVersion,
                  Roff("generate, check and measure Ascend C kernels without an NPU"));
  out += ".SH SYNOPSIS\n\\fBakgen\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH OPTIONS\n";
  ManualOptions(root, out);
  out += ".SH COMMANDS\n";
  ManualCommands(root, "akgen", out);
  return out +
         ".SH EXIT STATUS\n0 passed or done, 1 not passed, 2 usage error, 3 internal error or "
         "something is missing.\n";
}
}  // namespace

static void AddManual(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("manual", "Print the manual page of all commands, for man");
  c->footer("Example: akgen manual > akgen.1 && man ./akgen.1\nExit code: 0.");
  c->callback([&app, &exit_code] {
    fmt::print("{}", ManualPage(app));
    exit_code = kOk;
  });
}

static const Command kManualCommand{190, AddManual};

}  // namespace akgen::cli
