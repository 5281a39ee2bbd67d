// Proofs of whole programs: what is proven never fails when it is run, and facts that are never
// true prove nothing.
#include <random>

#include "craft/interpret/arguments.h"
#include "programs.h"

namespace akgen::craft::prove {
namespace {

TEST(CraftProve, ExamplesAreProvenButForData) {
  size_t asked = 0, proven = 0, whole = 0, programs = 0, outside = 0;
  // Indices read from a tensor are not followed, and it says so.
  auto not_followed = [](const Answer& a) {
    return a.why.find("depends on data") != std::string::npos;
  };
  for (const std::string& name : ExampleNames()) {
    const Report r = Proof(Built(Example(name)));
    if (std::ranges::any_of(r.answers, not_followed)) {
      ++outside;
      EXPECT_EQ(std::ranges::count(r.answers, Status::kRefuted, &Answer::status), 0) << Text(r);
      continue;
    }
    ++programs;
    whole += r.AllProven();
    asked += r.answers.size();
    proven += static_cast<size_t>(std::ranges::count(r.answers, Status::kProven, &Answer::status));
    EXPECT_TRUE(r.AllProven()) << name << "\n" << Text(r);
  }
  EXPECT_EQ(proven, asked);
  EXPECT_EQ(whole, programs);
  EXPECT_LE(outside, 9u);
}

// Shapes and attributes at random, through the interpreter's own bounds checks, on several numbers
// of cores.
TEST(CraftProve, RandomShapesDoNotContradictIt) {
  std::mt19937 random(7);
  auto pick = [&](auto list) { return list[random() % list.size()]; };
  const std::vector<int64_t> extents = {1, 2, 3, 5, 8, 16, 31, 65},
                             numbers = {-3, -1, 0, 1, 2, 3, 5};
  int ran = 0;
  for (const std::string& name : ExampleNames()) {
    const Compiled c = Built(Example(name));
    const Report r = Proof(c);
    auto unproven = [&](const char* kind) {
      return std::ranges::any_of(r.answers, [&](const Answer& a) {
        return a.status != Status::kProven &&
               (a.kind == kind || (a.kind == "cover" && std::string(kind) == "window"));
      });
    };
    for (int n = 0; n < 30; ++n) {
      std::vector<int64_t> shared;
      for (size_t i = 0; i < 1 + random() % 3; ++i) shared.push_back(pick(extents));
      std::string text;
      for (const auto& p : c.programs[random() % c.programs.size()].params) {
        if (p.is_attr) {
          if (p.type == ir::Ty::kInt && !p.is_int_list)
            text += p.name + "=" + std::to_string(pick(numbers)) + " ";
          else if (p.type == ir::Ty::kBool)
            text += p.name + (random() % 2 ? "=True " : "=False ");
          continue;
        }
        std::vector<int64_t> shape = shared;
        if (random() % 3 == 0) shape = {shared.back()};
        if (random() % 8 == 0) shape = {pick(extents), pick(extents)};
        text += p.name + "=" + std::string(ir::ShortName(p.dtype)) + "[";
        for (size_t i = 0; i < shape.size(); ++i)
          text += (i ? ", " : "") + std::to_string(shape[i]);
        text += base::IsFloating(p.dtype) ? "] " : "]{0, 0} ";
      }
      for (const auto& t : c.programs[0].tensors)
        if (t.given)
          text += t.name + "=" + std::string(ir::ShortName(t.dtype)) + "[" +
                  std::to_string(shared[0]) + "] ";
      const int64_t cores = pick(std::vector<int64_t>{1, 2, 3, 48});
      for (const char* kind : {"window", "race", "view", "cover"})
        if (auto why = Fails(c, kind, text, cores)) {
          bool excused = unproven(kind);
          if (std::string(kind) == "window")
            for (const char* other : {"buffer", "index", "divisor", "step", "windows"})
              excused |= unproven(other);
          EXPECT_TRUE(excused) << name << " on " << cores << " cores: " << text << "\n"
                               << *why << "\n"
                               << Text(r);
        }
      auto one = ParseCase(c.programs, text, 1);
      if (!one.ok()) continue;
      Limits limits(c.lowered[one->column].target);
      limits.cores = cores;
      ran += Interpret(c.programs[one->column], c.lowered[one->column], one->args, limits).ok();
    }
  }
  EXPECT_GT(ran, 150);  // most draws run
}

// The two holes that examples had.
TEST(CraftProve, HolesAreRefutedByCasesThatFail) {
  const std::string pool = Replace(Example("max_pool.py"), "size > 0 and ", "");
  const Report r = Proof(Built(pool));
  const auto window = std::ranges::find(r.answers, Status::kRefuted, &Answer::status);
  ASSERT_NE(window, r.answers.end());
  EXPECT_EQ(window->kind, "window");
  EXPECT_NE(window->text.find("size=-"), std::string::npos) << window->text;
  EXPECT_TRUE(Fails(Built(pool), "window", window->text, window->cores));

  const std::string norm =
      Replace(Replace(Example("rms_norm.py"), "    require(gamma.numel == cols)\n", ""),
              "cols = x.shape[-1]", "cols = gamma.numel");
  const Report n = Proof(Built(norm));
  const auto divisor = std::ranges::find_if(n.answers, [](const Answer& a) {
    return a.status == Status::kRefuted && a.kind == "divisor";
  });
  ASSERT_NE(divisor, n.answers.end()) << Text(n);
  EXPECT_NE(divisor->why.find("division by zero"), std::string::npos);
}

TEST(CraftProve, WhatIsNeverTrueProvesNothing) {
  const std::string program =
      Replace(Example("softmax.py"), "    rows = x.numel // cols\n",
              "    rows = x.numel // cols\n    require(rows > 5 and rows < 3)\n");
  const Report r = Proof(Built(program));
  EXPECT_FALSE(r.AllProven());
  const auto launched = std::ranges::find(r.answers, std::string("ub"), &Answer::kind);
  ASSERT_NE(launched, r.answers.end());
  EXPECT_EQ(launched->status, Status::kNotDecided);
  EXPECT_NE(launched->why.find("no shape reaches it"), std::string::npos) << launched->why;
}

// Products are opaque to the solver, and their lemmas still show that these facts are never true.
TEST(CraftProve, FactsAboutProductsThatAreNeverTrueProveNothing) {
  const std::string program =
      Replace(Example("softmax.py"), "    rows = x.numel // cols\n",
              "    rows = x.numel // cols\n    require(rows * cols < cols)\n");
  EXPECT_FALSE(Proof(Built(program)).AllProven());
}

// Blocks of products: whole, different on every core, together the output; one more row leaves it,
// one less does not cover.
TEST(CraftProve, BlocksOfProducts) {
  const std::string product = Example("level3/basic_matmul.py");
  const Report good = Proof(Built(product));
  EXPECT_TRUE(good.AllProven()) << Text(good);
  for (const char* kind : {"window", "race", "cover"})
    EXPECT_TRUE(std::ranges::any_of(good.answers, [&](const Answer& a) { return a.kind == kind; }))
        << kind;
  for (const char* rows : {"blocks(m + 1,", "blocks(m - 1,"}) {
    const Report r = Proof(Built(Replace(product, "blocks(m,", rows)));
    EXPECT_TRUE(std::ranges::any_of(r.answers, [](const Answer& a) {
      return a.status == Status::kRefuted;
    })) << rows;
  }
}

TEST(CraftProve, ProductsOfTheSizesThatListsSay) {
  const std::string groups = Example("level3/group_gemm.py");
  const Report good = Proof(Built(groups));
  EXPECT_TRUE(good.AllProven()) << Text(good);
  for (const char* kind : {"window", "race", "index"})
    EXPECT_TRUE(std::ranges::any_of(good.answers, [&](const Answer& a) { return a.kind == kind; }))
        << kind;
  for (const auto& [from, to] :
       {std::pair(" and before(count, mList, nList) == c_size", ""),
        std::pair("count == groups and", ""), std::pair("before(g, ms, ns)", "before(g, ms, ks)")})
    EXPECT_FALSE(Proof(Built(Replace(groups, from, to))).AllProven()) << from;
}

TEST(CraftProve, WhatStopsItIsNamed) {
  const Report r = Proof(Built(Example("take_rows.py")));
  const auto open = std::ranges::find(r.answers, Status::kNotDecided, &Answer::status);
  ASSERT_NE(open, r.answers.end());
  EXPECT_EQ(open->why, "0 <= item(index[i]), which depends on data: item(index[i])");
}

TEST(CraftProve, ReportsPassThroughJson) {
  const Report r = Proof(Built(Example("take_rows.py")));
  auto again = ReportFromJson(ToJson(r));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(ToJson(*again).dump(), ToJson(r).dump());
  EXPECT_EQ(ReportFromJson(base::Json::object()).error().code, "AK0012");
}

}  // namespace
}  // namespace akgen::craft::prove
