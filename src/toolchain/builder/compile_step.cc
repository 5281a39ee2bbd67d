// One compilation: fork, confine, compile every unit (share.h), check what the objects import,
// become the linker.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <set>

#include "base/files.h"
#include "guest/library.h"
#include "guest/link.h"
#include "sandbox/child.h"
#include "toolchain/builder/object.h"
#include "toolchain/builder/server.h"
#include "toolchain/builder/server_plan.h"
#include "toolchain/builder/share.h"

namespace akgen::toolchain {
namespace fs = std::filesystem;
using base::Json;
using sandbox::ChildOutcome;

namespace {
constexpr size_t kMaxDiagnostics = 50;
constexpr int kManyBuilds = 16;  // a tenth of a second and 180 MiB are worth it from here on
constexpr int kExitDiagnostics = 3, kExitFault = 4, kExitLinker = 5;

// Does the process know the name at all? It has the C and C++ libraries loaded.
bool Exists(const std::string& symbol) { return ::dlsym(RTLD_DEFAULT, symbol.c_str()) != nullptr; }

// What a kernel may call: the chip, memory and text functions, mathematics, the C++ runtime. The
// rest of the C library (files, processes, sockets) exists on no chip, and a kernel that names it
// wants out.
bool OnTheChip(const std::string& symbol) {
  static const std::set<std::string> kNames = {"memcpy",
                                               "memmove",
                                               "memset",
                                               "memcmp",
                                               "memchr",
                                               "strlen",
                                               "strcmp",
                                               "strncmp",
                                               "strchr",
                                               "printf",
                                               "puts",
                                               "putchar",
                                               "abort",
                                               "abs",
                                               "labs",
                                               "_Unwind_Resume",
                                               "__gxx_personality_v0",
                                               "__stack_chk_fail",
                                               "__assert_fail",
                                               "_Znwm",
                                               "_Znam",
                                               "_ZdlPv",
                                               "_ZdlPvm",
                                               "_ZdaPv",
                                               "_ZdaPvm"};
  if (symbol.starts_with("akgen_") || symbol.starts_with("__cxa_") || kNames.contains(symbol))
    return true;
  // Of C++'s library what is thrown and how it ends; its strings and streams work on memory that no
  // chip has.
  for (const char* standard :
       {"_ZSt", "_ZNSt8ios_base4Init", "_ZNSt9exception", "_ZNKSt9exception",
        "_ZNSt13runtime_error", "_ZNSt11logic_error", "_ZNSt12out_of_range", "_ZNSt12length_error",
        "_ZTVSt", "_ZTISt", "_ZTIN", "_ZTVN10__cxxabiv1"})
    if (symbol.starts_with(standard)) return Exists(symbol);
  for (const char* by_pointer :
       {"nan", "fe", "lgamma_r", "lgammaf_r", "lgammal_r", "canonicalize", "getpayload",
        "setpayload", "totalorder", "matherr", "_Unwind_", "__register_", "__deregister_",
        "__enable_execute", "__emutls", "__clear_cache"})
    if (symbol.starts_with(by_pointer)) return false;
  static void* const mathematics = ::dlopen("libm.so.6", RTLD_LAZY | RTLD_NOLOAD);
  static void* const runtime =
      ::dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);  // half and 128-bit helpers
  for (void* library : {mathematics, runtime}) {
    Dl_info info{};
    void* at = library ? ::dlsym(library, symbol.c_str()) : nullptr;
    if (!at || !::dladdr(at, &info) || !info.dli_fname) continue;
    // A handle also finds what its library depends on, the C library among it.
    std::string file = fs::path(info.dli_fname).filename().string();
    if (file.starts_with("libm.") || file.starts_with("libm-") || file.starts_with("libgcc_s"))
      return true;
  }
  return false;
}

// A guest has the chip and the guest's own library.
bool ForGuests(const std::string& symbol) {
  return symbol.starts_with("akgen_") || guest::FindInLibrary(symbol) != nullptr;
}

// Does a program need a function of its own that it does not have? A kernel for Cube cores alone
// may: templates that are specialised for them are all that its author wrote.
bool LacksOwn(const std::vector<std::string>& symbols) {
  return std::any_of(symbols.begin(), symbols.end(),
                     [](const auto& s) { return !ForGuests(s) && !Exists(s); });
}
// Does one of these objects say that its kernel runs on Vector cores too?
bool NamesVectorCores(const std::vector<std::string>& symbols) {
  return std::any_of(symbols.begin(), symbols.end(), [](const auto& s) {
    return s == "akgen_kernel_type_mix_1_1" || s == "akgen_kernel_type_mix_1_2" ||
           s == "akgen_kernel_type_aiv";
  });
}

void CheckImports(const std::vector<std::string>& symbols, bool guest, CompileOutcome* outcome) {
  for (const auto& s : symbols) {
    std::string why;
    if (guest ? !ForGuests(s) : !OnTheChip(s))
      why = Exists(s) ? "'" + Demangle(s) +
                            "' is not there on the chip: a kernel has the Ascend C interface, "
                            "memory functions and mathematics"
                      : "undefined symbol: '" + Demangle(s) +
                            "' is declared and used, but defined nowhere";
    if (!why.empty())
      outcome->diagnostics.push_back({"error", "", 0, 0, why, {}});
    else if (!s.starts_with("akgen_"))
      outcome->imports.push_back(s);
  }
}

// What a guest's objects become is written here; there is no linker to start.
// `of_vector`: how many of the objects are for Vector cores; the rest is for Cube cores.
bool LinkGuest(const std::vector<std::string>& objects, size_t of_vector, const Server::Plan& plan,
               const std::string& image, CompileOutcome* outcome) {
  std::vector<std::string> contents, cube;
  for (const auto& path : objects) {
    auto bytes = base::ReadFile(path);
    if (!bytes.ok())
      outcome->fault = bytes.error().ToString();
    else
      (contents.size() < of_vector ? contents : cube).push_back(std::move(*bytes));
  }
  auto linked = guest::Link(contents, cube, plan.pch.header, plan.cube_pch.header);
  if (!linked.ok())
    outcome->diagnostics.push_back({"error", "", 0, 0, linked.error().ToString(), {}});
  else if (auto written = base::WriteFileAtomic(image, *linked); !written.ok())
    outcome->fault = written.error().ToString();
  return linked.ok();
}

[[noreturn]] void Become(const std::vector<std::string>& args) {
  std::vector<char*> argv;
  for (const auto& a : args) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  char* env[] = {const_cast<char*>("LC_ALL=C"), nullptr};
  ::execve(argv[0], argv.data(), env);
  ::_exit(kExitLinker);
}

[[noreturn]] void BecomeLinker(const BuildRequest& request, const std::vector<std::string>& objects,
                               const std::string& so) {
  std::vector<std::string> args{LinkerPath(),
                                "-shared",
                                "--hash-style=gnu",
                                "--build-id=none",
                                "-z",
                                "noexecstack",
                                "--eh-frame-hdr",
                                request.kind == "kernel" ? "-Bsymbolic" : "-Bsymbolic-functions",
                                "-o",
                                so};
  // LLVM's linker starts threads, which the sandbox refuses; the other one does not know the
  // option.
  if (fs::path(args[0]).filename().string().starts_with("ld.lld")) args.push_back("--threads=1");
  if (request.kind == "library") args = {ArchiverPath(), "rcsD", so};
  // The vendor links definition and tiling into different libraries, so a header of both may define
  // a plain function.
  if (request.kind == "host")
    args.insert(args.end(), {"-z", "muldefs", "--wrap=getenv", "--wrap=secure_getenv"});
  args.insert(args.end(), objects.begin(), objects.end());
  if (!request.whole_libraries.empty()) {
    args.push_back("--whole-archive");
    args.insert(args.end(), request.whole_libraries.begin(), request.whole_libraries.end());
    args.push_back("--no-whole-archive");
  }
  if (!request.libraries.empty()) {
    args.push_back("--start-group");
    args.insert(args.end(), request.libraries.begin(), request.libraries.end());
    args.push_back("--end-group");
  }
  Become(args);
}

// What host code takes from outside, the libraries it is linked with left out.
std::vector<std::string> HostImports(const std::vector<std::string>& objects,
                                     const std::vector<std::string>& libraries) {
  std::vector<std::string> imports = ImportsOf(objects);
  std::set<std::string> given;
  for (const auto& l : libraries)
    for (auto& name : DefinedInArchive(l)) given.insert(std::move(name));
  std::erase_if(imports, [&](const auto& name) { return given.contains(name); });
  return imports;
}

void Describe(const ChildOutcome& done, const BuildRequest& request, BuildReply* reply) {
  using End = ChildOutcome::End;
  auto fail = [&](const char* failure, const std::string& message) {
    reply->failure = failure;
    reply->diagnostics.push_back({"error", "", 0, 0, message, {}});
  };
  auto said = [&](const char* text) { return done.console.find(text) != std::string::npos; };
  bool cpu = done.end == End::kSignaled && done.signal == SIGXCPU;
  // The machine's own limit, which every source of some size would meet; ours is far above what any
  // source needs.
  rlimit files{};
  if (done.signal == SIGXFSZ && ::getrlimit(RLIMIT_FSIZE, &files) == 0 &&
      files.rlim_max < kFileBytes)
    return fail("infra",
                "the limit of this machine on the size of files (ulimit -f) is too low to compile");
  if (done.end == End::kFlooded)
    return fail("memory", "the compiler's output about this source exceeds the limit");
  // A source that never ends takes all the time it gets; what hardly had a processor tells nothing
  // of its source.
  if (done.end == End::kTimedOut && done.cpu_ms < request.wall_ms / 6.0)
    return fail(
        "infra",
        "the compiler had hardly any processor time: the machine is too busy, or its disk hangs");
  if (done.end == End::kTimedOut || cpu)
    return fail("timeout", "the compiler was stopped after " +
                               std::to_string(request.wall_ms / 1000.0).substr(0, 5) +
                               " s: templates or constant expressions that never end?");
  if (done.end == End::kPeerGone) return fail("infra", "the client went away");
  // Nobody but a machine without memory kills it: the limit of processor time sends SIGXCPU.
  if (done.end == End::kSignaled && done.signal == SIGKILL)
    return fail("memory",
                "the compiler was killed: this source takes more memory than the machine has");
  if (said("out of memory") || said("bad_alloc") || said("allocation failed"))
    return fail("memory", "the compiler ran out of its 4 GiB of memory on this source");
  if (done.end == End::kSignaled)
    return fail("crash",
                "the compiler died on this source (signal " + std::to_string(done.signal) + ")");
  if (done.exit_code == kExitFault)
    return fail("infra", "the compiler could not work: " + done.console);
  if (done.exit_code == kExitLinker) return fail("infra", "no linker: install binutils");
  if (done.exit_code == kExitDiagnostics) {
    reply->failure = "diagnostics";
    return;
  }
  fail("link", "the linker refused: " + done.console.substr(0, 4000));
}

// Whether the disk takes what a compilation writes, and some more. Its own words are no witness: a
// source can choose the names that a linker prints.
bool HasRoom(const fs::path& dir) {
  uintmax_t bytes = uintmax_t{4} << 20;
  std::error_code ec;
  for (fs::directory_iterator it(dir, ec), end; !ec && it != end; it.increment(ec)) {
    std::error_code ignored;
    if (auto size = it->file_size(ignored); !ignored) bytes += 2 * size;
  }
  const fs::path file = dir / "room";
  base::Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  const bool room = !ec && fd.valid() && ::posix_fallocate(fd.get(), 0, off_t(bytes)) == 0;
  fs::remove(file, ec);
  return room;
}
// A kernel's type is inferred only where its source has no other kernel.
void NeedType(const std::vector<Entry>& entries, const std::vector<std::string>& symbols,
              CompileOutcome* outcome) {
  const bool cube = std::find(symbols.begin(), symbols.end(), "akgen_cube") != symbols.end();
  if (!cube || std::any_of(symbols.begin(), symbols.end(),
                           [](const auto& s) { return s.starts_with("akgen_kernel_type_"); }))
    return;
  for (size_t i = 1; i < entries.size(); ++i)
    if (entries[i].file == entries[i - 1].file)
      return outcome->diagnostics.push_back(
          {"error",
           entries[i].file,
           entries[i].line,
           0,
           "the type of a kernel is not inferred where a source has several, and this one uses the "
           "Cube core: name it "
           "in '" +
               entries[i].name + "' with KERNEL_TASK_TYPE_DEFAULT",
           {}});
}

// Holds what the objects need from outside against what there is. Result: how many of the objects
// are for Vector cores; 0: the kernel is for Cube cores alone, and the program for Vector cores,
// which lacks functions, is left out.
size_t CheckPrograms(const std::vector<Entry>& entries, std::vector<std::string>* objects,
                     size_t of_vector, const Server::Plan& plan, bool guest,
                     CompileOutcome* outcome) {
  std::vector<std::vector<std::string>> wanted;
  for (size_t i = 0; i < objects->size(); ++i) {
    const auto undefined = UndefinedSymbols((*objects)[i]);
    const guest::Ready& header = (i < of_vector ? plan.pch : plan.cube_pch).header;
    const auto left = header.LeftOver({undefined.begin(), undefined.end()});
    wanted.emplace_back(left.begin(), left.end());
  }
  const auto cube = wanted.begin() + std::ptrdiff_t(of_vector);
  for (auto symbols = cube; symbols != wanted.end(); ++symbols)
    NeedType(entries, *symbols, outcome);
  if (cube != wanted.end() && std::any_of(wanted.begin(), cube, LacksOwn) &&
      std::none_of(cube, wanted.end(), LacksOwn) &&
      std::none_of(cube, wanted.end(), NamesVectorCores)) {
    wanted.erase(wanted.begin(), cube);
    objects->erase(objects->begin(), objects->begin() + std::ptrdiff_t(of_vector));
    of_vector = 0;
  }
  for (const auto& symbols : wanted) CheckImports(symbols, guest, outcome);
  return of_vector;
}

}  // namespace

