#include "device/translate.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "base/files.h"
#include "base/hash.h"
#include "base/process.h"
#include "base/regex.h"
#include "device/confine.h"
#include "toolchain/rewrite.h"

namespace akgen::device {
namespace fs = std::filesystem;
namespace {
base::Error NoLaunch(const std::string& why, const std::string& where) {
  return {"AK0623", why, where, "judge it on the simulated chip (--device sim)"};
}

// How a kernel reads its tiling data. The toolkit generates the like for operators that are
// registered with it.
constexpr const char* kTiling = R"(
#include <cstdint>
#include "kernel_operator.h"
template <typename Word>
__aicore__ inline void AkgenCopyWords(void* into, const __gm__ uint8_t* from, uint32_t begin, uint32_t end) {
  Word* to = reinterpret_cast<Word*>(into);
  const __gm__ Word* words = reinterpret_cast<const __gm__ Word*>(from);
  for (uint32_t i = begin; i < end; ++i) to[i] = words[i];
}
template <typename T>
__aicore__ inline void AkgenLoadTiling(T& into, const __gm__ uint8_t* from) {
  constexpr uint32_t whole = alignof(T) % 8 == 0 ? sizeof(T) / 8 : 0;
  if constexpr (whole != 0) AkgenCopyWords<uint64_t>(&into, from, 0, whole);
  else if constexpr (alignof(T) % 4 == 0) AkgenCopyWords<uint32_t>(&into, from, 0, sizeof(T) / 4);
  else AkgenCopyWords<uint8_t>(&into, from, 0, sizeof(T));
}
#undef GET_TILING_DATA
#undef GET_TILING_DATA_WITH_STRUCT
#undef GET_TILING_DATA_MEMBER
#define GET_TILING_DATA(name, from) GET_TILING_DATA_WITH_STRUCT(AKGEN_DEFAULT_TILING, name, from)
#define GET_TILING_DATA_WITH_STRUCT(type, name, from) \
  type name;                                          \
  AkgenLoadTiling(name, (const __gm__ uint8_t*)(from))
#define GET_TILING_DATA_MEMBER(type, member, name, from) \
  decltype(type::member) name;                           \
  AkgenLoadTiling(name, (const __gm__ uint8_t*)(from) + __builtin_offsetof(type, member))
#undef REGISTER_TILING_DEFAULT
#define REGISTER_TILING_DEFAULT(type) using AKGEN_DEFAULT_TILING = type
#ifndef TILING_KEY_IS
#define TILING_KEY_IS(k) (TILING_KEY_VAR == (k))
#endif
)";

// The names in the launch function: macros of the candidate do not reach it.
constexpr const char* kWords[] = {"akgen_build",  "akgen_parameters",
                                  "akgen_launch", "extern",
                                  "const",        "char",
                                  "uint32_t",     "int",
                                  "void",         "blocks",
                                  "stream",       "args",
                                  "nullptr",      "return"};

// `kernel`: the text that defines it.
std::string UnitText(const toolchain::BuildRequest& request, const std::vector<std::string>& types,
                     const std::string& kernel, const std::string& id) {
  std::string args, words;
  for (size_t i = 0; i < types.size(); ++i)
    args += fmt::format("{}({})args[{}]", i ? ", " : "", types[i], i);
  for (const char* word : kWords) words += fmt::format("#undef {}\n", word);
  return kTiling + request.prelude + "\n" + kernel + words +
         fmt::format(
             "extern \"C\" const char {0}[] = \"{1}\";\n"
             "extern \"C\" const uint32_t {2} = {3};\n"
             "extern \"C\" int {4}(uint32_t blocks, void* stream, void** args) {{\n"
             "  {5}<<<blocks, nullptr, stream>>>({6});\n  return 0;\n}}\n",
             kBuildSymbol, id, kParametersSymbol, types.size(), kLaunchSymbol, kKernelName, args);
}

std::string CandidatesKernel(const toolchain::BuildRequest& request) {
  return fmt::format("#define {} {}\n#include \"{}\"\n", request.entry.name, kKernelName,
                     request.sources[0].path);
}

// One that computes nothing.
std::string EmptyKernel(size_t parameters) {
  std::string list;
  for (size_t i = 0; i < parameters; ++i) list += fmt::format("{}GM_ADDR p{}", i ? ", " : "", i);
  return fmt::format("extern \"C\" __global__ __aicore__ void {}({}) {{}}\n", kKernelName, list);
}

// Types of the entry's parameters, by the file that defines it.
base::Result<std::vector<std::string>> ParametersOf(const toolchain::Entry& entry) {
  if (entry.templated) return NoLaunch("the entry " + entry.name + " is a template", entry.file);
  auto text = base::ReadFile(entry.file);
  if (!text.ok()) return text.error();
  for (const toolchain::EntryDeclaration& declared : toolchain::DeclaredEntries(*text)) {
    if (declared.name != entry.name) continue;
    for (const std::string& type : declared.types)
      if (type.find('*') == std::string::npos && type.find("GM_ADDR") == std::string::npos)
        return NoLaunch("the entry takes a " + type + ", which is no address", entry.file);
    return declared.types;
  }
  return NoLaunch("the parameters of the entry " + entry.name + " cannot be read", entry.file);
}

// Sources see a mounted folder as a neighbour of their own, "../name/file.h": so does a folder of
// include/, beside links of those names.
fs::path AddMounts(const std::vector<toolchain::Mount>& mounts, Translation& out) {
  if (mounts.empty()) return {};
  for (const toolchain::Mount& m : mounts)
    out.links.try_emplace(fs::path("include") / fs::path(m.at).filename(), m.folder);
  return "include/op_kernel";
}

// A line of clang's: FILE:LINE:COLUMN: error: TEXT.
std::vector<record::BuildDiagnostic> DiagnosticsIn(const std::string& output,
                                                   const fs::path& unit) {
  static const base::Regex kLine(
      R"((?m)^(.+?):(\d{1,9}):(\d{1,9}): (fatal error|error|warning): (.+)$)");
  std::vector<record::BuildDiagnostic> out;
  for (const base::Match& m : kLine.All(output)) {
    record::BuildDiagnostic d;
    d.severity = m[4].text == "warning" ? "warning" : "error";
    d.file = m[1].text == unit.string() ? "" : m[1].text;
    d.line = std::atoi(m[2].text.c_str()), d.column = std::atoi(m[3].text.c_str());
    d.message = m[5].text;
    out.push_back(std::move(d));
  }
  return out;
}

toolchain::BuildReply Broken(const char* failure, const std::string& message) {
  toolchain::BuildReply reply;
  reply.failure = failure;
  reply.diagnostics.push_back({"error", "", 0, 0, message, {}});
  return reply;
}

base::Status WriteUnit(const Translation& t) {
  std::error_code ec;
  fs::create_directories(t.unit.parent_path(), ec);
  for (const auto& [link, target] : t.links) {
    fs::create_directories((t.unit.parent_path() / link).parent_path(), ec);
    fs::create_directory_symlink(target, t.unit.parent_path() / link, ec);
  }
  if (!t.links.empty()) fs::create_directories(t.unit.parent_path() / "include/op_kernel", ec);
  fs::remove(t.object, ec);
  return base::WriteFileAtomic(t.unit, t.text);
}

base::Result<base::ProgramResult> RunCompiler(const Translation& t, int wall_ms) {
  const fs::path folder = t.unit.parent_path();
  base::SpawnRequest run{Confined({folder, t.readable, true}, t.command), {}};
  run.settings = Settings(folder);
  return base::RunProgram(run, wall_ms);
}
}  // namespace

