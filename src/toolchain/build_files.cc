#include "toolchain/build_files.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"

namespace akgen::toolchain {
namespace fs = std::filesystem;
namespace {
bool IsDirectory(const fs::path& p) {
  std::error_code ec;
  return fs::is_directory(p, ec);
}
}  // namespace

std::vector<CMakeCommand> CMakeCommandsIn(const std::string& text) {
  std::string code;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) code += line.substr(0, line.find('#')) + '\n';
  std::vector<CMakeCommand> out;
  for (size_t open = code.find('('); open != std::string::npos; open = code.find('(', open + 1)) {
    size_t end = open;
    while (end > 0 && std::isspace(static_cast<unsigned char>(code[end - 1]))) --end;
    size_t begin = end;
    while (begin > 0 && base::IsWord(code[begin - 1])) --begin;
    const size_t close = code.find(')', open);
    if (begin == end || close == std::string::npos) continue;
    std::string inside = code.substr(open + 1, close - open - 1);
    std::replace(inside.begin(), inside.end(), '"', ' ');
    std::replace(inside.begin(), inside.end(), ';', ' ');
    CMakeCommand command{base::Lower(code.substr(begin, end - begin)), {}};
    std::istringstream words(inside);
    for (std::string w; words >> w;) command.words.push_back(w);
    out.push_back(std::move(command));
  }
  return out;
}

void BuildFiles::Read(const fs::path& file, const fs::path& folder) {
  const auto text = base::ReadFile(file);
  if (!text.ok()) return;
  for (const auto& [name, words] : CMakeCommandsIn(*text)) Take(name, words, folder);
}

std::string BuildFiles::Expanded(std::string word, const fs::path& folder) const {
  constexpr int kLimit = 16;
  for (int n = 0; n < kLimit; ++n) {
    const size_t begin = word.rfind("${"),
                 end = word.find('}', begin == std::string::npos ? 0 : begin);
    if (begin == std::string::npos || end == std::string::npos) break;
    const std::string name = word.substr(begin + 2, end - begin - 2);
    const auto known = variables_.find(name);
    std::string value;
    if (name == "CMAKE_CURRENT_SOURCE_DIR" || name == "CMAKE_CURRENT_LIST_DIR")
      value = folder.string();
    else if (name == "CMAKE_SOURCE_DIR" || name == "PROJECT_SOURCE_DIR")
      value = root_.string();
    else if (known != variables_.end())
      value = known->second;
    word.replace(begin, end + 1 - begin, value);
  }
  return word;
}

void BuildFiles::Include(const std::string& folder) {
  const fs::path dir = fs::path(folder).lexically_normal();
  if (!dir.is_absolute() || !IsDirectory(dir) || base::LeadsOut(dir, root_)) return;
  std::string text = dir.string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  if (std::find(include_dirs_.begin(), include_dirs_.end(), text) == include_dirs_.end())
    include_dirs_.push_back(std::move(text));
}

void BuildFiles::Take(const std::string& name, const std::vector<std::string>& words,
                      const fs::path& folder) {
  const bool includes = name == "include_directories" || name == "target_include_directories";
  const bool globs = name == "file" && !words.empty() && words[0].starts_with("GLOB");
  if (name == "set" && words.size() == 2) variables_[words[0]] = Expanded(words[1], folder);
  if (name == "get_filename_component" && words.size() == 3 &&
      (words[2] == "ABSOLUTE" || words[2] == "REALPATH"))
    variables_[words[0]] = Expanded(words[1], folder);
  for (const auto& raw : words) {
    const std::string word = Expanded(raw, folder);
    if (word.starts_with("-I")) Include(word.substr(2));
    if (includes) Include(fs::path(word).is_absolute() ? word : (folder / word).string());
    if (!word.ends_with(".cpp") && !word.ends_with(".cc")) continue;
    const std::string last = word.substr(word.rfind('/') + 1);
    if (last.find('*') == std::string::npos)
      sources_.insert(last);
    else if (globs && !last.starts_with("*."))
      globs_.insert(last);
  }
}

bool Fits(std::string_view name, std::string_view pattern) {
  const size_t star = pattern.find('*');
  if (star == pattern.npos) return name == pattern;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  for (size_t at = star; at <= name.size(); ++at)
    if (Fits(name.substr(at), pattern.substr(star + 1))) return true;
  return false;
}

std::vector<Submodule> SubmodulesAround(const fs::path& folder) {
  constexpr int kLevels = 3;  // operators may be a part of the repository: vllm-ascend/csrc
  std::vector<Submodule> out;
  fs::path at = folder;
  for (int level = 0; level < kLevels && out.empty() && at.has_relative_path();
       ++level, at = at.parent_path()) {
    const auto text = base::ReadFile(at / ".gitmodules");
    if (!text.ok()) continue;
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string key, equals, path;
      if (!(words >> key >> equals >> path) || key != "path" || equals != "=") continue;
      const fs::path dir = (at / path).lexically_normal();
      std::error_code ec;
      const bool present = IsDirectory(dir) && !fs::is_empty(dir, ec);
      if (!present || !base::LeadsOut(dir, at)) out.push_back({dir, present});
    }
  }
  return out;
}

}  // namespace akgen::toolchain
