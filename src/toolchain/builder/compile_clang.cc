// clang in this process: no program start, no dynamic linking of LLVM per build, warm allocators
// and options.
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/Version.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/TargetParser/Host.h>

#include "base/files.h"
#include "toolchain/builder/check_language.h"
#include "toolchain/builder/compiler.h"
#include "toolchain/builder/count_work.h"
#include "toolchain/builder/device_code.h"
#include "toolchain/builder/gm_variables.h"
#include "toolchain/builder/header_functions.h"
#include "toolchain/builder/header_speed.h"
#include "toolchain/builder/huge_text.h"
#include "toolchain/builder/program_copies.h"
#include "toolchain/builder/ub_arrays.h"
#include "toolchain/builder/watch_memory.h"
#include "toolchain/system.h"

namespace akgen::toolchain {
namespace {
namespace vfs = llvm::vfs;

// The disk, cut down to the folders a compilation may see. Landlock says the same once more
// underneath.
class OnlyFolders : public vfs::ProxyFileSystem {
 public:
  OnlyFolders(llvm::IntrusiveRefCntPtr<vfs::FileSystem> disk, std::vector<std::string> folders)
      : ProxyFileSystem(std::move(disk)), folders_(std::move(folders)) {}
  llvm::ErrorOr<vfs::Status> status(const llvm::Twine& path) override {
    return Visible(path) ? ProxyFileSystem::status(path) : Hidden();
  }
  llvm::ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const llvm::Twine& path) override {
    if (!Visible(path)) return Hidden();
    return ProxyFileSystem::openFileForRead(path);
  }
  vfs::directory_iterator dir_begin(const llvm::Twine& path, std::error_code& ec) override {
    if (Visible(path)) return ProxyFileSystem::dir_begin(path, ec);
    ec = Hidden();
    return {};
  }

 private:
  static std::error_code Hidden() {
    return std::make_error_code(std::errc::no_such_file_or_directory);
  }
  bool Visible(const llvm::Twine& path) const {
    llvm::SmallString<256> p;
    path.toVector(p);
    if (llvm::sys::fs::make_absolute(p)) return false;
    llvm::sys::path::remove_dots(p, true);
    for (const auto& f : folders_)
      if (p.str().starts_with(f) && (p.size() == f.size() || p[f.size()] == '/')) return true;
    return false;
  }
  std::vector<std::string> folders_;
};

class Collector : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    BuildDiagnostic d;
    d.severity = level >= clang::DiagnosticsEngine::Error     ? "error"
                 : level == clang::DiagnosticsEngine::Warning ? "warning"
                                                              : "note";
    llvm::SmallString<256> text;
    info.FormatDiagnostic(text);
    d.message = text.str().str();
    if (info.hasSourceManager() && info.getLocation().isValid()) {
      auto place = info.getSourceManager().getPresumedLoc(
          info.getSourceManager().getExpansionLoc(info.getLocation()));
      if (place.isValid()) {
        d.file = place.getFilename();
        d.line = int(place.getLine());
        d.column = int(place.getColumn());
      }
    }
    if (d.severity != "note")
      list_.push_back(std::move(d));
    else if (!list_.empty() && list_.back().notes.size() < 8)
      list_.back().notes.push_back(std::move(d));
  }
  std::vector<BuildDiagnostic> Take() { return std::move(list_); }

 private:
  std::vector<BuildDiagnostic> list_;
};

std::string OwnHeaders() {
  return (base::HomeDir() / "include/ascendc").lexically_normal().string();
}

