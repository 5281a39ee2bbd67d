#include "toolchain/builder_messages.h"

namespace akgen::toolchain {
using base::Json;

namespace {
constexpr const char* kNameOfAsks[] = {"build", "symbolize", "status", "quit"};
}

BuilderAsks AsksFromJson(const Json& request) {
  const std::string kind = request.value("kind", "");
  for (const BuilderAsks asks : {BuilderAsks::kSymbolize, BuilderAsks::kStatus, BuilderAsks::kQuit})
    if (kind == kNameOfAsks[int(asks)]) return asks;
  return BuilderAsks::kBuild;
}

Json ToJson(BuilderAsks asks) { return {{"kind", kNameOfAsks[int(asks)]}}; }

Json ToJson(const SymbolizeRequest& r) {
  Json out = ToJson(BuilderAsks::kSymbolize);
  out["so"] = r.so, out["offsets"] = r.offsets;
  return out;
}

SymbolizeRequest SymbolizeRequestFromJson(const Json& j) {
  return {j.value("so", ""), j.value("offsets", std::vector<uint64_t>{})};
}

Json ToJson(const std::vector<SourceLine>& lines) {
  Json out = Json::array();
  for (const SourceLine& l : lines)
    out.push_back({{"file", l.file}, {"line", l.line}, {"function", l.function}});
  return out;
}

std::vector<SourceLine> SourceLinesFromJson(const Json& lines) {
  std::vector<SourceLine> out;
  for (const Json& l : lines)
    out.push_back({l.value("file", ""), l.value("line", 0), l.value("function", "")});
  return out;
}

Json ToJson(const SymbolizeReply& r) {
  if (!r.error.empty()) return {{"error", r.error}};
  return {{"lines", ToJson(r.lines)}};
}

SymbolizeReply SymbolizeReplyFromJson(const Json& j) {
  return {j.value("error", ""), SourceLinesFromJson(j.value("lines", Json::array()))};
}

Json ToJson(const BuilderStatus& s) {
  return {{"backend", s.backend}, {"compiler", s.compiler}, {"counts_work", s.counts_work},
          {"linker", s.linker},   {"sandbox", s.sandbox},   {"headers", s.headers}};
}

BuilderStatus BuilderStatusFromJson(const Json& j) {
  return {j.value("backend", ""), j.value("compiler", ""),       j.value("linker", ""),
          j.value("headers", ""), j.value("counts_work", false), j.value("sandbox", Json())};
}

}  // namespace akgen::toolchain
