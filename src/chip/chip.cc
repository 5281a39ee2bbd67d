#include "chip/chip.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"

namespace akgen::chip {
namespace fs = std::filesystem;
namespace {

base::Error Broken(const std::string& where, const std::string& key, const std::string& why) {
  return {"AK0121", "broken chip file: `" + key + "` " + why, where,
          "give the key a value of that kind, with unit and source"};
}

// Reads keys and remembers the first thing that is wrong.
class Reader {
 public:
  Reader(const toml::table& root, std::string where) : root_(root), where_(std::move(where)) {}

  template <typename T>
  void Plain(const char* key, T* out) {
    auto v = root_[key].value<T>();
    if (v) *out = *v;
    else Fail(key, "is missing or of the wrong type");
  }

  // `path` is "table.key" of an inline table { value, unit, source }; null when it is not usable.
  const toml::table* Entry(const std::string& path, std::string_view unit) {
    const toml::table* entry = root_.at_path(path).as_table();
    if (!entry) return Fail(path, "is missing"), nullptr;
    std::string_view got = (*entry)["unit"].value_or(std::string_view());
    if (got != unit) return Fail(path, "must have unit \"" + std::string(unit) + "\""), nullptr;
    std::string_view source = (*entry)["source"].value_or(std::string_view());
    if (source.empty() || !root_["sources"][source].is_string())
      return Fail(path, "must name a source listed under [sources]"), nullptr;
    auto value = (*entry)["value"].value<double>();
    if (!value || *value < 0) return Fail(path, "must have a value of at least 0"), nullptr;
    return entry;
  }

  template <typename T>
  void Number(const std::string& path, std::string_view unit, T* out) {
    if (const toml::table* entry = Entry(path, unit)) *out = T((*entry)["value"].value_or(0.0));
  }

  void Local(const std::string& name, Memory* out) {
    const toml::table* entry = Entry("memory." + name, "B");
    if (!entry) return;
    out->bytes = uint32_t((*entry)["value"].value_or(int64_t(0)));
    out->align = uint32_t((*entry)["align"].value_or(int64_t(0)));
    if (out->align == 0) Fail("memory." + name, "must have an alignment");
  }

  void Rates(std::map<std::string, Rate>* out) {
    const toml::table* rates = root_["rates"].as_table();
    if (!rates) return Fail("rates", "is missing");
    for (const auto& [key, node] : *rates) {
      std::string name(key.str());
      const toml::table* entry = Entry("rates." + name, "B/cycle");
      if (!entry) return;
      Rate& rate = (*out)[name];
      rate.bytes_per_cycle = (*entry)["value"].value_or(0.0);
      rate.head_cycles = (*entry)["head"].value_or(0.0);
      std::string_view source = (*entry)["source"].value_or(std::string_view());
      rate.source = root_["sources"][source].value_or(std::string());
    }
  }

  void Fail(const std::string& key, const std::string& why) {
    if (!error_) error_ = Broken(where_, key, why);
  }
  const std::optional<base::Error>& error() const { return error_; }

