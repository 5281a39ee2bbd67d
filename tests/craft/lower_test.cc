// The passes: what they promise, looked at in their results.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/files.h"
#include "craft/craft.h"
#include "on_default_chip.h"

namespace akgen::craft {
namespace {

std::string Source(const std::string& path) {
  auto text = base::ReadFile(std::string(AKGEN_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(text.ok());
  return text.ok() ? *text : "";
}
std::string Example(const std::string& name) { return Source("examples/craft/" + name + ".py"); }

TEST(CraftLower, SameTextEveryTime) {
  std::string s = Example("softmax");
  EXPECT_EQ(EmitProject(Compile(s).lowered), EmitProject(Compile(s).lowered));
}

TEST(CraftLower, EveryPassIsSeen) {
  std::set<std::string> seen;
  Compile(Example("rms_norm"), [&](const Pass& p, const LoweredKernel&) { seen.insert(p.name); });
  EXPECT_EQ(seen.size(), Passes().size());
}

TEST(CraftLower, QueuesInLoopsHaveTwoBuffersOthersOne) {
  Compiled c = Compile(Example("rms_norm"));
  ASSERT_FALSE(c.lowered.empty());
  const LoweredKernel& k = c.lowered[0].kernels[0];
  for (size_t b = 0; b < k.roles.size(); ++b)
    EXPECT_EQ(k.depth[b], k.kernel.buffers[b].name == "gamma_ub" ? 1 : 2)
        << k.kernel.buffers[b].name;
}

int64_t BuffersOfQueues(const LoweredKernel& k, Role role) {
  int64_t n = 0;
  for (size_t b = 0; b < k.roles.size(); ++b)
    if (k.roles[b] == role && k.queue[b] == int(b)) n += k.depth[b];
  return n;
}

TEST(CraftLower, PhasesThatFollowEachOtherShareQueuesWhereIdsAreShort) {
  Compiled c = Compile(Source("tests/craft/programs/two_phases.py"));
  ASSERT_FALSE(c.lowered.empty());
  const LoweredKernel& k = c.lowered[0].kernels[0];
  EXPECT_LE(BuffersOfQueues(k, Role::kIn), 8);
  for (size_t b = 0; b < k.roles.size(); ++b) {
    const std::string& name = k.kernel.buffers[b].name;
    const int owner = k.queue[b];
    EXPECT_GE(k.depth[owner], 1) << name << ": ten queues of one phase each are five";
    if (k.roles[b] == Role::kIn && name[0] == 'b')
      EXPECT_EQ(k.kernel.buffers[owner].name[0], 'a') << name;
    if (k.roles[b] == Role::kOut)
      EXPECT_EQ(owner, int(b)) << name << ": two outputs have ids enough";
  }
}

TEST(CraftLower, NoMoreBuffersBetweenTwoPipesThanEventIds) {
  Compiled c = Compile(Source("tests/craft/programs/nine_inputs.py"));
  ASSERT_FALSE(c.lowered.empty());
  const LoweredKernel& k = c.lowered[0].kernels[0];
  EXPECT_EQ(BuffersOfQueues(k, Role::kIn), 8);
  EXPECT_EQ(k.depth[0], 1);
  EXPECT_EQ(std::count(k.depth.begin(), k.depth.end(), 0), 1) << "one of nine is between barriers";
}

TEST(CraftLower, WhatIsReadFirstHasOneBufferAndIsFreedAtOnce) {
  std::string args, buffers, loads, sum = "a_ub + b_ub", params;
  for (const char* x : {"a", "b", "c", "d", "e"}) {
    args += std::string(x) + ": gm[n], ";
    buffers += fmt::format("    {0}_ub = ub(tile, dtype={0}.dtype)\n", x);
    loads += fmt::format("            load({0}_ub, {0}[i : i + m])\n", x);
    params += fmt::format("{}{}: tensor(f32)", params.empty() ? "" : ", ", x);
    if (*x > 'b') sum = fmt::format("({}) * {}_ub", sum, x);
  }
  const std::string program =
      "@kernel\ndef k(" + args + "y: gm[n], n, tile):\n" + buffers +
      "    y_ub = ub(tile, dtype=y.dtype)\n    for i, m in tiles(0, n, tile):\n        with "
      "copyin:\n" +
      loads + "        with compute:\n            y_ub[:] = " + sum +
      "\n        with copyout:\n            store(y[i : i + m], y_ub)\n\n\n@host\ndef five(" +
      params +
      "):\n    n = a.numel\n    require(b.numel == n and c.numel == n and d.numel == n and e.numel "
      "== n)\n    y = empty(a.shape, f32)\n    tile = fit(n, 64)\n    k[1](a, b, c, d, e, y, n, "
      "tile)\n    return y\n";
  Compiled c = Compile(program);
  ASSERT_TRUE(c.diagnostics.empty()) << c.diagnostics.list()[0].message;
  const std::vector<int>& depth = c.lowered[0].kernels[0].depth;
  EXPECT_EQ(std::vector<int>(depth.begin(), depth.begin() + 5), (std::vector{1, 1, 2, 2, 2}));
  const std::string text = EmitProject(c.lowered).at("op_kernel/five.cpp");
  const size_t first = text.find("a_ubQueue_.FreeTensor"), multiply = text.find("    Mul("),
               last = text.find("c_ubQueue_.FreeTensor");
  ASSERT_NE(last, std::string::npos);
  EXPECT_LT(text.find("    Add("), first);
  EXPECT_LT(first, multiply);
  EXPECT_LT(text.rfind("    Mul("), last);
}

TEST(CraftLower, CoresMeetBetweenKernelsThatFollowEachOther) {
  std::string program;
  for (const char* name : {"k0", "k1", "k2", "k3"})
    program += std::string("@kernel\ndef ") + name +
               "(x: gm[n], y: gm[n], n):\n    x_ub = ub(n, dtype=x.dtype)\n    y_ub = ub(n, "
               "dtype=y.dtype)\n    with copyin:\n        load(x_ub, x[:])\n    with compute:\n"
               "        y_ub[:] = x_ub + 1.0\n    with copyout:\n        store(y[:], y_ub)\n\n\n";
  program +=
      "@host\ndef op(x: tensor(f32)):\n    n = x.numel\n    require(n <= 1000)\n    y = "
      "empty(x.shape, f32)\n    w = workspace(n, f32)\n    if n > 8:\n        k0[1](x, w, n)\n"
      "        k1[1](w, y, n)\n    else:\n        k2[1](x, w, n)\n    k3[1](w, y, n)\n    return "
      "y\n";
  Compiled c = Compile(program);
  ASSERT_TRUE(c.diagnostics.empty()) << c.diagnostics.list()[0].message;
  const std::string kernel = EmitProject(c.lowered).at("op_kernel/op.cpp");
  std::string order;
  for (size_t at = kernel.find("extern \"C\""); at < kernel.size(); ++at)
    for (const char* word : {"NextKernel", "t.cores_0", "t.cores_1", "t.cores_2", "t.cores_3"})
      if (kernel.compare(at, std::strlen(word), word) == 0) order += std::string(word) + " ";
  EXPECT_EQ(order, "t.cores_0 NextKernel t.cores_1 t.cores_2 NextKernel t.cores_3 ");
}

TEST(CraftLower, TemporariesThatLiveTogetherLieApart) {
  Compiled c = Compile(Example("softmax"));
  ASSERT_FALSE(c.lowered.empty());
  for (const auto& p : c.lowered) {
    const LoweredKernel& k = p.kernels[0];
    for (const auto& [stmt, code] : k.code) {
      std::map<int, std::pair<int, int>> life;
      for (const Instr& in : code.instrs)
        for (const Tile& t : in.tiles)
          if (t.temp >= 0)
            life.insert({t.temp, {in.group, in.group}}).first->second.second = in.group;
      for (const auto& [a, la] : life)
        for (const auto& [b, lb] : life)
          if (a < b && k.temps[a].slot == k.temps[b].slot) {
            EXPECT_TRUE(la.second < lb.first || lb.second < la.first);
          }
    }
    EXPECT_LT(k.slots.size(), k.temps.size()) << "nothing is shared";
  }
}

TEST(CraftLower, AClassServesAllDtypes) {
  std::string kernel =
      EmitProject(Compile(Example("softmax")).lowered).at("op_kernel/inplace_attn_softmax.cpp");
  EXPECT_NE(kernel.find("template <typename T>\nclass SoftmaxKernel {"), std::string::npos);
  EXPECT_NE(kernel.find("  SoftmaxKernel<DTYPE_X> kernel;"), std::string::npos);
  EXPECT_NE(kernel.find("kRowStep = IsSameType<T, float>::value ? 8 : 16;"), std::string::npos);
}

// The rounding modes of the casts that one cast becomes: half and bfloat16 convert through float
// alone.
std::string ModesOfCast(const std::string& from, const std::string& to) {
  const std::string kernel =
      "@kernel\ndef cast_kernel(x: gm[n], y: gm[n], n):\n    x_ub = ub(n, dtype=x.dtype)\n"
      "    y_ub = ub(n, dtype=y.dtype)\n    with copyin:\n        load(x_ub, x[:])\n    with "
      "compute:\n"
      "        y_ub[:] = cast(x_ub, " +
      to + ")\n    with copyout:\n        store(y[:], y_ub)\n\n\n";
  const std::string host = "@host\ndef casts(x: tensor(" + from +
                           ")):\n    n = x.numel\n    require(n <= 1000)\n"
                           "    y = empty(x.shape, " +
                           to + ")\n    cast_kernel[1](x, y, n)\n    return y\n";
  std::string modes, text;
  for (const auto& [file, content] : EmitProject(Compile(kernel + host).lowered))
    if (file.starts_with("op_kernel/")) text += content;
  for (size_t at = text.find("CAST_"); at != std::string::npos; at = text.find("CAST_", at + 1))
    modes +=
        (modes.empty() ? "" : " ") +
        text.substr(at + 5, text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ", at + 5) - at - 5);
  return modes;
}

TEST(CraftLower, ACastGoesThroughWhatTheChipConverts) {
  const struct {
    const char *from, *to, *modes;
  } rows[] = {
      {"f16", "f32", "NONE"},       {"bf16", "f32", "NONE"},      {"f32", "f16", "RINT"},
      {"f32", "bf16", "RINT"},      {"f16", "bf16", "NONE RINT"}, {"bf16", "f16", "NONE RINT"},
      {"f32", "i32", "TRUNC"},      {"f32", "i64", "TRUNC"},      {"i32", "f32", "RINT"},
      {"i32", "f16", "RINT RINT"},  {"i32", "bf16", "RINT RINT"}, {"i64", "f32", "RINT"},
      {"i64", "bf16", "RINT RINT"}, {"i64", "i32", "NONE"},       {"i32", "i64", "NONE"}};
  for (const auto& row : rows)
    EXPECT_EQ(ModesOfCast(row.from, row.to), row.modes) << row.from << " to " << row.to;
}

}  // namespace
}  // namespace akgen::craft
