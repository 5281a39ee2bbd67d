#include "base/csv.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace akgen::base {
namespace {
Error BrokenCsv(const std::string& why, const std::string& where, int line) {
  return {"AK0122", why, where + ":" + std::to_string(line),
          "write a header, and as many cells in every row"};
}

// All lines, the header among them; 0, or the line of a quote without its end.
int SplitCsv(std::string_view text, std::vector<CsvRow>& out) {
  std::string cell;
  int line = 1, opened = 0;
  bool quoted = false;
  CsvRow row{1, {}};
  const auto end_row = [&] {
    row.cells.push_back(std::exchange(cell, ""));
    if (row.cells.size() > 1 || !row.cells[0].empty()) out.push_back(std::move(row));
    row = {line, {}};
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
      cell += '"', ++i;
    else if (c == '"')
      quoted = !quoted, opened = line;
    else if (!quoted && c == ',')
      row.cells.push_back(std::exchange(cell, ""));
    else if (!quoted && c == '\n')
      end_row();
    else if (quoted || c != '\r')
      cell += c;
  }
  if (quoted) return opened;
  end_row();
  return 0;
}
}  // namespace

Result<Csv> ReadCsv(std::string_view text, const std::string& where) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  Csv out;
  if (int line = SplitCsv(text, out.rows)) return BrokenCsv("a quote has no end", where, line);
  if (out.rows.empty()) return BrokenCsv("the table is empty", where, 1);
  out.columns = std::move(out.rows[0].cells);
  out.rows.erase(out.rows.begin());
  for (const CsvRow& row : out.rows)
    if (row.cells.size() != out.columns.size())
      return BrokenCsv("a row has " + std::to_string(row.cells.size()) + " cells, the header " +
                           std::to_string(out.columns.size()),
                       where, row.line);
  return out;
}

CsvColumns::CsvColumns(const std::vector<std::string>& header) {
  for (size_t i = 0; i < header.size(); ++i) {
    std::string name;
    for (char c : header[i])
      if (c != ' ' && c != '\t') name += c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    at_.try_emplace(name, i);
  }
}

std::string CsvColumns::In(const CsvRow& row, const std::string& name) const {
  const auto known = at_.find(name);
  return known == at_.end() ? "" : row.cells[known->second];
}

double PositiveNumber(const std::string& cell) {
  double number = 0;
  const char* end = cell.data() + cell.size();
  const auto read = std::from_chars(cell.data(), end, number);
  return read.ec == std::errc() && read.ptr == end && std::isfinite(number) && number > 0 ? number
                                                                                          : 0;
}

}  // namespace akgen::base
