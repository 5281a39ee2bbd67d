#include "device/translate.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "base/files.h"
#include "base/hash.h"
#include "base/process.h"
#include "base/regex.h"
#include "toolchain/rewrite.h"

namespace akgen::device {
namespace fs = std::filesystem;
namespace {
base::Error NoLaunch(const std::string& why, const std::string& where) {
  return {"AK0623", why, where, "judge it on the simulated chip (--device sim)"};
}

// How a kernel reads its tiling data. The toolkit generates the like for operators that are registered with it.
constexpr const char* kTiling = R"(
#include <cstdint>
#include "kernel_operator.h"
template <typename T>
__aicore__ inline void AkgenLoadTiling(T& into, const __gm__ uint8_t* from) {
  uint8_t* to = reinterpret_cast<uint8_t*>(&into);
  for (uint32_t i = 0; i < sizeof(T); ++i) to[i] = from[i];
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

std::string UnitText(const toolchain::BuildRequest& request, size_t parameters, const std::string& id) {
  std::string args;
  for (size_t i = 0; i < parameters; ++i) args += fmt::format("{}(GM_ADDR)args[{}]", i ? ", " : "", i);
  return kTiling + request.prelude +
         fmt::format(
             "\n#define {0} {1}\n#include \"{2}\"\n"
             "extern \"C\" const char {3}[] = \"{4}\";\n"
             "extern \"C\" const uint32_t {5} = {6};\n"
             "extern \"C\" int {7}(uint32_t blocks, void* stream, void** args) {{\n"
             "  {1}<<<blocks, nullptr, stream>>>({8});\n  return 0;\n}}\n",
             request.entry.name, kKernelName, request.sources[0].path, kBuildSymbol, id, kParametersSymbol, parameters,
             kLaunchSymbol, args);
}

// Parameters of the entry, by the file that defines it.
base::Result<size_t> ParametersOf(const toolchain::Entry& entry) {
  if (entry.templated) return NoLaunch("the entry " + entry.name + " is a template", entry.file);
  auto text = base::ReadFile(entry.file);
  if (!text.ok()) return text.error();
  for (const toolchain::EntryDeclaration& declared : toolchain::DeclaredEntries(*text)) {
    if (declared.name != entry.name) continue;
    for (const std::string& type : declared.types)
      if (type.find('*') == std::string::npos && type.find("GM_ADDR") == std::string::npos)
        return NoLaunch("the entry takes a " + type + ", which is no address", entry.file);
    return declared.types.size();
  }
  return NoLaunch("the parameters of the entry " + entry.name + " cannot be read", entry.file);
}

// Sources see a mounted folder as a neighbour of their own, "../name/file.h": so does a folder of include/, beside
// links of those names.
fs::path AddMounts(const std::vector<toolchain::Mount>& mounts, Translation& out) {
  if (mounts.empty()) return {};
  for (const toolchain::Mount& m : mounts)
    out.links.try_emplace(fs::path("include") / fs::path(m.at).filename(), m.folder);
  return "include/op_kernel";
}

// A line of clang's: FILE:LINE:COLUMN: error: TEXT.
std::vector<record::BuildDiagnostic> DiagnosticsIn(const std::string& output, const fs::path& unit) {
  static const base::Regex kLine(R"((?m)^(.+?):(\d{1,9}):(\d{1,9}): (fatal error|error|warning): (.+)$)");
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
}  // namespace

base::Result<Translation> Translate(const toolchain::BuildRequest& request, const Toolkit& toolkit,
                                    const fs::path& folder) {
  if (request.kind != "kernel" || request.sources.size() != 1)
    return NoLaunch("it is no single kernel", request.project_dir);
  auto parameters = ParametersOf(request.entry);
  if (!parameters.ok()) return parameters.error();
  Translation out;
  out.parameters = *parameters;
  const fs::path mounts = AddMounts(request.mounts, out);
  std::vector<std::string> flags{
      "-x", "asc", fmt::format("--npu-arch=dav-{}", request.device.arch), "-std=c++17", "-O2", "-fPIC", "-shared"};
  for (const std::string& define : request.defines) flags.push_back("-D" + define);
  for (const std::string& dir : request.include_dirs) flags.push_back("-I" + dir);
  std::string all = UnitText(request, out.parameters, "");
  for (const std::string& flag : flags) all += flag + "\n";
  for (const auto& [link, target] : out.links) all += link.string() + " " + target.string() + "\n";
  out.id = base::ContentHash(all + toolkit.version + base::HashOfFolder(request.project_dir));
  const fs::path here = folder / out.id;
  out.unit = here / "unit.asc", out.object = here / "kernel.so";
  out.text = UnitText(request, out.parameters, out.id);
  if (!mounts.empty()) flags.push_back("-I" + (here / mounts).string());
  out.command = {toolkit.compiler.string()};
  out.command.insert(out.command.end(), flags.begin(), flags.end());
  out.command.insert(out.command.end(), {out.unit.string(), "-o", out.object.string()});
  return out;
}

toolchain::BuildReply Compile(const Translation& t, int wall_ms) {
  if (auto written = WriteUnit(t); !written.ok()) return Broken("infra", written.error().message);
  const auto start = std::chrono::steady_clock::now();
  base::SpawnRequest run{t.command, {}};
  // It disturbs a build, and no operator of anybody else has a part in one.
  run.settings = {"ASCEND_CUSTOM_OPP_PATH="};
  auto done = base::RunProgram(run, wall_ms);
  if (!done.ok()) return Broken("infra", done.error().ToString());
  toolchain::BuildReply reply;
  reply.key = t.id;
  reply.build_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  reply.diagnostics = DiagnosticsIn(done->output, t.unit);
  std::error_code ec;
  if (done->timed_out) {
    reply.failure = "timeout";
  } else if (done->exit_code != 0) {
    // An error without a place of the candidate's is not the candidate's.
    const bool placed = std::any_of(reply.diagnostics.begin(), reply.diagnostics.end(),
                                    [](const auto& d) { return d.severity == "error" && !d.file.empty(); });
    reply.failure = "diagnostics";
    if (!placed)
      reply = Broken("infra", fmt::format("the vendor's compiler ended with {}: {}", done->exit_code,
                                          done->output.substr(0, 2000)));
  } else if (!fs::is_regular_file(t.object, ec)) {
    reply = Broken("infra", "the vendor's compiler reports success and wrote no object");
  } else {
    reply.ok = true, reply.so = t.object.string();
  }
  return reply;
}

}  // namespace akgen::device
