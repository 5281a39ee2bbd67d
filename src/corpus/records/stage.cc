#include "corpus/records/stage.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "base/files.h"

namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Json;

namespace {
constexpr size_t kMaxReasons = 60;

bool Complete(const StageState& s, const std::vector<const char*>& counts,
              const std::vector<const char*>& tables) {
  return s.counts.contains("bytes") &&
         std::all_of(counts.begin(), counts.end(),
                     [&](const char* c) { return s.counts.contains(c); }) &&
         std::all_of(tables.begin(), tables.end(),
                     [&](const char* t) { return s.tables.contains(t); });
}
}  // namespace

Json ToJson(const StageState& s) {
  Json out{{"seconds", s.seconds}};
  for (const auto& [name, n] : s.counts) out[name] = n;
  for (const auto& [name, table] : s.tables) out[name] = table;
  if (s.left) out["left"] = *s.left;
  return out;
}

StageState StageStateFromJson(const Json& state) {
  StageState out;
  for (const auto& [name, value] : state.items()) {
    if (name == "seconds")
      value.get_to(out.seconds);
    else if (name == "left")
      out.left = value.get<std::vector<size_t>>();
    else if (value.is_object())
      value.get_to(out.tables[name]);
    else
      value.get_to(out.counts[name]);
  }
  return out;
}

base::Result<Stage> Stage::Open(const fs::path& dir, const Json& options,
                                const std::vector<const char*>& counts,
                                const std::vector<const char*>& tables) {
  auto ledger = Ledger::Open(dir / "ledger.db", base::Dump(options));
  if (!ledger.ok()) return ledger.error();
  Stage out(dir, std::move(*ledger));
  if (const Json state = out.ledger_.State(); state.is_object()) {
    const auto read = base::Checked(
        dir.string(), [&]() -> base::Result<StageState> { return StageStateFromJson(state); });
    if (!read.ok() || !Complete(*read, counts, tables))
      return base::Error{"AK0801", "the ledger of " + dir.string() + " is damaged",
                         (dir / "ledger.db").string(), "remove the folder and build again"};
    out.state_ = *read;
  } else {
    out.state_.counts["bytes"] = 0;
    for (const char* c : counts) out.state_.counts[c] = 0;
    for (const char* t : tables) out.state_.tables[t] = {};
  }
  const fs::path file = dir / "records.jsonl";
  std::error_code ec;
  const uint64_t size = fs::exists(file, ec) ? fs::file_size(file, ec) : 0,
                 bytes = out.Count("bytes");
  if (ec || size < bytes)
    return base::Error{"AK0801", file.string() + " is shorter than its ledger says", file.string(),
                       "remove the folder and build again"};
  if (size > bytes)
    fs::resize_file(file, bytes, ec);  // behind the last commit: written by a run that was stopped
  if (ec)
    return base::Error{"AK0002", "cannot cut " + file.string() + ": " + ec.message(), file.string(),
                       ""};
  return out;
}

void Stage::Reason(const char* table, const std::string& why) {
  std::string key = why.substr(0, 90);
  if (key.size() > 8)
    for (size_t i = 7; i < key.size(); ++i)
      if (std::isdigit(static_cast<unsigned char>(key[i]))) key[i] = '#';
  std::map<std::string, uint64_t>& t = state_.tables.at(table);
  if (!t.count(key) && t.size() >= kMaxReasons) key = "others";
  ++t[key];
}

base::Status Stage::Commit(const std::string& lines) {
  const fs::path file = dir_ / "records.jsonl";
  const base::Error trouble{"AK0002", "cannot write " + file.string(), file.string(),
                            "is the disk full?"};
  base::Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!fd.valid()) return trouble;
  for (size_t at = 0; at < lines.size();) {
    ssize_t n = ::write(fd.get(), lines.data() + at, lines.size() - at);
    if (n <= 0) return trouble;
    at += static_cast<size_t>(n);
  }
  if (::fdatasync(fd.get()) != 0) return trouble;
  Add("bytes", lines.size());
  return ledger_.Commit(ToJson(state_));
}

base::Status Stage::Finish(const std::string& name, const Json& more) {
  Json m = ToJson(state_);
  m["schema"] = 1;
  m["stage"] = name;
  m["done"] = true;
  m.update(more);
  return base::WriteFileAtomic(dir_ / "manifest.json", base::Dump(m, 1) + "\n");
}

}  // namespace akgen::corpus
