// Fits the timing model's parameters of kind "fitted" to published measurements and prints the error of every one.
#include <sys/mman.h>
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "kernels.h"
#include "sim/launch/launch.h"

namespace akgen::calibration {
namespace {
using base::Json;
using sim::TimingParameters;

constexpr const char* kUsage =
    "usage: calibrate [--fit] [--check] [--json FILE]\n"
    "Without options: the error of every measured row under data/timing/a2.toml.\n"
    "  --fit    fit the parameters of kind \"fitted\" and print them and their errors, left-out errors too\n"
    "  --check  fit, and compare with the values in the file\n"
    "  --json   write {rows, median_error, p90_error, reproduced, …} to FILE\n";

// One published row: a kernel to run, and what was measured (name of the quantity, value).
struct Row {
  std::string table, name;
  double scale = 1, l2_share = 1;
  std::vector<std::pair<std::string, double>> measured;
  std::function<void()> kernel;
  uint32_t cores = 1;
  sim::Trace trace{0, 0};
  double cycles_of = 0;  // bank rows: instructions whose mean is meant
};

uint8_t* g_memory = nullptr;
constexpr size_t kMemory = size_t{3} << 28;

template <typename T>
T Get(const toml::table& t, const char* key, T fallback) {
  return t[key].value_or(fallback);
}

void AddBankRows(const toml::array& tables, std::vector<Row>& rows) {
  for (const toml::node& group : tables)
    for (const toml::node& node : *(*group.as_table())["rows"].as_array()) {
      const toml::table& t = *node.as_table();
      BankConflict c;
      c.src0 = uint32_t(Get<int64_t>(t, "src0", 0)), c.src1 = uint32_t(Get<int64_t>(t, "src1", 0));
      c.dst = uint32_t(Get<int64_t>(t, "dst", 0));
      c.src0_block_stride = uint16_t(Get<int64_t>(t, "block_stride", 1));
      c.src0_repeat_stride = uint16_t(Get<int64_t>(t, "repeat_stride", 8));
      Row r;
      r.table = Get<std::string>(*group.as_table(), "table", ""), r.name = Get<std::string>(t, "name", "");
      r.measured = {{"cycles", Get(t, "cycles", 0.0)}};
      r.cycles_of = c.times;
      r.kernel = [c] { RunBankConflict(c); };
      rows.push_back(std::move(r));
    }
}

void TakeMeasured(const toml::table& t, Row& r) {
  for (const char* q : {"task", "core", "V", "S", "MTE2", "MTE3"})
    if (auto v = t[q].value<double>()) r.measured.push_back({q, *v});
  r.scale = Get(t, "scale", 1.0);
  r.l2_share = Get(t, "l2_share", 1.0);
}

void AddLadderRows(const toml::array& tables, std::vector<Row>& rows) {
  for (const toml::node& group : tables)
    for (const toml::node& node : *(*group.as_table())["rows"].as_array()) {
      const toml::table& t = *node.as_table();
      AddLadder a;
      a.rows = uint32_t(Get<int64_t>(t, "rows", 0)), a.tile = uint32_t(Get<int64_t>(t, "tile", 0));
      a.columns = uint32_t(Get<int64_t>(*group.as_table(), "columns", 0)),
      a.buffers = uint32_t(Get<int64_t>(t, "buffers", 1));
      a.scalar = Get(t, "scalar", false), a.bypass = Get(t, "bypass", false);
      a.gap = uint32_t(Get<int64_t>(t, "gap", 0));
      Row r;
      r.table = Get<std::string>(*group.as_table(), "table", ""), r.name = Get<std::string>(t, "name", "");
      r.cores = uint32_t(Get<int64_t>(t, "cores", 1));
      TakeMeasured(t, r);
      size_t bytes = size_t(a.rows) * a.columns * 2;
      r.kernel = [a, bytes] { RunAddLadder(a, g_memory, g_memory + bytes, g_memory + 2 * bytes); };
      rows.push_back(std::move(r));
    }
}

void AddReadRows(const toml::array& tables, std::vector<Row>& rows) {
  for (const toml::node& group : tables)
    for (const toml::node& node : *(*group.as_table())["rows"].as_array()) {
      const toml::table& t = *node.as_table();
      auto n = [&](const char* key, int64_t fallback) { return uint32_t(Get<int64_t>(t, key, fallback)); };
      ReadTiles s{n("rows", 0),         n("columns", 0),        n("pitch", 0),
                  n("tile_rows", 0),    n("tile_columns", 0),   n("passes", 1),
                  n("column_parts", 1), Get(t, "whole", false), Get(t, "staggered", false)};
      Row r;
      r.table = Get<std::string>(*group.as_table(), "table", ""), r.name = Get<std::string>(t, "name", "");
      r.cores = 48;
      TakeMeasured(t, r);
      r.kernel = [s] { RunReadTiles(s, g_memory); };
      rows.push_back(std::move(r));
    }
}

// What the model says of one quantity. Launch overhead is not scaled with the rows.
double Modelled(const Row& r, const sim::ModelledTime& t, const TimingParameters& p, const std::string& q) {
  auto pipe = [&](int i) { return t.pipes[i].busy / p.clock_mhz / t.cores * r.scale; };
  const double start = p.block_start / p.clock_mhz;  // once a launch, not once per part of the rows
  if (q == "task") return (t.longest_core_us - start) * r.scale + start + (t.us - t.longest_core_us);
  if (q == "core") return (t.core_us - start) * r.scale + start;
  if (q == "V") return pipe(AKGEN_PIPE_V);
  if (q == "S") return pipe(AKGEN_PIPE_S) - start * (r.scale - 1);
  if (q == "MTE2") return pipe(AKGEN_PIPE_MTE2);
  if (q == "MTE3") return pipe(AKGEN_PIPE_MTE3);
  return t.pipes[AKGEN_PIPE_V].busy / r.cycles_of - 2 * 86.0 / r.cycles_of;  // the two Duplicates before the Adds
}

struct Error {
  const Row* row;
  std::string quantity;
  double measured, modelled;
  double Relative() const { return modelled / measured - 1; }
};

std::vector<Error> ErrorsOf(const Row& r, const TimingParameters& p) {
  std::vector<Error> out;
  TimingParameters mine = p;
  mine.l2_bytes *= r.l2_share;
  sim::ModelledTime t = sim::Replay(r.trace, mine, {48, 0, 0});
  for (const auto& [q, value] : r.measured) out.push_back({&r, q, value, Modelled(r, t, p, q)});
  return out;
}

// Errors by row.
using Board = std::vector<std::vector<Error>>;

std::vector<Error> Flat(const Board& board) {
  std::vector<Error> out;
  for (const auto& errors : board) out.insert(out.end(), errors.begin(), errors.end());
  return out;
}

double Loss(const Board& board, const std::string& without) {
  double sum = 0;
  for (const Error& e : Flat(board)) {
    if (e.row->table == without) continue;
    double d = std::log(std::max(e.modelled, 1e-9) / e.measured);
    sum += std::min(d * d, 0.09);  // one row that cannot be met must not drag the others along
  }
  return sum;
}

double Quantile(std::vector<Error> errors, double q) {
  std::vector<double> a;
  for (const Error& e : errors) a.push_back(std::fabs(e.Relative()));
  std::sort(a.begin(), a.end());
  return a.empty() ? 0 : a[std::min(a.size() - 1, size_t(q * double(a.size())))];
}

struct Fitted {
  std::string name;
  double start;
};

// The parameters of kind "fitted", in the file's order, and where their fit begins.
std::vector<Fitted> FittedOf(const std::string& text) {
  std::vector<Fitted> out;
  toml::table t = toml::parse(text).table();
  for (const auto& [name, node] : *t["parameters"].as_table())
    if ((*node.as_table())["kind"].value_or(std::string()) == "fitted")
      out.push_back({std::string(name.str()), (*node.as_table())["start"].value_or(0.0)});
  return out;
}

double& At(Json& parameters, const std::string& name) { return *parameters[name].get_ptr<double*>(); }

double Round(double v) {
  char digits[32];  // three, as the file can hold them
  std::snprintf(digits, sizeof digits, "%.2e", v);
  return std::strtod(digits, nullptr);
}

// Coordinate descent with shrinking steps: few parameters, each with its own rows. Deterministic.
class Fitter {
 public:
  Fitter(const std::vector<Row>& rows, const TimingParameters& fixed, std::vector<Fitted> fitted)
      : rows_(rows), fitted_(std::move(fitted)) {
    start_ = sim::ToJson(fixed);
    for (const Fitted& f : fitted_) At(start_, f.name) = f.start;
    board_ = Evaluate(start_);
    for (const Fitted& f : fitted_) {
      Json other = start_;
      At(other, f.name) *= 1.12;
      moves_.push_back(Moved(Evaluate(other)));
    }
  }
  TimingParameters Fit(const std::string& without = "") const {
    Json best = start_;
    Board board = board_;
    double loss = Loss(board, without);
    for (double step : {0.1, 0.02})
      for (size_t i = 0; i < fitted_.size(); ++i)
        for (double factor : {1 + step, 1 / (1 + step)})
          for (int tries = 0; tries < 6; ++tries) {
            Json trial = best;
            At(trial, fitted_[i].name) = Round(At(trial, fitted_[i].name) * factor);
            Board next = board;
            TimingParameters p = sim::TimingFromJson(trial);
            for (size_t r = 0; r < rows_.size(); ++r)
              if (moves_[i][r] && rows_[r].table != without) next[r] = ErrorsOf(rows_[r], p);
            double l = Loss(next, without);
            if (l >= loss - 1e-12) break;
            loss = l, best = std::move(trial), board = std::move(next);
          }
    return sim::TimingFromJson(best);
  }

