// A change of a source that a program can make: what a finding suggests, besides its words.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace akgen::record {

// `text` takes the place of what lies between two places of a file. Lines and columns count from 1,
// columns in bytes; the end is behind the last byte, and where both places are the same the text is
// inserted.
struct Edit {
  std::string file;  // relative to the project's folder, with /
  int line = 1, column = 1, end_line = 1, end_column = 1;
  std::string text;
  bool operator==(const Edit&) const = default;
};

base::Json ToJson(const Edit& edit);
base::Json ToJson(const std::vector<Edit>& edits);
std::vector<Edit> EditsFromJson(const base::Json& json);  // throws base::Json::exception

// `source` after the edits of `file` among `edits`, whose places are those of `source` as it is
// given; insertions at one place stay in their order. AK0016: a place that is not there, or edits
// that overlap.
base::Result<std::string> Edited(std::string_view source, std::string_view file,
                                 const std::vector<Edit>& edits);

}  // namespace akgen::record
