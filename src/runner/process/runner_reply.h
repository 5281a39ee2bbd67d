// What akgen-runner answers (runner/runner_client.h says when which).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"

namespace akgen::runner {

// What the process that did the work took.
struct ProcessUse {
  double wall_ms = 0, cpu_ms = 0;
  int64_t max_rss_kib = 0;

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("wall_ms", m.wall_ms);
    io.Field("cpu_ms", m.cpu_ms);
    io.Field("max_rss_kib", m.max_rss_kib);
  }
};

struct RunnerReply {
  std::string status, detail;
  std::optional<std::vector<base::Json>> answers;  // to several requests, in order
  std::optional<int> exit_code;
  std::optional<std::string> console;
  std::optional<ProcessUse> process;
  base::Json sandbox;  // layers
  // Of one request that stands alone, and of a program: the answer with all its members, which has
  // a definition of its own.
  base::Json single = base::Json::object();

  bool ok() const { return status == "ok"; }

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Needed("status", m.status);
    io.Sparse("detail", m.detail);
    io.Field("answers", m.answers);
    io.Field("exit_code", m.exit_code);
    io.Field("console", m.console);
    io.Field("process", m.process);
    io.Sparse("sandbox", m.sandbox);
  }
};
inline RunnerReply Problem(std::string status, std::string detail) {
  RunnerReply reply;
  reply.status = std::move(status), reply.detail = std::move(detail);
  return reply;
}
inline base::Json ToJson(const RunnerReply& reply) {
  base::Json out = reply.single;
  out.update(base::MessageToJson(reply));
  return out;
}
inline RunnerReply RunnerReplyFromJson(const base::Json& json) {  // throws base::Json::exception
  auto reply = base::MessageFromJson<RunnerReply>(json);
  reply.single = json;
  return reply;
}

}  // namespace akgen::runner
