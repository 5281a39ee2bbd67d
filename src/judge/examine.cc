#include "judge/examine.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "chip/chip.h"
#include "judge/subject.h"
#include "mutate/mutate.h"

namespace akgen::judge {
using base::Json;
namespace {
namespace fs = std::filesystem;
constexpr size_t kMaxSaid = 8;  // findings of a mutant in its record
using mutate::Mutation;
using mutate::SourceIndex;
using record::Verdict;

using Planted = mutate::FaultLabel::Planted;

bool Accepts(const Planted& planted, const std::string& detector) {
  const auto& list = planted.detectors;
  return std::find(list.begin(), list.end(), detector) != list.end();
}

bool OnAcceptedLine(const Planted& planted, const record::Place& p) {
  for (const mutate::FaultLabel::Lines& r : planted.lines)
    if (!p.file.empty() && r.file == p.file && r.first <= p.line && p.line <= r.last) return true;
  return false;
}

// What of the run answers for the label: "AK1201 (racecheck) at file:line", "wrong_answer", or "".
std::string CaughtBy(const Planted& planted, const Outcome& o) {
  for (const auto& f : o.findings) {
    // Findings about the definition belong to none of the chip's checks.
    const std::string check =
        f.check.empty() && f.code.starts_with("AK30") ? "definition" : f.check;
    if (f.warning || f.undecided || !Accepts(planted, check)) continue;
    for (const record::Place* p : {&f.place, f.other ? &*f.other : nullptr})
      if (p && OnAcceptedLine(planted, *p))
        return f.code + " (" + check + ") at " + p->file + ":" + std::to_string(p->line);
  }
  // The host half refuses the case with such a finding before anything runs.
  if (const size_t at = o.reason.find("AK30");
      Accepts(planted, "definition") && o.no_answer && at != std::string::npos)
    return o.reason.substr(at, 6) + " (definition)";
  return Accepts(planted, "wrong_answer") && (o.wrong || o.no_answer) ? "wrong_answer" : "";
}

class Examination {
 public:
  Examination(const ExamineOptions& options, std::unique_ptr<Subject> subject)
      : options_(options), subject_(std::move(subject)) {}

  base::Result<Examined> Run() {
    if (options_.run)
      if (std::string why = MeasureOriginal(); !why.empty()) {
        out_.reason = why;
        return out_;
      }
    auto chip = chip::LoadChip(options_.chip);
    if (!chip.ok()) return chip.error();
    auto index = mutate::IndexSource(subject_->project(), {chip->npu_arch}, prelude_);
    if (!index.ok()) return index.error();
    index_ = std::move(*index);
    auto all = mutate::FindMutations(index_, options_.classes);
    if (options_.run) std::erase_if(all, [&](const Mutation& m) { return !Reached(m); });
    out_.usable = true;
    out_.places = all.size();
    auto chosen = mutate::Choose(std::move(all), options_.count, options_.seed);
    for (size_t i = 0; i < chosen.size(); ++i) {
      if (options_.progress) options_.progress(i, chosen.size(), chosen[i].klass);
      if (auto s = Try(chosen[i]); !s.ok()) return s.error();
    }
    return out_;
  }

 private:
  // Empty when it passes clean and gives the same bytes under every schedule.
  std::string MeasureOriginal() {
    Ask ask;
    ask.want_lines = true;
    Outcome o = subject_->Run(ask);
    out_.case_id = subject_->case_id();
    if (o.verdict != Verdict::kPass)
      return "it does not pass: " + std::string(record::NameOf(o.verdict)) + " " + o.reason;
    prelude_ = o.prelude;
    for (const auto& l : o.lines) reached_.insert({l.file, l.line});
    subject_->SetExpected(o);
    sim::RunProbe probe;
    for (uint32_t s = 0; s <= options_.schedules; ++s) probe.schedules.push_back(s);
    auto start = std::chrono::steady_clock::now();
    ask = {};
    ask.probe = probe;
    o = subject_->Run(ask);
    probe_ = probe;
    if (o.probe) probe_.expect = o.probe->hash;
    auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                  std::chrono::steady_clock::now() - start)
                  .count();
    limit_ms_ = int(
        std::clamp<long>(20 * ms, 20000, 120000));  // generous: a busy machine is no endless loop
    if (!o.probe) return "it does not end under other legal orders: " + o.reason;
    if (o.probe->differs)
      return "its own bytes depend on the order, schedule " + std::to_string(o.probe->schedule) +
             ": " + o.probe->ended;
    return "";
  }

  // Was an instruction issued from the changed lines, or, for a change of what others use, from the
  // function?
  bool Reached(const Mutation& m) const {
    if (index_.files[m.file].host || m.kind == "workspace" || m.kind == "definition") return true;
    const std::string& file = index_.files[m.file].name;
    auto any = [&](const std::string& name, int first, int last) {
      auto at = reached_.lower_bound({name, first});
      return at != reached_.end() && at->first == name && at->second <= last;
    };
    size_t from = m.edits.front().span.begin, to = m.edits.back().span.end;
    if (any(file, index_.LineAt(m.file, from), index_.LineAt(m.file, to))) return true;
    if (!m.rule.empty() && m.klass != "wrong_repeat") return false;
    if (m.klass == "skip_block" || m.klass == "shrink_buffer") return true;
    const auto* f = index_.FunctionAt(m.file, from);
    bool in_function =
        !f || any(file, index_.LineAt(m.file, f->body.begin), index_.LineAt(m.file, f->body.end));
    bool in_lines = std::any_of(m.lines.begin(), m.lines.end(), [&](auto& r) {
      return any(index_.files[r.file].name, r.first, r.last);
    });
    return in_function && in_lines;
  }

