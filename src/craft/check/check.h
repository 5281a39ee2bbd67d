// Program text to checked programs, one per column of dtypes.
#pragma once
#include "craft/ir/ir.h"
#include "craft/syntax/ast.h"
#include "craft/syntax/diagnostic.h"

namespace akgen::craft {

// The columns the host function's annotations name: tensor(f16, f32) gives two.
size_t Columns(const ast::Module& m);

// Codes: AK1510 names, AK1511 shapes, AK1512 dtypes, AK1513 stages, AK1514 calls, AK1515 launches.
// The result is meaningful only if `diagnostics` stayed empty.
std::vector<ir::Program> Check(const ast::Module& m, Diagnostics& diagnostics);

}  // namespace akgen::craft