 private:
  Board Evaluate(const Json& parameters) const {
    Board out;
    TimingParameters p = sim::TimingFromJson(parameters);
    for (const Row& r : rows_) out.push_back(ErrorsOf(r, p));
    return out;
  }
  // Which rows a parameter has a say in.
  std::vector<bool> Moved(const Board& other) const {
    std::vector<bool> out(rows_.size(), false);
    for (size_t r = 0; r < rows_.size(); ++r)
      for (size_t e = 0; e < other[r].size(); ++e)
        if (std::fabs(other[r][e].modelled / board_[r][e].modelled - 1) > 1e-4) out[r] = true;
    return out;
  }
  const std::vector<Row>& rows_;
  std::vector<Fitted> fitted_;
  Json start_;
  Board board_;
  std::vector<std::vector<bool>> moves_;  // by parameter, by row
};

Board Evaluate(const std::vector<Row>& rows, const TimingParameters& p) {
  Board out;
  for (const Row& r : rows) out.push_back(ErrorsOf(r, p));
  return out;
}

void RunKernels(std::vector<Row>& rows, const TimingParameters& p) {
  for (Row& r : rows) {
    sim::LaunchRequest launch;
    launch.kernel = r.kernel;
    launch.blocks = r.cores;
    launch.timing = &p;
    launch.keep_trace = true;
    launch.checks = {false, false, false, false};
    sim::LaunchResult result = sim::Launch(launch);
    if (result.status != "ok" || !result.trace) {
      std::fprintf(stderr, "%s, row %s: %s %s\n", r.table.c_str(), r.name.c_str(), result.status.c_str(),
                   result.detail.c_str());
      std::exit(3);
    }
    r.trace = std::move(*result.trace);
  }
}

void Print(const std::vector<Error>& errors) {
  std::printf("%-22s %-26s %-7s %12s %12s %8s\n", "table", "row", "what", "measured", "modelled", "error");
  for (const Error& e : errors)
    std::printf("%-22s %-26s %-7s %12.3f %12.3f %+7.1f%%\n", e.row->table.c_str(), e.row->name.c_str(),
                e.quantity.c_str(), e.measured, e.modelled, 100 * e.Relative());
  std::printf("%zu numbers: median error %.2f%%, 90th percentile %.2f%%\n", errors.size(), 100 * Quantile(errors, 0.5),
              100 * Quantile(errors, 0.9));
}

Json RowsJson(const std::vector<Error>& errors) {
  Json out = Json::array();
  for (const Error& e : errors)
    out.push_back({{"table", e.row->table},
                   {"row", e.row->name},
                   {"what", e.quantity},
                   {"measured", e.measured},
                   {"modelled", e.modelled},
                   {"error", e.Relative()}});
  return out;
}

int Main(int argc, char** argv) {
  bool fit = false, check = false;
  std::string json;
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    if (a == "--fit") fit = true;
    else if (a == "--check") fit = check = true;
    else if (a == "--json" && i + 1 < argc) json = argv[++i];
    else return std::fputs(kUsage, a == "-h" || a == "--help" ? stdout : stderr), a == "-h" || a == "--help" ? 0 : 2;
  }
  auto folder = base::HomeDir() / "data" / "timing";
  auto text = base::ReadFile(folder / "a2.toml"), measured = base::ReadFile(folder / "measured_a2.toml");
  if (!text.ok() || !measured.ok()) return std::fputs("data/timing is incomplete\n", stderr), 3;
  auto parameters = sim::ParseTiming(*text, "data/timing/a2.toml");
  if (!parameters.ok()) return std::fprintf(stderr, "%s\n", parameters.error().ToString().c_str()), 3;
  g_memory = static_cast<uint8_t*>(
      ::mmap(nullptr, kMemory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  sim::AddGmRegion({"matrices", g_memory, kMemory, sim::Role::kInout});
  std::vector<Row> rows;
  toml::parse_result table = toml::parse(*measured);
  if (!table) return std::fputs("data/timing/measured_a2.toml is no valid TOML\n", stderr), 3;
  const toml::table& t = table.table();
  AddBankRows(*t["bank_conflict"].as_array(), rows);
  AddLadderRows(*t["add_ladder"].as_array(), rows);
  AddReadRows(*t["read_tiles"].as_array(), rows);
  RunKernels(rows, *parameters);

  TimingParameters now = *parameters;
  const std::vector<Fitted> fitted = FittedOf(*text);
  std::optional<Fitter> fitter;
  if (fit) now = fitter.emplace(rows, *parameters, fitted).Fit();
  std::vector<Error> errors = Flat(Evaluate(rows, now));
  Print(errors);
  bool same = sim::ToJson(now) == sim::ToJson(*parameters);
  Json left_out = Json::object();
  if (fit) {
    Json values = sim::ToJson(now);
    for (const Fitted& f : fitted) std::printf("  %s = %.10g\n", f.name.c_str(), values[f.name].get<double>());
    for (const char* table : {"bank_conflict_ub", "add_high_performance", "data_copy"}) {
      std::vector<Error> all = Flat(Evaluate(rows, fitter->Fit(table))), mine;
      for (const Error& e : all)
        if (e.row->table == table) mine.push_back(e);
      std::printf("%s left out of the fit: median error %.2f%%\n", table, 100 * Quantile(mine, 0.5));
      left_out[table] = Quantile(mine, 0.5);
    }
  }
  if (!json.empty()) {
    Json out{{"rows", errors.size()},
             {"median_error", Quantile(errors, 0.5)},
             {"p90_error", Quantile(errors, 0.9)},
             {"left_out_median_error", left_out},
             {"fitted", fitted.size()},
             {"errors", RowsJson(errors)}};
    if (fit) out["reproduced"] = same;
    if (auto s = base::WriteFileAtomic(json, out.dump(1) + "\n"); !s.ok()) return 3;
  }
  return check && !same ? 1 : 0;
}
}  // namespace
}  // namespace akgen::calibration

int main(int argc, char** argv) { return akgen::calibration::Main(argc, argv); }
