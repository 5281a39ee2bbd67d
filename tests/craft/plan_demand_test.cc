// What planned programs require before their launches.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "craft/craft.h"
#include "craft/plan/demand.h"
#include "on_default_chip.h"

namespace akgen::craft {
namespace {

// A program over x0 and x1, of which a row says what its kernel and host function hold.
struct Row {
  const char *x1, *y0;                  // in gm[…]
  const char* extents;                  // of the host function
  const char* made;                     // y0
  const char* wanted;                   // "": nothing is required
  std::vector<int64_t> other = {4, 6};  // x1's shape in the case
};

std::string Program(const Row& r) {
  return fmt::format(
      "@kernel\ndef k(x0: gm[rows, cols], x1: gm[{}], y0: gm[{}], rows, cols):\n"
      "    x_ub = ub(1, 64, dtype=f32)\n"
      "    for r in range(core(), rows, cores()):\n"
      "        for c, n in tiles(0, cols, 64):\n"
      "            with copyin: load(x_ub, x0[r : r + 1, c : c + n])\n\n\n"
      "@host\ndef op(x0: tensor(f32), x1: tensor(f32), groups: int):\n{}"
      "    y0 = {}\n"
      "    k[best_cores()](x0, x1, y0, rows, cols)\n",
      r.x1, r.y0, r.extents, r.made);
}

PlanTask TaskOf(const Row& r) {
  using base::Dtype;
  PlanTask t;
  t.params = {{"x0", false, false, false, "", {Dtype::kFloat32}},
              {"x1", false, false, false, "", {Dtype::kFloat32}},
              {"groups", true, false, false, "int", {}}};
  t.outputs = {{false, {Dtype::kFloat32}, "", true}};
  PlanCase c;
  c.shapes = {{"x0", {4, 6}}, {"x1", r.other}};
  c.attrs = {{"groups", 2}};
  c.outputs = {{4, 6}};
  t.cases = {c};
  return t;
}

constexpr const char* kRows = "    rows = x0.shape[0]\n    cols = prod(x0.shape[1:])\n";

TEST(PlanDemand, AsksWhatKernelsTakeForGranted) {
  const Row rows[] = {
      // What the host function's extents say already.
      {"1", "rows, cols", kRows, "empty(x0.shape, f32)", ""},
      {"1", "rows, cols", "    cols = x0.shape[-1]\n    rows = x0.numel // cols\n",
       "empty(x0.shape, f32)", ""},
      {"1",
       "rows, cols",
       "    cols = x1.numel\n    rows = x0.numel // cols\n    require(x0.numel == rows * cols)\n",
       "empty(x0.shape, f32)",
       "",
       {6}},
      // Of one tensor, and the other one goes with it.
      {"rows, cols", "rows, cols", kRows, "empty(x0.shape, f32)", "rows * cols <= x1.numel"},
      {"cols", "rows, cols", kRows, "empty(x0.shape, f32)", "cols <= x1.numel"},
      {"cols", "rows, cols", kRows, "empty(x1.shape, f32)",
       "cols <= x1.numel and rows * cols == x1.numel"},
      {"1", "rows, cols", kRows, "empty(given, f32)", "rows * cols == y0.numel"},
      {"1", "rows, cols", "    rows = x0.shape[0]\n    cols = x1.numel // rows\n",
       "empty(x0.shape, f32)", "rows * cols <= x0.numel and rows * cols == x0.numel"},
      // Numbers of the caller's.
      {"1",
       "rows, cols",
       "    cols = groups\n    rows = x0.numel // groups\n",
       "empty([rows, cols], f32)",
       "1 <= groups",
       {4, 6}},
      // A case contradicts it: it is not asked, and what else there is, is.
      {"cols", "rows, cols", kRows, "empty(x0.shape, f32)", "", {5}},
      {"cols", "rows, cols", kRows, "empty(given, f32)", "rows * cols == y0.numel", {5}},
  };
  for (const Row& r : rows) {
    const std::string program = Program(r), wanted = r.wanted;
    ASSERT_TRUE(Compile(program, DefaultTarget()).diagnostics.empty()) << program;
    const std::string with = WithDemands(program, TaskOf(r), DefaultTarget());
    std::string said;
    for (size_t at = with.find("require("); at != std::string::npos;
         at = with.find("require(", at + 1)) {
      const std::string line = with.substr(at, with.find('\n', at) - at);
      if (program.find(line) == std::string::npos)
        said += (said.empty() ? "" : " and ") + line.substr(8, line.size() - 9);
    }
    EXPECT_EQ(said, wanted) << with;
  }
}

TEST(PlanDemand, ListsThatAreLookedAtTogetherAreAlike) {
  const std::string program =
      "@kernel\ndef k(x0: gms, x1: gms, y0: gms, tile):\n"
      "    a = ub(tile, dtype=x0.dtype)\n    b = ub(tile, dtype=x0.dtype)\n"
      "    c = ub(tile, dtype=x0.dtype)\n"
      "    for t in range(core(), len(x0), cores()):\n"
      "        for i, n in tiles(0, numel(x0[t]), tile):\n"
      "            with copyin:\n                load(a, x0[t][i : i + n])\n"
      "                load(b, x1[t][i : i + n])\n"
      "            with compute: c[:] = a + b\n"
      "            with copyout: store(y0[t][i : i + n], c)\n\n\n"
      "@host\ndef op(x0: tensors(f32), x1: tensors(f32)):\n"
      "    y0 = empty(x0)\n    tile = fit(65536, 64)\n    k[best_cores()](x0, x1, y0, tile)\n";
  PlanTask t;
  t.params = {{"x0", false, true, false, "", {base::Dtype::kFloat32}},
              {"x1", false, true, false, "", {base::Dtype::kFloat32}}};
  t.outputs = {{true, {base::Dtype::kFloat32}, "", true}};
  PlanCase c;
  c.shapes = {{"x0", {4, 6}}, {"x1", {4, 6}}};
  t.cases = {c};
  EXPECT_NE(WithDemands(program, t, DefaultTarget()).find("    require(alike(x0, x1))\n    k["),
            std::string::npos);
}

}  // namespace
}  // namespace akgen::craft
