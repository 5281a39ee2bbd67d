// What the CMake files of a repository say: enough of the language for include directories, and for
// which host sources are compiled. Conditions are not evaluated: a folder that another chip's build
// names does no harm.
#pragma once
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace akgen::toolchain {

struct CMakeCommand {
  std::string name;  // in small letters
  std::vector<std::string> words;
};
// Of a CMake file, without comments and quotes.
std::vector<CMakeCommand> CMakeCommandsIn(const std::string& text);

class BuildFiles {
 public:
  // `root`: what CMAKE_SOURCE_DIR is.
  explicit BuildFiles(std::filesystem::path root) : root_(std::move(root)) {}
  // Files that are read later see the variables of earlier ones. `folder`: what
  // CMAKE_CURRENT_SOURCE_DIR is.
  void Read(const std::filesystem::path& file, const std::filesystem::path& folder);

  // Folders below the root that include_directories, target_include_directories or -I name.
  const std::vector<std::string>& include_dirs() const { return include_dirs_; }
  // Names of the sources that are spelled out, and the patterns of those that file(GLOB …) finds,
  // as *_tiling*.cpp.
  const std::set<std::string>& sources() const { return sources_; }
  const std::set<std::string>& globs() const { return globs_; }

 private:
  void Take(const std::string& name, const std::vector<std::string>& words,
            const std::filesystem::path& folder);
  std::string Expanded(std::string word, const std::filesystem::path& folder) const;
  void Include(const std::string& folder);

  std::filesystem::path root_;
  std::map<std::string, std::string> variables_;
  std::vector<std::string> include_dirs_;
  std::set<std::string> sources_, globs_;
};

// Does a name fit a pattern with *?
bool Fits(std::string_view name, std::string_view pattern);

// Submodules of the Git repository that `folder` lies in.
struct Submodule {
  std::filesystem::path path;
  bool present = false;  // something lies in it
};
std::vector<Submodule> SubmodulesAround(const std::filesystem::path& folder);

}  // namespace akgen::toolchain
