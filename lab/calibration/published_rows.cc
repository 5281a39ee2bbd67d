// Published tables of instructions, pipes and copies, and the kernels of the same shape.
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

#include "base/toml.h"
#include "chip/chip.h"
#include "kernels.h"
#include "rows.h"
#include "sim/launch/launch.h"
#include "sim/timing/memory_system.h"

namespace akgen::calibration {
namespace {
using sim::TimingParameters;
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
      r.table = r.group = Get<std::string>(*group.as_table(), "table", ""),
      r.name = Get<std::string>(t, "name", "");
      r.measured = {{"cycles", Get(t, "cycles", 0.0)}};
      r.cycles_of = c.times;
      r.passes.push_back({[c] { RunBankConflict(c); }, 1, sim::Trace{0, 0}});
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
      r.table = r.group = Get<std::string>(*group.as_table(), "table", ""),
      r.name = Get<std::string>(t, "name", "");
      TakeMeasured(t, r);
      size_t bytes = size_t(a.rows) * a.columns * 2;
      const uint32_t cores = uint32_t(Get<int64_t>(t, "cores", 1));
      auto kernel = [a, bytes] {
        RunAddLadder(a, Memory(), Memory() + bytes, Memory() + 2 * bytes);
      };
      r.passes.push_back({kernel, cores, sim::Trace{0, 0}});
      rows.push_back(std::move(r));
    }
}

void AddReadRows(const toml::array& tables, std::vector<Row>& rows) {
  for (const toml::node& group : tables)
    for (const toml::node& node : *(*group.as_table())["rows"].as_array()) {
      const toml::table& t = *node.as_table();
      auto n = [&](const char* key, int64_t fallback) {
        return uint32_t(Get<int64_t>(t, key, fallback));
      };
      ReadTiles s{n("rows", 0),         n("columns", 0),        n("pitch", 0),
                  n("tile_rows", 0),    n("tile_columns", 0),   n("passes", 1),
                  n("column_parts", 1), Get(t, "whole", false), Get(t, "staggered", false)};
      Row r;
      r.table = r.group = Get<std::string>(*group.as_table(), "table", ""),
      r.name = Get<std::string>(t, "name", "");
      TakeMeasured(t, r);
      r.passes.push_back({[s] { RunReadTiles(s, Memory()); }, 48, sim::Trace{0, 0}});
      rows.push_back(std::move(r));
    }
}

}  // namespace

uint8_t* Memory() {
  static uint8_t* const memory = [] {
    void* at = ::mmap(nullptr, kMemory, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    auto* memory = static_cast<uint8_t*>(at);
    sim::AddGmRegion({"matrices", memory, kMemory, sim::Role::kInout});
    return memory;
  }();
  return memory;
}

std::vector<Row> PublishedRows(const std::string& text) {
  std::vector<Row> rows;
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) return rows;
  const toml::table& t = parsed.table();
  AddBankRows(*t["bank_conflict"].as_array(), rows);
  AddLadderRows(*t["add_ladder"].as_array(), rows);
  AddReadRows(*t["read_tiles"].as_array(), rows);
  return rows;
}

void RunKernels(std::vector<Row>& rows, const TimingParameters& p) {
  (void)Memory();
  const auto chip = chip::LoadChip("910B1");  // the board of the published tables
  if (!chip.ok()) {
    std::fprintf(stderr, "%s\n", chip.error().ToString().c_str());
    std::exit(3);
  }
  for (Row& r : rows)
    for (Pass& pass : r.passes) {
      if (!pass.kernel) continue;
      sim::LaunchRequest launch;
      launch.chip = sim::ModelOf(*chip);
      launch.kernel = pass.kernel;
      launch.blocks = pass.cores;
      launch.timing = &p;
      launch.keep_trace = true;
      launch.checks = {false, false, false, false};
      sim::LaunchResult result = sim::Launch(launch);
      if (result.status != "ok" || !result.trace) {
        std::fprintf(stderr, "%s, row %s: %s %s\n", r.table.c_str(), r.name.c_str(),
                     result.status.c_str(), result.detail.c_str());
        std::exit(3);
      }
      pass.trace = std::move(*result.trace);
    }
}

namespace {
// What the model says of one quantity. Launch overhead is not scaled with the rows.
double Modelled(const Row& r, const sim::ModelledTime& t, const TimingParameters& p,
                const std::string& q) {
  auto pipe = [&](int i) {
    return (r.cube ? t.cube_pipes : t.pipes)[i].busy / p.clock_mhz / t.cores * r.scale;
  };
  if (r.cycles_of < 0) return t.cube_pipes[q == "M" ? AKGEN_PIPE_M : AKGEN_PIPE_FIX].busy;
  const double start = p.block_start / p.clock_mhz;  // once a launch, not once per part of the rows
  if (q == "task")
    return (t.longest_core_us - start) * r.scale + start + (t.us - t.longest_core_us);
  if (q == "core") return (t.core_us - start) * r.scale + start;
  if (q == "V") return pipe(AKGEN_PIPE_V);
  if (q == "S") return pipe(AKGEN_PIPE_S) - start * (r.scale - 1);
  if (q == "MTE2") return pipe(AKGEN_PIPE_MTE2);
  if (q == "MTE3") return pipe(AKGEN_PIPE_MTE3);
  if (q == "M") return pipe(AKGEN_PIPE_M);
  if (q == "MTE1") return pipe(AKGEN_PIPE_MTE1);
  if (q == "FIX") return pipe(AKGEN_PIPE_FIX);
  return t.pipes[AKGEN_PIPE_V].busy / r.cycles_of -
         2 * 86.0 / r.cycles_of;  // the two Duplicates before the Adds
}

// Every device kernel's time; what one leaves in L2 the next one finds.
std::vector<Error> WholeErrors(const Row& r, const TimingParameters& p,
                               const TimingParameters& mine) {
  double us = 0;
  sim::L2 l2(mine);
  sim::ModelledTime t;
  for (const Pass& pass : r.passes) {
    sim::ReplayOptions options{pass.trace.cube() ? 24u : 48u, 0, 0};
    options.l2 = &l2;
    t = sim::Replay(pass.trace, mine, options);
    us += Modelled(r, t, p, "task");
  }
  us += double(r.launches - int(r.passes.size())) * sim::EmptyUs(p, r.passes[0].cores);
  const bool launch = sim::EmptyUs(p, r.passes[0].cores) * r.launches > 0.5 * us;
  return {{&r, "task", launch ? "launch" : sim::BusyRegimeOf(t, p), r.measured[0].second, us}};
}
}  // namespace

std::vector<Error> ErrorsOf(const Row& r, const TimingParameters& p) {
  TimingParameters mine = p;
  mine.l2_bytes *= r.l2_share;
  if (r.Whole()) return WholeErrors(r, p, mine);
  if (r.eager)
    return {{&r, "task", sim::EagerSizeOf(r.elements), r.measured[0].second,
             sim::EagerUs(*r.eager, p, 48)}};
  sim::L2 l2(mine);
  const sim::ReplayOptions options{r.cube ? 24u : 48u, 0, 0, r.warm ? &l2 : nullptr};
  if (r.warm) sim::Replay(r.passes[0].trace, mine, options);
  const sim::ModelledTime t = sim::Replay(r.passes[0].trace, mine, options);
  std::vector<Error> out;
  for (const auto& [q, value] : r.measured)
    out.push_back({&r, q, sim::RegimeOf(t, p), value, Modelled(r, t, p, q)});
  return out;
}

}  // namespace akgen::calibration
