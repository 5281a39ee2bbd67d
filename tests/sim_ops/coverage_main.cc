// The tests of the `own` rows, and after all of them a look at what they left out: a row of
// vec_ops.inc that no test ran with some dtype it has a body for is a failure. (The element-wise
// rows: differential/elementwise_test.cc.)
#include <gtest/gtest.h>

#include <set>

#include "values.h"

namespace akgen::sim::test {
namespace {

std::set<std::pair<uint32_t, uint8_t>>& Ran() {
  static std::set<std::pair<uint32_t, uint8_t>> ran;
  return ran;
}
constexpr uint8_t kCountedTypes[] = {AKGEN_F32, AKGEN_F16, AKGEN_BF16, AKGEN_I8,
                                     AKGEN_U8,  AKGEN_I16, AKGEN_U16,  AKGEN_I32,
                                     AKGEN_U32, AKGEN_I64, AKGEN_U64,  AKGEN_BOOL};

// Is there an instruction with a source of this dtype, or a result? (Results that are bytes
// whatever they are called do not count.)
bool HasBody(uint32_t op, uint8_t type) {
  const VecRow& row = RowOf(op);
  const bool number = row.src1 == Use::offset || row.src1 == Use::index,
             bytes = row.sources[31] != 0;
  auto has = [&](uint8_t dst, uint8_t src) {
    AkgenVec v = Instr(op, dst, src, number ? uint8_t(AKGEN_U32) : src);
    v.dst = &v;
    return FindOwn(v) != nullptr;
  };
  return std::any_of(std::begin(kCountedTypes), std::end(kCountedTypes), [&](uint8_t other) {
    return has(other, type) || (!bytes && has(type, other));
  });
}

class Coverage : public testing::Environment {
  void TearDown() override {
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    if (all.test_to_run_count() != all.total_test_count()) return;  // a filter: nothing can be said
    for (uint32_t op = 0; op < AKGEN_OP_COUNT_; ++op) {
      if (VecOpFamily(op) != Family::own) continue;
      for (uint8_t type : kCountedTypes)
        if (HasBody(op, type) && !Ran().count({op, type}))
          ADD_FAILURE() << VecOpName(op) << " with dtype " << int(type) << " is run by no test";
    }
  }
};
}  // namespace

void RunOwn(Core& core, const AkgenVec& v) {
  OwnFn body = FindOwn(v);
  ASSERT_NE(body, nullptr) << VecOpName(v.op);
  body(core, v);
  for (uint8_t type : {v.dst_type, v.src_type}) Ran().insert({v.op, type});
}

}  // namespace akgen::sim::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::AddGlobalTestEnvironment(new akgen::sim::test::Coverage);
  return RUN_ALL_TESTS();
}
