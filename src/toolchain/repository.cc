#include "toolchain/repository.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/files.h"
#include "base/hash.h"
#include "toolchain/build_files.h"

namespace akgen::toolchain {
namespace fs = std::filesystem;
namespace {
constexpr int kMaxDepth = 4;  // experimental/category/operator

bool IsFolder(const fs::path& p) {
  std::error_code ec;
  return fs::is_directory(p, ec);
}

std::vector<fs::path> FoldersIn(const fs::path& dir) {
  std::vector<fs::path> out;
  std::error_code ec;
  for (fs::directory_iterator it(dir, ec), end; !ec && it != end; it.increment(ec))
    if (std::error_code ignored;
        it->is_directory(ignored) && !it->path().filename().string().starts_with("."))
      out.push_back(it->path());
  std::sort(out.begin(), out.end());
  return out;
}

// By its name: add_rms_norm_def.cpp. A neighbour's is no part of a library.
bool DefinesOperator(const fs::path& source) { return source.stem().string().ends_with("_def"); }

void AddSources(const fs::path& dir, bool below, std::vector<SourceFile>* out) {
  std::error_code ec;
  std::vector<std::string> found;
  for (fs::recursive_directory_iterator it(dir, ec), end; !ec && it != end; it.increment(ec)) {
    if (std::error_code ignored; it->is_directory(ignored)) {
      if (!below) it.disable_recursion_pending();
      continue;
    }
    if (it->path().extension() == ".cpp" || it->path().extension() == ".cc")
      found.push_back(it->path().string());
  }
  std::sort(found.begin(), found.end());
  for (auto& f : found) out->push_back({std::move(f), std::nullopt});
}

// Folders of a repository that hold operators: its categories, and those of experimental/.
std::vector<fs::path> Categories(const fs::path& repository) {
  std::vector<fs::path> out;
  for (const auto& dir : FoldersIn(repository)) {
    if (dir.filename() == "experimental")
      for (const auto& inner : FoldersIn(dir)) out.push_back(inner);
    else
      out.push_back(dir);
  }
  return out;
}

// Operators of the repository by nearness: of the same category, of the same tree, others.
std::vector<fs::path> Operators(const fs::path& repository, const fs::path& project) {
  const fs::path category = project.parent_path();
  std::vector<fs::path> near, same, far;
  for (const auto& c : Categories(repository)) {
    auto* into = c == category ? &near : c.parent_path() == category.parent_path() ? &same : &far;
    for (const auto& dir : FoldersIn(c))
      if (IsFolder(dir / "op_kernel") || IsFolder(dir / "op_host")) into->push_back(dir);
  }
  near.insert(near.end(), same.begin(), same.end());
  near.insert(near.end(), far.begin(), far.end());
  return near;
}

// The words behind DEPENDENCIES in a CMakeLists.txt, up to the next word in capitals.
std::vector<std::string> DependenciesIn(const fs::path& file) {
  std::vector<std::string> out;
  auto text = base::ReadFile(file);
  if (!text.ok()) return out;
  std::string code;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) code += line.substr(0, line.find('#')) + '\n';
  std::replace_if(
      code.begin(), code.end(), [](char c) { return c == '(' || c == ')' || c == '"'; }, ' ');
  bool in = false;
  std::istringstream words(code);
  for (std::string w; words >> w;) {
    if (w == "DEPENDENCIES")
      in = true;
    else if (!std::any_of(w.begin(), w.end(), [](unsigned char c) { return std::islower(c) != 0; }))
      in = false;
    else if (in && std::find(out.begin(), out.end(), w) == out.end())
      out.push_back(w);
  }
  return out;
}

// "norm_common", or "matmul.common" with its category.
fs::path FolderOf(const std::string& dependency, const fs::path& repository,
                  const fs::path& project) {
  if (size_t dot = dependency.find('.'); dot != std::string::npos)
    return repository / dependency.substr(0, dot) / dependency.substr(dot + 1);
  for (const auto& dir : Operators(repository, project))
    if (dir.filename() == dependency) return dir;
  return {};
}

std::vector<std::string> OperatorsIn(const std::vector<fs::path>& sources) {
  std::vector<std::string> out;
  for (const auto& source : sources)
    if (auto text = base::ReadFile(source); text.ok())
      for (size_t at = text->find("OP_ADD("); at != std::string::npos;
           at = text->find("OP_ADD(", at + 1)) {
        const size_t begin = at + 7, end = text->find_first_of("), ", begin);
        if (end != std::string::npos) out.push_back(text->substr(begin, end - begin));
      }
  return out;
}

bool HasAny(const std::string& text, std::initializer_list<const char*> macros,
            const std::string& name, const char* end) {
  return std::any_of(macros.begin(), macros.end(), [&](const char* macro) {
    return text.find(macro + name + end) != std::string::npos;
  });
}

bool RegistersTiling(const std::string& name, const std::string& text) {
  return HasAny(text, {"IMPL_OP_OPTILING("}, name, ")") ||
         HasAny(text, {"REGISTER_TILING_DATA_CLASS("}, name, ",");
}

bool RegistersFor(const std::vector<std::string>& operators, const fs::path& source) {
  const auto text = base::ReadFile(source);
  return text.ok() && std::any_of(operators.begin(), operators.end(), [&](const std::string& name) {
           return RegistersTiling(name, *text) ||
                  HasAny(*text, {"IMPL_OP(", "IMPL_OP_INFERSHAPE("}, name, ")");
         });
}

// Does host code of the folder give the operators their tiling?
bool HasTiling(const std::vector<std::string>& operators, const fs::path& folder) {
  std::vector<SourceFile> sources;
  AddSources(folder / "op_host", true, &sources);
  return std::any_of(sources.begin(), sources.end(), [&](const SourceFile& source) {
    const auto text = base::ReadFile(source.path);
    return text.ok() &&
           std::any_of(operators.begin(), operators.end(),
                       [&](const std::string& name) { return RegistersTiling(name, *text); });
  });
}

// All host sources of a repository are one target there: an operator that no source of its own
// gives a tiling may have it from a neighbour that is named nowhere.
std::vector<fs::path> NeighboursWithTiling(const fs::path& project, const fs::path& repository) {
  std::vector<SourceFile> sources;
  AddSources(project / "op_host", true, &sources);
  std::vector<fs::path> files, out;
  for (const auto& source : sources) files.emplace_back(source.path);
  const std::vector<std::string> operators = OperatorsIn(files);
  if (operators.empty() || HasTiling(operators, project)) return out;
  for (const auto& file : files)
    if (auto text = base::ReadFile(file);
        text.ok() && text->find("SetTiling(") != std::string::npos)
      return out;
  for (auto& dir : Operators(repository, project))
    if (dir != project && HasTiling(operators, dir)) out.push_back(std::move(dir));
  return out;
}

// The folders that an operator of the repository names as DEPENDENCIES, and those that it has its
// tiling from.
std::vector<fs::path> DependenciesOf(const fs::path& project, const fs::path& repository) {
  std::vector<fs::path> out;
  if (repository.empty()) return out;
  for (const char* file : {"CMakeLists.txt", "op_host/CMakeLists.txt"})
    for (const auto& d : DependenciesIn(project / file))
      if (fs::path folder = FolderOf(d, repository, project); !folder.empty() && folder != project)
        out.push_back(std::move(folder));
  for (auto& folder : NeighboursWithTiling(project, repository))
    if (std::find(out.begin(), out.end(), folder) == out.end()) out.push_back(std::move(folder));
  return out;
}

// What the build files say that are read for the project: the repository's, and its own.
BuildFiles BuildFilesOf(const fs::path& repository, const fs::path& project) {
  BuildFiles out(repository);
  out.Read(repository / "CMakeLists.txt", repository);
  std::vector<fs::path> files;
  std::error_code ec;
  for (fs::directory_iterator it(repository / "cmake", ec), end; !ec && it != end; it.increment(ec))
    if (it->path().extension() == ".cmake") files.push_back(it->path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) out.Read(file, repository);
  if (project.empty()) return out;
  for (const char* part : {"", "op_host", "op_kernel"})
    out.Read(project / part / "CMakeLists.txt", project / part);
  return out;
}

// Folders that its build files name, and those of its submodules.
std::vector<std::string> NamedIncludes(const fs::path& repository, const fs::path& project) {
  std::vector<std::string> out = BuildFilesOf(repository, project).include_dirs();
  for (const Submodule& module : SubmodulesAround(repository))
    if (const fs::path dir = module.path / "include"; IsFolder(dir)) out.push_back(dir.string());
  return out;
}

void AddFolders(const fs::path& root, std::initializer_list<const char*> names,
                std::vector<std::string>* out) {
  for (const char* name : names)
    if (fs::path dir = *name ? root / name : root; IsFolder(dir)) out->push_back(dir.string());
}
}  // namespace

