#include "judge/run/blame.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>

#include "base/files.h"
#include "toolchain/toolkit_names.h"

namespace akgen::judge {
using record::Verdict;

Verdict VerdictOf(const toolchain::BuildReply& failed) {
  if (!failed.unsupported_api.empty()) return Verdict::kUnsupported;
  return failed.failure == "infra" ? Verdict::kInfraError : Verdict::kBuildError;
}

std::string ReasonOf(const toolchain::BuildReply& failed) {
  return failed.unsupported_api.empty() ? failed.FirstError()
                                        : "akgen does not have the API " + failed.unsupported_api;
}

std::string ReasonOf(const toolchain::BuildReply& failed, const toolchain::Around& around) {
  std::string reason = ReasonOf(failed);
  const size_t end = reason.find("' file not found"), quote = reason.rfind('\'', end - 1);
  if (end == std::string::npos || quote == std::string::npos) return reason;
  const std::string module = around.AbsentSubmodule(reason.substr(quote + 1, end - quote - 1));
  if (!module.empty())
    reason += "; the submodule " + module +
              " is not checked out: run git submodule update --init in the repository";
  return reason;
}

Verdict VerdictOfBrokenRun(record::Backend backend, Verdict native) {
  return backend == record::Backend::kGuest ? Verdict::kInfraError : native;
}

std::optional<RunOutcome> OutcomeOfLoading(const std::string& status, const std::string& detail) {
  if (status != "stopped" || detail.find("undefined symbol") == std::string::npos)
    return std::nullopt;
  const toolchain::ToolkitNames toolkit(base::HomeDir() / "include/ascendc");
  const std::string api = toolkit.Wanting({"error", "", 0, 0, detail, {}}, "");
  if (!api.empty()) return RunOutcome{Verdict::kUnsupported, "akgen does not have the API " + api};
  return RunOutcome{Verdict::kBuildError, detail};
}

std::optional<std::string> WhyNotLoaded(const std::string& symbol) {
  // The three lie in the C library's static part, where nothing is looked up by name.
  if (symbol == "atexit" || symbol == "at_quick_exit" || symbol == "pthread_atfork")
    return std::nullopt;
  if (::dlsym(RTLD_DEFAULT, symbol.c_str())) return std::nullopt;
  int status = 0;
  char* name = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  const std::string readable = status == 0 && name ? name : symbol;
  std::free(name);
  return "the object cannot be loaded: undefined symbol: '" + readable + "'";
}

bool Repeatable(const toolchain::BuildReply& reply) {
  return reply.ok || reply.failure == "diagnostics" || reply.failure == "link";
}

bool Repeatable(Verdict verdict) {
  return verdict != Verdict::kInfraError && verdict != Verdict::kTimeout &&
         verdict != Verdict::kUndecided;
}

}  // namespace akgen::judge
