#include "corpus/mistakes/kernels_by_hand.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/files.h"
#include "chip/chip.h"
#include "corpus/compose/random.h"
#include "corpus/records/record.h"
#include "judge/run/lone.h"
#include "judge/subject.h"
#include "mutate/mutate.h"

namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Json;
using base::Result;
using record::Verdict;

namespace {
constexpr int kHandRunMs = 15000;  // a mutant that waits for ever is stopped
constexpr const char* kFamily =
    "by_hand";  // one family: small kernels are too alike to stand in different parts

std::string CommentLine(const std::string& text, const std::string& key) {
  size_t at = text.find("// " + key + ":");
  if (at == std::string::npos) return "";
  at += key.size() + 4;
  return text.substr(at, text.find('\n', at) - at);
}

// The comments at the top as sentences; what a test reads is left out.
std::string Heading(const std::string& text) {
  std::istringstream in(text);
  std::string out, line;
  while (std::getline(in, line) && line.starts_with("//"))
    if (!line.starts_with("// launch:") && !line.starts_with("// expect:") && line.size() > 3)
      out += (out.empty() ? "" : " ") + line.substr(3);
  return out;
}

// Without the comments at the top and the marks of expected findings: they would give the answer
// away.
std::string Unmarked(const std::string& text) {
  std::istringstream in(text);
  std::string out, line;
  bool top = true;
  while (std::getline(in, line)) {
    top = top && line.starts_with("//");
    if (top) continue;
    for (const char* mark : {"// <-- ", "// <== "})
      if (size_t at = line.find(mark); at != std::string::npos) line.erase(at);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += line + "\n";
  }
  return out;
}

std::vector<std::string> Lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// Of the lines in which two texts differ, without their common beginning and end.
mutate::FaultLabel Difference(const std::string& right, const std::string& wrong) {
  std::vector<std::string> a = Lines(right), b = Lines(wrong);
  size_t from = 0, end = 0;
  while (from < a.size() && from < b.size() && a[from] == b[from]) ++from;
  while (end + from < a.size() && end + from < b.size() &&
         a[a.size() - 1 - end] == b[b.size() - 1 - end])
    ++end;
  auto joined = [&](const std::vector<std::string>& v) {
    std::string out;
    for (size_t i = from; i + end < v.size(); ++i) out += v[i] + "\n";
    return out;
  };
  return {
      "written_by_hand", "somebody wrote it so", "", int(from) + 1, joined(a), joined(b), "", {}};
}

void RunOn(judge::Subject& subject, const std::string& name, Mistake& m) {
  if (auto s = subject.Write(name, m.text); !s.ok()) {
    m.reason = s.error().message;
    return;
  }
  judge::Ask ask;
  ask.timeout_ms = kHandRunMs;
  judge::Outcome o = subject.Run(ask);
  m.findings = std::move(o.findings);
  m.reason = o.reason;
  switch (o.verdict) {
    case Verdict::kPass: m.verdict = o.wrong ? "wrong_answer" : "pass"; break;
    case Verdict::kFinding: m.verdict = "finding"; break;
    case Verdict::kRuntimeError: m.verdict = m.findings.empty() ? "" : "finding"; break;
    case Verdict::kBuildError: m.verdict = "build_error"; break;
    default: m.verdict = "";
  }
  if (m.verdict == "wrong_answer")
    m.reason = "the bytes of the outputs are not those of the right kernel";
  if (m.verdict.empty()) m.reason = std::string(record::NameOf(o.verdict)) + ": " + o.reason;
}
}  // namespace