void Server::CompileAndLink(const BuildRequest& request, const Plan& plan, const fs::path& dir,
                            BuildReply* reply) {
  if (++compiled_ == kManyBuilds) compiler_->Settle();
  const BuildReply before = *reply;
  for (int attempt = 0; attempt < 2; ++attempt) {
    *reply = before;
    TryToCompile(request, plan, dir, reply);
    if (reply->ok || (reply->failure != "link" && reply->failure != "crash")) return;
    if (HasRoom(dir)) continue;
    reply->failure = "infra";
    reply->diagnostics.push_back(
        {"error", "", 0, 0, "the disk of the cache is full: " + dir.string(), {}});
    return;
  }
}

void Server::TryToCompile(const BuildRequest& request, const Plan& plan, const fs::path& dir,
                          BuildReply* reply) {
  const bool guest = request.backend == Backend::kGuest;
  auto body = [&](int out) {
    std::optional<Share> share;
    if (!plan.compiled) share.emplace(plan);
    sandbox::Profile profile = CompilerProfile();
    profile.writable.push_back(dir.string());
    for (const auto* libraries : {&request.libraries, &request.whole_libraries})
      profile.readable.insert(profile.readable.end(), libraries->begin(), libraries->end());
    profile.cpu_seconds = uint64_t(request.wall_ms) / 1000 + 1;
    if (auto s = sandbox::Confine(profile); !s.ok()) {
      sandbox::WriteAll(2, s.error().ToString());
      return kExitFault;
    }
    CompileOutcome all{true, {}, {}, ""};
    std::vector<std::string> objects, undefined;
    const size_t units = plan.sources.size();
    const bool library = request.kind == "library";  // of what does not compile, nothing is in it
    const UnitResults results = share ? share->Compile(*compiler_, request, plan, dir)
                                      : Compiled(units, objects_.diagnostics, objects_.rewrites);
    for (const auto& [i, result] : results) {
      const CompileOutcome& one = result.outcome;
      if (i >= units && !all.ok) break;
      const std::string object = ObjectOf(dir, i);
      all.fault += one.fault;
      all.ok = all.ok && (one.ok || library);
      all.diagnostics.insert(all.diagnostics.end(), one.diagnostics.begin(), one.diagnostics.end());
      if (one.ok || !library) objects.push_back(object);
      if (!one.fault.empty()) break;
      if (one.ok && request.IsHost()) undefined.push_back(object);
    }
    size_t of_vector = units;
    if (request.kind == "kernel" && all.ok && all.fault.empty())
      of_vector = CheckPrograms(reply->entries, &objects, units, plan, guest, &all);
    if (guest && all.ok && all.fault.empty() &&
        std::none_of(all.diagnostics.begin(), all.diagnostics.end(),
                     [](const auto& d) { return d.severity == "error"; }))
      all.ok = LinkGuest(objects, of_vector, plan, (dir / "out.so").string(), &all);
    if (!all.fault.empty()) {
      sandbox::WriteAll(2, all.fault);
      return kExitFault;
    }
    bool wrong =
        !all.ok || (library ? objects.empty()
                            : std::any_of(all.diagnostics.begin(), all.diagnostics.end(),
                                          [](const auto& d) { return d.severity == "error"; }));
    if (all.diagnostics.size() > kMaxDiagnostics) all.diagnostics.resize(kMaxDiagnostics);
    undefined.insert(undefined.end(), request.whole_libraries.begin(),
                     request.whole_libraries.end());
    if (all.ok && request.IsHost()) all.imports = HostImports(undefined, request.libraries);
    BuildReply said;  // of the compilation alone
    said.diagnostics = all.diagnostics, said.imports = all.imports,
    said.rewrites = RewritesOf(results);
    if (!sandbox::WriteAll(out, base::Dump(ToJson(said)))) return kExitFault;
    if (wrong) return kExitDiagnostics;
    if (guest) return 0;
    BecomeLinker(request, objects, (dir / "out.so").string());
  };
  auto done = sandbox::RunChild(
      body, {.wall_ms = request.wall_ms, .watch_fd = channel_fd_, .keep_fds = {}});
  if (!done.ok()) {
    reply->failure = "infra";
    reply->diagnostics.push_back({"error", "", 0, 0, done.error().ToString(), {}});
    return;
  }
  const Json said = base::Parse(done->reply);
  if (said.is_object()) {
    BuildReply compiled = BuildReplyFromJson(said);
    reply->diagnostics.insert(reply->diagnostics.end(), compiled.diagnostics.begin(),
                              compiled.diagnostics.end());
    if (request.kind == "host" && !plan.compiled)
      objects_.diagnostics = compiled.diagnostics, objects_.rewrites = compiled.rewrites;
    reply->imports = std::move(compiled.imports);
    reply->rewrites.insert(reply->rewrites.end(), compiled.rewrites.begin(),
                           compiled.rewrites.end());
  }
  reply->cpu_ms = done->cpu_ms;
  reply->ok = done->end == ChildOutcome::End::kExited && done->exit_code == 0 && said.is_object();
  if (!reply->ok) Describe(*done, request, reply);
}

}  // namespace akgen::toolchain
