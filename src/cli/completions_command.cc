// `akgen completions`: what a shell completes, out of the parser itself.
#include <fmt/core.h>

#include <functional>

#include "cli/commands.h"

namespace akgen::cli {
namespace {
// Calls `each` for a command and all below it with its words, "akgen bench run".
void WalkCommands(const CLI::App& app, const std::string& words,
                  const std::function<void(const CLI::App&, std::string)>& each) {
  each(app, words);
  for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; }))
    WalkCommands(*c, words + " " + c->get_name(), each);
}

std::vector<std::string> NamesBelow(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; }))
    out.push_back(c->get_name());
  return out;
}

// Options that --help shows.
std::vector<std::string> ShownOptions(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::Option* o : app.get_options())
    if (!o->get_group().empty())
      for (const std::string& name : o->get_lnames()) out.push_back("--" + name);
  return out;
}

std::string JoinedWords(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : " ") + w;
  return out;
}

std::string BashScript(const CLI::App& root) {
  std::string paths, words;
  WalkCommands(root, "akgen", [&](const CLI::App& app, const std::string& path) {
    if (path != "akgen") paths += (paths.empty() ? "" : "|") + ("\"" + path + "\"");
    words += fmt::format("    \"{}\") commands=\"{}\" options=\"{}\" ;;\n", path,
                         JoinedWords(NamesBelow(app)), JoinedWords(ShownOptions(app)));
  });
  return fmt::format(R"(# Completions of akgen for bash: source this file.
_akgen() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} path=akgen commands= options= word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$path $word" in
      {}) path="$path $word" ;;
    esac
  done
  case "$path" in
{}  esac
  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$cur"))
  elif [[ -n $commands ]]; then COMPREPLY=($(compgen -W "$commands" -- "$cur"))
  else COMPREPLY=($(compgen -f -- "$cur")); fi
}}
complete -o filenames -F _akgen akgen
)",
                     paths, words);
}

std::string FishScript(const CLI::App& root) {
  std::string out =
      "# Completions of akgen for fish: put this file into "
      "~/.config/fish/completions/akgen.fish.\n";
  auto quoted = [](std::string text) {
    for (size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2)
      text.insert(at, "\\");
    return "'" + text + "'";
  };
  WalkCommands(root, "akgen", [&](const CLI::App& app, const std::string& path) {
    std::string when = "__fish_use_subcommand";
    if (path != "akgen") when = "__fish_seen_subcommand_from " + app.get_name();
    for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; }))
      out += fmt::format("complete -c akgen -f -n {} -a {} -d {}\n", quoted(when), c->get_name(),
                         quoted(c->get_description()));
    for (const std::string& option : ShownOptions(app))
      out += fmt::format("complete -c akgen -n {} -l {}\n", quoted(when), option.substr(2));
  });
  return out;
}
}  // namespace

static void AddCompletions(CLI::App& app, int& exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* c = app.add_subcommand("completions", "Print a shell's completion script");
  c->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  c->footer("Example: source <(akgen completions bash)\nExit code: 0, 2 usage error.");
  c->callback([shell, &app, &exit_code] {
    if (*shell == "zsh") fmt::print("autoload -U +X bashcompinit && bashcompinit\n");
    fmt::print("{}", *shell == "fish" ? FishScript(app) : BashScript(app));
    exit_code = kOk;
  });
}

static const Command kCompletionsCommand{180, AddCompletions};

}  // namespace akgen::cli
