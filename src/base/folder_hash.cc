#include <algorithm>
#include <map>

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"

namespace akgen::base {
namespace fs = std::filesystem;

std::string HashOfFolder(const fs::path& dir) {
  std::map<std::string, fs::path> files;
  Json links = Json::array();
  std::error_code ec;
  for (fs::recursive_directory_iterator it(dir, ec), end; !ec && it != end; it.increment(ec)) {
    std::error_code ignored;
    std::string name = it->path().lexically_relative(dir).string();
    if (it->is_symlink(ignored)) links.push_back({name, fs::read_symlink(it->path(), ignored).string()});
    if (fs::is_regular_file(it->status(ignored))) files[name] = it->path();
  }
  if (ec || files.empty()) return "";
  std::sort(links.begin(), links.end());
  Json all = Json::array({links});
  for (const auto& [name, path] : files) {
    auto text = ReadFile(path);
    all.push_back({name, text.ok() ? Sha256(*text) : ""});
  }
  return Sha256(all.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace akgen::base
