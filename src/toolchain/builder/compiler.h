// The compiler behind akgen-builder: clang in this process, or a command where akgen was built
// without LLVM. Everything named Compile, Precompile or Symbolize runs in a confined child and may
// die there.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "guest/ready.h"
#include "sandbox/sandbox.h"
#include "toolchain/builder.h"

namespace akgen::toolchain {

// Files that exist for the compiler besides its own and the system's headers: absolute path → text.
using VirtualFiles = std::map<std::string, std::string>;
// A second name of one of them → its first: #pragma once takes both for one file.
using VirtualLinks = std::map<std::string, std::string>;

struct CompileJob {
  std::string source;   // path in `files`
  std::string prelude;  // path in `files`, or ""
  std::string pch;      // precompiled header on disk, or ""
  guest::Ready header;  // the functions that it leaves to others
  std::vector<std::string>
      flags;  // of the kind and of the request: a change needs another precompiled header
  std::vector<std::string> search;  // -D… and -I…, in order
  std::string object;               // where to write the object file
  bool device_code = false;         // inline assembly and the chip's own interface are refused
  bool host_code = false;           // of these, assembly
  bool watch_memory = false;        // plain loads and stores are announced to the chip
  bool count_work =
      false;  // and what the scalar unit has to do, where the compiler can (count_work.h)
  bool cube_copy = false;  // of a program (program_copies.h)
};

struct CompileOutcome {
  bool ok = false;
  std::vector<BuildDiagnostic> diagnostics;
  std::vector<std::string> imports;  // undefined symbols of the object
  std::string fault;  // what the machine refused, which says nothing about the source
};

class Compiler {
 public:
  static std::unique_ptr<Compiler> Make();
  virtual ~Compiler() = default;
  virtual std::string Backend() const = 0;  // "clang in process" …
  virtual std::string Version() const = 0;  // enters the cache key
  virtual bool CanPrecompile() const = 0;
  virtual bool CanCompileGuests() const = 0;  // has the guest's target, see KindFlags
  virtual bool CanCountWork() const = 0;      // see CompileJob::count_work
  // Folders its headers and tools lie in.
  virtual std::vector<std::string> ReadableDirs() const = 0;
  virtual bool NeedsProcesses() const = 0;
  // In the zygote, before the first fork: what can be paid once.
  virtual void WarmUp(const std::vector<std::string>& flags) = 0;
  // There as well, once it is clear that many builds are wanted: what pays only then.
  virtual void Settle() = 0;
  virtual CompileOutcome Compile(const CompileJob& job, const VirtualFiles& files,
                                 const VirtualLinks& links) = 0;
  // Writes a precompiled header to `output`; false when `header` does not compile. With `object`,
  // its functions are compiled too, to there, and what includes it takes them from outside.
  virtual bool Precompile(const std::string& header, const std::vector<std::string>& flags,
                          const std::vector<std::string>& search, const std::string& output,
                          const std::string& object) = 0;
};

// Return addresses as offsets in `so`.
std::vector<SourceLine> SymbolizeObject(const std::string& so,
                                        const std::vector<uint64_t>& return_addresses);

}  // namespace akgen::toolchain
