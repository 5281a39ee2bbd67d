// Tables as text: RFC 4180, a header first.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace akgen::base {

struct CsvRow {
  int line = 0;                    // where it begins, from 1
  std::vector<std::string> cells;  // as many as there are columns
};

struct Csv {
  std::vector<std::string> columns;
  std::vector<CsvRow> rows;
};

// Empty lines and a byte order mark are passed over. AK0122: no header, a quote without its end, or a row with another
// number of cells than the header (place = where:line).
Result<Csv> ReadCsv(std::string_view text, const std::string& where);

}  // namespace akgen::base
