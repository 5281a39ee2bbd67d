#include "cli/profile_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/terminal.h"

namespace akgen::cli {
using judge::LaunchProfile;
using record::LaunchTime;

namespace {
constexpr size_t kMaxLines = 10;  // of a source

std::string Row(const char* name, const std::string& value, const std::string& more) {
  return fmt::format("  {:<15} {:>10}{}{}\n", name, value, more.empty() ? "" : "   ", more);
}

std::string Bar(double share) {
  constexpr int kWide = 20;
  const int n = std::clamp(static_cast<int>(std::lround(share * kWide)), share > 0 ? 1 : 0, kWide);
  return std::string(static_cast<size_t>(n), '#') +
         std::string(static_cast<size_t>(kWide - n), '.');
}

std::string Cut(std::string text, size_t width) {
  text = base::Printable(text.substr(std::min(text.find_first_not_of(" \t"), text.size())));
  if (text.size() > width) text = text.substr(0, width > 3 ? width - 3 : 0) + "...";
  return text;
}

std::string Amount(double n) {
  const char* unit = "";
  for (const char* next : {"k", "M", "G", "T"})
    if (n >= 1000) n /= 1000, unit = next;
  return fmt::format("{:.3g} {}", n, unit);
}

std::string Head(const LaunchProfile& p, const LaunchTime& t) {
  std::string out = Row("modelled time", fmt::format("{:.2f} us", t.us),
                        t.high > 0 ? fmt::format("{:.2f} to {:.2f}", t.low, t.high) : "");
  if (p.bound_us > 0)
    out += Row("hardware bound", fmt::format("{:.2f} us", p.bound_us),
               fmt::format("{:.0f} % reached: {} at the chip's full rate", 100 * p.bound_us / t.us,
                           p.bound_of_task ? "the task's bytes and arithmetic"
                                           : "what this launch asks of " + p.roofline.bound_by));
  out += Row("limited by", p.limits.bottleneck, p.limits.why);
  if (!p.limits.advice.empty()) {
    const judge::Advice& best = p.limits.advice[0];
    out += Row("best change", fmt::format("-{:.2f} us", t.us - best.us),
               best.file.empty() ? best.change
                                 : fmt::format("{}, {}:{}", best.change, best.file, best.line));
  }
  if (t.eager_us > 0)
    out +=
        Row("against eager", fmt::format("{:.2f}x", t.eager_us / t.us),
            fmt::format(
                "eager modelled {:.2f} us{} in {} kernels", t.eager_us,
                t.eager_high > 0 ? fmt::format(" [{:.2f}, {:.2f}]", t.eager_low, t.eager_high) : "",
                t.eager_kernels));
  if (t.scaled)
    out += Row("scaled", fmt::format("{:.2f} us", t.scaled->us),
               fmt::format("with {} times the rounds, give or take {:.2f} us", t.scaled->factor,
                           t.scaled->bound_us));
  return out;
}

std::string Waits(const record::PipeTime& pipe, double core) {
  std::vector<std::pair<double, std::string>> waits;
  for (const auto& [on, us] : pipe.waits) waits.emplace_back(us, on);
  std::sort(waits.rbegin(), waits.rend());
  std::string out;
  for (const auto& [us, on] : waits)
    if (us >= 0.005 * core)
      out += fmt::format("{}{} {:.0f} %", out.empty() ? "" : ", ", on, 100 * us / core);
  return out.empty() ? "nothing" : out;
}

std::string Pipes(const LaunchTime& t) {
  const double core = std::max(1e-9, t.core_us);
  std::string out =
      fmt::format("\nPipes, mean over {} cores\n  {:<9} {:<27}  {:>9}  {:>12}  {:>8}  {}\n",
                  t.cores, "pipe", "at work", "us", "instructions", "B/burst", "waits for");
  for (const auto& [name, pipe] : t.pipes) {
    std::string more;
    if (pipe.conflict_us > 0.01 * core)
      more += fmt::format("; {:.0f} % lost to UB banks", 100 * pipe.conflict_us / core);
    if (pipe.shared_us > 0.01 * core)
      more += fmt::format("; {:.0f} % of its work is other cores' traffic",
                          100 * pipe.shared_us / pipe.busy_us);
    out += fmt::format("  {:<9} {} {:>4.0f} %  {:>9.2f}  {:>12}  {:>8}  {}{}\n", name,
                       Bar(pipe.busy_us / core), 100 * pipe.busy_us / core, pipe.busy_us,
                       pipe.instructions,
                       pipe.bursts > 0 ? fmt::format("{:.0f}", pipe.bytes / pipe.bursts) : "-",
                       Waits(pipe, core), more);
  }
  return out;
}

std::string Roofs(const LaunchProfile& p, const LaunchTime& t) {
  std::string out = "\nRoofline\n";
  auto row = [&](const std::string& name, double amount, const char* what, double rate) {
    out += fmt::format("  {:<16} {:>8}{:<11} {:>3.0f} % of {}{}/s\n", name, Amount(amount), what,
                       100 * amount / std::max(1e-9, rate * t.us), Amount(rate * 1e6), what);
  };
  for (const auto& m : p.roofline.memories) row(m.name, m.bytes, "B", m.rate);
  for (const auto& u : p.roofline.units) row(u.name, u.operations, "operations", u.rate);
  return p.roofline.memories.empty() && p.roofline.units.empty() ? "" : out;
}

std::string Path(const LaunchProfile& p, uint32_t cores) {
  if (p.path.empty()) return "";
  std::string out =
      fmt::format("\nCritical path of core {}, the last to end{}\n ", p.path_core,
                  p.timeline_cores < cores ? fmt::format(" of the {} kept", p.timeline_cores) : "");
  double all = 0;
  for (const auto& s : p.shares) all += s.us;
  for (const auto& s : p.shares)
    if (s.us >= 0.005 * all)
      out += fmt::format(" {} {:.2f} us ({:.0f} %){}", s.what, s.us, 100 * s.us / all,
                         &s == &p.shares.back() ? "" : ",");
  if (out.back() == ',') out.pop_back();
  return out + "\n";
}

std::string Lines(const LaunchProfile& p, size_t width) {
  if (p.lines.empty()) return "";
  std::set<std::string> files;
  for (const auto& l : p.lines) files.insert(l.file);
  std::string out =
      fmt::format("\nTime by line{}\n  {:>9}  {:>9}  {}\n",
                  files.size() == 1 ? " of " + *files.begin() : "", "path us", "busy us", "line");
  for (size_t i = 0; i < std::min(kMaxLines, p.lines.size()); ++i) {
    const auto& l = p.lines[i];
    const std::string place =
        files.size() == 1 ? std::to_string(l.line) : fmt::format("{}:{}", l.file, l.line);
    out += fmt::format("  {:>9.2f}  {:>9.2f}  {:>4}  {}\n", l.path_us, l.BusyUs(), place,
                       Cut(l.text, width - std::min(width, 31 + place.size())));
  }
  if (p.lines.size() > kMaxLines)
    out += fmt::format("  and {} lines with less\n", p.lines.size() - kMaxLines);
  return out;
}

std::string AdviceText(const LaunchProfile& p, const LaunchTime& t) {
  std::string out = "\nAdvice, each tried on the trace\n";
  for (const auto& a : p.limits.advice)
    out += fmt::format(
        "  -{:.2f} us{}  {}{} [{}]\n", t.us - a.us,
        a.gain_high > 0 ? fmt::format(" ({:.2f} to {:.2f})", a.gain_low, a.gain_high) : "",
        a.file.empty() ? "" : fmt::format("{}:{}: ", a.file, a.line), a.text, a.change);
  return p.limits.advice.empty() ? out + "  none of the changes that akgen tries would help\n"
                                 : out;
}
}  // namespace

std::string ProfileText(const LaunchProfile& p, const LaunchTime& t, const chip::Chip& chip,
                        size_t width) {
  return fmt::format("{} on {}: {} blocks on {} cores, {:.0f} % of UB used\n\n", p.subject,
                     chip.name, t.blocks, t.cores,
                     100.0 * t.ub_used / std::max(1u, chip.UsableUb())) +
         Head(p, t) + Pipes(t) + Path(p, uint32_t(t.cores)) + Lines(p, width) + Roofs(p, t) +
         AdviceText(p, t);
}

std::string ChangesText(const LaunchProfile& p, const LaunchTime& t,
                        const judge::EarlierProfile& before, size_t width) {
  std::string out = fmt::format("\nBefore: {} on {}\n", before.subject, before.chip);
  auto row = [&](const std::string& name, double old, double now) {
    const bool same = std::fabs(now - old) < 0.005;
    out += fmt::format("  {:<15} {:>9.2f} us  {:>9.2f} us  {:>12}{}\n", name, old, now,
                       same ? "same" : fmt::format("{:+.2f} us", now - old),
                       old > 0 && !same ? fmt::format("  {:+.1f} %", 100 * (now / old - 1)) : "");
  };
  out += fmt::format("  {:<15} {:>12}  {:>12}  {:>12}\n", "", "before", "now", "change");
  row("modelled time", before.time.us, t.us);
  std::set<std::string> pipes;
  for (const auto& [name, pipe] : before.time.pipes) pipes.insert(name);
  for (const auto& [name, pipe] : t.pipes) pipes.insert(name);
  auto busy = [](const LaunchTime& of, const std::string& name) {
    const auto pipe = of.pipes.find(name);
    return pipe == of.pipes.end() ? 0.0 : pipe->second.busy_us;
  };
  for (const std::string& name : pipes)
    row(name + " at work", busy(before.time, name), busy(t, name));
  size_t shown = 0;
  for (const auto& c : LineChanges(before, p)) {
    if (std::fabs(c.us - c.before_us) < 0.005 || ++shown > kMaxLines) break;
    const std::string place =
        c.line ? std::to_string(c.line) : fmt::format("was {}", c.line_before);
    out += fmt::format("  line {:<10} {:>9.2f} us  {:>9.2f} us  {:>+9.2f} us  {}\n", place,
                       c.before_us, c.us, c.us - c.before_us,
                       Cut(c.text, width - std::min<size_t>(width, 62)));
  }
  return out;
}

}  // namespace akgen::cli