class ClangInProcess : public Compiler {
 public:
  ClangInProcess() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTarget();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVAsmPrinter();
  }
  std::string Backend() const override { return "clang in process"; }
  std::string Version() const override {
    return clang::getClangFullVersion() + " " + llvm::sys::getDefaultTargetTriple();
  }
  bool CanPrecompile() const override { return true; }
  bool CanCompileGuests() const override { return true; }
  bool CanCountWork() const override { return true; }
  bool NeedsProcesses() const override { return false; }
  std::vector<std::string> ReadableDirs() const override {
    if (const std::string system = BundledSystem(); !system.empty()) return {system};
    return {"/usr/include", "/usr/local/include", "/usr/lib", AKGEN_CLANG_RESOURCES};
  }
  void WarmUp(const std::vector<std::string>& flags) override;
  void Settle() override { UseHugeText(); }
  CompileOutcome Compile(const CompileJob& job, const VirtualFiles& files,
                         const VirtualLinks& links) override;
  bool Precompile(const std::string& header, const std::vector<std::string>& flags,
                  const std::vector<std::string>& search, const std::string& output,
                  const std::string& object) override;

 private:
  bool CompileHeader(const std::string& pch, std::vector<std::string> flags,
                     const std::string& output);
  const std::vector<std::string>& FrontendArgs(const std::vector<std::string>& flags);
  static bool IsGuest(const std::vector<std::string>& flags) {
    return std::find(flags.begin(), flags.end(), "-nostdinc") != flags.end();
  }
  void AddSystemHeaders(std::vector<std::string>* guest);
  llvm::IntrusiveRefCntPtr<vfs::FileSystem> FileSystem(const VirtualFiles& files,
                                                       const VirtualLinks& links,
                                                       std::vector<std::string> search) const;
  bool Run(clang::FrontendAction& action, const std::vector<std::string>& args,
           llvm::IntrusiveRefCntPtr<vfs::FileSystem> fs, Collector& collector, std::string* output,
           const CompileJob& what = {});

  std::map<std::vector<std::string>, std::vector<std::string>>
      args_;  // driver flags → frontend flags
};

// Another target's C library is seldom installed, and of this machine's only declarations are read:
// the same folders, behind the few files that differ.
void ClangInProcess::AddSystemHeaders(std::vector<std::string>* guest) {
  guest->insert(guest->end(), {"-isystem", OwnHeaders() + "/akgen/guest"});
  const std::vector<std::string> own = FrontendArgs({"-std=c++17"});
  for (size_t i = 0; i + 1 < own.size(); ++i)
    if (own[i] == "-internal-isystem" || own[i] == "-internal-externc-isystem")
      guest->insert(guest->end(), {own[i], own[i + 1]});
}

// The driver names every extension that a RISC-V core does not have, 170 of them. They are off
// anyway, but each function would carry all their names, and every pass compares them to find its
// target.
void DropAbsentFeatures(std::vector<std::string>* args) {
  for (size_t i = 0; i + 1 < args->size();)
    if ((*args)[i] == "-target-feature" && (*args)[i + 1].starts_with("-"))
      args->erase(args->begin() + std::ptrdiff_t(i), args->begin() + std::ptrdiff_t(i) + 2);
    else
      ++i;
}

// What the driver makes of the flags: target, system folders, code model. Kept, because it costs a
// millisecond.
const std::vector<std::string>& ClangInProcess::FrontendArgs(
    const std::vector<std::string>& flags) {
  auto [it, fresh] = args_.try_emplace(flags);
  if (!fresh) return it->second;
  clang::DiagnosticsEngine diags(new clang::DiagnosticIDs, new clang::DiagnosticOptions,
                                 new clang::IgnoringDiagConsumer);
  clang::driver::Driver driver(AKGEN_CLANG_BIN, llvm::sys::getDefaultTargetTriple(), diags);
  driver.setCheckInputsExist(false);
  std::vector<const char*> argv{AKGEN_CLANG_BIN, "-resource-dir", AKGEN_CLANG_RESOURCES,
                                // Line tables say nothing of where this process happens to run.
                                "-ffile-compilation-dir=."};
  const std::vector<std::string> system = SystemFlags();
  for (const auto* list : {&system, &flags})
    for (const auto& f : *list) argv.push_back(f.c_str());
  for (const char* a : {"-c", "-x", "c++", "/akgen/unit.cpp", "-o", "/akgen/unit.o"})
    argv.push_back(a);
  std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(argv));
  if (!compilation || compilation->getJobs().empty()) return it->second;
  for (const char* a : compilation->getJobs().begin()->getArguments()) it->second.push_back(a);
  auto& list = it->second;
  if (!list.empty() && list.front() == "-cc1") list.erase(list.begin());
  for (const char* last :
       {"-x", "-o", "-main-file-name"})  // each with its value; the unit brings its own
    if (auto at = std::find(list.begin(), list.end(), last); at != list.end())
      list.erase(at, at + 2);
  list.erase(std::remove(list.begin(), list.end(), "/akgen/unit.cpp"), list.end());
  list.erase(std::remove(list.begin(), list.end(), "-emit-obj"), list.end());
  if (!IsGuest(flags)) return list;
  DropAbsentFeatures(&list);
  AddSystemHeaders(&list);
  return list;
}

