// The builder's smaller answers: line numbers, and which missing API broke a build.
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "base/files.h"
#include "sandbox/child.h"
#include "toolchain/builder/server.h"
#include "toolchain/builder/server_plan.h"

namespace akgen::toolchain {
namespace fs = std::filesystem;
using base::Json;
using sandbox::ChildOutcome;

namespace {
// Does the error miss a header that a relative name looks for outside of the project's folder?
bool LeavesProject(const BuildDiagnostic& error) {
  const size_t open = error.message.find('\''), close = error.message.find("' file not found");
  if (close == std::string::npos || open >= close || error.file.starts_with("/")) return false;
  const fs::path name = error.message.substr(open + 1, close - open - 1);
  const fs::path path = (fs::path(error.file).parent_path() / name).lexically_normal();
  return name.is_relative() && path.begin() != path.end() && *path.begin() == "..";
}
}  // namespace

void Server::NameUnsupported(const Plan& plan, BuildReply* reply) {
  if (!toolkit_) toolkit_.emplace(include_dir_);
  for (auto& d : reply->diagnostics) {
    if (d.severity != "error") continue;
    if (LeavesProject(d))
      d.message +=
          " (outside of the project's folder; --repository FOLDER shows what lies around it)";
    std::string line;
    auto file = plan.files.find(plan.project.empty() ? d.file : plan.project + "/" + d.file);
    if (file == plan.files.end()) file = plan.files.find(d.file);
    if (file != plan.files.end()) {
      std::istringstream lines(file->second);
      for (int n = 0; n < d.line && std::getline(lines, line);) ++n;
    }
    std::string name = toolkit_->Wanting(d, line);
    if (name.empty() ||
        std::find(reply->lacking.begin(), reply->lacking.end(), name) != reply->lacking.end())
      continue;
    if (reply->unsupported_api.empty()) reply->unsupported_api = name;
    reply->lacking.push_back(std::move(name));
  }
}

SymbolizeReply Server::Symbolize(const SymbolizeRequest& request) {
  const auto failed = [](const std::string& why) { return SymbolizeReply{why, {}}; };
  if (::access(request.so.c_str(), R_OK) != 0) return failed("the object cannot be read");
  auto done = sandbox::RunChild(
      [&](int out) {
        sandbox::Profile p = CompilerProfile();
        p.readable.push_back(request.so);
        p.cpu_seconds = 20;
        if (!sandbox::Confine(p).ok()) return 1;
        const Json lines = ToJson(SymbolizeObject(request.so, request.offsets));
        return sandbox::WriteAll(out, base::Dump(lines)) ? 0 : 1;
      },
      {.wall_ms = 30000, .watch_fd = channel_fd_, .keep_fds = {}});
  if (!done.ok()) return failed(done.error().ToString());
  const Json lines = base::Parse(done->reply);
  if (!lines.is_array()) return failed("the line table of the object cannot be read");
  return {"", SourceLinesFromJson(lines)};
}

}  // namespace akgen::toolchain
