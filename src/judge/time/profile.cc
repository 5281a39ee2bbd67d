#include "judge/time/profile.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "sim/timing/what_if.h"

namespace akgen::judge {
using base::Json;

namespace {
// Numbers of a modelled time, as shares of the mean core's time.
struct Shares {
  double us = 0, core = 0, longest = 0, start = 0;
  std::map<std::string, double> busy, wait;
  double conflict = 0;  // of the vector unit's time
  double burst = 0;     // bytes of a copy's contiguous piece on average, in and out
  double ub = 0;        // of UB given out
  int cores = 0, cube_cores = 0, blocks = 0;
};

Shares SharesOf(const record::LaunchTime& t, const chip::Chip& chip) {
  Shares s;
  s.us = t.us, s.core = t.core_us, s.longest = t.longest_core_us, s.start = t.start_us;
  s.cores = t.cores, s.cube_cores = t.cube_cores, s.blocks = t.blocks;
  s.ub = t.ub_used / std::max(1.0, double(chip.UsableUb()));
  double bytes = 0, bursts = 0;
  for (const auto& [name, pipe] : t.pipes) {
    s.busy[name] = pipe.busy_us / std::max(1e-9, s.core);
    s.wait[name] = pipe.flag_wait_us / std::max(1e-9, s.core);
    if (name.ends_with('S'))
      s.busy[name] -= s.start / std::max(1e-9, s.core);  // a kernel's own scalar work
    if (name == "V") s.conflict = pipe.conflict_us / std::max(1e-9, pipe.busy_us);
    bytes += pipe.bytes, bursts += pipe.bursts;
  }
  s.burst = bursts > 0 ? bytes / bursts : 0;
  return s;
}

constexpr double kSmallBurst = 512;

void Classify(const Shares& s, const chip::Chip& chip, const std::vector<Advice>& advice,
              Profile& p) {
  auto say = [&](const char* name, std::string why) {
    p.bottleneck = name, p.why = std::move(why);
  };
  auto busy = [&](const char* pipe) {
    auto it = s.busy.find(pipe);
    return it == s.busy.end() ? 0.0 : it->second;
  };
  auto advised = [&](const char* change) {
    return std::any_of(advice.begin(), advice.end(),
                       [&](const Advice& a) { return a.change == change && a.us < 0.8 * s.us; });
  };
  double launch = s.us - s.longest + s.start;
  if (launch > sim::kLaunchBound * s.us)
    return say(
        "launch-bound",
        fmt::format(
            "{:.0f} % of the time are launch and starts of blocks, before their first instructions",
            100 * launch / s.us));
  if (s.core < sim::kEven * s.longest)
    return say("imbalanced cores",
               fmt::format("the longest core works {:.2f} us, the mean of {} is {:.2f} us",
                           s.longest, s.cores, s.core));
  if (!s.cube_cores && s.cores < chip.aiv && advised("more_cores"))
    return say("few cores", fmt::format("{} of {} vector cores have work", s.cores, chip.aiv));
  if (busy("V") > sim::kBusy && s.conflict > 0.2)
    return say("bank conflicts",
               fmt::format("{:.0f} % of the vector unit's time goes into conflicts of UB banks",
                           100 * s.conflict));
  if (s.cube_cores && s.cube_cores < chip.aic && s.blocks < chip.aic)
    return say("few cores", fmt::format("{} of {} Cube cores have work", s.cube_cores, chip.aic));
  std::pair<const char*, const char*> pipes[] = {
      {"V", "vector-bound"},     {"S", "scalar-bound"},     {"MTE2", "MTE2-bound"},
      {"MTE3", "MTE3-bound"},    {"M", "cube-bound"},       {"MTE1", "MTE1-bound"},
      {"FIX", "Fixpipe-bound"},  {"AIC S", "scalar-bound"}, {"AIC MTE2", "MTE2-bound"},
      {"AIC MTE3", "MTE3-bound"}};
  auto most = *std::max_element(std::begin(pipes), std::end(pipes),
                                [&](auto& a, auto& b) { return busy(a.first) < busy(b.first); });
  double share = busy(most.first);
  bool moves = std::string_view(most.first).ends_with("MTE2") ||
               std::string_view(most.first).ends_with("MTE3");
  // The loop over K: Mmad waits for what MTE1 brings into L0.
  if (busy("M") > 0 && busy("M") < share && most.first == std::string_view("MTE1") &&
      share > sim::kBusy)
    return say("MTE1-bound",
               fmt::format(
                   "the K loop waits for MTE1: it is at work {:.0f} % of the cores' time, the Cube "
                   "unit {:.0f} %",
                   100 * share, 100 * busy("M")));
  if (share > sim::kBusy && moves && s.burst > 0 && s.burst < kSmallBurst)
    return say(
        "small bursts",
        fmt::format(
            "{} is at work {:.0f} % of the time, with contiguous pieces of {:.0f} bytes on average",
            most.first, 100 * share, s.burst));
  if (share > sim::kBusy)
    return say(most.second, fmt::format("PIPE_{} is at work {:.0f} % of the cores' time",
                                        most.first, 100 * share));
  std::string waits = fmt::format(
      "no pipe is at work more than {:.0f} % of the cores' time: they wait for each other",
      100 * share);
  if (s.ub < sim::kRoomy && (advised("larger_tiles") || advised("double_buffer")))
    return say("UB under-used", fmt::format("{:.0f} % of UB is used, and {}", 100 * s.ub, waits));
  say("sync-bound", waits);
}

std::string TextOf(const std::string& change, int amount) {
  static const std::map<std::string, std::string> texts{
      {"double_buffer",
       "give the queues a second buffer (InitBuffer with 2), so that copies and computation "
       "overlap"},
      {"double_buffer_half_tiles",
       "halve the tile and give the queues a second buffer: UB has no room for two of the present "
       "size"},
      {"aligned", "let copies begin at multiples of 512 bytes in Global Memory"},
      {"apart_in_ub",
       "move the operands apart in UB (a gap of 256 bytes between the buffers), so that no two "
       "share a bank group"},
      {"past_l2",
       "ask L2 not to keep what is read once: SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE)"},
      {"vector_for_scalar",
       "let a vector instruction do what GetValue and SetValue do element by element"},
      {"flags_for_barriers",
       "replace PipeBarrier<PIPE_ALL> by queues or by flags between the two pipes concerned"},
      {"double_buffer_l0",
       "give L0A and L0B a second buffer (half of each, two event ids), so that MTE1 loads while "
       "the Cube unit works"},
      {"double_buffer_l1",
       "give the tiles in L1 a second buffer (two event ids), so that MTE2 fetches while MTE1 "
       "takes what is there"},
      {"larger_base_block",
       "make the base block larger (L0C holds 128 x 256 of float): each operand is then fetched "
       "and loaded less often"},
      {"one_copy",
       "copy all pieces with one DataCopyPad of several blocks in place of one call per piece"}};
  if (change == "larger_tiles")
    return fmt::format(
        "make tiles {} times as large: UB has room, and each tile pays the same latencies", amount);
  if (change == "more_cores")
    return fmt::format("distribute the tiles over {} cores (SetBlockDim)", amount);
  if (change == "even_cores")
    return fmt::format("distribute the tiles evenly over {} cores", amount);
  auto it = texts.find(change);
  return it == texts.end() ? change : it->second;
}
}  // namespace

Profile ProfileOf(const record::LaunchTime& t, const chip::Chip& chip) {
  Profile p;
  p.us = t.us;
  for (const record::TimedChange& w : t.changes) {
    Advice a;
    a.change = w.change;
    a.text = TextOf(w.change, w.amount);
    a.us = w.us;
    if (t.high > 0)
      a.gain_low = (t.us - w.us) * t.low / t.us, a.gain_high = (t.us - w.us) * t.high / t.us;
    if (w.site < t.sites.size()) a.file = t.sites[w.site].file, a.line = t.sites[w.site].line;
    p.advice.push_back(std::move(a));
  }
  Classify(SharesOf(t, chip), chip, p.advice, p);
  return p;
}

Json ToJson(const Profile& p) {
  Json advice = Json::array();
  for (const Advice& a : p.advice) {
    advice.push_back({{"change", a.change},
                      {"text", a.text},
                      {"file", a.file},
                      {"line", a.line},
                      {"modelled_us", a.us},
                      {"modelled_gain", p.GainOf(a)}});
    if (a.gain_high > 0) advice.back()["gain_range_us"] = {a.gain_low, a.gain_high};
  }
  return {{"bottleneck", p.bottleneck}, {"why", p.why}, {"modelled_us", p.us}, {"advice", advice}};
}

}  // namespace akgen::judge
