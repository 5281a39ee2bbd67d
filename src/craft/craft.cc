#include "craft/craft.h"

#include <cstdlib>

#include "craft/syntax/parser.h"

namespace akgen::craft {

// The text of a line, without what it is indented by.
static Place WholeLine(const std::string& source, int line) {
  size_t at = 0;
  for (int i = 1; i < line && at < source.size(); ++i)
    at = std::min(source.find('\n', at), source.size() - 1) + 1;
  size_t end = std::min(source.find('\n', at), source.size()),
         from = std::min(source.find_first_not_of(' ', at), end);
  return {line, static_cast<int>(from - at) + 1, static_cast<int>(std::max<size_t>(1, end - from))};
}

Compiled Compile(const std::string& source, const Target& target,
                 const std::function<void(const Pass&, const LoweredKernel&)>& after_pass) {
  Compiled out;
  ast::Module m = Parse(source, out.diagnostics);
  if (!out.diagnostics.empty()) return out;
  out.programs = Check(m, out.diagnostics);
  if (!out.diagnostics.empty()) return out;
  for (const ir::Program& p : out.programs) {
    auto lowered = Lower(p, target, after_pass);
    if (!lowered.ok()) {
      const base::Error& e = lowered.error();
      Place place{1, 1, 1};
      if (e.where.rfind("line ", 0) == 0) place = WholeLine(source, std::atoi(e.where.c_str() + 5));
      out.diagnostics.Add(e.code, place, e.message, e.fix);
      return out;
    }
    out.lowered.push_back(std::move(*lowered));
  }
  return out;
}

}  // namespace akgen::craft
