#include "cli/output.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cmath>

#include "base/files.h"
#include "base/terminal.h"
#include "cli/commands.h"
#include "task/wrong_elements.h"

namespace akgen::cli {
namespace {
std::string Painted(record::Verdict v) {
  std::string name(record::NameOf(v));
  if (!base::Colours(STDOUT_FILENO)) return name;
  const char* code = v == record::Verdict::kPass ? "32"
                     : v == record::Verdict::kUnsupported || v == record::Verdict::kUndecided
                         ? "33"
                         : "31";
  return "\033[" + std::string(code) + "m" + name + "\033[0m";
}

std::string At(const record::Place& p) {
  std::string s = p.file.empty() ? "" : base::Printable(p.file) + ":" + std::to_string(p.line);
  if (!p.pipe.empty()) s += (s.empty() ? "" : " ") + ("[" + p.pipe + "]");
  return s;
}
}  // namespace

void PrintError(const base::Error& e) { fmt::print(stderr, "{}\n", e.ToString()); }

int StoreFailed(const base::Error& e) {
  PrintError(e);
  return e.code == "AK0503" ? kUsage : kFault;
}

std::string TextOf(const record::BuildDiagnostic& d) {
  return base::Printable(
      fmt::format("{}:{}:{}: {}: {}", d.file, d.line, d.column, d.severity, d.message));
}

void PrintOutputOf(std::string_view kernel) {
  if (kernel.empty()) return;
  fmt::print("{}{}", base::Printable(kernel), kernel.back() == '\n' ? "" : "\n");
}

void PrintFinding(const record::Finding& f, const report::ReadSource& read) {
  fmt::print("  {}[{}]: {}{}\n",
             f.undecided ? "undecided"
             : f.warning ? "warning"
                         : "finding",
             f.code, base::Printable(f.message),
             f.count > 1 ? " (" + std::to_string(f.count) + " times)" : "");
  std::string bytes = f.bytes ? fmt::format(", {} bytes {} to {}", f.memory, f.address,
                                            f.address + int64_t(f.bytes) - 1)
                              : "";
  const std::string at =
      At(f.place) + (f.block < 0 ? "" : fmt::format(" block {}", f.block)) + bytes;
  if (const size_t begins = at.find_first_not_of(", "); begins != std::string::npos)
    fmt::print("    at {}{}\n", at.substr(begins),
               f.buffer.empty() ? "" : " of " + base::Printable(f.buffer));
  fmt::print("{}", base::Printable(report::Excerpt(f.place, read, "    ")));
  if (f.other)
    fmt::print("    other side {}{}{}\n{}", At(*f.other),
               f.other->block < 0 ? "" : fmt::format(" block {}", f.other->block),
               f.other->what.empty() ? "" : " (" + f.other->what + ")",
               base::Printable(report::Excerpt(*f.other, read, "    ")));
  if (!f.fix.empty()) fmt::print("    fix: {}\n", f.fix);
  for (const record::Edit& e : f.edits)
    fmt::print("    edit {}:{}:{}-{}:{}: {}\n", e.file, e.line, e.column, e.end_line, e.end_column,
               e.text.empty() ? "delete" : e.text.substr(0, e.text.find_last_not_of(" \n") + 1));
}

// " [3.1, 8.5]": where a modelled time lies.
std::string Between(const record::Modelled& m) {
  return m.low < m.high ? fmt::format(" [{:.2f}, {:.2f}]", m.low, m.high) : "";
}

void PrintMeasured(const record::MeasuredTime& t) {
  const std::string clock = t.rated_mhz > 0
                                ? fmt::format(", {:.0f} of {:.0f} MHz", t.clock_mhz, t.rated_mhz)
                                : std::string();
  if (t.known())
    fmt::print(
        "          measured {:.2f} us [{:.2f}, {:.2f}] by {} over {} launches{}{}{}\n", t.us, t.p10,
        t.p90, record::NameOf(t.rule.source), t.launches, clock,
        t.slow_clock ? fmt::format(", {} left out below the rated frequency", t.slow_clock) : "",
        t.outliers ? fmt::format(", {} outliers", t.outliers) : "");
  else
    fmt::print("          no measured time{}\n", clock);
  if (!t.note.empty()) fmt::print("          note: {}\n", base::Printable(t.note));
  if (t.same_outputs == false)
    fmt::print("          note: the first and the last launch gave different bytes\n");
}

void PrintOutputValues(const std::vector<record::OutputValues>& outputs) {
  for (const record::OutputValues& v : outputs) {
    const std::string range = v.low ? fmt::format("{:g} to {:g}", *v.low, *v.high) : "no number";
    fmt::print("          {}: {} elements, {}{}{}\n", base::Printable(v.name), v.elements, range,
               v.nan ? fmt::format(", {} NaN", v.nan) : "",
               v.infinite ? fmt::format(", {} infinite", v.infinite) : "");
  }
}

namespace {
std::string NumberText(double v) { return std::isnan(v) ? "nan" : fmt::format("{:.7g}", v); }

// The elements that are furthest off, and where all that are wrong lie.
void PrintWrong(const record::OutputResult& o) {
  fmt::print("          {}{}: {} of {} elements wrong{}\n", base::Printable(o.name),
             o.shape.empty() ? "" : fmt::format(" [{}]", fmt::join(o.shape, ", ")), o.mismatches,
             o.elements, o.region.empty() ? "" : ": " + o.region);
  fmt::print("          {:>16}  {:>14}  {:>14}\n", "element", "got", "expected");
  for (const record::ElementDifference& d : o.worst)
    fmt::print("          {:>16}  {:>14}  {:>14}\n", task::IndexText(d.index, o.shape),
               NumberText(d.out), NumberText(d.ref));
}

bool Told(const record::Finding& f, bool verbose, bool compared) {
  return !f.warning || verbose || !compared;
}
}  // namespace

void PrintJudgement(const judge::Judgement& j, const report::ReadSource& read, bool verbose,
                    bool compared) {
  record::FindingsOfCases findings;
  for (const auto& c : j.cases) {
    auto told = c.findings;
    std::erase_if(told, [&](const record::Finding& f) { return !Told(f, verbose, compared); });
    findings.Add(c.id, told);
  }
  for (const auto& c : j.cases) {
    const std::string reason = base::Printable(record::WithoutMessages(c.reason, findings.all()));
    fmt::print("case {:>3}  {:<14} blocks {:>3}  key {:<6} build {:7.1f} ms  run {:8.1f} ms{}\n",
               c.id, c.skipped ? "skipped" : Painted(c.verdict), c.block_dim, c.tiling_key,
               c.build_ms, c.run_ms, reason.empty() ? "" : "  " + reason);
    PrintOutputOf(c.print);
    if (std::string why = judge::WhyNoTime(c.modelled); !why.empty())
      fmt::print("          no modelled time: {}\n", why);
    if (const auto t = record::ModelledFromJson(c.modelled))
      fmt::print(
          "          modelled {:.2f} us{} (eager {:.2f} us{} in {} kernels; bound {:.2f} us)\n",
          t->own.us, Between(t->own), t->eager.us, Between(t->eager), t->eager_kernels,
          t->bound_us);
    if (c.measured) PrintMeasured(*c.measured);
    if (!compared) PrintOutputValues(c.values);
    if (c.verdict == record::Verdict::kWrongAnswer && !c.skipped)
      for (const record::OutputResult& o : c.outputs)
        if (o.mismatches && !o.worst.empty()) PrintWrong(o);
  }
  for (const auto& m : findings.all()) {
    PrintFinding(m.finding, read);
    if (j.cases.size() > 1) fmt::print("    in case {}\n", fmt::join(m.cases, ", "));
  }
  const bool told = j.cases.empty() || j.verdict == record::Verdict::kBuildError;
  for (const auto& d : j.diagnostics)
    if (verbose || (told && d.severity == "error"))
      fmt::print("{}\n{}", TextOf(d),
                 base::Printable(report::ExcerptAt(d.file, d.line, d.column, read, "  ")));
  if (!j.build_options.empty())
    fmt::print("compiled with {}\n",
               base::Printable(fmt::format("{}", fmt::join(j.build_options, " "))));
  const bool clean = !compared && j.verdict == record::Verdict::kPass;
  fmt::print("{}: {}{}{}\n", j.task, clean ? kNotCompared : Painted(j.verdict),
             j.reason.empty()
                 ? ""
                 : " — " + base::Printable(record::WithoutMessages(j.reason, findings.all())),
             j.cases.empty() ? "" : fmt::format("  (--seed {})", j.seed));
  for (const judge::Judgement& npu : j.npu) {
    const auto& device = npu.provenance.device;
    fmt::print("on {}:\n",
               device ? fmt::format("device {}, {}", device->id, device->soc) : "a real device");
    PrintJudgement(npu, read, verbose);
  }
}

int WriteJson(const base::Json& json, const std::string& path) {
  std::string text = base::Dump(json, 2) + "\n";
  if (path == "-") {
    fmt::print("{}", text);
    return kOk;
  }
  auto s = base::WriteFileAtomic(path, text);
  if (s.ok()) return kOk;
  PrintError(s.error());
  return kFault;
}

}  // namespace akgen::cli
