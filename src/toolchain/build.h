// Requests to akgen-builder and its replies. Both are JSON over base::Channel.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "record/backend.h"
#include "record/build_diagnostic.h"

namespace akgen::toolchain {

// One translation unit. Without `text` it is read from `path` (absolute).
struct SourceFile {
  std::string path;
  std::optional<std::string> text;
};

using record::Backend;

// Which of a split chip's cores a kernel is compiled for: Vector or Cube. One that runs on both is
// built twice.
enum class CoreType : uint8_t { kAiv, kAic };
const char* NameOf(CoreType core);  // "aiv", "aic"
std::optional<CoreType> CoreTypeFromName(const std::string& name);

// What device code is compiled for (toolchain/device.h): the value of __NPU_ARCH__, as
// chip::Chip::npu_arch, and a core.
struct Device {
  int arch = 0;
  CoreType core = CoreType::kAiv;
};

// A folder that sources also see under another name, as an installation would lay it out. Both
// absolute.
struct Mount {
  std::string at, folder;
};

// A __global__ function found in the sources.
struct Entry {
  std::string name;    // as written
  std::string symbol;  // as linked
  std::string file;
  int line = 0;
  bool templated = false;  // its arguments come from the tiling key: the symbol is that of a
                           // function made around it
};

struct BuildRequest {
  // "kernel": one unit against kernel_operator.h; "host": tiling sources against the op definition
  // headers; "library": host sources that others are linked with, of which they take what they
  // need; "program": units with a main() that launch kernels themselves.
  std::string kind = "kernel";
  Device device;  // of kernels and programs; host code is the same for all
  std::vector<SourceFile> sources;
  std::string
      project_dir;  // all source-like files below are visible to #include; nothing beside it
  std::vector<std::string>
      include_dirs;  // further folders, in search order: what is reached by #include is visible
  std::vector<Mount> mounts;  // the same
  // Of host code, BuildReply::so of libraries: what it needs of these, and all of those.
  std::vector<std::string> libraries, whole_libraries;
  std::string
      prelude;  // text before each source, after kernel_operator.h where that is precompiled
  std::vector<std::string> defines;                 // "NAME" or "NAME=VALUE"
  std::map<std::string, std::string> rename_entry;  // kernel entry → symbol to give it
  Backend backend = Backend::kNative;  // guests are kernels; the reply's `so` is then an image
  int wall_ms = 60000;                 // the compiler is stopped after this
  bool only_key = false;               // compile nothing: the reply is a key
  bool open_ended = false;  // of host code: a symbol that is defined nowhere does not keep the
                            // object from loading
  Entry
      entry;  // of a kernel for a real device, the one that is launched; akgen-builder is not told
  bool IsHost() const { return kind == "host" || kind == "library"; }
};

using record::BuildDiagnostic;

// A change the builder made to its private copy of a source, because no C++ compiler takes the
// original.
struct Rewrite {
  std::string file;
  int line = 0;
  std::string what;
};

struct BuildReply {
  bool ok = false;
  std::string so;   // loadable object in the cache, never overwritten
  std::string key;  // same key, same object: hash of everything that is compiled, headers that may
                    // be read included
  bool cached = false;
  double build_ms = 0;  // wall time of this request
  double cpu_ms = 0;    // processor time of the compilation, also of a cached one
  // Of a library that is ok the errors among `diagnostics` are of units that are left out of it.
  // "" when ok, else "diagnostics" (the source is wrong), "link", "timeout", "memory", "crash" (the
  // compiler died on this source) or "infra" (internal error).
  std::string failure;
  std::vector<BuildDiagnostic> diagnostics;
  std::string
      unsupported_api;  // an API that Ascend C has and akgen does not, when that broke the build
  std::vector<std::string> lacking;  // all of them that the diagnostics speak of, that one first
  std::vector<Rewrite> rewrites;
  std::vector<Entry> entries;
  std::vector<std::string> imports;  // symbols the object takes from outside the chip's interface
  // First error as one line, or "".
  std::string FirstError() const;
};

base::Json ToJson(const BuildRequest& request);
base::Result<BuildRequest> BuildRequestFromJson(const base::Json& json);
base::Json ToJson(const BuildReply& reply);
BuildReply BuildReplyFromJson(const base::Json& json);

}  // namespace akgen::toolchain
