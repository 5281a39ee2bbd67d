// Sources as findings, profiles and records name them.
#pragma once
#include <filesystem>
#include <string>

#include "report/explain.h"

namespace akgen::cli {

// `subject`: the project's folder or a standalone kernel. Files that are not there, or are too
// large, read as "".
report::ReadSource SourcesOf(const std::filesystem::path& subject);

}  // namespace akgen::cli
