// Client of akgen-builder: compiles untrusted sources into loadable objects, and names source lines
// in them. One request at a time; use one Builder per thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/channel.h"
#include "base/status.h"
#include "toolchain/build.h"
#include "toolchain/builder_messages.h"

namespace akgen::toolchain {

class Builder {
 public:
  // Starts the helper process beside the running executable. AK0013 when it is missing.
  static base::Result<Builder> Start();
  Builder(Builder&&) = default;
  Builder& operator=(Builder&&) = default;
  ~Builder();
  // A failed compilation is a reply (ok = false), not an error. AK0010 … AK0012: the helper broke;
  // it is restarted for the next request.
  base::Result<BuildReply> Build(const BuildRequest& request);
  // `return_addresses` are offsets from the object's load address; each names the line of its call.
  base::Result<std::vector<SourceLine>> Symbolize(const std::string& so,
                                                  const std::vector<uint64_t>& return_addresses);
  base::Result<BuilderStatus> Status();
  // Whether objects tell the chip what a kernel's own scalar work is. Without that there is no
  // modelled time.
  bool CountsWork();

 private:
  explicit Builder(base::HelperProcess process) : process_(std::move(process)) {}
  base::Result<base::Json> Call(const base::Json& request, int timeout_ms);
  base::HelperProcess process_;
  std::optional<bool> counts_work_;  // once it was asked
};

}  // namespace akgen::toolchain
