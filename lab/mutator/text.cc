#include "mutator/text.h"

#include <clang/Lex/Lexer.h>
#include <llvm/Support/Path.h>

namespace akgen::mutator {

std::optional<Span> Text::Of(clang::SourceRange range) const {
  const clang::SourceManager& sources = context_.getSourceManager();
  if (range.isInvalid() || range.getBegin().isMacroID() || range.getEnd().isMacroID()) return {};
  const auto [file, begin] = sources.getDecomposedLoc(range.getBegin());
  const clang::SourceLocation behind =
      clang::Lexer::getLocForEndOfToken(range.getEnd(), 0, sources, context_.getLangOpts());
  if (behind.isInvalid()) return {};
  const auto [same, end] = sources.getDecomposedLoc(behind);
  if (file != same || end <= begin) return {};
  Span span{file, begin, end - begin, Between(file, begin, end)};
  for (size_t at = span.text.find('\n'); at != std::string::npos; at = span.text.find('\n', at + 1))
    if (const size_t first = span.text.find_first_not_of(" \t", at + 1);
        first != std::string::npos && span.text[first] == '#')
      return {};
  return span;
}

std::string Text::Between(clang::FileID file, unsigned from, unsigned to) const {
  return context_.getSourceManager().getBufferData(file).substr(from, to - from).str();
}

std::string Text::File(clang::FileID id) const {
  const auto entry = context_.getSourceManager().getFileEntryRefForID(id);
  if (!entry) return {};
  llvm::SmallString<256> path(entry->getFileEntry().tryGetRealPathName());
  if (path.empty()) path = entry->getName();
  llvm::sys::path::remove_dots(path, true);
  return path.str().str();
}

unsigned Text::Line(const Span& span) const {
  return context_.getSourceManager().getLineNumber(span.file, span.offset);
}

}  // namespace akgen::mutator
