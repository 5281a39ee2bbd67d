#include "toolchain/builder/server.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/files.h"
#include "base/program_id.h"
#include "base/text.h"
#include "sandbox/child.h"
#include "toolchain/builder/object.h"
#include "toolchain/builder/reach.h"
#include "toolchain/builder/server_plan.h"
#include "toolchain/builder/share.h"
#include "toolchain/device.h"
#include "toolchain/launch_header.h"
#include "toolchain/launch_rewrite.h"
#include "toolchain/rewrite.h"

namespace akgen::toolchain {
namespace fs = std::filesystem;
using base::Json;
using sandbox::ChildOutcome;

namespace {
// Whatever this program does otherwise than another build of it did, it keeps its results to
// itself.
const std::string& OwnId() {
  static const std::string id = base::ContentHash(base::IdOfProgram("/proc/self/exe"));
  return id;
}
constexpr const char* kGuestHeader = "akgen/typical.h";      // the kernel's header, and uses of it
constexpr const char* kHostHeader = "akgen/host_prelude.h";  // includes every host header
constexpr uint64_t kMemoryBytes = 4ull << 30;
constexpr const char* kHeaderFolder =
    "include/ascendc";  // how diagnostics and line tables name our own headers

// Objects are linked by calling the linker itself, so the start files that define this are not
// there.
constexpr const char* kDsoHandle =
    "extern \"C\" { extern void* __dso_handle; __attribute__((weak, visibility(\"hidden\"))) void* "
    "__dso_handle = "
    "&__dso_handle; }\n";

// `device` enters for kernels and programs only.
std::vector<std::string> KindFlags(const std::string& kind, const Device& device = {},
                                   bool guest = false) {
  // Numbers as on x86-64 without FMA, whatever this machine has.
  std::vector<std::string> f{
      "-std=c++17",       "-O0",           "-gline-tables-only", "-fno-omit-frame-pointer",
      "-ferror-limit=30", "-fsigned-char", "-ffp-contract=off"};
  if (!guest) f.push_back("-fPIC");
#if defined(__aarch64__)
  if (!guest)
    f.push_back(
        "-mno-outline-atomics");  // their functions are in a library that nothing is linked with
#endif
  if (kind == "host" || kind == "library") {
#if !defined(__x86_64__)
    // What ends the process by itself on x86-64.
    f.insert(f.end(),
             {"-fsanitize=integer-divide-by-zero", "-fsanitize-trap=integer-divide-by-zero"});
#endif
    f.push_back("-Wno-c++11-narrowing");  // a warning of the compiler that host code is written for
    return f;
  }
  // A variable that nothing initialises holds no zero that happens to be right: floating-point
  // numbers are NaN, whole ones large, pointers lead nowhere. What that adds is not counted as
  // scalar work, and dropped where it is not the kernel's own code (count_work.cc).
  f.push_back("-ftrivial-auto-var-init=pattern");
  // A kernel's call through a pointer leads to one of its own functions of that type, or stops:
  // nothing of the simulator can be called by its address.
  if (kind == "kernel" && !guest) f.push_back("-fsanitize=kcfi");
  if (kind == "program") f.push_back("-DAKGEN_PROGRAM");
  if (auto of_device = DeviceFlags(device); of_device.ok())
    f.insert(f.end(), of_device->begin(), of_device->end());
  // What src/guest executes, at its fixed addresses.
  if (guest)
    for (const char* x :
         {"--target=riscv64-unknown-linux-gnu", "-march=rv64imafd_zfhmin", "-mabi=lp64d",
          "-mno-relax", "-mcmodel=medlow", "-fno-pic", "-nostdinc", "-fno-exceptions",
          "-fno-asynchronous-unwind-tables", "-fno-threadsafe-statics"})
      f.push_back(x);
  return f;
}

// What has no word of the Cube core's instructions is compiled for Vector cores alone.
bool MentionsCube(const VirtualFiles& files) {
  for (const auto& [path, text] : files)
    for (const char* word :
         {"Mmad", "MmadWithSparse", "Fixpipe", "LoadData2DParams", "Nd2NzParams", "__cube__",
          "__mix__", "KERNEL_TYPE_AIC_ONLY", "KERNEL_TYPE_MIX_AIC_1_0", "KERNEL_TYPE_MIX_AIC_1_1",
          "KERNEL_TYPE_MIX_AIC_1_2", "REGIST_MATMUL_OBJ", "MatmulImpl", "TPosition::A1"})
      for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const size_t end = at + std::string_view(word).size();
        if ((at == 0 || !base::IsWord(text[at - 1])) &&
            (end == text.size() || !base::IsWord(text[end])))
          return true;
      }
  return false;
}

bool IncludesKernelHeader(const std::string& text) {
  constexpr std::array kNames{kKernelHeader, "kernel_operator_", "kernel_basic_intf.h",
                              "matmul_intf.h"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](auto* n) { return text.find(n) != std::string::npos; });
}

