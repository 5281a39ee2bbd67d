#include "chip/chip.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "chip/timing_file.h"

namespace akgen::chip {
namespace {

std::string DefaultText() {
  auto text = base::ReadFile(base::HomeDir() / "data/chips/910B2.toml");
  EXPECT_TRUE(text.ok());
  return text.ok() ? *text : "";
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(Chip, DefaultIs910B2) {
  auto chip = LoadChip();
  ASSERT_TRUE(chip.ok()) << chip.error().ToString();
  EXPECT_EQ(chip->name, "910B2");
  EXPECT_EQ(chip->npu_arch, 2201);
  EXPECT_EQ(chip->aicore, 220);
  EXPECT_EQ(chip->aic, 24);
  EXPECT_EQ(chip->aiv, 48);
  EXPECT_EQ(chip->clock_mhz, 1800);
  EXPECT_EQ(chip->ub.bytes, 192u * 1024);
  EXPECT_EQ(chip->UsableUb(), 192u * 1024 - 256);
  EXPECT_EQ(chip->l0c.align, 64u);
  EXPECT_EQ(chip->limits.event_ids, 8);
  EXPECT_EQ(chip->ub_banks.groups * chip->ub_banks.per_group * int(chip->ub_banks.bytes), 192 * 1024);
  EXPECT_EQ(chip->rates.at("vector").bytes_per_cycle, 256);
  EXPECT_FALSE(chip->rates.at("vector").source.empty());
}

TEST(Chip, EveryFileLoadsAndIsConsistent) {
  ASSERT_GE(ChipNames().size(), 12u);
  for (const std::string& name : ChipNames()) {
    auto chip = LoadChip(name);
    ASSERT_TRUE(chip.ok()) << chip.error().ToString();
    EXPECT_EQ(chip->name, name);
    EXPECT_EQ(chip->soc, "Ascend" + name);
    EXPECT_GT(chip->aiv, 0) << name;
    EXPECT_EQ(chip->ub.bytes % chip->data_block_bytes, 0u) << name;
    if (chip->split) EXPECT_EQ(chip->aiv, 2 * chip->aic) << name;
    EXPECT_EQ(chip->runnable, chip->npu_arch == 2201) << name;
    EXPECT_TRUE(chip->soc.starts_with(chip->family)) << name;
    if (chip->runnable) EXPECT_TRUE(LoadTimingFile(chip->timing).ok()) << name;
  }
}

TEST(Chip, CrossesProcessesWhole) {
  for (const std::string& name : ChipNames()) {
    auto chip = LoadChip(name);
    ASSERT_TRUE(chip.ok()) << name;
    auto back = ChipFromJson(base::Parse(base::Dump(ToJson(*chip))));
    ASSERT_TRUE(back.ok()) << back.error().ToString();
    EXPECT_EQ(*back, *chip) << name;
  }
}

TEST(Chip, MessageWithoutAFieldIsRefused) {
  const base::Json whole = ToJson(*LoadChip());
  for (const auto& [key, value] : whole.items()) {
    base::Json less = whole, other = whole;
    less.erase(key);
    other[key] = nullptr;
    for (const base::Json& j : {less, other}) {
      auto chip = ChipFromJson(j);
      ASSERT_FALSE(chip.ok()) << key;
      EXPECT_EQ(chip.error().code, "AK0014");
    }
  }
  EXPECT_FALSE(ChipFromJson("910B2").ok());
}

TEST(Chip, SpellingsOfTheName) {
  for (const char* name : {"910B4", "910b4", "Ascend910B4", "ascend910b4"}) {
    auto chip = LoadChip(name);
    ASSERT_TRUE(chip.ok()) << name;
    EXPECT_EQ(chip->aiv, 40);
  }
}

TEST(Chip, UnknownNameSuggests) {
  auto chip = LoadChip("910B5");
  ASSERT_FALSE(chip.ok());
  EXPECT_EQ(chip.error().code, "AK0120");
  EXPECT_NE(chip.error().fix.find("910B4"), std::string::npos) << chip.error().fix;
  EXPECT_EQ(LoadChip("../secrets").error().code, "AK0120");
}

TEST(Chip, NearNamesAreAtMostTwoLettersAway) {
  const auto near = [](const char* name) {
    const std::string fix = LoadChip(name).error().fix;
    return fix.starts_with("did you mean") ? fix : "";
  };
  EXPECT_EQ(near("310P"), "did you mean 310P3?");     // one is missing
  EXPECT_EQ(near("310"), "did you mean 310P3?");      // two
  EXPECT_EQ(near("31"), "");                          // three
  EXPECT_EQ(near("a310P3b"), "did you mean 310P3?");  // two are too many
  EXPECT_EQ(near("ab310P3c"), "");                    // three
  EXPECT_EQ(near("3x0Py"), "did you mean 310P3?");    // two are others
  EXPECT_EQ(near("3xyPz"), "");                       // three
  EXPECT_EQ(near("910_9381x"), "did you mean 910_9381, 910_9382, 910_9391?");
  EXPECT_NE(LoadChip("x").error().fix.find("use one of 310P3, 910B1, 910B2,"), std::string::npos);
}

TEST(Chip, KnownButNotRunnable) {
  auto chip = LoadChip("310P3");
  ASSERT_TRUE(chip.ok());
  EXPECT_FALSE(chip->runnable);
  EXPECT_FALSE(chip->split);
}

TEST(Chip, BrokenFilesAreRefused) {
  std::string text = DefaultText();
  ASSERT_TRUE(ParseChip(text, "t").ok());
  const std::pair<std::string, std::string> faults[] = {
      {"unit = \"MHz\"", "unit = \"GHz\""},           // unit
      {"source = \"arch\"", "source = \"hearsay\""},  // source not listed
      {"clock = {", "clok = {"},                      // missing key
      {"runnable = true", "runnable = \"yes\""},      // type
      {"value = 196608", "value = -1"},               // range
      {"value = 196608", "value = 196608.5"},         // no whole number
      {"value = 196608", "value = 5000000000"},       // more than a memory of a core has
      {"align = 512", "aline = 512"},                 // missing alignment
      {"[cores]", "[cores"},                          // syntax
  };
  for (const auto& [from, to] : faults) {
    auto chip = ParseChip(Replaced(text, from, to), "chip.toml");
    ASSERT_FALSE(chip.ok()) << to;
    EXPECT_EQ(chip.error().code, "AK0121");
    EXPECT_EQ(chip.error().where.substr(0, 9), "chip.toml");
  }
}

}  // namespace
}  // namespace akgen::chip
