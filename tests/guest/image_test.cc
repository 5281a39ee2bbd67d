// Images and objects from anywhere: what is malformed is refused, and no byte of them is believed.
#include "programs.h"

namespace akgen::guest {
namespace {

TEST(Image, NamesImportsAndFunctions) {
  auto file = Link({ObjectOf("compute", 0)});
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(IsImage(*file));
  auto image = ReadImage(*file);
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image->imports, (std::vector<std::string>{"outside_half", "outside_twice"}));
  EXPECT_TRUE(image->functions.contains("Scramble"));
}

TEST(Image, LinksSeveralObjectsAndIsTheSameEveryTime) {
  auto once = Link({ObjectOf("compute", 0), ObjectOf("hostile", 2)});
  auto again = Link({ObjectOf("compute", 0), ObjectOf("hostile", 2)});
  ASSERT_TRUE(once.ok() && again.ok());
  EXPECT_EQ(*once, *again);
  auto image = ReadImage(*once);
  ASSERT_TRUE(image.ok());
  EXPECT_TRUE(image->functions.contains("Scramble") && image->functions.contains("ReadAt"));
}

TEST(Image, TakesWhatItNeedsOfWhatIsReady) {
  auto ready = Ready::Read(ObjectOf("outside", 0));
  ASSERT_TRUE(ready.ok());
  EXPECT_TRUE(ready->Defines("outside_twice"));
  EXPECT_FALSE(ready->Defines("outside_further"));
  EXPECT_EQ(ready->LeftOver({"another", "outside_twice"}), (std::set<std::string>{"another", "outside_further"}));
  auto file = Link({ObjectOf("compute", 0)}, {}, *ready);
  ASSERT_TRUE(file.ok());
  auto image = ReadImage(*file);
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image->imports, (std::vector<std::string>{"outside_further", "outside_half"}));
  EXPECT_TRUE(image->functions.contains("outside_twice"));
  EXPECT_FALSE(image->functions.contains("outside_unused"));
  EXPECT_FALSE(Ready::Read("nothing").ok());
}

TEST(Image, RefusesWhatIsDefinedTwice) {
  auto twice = Link({ObjectOf("compute", 0), ObjectOf("compute", 2)});
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().code, "AK0305");
}

TEST(Image, RefusesOtherFiles) {
  for (const std::string& file : {std::string(),
                                  std::string("\x7f"
                                              "ELF"),
                                  std::string(4096, 'x'), ObjectOf("compute", 0)}) {
    EXPECT_FALSE(IsImage(file));
    ASSERT_FALSE(ReadImage(file).ok());
    EXPECT_EQ(ReadImage(file).error().code, "AK0304");
  }
  EXPECT_FALSE(Link({std::string("nothing")}).ok());
}

// Every byte of the head and a sample of all others, changed: an error or an image within its limits, never worse.
TEST(Image, DamagedFiles) {
  auto file = Link({ObjectOf("compute", 0)});
  ASSERT_TRUE(file.ok());
  const std::string object = ObjectOf("compute", 0);
  uint64_t seed = 7;
  for (int turn = 0; turn < 4000; ++turn) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    std::string bad = turn % 2 ? object : *file;
    const size_t head = turn % 3 ? bad.size() : 512, at = size_t(seed >> 20) % head;
    bad[at] = char(seed >> 9);
    if (turn % 7 == 0) bad.resize(at);
    if (turn % 2) {
      (void)Link({bad});
      continue;
    }
    auto image = ReadImage(bad);
    if (!image.ok()) continue;
    EXPECT_LE(image->code.size() * 4, kMostCode);
    EXPECT_LE(image->variables.size(), kMostVariables);
    Window window;
    Program program(*image, kEngines[turn / 2 % 2], 0);
    Machine machine(program, window);
    machine.Begin(kCodeBase, std::vector<uint64_t>{5});
    (void)machine.Run(10000);
  }
}

}  // namespace
}  // namespace akgen::guest