fs::path FindRepository(const fs::path& project) {
  fs::path at = project;
  for (int depth = 0; depth < kMaxDepth && at.has_parent_path() && at != at.parent_path();
       ++depth) {
    at = at.parent_path();
    std::error_code ec;
    const bool has_common = IsFolder(at / "common/inc") || IsFolder(at / "common/include");
    if (has_common && fs::exists(at / "CMakeLists.txt", ec)) return at;
  }
  return {};
}

std::vector<std::string> Around::HostIncludes(const fs::path& project) const {
  std::vector<std::string> out = include_dirs;
  if (!base.empty())
    AddFolders(
        base,
        {"include", "include/op_common", "include/op_common/op_host", "include/op_common/op_graph",
         "pkg_inc", "pkg_inc/op_common", "pkg_inc/op_common/op_host", "pkg_inc/op_common/op_graph"},
        &out);
  if (repository.empty()) return out;
  AddFolders(repository,
             {"", "matmul", "conv", "vfusion", "common/inc", "common/inc/op_host", "common/include",
              "include"},
             &out);
  for (auto& dir : NamedIncludes(repository, project)) out.push_back(std::move(dir));
  out.push_back(project.parent_path().string());
  // All host sources of a repository are one target: each sees the folders of the others, here of
  // those it names.
  for (const auto& folder : DependenciesOf(project, repository)) {
    AddFolders(folder, {"op_host", "op_host/op_tiling"}, &out);
    out.push_back(folder.parent_path().string());
  }
  return out;
}

