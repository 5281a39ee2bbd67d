// What edits are made from: statements, calls, functions of a source.
#include "judge/edits/source_text.h"

#include <gtest/gtest.h>

#include "judge/edits/propose.h"

namespace akgen::judge {
namespace {

constexpr const char* kKernel = R"(#include "kernel_operator.h"
// Add(a, b); is a comment
class K {
  __aicore__ void Run(uint32_t n) {
    DataCopyExtParams params{1, n * 2, 0, 0, 0};
    for (uint32_t i = 0; i < n; ++i) {
      if (i > 0) Add(z[i * 8], x, Max<int>(n, 1));
      queue_.template EnQue<half>(z);  // queued
    }
  }
  GlobalTensor<half> x_, y_;
};
)";

struct SourceTextTest : testing::Test {
  SourceText source{"op_kernel/k.cpp", kKernel};
  std::string At(int line) {
    auto s = source.StatementAt(line);
    return s ? source.Text(*s) : "";
  }
};

TEST_F(SourceTextTest, StatementsOfLines) {
  EXPECT_EQ(At(2), "");
  EXPECT_EQ(At(5), "DataCopyExtParams params{1, n * 2, 0, 0, 0};");
  EXPECT_EQ(At(7), "if (i > 0) Add(z[i * 8], x, Max<int>(n, 1));");
  EXPECT_EQ(At(8), "queue_.template EnQue<half>(z);");
  EXPECT_EQ(At(99), "");
}

TEST_F(SourceTextTest, CallsWithTheirArguments) {
  const auto calls = source.CallsIn(*source.StatementAt(7));
  ASSERT_EQ(calls.size(), 3u);  // if, Add, Max
  EXPECT_EQ(calls[1].name, "Add");
  ASSERT_EQ(calls[1].arguments.size(), 3u);
  EXPECT_EQ(source.Text(calls[1].arguments[0]), "z[i * 8]");
  EXPECT_EQ(source.Text(calls[2].templates), "int");
  const auto queued = source.CallsIn(*source.StatementAt(8));
  ASSERT_EQ(queued.size(), 1u);
  EXPECT_EQ(queued[0].object, "queue_");
  EXPECT_EQ(queued[0].name, "EnQue");
}

TEST_F(SourceTextTest, BodiesAndDeclarations) {
  const auto body = source.BodyAround(source.StatementAt(8)->begin);
  ASSERT_TRUE(body);
  EXPECT_EQ(source.StatementsIn(*body).size(), 3u);
  EXPECT_TRUE(source.LoopIn(*body));
  EXPECT_EQ(source.ElementOf("GlobalTensor", "y_"), "half");
  EXPECT_EQ(source.ElementOf("GlobalTensor", "z"), "");
}

TEST_F(SourceTextTest, EditsNameTheirPlaces) {
  const auto statement = *source.StatementAt(8);
  const record::Edit e = source.Before(statement.begin, "Wait();");
  EXPECT_EQ(e, (record::Edit{"op_kernel/k.cpp", 8, 7, 8, 7, "Wait();\n      "}));
  auto gone = record::Edited(kKernel, "op_kernel/k.cpp", {source.Without(*source.StatementAt(5))});
  ASSERT_TRUE(gone.ok());
  EXPECT_EQ(gone->find("DataCopyExtParams"), std::string::npos);
}

// Every proposal can be applied: no edit of one overlaps another.
TEST_F(SourceTextTest, ProposalsFitTheSource) {
  const ProjectText project{{source}, {}};
  for (const char* code : {"AK1001", "AK1002", "AK1003", "AK1004", "AK1101", "AK1102", "AK1201",
                           "AK1210", "AK1301", "AK1402", "AK1503"}) {
    record::Finding f;
    f.code = code, f.place = {"op_kernel/k.cpp", 7, "PIPE_V", "Add", 0},
    f.other = record::Place{"op_kernel/k.cpp", 8, "PIPE_MTE2", "", 0};
    for (const Proposal& p : ProposalsFor(f, project))
      EXPECT_TRUE(record::Edited(kKernel, "op_kernel/k.cpp", p).ok()) << code;
  }
}

TEST_F(SourceTextTest, ARaceOfTwoPipesIsOrderedBeforeTheLaterOne) {
  record::Finding f;
  f.code = "AK1201", f.place = {"op_kernel/k.cpp", 7, "PIPE_V", "", 0},
  f.other = record::Place{"op_kernel/k.cpp", 5, "PIPE_MTE2", "", 0};
  const auto all = ProposalsFor(f, {{source}, {}});
  ASSERT_GE(all.size(), 2u);
  EXPECT_NE(all[0][0].text.find("SetFlag<HardEvent::MTE2_V>"), std::string::npos);
  EXPECT_EQ(all[0][0].line, 7);
}

}  // namespace
}  // namespace akgen::judge
