#pragma once
#include "craft/syntax/ast.h"
#include "craft/syntax/diagnostic.h"

namespace akgen::craft {

// Parses a whole program. After an error it continues at the next line, so that one run reports
// many errors.
ast::Module Parse(const std::string& source, Diagnostics& diagnostics);

// The program as text in the one accepted layout: four spaces, one blank line between functions, no
// needless brackets. Parse(Format(m)) is m again. Comments before a statement stay where they are.
std::string Format(const std::string& source, Diagnostics& diagnostics);
std::string ToText(const ast::Expr& e);

}  // namespace akgen::craft