llvm::IntrusiveRefCntPtr<vfs::FileSystem> ClangInProcess::FileSystem(
    const VirtualFiles& files, const VirtualLinks& links, std::vector<std::string> visible) const {
  for (const auto& d : ReadableDirs()) visible.push_back(d);
  auto disk =
      llvm::makeIntrusiveRefCnt<OnlyFolders>(vfs::createPhysicalFileSystem(), std::move(visible));
  auto all = llvm::makeIntrusiveRefCnt<vfs::OverlayFileSystem>(disk);
  auto memory = llvm::makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  for (const auto& [path, text] : files)
    (void)memory->addFile(path, 0, llvm::MemoryBuffer::getMemBuffer(text, path));
  for (const auto& [name, path] : links) (void)memory->addHardLink(name, path);
  all->pushOverlay(memory);
  // Of a layer that has no root: nothing relative is looked up there.
  [[maybe_unused]] const std::error_code ignored = all->setCurrentWorkingDirectory("/");
  return all;
}

bool ClangInProcess::Run(clang::FrontendAction& action, const std::vector<std::string>& args,
                         llvm::IntrusiveRefCntPtr<vfs::FileSystem> fs, Collector& collector,
                         std::string* output, const CompileJob& what) {
  std::vector<const char*> argv;
  for (const auto& a : args) argv.push_back(a.c_str());
  clang::DiagnosticsEngine diags(new clang::DiagnosticIDs, new clang::DiagnosticOptions, &collector,
                                 false);
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, argv, diags)) return false;
  PlaceUbArrays(invocation->getCodeGenOpts());
  if (what.count_work)
    CountWork(invocation->getCodeGenOpts(), what.header),
        CheckLanguage(invocation->getCodeGenOpts(), what.watch_memory);
  if (what.device_code) StopAtGmVariables(invocation->getCodeGenOpts());
  if (what.watch_memory && !what.device_code)
    PrepareProgram(invocation->getCodeGenOpts(), what.cube_copy);
  if (what.watch_memory) WatchMemory(invocation->getCodeGenOpts(), what.device_code);
  if (what.count_work && IsGuest(what.flags)) OptimiseHeaders(invocation->getCodeGenOpts());
  invocation->getCodeGenOpts().VerifyModule = false;  // a check of clang by itself
  // The name of a precompiled header says which headers went into it: no need to look at each of
  // them again.
  invocation->getPreprocessorOpts().DisablePCHOrModuleValidation =
      clang::DisableValidationForModuleKind::PCH;
  clang::CompilerInstance compiler;
  compiler.setInvocation(invocation);
#if LLVM_VERSION_MAJOR >= 20
  compiler.createDiagnostics(*fs, &collector, false);
#else
  compiler.createDiagnostics(&collector, false);
#endif
  compiler.createFileManager(std::move(fs));
  llvm::SmallVector<char, 0> bytes;
  compiler.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(bytes));
  bool ok = compiler.ExecuteAction(action) && collector.getNumErrors() == 0;
  output->assign(bytes.data(), bytes.size());
  return ok;
}

