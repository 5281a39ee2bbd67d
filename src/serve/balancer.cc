#include "serve/balancer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace akgen::serve {
using base::Error;
using base::Result;

namespace {
constexpr size_t kMaxServerName = 32;

// What no address holds would end a line of the configuration.
bool IsAddress(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == 0 || colon == std::string::npos || colon + 1 == text.size() || text.size() > 260)
    return false;
  const bool port = std::all_of(text.begin() + static_cast<long>(colon) + 1, text.end(),
                                [](unsigned char c) { return std::isdigit(c); });
  return port &&
         std::all_of(text.begin(), text.begin() + static_cast<long>(colon), [](unsigned char c) {
           return std::isalnum(c) || c == '.' || c == '-' || c == '_' || c == ':' || c == '[' ||
                  c == ']';
         });
}

std::string ServerLines(const std::vector<BalancedServer>& servers, const char* how) {
  std::string out;
  for (const auto& s : servers)
    out += fmt::format("  server {} {} {}\n", s.name, s.address,
                       fmt::format(fmt::runtime(how), s.name));
  return out + "\n";
}
}  // namespace

bool IsServerName(const std::string& name) {
  return !name.empty() && name.size() <= kMaxServerName &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::islower(c) || std::isdigit(c); });
}

std::string NamedId(const std::string& name, const std::string& id) {
  return name.empty() ? id : name + "-" + id;
}

Result<std::vector<BalancedServer>> ReadBalancedServers(const std::vector<std::string>& texts) {
  std::vector<BalancedServer> out;
  std::set<std::string> names;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    BalancedServer s{
        equals == std::string::npos ? "s" + std::to_string(out.size()) : text.substr(0, equals),
        text.substr(equals == std::string::npos ? 0 : equals + 1)};
    if (s.address.starts_with("http://")) s.address.erase(0, 7);
    if (s.address.ends_with("/")) s.address.pop_back();
    if (!IsServerName(s.name) || !IsAddress(s.address))
      return Error{"AK0902", "this names no server", text.substr(0, 200),
                   "give NAME=HOST:PORT; a name has lower case letters and digits"};
    if (!names.insert(s.name).second)
      return Error{"AK0902", "two servers have one name", s.name,
                   "give each the name of its --name"};
    out.push_back(std::move(s));
  }
  if (out.empty()) return Error{"AK0902", "no server is named", "", "give NAME=HOST:PORT for each"};
  return out;
}

std::string HaproxyConfig(const std::vector<BalancedServer>& servers, const std::string& bind) {
  std::string out =
      "# Made by `akgen serve --print-haproxy`: haproxy -f FILE\n"
      "defaults\n  mode http\n  timeout connect 10s\n  timeout client 1h\n  timeout server 1h\n  "
      "timeout tunnel 24h\n"
      "  option abortonclose\n  option redispatch\n  retries 3\n\n"
      "frontend akgen\n  bind " +
      bind +
      "\n"
      "  # An episode of OpenEnv over HTTP is named in the body, the query, a header or a cookie.\n"
      "  acl episode path /reset /step /state\n"
      "  http-request wait-for-body time 10s if episode METH_POST\n";
  for (const char* where : {"req.cook(akgen_episode)", "req.hdr(X-Episode-Id)", "urlp(episode_id)",
                            "req.body,json_query('$.episode_id')"})  // the later ones go before
    out += fmt::format("  http-request set-var(txn.episode) {0} if episode {{ {0} -m found }}\n",
                       where);
  // Of a client without ids: its address.
  out += "  http-request set-var(txn.episode) src if episode !{ var(txn.episode) -m found }\n";
  out +=
      "  # A job and its page stay with the server that took it: its id begins with the server's "
      "name.\n";
  for (const auto& s : servers)
    out +=
        fmt::format("  use_backend of_{0} if {{ path_beg /v1/jobs/{0}- /records/{0}- }}\n", s.name);
  out +=
      "  # An idempotency key always leads to one server.\n"
      "  use_backend by_key if { req.hdr(Idempotency-Key) -m found }\n"
      "  use_backend by_episode if episode\n"
      "  default_backend any\n\n"
      "backend any\n  balance leastconn\n  option httpchk GET /readyz\n" +
      ServerLines(servers, "check") +
      "backend by_key\n  balance hdr(Idempotency-Key)\n  hash-type consistent\n" +
      ServerLines(servers, "track any/{}") +
      "# Where an episode began: its id is the client's, or learnt from the reply that begins it.\n"
      "backend by_episode\n  balance leastconn\n  stick-table type string len 128 size 1m expire "
      "1d\n"
      "  stick on var(txn.episode)\n  stick store-response res.cook(akgen_episode)\n" +
      ServerLines(servers, "track any/{}");
  // Not checked: one that is down is asked all the same, and the reply is 503 until it is there
  // again with its journal.
  for (const auto& s : servers)
    out += fmt::format("backend of_{0}\n  server {0} {1}\n\n", s.name, s.address);
  out.pop_back();
  return out;
}

}  // namespace akgen::serve
