#include "base/error_json.h"

namespace akgen::base {

Json ToJson(const Error& e) {
  return {{"code", e.code}, {"message", e.message}, {"where", e.where}, {"fix", e.fix}};
}

Error ErrorFromJson(const Json& error, const char* code) {
  return {error.value("code", code), error.value("message", "no message"), error.value("where", ""),
          error.value("fix", "")};
}

}  // namespace akgen::base
