#include "sim/timing/eager.h"

#include "base/files.h"
#include "base/toml.h"
#include "sim/timing/replay.h"

namespace akgen::sim {
namespace {
constexpr double kElementsPerCycle =
    64;  // of 32-bit types, simple operations: what kernels compute in

std::vector<std::string> Names(const toml::node_view<const toml::node>& node) {
  std::vector<std::string> out;
  if (const toml::array* names = node.as_array())
    for (const toml::node& n : *names) out.push_back(n.value_or(std::string()));
  return out;
}

// Rows of an array of tables; none where there is none.
template <class F>
void EachRow(const toml::table& file, const char* name, F&& use) {
  if (const toml::array* rows = file[name].as_array())
    for (const toml::node& row : *rows)
      if (const toml::table* t = row.as_table()) use(*t);
}

EagerTable::Fused FusedOf(const toml::table& t) {
  EagerTable::Fused f;
  f.name = t["name"].value_or(std::string());
  f.outputs = size_t(t["outputs"].value_or(int64_t{1}));
  f.least = int(t["least"].value_or(int64_t{1}));
  if (const toml::array* sets = t["must"].as_array())
    for (size_t i = 0; i < sets->size(); ++i) {
      const auto names = Names(t["must"][i]);
      f.must.emplace_back(names.begin(), names.end());
    }
  if (const toml::table* may = t["may"].as_table())
    for (const auto& [op, most] : *may)
      f.may[std::string(op.str())] = int(most.value_or(int64_t{0}));
  return f;
}
}  // namespace

double ProductCycles(double macs, double bytes) {
  return macs / (bytes <= 1 ? 8192 : bytes <= 2 ? 4096 : 1024);
}

double EagerUs(const EagerKernel& k, const TimingParameters& p, uint32_t cores) {
  const double memory = k.bytes / (p.hbm_rate * p.eager_efficiency);
  const double vector =
      k.elements * k.passes * p.eager_vector / (kElementsPerCycle * cores * p.clock_mhz);
  const double cube = k.products / (p.eager_cube * cores / 2 * p.clock_mhz);
  return EmptyUs(p, cores) + (k.reduces ? p.eager_reduce_us : 0) + memory + vector + cube;
}

const char* EagerSizeOf(double elements) {
  return elements < (1 << 16)    ? "below 2^16"
         : elements <= (1 << 22) ? "2^16 to 2^22"
                                 : "above 2^22";
}

double EagerTable::PassesOf(const std::string& op) const {
  auto known = passes.find(op);
  return known == passes.end() ? 1 : known->second;
}

base::Result<EagerTable> ParseEager(std::string_view text, const std::string& where) {
  const toml::parse_result parsed = toml::parse(text);
  auto broken = [&](std::string why) {
    return base::Error{"AK0121", std::move(why), where,
                       "write it as data/timing/eager.toml is written"};
  };
  if (!parsed) return broken(std::string(parsed.error().description()));
  const toml::table& file = parsed.table();
  EagerTable out;
  out.text = text;
  std::string wrong;
  EachRow(file, "cost", [&](const toml::table& t) {
    for (const std::string& op : Names(t["ops"])) out.passes[op] = t["passes"].value_or(0.0);
    if (Names(t["ops"]).empty() || !t["source"].value<std::string>())
      wrong = "a [[cost]] lacks ops or source";
  });
  for (const std::string& op : Names(file["reduces"])) out.reduces.insert(op);
  for (const std::string& op : Names(file["casts"])) out.casts.insert(op);
  EachRow(file, "fused", [&](const toml::table& t) {
    out.fused.push_back(FusedOf(t));
    const EagerTable::Fused& f = out.fused.back();
    if (f.must.empty() || f.may.empty() || !t["source"].value<std::string>())
      wrong = "the [[fused]] kernel '" + f.name + "' lacks must, may or source";
  });
  EachRow(file, "measured", [&](const toml::table& t) {
    out.measured[t["operator"].value_or(std::string())] = {
        Names(t["ops"]), t["writes"].value_or(1.0), t["writes_elements"].value_or(0.0)};
  });
  if (!wrong.empty()) return broken(wrong);
  if (out.reduces.empty()) return broken("'reduces' is missing");
  return out;
}

base::Result<EagerTable> LoadEager() {
  const auto path = base::HomeDir() / "data" / "timing" / "eager.toml";
  auto text = base::ReadFile(path);
  return text.ok() ? ParseEager(*text, path.string()) : text.error();
}

}  // namespace akgen::sim
