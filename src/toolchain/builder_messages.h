// The smaller messages between akgen and akgen-builder; builds are in toolchain/build.h.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"

namespace akgen::toolchain {

// A place in a loaded object. `file` is empty when the object has no line for the address.
struct SourceLine {
  std::string file;
  int line = 0;
  std::string function;
};

// What a message asks for; a build has a kind of its own (BuildRequest).
enum class BuilderAsks { kBuild, kSymbolize, kStatus, kQuit };
BuilderAsks AsksFromJson(const base::Json& request);
base::Json ToJson(BuilderAsks asks);  // of kStatus and kQuit: the whole message

struct SymbolizeRequest {
  std::string so;
  std::vector<uint64_t> offsets;  // return addresses, from the object's load address
};
struct SymbolizeReply {
  std::string error;  // "": none
  std::vector<SourceLine> lines;
};
base::Json ToJson(const SymbolizeRequest& request);
SymbolizeRequest SymbolizeRequestFromJson(const base::Json& request);
base::Json ToJson(const std::vector<SourceLine>& lines);
std::vector<SourceLine> SourceLinesFromJson(const base::Json& lines);
base::Json ToJson(const SymbolizeReply& reply);
SymbolizeReply SymbolizeReplyFromJson(const base::Json& reply);

struct BuilderStatus {
  std::string backend, compiler, linker, headers;
  bool counts_work = false;  // objects tell the chip what a kernel's own scalar work is
  base::Json sandbox;        // layers
};
base::Json ToJson(const BuilderStatus& status);
BuilderStatus BuilderStatusFromJson(const base::Json& status);

}  // namespace akgen::toolchain
