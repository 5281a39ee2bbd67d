// Diagnostics of the front end: location, reason, fix. Many per run.
#pragma once
#include <string>
#include <vector>

#include "base/json.h"

namespace akgen::craft {

// 1-based; a tab counts as one column.
struct Place {
  int line = 0, column = 0, length = 1;
};

struct Diagnostic {
  std::string code;  // AK15xx, a page each in docs/diagnostics
  Place place;
  std::string message;
  std::string fix;      // what to do; may be empty
  std::string missing;  // the name that is used here and was not assigned; may be empty
};

class Diagnostics {
 public:
  // Keeps at most 50: a broken program says enough with them.
  void Add(std::string code, Place place, std::string message, std::string fix = {},
           std::string missing = {});
  bool empty() const { return list_.empty(); }
  const std::vector<Diagnostic>& list() const { return list_; }
  // file:line:column: error[code]: message, the line, a caret below it, the fix.
  std::string Render(const std::string& file, const std::string& source) const;
  base::Json ToJson(const std::string& file) const;

 private:
  std::vector<Diagnostic> list_;
};

// The nearest of `names` to `word` by edit distance, if near enough to be a typo; else empty. Of
// equally near ones that with the same first letter. `further`: how much further than a typo it may
// be.
std::string Nearest(const std::string& word, const std::vector<std::string>& names,
                    size_t further = 0);

}  // namespace akgen::craft
