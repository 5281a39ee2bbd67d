#include "corpus/export/shipping.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "chip/chip.h"
#include "corpus/export/formats.h"
#include "corpus/records/card.h"
#include "corpus/records/corpus_record.h"
#include "generate/extract.h"
#include "generate/prompt.h"

namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Json;
using generate::Message;

namespace {
const char* kCraft =
    "You write kernels for Ascend NPUs in a small kernel language with Python syntax, which is "
    "lowered to Ascend C. "
    "Think it through, then answer with one complete program.";
const char* kDirect =
    "You write kernels for Ascend NPUs in Ascend C (C++), host side and kernel. Think it through, "
    "then answer with "
    "complete files in one fenced block, each behind a line `// File: PATH`.";
const char* kAnswer =
    "You answer questions about kernels for Ascend NPUs and Ascend C. Think it through, then "
    "answer.";
const char* kRepair =
    "You fix kernels for Ascend NPUs in Ascend C. Say what is wrong and why, then answer with the "
    "complete kernel "
    "file.";
const char* kCraftRepair =
    "You fix kernels for Ascend NPUs in a small kernel language with Python syntax. Say what is "
    "wrong and why, then "
    "answer with one complete program.";

std::string Fenced(const char* language, const std::string& text) {
  return fmt::format("```{}\n{}{}```\n", language, text, text.ends_with("\n") ? "" : "\n");
}

using Texts = std::map<std::string, std::string>;

std::string FilesText(const Texts& files) {
  return files.empty() ? "" : generate::AnswerText(files);
}

// The chat sets of others: samples without a record.
class General {
 public:
  explicit General(const ShippingOptions& o) : share_(o.general.empty() ? 0 : o.general_share) {
    if (!o.general.empty()) in_.open(o.general);
  }
  bool missing() const { return share_ > 0 && !in_.is_open(); }
  // As many as keep the share, after `made` samples of ours.
  void Mix(uint64_t made, FormatWriter& out) {
    std::string line;
    while (share_ > 0 &&
           static_cast<double>(taken) < share_ / (1 - share_) * static_cast<double>(made) &&
           std::getline(in_, line)) {
      Sample s;
      if (Read(line, s))
        out.Add(s), ++taken;
      else
        ++skipped;
    }
  }
  uint64_t taken = 0, skipped = 0;

 private:
  static bool Read(const std::string& line, Sample& s) {
    auto talk = ConversationFromJson(base::Parse(line));
    if (!talk) return false;
    s.messages = std::move(*talk);
    s.name = "general";
    return IsConversation(s.messages);
  }
  double share_;
  std::ifstream in_;
};

class Shipping {
 public:
  Shipping(const fs::path& out, const ShippingOptions& o, std::string chip)
      : o_(o),
        chip_(std::move(chip)),
        general_(o),
        writer_(out, o.formats.empty() ? FormatNames() : o.formats) {}

  base::Status Take(const CorpusRecord& r) {
    if (r.others_kernel && !o_.keep_others)
      return base::Error{"AK0804", "record " + r.id + " comes from a third-party kernel", r.source,
                         "leave that part out, or keep the export to yourself with --private"};
    if (r.kind == "repair")
      Repair(r);
    else if (r.kind == "synthetic")
      Composed(r);
    else if (r.kind == "documentation" || r.kind == "code")
      Taught(r);
    if (Wants("operations") && r.operations) Operations(r);
    general_.Mix(samples_, writer_);
    if (o_.progress) o_.progress(++records_);
    return {};
  }

  base::Result<Shipped> Close() {
    if (general_.missing())
      return base::Error{"AK0801", "cannot read the chat set " + o_.general, o_.general,
                         "name a file with a conversation a line"};
    if (auto s = writer_.Close(); !s.ok()) return s.error();
    return Shipped{samples_, preferences_, general_.taken, general_.skipped, splits_};
  }

