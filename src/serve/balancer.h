// Several servers behind one address: a configuration of HAProxy in which a job stays with the
// server that took it.
#pragma once
#include <string>
#include <vector>

#include "base/status.h"

namespace akgen::serve {

// A server's name begins the ids of its jobs: lower case letters and digits, 1 to 32 of them.
bool IsServerName(const std::string& name);
// An id that a server of this name gives out: it begins with `NAME-`; without a name it is `id`
// alone.
std::string NamedId(const std::string& name, const std::string& id);

struct BalancedServer {
  std::string name, address;  // HOST:PORT
};
// "NAME=HOST:PORT", "HOST:PORT" (its name is s and its place in the list, from 0), or the same with
// http:// before the host. AK0902 an address or a name is malformed, or a name is there twice.
base::Result<std::vector<BalancedServer>> ReadBalancedServers(
    const std::vector<std::string>& texts);

// For `haproxy -f`. `bind`: the address that clients ask, HOST:PORT.
std::string HaproxyConfig(const std::vector<BalancedServer>& servers, const std::string& bind);

}  // namespace akgen::serve
