#include <map>

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"

namespace akgen::base {
namespace fs = std::filesystem;

std::string HashOfFolder(const fs::path& dir) {
  std::map<std::string, fs::path> files;
  std::error_code ec;
  for (fs::recursive_directory_iterator it(dir, ec), end; !ec && it != end; it.increment(ec)) {
    std::error_code ignored;
    if (fs::is_regular_file(it->symlink_status(ignored))) files[it->path().lexically_relative(dir).string()] = it->path();
  }
  if (ec || files.empty()) return "";
  Json all = Json::array();
  for (const auto& [name, path] : files) {
    auto text = ReadFile(path);
    all.push_back({name, text.ok() ? Sha256(*text) : ""});
  }
  return Sha256(all.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace akgen::base
