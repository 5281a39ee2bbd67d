#include "toolchain/builder.h"

namespace akgen::toolchain {
namespace {
// Time the helper gets on top of a request's own limit: forking, hashing, a first precompiled header.
constexpr int kGraceMs = 60000;

// Huge pages for its heap: a forked compilation then meets a dozen page faults where it met a thousand.
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
  if (process_.alive() && process_.channel().valid() && process_.channel().Send({{"kind", "quit"}}).ok())
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
  auto reply = Call({{"kind", "symbolize"}, {"so", so}, {"offsets", addresses}}, kGraceMs);
  if (!reply.ok()) return reply.error();
  if (reply->contains("error")) return base::Error{"AK0302", reply->value("error", ""), so, ""};
  std::vector<SourceLine> out;
  for (const auto& l : reply->value("lines", base::Json::array()))
    out.push_back({l.value("file", ""), l.value("line", 0), l.value("function", "")});
  return out;
}

base::Result<base::Json> Builder::Status() { return Call({{"kind", "status"}}, kGraceMs); }

bool Builder::CountsWork() {
  if (!counts_work_)
    if (auto status = Status(); status.ok()) counts_work_ = status->value("counts_work", false);
  return counts_work_.value_or(false);
}

}  // namespace akgen::toolchain