 private:
  void Add(const Sample& s) {
    ++samples_;
    ++splits_[s.split];
    writer_.Add(s);
  }
  bool Wants(const char* answer) const {
    return std::count(o_.answers.begin(), o_.answers.end(), answer) > 0;
  }
  // The program under the planner's names, without any text around it.
  void Operations(const CorpusRecord& r) {
    std::string program = r.program.value_or("");
    const std::string host = "\ndef " + r.name + "(";
    if (size_t at = program.rfind(host); at != std::string::npos)
      program.replace(at, host.size(), "\ndef op(");
    Add({{{"user", *r.operations}, {"assistant", program}}, "", r.name, r.split});
  }
  void Composed(const CorpusRecord& r) {
    const std::string task = r.task + "\n" + chip_, plan = r.Reasoning("plan"),
                      lowering = r.Reasoning("lowering");
    if (Wants("craft"))
      Add({{{"system", kCraft},
            {"user", task},
            {"assistant", Fenced("python", r.program.value_or(""))}},
           plan,
           r.name,
           r.split});
    if (Wants("direct"))
      Add({{{"system", kDirect},
            {"user", task},
            {"assistant", FilesText(r.files.value_or(Texts{}))}},
           plan + lowering,
           r.name,
           r.split});
  }
  // What a teacher explained; a kernel that the chip has not seen is nothing to learn from.
  void Taught(const CorpusRecord& r) {
    const std::string why = r.Reasoning("teacher");
    if (r.kind == "documentation")
      Add({{{"system", kAnswer}, {"user", r.task}, {"assistant", r.answer}}, why, r.name, r.split});
    else if (r.verdict == "pass")
      Add({{{"system", kDirect},
            {"user", r.task + "\n\n" + chip_},
            {"assistant", FilesText(r.files.value_or(Texts{}))}},
           why,
           r.name,
           r.split});
  }
  void Repair(const CorpusRecord& r) {
    const CorpusRecord::Failure& failure = r.failure;
    const std::string& path = failure.kernel;
    const bool program = path.ends_with(".py");
    auto shown = [&](const std::string& text) {
      return program ? Fenced("python", text) : generate::AnswerText({{path, text}});
    };
    Texts host = r.files.value_or(Texts{});
    const std::string right = shown(host[path]), wrong = shown(failure.failing);
    host.erase(path);
    std::string said;
    for (const CorpusFinding& f : failure.findings)
      said += fmt::format("- {} at line {}: {}\n", f.code, f.line, f.message);
    if (said.empty()) said = "- " + failure.verdict + ": " + failure.reason + "\n";
    std::string task = r.task + "\n" + chip_;
    if (!host.empty()) task += "\nThe host side is given:\n" + FilesText(host);
    Add({{{"system", program ? kCraftRepair : kRepair},
          {"user", task + (program ? "\nThis program fails:\n" : "\nThis kernel fails:\n") + wrong +
                       "\nThe judge says:\n" + said},
          {"assistant", right}},
         failure.diagnosis,
         r.name,
         r.split});
    const std::string wanted =
        program ? "\nWrite the program.\n" : "\nWrite the kernel file `" + path + "`.\n";
    writer_.Add(Preference{{{"system", program ? kCraft : kDirect}, {"user", task + wanted}},
                           "",
                           right,
                           "",
                           wrong,
                           r.name,
                           r.split});
    ++preferences_;
  }

  const ShippingOptions& o_;
  std::string chip_;
  General general_;
  FormatWriter writer_;
  uint64_t samples_ = 0, preferences_ = 0, records_ = 0;
  std::map<std::string, uint64_t> splits_;
};
}  // namespace

Json ToJson(const Shipped& s) {
  return {{"samples", s.samples},
          {"preferences", s.preferences},
          {"general", s.general},
          {"general_skipped", s.general_skipped},
          {"by_split", s.by_split}};
}

base::Result<Shipped> Ship(const fs::path& dir, const fs::path& out,
                           const ShippingOptions& options) {
  auto chip = chip::LoadChip(options.chip);
  if (!chip.ok()) return chip.error();
  Shipping shipping(out, options, generate::ChipText(*chip));
  if (auto s =
          EachRecord(dir, [&](const Json& r) { return shipping.Take(CorpusRecordFromJson(r)); });
      !s.ok())
    return s.error();
  return shipping.Close();
}

}  // namespace akgen::corpus
