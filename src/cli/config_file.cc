#include "cli/config_file.h"

#include <algorithm>
#include <sstream>

#include "base/files.h"
#include "base/toml.h"

namespace akgen::cli {
using base::Error;
using base::Status;

namespace {
std::string NodeText(const toml::node& node) {
  if (auto s = node.value_exact<std::string>()) return *s;
  std::ostringstream out;
  if (const auto* v = node.as_boolean())
    out << (v->get() ? "true" : "false");
  else if (const auto* i = node.as_integer())
    out << i->get();
  else if (const auto* f = node.as_floating_point())
    out << f->get();
  return out.str();
}

Status ApplyTable(CLI::App& command, const toml::table& table, const std::string& file) {
  for (const auto& [key, value] : table) {
    if (const auto* inner = value.as_table()) {
      if (Status s = ApplyTable(command, *inner, file); !s.ok()) return s;
      continue;
    }
    std::string name(key.str());
    std::replace(name.begin(), name.end(), '_', '-');
    std::string where = file + ":" + std::to_string(value.source().begin.line);
    CLI::Option* option = command.get_option_no_throw("--" + name);
    if (!option || name == "help" || name == "config")
      return Error{"AK0708", "there is no option " + name, where,
                   "`akgen " + command.get_name() + " --help` lists them"};
    if (option->count() > 0) continue;  // the command line wins
    try {
      if (const auto* list = value.as_array())
        for (const auto& e : *list) option->add_result(NodeText(e));
      else
        option->add_result(NodeText(value));
      option->run_callback();
    } catch (const CLI::Error& e) {
      return Error{"AK0708", e.what(), where,
                   "`akgen " + command.get_name() + " --help` says what the option takes"};
    }
  }
  return {};
}
}  // namespace

Status ApplyConfigFile(CLI::App& command, const std::string& file) {
  auto text = base::ReadFile(file);
  if (!text.ok()) return text.error();
  toml::parse_result parsed = toml::parse(*text, file);
  if (!parsed)
    return Error{"AK0708", "not TOML: " + std::string(parsed.error().description()),
                 file + ":" + std::to_string(parsed.error().source().begin.line), ""};
  return ApplyTable(command, parsed.table(), file);
}

}  // namespace akgen::cli
