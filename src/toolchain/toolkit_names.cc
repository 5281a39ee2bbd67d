#include "toolchain/toolkit_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <vector>

#include "base/files.h"
#include "toolchain/rewrite.h"

namespace akgen::toolchain {
namespace fs = std::filesystem;
namespace {
// What clang (and g++) say of a name that nobody declared; the first word they quote is that name.
constexpr std::array kUndeclared{"undeclared",        "unknown type name", "no member named",
                                 "no template named", "no type named",     "is not a member",
                                 "does not name",     "undefined symbol",  "was not declared"};
// What they say where a macro was to be: they have read its name as something else.
constexpr std::array kNotAMacro{"a type specifier is required", "requires a type specifier",
                                "expected parameter",           "expected unqualified-id",
                                "expected constructor",         "expected function body"};

template <class List>
bool SaysOneOf(const List& list, const std::string& message) {
  return std::any_of(list.begin(), list.end(),
                     [&](const char* s) { return message.find(s) != std::string::npos; });
}

bool InWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string WordAt(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && InWord(text[end])) ++end;
  return std::string(text.substr(at, end - at));
}

void AddWords(std::string_view text, std::set<std::string>* words) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (!InWord(text[i])) continue;
    std::string word = WordAt(text, i);
    i += word.size() - 1;
    words->insert(std::move(word));
  }
}

// 'x', 'A::x<int>' and "x": what stands between the quotes.
std::vector<std::string> Quoted(const std::string& message) {
  std::vector<std::string> out;
  for (size_t i = message.find('\''); i != std::string::npos; i = message.find('\'', i)) {
    size_t end = message.find('\'', i + 1);
    if (end == std::string::npos) break;
    out.push_back(message.substr(i + 1, end - i - 1));
    i = end + 1;
  }
  return out;
}

// A::x<int>(int) is x.
std::string LastName(const std::string& quoted) {
  std::string name = quoted.substr(0, quoted.find_first_of("<("));
  if (size_t colon = name.rfind("::"); colon != std::string::npos) name.erase(0, colon + 2);
  return name;
}
}  // namespace

ToolkitNames::ToolkitNames(const fs::path& headers) {
  std::istringstream lines(base::ReadFile(headers / "akgen/toolkit_names.txt").ok()
                               ? *base::ReadFile(headers / "akgen/toolkit_names.txt")
                               : std::string());
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, word;
    words >> kind;
    auto* into = kind == "folder"   ? &folders_
                 : kind == "header" ? &headers_
                 : kind == "name"   ? &names_
                 : kind == "member" ? &members_
                                    : nullptr;
    while (into && words >> word) into->insert(word);
  }
  std::error_code ec;
  for (fs::recursive_directory_iterator it(headers, ec), end; !ec && it != end; it.increment(ec)) {
    if (it->path().extension() != ".h" && it->path().extension() != ".inc") continue;
    if (auto text = base::ReadFile(it->path()); text.ok())
      AddWords(BlankCommentsAndStrings(*text), &words_);
  }
}

namespace {
// PyTorch's C++ interface and its NPU adapter, of which include/ascendc/akgen/torch has what binds
// kernels.
bool OfPyTorch(const std::string& owner) {
  for (const char* known : {"at", "torch", "c10", "at_npu", "c10_npu", "torch_npu", "pybind11"})
    if (owner == known || owner.starts_with(std::string(known) + "::")) return true;
  return false;
}
}  // namespace

bool ToolkitNames::LacksHeader(std::string name) const {
  while (name.starts_with("../") || name.starts_with("./")) name.erase(0, name.find('/') + 1);
  if (OfPyTorch(name.substr(0, name.find('/'))) || name.starts_with("ATen/") || name == "Python.h")
    return true;
  if (headers_.contains(name) || folders_.contains(name.substr(0, name.find('/')))) return true;
  // By a longer or a shorter way than the one that is listed; a bare name could be anybody's.
  auto same = [](const std::string& longer, const std::string& shorter) {
    return shorter.find('/') != std::string::npos && longer.ends_with("/" + shorter);
  };
  return std::any_of(headers_.begin(), headers_.end(),
                     [&](const std::string& h) { return same(h, name) || same(name, h); });
}

bool ToolkitNames::Lacks(const std::string& name) const {
  return names_.contains(name) && !words_.contains(name);
}

bool ToolkitNames::LacksMember(const std::string& owner, const std::string& name) const {
  if (words_.contains(name)) return false;
  const bool toolkits = words_.contains(owner) || names_.contains(owner);
  return toolkits && (names_.contains(name) || members_.contains(name));
}

std::string ToolkitNames::Wanting(const BuildDiagnostic& error, std::string_view line) const {
  // The headers refuse what they only lack with a static_assert that begins like this.
  constexpr std::string_view kLacking = "akgen unsupported: ";
  if (size_t at = error.message.find(kLacking); at != std::string::npos)
    return error.message.substr(at + kLacking.size());
  const auto quoted = Quoted(error.message);
  if (!quoted.empty() && quoted[0] == "akgen_tiling_key") return "TILING_KEY_VAR in a directive";
  // What is told of a symbol may end with why a source that defines it does not build.
  const bool of_symbol = error.message.find("undefined symbol") != std::string::npos;
  if (error.message.find("file not found") != std::string::npos && !of_symbol)
    return !quoted.empty() && LacksHeader(quoted[0]) ? quoted[0] : "";
  if (SaysOneOf(kUndeclared, error.message) && !quoted.empty()) {
    const std::string name = LastName(quoted[0]);
    const bool of_owner =
        !of_symbol && quoted.size() > 1 && error.message.find("' in ") != std::string::npos;
    if (quoted.size() > 1 && OfPyTorch(quoted[1])) return quoted[1] + "::" + name;
    return (of_owner ? LacksMember(LastName(quoted[1]), name) : Lacks(name)) ? name : "";
  }
  if (!SaysOneOf(kNotAMacro, error.message)) return "";
  // At the place itself, or where the line begins.
  const size_t first = std::min(line.find_first_not_of(" \t"), line.size());
  for (size_t at : {error.column > 0 ? size_t(error.column) - 1 : first, first})
    if (std::string name = at < line.size() ? WordAt(line, at) : ""; Lacks(name)) return name;
  return "";
}

}  // namespace akgen::toolchain