std::vector<std::string> Around::KernelIncludes(const fs::path& project) const {
  std::vector<std::string> out = include_dirs;
  if (!base.empty())
    AddFolders(base, {"include/op_common", "pkg_inc/op_common", "include", "pkg_inc"}, &out);
  if (repository.empty()) return out;
  AddFolders(repository, {"", "common/inc/op_kernel", "common/inc", "common/include", "include"},
             &out);
  for (auto& dir : NamedIncludes(repository, project)) out.push_back(std::move(dir));
  return out;
}

std::vector<fs::path> Around::Unnamed(const Project& project) const {
  std::vector<fs::path> out;
  if (repository.empty()) return out;
  const BuildFiles files = BuildFilesOf(repository, project.dir);
  auto globbed = [&](const fs::path& source) {
    return std::any_of(files.globs().begin(), files.globs().end(), [&](const std::string& pattern) {
      return Fits(source.filename().string(), pattern);
    });
  };
  if (std::none_of(project.host_sources.begin(), project.host_sources.end(), globbed)) return out;
  for (const auto& source : project.host_sources)
    if (source.parent_path().filename() == "op_host" && !globbed(source) &&
        !DefinesOperator(source) && !files.sources().contains(source.filename().string()))
      out.push_back(source);
  return out;
}

std::string Around::AbsentSubmodule(const std::string& header) const {
  for (const Submodule& module :
       repository.empty() ? std::vector<Submodule>() : SubmodulesAround(repository))
    if (!module.present && header.starts_with(module.path.filename().string() + "/"))
      return module.path.filename().string();
  return "";
}

