// Who may ask: bearer tokens, and the headers that keep web pages of elsewhere from asking in their
// reader's name.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "serve/router.h"

namespace akgen::serve {

// Name -> token. A file has one a line: "NAME TOKEN", or "TOKEN" for the name "default"; empty
// lines and #comments are left out. AK0908: a token of fewer than 16 characters, a name twice, no
// token at all.
using Tokens = std::map<std::string, std::string>;
base::Result<Tokens> ReadTokens(const std::string& text, const std::string& where);

// Takes the same time for all texts of one length.
bool SameInConstantTime(const std::string& a, const std::string& b);

// "/a%20b?x=1&y" to its parts, decoded. False: malformed, or holds a NUL, or is not absolute.
bool ParseTarget(const std::string& target, std::string& path,
                 std::map<std::string, std::string>& query);

// Asked by balancers, which have no token, and answered however many connections there are.
bool IsOpenPath(const std::string& path);

struct AccessRules {
  Tokens tokens;  // none: everybody may ask
  std::vector<std::string>
      hosts;  // names that requests may be addressed to, without the port; empty: any
};
// Fills in who asks, given the address of the other side. A reply where it may not: 401, 403 or
// 421.
std::optional<Response> CheckAccess(const AccessRules& rules, const std::string& address,
                                    Request& request);

}  // namespace akgen::serve
