// Reading of typed fields shared by the files of this module: "$column" references and errors with a place.
#pragma once
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace akgen::task {

inline base::Error Malformed(std::string message, std::string where) {
  return base::Error{"AK0102", std::move(message), std::move(where), "see docs/tasks.md for the format"};
}

inline bool IsColumn(const base::Json& v) { return v.is_string() && v.get_ref<const std::string&>().starts_with('$'); }

// `v` itself, or the column it names.
inline base::Result<base::Json> Resolve(const base::Json& v, const base::Json& columns, const std::string& where) {
  if (!IsColumn(v)) return v;
  std::string name = v.get<std::string>().substr(1);
  auto it = columns.find(name);
  if (it == columns.end()) return Malformed("no column '" + name + "' in this case", where);
  return *it;
}

inline base::Result<double> ResolveNumber(const base::Json& v, const base::Json& columns, const std::string& where) {
  auto r = Resolve(v, columns, where);
  if (!r) return r.error();
  if (r->is_boolean()) return r->get<bool>() ? 1.0 : 0.0;
  if (!r->is_number()) return Malformed("a number is needed, got " + base::Dump(*r), where);
  return r->get<double>();
}

}  // namespace akgen::task