void ClangInProcess::WarmUp(const std::vector<std::string>& flags) {
  VirtualFiles files{{"/akgen/warm.cpp",
                      "#include <stdint.h>\ntemplate <class T> T Twice(T v) { return v + v; }\n"
                      "extern \"C\" void f(float* x, int n) { for (int i = 0; i < n; ++i) x[i] = "
                      "Twice(x[i]); }\n"}};
  std::vector<std::string> args = FrontendArgs(flags);
  for (const char* a : {"-emit-obj", "-x", "c++", "/akgen/warm.cpp"}) args.push_back(a);
  Collector collector;
  std::string object;
  clang::EmitObjAction action;
  Run(action, args, FileSystem(files, {}, {OwnHeaders()}), collector, &object);
}

CompileOutcome ClangInProcess::Compile(const CompileJob& job, const VirtualFiles& files,
                                       const VirtualLinks& links) {
  std::vector<std::string> args = FrontendArgs(job.flags);
  args.insert(args.end(), job.search.begin(), job.search.end());
  std::string pch_dir = std::filesystem::path(job.pch).parent_path().string();
  if (!job.pch.empty()) args.insert(args.end(), {"-include-pch", job.pch});
  if (!job.prelude.empty()) args.insert(args.end(), {"-include", job.prelude});
  args.insert(args.end(), {"-main-file-name", std::filesystem::path(job.source).filename().string(),
                           "-emit-obj", "-x", "c++", job.source});
  std::vector<std::string> visible{OwnHeaders()};
  if (!pch_dir.empty())
    visible.push_back(pch_dir);  // the file manager also looks at a file's folder
  Collector collector;
  std::string object;
  auto action = job.device_code ? DeviceCode(files, links, job.prelude)
                : job.host_code ? HostCode(files, links, job.prelude)
                                : std::make_unique<clang::EmitObjAction>();
  CompileOutcome out;
  out.ok = Run(*action, args, FileSystem(files, links, visible), collector, &object, job);
  out.diagnostics = collector.Take();
  if (!out.ok) return out;
  if (auto written = base::WriteFileAtomic(job.object, object); !written.ok())
    out.fault = written.error().ToString();
  return out;
}

// What the precompiled header promised to others. Places in it are nobody's business, so it has no
// line table.
bool ClangInProcess::CompileHeader(const std::string& pch, std::vector<std::string> flags,
                                   const std::string& output) {
  const VirtualFiles files{{"/akgen/header.cpp", ""}};
  flags.insert(flags.end(), {"-g0", "-ffunction-sections", "-fdata-sections"});
  for (std::string& f : FlagsOfHeaders()) flags.push_back(std::move(f));
  std::vector<std::string> args = FrontendArgs(flags);
  args.insert(args.end(),
              {"-building-pch-with-obj", "-include-pch", pch, "-emit-obj", "-x", "c++"});
  args.push_back(files.begin()->first);
  Collector collector;
  std::string object;
  CompileJob job;
  job.count_work = true;  // of which it has none; what else is left out of the headers' functions
                          // is left out here too
  clang::EmitObjAction action;
  return Run(action, args,
             FileSystem(files, {}, {OwnHeaders(), std::filesystem::path(pch).parent_path()}),
             collector, &object, job) &&
         base::WriteFileAtomic(output, object).ok();
}

bool ClangInProcess::Precompile(const std::string& header, const std::vector<std::string>& flags,
                                const std::vector<std::string>& search, const std::string& output,
                                const std::string& object) {
  std::vector<std::string> args = FrontendArgs(flags);
  args.insert(args.end(), search.begin(), search.end());
  if (!object.empty()) args.insert(args.end(), {"-fmodules-codegen", "-building-pch-with-obj"});
  args.insert(args.end(), {"-emit-pch", "-fpch-instantiate-templates", "-o", output, "-x",
                           "c++-header", header});
  Collector collector;
  std::string unused;
  std::unique_ptr<clang::FrontendAction> action = std::make_unique<clang::GeneratePCHAction>();
  if (!object.empty()) action = PrecompileFunctions();
  return Run(*action, args, FileSystem({}, {}, {OwnHeaders()}), collector, &unused) &&
         (object.empty() || CompileHeader(output, flags, object));
}
}  // namespace

std::unique_ptr<Compiler> Compiler::Make() { return std::make_unique<ClangInProcess>(); }

}  // namespace akgen::toolchain
