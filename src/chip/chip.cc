#include "chip/chip.h"

#include <algorithm>
#include <filesystem>
#include <type_traits>
#include <utility>

#include "base/files.h"
#include "base/toml.h"
#include "chip/fields.h"

namespace akgen::chip {
namespace fs = std::filesystem;
namespace {

base::Error Broken(const std::string& where, const std::string& key, const std::string& why) {
  return {"AK0121", "broken chip file: `" + key + "` " + why, where,
          "give the key a value of that kind, with unit and source"};
}

// Reads fields and remembers the first thing that is wrong.
class FileReader {
 public:
  FileReader(const toml::table& root, std::string where) : root_(root), where_(std::move(where)) {}

  template <typename T>
  void Plain(const char* key, T& out) {
    auto v = root_[key].value<T>();
    if (v)
      out = *v;
    else
      Fail(key, "is missing or of the wrong type");
  }

  template <typename T>
  void Number(const char* path, std::string_view unit, T& out) {
    if (const toml::table* entry = Entry(path, unit)) Value(*entry, "value", path, out);
  }

  void Local(const char* path, Memory& out) {
    const toml::table* entry = Entry(path, "B");
    if (!entry) return;
    Value(*entry, "value", path, out.bytes);
    Value(*entry, "align", path, out.align);
    if (out.align == 0) Fail(path, "must have an alignment");
  }

  void Rates(const char* path, std::map<std::string, Rate>& out) {
    const toml::table* rates = root_[path].as_table();
    if (!rates) return Fail(path, "is missing");
    for (const auto& [key, node] : *rates) {
      std::string name(key.str());
      const toml::table* entry = Entry("rates." + name, "B/cycle");
      if (!entry) return;
      Rate& rate = out[name];
      Value(*entry, "value", name, rate.bytes_per_cycle);
      Value(*entry, "head", name, rate.head_cycles);
      std::string_view source = (*entry)["source"].value_or(std::string_view());
      rate.source = root_["sources"][source].value_or(std::string());
    }
  }

  const std::optional<base::Error>& error() const { return error_; }

 private:
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
  void Value(const toml::table& entry, const char* key, const std::string& path, T& out) {
    if constexpr (std::is_floating_point_v<T>) {
      out = entry[key].value_or(0.0);
    } else {
      auto value = entry[key].value<int64_t>();
      if (!value || !std::in_range<T>(*value))
        Fail(path, "must have a whole number as its " + std::string(key));
      else
        out = T(*value);
    }
  }

  void Fail(const std::string& key, const std::string& why) {
    if (!error_) error_ = Broken(where_, key, why);
  }

  const toml::table& root_;
  std::string where_;
  std::optional<base::Error> error_;
};

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
  std::transform(s.begin(), s.end(), s.begin(),
                 [](unsigned char c) { return char(std::toupper(c)); });
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
  FileReader in(parsed.table(), where);
  EachField(chip, in);
  if (in.error()) return *in.error();
  return chip;
}

base::Result<Chip> LoadChip(std::string_view name) {
  std::string spelled = Spelling(name);
  std::vector<std::string> known = ChipNames();
  if (std::find(known.begin(), known.end(), spelled) == known.end())
    return base::Error{"AK0120", "no chip is called `" + std::string(name) + "`",
                       ChipDir().string(), NearMatches(spelled)};
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
