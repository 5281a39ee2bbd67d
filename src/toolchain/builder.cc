#include "toolchain/builder.h"

namespace akgen::toolchain {
namespace {
// Time the helper gets on top of a request's own limit: forking, hashing, a first precompiled
// header.
constexpr int kGraceMs = 60000;

// Huge pages for its heap: a forked compilation then meets a dozen page faults where it met a
// thousand.
base::Result<base::HelperProcess> StartHelper() {
  return base::HelperProcess::Start("akgen-builder", {"GLIBC_TUNABLES=glibc.malloc.hugetlb=1"});
}
}  // namespace

base::Result<Builder> Builder::Start() {
  auto process = StartHelper();
  if (!process.ok()) return process.error();
  return Builder(std::move(*process));
}

Builder::~Builder() {
  // Asked to leave, it removes its temporary folder; the helper's destructor ends it in any case.
  if (process_.alive() && process_.channel().valid() &&
      process_.channel().Send(ToJson(BuilderAsks::kQuit)).ok())
    (void)process_.channel().Receive(500);
}

base::Result<base::Json> Builder::Call(const base::Json& request, int timeout_ms) {
  if (!process_.alive()) {
    auto process = StartHelper();
    if (!process.ok()) return process.error();
    process_ = std::move(*process);
  }
  auto sent = process_.channel().Send(request);
  if (sent.ok()) {
    auto reply = process_.channel().Receive(timeout_ms);
    if (reply.ok()) return std::move(reply->body);
    process_.Stop();
    return reply.error();
  }
  process_.Stop();
  return sent.error();
}

base::Result<BuildReply> Builder::Build(const BuildRequest& request) {
  // Two attempts, and a minute for a precompiled header before them.
  auto reply = Call(ToJson(request), 2 * request.wall_ms + 2 * kGraceMs);
  if (!reply.ok()) return reply.error();
  return BuildReplyFromJson(*reply);
}

base::Result<std::vector<SourceLine>> Builder::Symbolize(const std::string& so,
                                                         const std::vector<uint64_t>& addresses) {
  auto reply = Call(ToJson(SymbolizeRequest{so, addresses}), kGraceMs);
  if (!reply.ok()) return reply.error();
  auto said = SymbolizeReplyFromJson(*reply);
  if (!said.error.empty()) return base::Error{"AK0302", said.error, so, ""};
  return std::move(said.lines);
}

base::Result<BuilderStatus> Builder::Status() {
  auto reply = Call(ToJson(BuilderAsks::kStatus), kGraceMs);
  if (!reply.ok()) return reply.error();
  return BuilderStatusFromJson(*reply);
}

bool Builder::CountsWork() {
  if (!counts_work_)
    if (auto status = Status(); status.ok()) counts_work_ = status->counts_work;
  return counts_work_.value_or(false);
}

}  // namespace akgen::toolchain