BuildDiagnostic ErrorText(const std::string& message) { return {"error", "", 0, 0, message, {}}; }

void Fail(BuildReply* reply, const std::string& failure, const std::string& message) {
  reply->ok = false;
  reply->failure = failure;
  reply->diagnostics.push_back(ErrorText(message));
}

void ShortenAll(std::vector<BuildDiagnostic>* list, const std::string& project,
                const std::string& headers) {
  for (auto& d : *list) {
    d.file = Shorten(d.file, project, headers);
    ShortenAll(&d.notes, project, headers);
  }
}
}  // namespace

// Renames below which nothing of this machine's folders is left in messages and line tables.
std::string Shorten(const std::string& file, const std::string& project,
                    const std::string& headers) {
  for (const auto& [prefix, name] :
       {std::pair{headers, std::string(kHeaderFolder) + "/"}, {project, std::string()}})
    if (!prefix.empty() && file.starts_with(prefix + "/"))
      return name + file.substr(prefix.size() + 1);
  return file;
}

Server::Server(int channel_fd)
    : channel_fd_(channel_fd),
      compiler_(Compiler::Make()),
      include_dir_((base::HomeDir() / "include/ascendc").lexically_normal()),
      cache_dir_(base::CacheDir() / "build"),
      pch_dir_(base::CacheDir() / "pch"),
      work_(base::CacheDir() / "tmp"),
      headers_(include_dir_) {
  std::error_code ec;
  fs::create_directories(cache_dir_, ec);
  fs::create_directories(pch_dir_, ec);
  sandbox::Report();
  compiler_->WarmUp(KindFlags("host"));
  const Device usual = KnownDevices().front();  // what is paid once for all devices
  for (bool guest : {false, true})
    if (!guest || compiler_->CanCompileGuests())
      compiler_->WarmUp(KindFlags("kernel", usual, guest));
}

Json Server::Answer(const Json& request) {
  const BuilderAsks asks = AsksFromJson(request);
  if (asks == BuilderAsks::kSymbolize) return ToJson(Symbolize(SymbolizeRequestFromJson(request)));
  if (asks == BuilderAsks::kStatus)
    return ToJson(BuilderStatus{compiler_->Backend(), compiler_->Version(), LinkerPath(),
                                include_dir_.string(), compiler_->CanCountWork(),
                                sandbox::Report()});
  auto start = std::chrono::steady_clock::now();
  BuildReply reply;
  auto parsed = BuildRequestFromJson(request);
  if (parsed.ok())
    reply = Build(*parsed);
  else
    Fail(&reply, "infra", parsed.error().message);
  reply.build_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return ToJson(reply);
}

sandbox::Profile Server::CompilerProfile() const {
  sandbox::Profile p;
  p.readable = compiler_->ReadableDirs();
  for (const char* path : {"/usr/lib", "/lib", "/lib64", "/usr/bin", "/etc/ld.so.cache"})
    p.readable.push_back(path);
  p.readable.push_back(base::ExecutableDir().string());
  p.readable.push_back(include_dir_.string());
  p.readable.push_back(pch_dir_.string());
  p.memory_bytes = kMemoryBytes;
  p.file_bytes = kFileBytes;
  p.allow_exec = true;
  p.allow_processes = compiler_->NeedsProcesses();
  p.syscalls = sandbox::Syscalls::kNoEscape;
  return p;
}

static std::string NormalPath(const std::string& p) {
  std::string s = fs::absolute(p).lexically_normal().string();
  while (s.size() > 1 && s.back() == '/') s.pop_back();
  return s;
}