base::Result<Translation> Translate(const toolchain::BuildRequest& request, const Toolkit& toolkit,
                                    const fs::path& folder) {
  if (request.kind != "kernel" || request.sources.size() != 1)
    return NoLaunch("it is no single kernel", request.project_dir);
  auto parameters = ParametersOf(request.entry);
  if (!parameters.ok()) return parameters.error();
  Translation out;
  out.parameters = parameters->size(), out.kernel = request.sources[0].path;
  const fs::path mounts = AddMounts(request.mounts, out);
  std::vector<std::string> flags{
      "-x",    "asc",    fmt::format("--npu-arch=dav-{}", request.device.arch), "-std=c++17", "-O2",
      "-fPIC", "-shared"};
  for (const std::string& define : request.defines) flags.push_back("-D" + define);
  for (const std::string& dir : request.include_dirs) flags.push_back("-I" + dir);
  const std::string kernel = CandidatesKernel(request);
  std::string all = UnitText(request, *parameters, kernel, "");
  for (const std::string& flag : flags) all += flag + "\n";
  for (const auto& [link, target] : out.links) all += link.string() + " " + target.string() + "\n";
  out.id = base::ContentHash(all + toolkit.version + base::HashOfFolder(request.project_dir));
  const fs::path here = folder / out.id;
  out.unit = here / "unit.asc", out.object = here / "kernel.so";
  out.text = UnitText(request, *parameters, kernel, out.id);
  out.twin = UnitText(request, std::vector<std::string>(out.parameters, "GM_ADDR"),
                      EmptyKernel(out.parameters), out.id);
  if (!mounts.empty()) flags.push_back("-I" + (here / mounts).string());
  out.readable = {toolkit.compiler, request.project_dir};
  out.readable.insert(out.readable.end(), request.include_dirs.begin(), request.include_dirs.end());
  for (const toolchain::Mount& m : request.mounts) out.readable.push_back(m.folder);
  out.command = {toolkit.compiler.string()};
  out.command.insert(out.command.end(), flags.begin(), flags.end());
  out.command.insert(out.command.end(), {out.unit.string(), "-o", out.object.string()});
  return out;
}

