#include "bench/provenance.h"

#include <algorithm>

#include "base/files.h"

namespace akgen::bench {
namespace fs = std::filesystem;
using base::Error;
using base::Result;

namespace {
Error Changed(const fs::path& root, const std::string& why) {
  return Error{"AK0511", "cannot be read whole: " + why, root.string(), "leave the folder alone while it is judged, then start the same command again"};
}

// One file of a digest: lengths keep "a"+"bc" apart from "ab"+"c".
void Append(std::string& digest, const std::string& name, const std::string& content) {
  digest += std::to_string(name.size()) + ":" + name + std::to_string(content.size()) + ":" + base::ContentHash(content);
}

Result<std::string> HashFiles(const std::vector<fs::path>& files) {
  std::string digest;
  for (const fs::path& f : files) {
    auto text = base::ReadFile(f);
    if (!text.ok()) return text.error();
    Append(digest, f.filename().string(), *text);
  }
  return base::ContentHash(digest);
}

Result<std::string> ComputeJudgeHash() {
  std::string digest;
  for (const char* program : {"akgen", "akgen-builder", "akgen-runner", "akgen-reference", "libascendc_host.so"}) {
    auto text = base::ReadFile(base::ExecutableDir() / program);
    Append(digest, program, text.ok() ? *text : "");  // a build without libtorch has no akgen-reference
  }
  auto headers = HashTree(base::HomeDir() / "include/ascendc");
  if (!headers.ok()) return headers.error();
  return base::ContentHash(digest + *headers);
}
}  // namespace

Result<std::string> HashTree(const fs::path& root) {
  std::vector<std::string> names;
  std::error_code ec;
  fs::recursive_directory_iterator it(root, ec), end;
  if (ec) return Changed(root, ec.message());
  while (it != end) {
    std::error_code kind;
    if (it->is_regular_file(kind)) names.push_back(fs::path(it->path()).lexically_relative(root).string());
    it.increment(ec);
    if (ec) return Changed(root, ec.message());
  }
  std::sort(names.begin(), names.end());
  std::string digest;
  for (const std::string& name : names) {
    auto text = base::ReadFile(root / name);
    if (!text.ok()) return Changed(root, name + ": " + text.error().message);
    Append(digest, name, *text);
  }
  return base::ContentHash(digest);
}

Result<std::string> HashTask(const task::TaskSpec& t) {
  return HashFiles({t.folder / "task.toml", t.folder / "cases.json", t.folder / "reference.py"});
}

Result<std::string> HashJudge() {
  static const Result<std::string> hash = ComputeJudgeHash();
  return hash;
}

Result<std::string> HashChip(const std::string& chip) { return HashFiles({base::HomeDir() / "data/chips" / (chip + ".toml")}); }

}  // namespace akgen::bench
