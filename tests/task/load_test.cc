// A malformed task is an error with its place, never a default.
#include <gtest/gtest.h>

#include <fstream>

#include "base/files.h"
#include "task/task.h"

namespace akgen::task {
namespace {

const char kGood[] = R"(schema = 1
name = "Twice"
level = 1
category = "Math"
entry = "twice"
description = "y = 2 x, for the tests of the loader"

[[input]]
name = "x"
dtype = "$dtype"
shape = "$shape"
dist = { kind = "normal" }

[[output]]
name = "y"
dtype = "$dtype"
shape = "$shape"

[precision]
rule = "D"
)";
const char kCases[] = R"([{"id": 0, "shape": [2, 3], "dtype": "float16"}])";
const char kScript[] = "def reference(x: Tensor) -> Tensor:\n    return 2 * x\n";

struct Folder {
  base::TempDir dir = std::move(base::TempDir::Create().value());
  Folder(const std::string& toml, const std::string& cases = kCases,
         const std::string& script = kScript) {
    std::ofstream(dir.path() / "task.toml") << toml;
    std::ofstream(dir.path() / "cases.json") << cases;
    std::ofstream(dir.path() / "reference.py") << script;
  }
  base::Result<TaskSpec> Load() const { return LoadTaskFolder(dir.path()); }
};

std::string With(const std::string& from, const std::string& to) {
  std::string text = kGood;
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

void ExpectMalformed(const Folder& f, const std::string& place, const std::string& message,
                     const std::string& code = "AK0102") {
  auto t = f.Load();
  ASSERT_FALSE(t) << "accepted; expected: " << message;
  EXPECT_EQ(t.error().code, code);
  EXPECT_NE(t.error().where.find(place), std::string::npos) << t.error().where;
  EXPECT_NE(t.error().message.find(message), std::string::npos) << t.error().message;
}

TEST(Load, ReadsAGoodTask) {
  auto t = Folder(kGood).Load();
  ASSERT_TRUE(t) << t.error().ToString();
  auto c = ResolveCase(*t, "0");
  ASSERT_TRUE(c) << c.error().ToString();
  ASSERT_EQ(c->inputs.size(), 1u);
  EXPECT_EQ(c->inputs[0].tensors[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(c->inputs[0].tensors[0].dtype, base::Dtype::kFloat16);
  EXPECT_EQ(c->inputs[0].tensors[0].Bytes(), 12u);
  // 12 bytes each, 48 in float64, the output's twice.
  EXPECT_EQ(c->memory_estimate, 12u + 12u + 3u * 48u);
}

TEST(Load, UnknownKeyHasItsLine) {
  ExpectMalformed(With("dist =", "dits ="), "task.toml:12", "unknown key 'dits'");
}
TEST(Load, BrokenToml) { ExpectMalformed(With("level = 1", "level ="), "task.toml:3", "not TOML"); }
TEST(Load, WrongSchema) {
  ExpectMalformed(With("schema = 1", "schema = 2"), "task.toml:1", "schema must be 1");
}
TEST(Load, UnknownDtype) {
  ExpectMalformed(With("\"$dtype\"", "\"float17\""), "task.toml:10", "unknown dtype");
}
TEST(Load, UnknownDistribution) {
  ExpectMalformed(With("\"normal\"", "\"gauss\""), "task.toml:12", "dist.kind");
}
TEST(Load, UnknownRule) {
  ExpectMalformed(With("rule = \"D\"", "rule = \"Z\""), "task.toml:20", "rule must be");
}
TEST(Load, AnInputCalledLikeAnOutput) {
  ExpectMalformed(With("name = \"y\"", "name = \"x\""), "task.toml", "both called 'x'");
  EXPECT_TRUE(Folder(With("name = \"y\"", "name = \"x\"\ninplace_of = \"x\"")).Load());
}
TEST(Load, RuleWithoutLimit) {
  ExpectMalformed(With("rule = \"D\"", "rule = \"C\""), "task.toml", "needs a limit");
}
TEST(Load, NoOutput) {
  std::string text = kGood;
  size_t from = text.find("[[output]]"), to = text.find("[precision]");
  ExpectMalformed(text.erase(from, to - from), "task.toml", "at least one [[output]]");
}
TEST(Load, BrokenJson) {
  ExpectMalformed(Folder(kGood, "[\n{\"id\": 0,\n}]"), "cases.json:3", "not JSON");
}
TEST(Load, DoubleId) {
  ExpectMalformed(Folder(kGood, R"([{"id": 1}, {"id": "1"}])"), "case number 2", "appears twice");
}
TEST(Load, NoReferenceFunction) {
  ExpectMalformed(Folder(kGood, kCases, "def other(x):\n    return x\n"), "reference.py",
                  "no function 'reference'");
}
TEST(Load, MissingFile) { EXPECT_FALSE(LoadTaskFolder("/nonexistent/task")); }

// A mistake in a case is found when the task is loaded, and named by task, case and column.
TEST(Load, MistakesInCases) {
  auto cases = [](const std::string& columns) {
    return Folder(kGood, "[{\"id\": 7, " + columns + "}]");
  };
  const std::string f16 = R"("dtype": "float16")";
  ExpectMalformed(cases(R"("shape": [2])"), "case 7", "task Twice, case 7: no column 'dtype'",
                  "AK0102");
  for (const char* size :
       {"null", "1e300", "-1", "\"8\"", "2.5", "true", "18446744073709551615", "[2]"})
    ExpectMalformed(cases("\"shape\": [2, " + std::string(size) + "], " + f16),
                    "case 7, input x, column 'shape'",
                    "task Twice, case 7: a dimension must be a whole number");
  for (const char* shape : {"null", "8", "\"8\"", "{}"})
    ExpectMalformed(cases("\"shape\": " + std::string(shape) + ", " + f16), "column 'shape'",
                    "task Twice, case 7: a shape must be a list");
  for (const char* shape : {"[9223372036854775807, 9223372036854775807]",
                            "[0, 4611686018427387904, 8]", "[2199023255552]"})
    ExpectMalformed(cases("\"shape\": " + std::string(shape) + ", " + f16), "column 'shape'",
                    "is too large");
  for (const char* dtype : {"null", "1e300", "\"float17\"", "[]"})
    ExpectMalformed(cases("\"shape\": [2], \"dtype\": " + std::string(dtype)), "column 'dtype'",
                    "task Twice, case 7: unknown dtype");
  ExpectMalformed(cases("\"shape\": [2], \"a/b\": 1, " + f16), "case number 1", "'a/b' has / or ~");
}
TEST(Load, MistakesInWhatInputsAreDrawnFrom) {
  auto drawn = [](const std::string& dist, const std::string& columns = "") {
    return Folder(With("kind = \"normal\"", dist),
                  "[{\"id\": 7, \"shape\": [2, 3], \"dtype\": \"int32\"" + columns + "}]");
  };
  ExpectMalformed(drawn("kind = \"index\", high = \"$n\""), "input x",
                  "task Twice, case 7: no column 'n'");
  for (const char* high : {"null", "\"8\"", "[]"})
    ExpectMalformed(drawn("kind = \"index\", high = \"$n\"", ", \"n\": " + std::string(high)),
                    "input x, column 'n'", "a number is needed");
  for (const char* kind : {"index", "ranges", "onto", "ascending"})
    EXPECT_FALSE(
        drawn("kind = \"" + std::string(kind) + "\", high = \"$n\"", ", \"n\": 1e300").Load())
        << kind;
  ExpectMalformed(drawn("kind = \"int\", low = 0, high = \"$n\"", ", \"n\": 1e300"),
                  "input x, column 'n'", "too large");
  ExpectMalformed(drawn("kind = \"int\", low = 5, high = 4"), "input x", "low is above high");
  ExpectMalformed(drawn("kind = \"shuffled\", low = 0, high = 1, axis = \"$n\"", ", \"n\": 1e300"),
                  "column 'n'", "no such axis");
  ExpectMalformed(drawn("kind = \"bool\", count = \"$n\"", ", \"n\": -2"), "column 'n'",
                  "count is not from 0");
  ExpectMalformed(drawn("kind = \"normal\", specials = [1], special_fraction = 1e-300"), "input x",
                  "not a share");
  ExpectMalformed(drawn("kind = \"normal\", copy_of = \"z\""), "input x",
                  "copy_of must name an earlier input");
  EXPECT_TRUE(drawn("kind = \"int\", low = 0, high = \"$n\"", ", \"n\": 4").Load());
}
TEST(Load, MistakesInAttributesAndRules) {
  const std::string attr = "[[attr]]\nname = \"k\"\ntype = \"int\"\nvalue = \"$k\"\n[precision]";
  for (const char* k : {"null", "1e300", "2.5", "\"2\""})
    ExpectMalformed(
        Folder(With("[precision]", attr),
               R"([{"id": 7, "shape": [2], "dtype": "float16", "k": )" + std::string(k) + "}]"),
        "attribute k, column 'k'", "task Twice, case 7: not of type int");
  ExpectMalformed(Folder(With("rule = \"D\"", "rule = \"M\"\nk = \"$n\""), kCases), "precision",
                  "task Twice, case 0: no column 'n'");
  ExpectMalformed(With("rule = \"D\"", "rule = \"D\"\nulps = {int8 = \"1\"}"), "task.toml:21",
                  "ulps");
}
TEST(Resolve, OutputsThatOnlySomeCasesAskFor) {
  const std::string toml = With("[precision]",
                                "[[output]]\nname = \"z\"\ndtype = \"$dtype\"\nshape = "
                                "[1]\ncompared = \"$more\"\n[precision]");
  auto t = Folder(toml, R"([{"id": 0, "shape": [2], "dtype": "float16", "more": true},
                            {"id": 1, "shape": [2], "dtype": "float16", "more": false},
                            {"id": 2, "shape": [3], "dtype": "float16", "more": true}])")
               .Load();
  ASSERT_TRUE(t);
  auto with = ResolveCase(*t, "0"), without = ResolveCase(*t, "1");
  ASSERT_TRUE(with && without);
  EXPECT_TRUE(with->outputs[0].compared && with->outputs[1].compared);
  EXPECT_TRUE(without->outputs[0].compared);
  EXPECT_FALSE(without->outputs[1].compared);
  EXPECT_EQ(without->outputs[1].tensors.size(), 1u);  // its memory is there all the same
  ExpectMalformed(Folder(toml, R"([{"id": 0, "shape": [2], "dtype": "float16", "more": 1}])"),
                  "column 'more'", "'compared' must be true or false");
}
TEST(Resolve, UnknownCaseListsIds) {
  auto t = Folder(kGood).Load();
  auto c = ResolveCase(*t, "99");
  ASSERT_FALSE(c);
  EXPECT_EQ(c.error().code, "AK0103");
  EXPECT_NE(c.error().fix.find("0"), std::string::npos);
}

TEST(Find, UnknownTaskNamesNearOnes) {
  auto t = LoadTask("Sqrtt");
  ASSERT_FALSE(t);
  EXPECT_EQ(t.error().code, "AK0101");
  EXPECT_NE(t.error().fix.find("Sqrt"), std::string::npos) << t.error().fix;
  EXPECT_EQ(LoadTask("CompletelyDifferentName").error().code, "AK0101");
}

}  // namespace
}  // namespace akgen::task
