#include "cli/sources.h"

#include "base/files.h"

namespace akgen::cli {
namespace fs = std::filesystem;

namespace {
constexpr uintmax_t kMaxBytes = 16 << 20;  // of a source; a record from elsewhere may name any file
}  // namespace

report::ReadSource SourcesOf(const fs::path& subject) {
  fs::path project = (fs::current_path() / subject).lexically_normal();
  std::error_code ec;
  if (fs::is_regular_file(project, ec)) project = project.parent_path();
  return [project](const std::string& file) -> std::string {
    fs::path at =
        fs::path(file).is_absolute() ? fs::path(file) : (project / file).lexically_normal();
    // Kernels name headers of a neighbour by its installed folder: shared/x.h is
    // ../shared/op_kernel/x.h.
    if (std::error_code missing; !fs::exists(at, missing)) {
      const fs::path below = at.lexically_relative(project);
      if (below.has_parent_path())
        at = project.parent_path() / *below.begin() / "op_kernel" /
             below.lexically_relative(*below.begin());
    }
    std::error_code error;
    if (!fs::is_regular_file(at, error) || fs::file_size(at, error) > kMaxBytes) return "";
    auto text = base::ReadFile(at);
    return text.ok() ? *text : "";
  };
}

}  // namespace akgen::cli
