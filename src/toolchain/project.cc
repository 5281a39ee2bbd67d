#include "toolchain/project.h"

#include <algorithm>
#include <set>

#include "base/files.h"
#include "base/hash.h"
#include "base/regex.h"
#include "toolchain/rewrite.h"

namespace akgen::toolchain {
namespace fs = std::filesystem;
namespace {
bool IsSource(const fs::path& p) {
  auto e = p.extension();
  return e == ".cpp" || e == ".cc" || e == ".cxx" || e == ".asc";
}

std::vector<fs::path> SourcesIn(const fs::path& dir) {
  std::vector<fs::path> out;
  std::error_code ec;
  for (fs::directory_iterator it(dir, ec), end; !ec && it != end; it.increment(ec))
    if (it->is_regular_file(ec) && IsSource(it->path())) out.push_back(it->path());
  std::sort(out.begin(), out.end());
  return out;
}

base::Error Bad(const char* code, const std::string& message, const fs::path& where,
                const std::string& fix) {
  return base::Error{code, message, where.string(), fix};
}

// The functions an application calls (aclnn…) live beside the tiling in some projects. They build
// against the device runtime and register nothing; the operator itself is complete without them.
bool IsCallLayer(const fs::path& file) {
  auto text = base::ReadFile(file);
  if (!text.ok()) return false;
  std::string code = BlankCommentsAndStrings(*text);
  for (const char* registers :
       {"OP_ADD", "IMPL_OP", "REGISTER_TILING", "TilingContext", "InferShapeContext"})
    if (code.find(registers) != std::string::npos) return false;
  if (file.filename().string().starts_with("aclnn_")) return true;
  for (const char* header :
       {"\"opdev/", "\"aclnn/", "\"aclnn_kernels/", "\"level0/", "\"level2/", "<opdev/", "<aclnn/"})
    if (text->find(std::string("#include ") + header) != std::string::npos) return true;
  return false;
}

// Paths travel between processes as text.
base::Status CheckFiles(const std::vector<fs::path>& files, const fs::path& dir) {
  for (const auto& file : files) {
    const std::string name = file.filename().string();
    if (base::Parse(base::Dump(name)) != base::Json(name))
      return Bad("AK0316", "the name of a source file is not UTF-8", file,
                 "give it a name in plain letters");
    if (base::LeadsOut(file, dir))
      return Bad("AK0317", "the source " + name + " is a link that leads out of the project", file,
                 "copy it into the project");
  }
  return {};
}

// Folders and words of file names that stand for chips other than those simulated, and for these.
bool NamesOtherChip(const fs::path& file) {
  const std::string stem = file.stem().string();
  for (const char* word :
       {"arch35", "arch20", "arch38", "310p", "310P", "ascend950", "kirin", "regbase"})
    if (stem.find(word) != std::string::npos) return true;
  return stem.ends_with("_apt");
}
bool NamesThisChip(const fs::path& folder) {
  static const std::set<std::string> kFolders = {"arch22",       "arch32", "ascend910b",
                                                 "ascend910_93", "a2",     "dav_2201"};
  return kFolders.contains(folder.filename().string());
}

std::vector<fs::path> FoldersOfThisChip(const fs::path& dir) {
  std::vector<fs::path> out;
  std::error_code ec;
  for (fs::directory_iterator it(dir, ec), end; !ec && it != end; it.increment(ec))
    if (std::error_code ignored; it->is_directory(ignored) && NamesThisChip(it->path()))
      out.push_back(it->path());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<fs::path> SourcesBelow(const fs::path& dir) {
  std::vector<fs::path> out;
  std::error_code ec;
  for (fs::recursive_directory_iterator it(dir, ec), end; !ec && it != end; it.increment(ec))
    if (it->is_regular_file(ec) && IsSource(it->path())) out.push_back(it->path());
  std::sort(out.begin(), out.end());
  return out;
}

// Kernels of a repository's operator: in op_kernel/, in the chip's folder below it, or one level
// deeper by name.
std::vector<fs::path> KernelsIn(const fs::path& dir) {
  std::vector<fs::path> out = SourcesIn(dir);
  for (const auto& folder : FoldersOfThisChip(dir))
    for (auto& s : SourcesIn(folder)) out.push_back(std::move(s));
  if (out.empty()) out = SourcesBelow(dir);
  // Those for other chips count where there are no others.
  if (std::any_of(out.begin(), out.end(), [](const auto& f) { return !NamesOtherChip(f); }))
    std::erase_if(out, NamesOtherChip);
  return out;
}

// The entries of the headers that a file includes from the project, where it has none itself.
base::Status FindIncludedEntries(const fs::path& kernel, const fs::path& file,
                                 std::set<fs::path>* seen, Project* project) {
  auto text = base::ReadFile(file);
  if (!text.ok()) return text.error();
  for (auto& e : FindEntries(file.string(), *text)) project->entries.emplace_back(kernel, e);
  constexpr std::string_view kInclude = "#include \"";
  for (size_t at = text->find(kInclude); at != std::string::npos && project->entries.empty();
       at = text->find(kInclude, at + 1)) {
    const size_t begin = at + kInclude.size(), end = text->find_first_of("\"\n", begin);
    if (end == std::string::npos) break;
    const fs::path header =
        (file.parent_path() / text->substr(begin, end - begin)).lexically_normal();
    std::error_code ec;
    if (!fs::is_regular_file(header, ec) || base::LeadsOut(header, project->dir) ||
        !seen->insert(header).second)
      continue;
    if (auto s = FindIncludedEntries(kernel, header, seen, project); !s.ok()) return s;
  }
  return {};
}

// The entries of the kernel files; of several files that define one name the first.
base::Status FindAllEntries(const std::vector<fs::path>& files, Project* project) {
  auto& found = project->entries;
  for (const auto& file : files) {
    auto text = base::ReadFile(file);
    if (!text.ok()) return text.error();
    for (auto& e : FindEntries(file.string(), *text)) {
      bool repeated =
          std::any_of(found.begin(), found.end(), [&](auto& f) { return f.second.name == e.name; });
      if (!repeated) found.emplace_back(file, e);
    }
  }
  for (std::set<fs::path> seen; const auto& file : files)
    if (found.empty())
      if (auto s = FindIncludedEntries(file, file, &seen, project); !s.ok()) return s;
  if (found.empty())
    return Bad("AK0312", "no kernel entry: no function is marked __global__", files.front(),
               "define extern \"C\" __global__ __aicore__ void <name>(GM_ADDR …)");
  return {};
}

void Take(const std::pair<fs::path, Entry>& chosen, Project* project) {
  project->kernel = chosen.first;
  project->entry = chosen.second;
  project->name = chosen.first.stem().string();
}

// The only entry, or the one named after its file: after the project where several are.
base::Status TakeEntry(Project* project) {
  const auto& found = project->entries;
  auto chosen = found.begin();
  if (found.size() > 1) {
    auto named = [](auto& f) { return f.second.name == f.first.stem(); };
    chosen = std::find_if(found.begin(), found.end(), [&](auto& f) {
      return named(f) && f.first.stem() == project->dir.filename();
    });
    if (chosen == found.end()) chosen = std::find_if(found.begin(), found.end(), named);
    if (chosen == found.end())
      return Bad("AK0313", "several kernel entries, and none has the name of its file",
                 found.front().first,
                 "name the entry like its file: " + found.front().first.stem().string());
  }
  Take(*chosen, project);
  return {};
}

base::Status FindHost(const fs::path& dir, bool needed, Project* project) {
  std::vector<fs::path> sources = SourcesIn(dir / "op_host");
  for (auto& s : SourcesBelow(dir / "op_host/op_tiling")) sources.push_back(std::move(s));
  for (const auto& folder : FoldersOfThisChip(dir / "op_host"))
    for (auto& s : SourcesIn(folder)) sources.push_back(std::move(s));
  // Folders of other chips, whose sources are asked for by name alone.
  std::error_code ec;
  for (fs::directory_iterator it(dir / "op_host", ec), end; !ec && it != end; it.increment(ec))
    if (std::error_code ignored; it->is_directory(ignored) && NamesOtherChip(it->path()))
      for (auto& s : SourcesBelow(it->path())) sources.push_back(std::move(s));
  if (auto s = CheckFiles(sources, dir); !s.ok()) return s;
  for (const auto& source : sources) {
    const fs::path below = source.lexically_relative(dir / "op_host");
    const bool other = NamesOtherChip(source) ||
                       std::any_of(below.begin(), below.end(),
                                   [](const auto& part) { return NamesOtherChip(part); });
    (IsCallLayer(source) ? project->skipped
     : other             ? project->elsewhere
                         : project->host_sources)
        .push_back(source);
  }
  if (project->host_sources.empty()) project->host_sources.swap(project->elsewhere);
  if (needed && project->host_sources.empty())
    return Bad("AK0314", "no host source found", dir / "op_host",
               "put the operator's definition and tiling in op_host/<operator>.cpp");
  return {};
}
}  // namespace

void ChooseEntry(const std::vector<std::string>& names, Project* project) {
  for (const std::string& name : names) {
    auto named = [&](const auto& f) { return f.first.stem() == name && f.second.name == name; };
    auto in_file = [&](const auto& f) { return f.first.stem() == name || f.second.name == name; };
    auto chosen = std::find_if(project->entries.begin(), project->entries.end(), named);
    if (chosen == project->entries.end())
      chosen = std::find_if(project->entries.begin(), project->entries.end(), in_file);
    if (chosen != project->entries.end()) return Take(*chosen, project);
  }
}

bool SourceLike(const fs::path& file) {
  static const std::set<std::string> kEndings = {".h",   ".hh",  ".hpp", ".hxx", ".inc", ".inl",
                                                 ".ipp", ".tpp", ".def", ".c",   ".cc",  ".cpp",
                                                 ".cxx", ".asc", ".cce", ".txt"};
  return kEndings.contains(file.extension().string());
}

base::Result<Project> LoadHost(const fs::path& given) {
  std::error_code ec;
  Project project;
  project.dir = fs::weakly_canonical(given, ec);
  if (ec || !fs::is_directory(project.dir, ec))
    return Bad("AK0310", "no such operator project", given, "give a folder with op_host/ in it");
  if (auto s = FindHost(project.dir, true, &project); !s.ok()) return s.error();
  return project;
}

// Host code that is not a tiling function: candidates of other benchmarks launch their kernels from
// PyTorch.
static base::Status RefusePyTorch(const std::vector<fs::path>& kernels) {
  static const base::Regex kInclude(
      R"((?m)^\s*#\s*include\s*[<"](torch|torch_npu|ATen|c10|pybind11)/)");
  for (const fs::path& kernel : kernels)
    if (auto text = base::ReadFile(kernel); text.ok() && kInclude.Find(*text))
      return Bad("AK0318", "the host code calls PyTorch, as a candidate of AscendKernelBench does",
                 kernel,
                 "run it by `akgen exec FILE --call \"OPERATOR(x=f32[8,64])\"`, or put the kernel "
                 "in op_kernel/ and its "
                 "tiling in op_host/");
  return {};
}

base::Result<Project> LoadProject(const fs::path& given, bool need_host) {
  std::error_code ec;
  fs::path dir = fs::weakly_canonical(given, ec);
  if (ec || !fs::exists(dir, ec))
    return Bad("AK0310", "no such operator project", given, "give a folder with op_kernel/ in it");
  Project project;
  std::vector<fs::path> kernels;
  if (fs::is_regular_file(dir, ec)) {
    kernels = {dir};
    project.dir = dir.parent_path();
    if (auto s = RefusePyTorch(kernels); !s.ok()) return s.error();
    if (need_host)
      return Bad("AK0314", "no host source found", dir,
                 "give the folder with op_host/ and op_kernel/");
  } else {
    project.dir = dir;
    bool layout = fs::is_directory(dir / "op_kernel", ec);
    kernels = layout ? KernelsIn(dir / "op_kernel") : SourcesIn(dir);
    if (kernels.empty())
      return Bad("AK0311", "no kernel source found", layout ? dir / "op_kernel" : dir,
                 "put the kernel in op_kernel/<operator>.cpp");
    if (auto s = RefusePyTorch(layout ? std::vector<fs::path>() : kernels); !s.ok())
      return s.error();
    if (auto s = FindHost(dir, need_host, &project); !s.ok()) return s.error();
  }
  if (auto s = CheckFiles(kernels, project.dir); !s.ok()) return s.error();
  if (auto s = FindAllEntries(kernels, &project); !s.ok()) return s.error();
  if (auto s = TakeEntry(&project); !s.ok()) return s.error();
  return project;
}

BuildRequest HostRequest(const Project& p) {
  BuildRequest r;
  r.kind = "host";
  for (const auto& s : p.host_sources) r.sources.push_back({s.string(), std::nullopt});
  r.project_dir = p.dir.string();
  r.include_dirs = {(p.dir / "op_host").string(), (p.dir / "op_kernel").string()};
  return r;
}

BuildRequest KernelRequest(const Project& p, const Device& device, Backend backend) {
  BuildRequest r;
  r.device = device;
  r.backend = backend;
  r.kind = "kernel";
  r.sources = {{p.kernel.string(), std::nullopt}};
  r.project_dir = p.dir.string();
  r.include_dirs = {p.kernel.parent_path().string()};
  if (backend == Backend::kNpu) r.entry = p.entry;
  return r;
}

}  // namespace akgen::toolchain