base::Status Server::Resolve(const BuildRequest& request, Plan* plan, BuildReply* reply) {
  // What is wrong with the sources themselves is a finding about them, not a fault of ours.
  auto blame = [&](const base::Error& e) -> base::Status {
    Fail(reply, "diagnostics", e.ToString());
    return {};
  };
  Surroundings around;
  if (!request.project_dir.empty()) {
    around.project = plan->project = NormalPath(request.project_dir);
    if (auto s = AddFolder(plan->project, &plan->files); !s.ok())
      return s.error().code == kTooMuchSource ? blame(s.error()) : s;
  }
  for (const auto& dir : request.include_dirs) {
    around.search.push_back(NormalPath(dir));
    plan->search.push_back("-I" + around.search.back());
  }
  for (const auto& m : request.mounts)
    around.mounts.push_back({NormalPath(m.at), NormalPath(m.folder)});
  plan->search.push_back("-I" + include_dir_.string());
  for (const auto& s : request.sources) {
    std::string path = NormalPath(s.path);
    if (s.text) {
      plan->files[path] = *s.text;
    } else if (!plan->files.contains(path)) {
      auto text = base::ReadFile(path);
      std::error_code ec;
      if (!text.ok())
        return fs::exists(path, ec) ? blame(text.error()) : base::Status(text.error());
      plan->files[path] = std::move(*text);
    }
    plan->sources.push_back(path);
  }
  around.own = plan->files;
  KeepReachable(plan->sources, &plan->files);
  if (auto s = AddReached(around, &plan->files, &plan->links); !s.ok()) return blame(s.error());
  for (const auto& d : request.defines) plan->search.push_back("-D" + d);
  for (const char* map : {"-fdebug-prefix-map=", "-fmacro-prefix-map="}) {
    plan->search.push_back(map + include_dir_.string() + "=" + kHeaderFolder);
    if (!plan->project.empty()) plan->search.push_back(map + plan->project + "/=");
  }
  plan->flags = KindFlags(request.kind, request.device, request.backend == Backend::kGuest);
  const bool in_units = std::any_of(
      plan->sources.begin(), plan->sources.end(),
      [&](const auto& path) { return !FindEntries(path, plan->files.at(path)).empty(); });
  for (auto& [path, text] : plan->files) {
    std::string name = Shorten(path, plan->project, "");
    if (request.kind == "kernel") {
      text = RewriteKernelSource(name, text, &reply->rewrites);
      const bool unit =
          std::find(plan->sources.begin(), plan->sources.end(), path) != plan->sources.end();
      if (unit || !in_units)
        text = RenameEntries(name, text, request.rename_entry, &reply->entries, &reply->rewrites);
    } else if (request.kind == "program") {
      text = WithoutCoreAttributes(name, text, &reply->rewrites);
      if (!HasLaunch(text)) continue;
      auto launched = RewriteLaunches(text, name);
      if (!launched.ok()) {
        reply->diagnostics.push_back({"error", name, 0, 0, launched.error().ToString(), {}});
        reply->failure = "diagnostics";
        return {};
      }
      text = launched->text;
      reply->rewrites.push_back(
          {name, 0, std::to_string(launched->launches) + " kernel launches became calls"});
    }
  }
  const bool guest = request.backend == Backend::kGuest;
  if ((request.kind == "kernel" ? guest : request.kind == "program" && compiler_->CanCountWork()) &&
      request.device.core == CoreType::kAiv && MentionsCube(plan->files))
    plan->cube_flags = KindFlags(request.kind, {request.device.arch, CoreType::kAic}, guest);
  plan->files[kPreludePath] = kDsoHandle + request.prelude;
  if (request.kind == "program") {
    plan->files[kPreludePath] += "#include \"acl/launch.h\"\n";  // what launches have become
    for (auto& [name, text] : LaunchHeaders(plan->sources, around.own))
      plan->files[std::string(kLaunchFolder) + name] = text;
    plan->search.push_back(std::string("-I") + kLaunchFolder);
  }
  return {};
}

