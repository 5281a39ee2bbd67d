// One POST by libcurl: the only place of akgen that talks to a network.
#pragma once
#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace akgen::generate {

struct HttpRequest {
  std::string url, body;
  std::vector<std::string> headers;
  double timeout_s = 600;
  int idle_s = 120;
  const std::atomic<bool>* stop = nullptr;
  // Gets the body of a good reply (status 200) as it arrives; false ends the transfer.
  std::function<bool(std::string_view)> on_data;
};

struct HttpReply {
  long status = 0;            // 0: none came
  std::string error_body;     // of a reply that is not good, at most 4 KiB
  std::string failure;        // of the transport: empty when the body came whole
  double retry_after_s = -1;  // as the server asks, -1: it does not
  bool ended_by_reader = false;
};
HttpReply Post(const HttpRequest& request);

// The value of a Retry-After header in seconds from now: a number, or a date. -1: neither.
double RetryAfterSeconds(const std::string& value);

}  // namespace akgen::generate
