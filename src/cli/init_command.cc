// `akgen init`: an operator of one's own to start from, with its task; it passes as it is.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>

#include "base/files.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace akgen::cli {
namespace {
namespace fs = std::filesystem;
// The names in data/init, which those of the operator take the place of.
constexpr const char *kSnake = "my_op", *kCamel = "MyOp", *kUpper = "MY_OP";

struct InitArgs {
  std::string name, out;
  bool program = false;
};

struct Names {
  std::string snake, camel, upper;
};

// "" or what is wrong, as the parser wants it.
std::string CheckName(const std::string& name) {
  const bool good = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) &&
                    std::all_of(name.begin(), name.end(), [](char c) { return base::IsWord(c); });
  return good ? ""
              : "'" + name +
                    "' cannot name an operator: a letter, then letters, digits and underscores";
}

// "FastGelu" and "fast_gelu" name the same operator.
Names NamesOf(const std::string& name) {
  Names out;
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (std::isupper(c) && i > 0 && name[i - 1] != '_' &&
        !std::isupper(static_cast<unsigned char>(name[i - 1])))
      out.snake += '_';
    out.snake += char(std::tolower(c));
  }
  bool begins = true;
  for (char c : out.snake) {
    if (c != '_') out.camel += begins ? char(std::toupper(static_cast<unsigned char>(c))) : c;
    out.upper += char(std::toupper(static_cast<unsigned char>(c)));
    begins = c == '_';
  }
  return out;
}

std::string Renamed(std::string text, const Names& names) {
  for (const auto& [from, to] :
       {std::pair{kSnake, names.snake}, {kCamel, names.camel}, {kUpper, names.upper}})
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, std::string(from).size(), to);
  return text;
}

// The files of a template folder under the operator's names, by their place in the new folder.
base::Status ReadTemplate(const fs::path& folder, const fs::path& below, const Names& names,
                          std::map<fs::path, std::string>* out) {
  std::error_code ec;
  for (fs::recursive_directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
    if (!it->is_regular_file()) continue;
    auto text = base::ReadFile(it->path());
    if (!text.ok()) return text.error();
    (*out)[below / Renamed(it->path().lexically_relative(folder).string(), names)] =
        Renamed(*text, names);
  }
  if (out->empty())
    return base::Error{"AK0001", "the templates are missing", folder.string(),
                       "set $AKGEN_HOME to akgen's folder"};
  return {};
}

int RunInit(const InitArgs& a) {
  const Names names = NamesOf(a.name);
  const fs::path folder = a.out.empty() ? names.snake : a.out,
                 templates = base::HomeDir() / "data/init";
  std::map<fs::path, std::string> files;
  for (const auto& [from, below] :
       {std::pair{a.program ? "program" : "project", ""}, {"task", "task"}})
    if (auto s = ReadTemplate(templates / from, below, names, &files); !s.ok()) {
      PrintError(s.error());
      return kFault;
    }
  std::error_code ec;
  for (const auto& [path, text] : files)
    if (fs::exists(folder / path, ec)) {
      PrintError({"AK0002", "there is a file already", (folder / path).string(),
                  "name another folder with --out"});
      return kUsage;
    }
  for (const auto& [path, text] : files) {
    fs::create_directories((folder / path).parent_path(), ec);
    if (auto s = base::WriteFileAtomic(folder / path, text); !s.ok()) {
      PrintError(s.error());
      return kFault;
    }
    fmt::print("{}\n", (folder / path).string());
  }
  fmt::print("judge it: akgen judge {}\n",
             (a.program ? folder / (names.snake + ".py") : folder).string());
  return kOk;
}
}  // namespace

static void AddInit(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<InitArgs>();
  CLI::App* c = app.add_subcommand(
      "init", "Write an operator to start from, with its task: it passes as it is");
  c->add_option("name", args->name, "The operator's name: my_gelu or MyGelu")
      ->required()
      ->check(CheckName);
  c->add_flag("--program", args->program,
              "A program of the kernel language in place of an Ascend C project");
  c->add_option("--out", args->out,
                "Folder to write to; default: the operator's name in snake_case");
  c->footer(
      "Example: akgen init my_gelu && akgen judge my_gelu\n"
      "         akgen init my_softmax --program && akgen judge my_softmax/my_softmax.py\n"
      "Nothing that is there is overwritten. Exit code: 0 done, 2 usage error, 3 internal error.");
  c->callback([args, &exit_code] { exit_code = RunInit(*args); });
}

static const Command kInitCommand{75, AddInit};

}  // namespace akgen::cli
