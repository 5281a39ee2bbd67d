#include "task/reference_script.h"

#include <map>
#include <mutex>

#include "base/channel.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/program_id.h"
#include "task/evaluate/run_script.h"

namespace akgen::task {
namespace fs = std::filesystem;
namespace {

fs::path PathOf(const std::string& script) {
  static const std::string writer = base::IdOfProgram(base::ExecutableDir() / "akgen-reference");
  const std::string key =
      base::ContentHash(base::Dump(base::Json{base::ContentHash(writer), script}));
  return base::CacheDir() / "scripts" / key.substr(0, 2) / (key + ".json");
}

base::Result<record::ScriptBlock> Shipped(const std::string& script) {
  static const base::Json all = [] {
    auto text = base::ReadFile(base::ExecutableDir() / kShippedScripts);
    base::Json read = text.ok() ? base::Parse(*text) : base::Json();
    return read.is_object() ? read : base::Json::object();
  }();
  return base::Checked("script", [&]() -> base::Result<record::ScriptBlock> {
    return record::ScriptFromJson(all.at(base::ContentHash(script)));
  });
}
base::Result<record::ScriptBlock> Kept(const fs::path& path) {
  auto text = base::ReadFile(path);
  if (!text.ok()) return text.error();
  return base::Checked("script", [&]() -> base::Result<record::ScriptBlock> {
    return record::ScriptFromJson(base::Parse(*text));
  });
}
}  // namespace

std::shared_ptr<const record::ScriptBlock> RunnableScript(
    const std::string& script, const std::function<base::Result<record::ScriptBlock>()>& ask) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const record::ScriptBlock>> known;
  {
    const std::lock_guard lock(mutex);
    if (const auto it = known.find(script); it != known.end()) return it->second;
  }
  const fs::path path = PathOf(script);
  auto block = Shipped(script);
  if (!block.ok()) block = Kept(path);
  if (!block.ok()) {
    block = ask();
    if (!block.ok()) return nullptr;
    std::error_code ec;
    fs::create_directories(path.parent_path(), ec);
    (void)base::WriteFileAtomic(
        path, base::Dump(record::ToJson(*block)));  // not being able to only costs time later
  }
  auto made = evaluate::CanRun(*block)
                  ? std::make_shared<const record::ScriptBlock>(std::move(*block))
                  : nullptr;
  const std::lock_guard lock(mutex);
  return known.emplace(script, std::move(made)).first->second;
}

}  // namespace akgen::task