std::vector<Mount> Around::KernelMounts(const Project& project) const {
  std::vector<Mount> out;
  if (repository.empty()) return out;
  auto add = [&](const std::string& name, const fs::path& folder) {
    if (IsFolder(folder)) out.push_back({(project.dir / name).string(), folder.string()});
  };
  for (const auto& dir : Operators(repository, project.dir))
    if (dir != project.dir) add(dir.filename().string(), dir / "op_kernel");
  add("inc", repository / "common/inc/op_kernel");
  add("common", repository / "conv/common/op_kernel");
  add("common", base / "include/op_common");
  add(project.dir.filename().string(), project.dir / "op_kernel");
  return out;
}

namespace {
BuildRequest LibraryOf(std::vector<SourceFile> sources, std::vector<std::string> include_dirs) {
  constexpr int kPatienceMs = 600000;
  BuildRequest r;
  r.kind = "library";
  r.sources = std::move(sources);
  r.include_dirs = std::move(include_dirs);
  r.wall_ms = kPatienceMs;
  return r;
}
}  // namespace

std::vector<BuildRequest> Around::OtherChips(const Project& project) const {
  std::vector<BuildRequest> out;
  auto add = [&](const Project& p) {
    std::vector<SourceFile> sources;
    for (const auto& file : p.elsewhere) sources.push_back({file.string(), std::nullopt});
    if (sources.empty()) return;
    out.push_back(LibraryOf(std::move(sources), HostRequest(p).include_dirs));
    auto& dirs = out.back().include_dirs;
    for (auto& dir : HostIncludes(p.dir)) dirs.push_back(std::move(dir));
    out.back().project_dir = p.dir.string();
  };
  add(project);
  for (const auto& folder : DependenciesOf(project.dir, repository))
    if (auto other = LoadHost(folder); other.ok()) add(*other);
  return out;
}

// Each is built as for itself, so that all operators that are linked with it share it.
std::vector<Library> Around::Libraries(const Project& project) const {
  std::vector<Library> out;
  auto add = [&](std::vector<SourceFile> sources, std::vector<std::string> dirs, bool whole) {
    if (!sources.empty()) out.push_back({LibraryOf(std::move(sources), std::move(dirs)), whole});
  };
  const std::vector<std::string> operators = OperatorsIn(project.host_sources);
  for (const auto& folder : DependenciesOf(project.dir, repository)) {
    const auto other = LoadHost(folder);
    if (!other.ok()) continue;
    std::vector<SourceFile> sources;
    bool whole = false;
    for (const auto& s : other->host_sources) {
      whole = whole || RegistersFor(operators, s);
      if (!DefinesOperator(s)) sources.push_back({s.string(), std::nullopt});
    }
    std::vector<std::string> dirs = HostRequest(*other).include_dirs;
    for (auto& dir : HostIncludes(folder)) dirs.push_back(std::move(dir));
    add(std::move(sources), std::move(dirs), whole);
  }
  std::vector<SourceFile> sources;
  if (!repository.empty()) {
    for (const char* of_host : {"op_host", "tiling_base"})
      AddSources(repository / "common/src" / of_host, false, &sources);
    add(std::move(sources), HostIncludes(repository / "common/src"), false);
    sources.clear();
    const fs::path common = project.dir.parent_path() / "common";
    for (const char* of_category : {"op_host", "op_host/op_tiling"})
      AddSources(common / of_category, false, &sources);
    add(std::move(sources), HostIncludes(common), false);
  }
  if (base.empty()) return out;
  sources.clear();
  const fs::path common = base / "src/op_common";
  if (IsFolder(common))
    for (const char* dir : {"op_host", "log", "atvoss"}) AddSources(common / dir, true, &sources);
  else
    AddSources(base, true, &sources);
  add(std::move(sources), Around{{}, base, include_dirs}.HostIncludes({}), false);
  return out;
}

}  // namespace akgen::toolchain
