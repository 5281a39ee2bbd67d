// The builder's smaller answers: line numbers, and which missing API broke a build.
#include <unistd.h>

#include <cctype>
#include <set>
#include <sstream>
#include <string_view>

#include "base/files.h"
#include "sandbox/child.h"
#include "toolchain/builder/server.h"
#include "toolchain/builder/server_plan.h"

namespace akgen::toolchain {
using base::Json;
using sandbox::ChildOutcome;

namespace {
// Every quoted word of a message: 'x', 'A::x<int>' and "x" give x.
std::vector<std::string> QuotedNames(const std::string& message) {
  std::vector<std::string> out;
  for (size_t i = 0; i < message.size(); ++i) {
    if (message[i] != '\'') continue;
    size_t end = message.find('\'', i + 1);
    if (end == std::string::npos) break;
    std::string name = message.substr(i + 1, end - i - 1);
    out.push_back(name);
    if (size_t colon = name.rfind("::"); colon != std::string::npos) out.push_back(name.substr(colon + 2));
    i = end;
  }
  return out;
}
}  // namespace

std::string LinkerPath() {
  for (const char* p : {"/usr/bin/ld.bfd", "/usr/bin/ld", "/usr/bin/ld.lld", "/usr/bin/ld.lld-19", "/usr/local/bin/ld"})
    if (::access(p, X_OK) == 0) return p;
  return "";
}

void Server::NameUnsupported(BuildReply* reply) const {
  auto text = base::ReadFile(include_dir_ / "akgen/unsupported_apis.txt");
  if (!text.ok()) return;
  std::set<std::string> names;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name;
    if (words >> name) names.insert(name);
  }
  for (const auto& d : reply->diagnostics) {
    if (d.severity != "error") continue;
    // The headers refuse what they only lack with a static_assert that begins like this.
    constexpr std::string_view kLacking = "akgen unsupported: ";
    if (auto at = d.message.find(kLacking); at != std::string::npos) {
      reply->unsupported_api = d.message.substr(at + kLacking.size());
      return;
    }
    for (const auto& name : QuotedNames(d.message))
      if (names.contains(name)) {
        reply->unsupported_api = name;
        return;
      }
  }
}

Json Server::Symbolize(const Json& request) {
  std::string so = request.value("so", "");
  if (::access(so.c_str(), R_OK) != 0) return {{"error", "the object cannot be read"}};
  auto offsets = request.value("offsets", std::vector<uint64_t>{});
  auto done = sandbox::RunChild(
      [&](int out) {
        sandbox::Profile p = CompilerProfile();
        p.readable.push_back(so);
        p.cpu_seconds = 20;
        if (!sandbox::Confine(p).ok()) return 1;
        Json lines = Json::array();
        for (const auto& l : SymbolizeObject(so, offsets))
          lines.push_back({{"file", l.file}, {"line", l.line}, {"function", l.function}});
        return sandbox::WriteAll(out, lines.dump(-1, ' ', false, Json::error_handler_t::replace)) ? 0 : 1;
      },
      {.wall_ms = 30000, .watch_fd = channel_fd_, .keep_fds = {}});
  if (!done.ok()) return {{"error", done.error().ToString()}};
  Json lines = Json::parse(done->reply, nullptr, false);
  if (!lines.is_array()) return {{"error", "the line table of the object cannot be read"}};
  return {{"lines", lines}};
}

}  // namespace akgen::toolchain
