// Mistakes planted in composed kernels become records with a diagnosis.
#include <gtest/gtest.h>

#include <set>

#include "base/files.h"
#include "corpus/card.h"
#include "corpus/errors.h"
#include "corpus/synthetic.h"

namespace akgen::corpus {
namespace {
using base::Json;

TEST(Errors, NeedKernels) {
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir.ok());
  auto made = BuildErrors(dir->path(), {});
  ASSERT_FALSE(made.ok());
  if (made.error().code == "AK0013") GTEST_SKIP() << made.error().message;
  EXPECT_EQ(made.error().code, "AK0801");
}

TEST(Errors, EachHasItsFailureItsDiagnosisAndTheRightKernel) {
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir.ok());
  SyntheticOptions s;
  s.count = 2;
  s.together = 2;
  s.workers = 1;
  auto kernels = BuildSynthetic(dir->path(), s);
  if (!kernels.ok() && (kernels.error().code == "AK0113" || kernels.error().code == "AK0013")) GTEST_SKIP() << kernels.error().message;
  ASSERT_TRUE(kernels.ok()) << kernels.error().message;
  ErrorOptions o;
  o.count = 100;
  o.per_kernel = 8;
  o.together = 2;
  auto made = BuildErrors(dir->path(), o);
  if (!made.ok() && (made.error().code == "AK0012" || made.error().code == "AK0013")) GTEST_SKIP() << made.error().message;
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ((*made)["mutants"], 16);
  EXPECT_GE((*made)["records"].get<int>(), 6);
  std::set<std::string> classes;
  ASSERT_TRUE(EachRecord(dir->path(), [&](const Json& r) {
                if (r["kind"] != "repair") return base::Status{};
                const std::string klass = r["class"], path = r["kernel"];
                classes.insert(klass);
                EXPECT_NE(r["failing"], r["files"][path]);
                EXPECT_EQ(r["verification"]["verdict"], "pass");
                const Json& failed = r["failed_verification"];
                const bool finding = klass.starts_with("AK");
                EXPECT_EQ(failed["verdict"], finding ? "finding" : klass);
                EXPECT_NE(r["diagnosis"].get<std::string>().find(finding ? klass : klass == "wrong_answer" ? "the output is wrong" : "does not build"), std::string::npos);
                EXPECT_FALSE(r["others_kernel"].get<bool>());
                if (finding) EXPECT_EQ(failed["findings"][0]["place"]["file"], path);
                return base::Status{};
              }).ok());
  EXPECT_GE(classes.size(), 2u);
}
}  // namespace
}  // namespace akgen::corpus
