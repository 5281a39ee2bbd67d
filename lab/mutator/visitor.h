// Walks a translation unit for places that can hold a fault.
#pragma once
#include <clang/AST/ASTContext.h>

#include <functional>
#include <string>

#include "mutator/site.h"

namespace akgen::mutator {

// Calls `found` for each place in a file below `root`. Left out: what has to be a constant (array
// bounds, labels, template arguments, constexpr functions, enumerators), text that a macro writes,
// and code that is never evaluated. A place in a header is reported once for each unit that
// includes it.
void FindSites(clang::ASTContext& context, const std::string& root,
               const std::function<void(Site)>& found);

}  // namespace akgen::mutator
