// Reading of typed fields shared by the files of this module: "$column" references and errors with
// a place.
#pragma once
#include <cmath>
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace akgen::task {

inline base::Error Malformed(std::string message, std::string where) {
  return base::Error{"AK0102", std::move(message), std::move(where),
                     "see docs/tasks.md for the format"};
}

inline bool IsColumn(const base::Json& v) {
  return v.is_string() && v.get_ref<const std::string&>().starts_with('$');
}

// Appended to a place: the column that a value comes from.
inline std::string OfColumn(const base::Json& v) {
  return IsColumn(v) ? ", column '" + v.get<std::string>().substr(1) + "'" : std::string();
}

// `v` itself, or the column it names.
inline base::Result<base::Json> Resolve(const base::Json& v, const base::Json& columns,
                                        const std::string& where) {
  if (!IsColumn(v)) return v;
  std::string name = v.get<std::string>().substr(1);
  auto it = columns.find(name);
  if (it == columns.end()) return Malformed("no column '" + name + "' in this case", where);
  return *it;
}

inline base::Result<double> ResolveNumber(const base::Json& v, const base::Json& columns,
                                          const std::string& where) {
  auto r = Resolve(v, columns, where);
  if (!r) return r.error();
  if (r->is_boolean()) return r->get<bool>() ? 1.0 : 0.0;
  if (!r->is_number())
    return Malformed("a number is needed, got " + base::Dump(*r), where + OfColumn(v));
  return r->get<double>();
}

// A whole number that a double holds exactly.
inline base::Result<int64_t> ResolveWhole(const base::Json& v, const base::Json& columns,
                                          const std::string& where) {
  auto number = ResolveNumber(v, columns, where);
  if (!number) return number.error();
  constexpr double kLimit = 9007199254740992.0;  // 2^53
  if (!(std::fabs(*number) <= kLimit) || *number != std::floor(*number))
    return Malformed("a whole number is needed, got " + base::Dump(base::Json(*number)),
                     where + OfColumn(v));
  return int64_t(*number);
}

}  // namespace akgen::task
