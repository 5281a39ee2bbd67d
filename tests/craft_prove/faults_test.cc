// Faults planted in examples, in shapes that the case beside them does not have: each is refuted by
// a case that fails.
#include <sstream>

#include "craft/interpret/arguments.h"
#include "programs.h"

namespace akgen::craft::prove {
namespace {

std::string Lines(std::string s) {
  for (size_t at = 0; (at = s.find("\\n", at)) != std::string::npos;) s.replace(at, 2, "\n");
  return s;
}

TEST(CraftProve, PlantedFaultsAreRefutedByCasesThatFail) {
  auto rows = base::ReadFile(std::string(AKGEN_SOURCE_DIR) + "/tests/craft_prove/faults.tsv");
  ASSERT_TRUE(rows.ok());
  std::istringstream in(*rows);
  int planted = 0, refuted = 0;
  std::string missed;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::string file, from, to, text;
    std::getline(fields, file, '\t'), std::getline(fields, from, '\t'),
        std::getline(fields, to, '\t');
    std::getline(fields, text);
    const Compiled c = Built(Replace(Example(file), Lines(from), Lines(to)));
    auto one = ParseCase(c.programs, text, 1);
    ASSERT_TRUE(one.ok()) << line;
    auto done = Interpret(c.programs[one->column], c.lowered[one->column], one->args);
    ASSERT_TRUE(done.ok() && done->never_written == 0) << "the case knows it already: " << line;
    ++planted;
    const Report r = Proof(c);
    const bool fails = std::ranges::any_of(r.answers, [&](const Answer& a) {
      return a.status == Status::kRefuted && Fails(c, a.kind, a.text, a.cores);
    });
    refuted += fails;
    if (!fails) missed += line + "\n" + Text(r);
    EXPECT_FALSE(r.AllProven()) << line;
  }
  EXPECT_GE(planted, 40);
  EXPECT_GE(refuted * 40, planted * 38) << missed;
}

}  // namespace
}  // namespace akgen::craft::prove
