// Random compositions as they are: the first of a seed to the letter, with the program that the
// planner makes of them, and a digest of each of the next. A corpus that was built must stay
// reproducible, so every draw counts.
#include <gtest/gtest.h>

#include "../golden.h"
#include "base/hash.h"
#include "corpus/compose/canonical.h"
#include "corpus/compose/composition.h"
#include "craft/craft.h"

namespace akgen::corpus {
namespace {
std::string WhatIsDrawn(const Composition& c) {
  std::string out = DtypeText(c) + ", depth " + std::to_string(c.depth) + ", " +
                    CanonicalOf(c).substr(0, 12) + "\n";
  for (const std::string& family : c.families) out += family + " ";
  for (const std::string& operation : OperationsOf(c)) out += operation + " ";
  out += "\n" + ReferenceText(c);
  for (const Extents& e : c.cases) out += CaseText(c, e);
  return out;
}

std::string Planned(const Composition& c, const craft::Target& target) {
  const auto program = craft::Plan(PlanOf(c), target);
  return program.ok() ? *program : ToError(program.error()).message + "\n";
}

TEST(Compositions, AreThoseOfTheTable) {
  const auto target = craft::LoadTarget();
  ASSERT_TRUE(target.ok());
  std::string text;
  for (uint64_t i = 0; i < 240; ++i) {
    const Composition c = RandomComposition(1, i);
    const std::string drawn = WhatIsDrawn(c), planned = Planned(c, *target);
    text += "==== " + std::to_string(i) + ": " + base::Sha256(drawn).substr(0, 12) + ", planned " +
            base::Sha256(planned).substr(0, 12) + "\n";
    if (i < 20) text += drawn + "---- planned\n" + planned;
  }
  for (uint64_t i = 240; i < 6240; i += 100) {
    std::string some;
    for (uint64_t k = i; k < i + 100; ++k) some += WhatIsDrawn(RandomComposition(2, k));
    text += "==== " + std::to_string(i) + " to " + std::to_string(i + 99) +
            " of seed 2: " + base::Sha256(some).substr(0, 12) + "\n";
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "compositions.txt", text);
}
}  // namespace
}  // namespace akgen::corpus
