#include "sim/timing/parameters.h"

#include <algorithm>
#include <iterator>

#include "sim/ops/ops.h"

namespace akgen::sim {
namespace {
struct Field {
  const char* name;
  double TimingParameters::* at;
};
constexpr Field kFields[] = {{"clock_mhz", &TimingParameters::clock_mhz},
                             {"vector_head", &TimingParameters::vector_head},
                             {"bank_read", &TimingParameters::bank_read},
                             {"bank_write", &TimingParameters::bank_write},
                             {"scalar_issue", &TimingParameters::scalar_issue},
                             {"scalar_ub", &TimingParameters::scalar_ub},
                             {"scalar_gm", &TimingParameters::scalar_gm},
                             {"data_cache", &TimingParameters::data_cache},
                             {"scalar_plain", &TimingParameters::scalar_plain},
                             {"scalar_slow", &TimingParameters::scalar_slow},
                             {"scalar_word", &TimingParameters::scalar_word},
                             {"scalar_library", &TimingParameters::scalar_library},
                             {"scalar_least", &TimingParameters::scalar_least},
                             {"mte2_rate", &TimingParameters::mte2_rate},
                             {"l2_core_rate", &TimingParameters::l2_core_rate},
                             {"block_start", &TimingParameters::block_start},
                             {"mte2_latency", &TimingParameters::mte2_latency},
                             {"mte2_floor", &TimingParameters::mte2_floor},
                             {"mte2_burst", &TimingParameters::mte2_burst},
                             {"mte3_rate", &TimingParameters::mte3_rate},
                             {"hbm_rate", &TimingParameters::hbm_rate},
                             {"write_share", &TimingParameters::write_share},
                             {"l2_rate", &TimingParameters::l2_rate},
                             {"l2_bytes", &TimingParameters::l2_bytes},
                             {"shared_line", &TimingParameters::shared_line},
                             {"same_line", &TimingParameters::same_line},
                             {"hand_off", &TimingParameters::hand_off},
                             {"sync_all", &TimingParameters::sync_all},
                             {"slowest", &TimingParameters::slowest},
                             {"launch_us", &TimingParameters::launch_us},
                             {"launch_core_us", &TimingParameters::launch_core_us},
                             {"l0a_rate", &TimingParameters::l0a_rate},
                             {"l0b_rate", &TimingParameters::l0b_rate},
                             {"load_head", &TimingParameters::load_head},
                             {"image_head", &TimingParameters::image_head},
                             {"table_rate", &TimingParameters::table_rate},
                             {"table_head", &TimingParameters::table_head},
                             {"mmad_gap", &TimingParameters::mmad_gap},
                             {"mmad_latency", &TimingParameters::mmad_latency},
                             {"fix_l1_rate", &TimingParameters::fix_l1_rate},
                             {"fix_gm_rate", &TimingParameters::fix_gm_rate},
                             {"fix_head", &TimingParameters::fix_head},
                             {"l1_row", &TimingParameters::l1_row},
                             {"l1_latency", &TimingParameters::l1_latency},
                             {"l1_line", &TimingParameters::l1_line},
                             {"l1_share", &TimingParameters::l1_share},
                             {"cube_queue", &TimingParameters::cube_queue},
                             {"eager_reduce_us", &TimingParameters::eager_reduce_us},
                             {"eager_efficiency", &TimingParameters::eager_efficiency},
                             {"eager_vector", &TimingParameters::eager_vector},
                             {"eager_cube", &TimingParameters::eager_cube}};

base::Status ReadVector(const chip::TimingFile& file, const std::string& where,
                        TimingParameters& p) {
  for (const auto& [name, rate] : file.vector)
    if (std::find(std::begin(kRateNames), std::end(kRateNames), name) == std::end(kRateNames))
      return chip::BrokenTiming(where, "vector", "names a rate that no instruction has: " + name);
  for (const char* name : kRateNames)
    if (!file.vector.count(name))
      return chip::BrokenTiming(where, "vector", "has no row for the rate " + std::string(name));
  p.vector.resize(AKGEN_OP_COUNT_);
  for (uint32_t op = 0; op < AKGEN_OP_COUNT_; ++op)
    p.vector[op] = file.vector.at(kRateNames[size_t(RowOf(op).rate)]);
  return {};
}

base::Result<TimingParameters> FromFile(const chip::TimingFile& file, const std::string& where) {
  TimingParameters p;
  for (const Field& f : kFields) {
    auto known = file.parameters.find(f.name);
    if (known == file.parameters.end()) return chip::BrokenTiming(where, f.name, "is missing");
    p.*f.at = known->second;
  }
  for (const char* divisor :
       {"clock_mhz", "mte2_rate", "mte3_rate", "hbm_rate", "l2_rate", "l2_core_rate", "l0a_rate",
        "l0b_rate", "table_rate", "fix_l1_rate", "fix_gm_rate", "eager_efficiency", "eager_cube"})
    if (file.parameters.at(divisor) <= 0)
      return chip::BrokenTiming(where, divisor, "must be above 0");
  if (auto status = ReadVector(file, where, p); !status.ok()) return status.error();
  return p;
}
}  // namespace

base::Result<TimingParameters> ParseTiming(std::string_view text, const std::string& where) {
  auto file = chip::ParseTimingFile(text, where);
  return file.ok() ? FromFile(*file, where) : file.error();
}

base::Result<TimingParameters> LoadTiming(std::string_view name) {
  auto file = chip::LoadTimingFile(name);
  return file.ok() ? FromFile(*file, "data/timing/" + std::string(name) + ".toml") : file.error();
}

base::Json ToJson(const TimingParameters& p) {
  base::Json j;
  for (const Field& f : kFields) j[f.name] = p.*f.at;
  for (const auto& v : p.vector) j["vector"].push_back({v.per_cycle[0], v.per_cycle[1], v.passes});
  return j;
}

TimingParameters TimingFromJson(const base::Json& j) {
  TimingParameters p;
  for (const Field& f : kFields) p.*f.at = j.value(f.name, 0.0);
  for (const base::Json& v : j.value("vector", base::Json::array()))
    p.vector.push_back({{v[0], v[1]}, v[2]});
  p.vector.resize(AKGEN_OP_COUNT_);
  return p;
}

}  // namespace akgen::sim
