// Projects without a task, on a chip that negates: cases as text, and what becomes of each in
// golden/projects.txt.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../golden.h"
#include "judge/judge.h"
#include "judge/session/project_run.h"
#include "made_up_chip.h"

namespace akgen::judge {
namespace {
using base::Json;

struct CaseAsText {
  const char* name;
  ProjectCase::Named inputs, outputs;
  Json attrs = Json::object();
  void (*change)(MadeUpChip&, ProjectRun&, Options&) = [](MadeUpChip&, ProjectRun&, Options&) {};
};
const ProjectCase::Named kX = {{"x", "i32[2,3]~int(-5,5)"}}, kY = {{"y", "i32[2,3]"}};

void InferredByColumn(MadeUpChip& c, ProjectRun&, Options&) {
  c.tiling.inferred_shapes = {{2, 3}}, c.tiling.inferred_dtypes = {0};
}

// Inputs x and, left out or not, o and l; outputs y; an attribute n.
const CaseAsText kCases[] = {
    {"all is given", kX, kY},
    {"values", {{"x", "i32[4]:1,2"}}, {{"y", "i32[4]"}}},
    {"of another type", {{"x", "f32[2,3]"}}, {{"y", "f32[2,3]"}}},
    {"of a type that has no column", {{"x", "i8[2,3]"}}, {{"y", "i8[2,3]"}}},
    {"an optional input", {{"x", "i32[2,3]"}, {"o", "i32[2]"}}, kY},
    {"a list", {{"x", "i32[2,3]"}, {"l", "i32[2];i32[3]"}}, kY},
    {"no input", {}, kY},
    {"an unknown input", {{"x", "i32[2]"}, {"z", "i32[2]"}}, kY},
    {"an unknown output", kX, {{"z", "i32[2,3]"}}},
    {"an input that makes no sense", {{"x", "i32"}}, kY},
    {"an output that makes no sense", kX, {{"y", "i32"}}},
    {"a file that is not there", {{"x", "i32[2,3]@/nowhere"}}, kY},
    {"an attribute", kX, kY, {{"n", 3}}},
    {"an unknown attribute", kX, kY, {{"m", 3}}},
    {"a written input", kX, {{"y", "i32[2,3]"}, {"x", "i32[2,3]"}}},
    {"zeros before", kX, {{"y", "i32[2,3]~constant(0)"}}},
    {"nothing to infer from", kX, {}},
    {"inferred",
     kX,
     {},
     {},
     [](MadeUpChip& c, ProjectRun&, Options&) {
       c.tiling.inferred_shapes = {{2, 3}}, c.tiling.inferred_dtypes = {3};
     }},
    {"inferred, its type by the column",
     kX,
     {},
     {},
     [](MadeUpChip& c, ProjectRun&, Options&) {
       c.tiling.inferred_shapes = {{2, 3}}, c.tiling.inferred_dtypes = {0};
     }},
    {"inferred, its type by the function",
     kX,
     {},
     {},
     [](MadeUpChip& c, ProjectRun&, Options&) {
       c.host.ops[0].outputs[0].dtypes.clear();
       c.tiling.inferred_shapes = {{2, 3}}, c.tiling.inferred_dtypes = {3};
     }},
    {"inferred, but for a dimension",
     kX,
     {},
     {},
     [](MadeUpChip& c, ProjectRun&, Options&) {
       c.tiling.inferred_shapes = {{2, -1}}, c.tiling.log = "said so";
     }},
    {"inferred, with a dimension of none",
     kX,
     {},
     {},
     [](MadeUpChip& c, ProjectRun&, Options&) { c.tiling.inferred_shapes = {{2, 0}}; }},
    {"not inferred",
     kX,
     {},
     {},
     [](MadeUpChip& c, ProjectRun&, Options&) {
       c.tiling.status = "failed", c.tiling.detail = "why";
     }},
    {"against another that is the same",
     kX,
     kY,
     {},
     [](MadeUpChip&, ProjectRun& r, Options&) { r.against = "DIR"; }},
    {"against another that differs",
     kX,
     kY,
     {},
     [](MadeUpChip& c, ProjectRun& r, Options&) {
       r.against = "DIR", c.answers.push_back(c.answers[0]), c.answers[1].wrong = 2;
     }},
    {"against another that fails",
     kX,
     kY,
     {},
     [](MadeUpChip& c, ProjectRun& r, Options&) {
       r.against = "DIR", c.answers.push_back(c.answers[0]), c.answers[1].reply.status = "crash";
     }},
    {"kept", kX, kY, {}, [](MadeUpChip&, ProjectRun& r, Options&) { r.save = "SAVE"; }},
    {"another seed", kX, kY, {}, [](MadeUpChip&, ProjectRun&, Options& o) { o.seed = 9; }},
    {"a finding",
     kX,
     kY,
     {},
     [](MadeUpChip& c, ProjectRun&, Options&) {
       sim::RunFinding f;
       f.finding.code = "AK1", f.finding.message = "m";
       c.answers[0].reply.findings = {f};
     }},
    {"does not build",
     kX,
     kY,
     {},
     [](MadeUpChip& c, ProjectRun&, Options&) {
       c.kernel_build.ok = false, c.kernel_build.failure = "diagnostics";
     }},
    {"host does not build",
     kX,
     kY,
     {},
     [](MadeUpChip& c, ProjectRun&, Options&) {
       c.host_build.ok = false, c.host_build.failure = "diagnostics";
     }},
    {"inferred, by the second column", {{"x", "f32[2,3]"}}, {}, {}, InferredByColumn},
    {"inferred, by the column of two inputs",
     {{"x", "f32[2,3]"}, {"o", "f32[2]"}},
     {},
     {},
     InferredByColumn},
    {"inferred, by no column", {{"x", "f32[2,3]"}, {"o", "i32[2]"}}, {}, {}, InferredByColumn},
};

std::string Told(const Judgement& j) {
  std::string out = fmt::format("{}: {}\nbuilt in {} and {} cases {}\n", record::NameOf(j.verdict),
                                j.reason, j.build_host_ms, j.build_kernel_ms > 0, j.cases.size());
  for (const CaseResult& r : j.cases) {
    out += fmt::format("case {}: {}: {}\n", r.id, record::NameOf(r.verdict), r.reason);
    for (const auto& v : r.values)
      out += fmt::format("  {}: {} from {} to {}\n", v.name, v.elements, v.low.value_or(-1),
                         v.high.value_or(-1));
    for (const auto& o : r.outputs)
      out += fmt::format("  {}: {} of {} differ\n", o.name, o.mismatches, o.elements);
  }
  return out;
}

// In a folder of the operator's name, by which it is found.
class Projects : public ::testing::Test {
 protected:
  Projects() : dir_(std::move(*base::TempDir::Create())), folder_(dir_.path() / "neg") {
    for (const char* half : {"op_host", "op_kernel"})
      std::filesystem::create_directories(folder_ / half);
    const std::string kernel =
        "extern \"C\" __global__ __aicore__ void neg(GM_ADDR x, GM_ADDR o, GM_ADDR l, GM_ADDR y, "
        "GM_ADDR workspace, GM_ADDR tiling) {}\n";
    EXPECT_TRUE(base::WriteFileAtomic(folder_ / "op_host/neg.cpp", "// \"x\"\n").ok());
    EXPECT_TRUE(base::WriteFileAtomic(folder_ / "op_kernel/neg.cpp", kernel).ok());
  }
  static std::unique_ptr<MadeUpChip> Chip() {
    auto chip = std::make_unique<MadeUpChip>();
    OperatorDefinition& op = chip->host.ops[0];
    op.inputs = {{"x", {3, 0}, {2, 2}},
                 {"o", {3, 0}, {2, 2}, Presence::kOptional},
                 {"l", {3, 0}, {2, 2}, Presence::kDynamic}};
    op.outputs = {{"y", {3, 0}, {2, 2}}};
    op.attrs = {{"n", "int", {}}};
    return chip;
  }
  std::string Tidy(std::string text) const {
    for (size_t at = 0; (at = text.find(dir_.path().string(), at)) != std::string::npos;)
      text.replace(at, dir_.path().string().size(), "DIR");
    return text;
  }
  base::TempDir dir_;
  std::filesystem::path folder_;
};

TEST_F(Projects, CasesAsText) {
  std::string text;
  for (const CaseAsText& row : kCases) {
    auto chip = Chip();
    ProjectRun run;
    Options options;
    row.change(*chip, run, options);
    if (!run.against.empty()) run.against = folder_.string();
    if (!run.save.empty()) run.save = (dir_.path() / "kept").string();
    const MadeUpChip& asked = *chip;
    Judge judge(std::move(chip));
    ProjectCase one{"a", row.inputs, row.outputs, row.attrs};
    const Judgement j = judge.RunProject(folder_.string(), {one}, run, options);
    text += "## " + std::string(row.name) + "\n" + asked.asked + Told(j);
    if (run.save.empty()) continue;
    for (const char* name : {"a/x.bin", "a/out.y.bin"})
      text += fmt::format("{}: {} bytes\n", name,
                          std::filesystem::file_size(std::filesystem::path(run.save) / name));
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "projects.txt", Tidy(text));
}

TEST_F(Projects, SeveralCasesAreOneJudgement) {
  auto chip = Chip();
  chip->answers.assign(3, chip->answers[0]);
  chip->answers[1].reply.status = "crash", chip->answers[2].reply.status = "deadlock";
  Judge judge(std::move(chip));
  const ProjectCase a{"a", kX, kY}, b{"b", kX, kY}, c{"c", kX, kY};
  const Judgement j = judge.RunProject(folder_.string(), {a, b, c}, {}, {});
  EXPECT_EQ(j.verdict, record::Verdict::kRuntimeError);
  EXPECT_EQ(j.reason, "case b: crash: ") << "the first that does not pass";
  ASSERT_EQ(j.cases.size(), 3u);
  EXPECT_EQ(j.cases[2].id, "c");
  EXPECT_EQ(j.build_host_ms, 8) << "described once and built for each case";
}

TEST_F(Projects, AreExamined) {
  std::string text;
  for (const char* broken : {"", "kernel", "host"}) {
    auto chip = Chip();
    for (auto* reply : {&chip->kernel_build, &chip->host_build}) {
      if ((reply == &chip->kernel_build) != (std::string(broken) == "kernel") || !*broken) continue;
      if (std::string(broken) == "host" && reply == &chip->kernel_build) continue;
      reply->ok = false, reply->failure = "diagnostics", reply->lacking = {"Api"};
      reply->unsupported_api = "Api";
    }
    Judge judge(std::move(chip));
    Json j = ToJson(judge.Examine(folder_.string(), {}));
    text += j.dump(1) + "\n";
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "examined.txt", Tidy(text));
}

TEST(ProjectCases, OfAFile) {
  const auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir.ok());
  const std::string file = (dir->path() / "cases.toml").string();
  const auto read = [&](const std::string& text) {
    EXPECT_TRUE(base::WriteFileAtomic(file, text).ok());
    const auto cases = ReadProjectCases(file);
    if (!cases.ok()) return cases.error().code;
    std::string out;
    for (const ProjectCase& c : *cases) {
      out += c.id + ":";
      for (const auto* list : {&c.inputs, &c.outputs})
        for (const auto& [name, value] : *list) out += " " + name + "=" + value;
      out += " " + c.attrs.dump() + ";";
    }
    return out;
  };
  EXPECT_EQ(read("[[case]]\nid = \"a\"\ninputs = { x = \"f16[2]\" }\noutputs = { y = \"f16[2]\" }\n"
                 "attrs = { n = 3, l = [1, 2] }\n[[case]]\n"),
            "a: x=f16[2] y=f16[2] {\"l\":[1,2],\"n\":3};1: {};");
  EXPECT_EQ(read("case = [1]\n"), "AK0403");
  EXPECT_EQ(read("other = 1\n"), "AK0403");
  EXPECT_EQ(read("[[case]\n"), "AK0403");
  EXPECT_EQ(read("case = []\n"), "");
  EXPECT_FALSE(ReadProjectCases(file + "x").ok());
}
}  // namespace
}  // namespace akgen::judge
