#include "craft/syntax/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace akgen::craft {

void Diagnostics::Add(std::string code, Place place, std::string message, std::string fix,
                      std::string missing) {
  constexpr size_t kLimit = 50;
  for (const Diagnostic& d : list_)
    if (d.place.line == place.line && d.place.column == place.column && d.message == message)
      return;
  if (list_.size() < kLimit)
    list_.push_back(
        {std::move(code), place, std::move(message), std::move(fix), std::move(missing)});
}

std::string Diagnostics::Render(const std::string& file, const std::string& source) const {
  std::vector<std::string> lines;
  std::istringstream in(source);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::string out;
  for (const Diagnostic& d : list_) {
    out += fmt::format("{}:{}:{}: error[{}]: {}\n", file, d.place.line, d.place.column, d.code,
                       d.message);
    if (d.place.line >= 1 && d.place.line <= static_cast<int>(lines.size())) {
      const std::string& line = lines[d.place.line - 1];
      constexpr size_t kWidest = 160;
      if (line.size() <= kWidest) {
        int room = std::max(1, static_cast<int>(line.size()) - d.place.column + 1);
        out +=
            fmt::format("  {}\n  {}{}\n", line, std::string(std::max(0, d.place.column - 1), ' '),
                        std::string(std::clamp(d.place.length, 1, room), '^'));
      }
    }
    if (!d.fix.empty()) out += fmt::format("  fix: {}\n", d.fix);
  }
  return out;
}

base::Json Diagnostics::ToJson(const std::string& file) const {
  base::Json out = base::Json::array();
  for (const Diagnostic& d : list_)
    out.push_back({{"code", d.code},
                   {"file", file},
                   {"line", d.place.line},
                   {"column", d.place.column},
                   {"length", d.place.length},
                   {"message", d.message},
                   {"fix", d.fix}});
  return out;
}

std::string Nearest(const std::string& word, const std::vector<std::string>& names,
                    size_t further) {
  std::string best;
  size_t best_distance = std::max<size_t>(1, word.size() / 3) + further + 1;
  for (const std::string& name : names) {
    std::vector<size_t> row(name.size() + 1);
    for (size_t j = 0; j <= name.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= word.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= name.size(); ++j) {
        size_t next =
            std::min({row[j] + 1, row[j - 1] + 1, diagonal + (word[i - 1] != name[j - 1])});
        diagonal = row[j];
        row[j] = next;
      }
    }
    const bool first = !name.empty() && !best.empty() && name[0] == word[0] && best[0] != word[0];
    if (row[name.size()] < best_distance || (first && row[name.size()] == best_distance)) {
      best_distance = row[name.size()];
      best = name;
    }
  }
  return best;
}

}  // namespace akgen::craft