Result<KernelsByHand> KernelsByHand::Find(const std::vector<std::string>& folders, uint64_t seed) {
  KernelsByHand out;
  for (const std::string& folder : folders) {
    const fs::path root = fs::absolute(folder).lexically_normal(), home = base::HomeDir();
    std::error_code ec;
    fs::recursive_directory_iterator it(root, ec), end;
    if (ec)
      return base::Error{"AK0801", "cannot read the kernels: " + ec.message(), folder,
                         "name a folder with kernel files that hold a `// launch:` line"};
    for (; !ec && it != end; it.increment(ec)) {
      if (it->path().extension() != ".cpp") continue;
      auto text = base::ReadFile(it->path());
      if (!text.ok() || text->find("// launch:") == std::string::npos) continue;
      const std::string expect = CommentLine(*text, "expect");
      if (!expect.empty() && expect.find("clean") == std::string::npos) continue;
      File f{it->path(), root.filename() / it->path().lexically_relative(root),          *text,
             "",         it->path().lexically_relative(home).string().starts_with(".."), 0};
      if (const std::string stem = f.path.stem().string(); stem.ends_with("_ok"))
        if (auto twin =
                base::ReadFile(f.path.parent_path() / (stem.substr(0, stem.size() - 3) + ".cpp"));
            twin.ok())
          f.twin = *twin;
      f.order =
          MixBits(seed ^ std::stoull(base::ContentHash(f.shown.generic_string()).substr(0, 15),
                                     nullptr, 16));
      out.files_.push_back(std::move(f));
    }
  }
  std::sort(out.files_.begin(), out.files_.end(), [](const File& a, const File& b) {
    return std::tie(a.order, a.shown) < std::tie(b.order, b.shown);
  });
  return out;
}

std::string KernelsByHand::hash() const {
  std::string all;
  for (const File& f : files_) all += base::ContentHash(f.text) + base::ContentHash(f.twin);
  return base::ContentHash(all);
}

Result<Lesson> KernelsByHand::Examine(size_t i, size_t most, const std::string& chip) const {
  const File& f = files_[i];
  const std::string name = f.path.filename().string(), right = Unmarked(f.text),
                    launch = judge::LaunchComment(f.text);
  Lesson out;
  judge::ExamineOptions options;
  options.chip = chip;
  auto subject = judge::Subject::Make(f.path.string(), options);
  if (!subject.ok() && subject.error().code == "AK0013") return subject.error();
  if (!subject.ok()) {
    out.unusable = subject.error().code + ": " + subject.error().message;
    return out;
  }
  if (auto s = (*subject)->Write(name, right); !s.ok()) return s.error();
  judge::Outcome expected = (*subject)->Run({});
  if (expected.verdict != Verdict::kPass) {
    out.unusable = std::string(record::NameOf(expected.verdict)) + ": " + expected.reason;
    return out;
  }
  (*subject)->SetExpected(expected);
  auto known = chip::LoadChip(chip);
  if (!known.ok()) return known.error();
  auto index = mutate::IndexSource((*subject)->project(), {known->npu_arch}, "");
  if (!index.ok() && index.error().code == "AK0013") return index.error();
  if (!index.ok()) {
    out.unusable = index.error().code + ": " + index.error().message;
    return out;
  }
  if (!f.twin.empty()) {
    mutate::FaultLabel label = Difference(right, Unmarked(f.twin));
    label.file = name, label.why = Heading(f.twin);
    out.mistakes.push_back({label, Unmarked(f.twin), "", "", {}});
  }
  for (const auto& m : mutate::Choose(mutate::FindMutations(*index), most, f.order))
    out.mistakes.push_back({mutate::LabelOf(*index, m), mutate::Apply(*index, m), "", "", {}});
  for (Mistake& m : out.mistakes) RunOn(**subject, name, m);
  out.file = name, out.right = right;
  out.record = {{"name", f.path.stem().string()},
                {"of", base::ContentHash(right)},
                {"family", kFamily},
                {"split", SplitOf(kFamily)},
                {"kernel", name},
                {"files", {{name, right}}},
                {"task", fmt::format("# Kernel {}\n\n{}\n\nIt is launched with{}.\n",
                                     f.path.stem().string(), Heading(f.text), launch)},
                {"source", (f.others ? "faults planted in "
                                     : "faults planted in kernels written by hand for akgen: ") +
                               f.shown.generic_string()},
                {"license", f.others ? "unknown" : kLicense},
                {"others_kernel", f.others}};
  out.record["verification"] = {
      {"verdict", "pass"}, {"checks", "all"}, {"findings", 0}, {"cases", {{{"inputs", launch}}}}};
  return out;
}

}  // namespace akgen::corpus
