// akgen-builder's work: requests in, replies out, one forked and confined child per compilation.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "guest/ready.h"
#include "toolchain/build.h"
#include "toolchain/builder/compiler.h"
#include "toolchain/builder/snapshot.h"
#include "toolchain/builder/work_folder.h"
#include "toolchain/builder_messages.h"
#include "toolchain/toolkit_names.h"

namespace akgen::toolchain {

class Server {
 public:
  struct Plan;  // one build, resolved
  struct Precompiled {
    std::string file;     // "" where none can be made
    guest::Ready header;  // the functions that it leaves out of what is compiled with it
  };

  // `channel_fd` is watched during work: when the client goes away, the running child is killed.
  explicit Server(int channel_fd);
  base::Json Answer(const base::Json& request);

 private:
  BuildReply Build(const BuildRequest& request);
  base::Status Resolve(const BuildRequest& request, Plan* plan, BuildReply* reply);
  std::string CacheKey(const BuildRequest& request, const Plan& plan);
  bool FromCache(const std::string& key, BuildReply* reply);
  void ToCache(const std::string& key, const std::filesystem::path& so, BuildReply* reply);
  Precompiled Pch(const BuildRequest& request, const Plan& plan,
                  const std::vector<std::string>& flags);
  bool Precompile(const std::string& header, const std::vector<std::string>& flags,
                  const std::filesystem::path& file, const std::filesystem::path& object);
  // Compiles once, or a second time where the first one ended in a way that a disk full for a
  // moment would explain.
  void CompileAndLink(const BuildRequest& request, const Plan& plan,
                      const std::filesystem::path& dir, BuildReply* reply);
  void TryToCompile(const BuildRequest& request, const Plan& plan, const std::filesystem::path& dir,
                    BuildReply* reply);
  void ForgetObjects();
  void NameUnsupported(const Plan& plan, BuildReply* reply);
  sandbox::Profile CompilerProfile() const;
  SymbolizeReply Symbolize(const SymbolizeRequest& request);

  int channel_fd_;
  std::unique_ptr<Compiler> compiler_;
  std::filesystem::path include_dir_, cache_dir_, pch_dir_;
  WorkFolder work_;
  FolderHash headers_;
  int compiled_ = 0;
  // The last host build, for the next one when that has the same sources and more libraries: it is
  // only linked again.
  struct Objects {
    std::string key;  // "": none
    std::filesystem::path dir;
    std::vector<BuildDiagnostic> diagnostics;
    std::vector<Rewrite> rewrites;
  } objects_;
  std::optional<ToolkitNames> toolkit_;     // read when the first build fails
  std::map<std::string, Precompiled> pch_;  // by header, flags and what the header includes
};

}  // namespace akgen::toolchain
