// Fits the timing model's parameters of kind "fitted" to published measurements and prints the error of every one.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "fit.h"

namespace akgen::calibration {
namespace {
using base::Json;
using sim::TimingParameters;

constexpr const char* kUsage =
    "usage: calibrate [--fit] [--check] [--operators] [--eager] [--json FILE]\n"
    "Without options: the error of every row of the published tables under data/timing/a2.toml.\n"
    "  --operators  and of the kernels that stand for measured framework operators\n"
    "  --fit    fit the parameters of kind \"fitted\" and print them and their errors, left-out errors too\n"
    "  --check  fit, and compare with the values in the file\n"
    "  --eager  fit the eager baseline alone, over the clock as it stands; with --check compare its values\n"
    "  --json   write {rows, median_error, p90_error, reproduced, left_out, eager, …} to FILE\n";

double Quantile(const std::vector<Error>& errors, double q) {
  std::vector<double> a;
  for (const Error& e : errors) a.push_back(std::fabs(e.Relative()));
  std::sort(a.begin(), a.end());
  return a.empty() ? 0 : a[std::min(a.size() - 1, size_t(q * double(a.size())))];
}

template <class F>
std::vector<Error> Where(const std::vector<Error>& errors, F&& holds) {
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

// Spearman's.
double RankCorrelation(const std::vector<Error>& errors) {
  std::vector<double> a, b;
  for (const Error& e : errors) a.push_back(e.measured), b.push_back(e.modelled);
  a = Ranks(a), b = Ranks(b);
  const double mean = (double(a.size()) - 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i)
    ab += (a[i] - mean) * (b[i] - mean), aa += (a[i] - mean) * (a[i] - mean), bb += (b[i] - mean) * (b[i] - mean);
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
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
  std::printf("%-22s %-36s %-7s %-9s %12s %12s %8s\n", "table", "row", "what", "bound by", "measured", "modelled",
              "error");
  for (const Error& e : errors)
    std::printf("%-22s %-36s %-7s %-9s %12.3f %12.3f %+7.1f%%\n", e.row->table.c_str(), e.row->name.c_str(),
                e.quantity.c_str(), e.regime.c_str(), e.measured, e.modelled, 100 * e.Relative());
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
      out["by_regime"][regime] = {{"rows", mine.size()}, {"median", Quantile(mine, 0.5)}, {"bias", Bias(mine)}};
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
  Json out{{"rows", errors.size()}, {"median", Quantile(errors, 0.5)}, {"p90", Quantile(errors, 0.9)}};
  for (const char* size : {"below 2^16", "2^16 to 2^22", "above 2^22"}) {
    const auto mine = Where(errors, [&](const Error& e) { return e.regime == size; });
    out["bias"][size] = Bias(mine);
    out["by_size"][size] = {{"rows", mine.size()}, {"median", Quantile(mine, 0.5)}, {"bias", Bias(mine)}};
  }
  return out;
}

// Measured over modelled by regime or size class, the 5th and the 95th percentile: data/timing/errors.toml.
// Fewer rows than have one beyond each end say nothing of these: such a class takes the percentiles of all rows.
Json RangesOf(const std::vector<Error>& errors) {
  constexpr size_t kLeast = 20;
  std::map<std::string, std::vector<double>> by;
  std::vector<double> all;
  for (const Error& e : errors) by[e.regime].push_back(e.measured / e.modelled), all.push_back(e.measured / e.modelled);
  std::sort(all.begin(), all.end());
  Json out = Json::object();
  for (auto& [name, v] : by) {
    std::sort(v.begin(), v.end());
    const std::vector<double>& from = v.size() < kLeast ? all : v;
    auto at = [&](double q) { return from[std::min(from.size() - 1, size_t(q * double(from.size())))]; };
    out[name] = {{"rows", v.size()}, {"low", at(0.05)}, {"high", at(0.95)}};
  }
  return out;
}

bool Published(const Error& e) { return !e.row->Whole(); }
bool Whole(const Error& e) { return e.row->Whole(); }

struct Options {
  bool fit = false, check = false, operators = false, eager = false;
  std::string json;
};

// 0, or the exit status: usage.
int Parse(int argc, char** argv, Options& o) {
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--fit") o.fit = o.operators = true;
    else if (a == "--check") o.fit = o.check = o.operators = true;
    else if (a == "--operators") o.operators = true;
    else if (a == "--eager") o.eager = true;
    else if (a == "--json" && i + 1 < argc) o.json = argv[++i];
    else return std::fputs(kUsage, stderr), 2;
  }
  return 0;
}

using ByGroup = std::map<std::string, TimingParameters>;

// Errors of the rows of each group under a fit that did not see them; `fits`: these fits.
std::vector<Error> LeftOut(const std::vector<Row>& rows, const Fitter& fitter, const TimingParameters& now,
                           ByGroup& fits) {
  std::vector<std::string> groups;
  for (const Row& r : rows)
    if (std::find(groups.begin(), groups.end(), r.group) == groups.end()) groups.push_back(r.group);
  std::vector<Error> out;
  for (const std::string& group : groups) {
    const bool whole =
        std::any_of(rows.begin(), rows.end(), [&](const Row& r) { return r.group == group && r.Whole(); });
    // A table alone may be what shows a parameter: its fit begins again; an operator moves the values little.
    const TimingParameters p = fitter.Fit(group, whole ? &now : nullptr);
    fits[group] = p;
    for (const Row& r : rows)
      if (r.group == group)
        for (Error& e : ErrorsOf(r, p)) out.push_back(std::move(e));
  }
  return out;
}

// The same for the eager baseline: its own numbers fitted without the operator, over a clock that did not see it
// either.
std::vector<Error> EagerLeftOut(const std::vector<Row>& rows, const std::vector<Fitted>& fitted,
                                const TimingParameters& now, const ByGroup& fits) {
  std::set<std::string> groups;
  for (const Row& r : rows) groups.insert(r.group);
  std::vector<Error> out;
  for (const std::string& group : groups) {
    const auto clock = fits.find(group);
    const TimingParameters p = Fitter(rows, clock == fits.end() ? now : clock->second, fitted).Fit(group);
    for (const Row& r : rows)
      if (r.group == group)
        for (Error& e : ErrorsOf(r, p)) out.push_back(std::move(e));
  }
  return out;
}

void PrintFitted(const std::vector<Fitted>& fitted, const TimingParameters& p) {
  const Json values = sim::ToJson(p);
  for (const Fitted& f : fitted) std::printf("  %s = %.10g\n", f.name.c_str(), values[f.name].get<double>());
  std::fflush(stdout);
}

// The eager baseline alone: takes no time, and no kernel is run.
int EagerAlone(const Options& o, const std::vector<Row>& rows, const std::vector<Fitted>& fitted,
               const TimingParameters& clock) {
  const TimingParameters now = Fitter(rows, clock, fitted).Fit();
  const bool same = sim::ToJson(now) == sim::ToJson(clock);
  const std::vector<Error> left = EagerLeftOut(rows, fitted, clock, {});
  PrintFitted(fitted, now);
  Print(left);
  const Json out{{"eager", EagerSummary(left)},
                 {"eager_fitted", EagerSummary(Flat(Evaluate(rows, now)))},
                 {"eager_left_out_errors", RowsJson(left)},
                 {"ranges", {{"eager", RangesOf(left)}}},
                 {"reproduced", same}};
  std::printf("left out: %s\nfitted: %s\n", out["eager"].dump(1).c_str(), out["eager_fitted"].dump(1).c_str());
  if (!o.json.empty())
    if (auto s = base::WriteFileAtomic(o.json, out.dump(1) + "\n"); !s.ok()) return 3;
  return o.check && !same ? 1 : 0;
}

int Main(int argc, char** argv) {
  Options o;
  if (argc == 2 && (!std::strcmp(argv[1], "--help") || !std::strcmp(argv[1], "-h")))
    return std::fputs(kUsage, stdout), 0;
  if (int status = Parse(argc, argv, o)) return status;
  auto folder = base::HomeDir() / "data" / "timing";
  auto text = base::ReadFile(folder / "a2.toml"), tables = base::ReadFile(folder / "measured_a2.toml"),
       operators = base::ReadFile(folder / "measured_910b2.csv"), stands = base::ReadFile(folder / "stands_for.csv");
  if (!text.ok() || !tables.ok() || !operators.ok() || !stands.ok())
    return std::fputs("data/timing is incomplete\n", stderr), 3;
  auto parameters = sim::ParseTiming(*text, "data/timing/a2.toml");
  if (!parameters.ok()) return std::fprintf(stderr, "%s\n", parameters.error().ToString().c_str()), 3;
  std::vector<Row> rows = PublishedRows(*tables);
  if (o.operators)
    for (Row& r : OperatorRows(*operators, *stands)) rows.push_back(std::move(r));

  const auto table = sim::LoadEager();
  if (!table.ok()) return std::fprintf(stderr, "%s\n", table.error().ToString().c_str()), 3;
  const std::vector<Row> eager = EagerRows(*operators, *stands, *table);
  const std::vector<Fitted> fitted = FittedOf(*text, false), eager_fitted = FittedOf(*text, true);
  if (o.eager) return EagerAlone(o, eager, eager_fitted, *parameters);
  RunKernels(rows, *parameters);

  TimingParameters now = *parameters;
  Json out, left_by_table = Json::object();
  if (o.fit) {
    const Fitter fitter(rows, *parameters, fitted);
    now = Fitter(eager, fitter.Fit(), eager_fitted).Fit();
    PrintFitted(fitted, now), PrintFitted(eager_fitted, now);
    ByGroup fits;
    const std::vector<Error> left = LeftOut(rows, fitter, now, fits);
    const std::vector<Error> eager_left = EagerLeftOut(eager, eager_fitted, now, fits);
    out["eager"] = EagerSummary(eager_left);
    out["eager_left_out_errors"] = RowsJson(eager_left);
    std::printf("eager, left out: %s\n", out["eager"].dump(1).c_str());
    for (const char* table : {"bank_conflict_ub", "add_high_performance", "data_copy"})
      left_by_table[table] = Quantile(Where(left, [&](const Error& e) { return e.row->table == table; }), 0.5);
    out["left_out"] = Summary(Where(left, Whole));
    out["left_out_errors"] = RowsJson(Where(left, Whole));
    out["ranges"] = {{"clock", RangesOf(Where(left, Whole))}, {"eager", RangesOf(eager_left)}};
    std::printf("left out: %s\n%s\n", left_by_table.dump().c_str(), out["left_out"].dump(1).c_str());
  }
  const bool same = sim::ToJson(now) == sim::ToJson(*parameters);
  const std::vector<Error> errors = Flat(Evaluate(rows, now)), published = Where(errors, Published);
  Print(errors);
  std::printf("%zu numbers: median error %.2f%%, 90th percentile %.2f%%\n", published.size(),
              100 * Quantile(published, 0.5), 100 * Quantile(published, 0.9));
  out.update({{"rows", published.size()},
              {"median_error", Quantile(published, 0.5)},
              {"p90_error", Quantile(published, 0.9)},
              {"fitted", fitted.size() + eager_fitted.size()},
              {"left_out_median_error", left_by_table},
              {"errors", RowsJson(published)}});
  if (o.operators) {
    out["operators"] = Summary(Where(errors, Whole));
    out["operator_errors"] = RowsJson(Where(errors, Whole));
    std::printf("operators: %s\n", out["operators"].dump(1).c_str());
    out["eager_fitted"] = EagerSummary(Flat(Evaluate(eager, now)));
    std::printf("eager: %s\n", out["eager_fitted"].dump(1).c_str());
  }
  if (o.fit) out["reproduced"] = same;
  if (!o.json.empty())
    if (auto s = base::WriteFileAtomic(o.json, out.dump(1) + "\n"); !s.ok()) return 3;
  return o.check && !same ? 1 : 0;
}
}  // namespace
}  // namespace akgen::calibration

int main(int argc, char** argv) { return akgen::calibration::Main(argc, argv); }
