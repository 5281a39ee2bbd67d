#include "corpus/export/tries.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "base/files.h"
#include "base/hash.h"
#include "chip/chip.h"
#include "generate/extract.h"
#include "generate/journal.h"
#include "generate/prompt.h"
#include "record/judgement.h"
#include "record/sample_ref.h"
#include "store/store.h"
#include "task/task.h"

namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Error;
using base::Json;
using base::Result;

namespace {
Error Unreadable(const fs::path& file, const std::string& why) {
  return {"AK0801", why, file.string(),
          "name journals of `akgen generate` and stores of `akgen bench run`"};
}

// A project as an answer: each file under its name.
std::string AnswerOf(const fs::path& dir) {
  std::vector<fs::path> files;
  std::error_code ec;
  for (const char* part : {"op_host", "op_kernel"})
    for (fs::recursive_directory_iterator it(dir / part, ec), end; !ec && it != end;
         it.increment(ec))
      if (it->is_regular_file() && !base::LeadsOut(it->path(), dir)) files.push_back(it->path());
  std::sort(files.begin(), files.end());
  generate::Files texts;
  for (const fs::path& f : files) {
    auto text = base::ReadFile(f);
    if (!text.ok()) return "";
    texts[f.lexically_relative(dir).generic_string()] = std::move(*text);
  }
  return texts.empty() ? "" : generate::AnswerText(texts);
}
}  // namespace

Result<std::vector<Try>> TriesFromJournal(const fs::path& file) {
  std::vector<Try> out;
  std::map<std::string, std::vector<generate::Message>> prompts;
  std::string generator;
  bool run = false;
  auto s = generate::ReadJournal(file, [&](const record::JournalLine& line) {
    if (const auto* header = std::get_if<record::RunHeader>(&line))
      run = true, generator = header->generator();
    if (const auto* prompt = std::get_if<record::PromptLine>(&line))
      prompts[prompt->hash] = prompt->messages;
    const auto* turn = std::get_if<record::Turn>(&line);
    if (!turn || !turn->answer) return;
    Try t;
    t.task = turn->task;
    t.prompt = prompts[turn->prompt];
    t.reasoning = turn->request ? turn->request->reasoning : "", t.answer = *turn->answer;
    t.sealed = turn->sealed;
    t.verdict = turn->verdict, t.reason = turn->reason, t.feedback = turn->feedback;
    t.modelled = record::SumOfCases(*turn);
    t.sample = turn->sample, t.turn = turn->turn;
    t.source = "journal " + file.filename().string();
    t.generator = generator;
    if (turn->provenance) t.provenance = record::ToJson(*turn->provenance);
    out.push_back(std::move(t));
  });
  if (!s.ok()) return Unreadable(file, s.error().message);
  if (!run) return Unreadable(file, "this is not a journal");
  return out;
}

Result<std::vector<Try>> TriesFromStore(const fs::path& file, size_t& changed) {
  auto store = store::Store::Open(file, store::Access::kRead);
  if (!store.ok()) return Unreadable(file, store.error().message);
  auto runs = store->Runs();
  auto chip = chip::LoadChip();
  if (!runs.ok()) return runs.error();
  if (!chip.ok()) return chip.error();
  std::vector<Try> out;
  for (const auto& run : *runs) {
    auto candidates = store->Candidates(run.id);
    auto verdicts = store->Verdicts(run.id);
    if (!candidates.ok() || !verdicts.ok())
      return candidates.ok() ? verdicts.error() : candidates.error();
    std::map<std::string, std::vector<generate::Message>> prompts;
    for (const auto& c : *candidates) {
      Try t;
      bool timed = true;
      t.sealed = true;
      for (const auto& v : *verdicts) {
        if (v.task != c.task || v.sample != c.sample || !(t.verdict.empty() || t.verdict == "pass"))
          continue;
        t.verdict = v.verdict, t.reason = v.reason;
        t.sealed = t.sealed && record::Sealed(v.record);
        const record::Modelled one = record::SumOfRecord(v.record);
        t.modelled = t.modelled + one, timed &= one.known();
        t.provenance = {{"candidate", v.candidate_hash},
                        {"task", v.task_hash},
                        {"judge", v.judge_hash},
                        {"chip", v.chip_hash}};
      }
      if (t.verdict.empty()) continue;
      if (!timed) t.modelled = {};
      auto task = task::LoadTask(c.task.substr(0, c.task.find('@')));
      t.answer = AnswerOf(store->FolderOf(c));
      if (base::HashOfFolder(store->FolderOf(c)) != c.hash || !task.ok() || t.answer.empty()) {
        ++changed;
        continue;
      }
      auto& prompt = prompts[c.task];
      if (prompt.empty()) {
        auto made = generate::DirectPrompt(*task, task->cases, *chip,
                                           record::RunShapeOf(run.config).form == "kernel-only");
        if (!made.ok()) return made.error();
        prompt = *made;
      }
      t.task = task->name, t.prompt = prompt, t.sample = c.sample,
      t.source = "store " + file.filename().string(), t.generator = "candidate";
      out.push_back(std::move(t));
    }
  }
  return out;
}

bool IsJournal(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  const Json first = base::Parse(line);
  return first.is_object() &&
         std::holds_alternative<record::RunHeader>(record::JournalLineFromJson(first));
}

bool IsStore(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  char head[16] = {};
  in.read(head, sizeof head);
  return std::string(head, size_t(in.gcount())).starts_with("SQLite format 3");
}

Result<std::vector<Try>> TriesFrom(const std::vector<std::string>& files, size_t& changed) {
  std::vector<Try> all;
  for (const fs::path file : files) {
    if (std::ifstream(file).peek() == EOF)
      return Unreadable(file, "cannot read it, or it is empty");
    auto more = IsStore(file) ? TriesFromStore(file, changed) : TriesFromJournal(file);
    if (!more.ok()) return more.error();
    std::move(more->begin(), more->end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace akgen::corpus
