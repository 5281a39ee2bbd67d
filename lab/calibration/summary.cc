#include "summary.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace akgen::calibration {
using base::Json;

double Quantile(const std::vector<Error>& errors, double q) {
  std::vector<double> a;
  for (const Error& e : errors) a.push_back(std::fabs(e.Relative()));
  std::sort(a.begin(), a.end());
  return a.empty() ? 0 : a[std::min(a.size() - 1, size_t(q * double(a.size())))];
}

std::vector<Error> Where(const std::vector<Error>& errors,
                         const std::function<bool(const Error&)>& holds) {
  std::vector<Error> out;
  std::copy_if(errors.begin(), errors.end(), std::back_inserter(out), holds);
  return out;
}

// Modelled over measured, geometric mean.
double Bias(const std::vector<Error>& errors) {
  double sum = 0;
  for (const Error& e : errors) sum += std::log(e.modelled / e.measured);
  return errors.empty() ? 1 : std::exp(sum / double(errors.size()));
}

std::vector<double> Ranks(const std::vector<double>& v) {
  std::vector<size_t> order(v.size());
  for (size_t i = 0; i < v.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return v[a] < v[b]; });
  std::vector<double> rank(v.size());
  for (size_t i = 0, j; i < order.size(); i = j) {
    for (j = i; j < order.size() && v[order[j]] == v[order[i]];) ++j;
    for (size_t k = i; k < j; ++k) rank[order[k]] = double(i + j - 1) / 2;
  }
  return rank;
}

double Spearman(std::vector<double> a, std::vector<double> b) {
  a = Ranks(a), b = Ranks(b);
  const double mean = (double(a.size()) - 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i)
    ab += (a[i] - mean) * (b[i] - mean), aa += (a[i] - mean) * (a[i] - mean),
        bb += (b[i] - mean) * (b[i] - mean);
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

double RankCorrelation(const std::vector<Error>& errors) {
  std::vector<double> a, b;
  for (const Error& e : errors) a.push_back(e.measured), b.push_back(e.modelled);
  return Spearman(a, b);
}

double RankBelow(double us, const std::vector<Json>& rows) {
  std::vector<double> a, b;
  for (const Json& some : rows)
    for (const Json& row : some)
      if (row["measured"] < us) a.push_back(row["measured"]), b.push_back(row["modelled"]);
  return Spearman(a, b);
}

// The middle 95 % of 1000 draws with replacement.
std::pair<double, double> RankInterval(const std::vector<Error>& errors) {
  std::vector<double> all;
  uint64_t state = 1;
  for (int draw = 0; draw < 1000; ++draw) {
    std::vector<Error> some;
    for (size_t i = 0; i < errors.size(); ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      some.push_back(errors[(state >> 33) % errors.size()]);
    }
    all.push_back(RankCorrelation(some));
  }
  std::sort(all.begin(), all.end());
  return {all[25], all[974]};
}

void Print(const std::vector<Error>& errors) {
  std::printf("%-22s %-36s %-7s %-9s %12s %12s %8s\n", "table", "row", "what", "bound by",
              "measured", "modelled", "error");
  for (const Error& e : errors)
    std::printf("%-22s %-36s %-7s %-9s %12.3f %12.3f %+7.1f%%\n", e.row->table.c_str(),
                e.row->name.c_str(), e.quantity.c_str(), e.regime.c_str(), e.measured, e.modelled,
                100 * e.Relative());
}

Json Summary(const std::vector<Error>& errors) {
  const auto small = Where(errors, [](const Error& e) { return e.measured < 15; });
  Json out{{"rows", errors.size()},           {"median", Quantile(errors, 0.5)},
           {"p90", Quantile(errors, 0.9)},    {"median_below_15us", Quantile(small, 0.5)},
           {"bias_below_15us", Bias(small)},  {"bias", Bias(errors)},
           {"rank", RankCorrelation(errors)}, {"rank_below_15us", RankCorrelation(small)}};
  if (!errors.empty()) {
    const auto [low, high] = RankInterval(errors);
    out["rank_95"] = {low, high};
  }
  for (const char* regime : {"launch", "bandwidth", "compute", "sync"}) {
    const auto mine = Where(errors, [&](const Error& e) { return e.regime == regime; });
    if (!mine.empty())
      out["by_regime"][regime] = {
          {"rows", mine.size()}, {"median", Quantile(mine, 0.5)}, {"bias", Bias(mine)}};
  }
  return out;
}

Json RowsJson(const std::vector<Error>& errors) {
  Json out = Json::array();
  for (const Error& e : errors)
    out.push_back({{"table", e.row->table},
                   {"row", e.row->name},
                   {"what", e.quantity},
                   {"bound_by", e.regime},
                   {"measured", e.measured},
                   {"modelled", e.modelled},
                   {"error", e.Relative()}});
  return out;
}

// The eager baseline, by size class.
Json EagerSummary(const std::vector<Error>& errors) {
  Json out{
      {"rows", errors.size()}, {"median", Quantile(errors, 0.5)}, {"p90", Quantile(errors, 0.9)}};
  for (const char* size : {"below 2^16", "2^16 to 2^22", "above 2^22"}) {
    const auto mine = Where(errors, [&](const Error& e) { return e.regime == size; });
    out["bias"][size] = Bias(mine);
    out["by_size"][size] = {
        {"rows", mine.size()}, {"median", Quantile(mine, 0.5)}, {"bias", Bias(mine)}};
  }
  return out;
}

namespace {
// The 5th and the 95th percentile of measured over modelled; fewer rows than have one beyond each
// end say nothing of these: such a class, and one without rows, takes the percentiles of all.
struct Spread {
  size_t rows;
  double low, high;
};
Spread SpreadOf(const std::vector<Error>& errors, const std::string& regime) {
  constexpr size_t kLeast = 20;
  std::vector<double> all, mine;
  for (const Error& e : errors) {
    all.push_back(e.measured / e.modelled);
    if (e.regime == regime) mine.push_back(all.back());
  }
  std::vector<double>& from = mine.size() < kLeast ? all : mine;
  std::sort(from.begin(), from.end());
  auto at = [&](double q) {
    return from.empty() ? 1 : from[std::min(from.size() - 1, size_t(q * double(from.size())))];
  };
  return {mine.size(), at(0.05), at(0.95)};
}
bool Holds(const Spread& s, const Error& e) {
  return s.low <= e.measured / e.modelled && e.measured / e.modelled <= s.high;
}
}  // namespace

Json RangesOf(const std::vector<Error>& errors) {
  Json out = Json::object();
  for (const Error& e : errors) {
    if (out.contains(e.regime)) continue;
    const Spread s = SpreadOf(errors, e.regime);
    out[e.regime] = {{"rows", s.rows}, {"low", s.low}, {"high", s.high}};
  }
  return out;
}

Json RangesHold(const std::vector<Error>& errors) {
  size_t own = 0, others = 0;
  for (const Error& e : errors) {
    own += Holds(SpreadOf(errors, e.regime), e);
    others +=
        Holds(SpreadOf(Where(errors, [&](const Error& o) { return o.row->group != e.row->group; }),
                       e.regime),
              e);
  }
  return {{"rows", errors.size()}, {"own", own}, {"others", others}};
}

}  // namespace akgen::calibration
