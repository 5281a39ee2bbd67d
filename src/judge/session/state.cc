#include "judge/session/state.h"

#include <algorithm>

#include "judge/run/blame.h"

namespace akgen::judge {

bool SessionState::Stop(record::Verdict verdict, std::string reason) {
  out.verdict = verdict;
  out.reason = std::move(reason);
  return false;
}

bool SessionState::Refuse(const Breach& breach) {
  out.diagnostics.push_back(breach.AsDiagnostic());
  return Stop(record::Verdict::kRejected, breach.code + ": " + breach.message);
}

void SessionState::AddBuild(const toolchain::BuildReply& reply) {
  out.repeatable = out.repeatable && Repeatable(reply);
  out.diagnostics.insert(out.diagnostics.end(), reply.diagnostics.begin(), reply.diagnostics.end());
  for (const auto& w : reply.rewrites) {
    base::Json j{{"file", w.file}, {"line", w.line}, {"what", w.what}};
    if (std::find(out.rewrites.begin(), out.rewrites.end(), j) == out.rewrites.end())
      out.rewrites.push_back(j);
  }
}

}  // namespace akgen::judge
