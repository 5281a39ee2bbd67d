// The reference's words are those of the compiler, and its program lowers.
#include <gtest/gtest.h>

#include "base/files.h"
#include "craft/craft.h"
#include "craft/ir/ir.h"
#include "on_default_chip.h"

namespace akgen::craft {
namespace {

std::string Reference() {
  auto text = base::ReadFile(std::string(AKGEN_SOURCE_DIR) + "/docs/craft/language.md");
  EXPECT_TRUE(text.ok());
  return text.ok() ? *text : "";
}

TEST(CraftLanguage, ProgramOfTheReferenceLowers) {
  std::string doc = Reference();
  size_t from = doc.find("```python\n") + 10, to = doc.find("```", from);
  ASSERT_NE(to, std::string::npos);
  std::string program = doc.substr(from, to - from);
  Compiled c = Compile(program);
  EXPECT_EQ(c.diagnostics.Render("language.md", program), "");
  EXPECT_EQ(c.lowered.size(), 3u);
}

// Every operation in a small program that computes it.
TEST(CraftLanguage, EveryOperationLowersAndIsDocumented) {
  std::string doc = Reference();
  int tried = 0;
  for (int i = 3; i <= static_cast<int>(ir::Op::k_iota); ++i) {
    ir::Op op = static_cast<ir::Op>(i);
    std::string name(ir::NameOf(op)), value = name + "(x_ub)";
    ir::OpKind kind = ir::KindOf(op);
    static const std::map<std::string, std::string> kSymbols = {
        {"add", "+"}, {"sub", "-"},       {"mul", "*"}, {"div", "/"}, {"pow", "**"},
        {"eq", "=="}, {"ne", "!="},       {"lt", "<"},  {"le", "<="}, {"gt", ">"},
        {"ge", ">="}, {"floordiv", "//"}, {"mod", "%"}};
    if (kind == ir::OpKind::special) {
      value = name.rfind("row_window_", 0) == 0 ? name + "(x_ub, 1, cols, 1, cols, 3, 1, 1, 1)"
              : name == "where"                 ? "where(x_ub > 0.0, x_ub, 1.0)"
              : name == "cast"                  ? "cast(x_ub, f16)"
              : name == "full"                  ? "full(n, cols, 1.0)"
              : name == "row_gather"            ? "row_gather(x_ub, cols - 1 - iota(0, cols))"
                                                : "iota(0, cols) * 1.0 + x_ub";
    } else if (kind == ir::OpKind::logic) {
      value = name == "logical_not"   ? "where(~(x_ub > 0.0), x_ub, 1.0)"
              : name == "logical_and" ? "where((x_ub > 0.0) & (x_ub < 1.0), x_ub, 1.0)"
                                      : "where((x_ub > 0.0) | (x_ub < 1.0), x_ub, 1.0)";
    } else if (kSymbols.count(name)) {
      const bool whole = name == "floordiv" || name == "mod";
      value = whole ? "cast(cast(x_ub, i32) " + kSymbols.at(name) + " 7, f32)"
                    : "x_ub " + kSymbols.at(name) + " x_ub";
      if (kind == ir::OpKind::compare) value = "where(" + value + ", 1.0, 0.0)";
    } else if (kind == ir::OpKind::binary) {
      value = name + "(x_ub, x_ub)";
    } else if (kind == ir::OpKind::row || kind == ir::OpKind::column || kind == ir::OpKind::all) {
      value += " * 1.0 + x_ub";
    }
    std::string program =
        "@kernel\ndef k(x: gm[rows, cols], y: gm[rows, cols], rows, cols, tile):\n    x_ub = "
        "ub(tile, cols, "
        "dtype=f32)\n"
        "    y_ub = ub(tile, cols, dtype=f32)\n    for r, n in tiles(0, rows, tile):\n        with "
        "copyin:\n           "
        " load(x_ub, x[r : r + n, :])\n"
        "        with compute:\n            y_ub[:] = " +
        value +
        "\n        with copyout:\n            store(y[r : r + n, :], y_ub)\n\n\n"
        "@host\ndef op(x: tensor(f32)):\n    rows, cols = x.shape\n    y = empty(x.shape, f32)\n   "
        " tile = fit(rows)\n "
        "   k[1](x, y, rows, cols, tile)\n    return y\n";
    Compiled c = Compile(program);
    EXPECT_EQ(c.diagnostics.Render(name, program), "");
    bool symbol = kSymbols.count(name) || kind == ir::OpKind::logic;
    EXPECT_TRUE(symbol || doc.find(name) != std::string::npos)
        << name << " is not in docs/craft/language.md";
    ++tried;
  }
  EXPECT_GT(tried, 50);
}

}  // namespace
}  // namespace akgen::craft