std::string Server::CacheKey(const BuildRequest& request, const Plan& plan) {
  auto relative = [&](const std::string& p) {
    return Shorten(p, plan.project, include_dir_.string());
  };
  Json key{OwnId(),      request.kind, compiler_->Backend(), compiler_->Version(),
           plan.headers, plan.flags,   request.defines};
  for (const auto& l : request.libraries)
    key.push_back(fs::path(l).filename().string());  // named by its content
  for (const auto& l : request.whole_libraries)
    key.push_back("whole " + fs::path(l).filename().string());
  for (const auto& [name, path] : plan.links) key.push_back({relative(name), relative(path)});
  if (request.open_ended) key.push_back("open ended");
  if (!request.IsHost()) key.insert(key.end(), {request.device.arch, NameOf(request.device.core)});
  for (const auto& p : plan.sources) key.push_back(relative(p));
  for (const auto& d : request.include_dirs)
    key.push_back(relative(fs::absolute(d).lexically_normal().string() + "/"));
  for (const auto& [path, text] : plan.files)
    key.push_back({relative(path), base::ContentHash(text), text.size()});
  return base::ContentHash(base::Dump(key));
}

namespace {
// A build as the cache keeps it, beside its object.
struct CachedBuild {
  BuildReply reply;
  uintmax_t so_bytes = 0;  // of the object
};
Json ToJson(const CachedBuild& kept) {
  Json out = toolchain::ToJson(kept.reply);
  if (kept.reply.ok) out["so_bytes"] = kept.so_bytes;
  return out;
}
std::optional<CachedBuild> CachedBuildFromJson(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  return CachedBuild{BuildReplyFromJson(json), json.value("so_bytes", uintmax_t{0})};
}
}  // namespace

bool Server::FromCache(const std::string& key, BuildReply* reply) {
  fs::path record = cache_dir_ / key.substr(0, 2) / (key + ".json");
  auto text = base::ReadFile(record);
  if (!text.ok()) return false;
  const auto kept = CachedBuildFromJson(base::Parse(*text));
  if (!kept) return false;
  BuildReply found = kept->reply;
  if (found.ok) {
    found.so = (record.parent_path() / (key + ".so")).string();
    std::error_code ec;
    // A machine that fell over may leave the name of a file without its content.
    if (fs::file_size(found.so, ec) != kept->so_bytes || ec) return false;
  }
  *reply = std::move(found);
  reply->cached = true;
  return true;
}

void Server::ToCache(const std::string& key, const fs::path& so, BuildReply* reply) {
  fs::path dir = cache_dir_ / key.substr(0, 2);
  std::error_code ec;
  fs::create_directories(dir, ec);
  CachedBuild kept{*reply};
  if (reply->ok) {
    kept.so_bytes = fs::file_size(so, ec);
    fs::path place = dir / (key + ".so");
    fs::permissions(so, fs::perms(0644), ec);
    fs::rename(so, place, ec);
    if (ec) return Fail(reply, "infra", "cannot store the object: " + ec.message());
    reply->so = place.string();
  }
  (void)base::WriteFileAtomic(dir / (key + ".json"), base::Dump(ToJson(kept)));
}

// Of a guest's header there are two files; the precompiled one comes last.
bool Server::Precompile(const std::string& header, const std::vector<std::string>& flags,
                        const fs::path& file, const fs::path& object) {
  auto dir = work_.Next();
  if (!dir.ok()) return false;
  const fs::path pch = *dir / "out.pch", functions = object.empty() ? object : *dir / "out.o";
  auto done = sandbox::RunChild(
      [&](int) {
        sandbox::Profile p = CompilerProfile();
        p.writable = {dir->string()};
        p.cpu_seconds = 60;
        if (!sandbox::Confine(p).ok()) return 1;
        return compiler_->Precompile(header, flags, {"-I" + include_dir_.string()}, pch.string(),
                                     functions.string())
                   ? 0
                   : 1;
      },
      {.wall_ms = 60000, .watch_fd = channel_fd_, .keep_fds = {}});
  bool ok = done.ok() && done->end == ChildOutcome::End::kExited && done->exit_code == 0;
  std::error_code ec;
  if (ok && !object.empty()) fs::rename(functions, object, ec);
  if (ok && !ec) fs::rename(pch, file, ec);
  ok = ok && !ec;
  fs::remove_all(*dir, ec);
  return ok;
}

