#include "serve/access.h"

#include <algorithm>
#include <sstream>

#include "base/base64.h"
#include "base/hash.h"

namespace akgen::serve {
using base::Error;
using base::Result;

namespace {
constexpr size_t kLeastToken = 16, kMaxName = 64;
constexpr const char* kOpen[] = {"/healthz", "/readyz", "/health"};

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool Decode(std::string_view text, bool plus, std::string& out) {
  out.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size()) return false;
      const int high = HexDigit(text[i + 1]), low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0 || (high == 0 && low == 0)) return false;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += plus && text[i] == '+' ? ' ' : text[i];
    }
  }
  return true;
}

// "[::1]:80" and "localhost:80" without what follows.
std::string WithoutPort(const std::string& host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

// The token of a request: a bearer's, or the password that a browser asks its reader for.
std::string TokenOf(const std::string& authorization) {
  auto after = [&](const char* scheme) {
    const size_t n = std::string_view(scheme).size();
    return authorization.starts_with(scheme) ? authorization.substr(n) : std::string();
  };
  if (std::string token = after("Bearer ") + after("bearer "); !token.empty()) return token;
  const std::string pair = base::FromBase64(after("Basic ") + after("basic ")).value_or("");
  const size_t colon = pair.find(':');
  return colon == std::string::npos ? "" : pair.substr(colon + 1);
}

Error Denied(std::string message, std::string fix) {
  return {"AK0908", std::move(message), "", std::move(fix)};
}
}  // namespace

Result<Tokens> ReadTokens(const std::string& text, const std::string& where) {
  Tokens out;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    std::string first, second;
    words >> first >> second;
    if (first.empty() || first[0] == '#') continue;
    const std::string name = second.empty() ? "default" : first,
                      token = second.empty() ? first : second;
    const std::string place = where + ":" + std::to_string(number);
    if (token.size() < kLeastToken)
      return Error{"AK0908", "a token has fewer than 16 characters", place,
                   "head -c 24 /dev/urandom | base64 makes one"};
    if (!out.emplace(name, token).second)
      return Error{"AK0908", "two tokens have one name", place, "name them apart: NAME TOKEN"};
  }
  if (out.empty()) return Error{"AK0908", "there is no token", where, "one a line: NAME TOKEN"};
  return out;
}

bool SameInConstantTime(const std::string& a, const std::string& b) {
  const std::string x = base::Sha256(a),
                    y = base::Sha256(b);  // of one length, whatever a and b are
  unsigned differs = 0;
  for (size_t i = 0; i < x.size(); ++i)
    differs |= static_cast<unsigned char>(x[i]) ^ static_cast<unsigned char>(y[i]);
  return differs == 0;
}

bool ParseTarget(const std::string& target, std::string& path,
                 std::map<std::string, std::string>& query) {
  if (!target.starts_with('/')) return false;
  const size_t mark = target.find('?');
  if (!Decode(std::string_view(target).substr(0, mark), false, path)) return false;
  for (size_t at = mark; at < target.size();) {
    const size_t end = std::min(target.find('&', at + 1), target.size());
    const std::string_view pair = std::string_view(target).substr(at + 1, end - at - 1);
    const size_t equals = std::min(pair.find('='), pair.size());
    std::string name, value;
    if (!Decode(pair.substr(0, equals), true, name)) return false;
    if (equals < pair.size() && !Decode(pair.substr(equals + 1), true, value)) return false;
    if (!name.empty()) query[name] = value;
    at = end;
  }
  return true;
}

bool IsOpenPath(const std::string& path) {
  return std::find(std::begin(kOpen), std::end(kOpen), path) != std::end(kOpen);
}

std::optional<Response> CheckAccess(const AccessRules& rules, const std::string& address,
                                    Request& request) {
  request.caller = {address, request.Header("x-client-id").substr(0, kMaxName)};
  const std::string host = WithoutPort(request.Header("host"));
  if (!rules.hosts.empty() && !host.empty() &&
      std::find(rules.hosts.begin(), rules.hosts.end(), host) == rules.hosts.end())
    return ErrorReply(
        421, Denied("the request is addressed to another host", "add its name with --host-name"));
  if (const std::string origin = request.Header("origin"); !origin.empty()) {
    const size_t at = origin.find("://");
    if (at == std::string::npos || origin.substr(at + 3) != request.Header("host"))
      return ErrorReply(403, Denied("a page of another origin may not ask",
                                    "ask without a browser, or from the server's own page"));
  }
  if (rules.tokens.empty() || IsOpenPath(request.path)) return std::nullopt;
  const std::string token = TokenOf(request.Header("authorization"));
  const std::string* name = nullptr;
  for (const auto& [who, wanted] : rules.tokens)
    if (SameInConstantTime(token, wanted)) name = &who;  // all are looked at
  if (name) {
    request.caller.principal = *name;
    return std::nullopt;
  }
  Response r = ErrorReply(
      401, Denied("the bearer token is missing or wrong", "Authorization: Bearer TOKEN"));
  const bool browser = request.Header("accept").find("text/html") != std::string::npos;
  r.headers.emplace_back(
      "WWW-Authenticate",
      browser ? "Basic realm=\"akgen: any name, and the token as password\"" : "Bearer");
  return r;
}

}  // namespace akgen::serve
