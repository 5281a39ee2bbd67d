// Source text of clang's nodes.
#pragma once
#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>

#include <optional>
#include <string>

namespace akgen::mutator {

// Text that stands in one file as it is compiled: no part of it comes from a macro.
struct Span {
  clang::FileID file;
  unsigned offset = 0, length = 0;
  std::string text;
};

class Text {
 public:
  explicit Text(clang::ASTContext& context) : context_(context) {}
  // Nothing for what a macro writes, at least in part, or where a directive of the preprocessor
  // stands inside.
  std::optional<Span> Of(clang::SourceRange range) const;
  std::string File(clang::FileID id) const;  // absolute path; empty for what is no file
  unsigned Line(const Span& span) const;
  // The text between two places of one file.
  std::string Between(clang::FileID file, unsigned from, unsigned to) const;

 private:
  clang::ASTContext& context_;
};

}  // namespace akgen::mutator