namespace {
// Whether the same unit builds with a kernel that computes nothing: then toolkit and unit are not
// at fault.
bool TwinBuilds(const Translation& t, int wall_ms) {
  Translation twin = t;
  twin.unit.replace_filename("twin.asc"), twin.object.replace_filename("twin.so"),
      twin.text = t.twin;
  std::replace(twin.command.begin(), twin.command.end(), t.unit.string(), twin.unit.string());
  std::replace(twin.command.begin(), twin.command.end(), t.object.string(), twin.object.string());
  if (!WriteUnit(twin).ok()) return false;
  const auto done = RunCompiler(twin, wall_ms);
  std::error_code ec;
  return done.ok() && !done->timed_out && done->exit_code == 0 &&
         fs::is_regular_file(twin.object, ec);
}
}  // namespace

toolchain::BuildReply Compile(const Translation& t, int wall_ms) {
  if (auto written = WriteUnit(t); !written.ok()) return Broken("infra", written.error().message);
  const auto start = std::chrono::steady_clock::now();
  auto done = RunCompiler(t, wall_ms);
  if (!done.ok()) return Broken("infra", done.error().ToString());
  toolchain::BuildReply reply;
  reply.key = t.id;
  reply.build_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  reply.diagnostics = DiagnosticsIn(done->output, t.unit);
  std::error_code ec;
  if (!done->timed_out && done->exit_code == 0) {
    if (!fs::is_regular_file(t.object, ec))
      return Broken("infra", "the vendor's compiler reports success and wrote no object");
    reply.ok = true, reply.so = t.object.string();
    return reply;
  }
  const auto error = [](const auto& d) { return d.severity == "error"; };
  reply.failure = done->timed_out ? "timeout" : "diagnostics";
  if (!done->timed_out && std::any_of(reply.diagnostics.begin(), reply.diagnostics.end(),
                                      [&](const auto& d) { return error(d) && !d.file.empty(); }))
    return reply;
  // No place of the candidate's: a brace that is missing shows in the unit, behind it.
  const std::string how = done->timed_out
                              ? "the vendor's compiler did not end in time"
                              : fmt::format("the vendor's compiler ended with {}: {}",
                                            done->exit_code, done->output.substr(0, 2000));
  if (!TwinBuilds(t, wall_ms)) return Broken("infra", how);
  if (std::none_of(reply.diagnostics.begin(), reply.diagnostics.end(), error))
    reply.diagnostics.push_back({"error", "", 0, 0, how, {}});
  for (auto& d : reply.diagnostics)
    if (error(d)) d.file = t.kernel.string(), d.line = d.column = 0;
  return reply;
}

}  // namespace akgen::device
