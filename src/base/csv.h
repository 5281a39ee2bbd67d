// Tables as text: RFC 4180, a header first.
#pragma once
#include <map>
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

// Empty lines and a byte order mark are passed over. AK0122: no header, a quote without its end, or
// a row with another number of cells than the header (place = where:line).
Result<Csv> ReadCsv(std::string_view text, const std::string& where);

// Columns by name, whatever their blanks and capitals: versions of a program spell them
// differently.
class CsvColumns {
 public:
  explicit CsvColumns(const std::vector<std::string>& header);
  // `name` in small letters without blanks, as "taskduration(us)".
  bool Has(const std::string& name) const { return at_.contains(name); }
  std::string In(const CsvRow& row,
                 const std::string& name) const;  // "" where there is no such column

 private:
  std::map<std::string, size_t> at_;
};

// A number above 0, or 0 where the cell holds none ("N/A").
double PositiveNumber(const std::string& cell);

}  // namespace akgen::base
