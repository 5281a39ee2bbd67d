#include "base/status.h"

namespace akgen::base {

std::string Error::ToString() const {
  std::string s = "error[" + code + "]: " + message;
  if (!where.empty()) s += "\n  at " + where;
  if (!fix.empty()) s += "\n  fix: " + fix;
  return s;
}

}  // namespace akgen::base
