// Published tables of the Cube core.

#include "base/toml.h"
#include "cube_kernels.h"
#include "rows.h"

namespace akgen::calibration {
namespace {
uint32_t Number(const toml::table& t, const char* key, int64_t fallback) {
  return uint32_t(t[key].value_or(fallback));
}
uint32_t At(const toml::table& t, const char* key, size_t i, int64_t fallback) {
  const toml::array* a = t[key].as_array();
  return a && i < a->size() ? uint32_t((*a)[i].value_or(fallback)) : uint32_t(fallback);
}

sim::Trace ProductTrace(const toml::table& t) {
  MatrixProduct p;
  p.m = Number(t, "m", 0), p.n = Number(t, "n", 0), p.k = Number(t, "k", 0);
  p.base_m = At(t, "base", 0, 128), p.base_n = At(t, "base", 1, 256),
  p.base_k = At(t, "base", 2, 64);
  p.grid_m = At(t, "grid", 0, 1), p.grid_n = At(t, "grid", 1, 1);
  p.single_n = Number(t, "single_n", 0);
  p.step_ka = At(t, "step", 0, 1), p.step_kb = At(t, "step", 1, 1);
  p.buffers_a = p.buffers_b = Number(t, "buffers", 1);
  p.rounds = Number(t, "rounds", 1);
  p.unit_flag = t["unit_flag"].value_or(false), p.image = t["image"].value_or(false);
  return TraceOf(p);
}
sim::Trace ReadTrace(const toml::table& t) {
  return TraceOf(ReadNz{Number(t, "rows", 0), Number(t, "columns", 0), Number(t, "pitch", 0),
                        Number(t, "tile_rows", 0), Number(t, "tile_columns", 0),
                        Number(t, "passes", 1), Number(t, "column_parts", 1),
                        t["whole"].value_or(false), t["staggered"].value_or(false)});
}
sim::Trace MmadTrace(const toml::table& t) {
  return TraceOf(
      Mmads{Number(t, "m", 0), Number(t, "n", 0), Number(t, "k", 0), Number(t, "times", 1)});
}
sim::Trace StoreTrace(const toml::table& t) {
  return TraceOf(Store{Number(t, "m", 0), Number(t, "n", 0)});
}

void Add(const toml::table& file, const char* kind, sim::Trace (*make)(const toml::table&),
         bool cycles, std::vector<Row>& rows) {
  for (const toml::node& group : *file[kind].as_array())
    for (const toml::node& node : *(*group.as_table())["rows"].as_array()) {
      const toml::table& t = *node.as_table();
      Row r;
      r.table = r.group = (*group.as_table())["table"].value_or(std::string());
      r.name = t["name"].value_or(std::string());
      for (const char* q : {"task", "core", "M", "S", "MTE1", "MTE2", "FIX"})
        if (auto v = t[q].value<double>()) r.measured.emplace_back(q, *v);
      r.scale = t["scale"].value_or(1.0), r.l2_share = t["l2_share"].value_or(1.0);
      r.cube = true, r.warm = t["warm"].value_or(false), r.fitted = !t["check"].value_or(false);
      if (cycles) r.cycles_of = -1;
      r.passes.push_back({nullptr, 1, make(t)});
      rows.push_back(std::move(r));
    }
}
}  // namespace

std::vector<Row> CubeRows(const std::string& text) {
  std::vector<Row> rows;
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) return rows;
  Add(parsed.table(), "mmads", MmadTrace, true, rows);
  Add(parsed.table(), "stores", StoreTrace, true, rows);
  Add(parsed.table(), "read_nz", ReadTrace, false, rows);
  Add(parsed.table(), "products", ProductTrace, false, rows);
  return rows;
}

}  // namespace akgen::calibration
