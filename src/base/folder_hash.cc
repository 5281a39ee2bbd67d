// The hash of a folder (base/hash.h).
#include <algorithm>
#include <map>

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"

namespace akgen::base {
namespace fs = std::filesystem;
namespace {
// Larger files are no sources (the builder shows none of them to a compiler): their size and time
// stand for them, so that a folder with a terabyte of nothing costs nothing.
constexpr uintmax_t kWhole = 64u << 20;

std::string HashOf(const fs::path& file) {
  std::error_code ec;
  const uintmax_t bytes = fs::file_size(file, ec);
  if (!ec && bytes > kWhole)
    return std::to_string(bytes) + "@" +
           std::to_string(fs::last_write_time(file, ec).time_since_epoch().count());
  auto text = ReadFile(file);
  return text.ok() ? Sha256(*text) : "";
}
}  // namespace

bool LeadsOut(const fs::path& file, const fs::path& folder) {
  std::error_code ec;
  const fs::path real = fs::canonical(file, ec), root = ec ? fs::path() : fs::canonical(folder, ec);
  return ec ||
         std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first != root.end();
}

std::string HashOfFolder(const fs::path& dir) {
  std::map<std::string, fs::path> files;
  Json links = Json::array();
  std::error_code ec;
  for (fs::recursive_directory_iterator it(dir, ec), end; !ec && it != end; it.increment(ec)) {
    std::error_code ignored;
    std::string name = it->path().lexically_relative(dir).string();
    if (it->is_symlink(ignored))
      links.push_back({name, fs::read_symlink(it->path(), ignored).string()});
    if (fs::is_regular_file(it->status(ignored))) files[name] = it->path();
  }
  if (ec) return "";
  std::sort(links.begin(), links.end());
  Json all = Json::array({links});
  for (const auto& [name, path] : files) all.push_back({name, HashOf(path)});
  return Sha256(base::Dump(all));
}

}  // namespace akgen::base
