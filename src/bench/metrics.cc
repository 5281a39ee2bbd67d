#include "bench/metrics.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "bench/config.h"
#include "record/judgement.h"

namespace akgen::bench {
using base::Json;
using base::Result;

namespace {
// splitmix64: the same resamples on every machine.
struct Random {
  uint64_t state = 0x616b67656eull;
  uint64_t Next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  size_t Below(size_t n) { return size_t((unsigned __int128)Next() * n >> 64); }
};

double Mean(const std::vector<double>& v) {
  double sum = 0;
  for (double x : v) sum += x;
  return v.empty() ? 0 : sum / double(v.size());
}

double LevelWeight(int level) { return level == 1 ? 0.2 : level == 2 ? 0.3 : level == 3 ? 0.5 : 0; }

// Which end of the eager estimate's range; or the difference beyond its range and the candidate's.
enum class Eager { kLow, kSaid, kHigh, kBeyond };

double SpeedupOf(const record::Modelled& mine, const record::Modelled& eager, Eager which) {
  if (which == Eager::kBeyond) return record::SpeedBeyond(mine, eager);
  return (which == Eager::kLow    ? eager.low
          : which == Eager::kHigh ? eager.high
                                  : eager.us) /
         mine.us;
}

std::vector<record::ModelledTime> TimesIn(const Json& record) {
  std::vector<record::ModelledTime> out;
  const auto cases = record::CasesFromJson(record);
  if (!cases.ok()) return out;
  for (const record::CaseRecord& c : *cases)
    if (auto time = c.Time()) out.push_back(std::move(*time));
  return out;
}

// Times of the record, when a timing model wrote them: ratio of baseline to candidate over the
// cases, as a geometric mean.
std::optional<double> Speedup(const std::vector<record::ModelledTime>& times, Eager which) {
  double sum = 0;
  int n = 0;
  for (const record::ModelledTime& t : times)
    if (t.eager.known() && t.own.known()) sum += std::log(SpeedupOf(t.own, t.eager, which)), ++n;
  return n ? std::optional(std::exp(sum / n)) : std::nullopt;
}

// Mean over the record's cases, nothing when none has times.
std::optional<double> MeanHap(const std::vector<record::ModelledTime>& times) {
  std::vector<double> each;
  for (const record::ModelledTime& t : times)
    if (auto hap = Hap(t.own.us, t.eager.us, t.bound_us)) each.push_back(*hap);
  return each.empty() ? std::nullopt : std::optional(Mean(each));
}

std::vector<int> Counts(const Metrics& m, int UnitResult::* field) {
  std::vector<int> out;
  for (const auto& u : m.units) out.push_back(u.*field);
  return out;
}

Json ToJson(const std::map<int, Interval>& values) {
  Json out = Json::object();
  for (const auto& [k, i] : values)
    out[std::to_string(k)] = {{"value", i.value}, {"low", i.low}, {"high", i.high}};
  return out;
}
}  // namespace

double PassAtK(int n, int c, int k) {
  if (n - c < k) return 1;
  double miss = 1;
  for (int i = n - c + 1; i <= n; ++i) miss *= 1 - double(k) / i;
  return 1 - miss;
}

Interval MeanPassAtK(const std::vector<int>& right, int n, int k, int resamples) {
  std::vector<double> each;
  for (int c : right) each.push_back(PassAtK(n, c, k));
  Interval out{Mean(each), 0, 0};
  if (each.empty()) return out;
  Random random;
  std::vector<double> means;
  for (int r = 0; r < resamples; ++r) {
    double sum = 0;
    for (size_t i = 0; i < each.size(); ++i) sum += each[random.Below(each.size())];
    means.push_back(sum / double(each.size()));
  }
  std::sort(means.begin(), means.end());
  auto at = [&](double q) {
    return means[std::min(means.size() - 1, size_t(q * double(means.size())))];
  };
  out.low = at(0.025);
  out.high = at(0.975);
  return out;
}

std::optional<double> Hap(double time, double base, double bound) {
  if (!(time > 0) || !(base > 0) || !(bound > 0) || !std::isfinite(time + base + bound))
    return std::nullopt;
  double denominator = (time - bound) + (base - bound);
  if (!(denominator > 0)) return std::nullopt;
  return (base - bound) / denominator;
}

double FastP(const std::vector<std::optional<double>>& speedups, double p) {
  if (speedups.empty()) return 0;
  auto fast =
      std::count_if(speedups.begin(), speedups.end(), [&](const auto& s) { return s && *s > p; });
  return double(fast) / double(speedups.size());
}

namespace {
// Counts verdicts into units and taxonomy. Both parts of a sample lie side by side, public first.
void Count(const std::vector<store::VerdictRow>& verdicts, Metrics& m,
           const std::map<std::string, size_t>& index) {
  for (size_t i = 0; i < verdicts.size(); ++i) {
    const auto& v = verdicts[i];
    auto it = index.find(v.task);
    if (it == index.end() || v.part != "public" || v.sample >= m.n) continue;
    UnitResult& u = m.units[it->second];
    const store::VerdictRow* hidden = i + 1 < verdicts.size() && verdicts[i + 1].task == v.task &&
                                              verdicts[i + 1].sample == v.sample
                                          ? &verdicts[i + 1]
                                          : nullptr;
    bool pass = v.verdict == "pass", hidden_pass = hidden && hidden->verdict == "pass";
    ++u.samples;
    u.built += record::Builds(v.verdict);
    u.public_right += pass;
    u.hidden |= hidden != nullptr;
    u.hidden_right += hidden_pass;
    bool right = pass && (!hidden || hidden_pass);
    u.right += right;
    const auto times = right ? TimesIn(v.record) : std::vector<record::ModelledTime>{};
    u.speedups.push_back(Speedup(times, Eager::kSaid));
    u.least.push_back(Speedup(times, Eager::kLow));
    u.most.push_back(Speedup(times, Eager::kHigh));
    u.beyond.push_back(Speedup(times, Eager::kBeyond));
    m.modelled_time |= u.speedups.back().has_value();
    if (u.speedups.back())
      if (auto hap = MeanHap(times)) u.haps.push_back(*hap);
    ++m.taxonomy[pass && !right ? "hidden_" + hidden->verdict : v.verdict];
  }
}
}  // namespace

Result<Metrics> Measure(const store::Store& store, const store::RunRow& run,
                        const std::vector<int>& ks, const store::Store::Keep& keep) {
  auto tasks = store.Tasks(run.id);
  auto candidates = store.Candidates(run.id);
  auto verdicts = store.Evidence(run.id, keep);
  if (!tasks.ok() || !candidates.ok() || !verdicts.ok())
    return !tasks.ok() ? tasks.error() : !candidates.ok() ? candidates.error() : verdicts.error();
  Metrics m;
  m.n = std::max(1, ConfigFromJson(run.config).samples);
  std::map<std::string, size_t> index;
  for (const auto& t : *tasks) {
    index[t.name] = m.units.size();
    UnitResult u;
    u.name = t.name, u.category = t.category, u.level = t.level;
    m.units.push_back(std::move(u));
  }
  Count(*verdicts, m, index);
  std::map<int, int> all, right;
  int have = 0, total = int(m.units.size()) * m.n;
  for (auto& u : m.units) {
    all[u.level] += m.n;
    right[u.level] += u.right;
    have += u.samples;
    u.speedups.resize(size_t(m.n)), u.least.resize(size_t(m.n)), u.most.resize(size_t(m.n));
    u.beyond.resize(size_t(m.n));
    for (double hap : u.haps) m.hap += hap / double(total);
  }
  int known = int(candidates->size());
  if (known > have) m.taxonomy["not judged"] = known - have;
  if (total > std::max(known, have)) m.taxonomy["missing"] = total - std::max(known, have);
  for (auto& [level, count] : all) {
    m.level_rate[level] = double(right[level]) / count;
    m.weighted += LevelWeight(level) * m.level_rate[level];
  }
  std::set<int> shown(ks.begin(), ks.end());
  shown.insert(m.n);
  for (int k : shown) {
    if (k > m.n) break;
    m.pass[k] = MeanPassAtK(Counts(m, &UnitResult::right), m.n, k);
    m.compile[k] = MeanPassAtK(Counts(m, &UnitResult::built), m.n, k);
    m.pass_public[k] = MeanPassAtK(Counts(m, &UnitResult::public_right), m.n, k);
    bool hidden =
        std::any_of(m.units.begin(), m.units.end(), [](const UnitResult& u) { return u.hidden; });
    if (hidden) m.pass_hidden[k] = MeanPassAtK(Counts(m, &UnitResult::hidden_right), m.n, k);
  }
  return m;
}

std::string FastPShares::Name() const { return base::Dump(Json(p)); }

std::vector<FastPShares> FastPSharesOf(const Metrics& m) {
  std::vector<std::optional<double>> speedups, least, most, beyond;
  for (const UnitResult& u : m.units) {
    speedups.insert(speedups.end(), u.speedups.begin(), u.speedups.end());
    least.insert(least.end(), u.least.begin(), u.least.end()),
        most.insert(most.end(), u.most.begin(), u.most.end());
    beyond.insert(beyond.end(), u.beyond.begin(), u.beyond.end());
  }
  std::vector<FastPShares> out;
  for (double p : kFastP)
    out.push_back({p, FastP(speedups, p), FastP(least, p), FastP(most, p), FastP(beyond, p)});
  return out;
}

Json ToJson(const Metrics& m) {
  Json units = Json::array(), fast = Json::object(), levels = Json::object();
  Json ranges = Json::object(), certain = Json::object();
  for (const auto& u : m.units) {
    units.push_back({{"name", u.name},
                     {"category", u.category},
                     {"level", u.level},
                     {"candidates", u.samples},
                     {"built", u.built},
                     {"public", u.public_right},
                     {"hidden", u.hidden ? Json(u.hidden_right) : Json()},
                     {"right", u.right}});
  }
  for (const FastPShares& s : FastPSharesOf(m)) {
    fast[s.Name()] = m.modelled_time ? Json(s.said) : Json(kNotModelled);
    if (m.modelled_time) ranges[s.Name()] = {s.low, s.high}, certain[s.Name()] = s.beyond;
  }
  for (const auto& [level, rate] : m.level_rate) levels[std::to_string(level)] = rate;
  Json out{{"n", m.n},
           {"units", units},
           {"taxonomy", m.taxonomy},
           {"pass", ToJson(m.pass)},
           {"compile", ToJson(m.compile)},
           {"pass_public", ToJson(m.pass_public)},
           {"pass_hidden", ToJson(m.pass_hidden)},
           {"level_rate", levels},
           {"weighted", m.weighted},
           {"fast_p", fast},
           {"hap", m.modelled_time ? Json(m.hap) : Json(kNotModelled)}};
  if (m.modelled_time) out["fast_p_range"] = ranges, out["fast_p_beyond"] = certain;
  return out;
}

}  // namespace akgen::bench