Server::Precompiled Server::Pch(const BuildRequest& request, const Plan& plan,
                                const std::vector<std::string>& flags) {
  const bool guest = request.backend == Backend::kGuest;
  const fs::path header = include_dir_ / (request.IsHost() ? kHostHeader
                                          : guest          ? kGuestHeader
                                                           : kKernelHeader);
  if (!compiler_->CanPrecompile() || request.kind == "program" || !fs::exists(header)) return {};
  const std::string key = base::ContentHash(
      base::Dump(Json{OwnId(), header.string(), compiler_->Version(), plan.headers, flags}));
  if (auto it = pch_.find(key); it != pch_.end()) return it->second;
  const fs::path file = pch_dir_ / (key + ".pch"),
                 object = guest ? pch_dir_ / (key + ".o") : fs::path();
  std::error_code ec;
  Precompiled& made = pch_[key];
  if (!fs::exists(file, ec) || (guest && !fs::exists(object, ec)))
    if (!Precompile(header.string(), flags, file, object)) return made;
  if (guest) {
    auto bytes = base::ReadFile(object);
    auto ready = bytes.ok() ? guest::Ready::Read(std::move(*bytes))
                            : base::Result<guest::Ready>(bytes.error());
    if (!ready.ok()) return made;
    made.header = std::move(*ready);
  }
  made.file = file.string();
  return made;
}

namespace {
bool HasObjects(const fs::path& dir, size_t units) {
  std::error_code ec;
  for (size_t i = 0; i < units; ++i)
    if (!fs::exists(ObjectOf(dir, i), ec)) return false;
  return true;
}
}  // namespace

BuildReply Server::Build(const BuildRequest& request) {
  BuildReply reply;
  Plan plan;
  if (auto s = Resolve(request, &plan, &reply); !s.ok()) {
    Fail(&reply, "infra", s.error().ToString());
    return reply;
  }
  if (!reply.failure.empty()) return reply;
  if (request.backend == Backend::kGuest && !compiler_->CanCompileGuests()) {
    Fail(&reply, "infra", "akgen-builder was built without the compiler that guests need");
    return reply;
  }
  plan.headers = headers_.Get();
  const std::string key = CacheKey(request, plan);
  reply.key = key;
  if (request.only_key || FromCache(key, &reply)) return reply;
  // A kernel that does not include the header must not get it for nothing; host sources do count on
  // what the vendor's headers bring along.
  bool included = std::any_of(plan.files.begin(), plan.files.end(),
                              [&](const auto& f) { return IncludesKernelHeader(f.second); });
  if (included || request.IsHost()) plan.pch = Pch(request, plan, plan.flags);
  if (!plan.pch.file.empty() && !plan.cube_flags.empty())
    plan.cube_pch = Pch(request, plan, plan.cube_flags);
  if (!plan.cube_flags.empty() && plan.cube_pch.file.empty()) plan.pch = {};
  // Where nothing could be precompiled (a full disk, no LLVM) the prelude still counts on the
  // header.
  const char* header = request.IsHost() ? kHostHeader : kKernelHeader;
  if (plan.pch.file.empty() && (request.IsHost() || (request.kind == "kernel" && included)) &&
      fs::exists(include_dir_ / header))
    plan.files[kPreludePath].insert(0, std::string("#include \"") + header + "\"\n");
  BuildRequest bare = request;
  bare.libraries.clear(), bare.whole_libraries.clear(), bare.open_ended = false;
  const std::string objects = request.kind == "host" ? CacheKey(bare, plan) : "";
  plan.compiled =
      !objects.empty() && objects == objects_.key && HasObjects(objects_.dir, plan.sources.size());
  if (!objects.empty() && !plan.compiled) ForgetObjects();
  auto dir = plan.compiled ? objects_.dir : work_.Next();
  if (!dir.ok()) {
    Fail(&reply, "infra", dir.error().ToString());
    return reply;
  }
  CompileAndLink(request, plan, *dir, &reply);
  if (reply.ok && request.open_ended) WeakenImports((*dir / "out.so").string());
  ShortenAll(&reply.diagnostics, plan.project, include_dir_.string());
  if (!reply.ok || request.kind == "library") NameUnsupported(plan, &reply);
  if (reply.ok || reply.failure == "diagnostics" || reply.failure == "link")
    ToCache(key, *dir / "out.so", &reply);
  if (reply.ok && !objects.empty()) {
    objects_.key = objects, objects_.dir = *dir;
    return reply;
  }
  if (plan.compiled) objects_ = {};
  std::error_code ec;
  fs::remove_all(*dir, ec);
  return reply;
}

void Server::ForgetObjects() {
  std::error_code ec;
  if (!objects_.key.empty()) fs::remove_all(objects_.dir, ec);
  objects_ = {};
}

}  // namespace akgen::toolchain
