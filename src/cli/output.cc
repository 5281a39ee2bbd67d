#include "cli/output.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/files.h"
#include "base/terminal.h"
#include "cli/commands.h"

namespace akgen::cli {
namespace {
std::string Painted(record::Verdict v) {
  std::string name(record::NameOf(v));
  if (!base::Colours(STDOUT_FILENO)) return name;
  const char* code = v == record::Verdict::kPass                                              ? "32"
                     : v == record::Verdict::kUnsupported || v == record::Verdict::kUndecided ? "33"
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
  return base::Printable(fmt::format("{}:{}:{}: {}: {}", d.file, d.line, d.column, d.severity, d.message));
}

void PrintOutputOf(std::string_view kernel) {
  if (kernel.empty()) return;
  fmt::print("{}{}", base::Printable(kernel), kernel.back() == '\n' ? "" : "\n");
}

void PrintFinding(const record::Finding& f) {
  fmt::print("  {}[{}]: {}{}\n",
             f.undecided ? "undecided"
             : f.warning ? "warning"
                         : "finding",
             f.code, base::Printable(f.message), f.count > 1 ? " (" + std::to_string(f.count) + " times)" : "");
  std::string bytes =
      f.bytes ? fmt::format(", {} bytes {} to {}", f.memory, f.address, f.address + int64_t(f.bytes) - 1) : "";
  fmt::print("    at {} block {}{}{}\n", At(f.place), f.block, bytes,
             f.buffer.empty() ? "" : " of " + base::Printable(f.buffer));
  if (f.other)
    fmt::print("    other side {}{}{}\n", At(*f.other),
               f.other->block < 0 ? "" : fmt::format(" block {}", f.other->block),
               f.other->what.empty() ? "" : " (" + f.other->what + ")");
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
  const std::string clock =
      t.rated_mhz > 0 ? fmt::format(", {:.0f} of {:.0f} MHz", t.clock_mhz, t.rated_mhz) : std::string();
  if (t.known())
    fmt::print("          measured {:.2f} us [{:.2f}, {:.2f}] by {} over {} launches{}{}{}\n", t.us, t.p10, t.p90,
               record::NameOf(t.rule.source), t.launches, clock,
               t.slow_clock ? fmt::format(", {} left out below the rated frequency", t.slow_clock) : "",
               t.outliers ? fmt::format(", {} outliers", t.outliers) : "");
  else fmt::print("          no measured time{}\n", clock);
  if (!t.note.empty()) fmt::print("          note: {}\n", base::Printable(t.note));
  if (t.same_outputs == false) fmt::print("          note: the first and the last launch gave different bytes\n");
}

void PrintOutputValues(const std::vector<record::OutputValues>& outputs) {
  for (const record::OutputValues& v : outputs) {
    const std::string range = v.low ? fmt::format("{:g} to {:g}", *v.low, *v.high) : "no number";
    fmt::print("          {}: {} elements, {}{}{}\n", base::Printable(v.name), v.elements, range,
               v.nan ? fmt::format(", {} NaN", v.nan) : "", v.infinite ? fmt::format(", {} infinite", v.infinite) : "");
  }
}

void PrintJudgement(const judge::Judgement& j, bool verbose, bool compared) {
  record::FindingsOfCases findings;
  for (const auto& c : j.cases) {
    fmt::print("case {:>3}  {:<14} blocks {:>3}  key {:<6} build {:7.1f} ms  run {:8.1f} ms{}\n", c.id,
               c.skipped ? "skipped" : Painted(c.verdict), c.block_dim, c.tiling_key, c.build_ms, c.run_ms,
               c.reason.empty() ? "" : "  " + base::Printable(c.reason));
    PrintOutputOf(c.print);
    if (std::string why = judge::WhyNoTime(c.modelled); !why.empty())
      fmt::print("          no modelled time: {}\n", why);
    if (const auto t = record::ModelledFromJson(c.modelled))
      fmt::print("          modelled {:.2f} us{} (eager {:.2f} us{} in {} kernels; bound {:.2f} us)\n", t->own.us,
                 Between(t->own), t->eager.us, Between(t->eager), t->eager_kernels, t->bound_us);
    if (c.measured) PrintMeasured(*c.measured);
    if (!compared) PrintOutputValues(c.values);
    findings.Add(c.id, c.findings);
  }
  for (const auto& m : findings.all()) {
    if (m.finding.warning && !verbose && compared) continue;
    PrintFinding(m.finding);
    if (j.cases.size() > 1) fmt::print("    in case {}\n", fmt::join(m.cases, ", "));
  }
  if (j.cases.empty() || verbose)
    for (const auto& d : j.diagnostics)
      if (verbose || d.severity == "error") fmt::print("{}\n", TextOf(d));
  if (!j.build_options.empty())
    fmt::print("compiled with {}\n", base::Printable(fmt::format("{}", fmt::join(j.build_options, " "))));
  const bool clean = !compared && j.verdict == record::Verdict::kPass;
  fmt::print("{}: {}{}{}\n", j.task, clean ? kNotCompared : Painted(j.verdict),
             j.reason.empty() ? "" : " — " + base::Printable(j.reason),
             j.cases.empty() ? "" : fmt::format("  (--seed {})", j.seed));
  for (const judge::Judgement& npu : j.npu) {
    const auto& device = npu.provenance.device;
    fmt::print("on {}:\n", device ? fmt::format("device {}, {}", device->id, device->soc) : "a real device");
    PrintJudgement(npu, verbose);
  }
}

void ShowStep(size_t done, size_t all, const std::string& what) {
  if (base::MovesCursor(STDERR_FILENO)) fmt::print(stderr, "\r\033[K[{}/{}] {}", done + 1, all, what);
}

void ClearStep() {
  if (base::MovesCursor(STDERR_FILENO)) fmt::print(stderr, "\r\033[K");
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