  base::Status Try(const Mutation& m) {
    Mutant mutant{out_.mutants.size(), mutate::LabelOf(index_, m), {}};
    if (auto s = subject_->Write(index_.files[m.file].name, mutate::Apply(index_, m)); !s.ok())
      return s;
    bool counts = !options_.run || Decide(mutant);
    if (counts) {
      if (auto s = Keep(mutant); !s.ok()) return s;
      out_.mutants.push_back(std::move(mutant));
    }
    return subject_->Write(index_.files[m.file].name, index_.files[m.file].text);
  }

  // False: it does not compile, so it is no mutant.
  bool Decide(Mutant& mutant) {
    Ask ask;
    ask.probe = probe_;
    ask.timeout_ms = limit_ms_;
    Outcome o = subject_->Run(ask);
    if (o.verdict == Verdict::kBuildError || o.verdict == Verdict::kUnsupported ||
        o.verdict == Verdict::kInfraError) {
      ++out_.does_not_compile;
      return false;
    }
    const std::string& rule = mutant.label.planted->rule;
    std::string by = !o.probe ? "it does not end: " + o.reason
                     : o.probe->differs
                         ? "bytes, schedule " + std::to_string(o.probe->schedule) +
                               (o.probe->ended == "ok" ? "" : " (" + o.probe->ended + ")")
                     : !rule.empty() ? "rule: " + rule
                                     : "";
    mutant.observed = Mutant::Observed{by, {}};
    if (by.empty()) return true;
    ask = {};
    ask.timeout_ms = limit_ms_;
    o = subject_->Run(ask);
    Mutant::Observed::Checked checked{CaughtBy(*mutant.label.planted, o), o.verdict, o.reason, {}};
    for (const auto& f : o.findings) {
      if (checked.findings.size() == kMaxSaid) break;
      checked.findings.push_back(
          f.code + (f.warning ? " warning" : "") + " at " + f.place.file + ":" +
          std::to_string(f.place.line) +
          (f.other ? " and " + f.other->file + ":" + std::to_string(f.other->line) : ""));
    }
    mutant.observed->checked = std::move(checked);
    return true;
  }

  base::Status Keep(const Mutant& mutant) {
    if (options_.out.empty()) return {};
    char number[16];
    std::snprintf(number, sizeof number, "%04zu", mutant.number);
    std::error_code ec;
    fs::path folder = fs::path(options_.out) / number;
    fs::create_directories(folder, ec);
    fs::copy(subject_->project().dir, folder,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing, ec);
    if (ec)
      return base::Error{"AK0002", "cannot write " + folder.string() + ": " + ec.message(),
                         folder.string(), ""};
    return base::WriteFileAtomic(fs::path(options_.out) / (std::string(number) + ".json"),
                                 base::Dump(ToJson(mutant), 2) + "\n");
  }

  const ExamineOptions& options_;
  std::unique_ptr<Subject> subject_;
  SourceIndex index_;
  std::string prelude_;
  std::set<std::pair<std::string, int>> reached_;
  sim::RunProbe probe_;
  int limit_ms_ = 60000;
  Examined out_;
};
}  // namespace

Json ToJson(const Mutant& m) {
  Json out = mutate::ToJson(m.label);
  out["number"] = m.number;
  if (!m.observed) return out;
  out["observable"] = m.Observable(), out["observed_by"] = m.observed->by;
  if (const auto& c = m.observed->checked)
    out["caught"] = m.Caught(), out["caught_by"] = c->by,
    out["verdict"] = record::NameOf(c->verdict), out["reason"] = c->reason,
    out["findings"] = c->findings;
  return out;
}

Json ToJson(const Examined& e) {
  Json out{{"kernel", e.kernel},       {"usable", e.usable},
           {"reason", e.reason},       {"case", e.case_id},
           {"schedules", e.schedules}, {"does_not_compile", e.does_not_compile},
           {"mutants", Json::array()}};
  if (e.usable) out["places"] = e.places;
  for (const Mutant& m : e.mutants) out["mutants"].push_back(ToJson(m));
  return out;
}

ExaminedTotals ExaminedTotalsFromJson(const Json& e) {
  ExaminedTotals t;
  t.usable = e.value("usable", false), t.reason = e.value("reason", ""),
  t.case_id = e.value("case", "");
  t.mutants = e.value("mutants", Json::array());
  for (const Json& m : t.mutants) {
    if (!m.value("observable", false)) continue;
    ++t.observable;
    if (m.value("caught", false))
      ++t.caught;
    else
      t.missed.push_back(m.value("number", size_t{0}));
  }
  return t;
}

base::Result<Examined> Examine(const std::string& path, const ExamineOptions& options) {
  auto subject = Subject::Make(path, options);
  if (!subject.ok()) return subject.error();
  auto done = Examination(options, std::move(*subject)).Run();
  if (!done.ok()) return done;
  done->kernel = path;
  done->schedules = options.schedules;
  return done;
}

}  // namespace akgen::judge