 private:
  const toml::table& root_;
  std::string where_;
  std::optional<base::Error> error_;
};

void ReadMemories(Reader& in, Chip* chip) {
  in.Local("ub", &chip->ub);
  in.Local("l1", &chip->l1);
  in.Local("l0a", &chip->l0a);
  in.Local("l0b", &chip->l0b);
  in.Local("l0c", &chip->l0c);
  in.Local("bias_table", &chip->bias_table);
  in.Local("fixpipe_buffer", &chip->fixpipe_buffer);
  in.Number("memory.ub_reserved_tail", "B", &chip->ub_reserved_tail);
  in.Number("memory.ub_reserved_api", "B", &chip->ub_reserved_api);
  in.Number("memory.l2", "B", &chip->l2_bytes);
  in.Number("memory.gm", "B", &chip->gm_bytes);
  in.Number("memory.lib_workspace", "B", &chip->lib_workspace);
  in.Number("memory.gm_align", "B", &chip->gm_align);
  in.Number("memory.cache_line", "B", &chip->cache_line);
  in.Number("memory.data_block", "B", &chip->data_block_bytes);
  in.Number("memory.repeat", "B", &chip->repeat_bytes);
  in.Number("ub_banks.groups", "groups", &chip->ub_bank_groups);
  in.Number("ub_banks.per_group", "banks", &chip->ub_banks_per_group);
  in.Number("ub_banks.bytes", "B", &chip->ub_bank_bytes);
}

void ReadLimits(Reader& in, Chip* chip) {
  in.Number("limits.event_ids", "ids per pair of pipes", &chip->event_ids);
  in.Number("limits.event_ids_static", "ids per pair of pipes", &chip->event_ids_static);
  in.Number("limits.cross_core_flags", "ids", &chip->cross_core_flags);
  in.Number("limits.cross_core_max_sets", "sets", &chip->cross_core_max_sets);
  in.Number("limits.max_buffers", "buffers per TPipe", &chip->max_buffers);
  in.Number("limits.max_tensors_per_position", "tensors", &chip->max_tensors_per_position);
  in.Number("limits.max_repeat", "repeats", &chip->max_repeat);
}

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t up = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = up;
    }
  }
  return row[b.size()];
}

std::string NearMatches(std::string_view name) {
  std::string near, all;
  for (const std::string& known : ChipNames()) {
    all += (all.empty() ? "" : ", ") + known;
    if (EditDistance(name, known) <= 2) near += (near.empty() ? "" : ", ") + known;
  }
  return near.empty() ? "use one of " + all : "did you mean " + near + "?";
}

fs::path ChipDir() { return base::HomeDir() / "data/chips"; }

// "ascend910b2" -> "910B2": the data files' spelling.
std::string Spelling(std::string_view name) {
  std::string s(name);
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return char(std::toupper(c)); });
  return s.starts_with("ASCEND") ? s.substr(6) : s;
}

}  // namespace

base::Result<Chip> ParseChip(std::string_view text, const std::string& where) {
  toml::parse_result parsed = toml::parse(text, where);
  if (!parsed) {
    const toml::parse_error& e = parsed.error();
    return base::Error{"AK0121", "broken chip file: " + std::string(e.description()),
                       where + ":" + std::to_string(e.source().begin.line), "write valid TOML"};
  }
  Chip chip;
  Reader in(parsed.table(), where);
  in.Plain("name", &chip.name);
  in.Plain("soc", &chip.soc);
  in.Plain("npu_arch", &chip.npu_arch);
  in.Plain("aicore", &chip.aicore);
  in.Plain("runnable", &chip.runnable);
  in.Plain("split", &chip.split);
  in.Number("cores.aic", "cores", &chip.aic);
  in.Number("cores.aiv", "cores", &chip.aiv);
  in.Number("cores.clock", "MHz", &chip.clock_mhz);
  in.Number("cores.system_clock", "MHz", &chip.system_clock_mhz);
  ReadMemories(in, &chip);
  ReadLimits(in, &chip);
  in.Rates(&chip.rates);
  if (in.error()) return *in.error();
  return chip;
}

base::Result<Chip> LoadChip(std::string_view name) {
  std::string spelled = Spelling(name);
  std::vector<std::string> known = ChipNames();
  if (std::find(known.begin(), known.end(), spelled) == known.end())
    return base::Error{"AK0120", "no chip is called `" + std::string(name) + "`", ChipDir().string(),
                       NearMatches(spelled)};
  fs::path path = ChipDir() / (spelled + ".toml");
  auto text = base::ReadFile(path);
  if (!text) return text.error();
  return ParseChip(*text, path.string());
}

std::vector<std::string> ChipNames() {
  std::vector<std::string> names;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(ChipDir(), ec))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace akgen::chip
